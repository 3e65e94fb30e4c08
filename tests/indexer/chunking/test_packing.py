"""What holds for every text in every language."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.chunking import chunk, language_of
from indexer.chunking.packing import LIMIT, LONGEST, LONGEST_ROW
from indexer.types import Chunk, Document

SAMPLES = {
    "a.py": (
        '"""Été."""\n'
        "import os\n"
        "\n"
        "# why\n"
        "LIMIT = 3\n"
        "\n"
        "@wraps(\n"
        "    f,\n"
        ")\n"
        "class A:\n"
        '    """Doc."""\n'
        "\n"
        "    x: int = 1\n"
        '    """X."""\n'
        "\n"
        "    def f(self):\n"
        "        def g():\n"
        "            return {\n"
        "                1: 2,\n"
        "            }\n"
        "        return g\n"
    ),
    "a.pyx": ("cdef int z = 1\n"),
    "a.c": ("#ifndef A\n#define A 1\nstruct s { int a; };\n/* é */\nint f(int a) {\n  return a;\n}\n#endif\n"),
    "a.cpp": (
        "namespace n {\n"
        "template <class T>\n"
        "struct S {\n"
        " public:\n"
        "  T x;\n"
        "  T f() { return x; }\n"
        "};\n"
        "}  // namespace n\n"
    ),
    "a.cu": (
        "namespace n {\n__global__ void k(\n    int *x) {\n  if (x) {\n    x[0] = 1;\n  } else {\n    f();\n  }\n}\n}\n"
    ),
    "a.rs": (
        "//! é\n"
        "/// doc\n"
        "#[derive(A)]\n"
        "pub struct S;\n"
        "\n"
        "impl<T> S<T> {\n"
        "    /// f\n"
        "    fn f() {}\n"
        "}\n"
        "\n"
        "mod t { fn g() {} }\n"
    ),
    "a.js": ("// é\nexport const f = async () => {\n  return 1\n}\nclass B {\n  /** m */\n  m() {}\n}\n"),
    "a.ts": ("@D()\nexport class B {\n  private y = 1\n  m(): void {}\n}\ninterface I { x(): void }\nenum E { A }\n"),
    "a.tsx": ("const C = () => <div>é</div>\n"),
    "a.go": ("package a\n\n// T is é.\ntype T struct{}\n\nfunc (t *T) M() {\n\tprintln(1)\n}\n"),
    "a.java": ("package a;\n\n/** é */\n@X\npublic class A {\n  int f = 1;\n  void m() {}\n}\n"),
    "a.sh": ("#!/bin/bash\nA=1\n# f\nf() {\n  echo é\n}\nf <<EOF\n}\nEOF\n"),
    "a.md": (
        "---\n"
        "title: T\n"
        "---\n"
        "\n"
        "# A `b`\n"
        "\n"
        "!!! note\n"
        "    x\n"
        "\n"
        '=== "Tab"\n'
        "\n"
        "    ```py\n"
        "    # no\n"
        "    ```\n"
        "\n"
        "- a\n"
        "- b\n"
        "\n"
        "| a |\n"
        "|---|\n"
        "| b |\n"
        "\n"
        "Sub\n"
        "---\n"
    ),
    "a.rst": ("=====\nTitle\n=====\n\nSub\n---\n\n.. code-block:: py\n\n   # no\n\nLiteral::\n\n   x\n\nend\n"),
    "a.ipynb": ('{"cells": [\n{"cell_type": "code", "source": [\n "x = 1\\n",\n "y"\n], "outputs": []}\n]}\n'),
    "a.yaml": ("# top\na:\n  - b: 1\n\n# second\nc: |\n  text\n"),
    "a.toml": ("[a]\nb = 1\n\n[[c.d]]\ne = 2\n"),
    "a.json": ('{\n  "a": {\n    "b": 1\n  },\n  "c": 2\n}\n'),
    "a.txt": ("a\n\x0cb\u2028c\rd\n\n\te"),
}
"""A small true-looking file of every language, and those of `samples/`."""

SAMPLES |= {file.name: file.read_text() for file in (Path(__file__).parent / "samples").iterdir()}

DAMAGE = ["", "(", "}", "\r", "\x00", '"""', "```\n", "    ", "\n\n", "é" * 700, "x" * 2500]

EXACT = sorted(SAMPLES.keys() - {"a.ipynb"})


def chunks_of(path: str, text: str) -> tuple[Chunk, ...]:
    return chunk(Document(path, "", language_of(path), "code", text))


def check(text: str, chunks: tuple[Chunk, ...]) -> None:
    """Every line with anything to read lies in exactly one chunk, whose text is exactly its lines."""
    lines = text.split("\n")
    covered: list[int] = []
    for piece in chunks:
        assert 1 <= piece.start_line <= piece.end_line <= len(lines)
        assert piece.text == "\n".join(lines[piece.start_line - 1 : piece.end_line])
        assert piece.text.strip()
        assert len(piece.text) <= LONGEST
        covered += range(piece.start_line, piece.end_line + 1)
    assert covered == sorted(set(covered))
    readable = {number for number, line in enumerate(lines, 1) if line.strip() and len(line) <= LONGEST}
    assert readable <= set(covered)


# `EXAMPLES=1000 pytest …` looks harder than every run of the tests can.
quick = settings(
    max_examples=int(os.environ.get("EXAMPLES", "20")), deadline=None, suppress_health_check=list(HealthCheck)
)


@pytest.mark.parametrize("path", EXACT)
@quick
@given(text=st.text(st.characters(codec=None), max_size=300))
def test_any_text_is_covered_once(path: str, text: str) -> None:
    check(text, chunks_of(path, text))


@st.composite
def mutated(draw: st.DrawFn, sample: str) -> str:
    """The sample, grown beyond one chunk, with some pieces taken out or doubled."""
    lines = sample.splitlines(keepends=True) * draw(st.sampled_from([1, 12]))
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(lines) - 1))
        cut = draw(st.integers(0, len(lines[at])))
        insert = draw(st.sampled_from(DAMAGE))
        lines[at] = draw(st.sampled_from([lines[at][:cut], lines[at] * 2, lines[at][:cut] + insert + lines[at][cut:]]))
    return "".join(lines)


@pytest.mark.parametrize("path", EXACT)
@quick
@given(data=st.data())
def test_damaged_source_is_covered_once(path: str, data: st.DataObject) -> None:
    text = data.draw(mutated(SAMPLES[path]))
    check(text, chunks_of(path, text))


@quick
@given(data=st.data(), arbitrary=st.text(max_size=200))
def test_notebooks_never_raise(data: st.DataObject, arbitrary: str) -> None:
    for text in (data.draw(mutated(SAMPLES["a.ipynb"])), arbitrary):
        for piece in chunks_of("a.ipynb", text):
            assert 1 <= piece.start_line <= piece.end_line <= text.count("\n") + 1


@pytest.mark.parametrize("path", EXACT)
def test_crlf_changes_no_border(path: str) -> None:
    text = SAMPLES[path].replace("\r", "") * 9
    unix, windows = chunks_of(path, text), chunks_of(path, text.replace("\n", "\r\n"))
    check(text.replace("\n", "\r\n"), windows)
    assert {d.name for piece in unix for d in piece.definitions} == {
        d.name for piece in windows for d in piece.definitions
    }


def test_nothing_to_read_gives_no_chunk() -> None:
    assert chunks_of("a.py", "") == chunks_of("a.md", "\n \n") == chunks_of("a.txt", "\n\n") == ()


def test_a_line_beyond_every_limit_is_left_out() -> None:
    text = "a = 1\n" + "b" * (LONGEST_ROW + 1) + "\nc = 2\n"
    assert [piece.text for piece in chunks_of("a.txt", text)] == ["a = 1", "c = 2"]
    assert [piece.text for piece in chunks_of("a.py", text)] == ["a = 1", "c = 2"]


def test_chunks_stay_near_the_target() -> None:
    text = "".join(f"def f{n}(a):\n    return a + {n}\n\n\n" for n in range(400))
    chunks = chunks_of("a.py", text)
    assert max(len(piece.text) for piece in chunks) <= LIMIT
    assert all(20 <= piece.end_line - piece.start_line <= 60 for piece in chunks)
