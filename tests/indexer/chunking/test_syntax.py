"""How source code is cut, and what its pieces are called."""

from __future__ import annotations

import pytest

from indexer.chunking import chunk, language_of
from indexer.types import Chunk, Document

BODY = "        value = compute(value)  # a step that takes some room\n" * 24


DEFINING = [
    (
        "a.py",
        (
            "A, B = 1, 2\n"
            "C: int = 3\n"
            "if x:\n"
            "    D = 4\n"
            "class E:\n"
            "    f = 5\n"
            "    class G:\n"
            "        def h(self):\n"
            "            i = 6\n"
            "            def j(): ...\n"
            "async def k(): ...\n"
            "type L = int\n"
        ),
        ["A", "B", "C", "D", "E", "E.f", "E.G", "E.G.h", "E.G.h.j", "k", "L"],
    ),
    (
        "a.cpp",
        (
            "#define A 1\n"
            "namespace n::m {\n"
            "template <class T>\n"
            "struct S : Q {\n"
            "  int x;\n"
            "  void f();\n"
            "  ~S();\n"
            "  T& operator[](int i) { return 1; }\n"
            "};\n"
            "template <>\n"
            "void S<int>::f() {}\n"
            "int *g(int a) { int local = 1; return 0; }\n"
            "}\n"
            "using U = int;\n"
            "void proto();\n"
            "enum class E { X };\n"
        ),
        [
            "A",
            "n::m::S",
            "n::m::S::x",
            "n::m::S::f",
            "n::m::S::~S",
            "n::m::S::operator[]",
            "n::m::g",
            "U",
            "proto",
            "E",
        ],
    ),
    (
        "a.cu",
        ("__global__ void paged_attn(int* x){ x[0]=1; }\n"),
        ["paged_attn"],
    ),
    (
        "a.cuh",
        ("#pragma once\nvoid launch();\n"),
        ["launch"],
    ),
    (
        "a.c",
        ("struct s { int a; };\nstatic int t[] = {1};\nint *f(void) { int l = 1; return 0; }\n"),
        ["s", "t", "f"],
    ),
    (
        "a.rs",
        (
            "struct S<T>(T);\n"
            "impl<T> Display for S<T> {\n"
            "    const C: u8 = 1;\n"
            "    fn fmt(&self) {}\n"
            "}\n"
            "impl S<u8> {\n"
            "    async fn go() {}\n"
            "}\n"
            "mod m {\n"
            "    fn f() {}\n"
            "}\n"
            "trait Tr {\n"
            "    fn sig();\n"
            "}\n"
            "macro_rules! mm { () => {} }\n"
        ),
        ["S", "S::C", "S::fmt", "S::go", "m::f", "Tr", "Tr::sig", "mm"],
    ),
    (
        "a.js",
        ("const f = async (x) => 1\nclass B {\n  y = 1\n  m() {}\n}\nfunction* g() {}\n"),
        ["f", "B", "B.y", "B.m", "g"],
    ),
    (
        "a.ts",
        (
            "export interface A { x(): void }\n"
            "export const f = 1\n"
            "abstract class C { abstract z(): void }\n"
            "namespace N {\n"
            "  export function q() {}\n"
            "}\n"
        ),
        ["A", "A.x", "f", "C", "C.z", "N.q"],
    ),
    (
        "a.go",
        ("package a\ntype T[K any] struct{}\nfunc (t *T[K]) M() {}\nfunc (t T) N() {}\nconst A = 1\n"),
        ["T", "T.M", "T.N", "A"],
    ),
    (
        "a.java",
        ("class A<T> {\n  int f = 1;\n  A() {}\n  void m() {}\n  enum E { P }\n}\n"),
        ["A", "A.f", "A.A", "A.m", "A.E"],
    ),
    (
        "a.sh",
        ("A=1\nexport B=2\nf() { local q=1; }\nfunction g { :; }\n"),
        ["A", "B", "f", "g"],
    ),
]
"""Path, text, and every name that the text defines."""


def chunks_of(path: str, text: str) -> tuple[Chunk, ...]:
    return chunk(Document(path, "", language_of(path), "code", text))


def names_in(piece: Chunk) -> tuple[str, ...]:
    return tuple(found.name for found in piece.definitions)


def names(path: str, text: str) -> list[str]:
    return [name for piece in chunks_of(path, text) for name in names_in(piece)]


def containing(chunks: tuple[Chunk, ...], text: str) -> Chunk:
    (found,) = (piece for piece in chunks if text in piece.text)
    return found


@pytest.mark.parametrize(("path", "text", "expected"), DEFINING)
def test_definitions_are_qualified_and_complete(path: str, text: str, expected: list[str]) -> None:
    found = names(path, text)
    assert sorted(found) == sorted(expected)


def test_class_is_cut_into_its_header_and_methods() -> None:
    method = "    @cached\n    # why\n    def m{0}(self, value):\n" + BODY + "        return value\n\n"
    text = (
        'import os\n\n\n@dataclass\nclass Été(Base):\n    """What it is."""\n\n    field: int = 1\n'
        + '    """What the field is. '
        + "é" * 99
    )
    text += '"""\n\n' + method.format(1) + method.format(2) + "class Après:\n    pass\n"
    chunks = chunks_of("a.py", text)
    assert [piece.symbol for piece in chunks] == ["", "Été", "Été.m1", "Été.m2", "Après"]
    assert chunks[1].text.startswith("@dataclass\nclass Été")
    assert names_in(chunks[1]) == ("Été", "Été.field")
    assert chunks[2].text.startswith("    @cached\n    # why\n    def m1")
    assert chunks[2].text.endswith("return value")


def test_bare_class_line_takes_the_beginning_of_its_first_method_along() -> None:
    text = "class A:\n" + "".join(f"    def m{n}(self, value):\n{BODY}\n" for n in range(3))
    first, second, *_ = chunks_of("a.py", text)
    assert (first.symbol, names_in(first)) == ("A", ("A", "A.m0"))
    assert (second.symbol, names_in(second)) == ("A.m1", ("A.m1",))


def test_small_class_stays_whole() -> None:
    (only,) = chunks_of("tab.py", "class A:\n\tdef alpha(self):\n\t\treturn 1")
    assert (only.start_line, only.end_line, only.symbol, names_in(only)) == (1, 3, "A", ("A", "A.alpha"))


def test_long_function_is_cut_between_statements_and_keeps_its_name() -> None:
    text = "def huge():\n" + "    x = 1\n" * 4998 + "    return x"
    chunks = chunks_of("huge.py", text)
    assert {piece.symbol for piece in chunks} == {"huge"}
    assert names_in(chunks[0]) == ("huge",)
    assert max(len(piece.text) for piece in chunks) <= 2_400


def test_big_table_is_cut_between_entries_with_their_comments() -> None:
    text = (
        "TABLE = {\n"
        + "".join(
            f'    # what {n} is\n    "key{n}": lambda: os.getenv(\n        "key{n}"\n    ),\n' for n in range(200)
        )
        + "}\n"
    )
    chunks = chunks_of("a.py", text)
    assert {piece.symbol for piece in chunks} == {"TABLE"}
    assert all(piece.text.lstrip().startswith("# what") for piece in chunks[1:])


def test_long_docstring_is_cut_at_blank_lines() -> None:
    text = 'def f():\n    """' + ("    some words of a paragraph\n" * 12 + "\n") * 12 + '    """\n'
    chunks = chunks_of("a.py", text)
    assert {piece.symbol for piece in chunks} == {"f"}
    assert all(piece.text.count("words") % 12 == 0 for piece in chunks)


def test_syntax_errors_end_nothing() -> None:
    text = "def ok1():\n    return 1\n\ndef broken(:\n    return (\n\ndef ok2():\n    return 2\n"
    assert {"ok1", "ok2"} <= set(names("se.py", text))


def test_closing_brace_stays_with_what_it_closes() -> None:
    kernel = (
        "template <typename T>\n__global__ void {0}(T* x) {{\n" + "  x[0] = x[1] + x[2];  // a line\n" * 40 + "}}\n\n"
    )
    text = (
        "namespace vllm {\n\n" + kernel.format("a") + kernel.format("b") + "};  // namespace vllm\n\nvoid after() {}\n"
    )
    chunks = chunks_of("a.cu", text)
    assert [piece.symbol for piece in chunks] == ["vllm::a", "vllm::b", "after"]
    assert chunks[0].text.startswith("namespace vllm {\n\ntemplate")
    assert chunks[1].text.startswith("template <typename T>\n__global__ void b")
    assert chunks[1].text.endswith("};  // namespace vllm")


def test_definitions_know_their_lines() -> None:
    text = "import os\r\n\r\n# note\r\ndef alpha():\r\n    return 1\r\n\r\nclass A:\r\n    def b(self):\r\n        pass"
    found = [found for piece in chunks_of("a.py", text) for found in piece.definitions]
    assert [(d.name, d.start_line, d.end_line) for d in found] == [("alpha", 4, 5), ("A", 7, 9), ("A.b", 8, 9)]


def test_two_definitions_on_one_line_share_a_chunk() -> None:
    (only,) = chunks_of("a.js", "function a() {} function b() {}")
    assert names_in(only) == ("a", "b")


@pytest.mark.parametrize("text", ["x = " + "(" * 9000 + "1" + ")" * 9000, "x = " + "(\n" * 10000 + "1" + ")\n" * 10000])
def test_deep_nesting_is_walked_without_recursion(text: str) -> None:
    assert "x" in names("deep.py", text)


def test_crlf_and_columns_in_bytes_do_not_move_lines() -> None:
    text = (
        "# ééé\r\nimport os\r\n\r\n"
        + "\r\n".join(["def alpha():", *["    y = 'é' * 40"] * 60, "    return 1"])
        + "\r\n"
    )
    chunks = chunks_of("crlf.py", text)
    assert names_in(containing(chunks, "def alpha")) == ("alpha",)
    assert containing(chunks, "return 1").end_line == 65


def test_comments_alone_are_cut_by_lines() -> None:
    (only,) = chunks_of("a.py", "# one\n# two\n")
    assert (only.start_line, only.end_line, only.symbol) == (1, 2, "")
