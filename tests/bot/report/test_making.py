"""Reports over a real history and a real small index."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bot.history import History, Record, Surface
from bot.rendering.safety import safe
from bot.report import Period, Report, Sources, fields_of, html_of, make_report, markdown_of
from bot.types import Answer, Index
from fakes.answers import answer
from fakes.library import REPOSITORY, Library
from indexer.errors import EmbedderError

PERIOD = Period.ending(date(2026, 11, 30), 7)
NOW, BEFORE = "2026-11-27T10:00:00+00:00", "2026-11-20T10:00:00+00:00"
PARROT = "docs/parrots.md"
DOCUMENTS = {
    PARROT: "# Parrots\n\n## Feeding a parrot\n\nFeed the parrot walnuts twice a day; it eats thirty a week.\n",
    **{
        f"docs/{animal}.md": f"# The {animal}\n\n## Where the {animal} sleeps\n\nThe {animal} sleeps in the {place}.\n"
        for animal, place in (("walrus", "harbour"), ("otter", "river"), ("heron", "reeds"), ("badger", "ground"))
    },
}
EVIL = "@ada fixes #12 <img src=x onerror=alert(1)> [x](https://evil.example) | `a` </script><script>alert(1)</script>"


class Week:
    """A history that is filled by the line."""

    def __init__(self, folder: Path) -> None:
        self.library = Library.empty(folder)
        self.history = History(f"sqlite:///{folder / 'jobs.sqlite'}")
        self.asked = 0

    def ask(self, text: str, answer: Answer | None = None, at: str = NOW, surface: Surface = "github") -> str:
        self.asked += 1
        key = f"a{self.asked}"
        failure = None if answer else "Busy"
        self.history.record(Record(key, at, surface, None, text, answer, failure, {"whole": 0.1}))
        return key

    def index(self) -> None:
        for path, text in DOCUMENTS.items():
            (self.library.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.library.folder / path).write_text(text)
        self.library.index()

    def report(self) -> Report:
        library = self.library
        return make_report(Sources(self.history, library.stores, library.retriever, lambda: library.embedder), PERIOD)


def said(declined: bool = False, path: str | None = None, reason: str | None = None) -> Answer:
    index = Index(REPOSITORY, "main", "c0ffee", NOW)
    made = answer("It is [1].", 0 if declined else 1, declined=declined, index=index)
    if reason:
        made = Answer(made.id, made.answer, (), True, reason, made.model, index)  # type: ignore[arg-type]
    return made


@pytest.fixture
def week(tmp_path: Path) -> Iterator[Week]:
    made = Week(tmp_path)
    yield made
    made.history.close()
    made.library.close()


def test_an_empty_history_is_a_sentence(week: Week) -> None:
    report = week.report()
    assert markdown_of(report).endswith("Nothing was asked in this time.\n")
    assert "Nothing was asked in this time." in html_of(report) and "<svg" not in html_of(report)


def test_a_period_without_questions_says_what_came_before(week: Week) -> None:
    week.ask("why?", said(), BEFORE)
    assert "In the 7 days before, 1 question came." in markdown_of(week.report())


def test_a_period_is_set_beside_the_one_before(week: Week) -> None:
    for at in (BEFORE, NOW, NOW):
        week.ask("why?", said(), at)
    week.history.vote(week.ask("how?", said(True), surface="discord"), "discord:1", "up")
    text = markdown_of(week.report()).replace("\u00a0", " ")
    assert "**3 questions** in 7 days (1 in as many before, +200 %): 2 on GitHub, 1 on Discord." in text
    assert "**2 answered** (67 %, before 100 %), **1 declined** (33 %, before 0 %)" in text
    assert "**1 👍 and 0 👎** (before 0 and 0)" in text
    assert "| 27 Nov | 3 | 33 % | 0 % | 0 % | 100 ms |" in text and "| 26 Nov | 0 | – |" in text


def test_the_same_question_is_one_example(week: Week) -> None:
    week.index()
    for text in ("Is there a parrot?", "is there a  parrot ?", "Hello, is there a parrot?"):
        week.ask(text, said(True))
    [topic] = week.report().topics
    assert (topic.questions, topic.declined) == (3, 3)
    assert [example.count for example in topic.examples] == [3]


def test_a_document_that_exists_and_was_not_cited_is_named(week: Week) -> None:
    week.index()
    for number in range(2):
        key = week.ask("How often do I feed walnuts to the parrot?", said())
        week.history.vote(key, f"github:{number}", "down", "Not said, write to ada@example.org!")
    [topic] = week.report().topics
    assert topic.voted_down == 2 and topic.comments == ("Not said, write to •••!",)
    assert topic.documents is not None and [document.path for document in topic.documents] == [PARROT]
    assert "it exists, and none of the 2 answers cited it" in markdown_of(week.report())


def test_what_no_document_is_near_to_is_a_page_to_write(week: Week) -> None:
    week.index()
    for _ in range(2):
        week.ask("Which restaurant serves zucchini?", said(True))
    [topic] = week.report().topics
    assert topic.documents == ()
    assert "**Nothing in the documentation comes near. A page to write?**" in markdown_of(week.report())


def test_a_flag_that_does_not_exist_is_said_to(week: Week) -> None:
    week.index()
    for _ in range(2):
        week.ask("What does --warp-speed do?", said(True))
    assert "`--warp-speed` is nowhere in the repository." in markdown_of(week.report())


def test_without_an_index_questions_are_grouped_all_the_same(week: Week) -> None:
    for _ in range(2):
        week.ask("What does a block hold?", said(True))
    report = week.report()
    assert report.topics[0].documents is None and report.note
    assert "The documentation could not be searched: " in markdown_of(report)


def test_an_embedder_that_is_down_loses_no_report(week: Week) -> None:
    week.index()
    week.library.embedder.failure = EmbedderError("The embedding server is down.")
    for _ in range(2):
        week.ask("What does a block hold?", said(True))
    report = week.report()
    assert report.topics[0].questions == 2 and report.note == "The embedding server is down."


def test_what_is_about_something_else_stands_apart(week: Week) -> None:
    week.ask("tell me a joke", said(reason="out_of_scope"))
    report = week.report()
    assert report.topics == () and report.beyond.questions == 1
    assert "1 question about something else, such as “tell me a joke”." in markdown_of(report)


def test_files_are_counted_in_answers_and_doubted_beyond_the_average(week: Week) -> None:
    for number in range(12):
        made = answer("It is [1].", 1, folder="bad" if number < 4 else "hull")
        key = week.ask("why?", made)
        if number < 3:
            week.history.vote(key, "github:ada", "down")
    report = week.report()
    assert [(file.path, file.answers) for file in report.cited] == [("hull/part1.py", 8), ("bad/part1.py", 4)]
    assert [(file.path, file.voted_down) for file in report.doubted] == [("bad/part1.py", 3)]
    assert "#L" not in report.cited[0].url


def test_what_people_wrote_does_nothing_in_markdown(week: Week) -> None:
    week.history.vote(week.ask(EVIL, said()), "github:ada", "down", EVIL)
    week.ask(EVIL, said(True))
    text = markdown_of(week.report())
    assert "`@ada`" in text and "evil.example" not in text
    assert not re.search(r"(?<![`\w])@ada", text) and "fixes #12" not in text
    links = re.findall(r"\]\((https://[^)]+)\)", text)
    assert safe(text, links) == text.rstrip("\n"), "nothing in it is left for the gate of replies to take away"


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def test_the_page_holds_no_script_no_asset_and_no_markup_of_others(week: Week) -> None:
    week.index()
    week.history.vote(week.ask(EVIL, answer("It is [1].", 1)), "github:ada", "down", EVIL)
    for _ in range(2):
        week.ask(EVIL, said(True))
    tags = Tags(html_of(week.report())).seen
    assert not {"script", "img", "link", "iframe", "form"} & {tag for tag, _ in tags}
    assert not [name for _, attributes in tags for name in attributes if name.startswith("on") or name == "src"]
    assert {attributes["href"] for tag, attributes in tags if tag == "a"} == {
        "https://github.com/example-org/boat/blob/0123456789abcdef0123456789abcdef01234567/hull/part1.py"
    }
    pictures = [attributes for tag, attributes in tags if tag == "svg"]
    assert len(pictures) == 3 and all(
        attributes["role"] == "img" and attributes["aria-label"] for attributes in pictures
    )


def test_the_fields_are_json(week: Week) -> None:
    week.ask("why?", said(True))
    fields = json.loads(json.dumps(fields_of(week.report())))
    assert fields["period"] == {"first": "2026-11-24", "days": 7} and fields["figures"]["declined"] == 1
    assert len(fields["spans"]) == 7
