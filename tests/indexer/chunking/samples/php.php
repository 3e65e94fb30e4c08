<?php

declare(strict_types=1);

namespace App\Harbour;

const MOST_BOATS = 40;
define('FEWEST_BOATS', 2);

interface Moorable
{
    public function moor(int $berth): void;
}

/** A boat with its name. */
#[Entity(table: 'boats')]
final class Boat implements Moorable
{
    use Floats;

    public const LENGTH = 12, WIDTH = 4;

    private static ?self $last = null;

    #[Override]
    public function moor(int $berth): void
    {
        $local = fn () => $berth;
    }
}

enum Wind: string
{
    case North = 'n';

    public function turned(): self
    {
        return self::North;
    }
}

function greet(Boat $boat): string
{
    return "ahoy";
}
