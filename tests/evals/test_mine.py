from __future__ import annotations

import random
from pathlib import Path

import pytest

from bot.evaluation import Case, Gold
from bot.retrieval import Retriever
from bot.types import Question
from evals import questions, score, wording
from evals.__main__ import pinned
from evals.corpus import Package, Text, read_package
from evals.documented import first_sentence
from evals.errors import raised
from evals.mine import Mined, mine
from evals.prose import MARK, entries, paragraphs, sentences
from fakes.embedder import HashingEmbedder
from indexer.sources import open_source
from indexer.stores import Stores
from indexer.sync import sync

FILES = {
    "pond/server.py": '''\
"""A server."""

import os


class PondServer:
    """Accept connections and hand each one to a worker, see :class:`WorkerPool`."""

    #: How many seconds an idle connection is kept open before it goes away.
    idle_seconds: int = 30

    def drain_connections(self, limit):
        """Close all idle connections and wait until the busy ones have finished."""
        if limit < 0:
            raise ValueError(f"the limit of connections must not be negative, got {limit}")
        return os.environ.get("POND_TRACE_FILE")
''',
    "pond/workers.py": '''\
import argparse

MAX_RETRY_ROUNDS = 3


class WorkerPool:
    """Run the jobs of a server on a fixed number of threads."""

    def steal_job(self):
        """Fetch the oldest waiting job from the longest queue of another worker."""


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--grace-period", type=int, default=5, help="Number of seconds that jobs may take to finish")
    parser.add_argument(
        # Far from the name of the call.
        # One more line.
        # And one more.
        # And the last one.
        "--frog-count",
        help="Number of frogs that may sit on the bank",
    )
    return parser
''',
    "src/filter.cpp": """\
#include "filter.h"

namespace pond {

// Removes every frame that is older than the given age from the ring.
int dropOldFrames(Ring& ring, int age) {
  if (age < 0) {
    throw std::invalid_argument("the age of a frame cannot be negative: " + std::to_string(age));
  }
  return ring.drop(age);
}

}  // namespace pond
""",
    "docs/guide.rst": """\
Guide
=====

Shutting down without losing jobs
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~

A server that is asked to stop first takes no new connections, then it waits for those that are open. How long it waits
is a matter of taste and of the jobs, and nothing is lost meanwhile, because whatever is in a queue stays in that queue
until somebody comes back for it.

Use :meth:`PondServer.drain_connections` to finish open work before a restart. The ``--grace-period`` option limits how
long the remaining jobs may take.

A :class:`PondServer` owns one :class:`WorkerPool`, so the two come and go together.

.. method:: WorkerPool.steal_job()

   Take a job away from a busy colleague when there is nothing else to do.

.. code-block:: python

   pool.steal_job()  # Use `steal_job` to break this test.
""",
    "tests/test_server.py": 'def test_server():\n    """Check that a server closes all of its idle connections."""\n',
}


@pytest.fixture
def stores(tmp_path: Path):
    for path, text in FILES.items():
        (tmp_path / "pond" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "pond" / path).write_text(text)
    made = Stores(tmp_path / "home")
    source = open_source(str(tmp_path / "pond"), ref=None, repository="acme/pond", cache=made.cache)
    sync(source, made, HashingEmbedder())
    yield made
    made.catalog.close()


@pytest.fixture
def package(stores: Stores) -> Package:
    return read_package(stores.catalog, stores.catalog.snapshots()[0], "pond")


def of_kind(package: Package, kind: str) -> list[Mined]:
    return [mined for mined in mine(package) if mined.kind == kind]


def places(mined: Mined) -> set[tuple[str, str]]:
    return {(spot.path, spot.last) for spot in mined.gold}


def test_names_resolve_to_the_lines_that_define_them(package: Package):
    [spot] = package.resolve("pond.server.PondServer.drain_connections()")
    assert (spot.path, spot.start_line, spot.noun) == ("pond/server.py", 12, "method")
    [option] = package.resolve("--grace-period")
    assert (option.path, option.start_line, option.noun) == ("pond/workers.py", 15, "option")
    assert [spot.noun for spot in package.resolve("POND_TRACE_FILE")] == ["environment variable"]
    assert [spot.noun for spot in package.resolve("dropOldFrames")] == ["function"]


@pytest.mark.parametrize("written", ["int", "self", "no_such_name", "other.Class.drain_connections", "jobs"])
def test_words_and_strangers_resolve_to_nothing(package: Package, written: str):
    assert package.resolve(written) == []


def test_a_sentence_becomes_a_question_with_and_without_its_name(package: Package):
    named = [m for m in of_kind(package, "symbol") if m.variant == "named" and "drain_connections" in m.text]
    assert places(named[0]) == {("pond/server.py", "drain_connections")}
    assert named[0].exclude == ("docs/guide.rst",)
    described = [m for m in of_kind(package, "code") if ("pond/server.py", "drain_connections") in places(m)]
    assert described and all("drain_connections" not in m.text for m in described)


def test_references_docstrings_comments_headings_and_errors_are_mined(package: Package):
    assert {("pond/workers.py", "steal_job")} in [places(m) for m in of_kind(package, "code")]
    semantic = [places(m) for m in of_kind(package, "semantic")]
    assert {("pond/workers.py", "steal_job")} in semantic
    assert {("src/filter.cpp", "dropOldFrames")} in semantic
    [howto] = of_kind(package, "howto")
    assert howto.gold[0].path == "docs/guide.rst"
    assert {spot.path for m in of_kind(package, "error") for spot in m.gold} == {"pond/server.py", "src/filter.cpp"}
    config = [places(m) for m in of_kind(package, "config")]
    assert {("pond/workers.py", "--grace-period")} in config and {("pond/server.py", "idle_seconds")} in config


def test_collaborators_of_two_files_are_both_wanted(package: Package):
    architecture = of_kind(package, "architecture")
    assert architecture
    assert all({path for path, _ in places(m)} == {"pond/server.py", "pond/workers.py"} for m in architecture)
    assert not any(m.alternatives for m in architecture)


def test_tests_are_never_gold(package: Package):
    assert not [m for m in mine(package) for spot in m.gold if spot.path.startswith("tests/")]


def test_the_same_index_and_seed_give_the_same_questions(package: Package):
    assert mine(package) == mine(package)
    assert mine(package, seed=1) != mine(package, seed=2)
    assert all(
        len(of_kind(package, kind)) >= len([m for m in mine(package, most=1) if m.kind == kind]) for kind in "ab"
    )
    texts = [m.text.lower() for m in mine(package)]
    assert len(texts) == len(set(texts))


def test_question_files_are_read_back(package: Package, tmp_path: Path):
    found = mine(package)
    questions.write(tmp_path / "mined", "pond", found)
    loaded = questions.load(tmp_path / "mined")
    assert [(name, case.question.text, exclude) for name, case, exclude in loaded] == [
        ("pond", mined.text, frozenset(mined.exclude)) for mined in found
    ]
    assert loaded[0][1].gold[0].primary


def test_scores_drop_the_excluded_paths(stores: Stores):
    retriever = Retriever(stores, HashingEmbedder())
    gold = (Gold("pond/server.py", 12, 16, primary=True),)
    case = Case("pond-1", "code", Question("close idle connections, finish open work"), True, False, gold)
    asked = [("pond", case, frozenset({"docs/guide.rst"}))]
    found = score.search(asked, lambda name: retriever)
    assert found["pond-1"] and not [p for p in found["pond-1"] if p.path == "docs/guide.rst"]
    scored = score.figures(asked, found)
    assert scored["pond"]["code"]["span_hit@10"] == 1.0
    assert "| pond | code | 1 |" in score.table(scored)
    retriever.close()


def test_prose_has_no_code_headings_or_directives():
    lines = (
        "Title",
        "=====",
        "",
        "One `a`.",
        "two",
        "",
        "- item",
        "",
        "Code::",
        "",
        "  x = 1",
        "",
        "```",
        "y",
        "```",
        "End.",
    )
    assert [words for _, words in paragraphs(lines)] == ["One `a`. two", "item", "Code::", "End."]


def test_sentences_know_their_names_and_show_none_of_the_markup():
    text = Text("a.rst", "rst", "docs", ("See :func:`~pond.serve` and ``None``. Then `link`_ **it**.",))
    first, second = sentences(text)
    assert first.names == ["~pond.serve", "None"]
    assert first.plain("~pond.serve") == f"See {MARK} and None"
    assert second.plain() == "Then link it"


def test_entries_of_a_class_are_qualified():
    lines = (".. class:: Pond", "", "   Water.", "", "   .. method:: drain(now)", "", "      Let the water out. Soon.")
    found = [(name, entry.raw) for name, entry in entries(Text("a.rst", "rst", "docs", lines))]
    assert found == [("Pond()", "Water"), ("Pond.drain()", "Let the water out")]


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        (f"Use {MARK} to drain the pond slowly", "drain the pond slowly"),
        (f"To drain the pond slowly, call {MARK}", "drain the pond slowly"),
        (f"You can drain the pond slowly with {MARK}", "drain the pond slowly"),
        (f"{MARK} now waits for the last frog", "waits for the last frog"),
    ],
)
def test_known_forms_of_statements_become_questions(statement: str, wanted: str):
    asked = wording.asked_of(statement, "empty", "method", random.Random(1), described=True, loose=False)
    assert asked and wanted in asked and "empty" not in asked


def test_fragments_become_no_question():
    assert wording.asked_of(f"{MARK}", "empty", "method", random.Random(1), described=False, loose=True) is None
    assert first_sentence("See above.") == ""
    assert first_sentence("Return it.") == ""


@pytest.mark.parametrize(
    ("title", "above", "wanted"),
    [
        ("Running behind a load balancer", "", ("run behind a load balancer", "execute behind a load balancer")),
        ("Error messages and their causes", "", ("messages and their causes", "texts and their causes")),
        ("Looping", "Coroutine patterns", ("looping (coroutine patterns)",)),
    ],
)
def test_headings_become_tasks_or_topics(title: str, above: str, wanted: tuple[str, ...]):
    asked = wording.about_heading(title, above, random.Random(3))
    assert asked and any(form in asked for form in wanted)


def test_holes_of_messages_are_filled_and_bad_python_is_skipped():
    code = 'raise KeyError("there is no pond of this name: %s, only %d others" % (name, n))'
    [error] = raised(Text("a.py", "python", "code", (code,)), random.Random(1))
    assert error.pasted.startswith(("there is no pond", "KeyError: there is no pond")) and "%" not in error.pasted
    assert not list(raised(Text("a.py", "python", "code", ("def (",)), random.Random(1)))


def test_no_mined_package_is_trained_on():
    import tomllib

    root = Path(__file__).parents[2]
    trained = tomllib.loads((root / "training" / "packages.toml").read_text())["train"]
    assert not pinned().keys() & {line.split("==")[0] for line in trained}
    assert not pinned("fit").keys() & pinned("held_out").keys()
