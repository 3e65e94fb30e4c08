"""Every command that the documents show is run, or held to what it can be held to; every link leads somewhere."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

import click
import pytest

from bot.cli import main
from docs.desk import Desk
from docs.reading import DOCUMENTS, RECORDS, Shown, anchors, block_lines, fences, links, name_of, spans
from docs.rules import RULES, UNCHECKED, Bench, hold
from docs.shell import Simple, simple_commands, variants
from fakes.openai_server import OpenAIServer
from fakes.running import Running

SHOWING = [document for document in DOCUMENTS if name_of(document) not in RECORDS]
# Blocks that another test runs, or that show no commands.
FENCES = {
    ("CONTRIBUTING.md", "python"): "tests/test_contributing.py",
    ("deploy/action/README.md", "yaml"): "tests/test_action.py",
    ("docs/programs.md", "json"): "tests/test_docs_programs.py",
    ("docs/programs.md", "python"): "tests/test_docs_programs.py",
    ("docs/programs.md", "toml"): "tests/test_docs_programs.py",
    ("docs/programs.md", "yaml"): "tests/test_docs_programs.py",
    ("docs/replies.md", "markdown"): "replies, as they were posted",
}
# With what lines of indented blocks begin that are no commands.
NO_COMMANDS = {
    "<script": "markup for a page: tests/bot/adapters/http tries the widget",
    "script-src": "the value of a header",
    "https://": "an address to open",
}
# Run by tests/test_docs_programs.py, with the key that it asks for.
RUN_ELSEWHERE = "YOUR-KEY"


@dataclass
class Servers:
    """A served index and the stand-in of a language model, started when they are asked for."""

    desk: Desk
    held: ExitStack
    urls: dict[str, str] = field(default_factory=dict)

    def service(self) -> str:
        if "service" not in self.urls:
            running = self.held.enter_context(Running(self.desk.folder, _free_port(), {}, "acme/engine"))
            running.start()
            self.held.callback(running.stop)
            self.urls["service"] = running.url
        return self.urls["service"]

    def model(self) -> str:
        if "model" not in self.urls:
            self.urls["model"] = self.held.enter_context(OpenAIServer()).url
        return self.urls["model"]


def _free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk.new(tmp_path_factory.mktemp("documents"))


@pytest.fixture(scope="module")
def servers(desk: Desk, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with ExitStack() as held:
        yield Servers(desk.copy(tmp_path_factory.mktemp("served") / "desk"), held)


def shown_in(document: Path) -> Iterator[Shown]:
    """What is a command: each line of a block, and the spans that begin with a program or a variable."""
    programs = {*RULES, *(name.split()[0] for name in UNCHECKED)}
    for shown in block_lines(document):
        if not shown.text.startswith(tuple(NO_COMMANDS)) and RUN_ELSEWHERE not in shown.text:
            yield shown
    for shown in spans(document):
        if (command := first_of(shown.text)) and (
            (command.program in programs and len(command.words) > 1) or (command.variables and not command.words)
        ):
            yield shown


def first_of(text: str) -> Simple | None:
    """The first command of a span; None when a shell could not read it."""
    try:
        return next(simple_commands(text), None)
    except ValueError:
        return None


@pytest.mark.parametrize("document", SHOWING, ids=name_of)
def test_every_command_is_right(document: Path, desk: Desk, servers: Servers, tmp_path: Path) -> None:
    bench = Bench(desk.copy(tmp_path / "desk"), servers)
    seen, wrong = set[str](), list[str]()
    for shown in shown_in(document):
        for command in (c for text in variants(shown.text) for c in simple_commands(text)):
            if str(command) in seen:
                continue
            seen.add(str(command))
            try:
                hold(bench, command, shown)
            except (AssertionError, click.ClickException) as error:
                wrong.append(f"{shown.place}: {command}\n    {error}")
    assert not wrong, "\n".join(["", *wrong])


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_every_link_leads_somewhere(document: Path) -> None:
    lost = [f"{name_of(document)}:{line}: {to}" for line, to in links(document) if not leads_somewhere(document, to)]
    assert not lost


def leads_somewhere(document: Path, target: str) -> bool:
    if "://" in target or target.startswith("mailto:"):
        return True  # another machine's
    path, _, anchor = unquote(target).partition("#")
    to = document.parent / path if path else document
    return to.exists() and (not anchor or (to.suffix == ".md" and anchor in anchors(to)))


def test_blocks_of_other_languages_are_tried_elsewhere() -> None:
    found = {(name_of(document), language) for document in SHOWING for language in fences(document)}
    assert found == FENCES.keys()


def test_exceptions_are_needed() -> None:
    lines = [shown.text for document in SHOWING for shown in block_lines(document)]
    assert {beginning for line in lines for beginning in NO_COMMANDS if line.startswith(beginning)} == {*NO_COMMANDS}
    commands = [c for document in SHOWING for shown in shown_in(document) for c in simple_commands(shown.text)]
    assert {" ".join((c.program, *c.arguments[:1])) for c in commands} >= UNCHECKED.keys()


def test_every_verb_is_shown() -> None:
    commands = [c for document in SHOWING for shown in shown_in(document) for c in simple_commands(shown.text)]
    shown = {c.arguments[0] for c in commands if c.program == "repopilot" and c.arguments}
    assert set(main.list_commands(click.Context(main))) <= shown


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("repopilot ask Q", ["repopilot ask Q"]),
        ("pip install 'repopilot[otel]'", ["pip install 'repopilot[otel]'"]),
        ("r X [--ref REF | --all] [--json]", ["r X", "r X --ref REF --json", "r X --all --json"]),
    ],
)
def test_a_synopsis_is_tried_without_and_with_its_options(line: str, expected: Sequence[str]) -> None:
    assert [" ".join(text.split()) for text in variants(line)] == expected


@pytest.mark.parametrize(
    "line",
    [
        "repopilot sing",
        "repopilot search --limit 99 x",
        "repopilot watch --never",
        "repopilot index PLACE",
        "repopilot serve --port high",
        "REPOPILOT_PAGES=off repopilot serve",
        "REPOPILOT_PAGE=maybe repopilot serve",
        "make sense",
        "make demo SAUCE=hot",
        "docker compose --profile tpu up",
        "docker compose run indexer sing",
        "kubectl apply -k deploy/nowhere",
        "systemctl start pilot",
        "pip install 'repopilot[wings]'",
        "python -m evals dance",
        "python -m training --caches x",
        "pytest tests/nowhere.py",
        "pytest --hypothesis-profile=wide tests",
        "EXAMPLE=9 pytest tests/indexer/chunking/test_packing.py",
        "cd nowhere",
        "cd deploy && ./nothing.sh",
        "curl localhost:8080/nowhere",
        'sqlite3 "$REPOPILOT_HOME/nothing.sqlite3" "SELECT 1"',
        "chroma run",
    ],
)
def test_what_is_wrong_is_seen(line: str, desk: Desk, servers: Servers) -> None:
    shown = Shown(SHOWING[0], 1, line, within_prose=False)
    with pytest.raises((AssertionError, click.ClickException)):
        for command in simple_commands(line):
            hold(Bench(desk, servers), command, shown)
