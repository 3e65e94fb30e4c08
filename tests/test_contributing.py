"""The examples of CONTRIBUTING.md are whole: an embedder that finds, and an adapter that answers."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import pytest
import tree_sitter

from bot.app import App
from bot.retrieval import Retriever
from bot.settings import load
from bot.types import Question
from docs.reading import ROOT, name_of, spans, tokens
from fakes.embedder_contract import keeps_the_contract
from fakes.repository import REPOSITORY, Repository
from fakes.running import FILES
from indexer.chunking.languages import Language, language_of
from indexer.stores import Stores
from indexer.sync import sync
from indexer.types import Address

DOCUMENT = ROOT / "CONTRIBUTING.md"
ROW, EMBEDDER, CHOICE, ADAPTER = (token.content for token in tokens(DOCUMENT) if token.info == "python")
NOT_THERE_YET = {"bot/adapters/forum/", "tests/bot/adapters/forum/", "docs/forum.md"}


def module(monkeypatch: pytest.MonkeyPatch, name: str, source: str) -> Any:
    made = ModuleType(name)
    monkeypatch.setitem(sys.modules, name, made)  # dataclasses look their module up
    exec(compile(source, name, "exec"), made.__dict__)
    return made


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "engine")
    made.commit(FILES)
    return made


@pytest.mark.parametrize("example", [EMBEDDER, ADAPTER])
def test_an_example_is_as_the_project_s_files_are(example: str) -> None:
    ruff = Path(sys.executable).with_name("ruff")
    for verb in (["check"], ["format", "--check"]):
        command = [ruff, *verb, "--stdin-filename", ROOT / "bot" / "example.py", "-"]
        done = subprocess.run(command, input=example, capture_output=True, text=True, cwd=ROOT, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert len([line for line in example.splitlines() if line]) <= 40 and ast.get_docstring(ast.parse(example))


def test_the_language_has_what_its_row_names() -> None:
    row: Language = eval(ROW, {"Language": Language})
    module_of, function = row.grammar.split(":")
    grammar = tree_sitter.Language(getattr(importlib.import_module(module_of), function)())
    query = files("indexer.chunking").joinpath("queries", f"{row.query}.scm").read_text("utf-8")
    cursor = tree_sitter.QueryCursor(tree_sitter.Query(grammar, query))
    found = cursor.captures(
        tree_sitter.Parser(grammar).parse(b"def harbour(name):\n    native.filegroup(name)\n").root_node
    )
    assert [node.text for node in found["name"]] == [b"harbour"]
    assert {language_of(f"boats/{name}") for name in ("rules.bzl", "BUILD")} == {"text"}, "it is there: show another"


def test_the_embedder_indexes_and_finds(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, repository: Repository
) -> None:
    example = module(monkeypatch, "hashed", EMBEDDER)
    source = f"def open_embedder(model):\n{textwrap.indent(CHOICE, '    ')}"
    embedder = module(monkeypatch, "choice", f"from hashed import HashedWords\n{source}").open_embedder("hashed-words")
    assert type(embedder) is example.HashedWords
    keeps_the_contract(embedder)
    stores = Stores(tmp_path / "home")
    report = sync(repository.source(), stores, embedder)
    assert (report.snapshot.collection.embedder, report.added) == (embedder.name, len(FILES))
    retriever = Retriever(stores, embedder)
    found = retriever.search(Question("In which order are blocks without a reader evicted?"), 3)
    retriever.close()
    stores.catalog.close()
    assert found.passages[0].path == "docs/cache.md"


def test_the_adapter_answers_and_is_told_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, repository: Repository
) -> None:
    monkeypatch.chdir(tmp_path)  # a .env file of the checkout must not be read
    forum = module(monkeypatch, "forum", ADAPTER)
    app = App(load(home=str(tmp_path / "home"), workers="0"))
    app.index(Address(str(repository.folder), None, REPOSITORY))
    sent: list[tuple[int, str]] = []

    async def posts() -> AsyncIterator[Any]:
        yield forum.Post(1, "kim", "How large is a KV block? @pilot might know")
        yield forum.Post(2, "kim", "@pilot   ")
        yield forum.Post(3, "pilot", "@pilot How large is a KV block?")
        yield forum.Post(4, "kim", "@pilot What is the default of block_size?")

    async def send(number: int, text: str) -> None:
        sent.append((number, text))

    anyio.run(forum.listen, posts(), "pilot", app.answering("forum"), send)  # type: ignore[arg-type]
    ((number, text),) = sent
    assert number == 4 and "16" in text and "https://github.com/acme/engine/blob/" in text
    (record,) = app.history.records("2000", "3000")
    assert (record.surface, record.event, record.outcome) == ("forum", "forum:4", "answered")


def test_the_adapter_says_when_it_cannot(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # a .env file of the checkout must not be read
    forum = module(monkeypatch, "forum", ADAPTER)
    app = App(load(home=str(tmp_path / "home"), workers="0"))  # nothing is indexed
    sent: list[str] = []

    async def posts() -> AsyncIterator[Any]:
        yield forum.Post(1, "kim", "@pilot How large is a KV block?")

    async def send(number: int, text: str) -> None:
        sent.append(text)

    anyio.run(forum.listen, posts(), "pilot", app.answering("forum"), send)  # type: ignore[arg-type]
    assert sent == [forum.NOT_NOW]
    (record,) = app.history.records("2000", "3000")
    assert record.outcome == "failed"


def test_the_files_that_it_names_are_there() -> None:
    named = {shown.text for shown in spans(DOCUMENT) if re.fullmatch(r"[\w./-]+(?:/|\.(?:py|md|toml|scm))", shown.text)}
    paths = {path for path in named if "/" in path and "NAME" not in path}
    missing = {path for path in paths if not (ROOT / path).exists()}
    assert missing == NOT_THERE_YET and len(paths) > 20, name_of(DOCUMENT)
