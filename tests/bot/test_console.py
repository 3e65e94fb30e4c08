"""What people see: text of strangers cannot steer the terminal, and links stay whole."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, RenderableType

from bot import console
from bot.retrieval import Found
from bot.types import Answer, Citation, Index, Passage
from indexer.records import Collection, Snapshot, StoredChunk
from indexer.sync import Report
from indexer.types import Chunk, Origin, Skipped

HOSTILE = "[bold]x[/nope] [link=http://evil]y \x1b[31mred\x1b]52;c;aGk=\x07 \x9b31m \r\b :smile: \\[z"
URL = "https://github.com/acme/demo/blob/" + "a" * 40 + "/src/a%20long/path/to/some/file.py#L10-L20"
THEN = datetime.now(UTC) - timedelta(hours=3)
INDEX = Index("acme/demo", "main", "a" * 40, THEN.isoformat())
PASSAGE = Passage("src/a.py", 10, 13, "Cache.get", "code", "python", 0.5, "def get(key):\n\treturn key\r\n\n# end", URL)
CITATION = Citation(1, "src/a.py", 10, 13, "Cache.get", URL)
ANSWER = Answer("i", "It **returns** `key` [1].", (CITATION,), False, None, "m", INDEX)
SNAPSHOT = Snapshot(
    1, Collection(1, "c", "acme/demo", "e", 1), Origin("acme/demo", "main", "a" * 40, None, ""), THEN.isoformat(), 2, 3
)


def found(*passages: Passage, unknown_names: Mapping[str, tuple[str, ...]] | None = None) -> Found:
    return Found(passages, SNAPSHOT, unknown_names or {})


def shown(output: RenderableType, width: int = 80, terminal: bool = True) -> str:
    """What is on the screen: `show` on a terminal, without the codes that rich itself sends."""
    screen = Console(file=io.StringIO(), width=width, force_terminal=terminal, color_system=None, legacy_windows=False)
    screen.print(output, crop=False)
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue()


def steering(text: str) -> list[str]:
    """Control characters in what was printed, but for rich's own hyperlinks."""
    for own in ("\x1b]8;;\x1b\\", "\x1b\\"):
        text = text.replace(own, "")
    text = "".join(part.partition(";")[2] if i else part for i, part in enumerate(text.split("\x1b]8;id=")))
    return [c for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0]


def everything(text: str) -> list[RenderableType]:
    """Every report with this text wherever a stranger's text can be."""
    passage = replace(PASSAGE, path=text, symbol=text, text=f"{text}\n{text}")
    answer = replace(ANSWER, answer=text, warnings=(text,), citations=(replace(CITATION, path=text, symbol=text),))
    skipped = [Skipped(text, text)]
    return [
        console.passages_report(text, found(passage, unknown_names={text: (text,)})),
        console.passages_report(text, found()),
        console.answer_report(answer),
        console.skipped_summary(skipped),
        console.index_report(Report(SNAPSHOT, 1, 0, 0, 1, 3, skipped, 0.5, [text])),
        console.evaluation_report({text: {"n": 1}, "ALL": {"n": 1, "x": 0.25}}),
        console.chunk_line(StoredChunk(1, text, "python", "code", False, Chunk(1, 2, text, text, ()))),
    ]


def test_hostile_text_is_shown_as_it_is() -> None:
    for output in everything(HOSTILE)[:4]:
        text = shown(output, width=300)
        assert steering(text) == [] and "␛[31mred␛]52" in text
    assert "[bold]x[/nope]" in shown(everything(HOSTILE)[0], 300)
    assert ":smile:" in shown(everything(HOSTILE)[0], 300)


@given(st.text(max_size=80), st.booleans())
def test_any_text_can_be_shown(text: str, terminal: bool) -> None:
    for output in everything(text):
        if not isinstance(output, str):
            assert steering(shown(output, 60, terminal)) == []


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("terminal", [True, False])
def test_links_are_never_broken(width: int, terminal: bool) -> None:
    for report in (console.passages_report("get", found(PASSAGE)), console.answer_report(ANSWER)):
        assert any(line.strip() == URL for line in shown(report, width, terminal).splitlines())


def test_a_link_into_the_http_service_is_not_shown() -> None:
    local = "/source/local/demo/" + "a" * 40 + "/src/a.py#L10-L13"
    report = console.passages_report("get", found(replace(PASSAGE, url=local)))
    assert "/source/" not in shown(report) and "src/a.py:10-13" in shown(report)


def test_passages_show_their_lines_with_numbers() -> None:
    text = shown(console.passages_report("get key", found(PASSAGE)))
    assert "src/a.py:10-13  Cache.get" in text
    assert "    10  def get(key):" in text and "    13  # end" in text and "\r" not in text


def test_the_lines_that_hold_the_words_are_shown() -> None:
    long = replace(PASSAGE, text="\n".join(["pass"] * 50 + ["needle = 1"] + ["pass"] * 50))
    assert "    60  needle = 1" in shown(console.passages_report("where is the needle", found(long)))


def test_an_answer_is_laid_out_for_people_and_whole_for_programs() -> None:
    answer = replace(ANSWER, answer=f"{ANSWER.answer} vector<int> {'long ' * 40}", warnings=("slow",))
    for_people, for_programs = shown(console.answer_report(answer)), shown(console.answer_report(answer), 10_000, False)
    assert "It returns key [1]. vector<int>" in for_people and max(map(len, for_people.splitlines())) <= len(URL) + 4
    assert for_programs.startswith(answer.answer.strip())
    for text in (for_people, for_programs):
        assert "[1] src/a.py:10-13  Cache.get" in text and "warning: slow" in text and " ago" in text


def test_skipped_paths_are_counted_by_reason() -> None:
    skipped = [Skipped("a.bin", "it is binary"), Skipped("b.bin", "it is binary"), Skipped("c", "it has 2.5 MiB")]
    text = shown(console.skipped_summary(skipped))
    assert "2 skipped: it is binary (a.bin, …)" in text and "1 skipped: it has … MiB (c)" in text
    assert shown(console.index_report(Report(SNAPSHOT, 1, 0, 0, 1, 3, [], 0.5))).count("\n") == 2
    many = [Skipped(f"p{n}", f"reason {'x' * n}") for n in range(20)]
    assert "and 12 more reasons" in shown(console.skipped_summary(many))


def test_figures_fit_an_80_column_terminal() -> None:
    names = ("n", "broken_citations", "duplicate_citations", "primary_file_cited", "citation_precision", "p50_ms")
    report = console.evaluation_report({kind: dict.fromkeys(names, 0.125) for kind in ("ALL", "howto", "seed", "out")})
    lines = shown(report).splitlines()
    assert len(lines) == 1 + len(names) and all(name in shown(report) for name in names)


@pytest.mark.parametrize(
    ("ago", "words"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=1, seconds=5), "1 minute ago"),
        (timedelta(hours=30), "1 day ago"),
        (timedelta(days=-1), "just now"),
    ],
)
def test_ages_in_words(ago: timedelta, words: str) -> None:
    assert console.age((datetime.now(UTC) - ago).isoformat()) == words


def test_progress_is_silent_where_nobody_watches(capfd: pytest.CaptureFixture[str]) -> None:
    for enabled in (True, False):
        with console.progress_bar(enabled=enabled) as (say, step):
            say("[red]opening[/nope]")
            step(1, 2)
    assert capfd.readouterr() == ("", "")


def test_progress_takes_any_source_name(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with console.progress_bar(enabled=True) as (say, step):
        say("[red]opening[/nope]")
        step(1, 2)
    assert "[red]opening[/nope]" in capfd.readouterr().err


def test_names_that_are_nowhere_are_said_with_the_nearest() -> None:
    report = console.passages_report("q", found(PASSAGE, unknown_names={"--max-len": ("--max-length",), "x_y": ()}))
    said = shown(report)
    assert "--max-len occurs nowhere in acme/demo at main; nearest: --max-length\n" in said
    assert "x_y occurs nowhere in acme/demo at main\n" in said
