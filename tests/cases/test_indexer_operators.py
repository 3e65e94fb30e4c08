"""Each operator of section F accepts a good observation and refuses a bad one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cases.examples import Example, example, judged, number_examples, text_examples
from cases.indexer_observation import IndexObservation
from cases.indexer_section import OPERATORS
from cases.program import Finished

SHA = "a" * 40
OTHER = "b" * 40
REPORT = {"commit": SHA, "files": 1, "chunks": 1, "skipped": []}
TRACEBACK = "Traceback (most recent call last)\nRecursionError"


def finished(report: object = None, code: int = 0, err: str = "", seconds: float = 1.0, rss: float = 100.0) -> Finished:
    return Finished(code, json.dumps(REPORT if report is None else report), err, seconds, rss)


def defined(name: str, start: int = 1, end: int = 1) -> dict[str, Any]:
    return {"name": name, "start_line": start, "end_line": end}


def piece(
    path: str = "a.py", text: str = "def alpha():", lines: tuple[int, int] = (1, 1), **more: object
) -> dict[str, Any]:
    start, end = lines
    url = f"https://github.com/acme/demo/blob/{SHA}/{path}#L{start}-L{end}"
    identity = {"id": f"{path}:{start}", "path": path, "start_line": start, "end_line": end, "url": url}
    return {**identity, "symbol": "alpha", "text": text, **more}


def seen(*chunks: dict[str, Any], runs: tuple[Finished, ...] = (finished(),), **more: Any) -> IndexObservation:
    return IndexObservation(runs=runs, chunks=chunks, **more)


def reported(**fields: object) -> IndexObservation:
    return seen(runs=(finished(REPORT | fields),))


def skipping(path: str, reason: str = "binary") -> IndexObservation:
    return reported(skipped=[{"path": path, "reason": reason}])


def finding(*passages: dict[str, Any]) -> IndexObservation:
    return seen(search=lambda _: {"passages": passages})


def reading(text: str, *chunks: dict[str, Any]) -> IndexObservation:
    return seen(*chunks, file_text=lambda _: text)


def pinned(commit: str) -> IndexObservation:
    return seen(piece(), revision=lambda _: commit)


def totals(first: int, last: int) -> IndexObservation:
    return seen(runs=(finished(REPORT | {"chunks": first}), finished(REPORT | {"chunks": last})))


A, B = piece("a.py", "one"), piece("b.py", "two")
INDEXED = {"a.py": {"status": "indexed"}}
SKIPPED = {"x.py": {"status": "skipped", "reason_any": ["binary"]}}

EXAMPLES: list[Example[IndexObservation]] = [
    *number_examples("exit_code", lambda n: seen(runs=(finished(code=n),))),
    *number_examples("seconds", lambda n: seen(runs=(finished(seconds=n),))),
    *number_examples("rss_mb", lambda n: seen(runs=(finished(rss=n),))),
    *number_examples("rss_growth_mb", lambda n: seen(runs=(finished(rss=100 + n),), baseline_rss_mb=lambda: 100)),
    *number_examples("chunks_total", lambda n: reported(chunks=n)),
    *number_examples("files_total", lambda n: reported(files=n)),
    *number_examples("embeddings_computed", lambda n: reported(embedded=n)),
    *number_examples("skipped_total", lambda n: reported(skipped=[{"path": f"{i}", "reason": ""} for i in range(n)])),
    *text_examples("message", lambda text: seen(runs=(finished(err=text),))),
    *text_examples("chunk", lambda text: seen(piece(text=text))),
    example("run", seen(), seen(runs=(finished(code=1),)), value="ok"),
    example("run", seen(), seen(runs=(finished({}),)), value="ok"),
    example("run", seen(runs=(finished(code=1, err="No commit."),)), seen(), value="clear_error"),
    example(
        "run",
        seen(runs=(finished(code=1, err="No."),)),
        seen(runs=(finished(code=1, err=TRACEBACK),)),
        value="clear_error",
    ),
    example("files", seen(piece()), seen(), value=INDEXED),
    example("files", skipping("x.py"), skipping("x.py", "too long"), value=SKIPPED),
    example("files", skipping("x.py"), seen(piece("x.py")), value=SKIPPED),
    example("process_alive", seen(), seen(runs=(finished(code=-11), finished()))),
    example("process_alive", seen(), seen(runs=(finished(err=TRACEBACK),))),
    example("no_traceback", seen(), seen(runs=(finished(err=TRACEBACK),))),
    example("second_run_ok", seen(killed=True), seen(runs=(finished(code=1),), killed=True)),
    example("second_run_ok", seen(runs=(finished(), finished())), seen()),
    example(
        "symbol_lines",
        seen(piece(lines=(3, 4))),
        seen(piece(lines=(2, 4))),
        path="a.py",
        symbol="alpha",
        start=3,
        end=4,
    ),
    example(
        "symbol_lines",
        seen(piece(symbol="A.alpha")),
        seen(piece(symbol="alphabet")),
        path="a.py",
        symbol="alpha",
        start=1,
        end=1,
    ),
    example(
        "symbol_lines",
        seen(piece(lines=(1, 4), definitions=[defined("alpha", 3, 4)])),
        seen(piece(lines=(3, 4), definitions=[defined("alpha", 1, 2)])),
        path="a.py",
        symbol="alpha",
        start=3,
        end=4,
    ),
    example("each_chunk_names", seen(piece()), seen(piece(symbol="")), path="a.py", symbol="alpha"),
    example("no_empty_chunk", seen(piece()), seen(piece(text=" \n"))),
    example("no_chunk_longer_than", seen(piece(text="x" * 5)), seen(piece(text="x" * 6)), chars=5),
    example("no_chunk_longer_than", seen(piece(text="a\nb")), seen(piece(text="a\nb\nc")), lines=2),
    example("no_chunk_longer_than", seen(piece(text="ab")), seen(piece(text="é" * 2)), bytes=3),
    example("no_chunk_contains", seen(A), seen(B), value="two"),
    example("no_chunk_contains", seen(B), seen(piece("a.py", "two")), value="two", path="a.py"),
    example("chunks_cover_file", reading("x\n\n", piece()), reading("x\ny\n", piece()), path="a.py"),
    example("chunk_text_equals_file_lines", reading("one\r\n", A), reading("one!\n", A), path="a.py"),
    example("ids_unique", seen(A, B), seen(A, A)),
    example("path_indexed_once", seen(A), seen(A, A), path="a.py"),
    example("path_indexed_once", seen(A), seen(A, piece("loop/a.py", "one")), path="a.py"),
    example("path_absent", seen(B), seen(A), path="a.py"),
    example("path_present", seen(A), seen(B), path="a.py"),
    example("files_indexed_or_reported", seen(A, B), seen(A), n=2),
    example("chunks_total_unchanged", totals(2, 2), totals(2, 3)),
    example("chunks_total_unchanged", totals(2, 2), seen()),
    example(
        "delete_one_keeps_other",
        seen(chunks_after_deleting=lambda _: [B]),
        seen(chunks_after_deleting=lambda _: []),
        delete="a.py",
        keep="b.py",
    ),
    example(
        "delete_one_keeps_other",
        seen(chunks_after_deleting=lambda _: [B]),
        seen(chunks_after_deleting=lambda _: [A, B]),
        delete="a.py",
        keep="b.py",
    ),
    example(
        "old_index_served_meanwhile",
        seen(A, searches_around_a_killed_update=lambda _: [{"passages": [A]}]),
        seen(A, searches_around_a_killed_update=lambda _: [{"passages": [A]}, {}]),
    ),
    example("search_finds", finding(B, A), finding(B), query="q", path="a.py"),
    example("search_finds", finding(A, B), finding(B, A), query="q", path="a.py", rank_max=1),
    example("search_finds", finding(A), finding(piece(symbol="beta")), query="q", path="a.py", symbol="alpha"),
    example("search_finds_not", finding(A), finding(B), query="two"),
    example("search_finds_not", finding(A), finding(B), query="q", path="b.py"),
    example("rank_below", finding(A, B), finding(B, A), query="q", path="b.py", than="a.py"),
    example("rank_below", finding(A), finding(B), query="q", path="b.py", than="a.py"),
    example("rank_above", finding(A, B), finding(B, A), query="q", path="a.py", than="b.py"),
    example("search_results_distinct_text", finding(A, B), finding(A, A), query="q"),
    example("search_results_distinct_text", finding(A), finding(), query="q"),
    example(
        "link_endswith",
        seen(piece(url="https://h/a%2Bb.md#L1")),
        seen(piece(url="https://h/a b.md#L1")),
        path="a.py",
        value="/a+b.md",
    ),
    example("links_pinned_to", pinned(SHA), pinned(OTHER), rev="HEAD"),
    example(
        "links_pinned_to", pinned(SHA), seen(piece(url="https://h/blob/main/a.py"), revision=lambda _: SHA), rev="HEAD"
    ),
    example("path_never_breaks_markup", seen(A), seen(piece(url="https://h/a\nb.py"))),
    example("path_never_breaks_markup", seen(A), seen(piece("a\tb"), runs=(finished(err="skipped a\tb"),))),
    example(
        "heading_path",
        seen(piece(symbol="G > N")),
        seen(piece(symbol="G")),
        path="a.py",
        text="alpha",
        heading_any=["G > N"],
    ),
    example(
        "no_heading",
        seen(piece(symbol="G")),
        seen(piece(symbol="G > not a heading")),
        path="a.py",
        value="not a heading",
    ),
    example(
        "headings_equal",
        seen(piece(symbol="T > S"), piece(symbol="T > C", lines=(2, 2))),
        seen(piece(symbol="T")),
        path="a.py",
        values=["T", "S", "C"],
    ),
    example(
        "headings_equal",
        seen(piece(symbol="T", definitions=[defined("T"), defined("T > S")])),
        seen(piece(symbol="T > S > x")),
        path="a.py",
        values=["T", "S"],
    ),
    example(
        "anchor",
        seen(piece(anchors={"github": "#n-1"})),
        seen(piece(anchors={"github": "#n"})),
        path="a.py",
        text="alpha",
        github="#n-1",
    ),
    example(
        "relative_links_resolve",
        seen(piece(links={"../b.py": "b.py"})),
        seen(piece()),
        path="a.py",
        map={"../b.py": "b.py"},
    ),
    example("no_link_escapes_repo", seen(piece(links={"../x": None})), seen(piece(links={"../x": "x"})), value="../x"),
    example("no_link_escapes_repo", seen(A), seen(piece(url="https://h/blob/sha/%2E%2E/x")), value="../x"),
    example("one_of", seen(A), seen(), options=["ids_unique", {"op": "path_present", "path": "a.py"}]),
]


@pytest.mark.parametrize("tried", EXAMPLES, ids=str)
def test_an_operator_accepts_the_good_and_refuses_the_bad(tried: Example[IndexObservation]) -> None:
    good, bad = judged(OPERATORS, tried)
    assert good is None
    assert bad and not bad.startswith("cannot be read")


@pytest.mark.parametrize("tried", EXAMPLES, ids=str)
def test_an_operator_reads_its_check_even_when_there_is_nothing_to_see(tried: Example[IndexObservation]) -> None:
    assert not str(OPERATORS.difference(seen(search=lambda _: {}), tried.check)).startswith("unknown field")


def test_every_operator_has_an_example() -> None:
    assert {tried.op for tried in EXAMPLES} == OPERATORS.names
