"""Answers to render: of an invented repository, with as many citations as asked for."""

from __future__ import annotations

from bot.types import Answer, Citation, Index

COMMIT = "0123456789abcdef0123456789abcdef01234567"
INDEX = Index("example-org/boat", "v1.2.0", COMMIT, "2026-11-30T00:00:00+00:00")


def url(number: int, folder: str = "hull", ending: str = "py") -> str:
    return f"https://github.com/example-org/boat/blob/{COMMIT}/{folder}/part{number}.{ending}#L{number}-L{number + 9}"


def citation(number: int, folder: str = "hull", ending: str = "py") -> Citation:
    return Citation(
        number, f"{folder}/part{number}.{ending}", number, number + 9, f"Part{number}", url(number, folder, ending)
    )


def answer(
    text: str,
    citations: int = 0,
    *,
    folder: str = "hull",
    ending: str = "py",
    declined: bool = False,
    warnings: tuple[str, ...] = (),
    index: Index = INDEX,
) -> Answer:
    cited = tuple(citation(number, folder, ending) for number in range(1, citations + 1))
    return Answer("5f0c1e", text, cited, declined, "not_found" if declined else None, "stand-in", index, warnings)
