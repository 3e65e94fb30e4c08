from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.decoding import decode
from indexer.types import SourceFile


def text(data: bytes, path: str = "a.py") -> str:
    return decode(SourceFile(path, "id", data))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides_and_is_dropped(encoding: str) -> None:
    assert text("é = 1\r\n".encode(encoding)) == "é = 1\r\n"


def test_a_big_endian_mark() -> None:
    assert text(codecs.BOM_UTF16_BE + "né\n".encode("utf-16-be")) == "né\n"


def test_a_python_cookie_decides_where_utf8_fails() -> None:
    assert text(b"# -*- coding: koi8-r -*-\nx = '\xd2'\n") == "# -*- coding: koi8-r -*-\nx = 'р'\n"
    assert text(b"#!/usr/bin/env python\n# vim: set fileencoding=latin-1 :\n# caf\xe9\n").endswith("café\n")


def test_a_cookie_counts_only_in_the_first_two_lines_and_only_in_python() -> None:
    assert text(b"x\ny\n# coding: koi8-r\n\xe9").endswith("é")
    assert text(b"import os\n# coding: koi8-r\n\xe9").endswith("é")
    assert text(b"# coding: koi8-r\n\xe9", "a.txt").endswith("é")


@pytest.mark.parametrize("name", [b"nonsense", b"rot13", b"hex", b"undefined", b"utf-16", b"unicode_escape", b"idna"])
def test_a_cookie_that_does_not_work_is_ignored(name: bytes) -> None:
    data = b"# coding: " + name + b"\n# caf\xe9 \\n\n"
    assert text(data) == data.decode("cp1252")


def test_line_ends_stay() -> None:
    assert text(b"a\r\nb\rc\n\x0c\n") == "a\r\nb\rc\n\x0c\n"


@given(st.binary(), st.sampled_from(["a.py", "a.md"]))
def test_decode_never_raises(data: bytes, path: str) -> None:
    decode(SourceFile(path, "id", data))


@given(
    st.binary(), st.sampled_from(["latin-1", "utf-7", "punycode", "big5", "unicode_escape", "charmap", "mbcs", "cp037"])
)
def test_no_cookie_moves_a_line(data: bytes, name: str) -> None:
    file = f"# coding: {name}\n".encode() + b"\xff" + data
    assert text(file).count("\n") == file.count(b"\n")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_utf8_comes_back_as_it_was(content: str) -> None:
    if not content.startswith("\ufeff"):
        assert text(content.encode(), "a.md").removeprefix("\ufeff") == content or "\0" in content
