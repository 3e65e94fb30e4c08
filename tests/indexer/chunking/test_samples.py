"""What a sample of each language defines, and that a mistake in it costs no name.

A language more is a file in `samples/` (with the word `local` where a mistake can be made) and an entry in DEFINING.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from indexer.chunking import chunk, grammar, language_of
from indexer.chunking.forms import FORMS
from indexer.chunking.languages import BY_NAME
from indexer.types import Chunk, Document

SAMPLES = Path(__file__).parent / "samples"
DEFINING = {
    "ruby.rb": """
        Harbour 5-38, Harbour::MOST_BOATS 6-6, Harbour::FEWEST_BOATS 6-6, Harbour::Boat 9-37,
        Harbour::Boat::Lost 12-12, Harbour::Boat::Berth 13-13, Harbour::Boat::initialize 16-19,
        Harbour::Boat::load 21-21, Harbour::Boat::fleet 24-26, Harbour::Boat::moored? 31-33,
        Harbour::Boat::tied? 34-34, Harbour::Boat::name= 36-36, Harbour::Pilot 40-42, Harbour::Pilot::== 41-41
    """,
    "php.php": """
        MOST_BOATS 7-7, FEWEST_BOATS 8-8, Moorable 10-13, Moorable::moor 12-12, Boat 16-30, Boat::LENGTH 21-21,
        Boat::WIDTH 21-21, Boat::last 23-23, Boat::moor 25-29, Wind 32-40, Wind::turned 36-39, greet 42-45
    """,
    "csharp.cs": """
        Harbour.Boats.Moored 5-5, Harbour.Boats.IMoorable 7-11, Harbour.Boats.IMoorable.Berth 9-9,
        Harbour.Boats.IMoorable.Moor 10-10, Harbour.Boats.Boat 14-35, Harbour.Boats.Boat.Length 17-17,
        Harbour.Boats.Boat.Width 17-17, Harbour.Boats.Boat.Left 18-18, Harbour.Boats.Boat.Name 19-19,
        Harbour.Boats.Boat.Boat 21-24, Harbour.Boats.Boat.Moor 26-31, Harbour.Boats.Boat.Moor.Tie 30-30,
        Harbour.Boats.Boat.this 33-33, Harbour.Boats.Boat.+ 34-34, Harbour.Boats.Wind 37-37,
        Harbour.Boats.Pilot 39-42, Harbour.Boats.Pilot.Name 39-39, Harbour.Boats.Pilot.Age 39-39,
        Harbour.Boats.Pilot.Licence 41-41, Harbour.Boats.Pilot.Licence.Number 41-41
    """,
    "kotlin.kt": """
        MOST_BOATS 5-5, Berths 7-7, Moorable 9-11, Moorable.moor 10-10, Boat 14-34, Boat.name 15-15,
        Boat.length 15-15, Boat.big 16-17, Boat.init 19-21, Boat.constructor 23-23, Boat.moor 25-29,
        Boat.moor.tie 28-28, Boat.load 32-32, Wind 36-36, Registry 38-40, Registry.boats 39-39, List.second 42-42,
        Boat.known 43-43
    """,
    "swift.swift": """
        mostBoats 3-3, Berths 4-4, Moorable 6-10, Moorable.Rope 7-7, Moorable.berth 8-8, Moorable.moor 9-9,
        Boat 13-34, Boat.length 15-15, Boat.width 15-15, Boat.name 17-19, Boat.init 21-23, Boat.moor 25-29,
        Boat.subscript 31-31, Boat.Position 33-33, Boat.Position.x 33-33, Boat.< 37-37, Boat.big 38-38, Wind 41-41,
        Registry 42-42, greet 43-43
    """,
    "scala.scala": """
        Moorable 5-9, Moorable.Rope 6-6, Moorable.berth 7-7, Moorable.moor 8-8, Boat 12-24, Boat.name 13-13,
        Boat.length 13-13, Boat.left 14-14, Boat.right 14-14, Boat.berth 15-15, Boat.moor 17-21,
        Boat.moor.tie 20-20, Boat.+ 23-23, Boat.Width 27-27, Boat.Loud 28-28, Boat.Loud.shout 28-28, Wind 31-31,
        Wind.North 31-31, Wind.South 31-31, Wind.Gust 31-31, Berths 33-33, ordering 34-34, List.longest 37-37,
        tools 39-41, tools.answer 40-40
    """,
    "elixir.ex": """
        Harbour.Boat 1-35, Harbour.Boat.most_boats 8-8, Harbour.Boat.berth 9-9, Harbour.Boat.rope 10-10,
        Harbour.Boat.moor 11-11, Harbour.Boat.is_big 15-15, Harbour.Boat.Position 17-19, Harbour.Boat.start 23-26,
        Harbour.Boat.sunk? 28-28, Harbour.Boat.with_rope 30-32, Harbour.Boat.greet 34-34, Moorable 37-39,
        Moorable.moor 38-38, Harbour.Boat.moor 42-42
    """,
    "lua.lua": """
        Boat 5-5, Boat.__index 6-6, MOST_BOATS 8-8, FEWEST_BOATS 8-8, Boat.length 9-9, Boat.new 12-16,
        Boat.moor 18-21, Boat.moor.tie 19-19, Boat.Position.reset 23-25, greet 27-29, Registry 31-36,
        Registry.load 32-34, Registry.fast 39-39
    """,
    "haskell.hs": """
        Moorable 6-9, Moorable.Rope 7-7, Moorable.moor 8-8, Boat 12-15, Boat.Boat 12-12, Boat.name 13-13,
        Boat.length' 14-14, Boat.width 14-14, Wind 17-17, Wind.North 17-17, Wind.South 17-17, Berth 18-18,
        Berth.Berth 18-18, Berth.unBerth 18-18, Berths 19-19, Expr 21-22, Expr.Lit 22-22, (Maybe a).moor 25-26,
        mostBoats 29-29, turned 33-33, turned.help 39-39, |+| 42-42
    """,
    "Boat.m": """
        MOST_BOATS 2-2, Wind 4-4, Moorable 8-10, Moorable.moorAt 9-9, Boat 13-18, Boat._width 14-14, Boat.name 16-16,
        Boat.initWithName 17-17, Boat.Racing 20-20, Boat.race 21-21, doubled 24-27, Boat.last 37-39
    """,
    "Boat.pm": """
        Harbour::Boat 2-24, Harbour::Boat::MOST_BOATS 4-4, Harbour::Boat::VERSION 6-6, Harbour::Boat::berths 7-7,
        Harbour::Boat::new 15-18, Harbour::Boat::moor 20-24, Harbour::Pilot 26-28, Harbour::Pilot::greet 27-27
    """,
    "Boat.svelte": """
        boats 5-11, boats > Boats 7-7, boats > foot 10-10
    """,
    "Boat.vue": """
        boats 6-9, boats > Boats 7-7, pilot 11-11
    """,
    "CMakeLists.txt": """
        harbour 2-2, HARBOUR_RACING 5-5, BOATS 6-6, WIND_DIR 9-10, moor_boat 13-16, boats 18-20, _C 22-24, wind 26-27,
        docs 28-28
    """,
    "Dockerfile.gpu": """
        PYTHON 2-2, base 5-10, base.PATH 6-7, base.LANG 7-7, build 14-19, build.BOATS 15-15
    """,
    "Harbour.jl": """
        Harbours.MOST_BOATS 4-4, Harbours.Moorable 6-6, Harbours.Boat 11-15, Harbours.Boat.Boat 14-14,
        Harbours.Wind 17-17, Harbours.area 19-19, Harbours.moor 21-24, Harbours.Base.show 26-26, Harbours.twice 28-30
    """,
    "Harbour.sol": """
        Lost 4-4, MOST_BOATS 5-5, IMoorable 7-9, IMoorable.moor 8-8, Harbour 12-35, Harbour.Boat 13-15,
        Harbour.Wind 16-16, Harbour.boats 18-18, Harbour.Moored 19-19, Harbour.onlyPilot 21-23,
        Harbour.constructor 25-27, Harbour.moor 29-32, Harbour.receive 34-34
    """,
    "Makefile": """
        PREFIX 2-2, OBJECTS 3-3, RULE 5-8, all 11-11, boats 14-16, SUFFIX 19-19, install 20-21, uninstall 20-21,
        build/%.o 24-25, clean 27-27
    """,
    "boat.r": """
        most_boats 1-1, moor 4-9, moor::tie 7-7, print.boat 11-13, Harbour 15-22, Harbour::add 18-20, area 24-24
    """,
    "boats.pyx": """
        Wind 7-8, Berth 10-11, Boat 14-23, Boat.__init__ 18-19, Boat.moor 21-23, lengths 27-31, greet 34-35
    """,
    "harbour.dart": """
        Wind 5-5, Moorable 7-9, Moorable.moor 8-8, Boat 12-26, Boat.length 16-16, Boat.moor 19-25, Loud 28-30,
        Loud.shout 29-29, main 32-34
    """,
    "harbour.ml": """
        wind 3-3, boat 4-4, Lost 6-6, most_boats 8-8, moor 11-13, turned 15-17, Fleet 19-22, Fleet.size 20-20,
        Fleet.grown 21-21, Moorable 24-27, Moorable.t 25-25, Moorable.moor 26-26, pilot 29-32, pilot.age 30-30,
        pilot.greet 31-31
    """,
    "harbour.mli": """
        most_boats 2-2, boat 4-4, Lost 6-6, moor 8-8, Moorable 10-13, Moorable.t 11-11, Moorable.moor 12-12,
        Fleet 15-17, Fleet.size 16-16, turned 19-19
    """,
    "harbour.proto": """
        Boat 7-18, Boat.name 8-8, Boat.lengths 9-9, Boat.ropes 10-10, Boat.Position 12-14, Boat.Position.x 13-13,
        Boat.number 16-16, Wind 20-23, Wind.WIND_UNSPECIFIED 21-21, Wind.WIND_NORTH 22-22, Harbour 25-30,
        Harbour.Moor 26-26, Harbour.Watch 27-29, MoorReply 32-32
    """,
    "harbour.sql": """
        harbour 2-2, harbour.wind 4-4, harbour.boat 6-9, boat_name 11-11, harbour.adrift 14-16, harbour.moor 18-26,
        dbo.Moor Boat 30-33
    """,
    "main.tf": """
        terraform 1-3, variable.region 5-7, locals 9-11, locals.name 10-10, data.aws_ami.ubuntu 13-15,
        aws_instance.boat 17-26, module.berths 28-30, output.ip 32-34
    """,
    "page.html": """
        The harbour 4-4, setup 5-7, menu 10-12, Welcome 13-13, boats 15-19, boats > Their berths 16-16,
        boats > berths 16-16, boats > list 18-18, foot 21-21
    """,
    "ring.zig": """
        std 1-1, most_boats 4-4, Harbour 6-17, Harbour.boats 7-7, Harbour.free 8-8, Harbour.moor 11-16, Boat 19-22,
        Boat.sail 20-20, Boat.row 21-21, Wind 24-24, Wind.north 24-24, Wind.south 24-24, Fleet 26-32, Fleet.len 28-30,
        a harbour fills up 34-36
    """,
    "shader.frag": """
        PI 2-2, position 4-4, color 5-5, Camera 7-9, Light 11-13, EPSILON 15-15, lambert 17-20, main 22-24
    """,
    "shader.metal": """
        Vertex 4-7, Vertex::uv 6-6, doubled 10-12, add 14-19
    """,
    "shader.wgsl": """
        most_boats 2-2, boats 3-3, width 4-4, Boat 6-8, doubled 10-13, main 15-18
    """,
    "style.css": """
        :root 3-5, :root --accent 4-4, #menu a:hover 7-10, .boat > .name 7-10, @media (max-width: 600px) .boat 13-13,
        rock 16-18, @layer base h1 21-21, .harbour 24-27, .harbour & .berth 26-26
    """,
    "style.scss": """
        $accent 2-2, %plain 4-6, wide 8-11, doubled 13-15, .boat 17-25, .boat &:hover 19-19, .boat .name 21-24,
        .boat .name --shade 22-22, @media (max-width: 600px) .berth 28-28
    """,
}
"""Every name that a sample defines, with its lines."""


LEADING = {
    "a.rb": "sig { void }\ndef m{0}\n{body}end\n",
    "a.ex": '@doc "What it does."\n@spec m{0}(term) :: term\ndef m{0}(x) do\n{body}end\n',
    "a.hs": "-- | What it does.\nm{0} :: Int -> Int\nm{0} 0 = 1\nm{0} x = sum\n{body}  x\n",
}
"""A function whose first lines are nodes of their own."""


def chunks_of(path: str, text: str) -> tuple[Chunk, ...]:
    return chunk(Document(path, "", language_of(path), "code", text))


def definitions(path: str, text: str) -> list[str]:
    found = [found for piece in chunks_of(path, text) for found in piece.definitions]
    return [f"{found.name} {found.start_line}-{found.end_line}" for found in found]


@pytest.mark.parametrize("sample", DEFINING)
def test_definitions_are_qualified_and_know_their_lines(sample: str) -> None:
    expected = [each.strip() for each in DEFINING[sample].split(",")]
    assert sorted(definitions(sample, (SAMPLES / sample).read_text())) == sorted(expected)


@pytest.mark.parametrize("sample", DEFINING)
def test_every_line_lies_in_exactly_one_chunk(sample: str) -> None:
    lines = ((SAMPLES / sample).read_text() * 40).split("\n")
    covered = [
        number
        for piece in chunks_of(sample, "\n".join(lines))
        for number in range(piece.start_line, piece.end_line + 1)
        if lines[number - 1].strip()
    ]
    assert covered == [number for number, line in enumerate(lines, 1) if line.strip()]


@pytest.mark.parametrize("sample", DEFINING)
def test_syntax_error_costs_no_name(sample: str) -> None:
    text = (SAMPLES / sample).read_text()
    broken = re.sub(r"\blocal\b", "local = ) ", text, count=1)
    language = language_of(sample)
    assert broken != text
    if (parsed_by := BY_NAME[language].grammar) and "html" not in parsed_by:  # to HTML it is words like others
        assert grammar.load(language).parser.parse(broken.encode()).root_node.has_error
    assert definitions(sample, broken) == definitions(sample, text)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("CMakeLists.txt", "function(f)\n{0}endfunction()\n\noption(A B)\n\nfunction(g)\n{0}endfunction()\n", "f g"),
        ("a.pyx", "@a\ncdef f(x):\n{0}\n\n\n# why\ncdef class C:\n    def g(self):\n{0}\n{0}", "f C.g"),
        ("Makefile", "# why\nf: a\n{0}\ng h: b\n{0}", "f g"),
        ("Dockerfile", "# what\n\nFROM a AS f\n{0}\n# what\n\n# why\nFROM f AS g\n{0}", "f g"),
    ],
)
def test_long_definitions_have_chunks_of_their_own(path: str, text: str, expected: str) -> None:
    body = "        value [1] [2] [3] [4]\n" * 30
    chunks = chunks_of(path, text.replace("{0}", body))
    assert list(dict.fromkeys(piece.symbol for piece in chunks)) == expected.split()


@pytest.mark.parametrize("path", LEADING)
def test_function_stays_with_what_leads_it(path: str) -> None:
    body = "  value [1] [2] [3] [4]\n" * 30
    pieces = [LEADING[path].replace("{0}", str(number)).replace("{body}", body) for number in range(3)]
    chunks = chunks_of(path, "\n".join(pieces))
    assert [piece.text.strip() for piece in chunks] == [piece.strip() for piece in pieces]
    assert [piece.symbol for piece in chunks] == ["m0", "m1", "m2"]


@pytest.mark.timeout(10)
@pytest.mark.parametrize("language", FORMS)
@pytest.mark.parametrize(
    "row", ["a ", "add_", "CREATE ", "(", "FROM \\", "cdef x[", " ", "\t", "FROM a AS b\n", "a:\n "]
)
def test_forms_are_fast_whatever_the_text(language: str, row: str) -> None:
    chunk(Document("", "", language, "code", row * (49_000 // len(row))))
