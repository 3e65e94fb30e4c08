"""Several versions side by side, as the installed program keeps them: following a source, removing, starting over."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest

from fakes.checkout import Checkout, Program


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout.new(tmp_path / "demo")


@pytest.fixture
def program(tmp_path: Path, checkout: Checkout) -> Program:
    return Program.with_index(tmp_path / "home", checkout)


def refs(program: Program) -> set[str]:
    return {index["ref"] for index in program.json("status")["indexes"]}


def test_a_release_answers_before_a_branch_and_each_when_it_is_named(program: Program, checkout: Checkout) -> None:
    checkout.git("tag", "v1.2.0")
    program.json("index", str(checkout.folder), "--ref", "v1.2.0")
    commit = checkout.commit({"src/blocks.py": "BLOCK_SIZE = 32\n"})
    assert program.json("index", str(checkout.folder))["embedded"] == 1
    assert program.json("search", "block size")["index"]["ref"] == "v1.2.0"
    assert "32" in str(program.json("search", "block size", "--ref", "main")["passages"])
    assert program.json("search", "block size", "--ref", commit[:8])["index"]["ref"] == "main"
    assert program.json("search", "block size", "--ref", "1.2")["index"]["ref"] == "v1.2.0"
    assert (
        program.json("search", "block size", REPOPILOT_REPOSITORY="acme/demo", REPOPILOT_REF="main")["index"]["ref"]
        == "main"
    )


def test_a_version_is_removed_on_its_own(program: Program, checkout: Checkout) -> None:
    checkout.git("tag", "v1.2.0")
    program.json("index", str(checkout.folder), "--ref", "v1.2.0")
    done = program.run("remove", "acme/demo")
    assert done.returncode == 1 and "has several versions (v1.2.0, main); name one with --ref" in done.stderr
    (removed,) = program.json("remove", "acme/demo", "--ref", "v1.2.0")["removed"]
    assert removed["ref"] == "v1.2.0" and refs(program) == {"main"}
    assert "removed acme/demo at main" in program.run("remove", "ACME/demo").stdout
    assert refs(program) == set()


def test_watching_once_indexes_what_has_moved_on(program: Program, checkout: Checkout) -> None:
    quiet = program.run("watch", "--once")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")
    commit = checkout.commit({"src/new.py": "def fresh(): ...\n"})
    done = program.run("watch", "--once")
    assert f"acme/demo at main  {commit}: 1 added, 0 updated, 0 removed" in done.stdout
    [index] = program.json("status")["indexes"]
    assert index["commit"] == commit and index["source"] == str(checkout.folder) and not index["stale"]
    report = program.json("watch", str(checkout.folder), "--once")
    assert (report["source"], report["unchanged"]) == (str(checkout.folder), 3)


def test_that_there_is_nothing_to_watch_is_said(tmp_path: Path) -> None:
    done = Program(tmp_path / "home").run("watch", "--once")
    assert (done.returncode, done.stdout) == (0, "") and done.stderr.startswith("Nothing to watch yet")


def test_a_source_that_cannot_be_watched_is_said_and_keeps_no_other_waiting(
    program: Program, checkout: Checkout, tmp_path: Path
) -> None:
    other = Checkout.new(tmp_path / "other")
    program.json("index", str(other.folder), "--repository", "acme/other")
    checkout.folder.rename(tmp_path / "moved")
    commit = other.commit({"src/new.py": "def fresh(): ...\n"})
    done = program.run("watch", "--once")
    assert done.returncode == 1 and commit in done.stdout
    assert f"{checkout.folder}: there is no folder" in done.stderr and done.stderr.count("\n") == 1


def test_a_watch_goes_on_until_it_is_ended(program: Program, checkout: Checkout) -> None:
    command = [program.executable, "watch", "--every", "1", "--json"]
    watching = subprocess.Popen(command, env=program.environment({}), cwd=program.home.parent, stdout=subprocess.PIPE)
    assert watching.stdout
    try:
        assert json.loads(watching.stdout.readline())["added"] == 0
        commit = checkout.commit({"src/new.py": "def fresh(): ...\n"})
        while json.loads(watching.stdout.readline())["commit"] != commit:
            pass
        assert program.json("search", "fresh")["index"]["commit"] == commit
    finally:
        watching.send_signal(signal.SIGTERM)
        watching.wait(30)


@pytest.mark.parametrize("damage", ["another format", "no database"])
def test_an_index_that_cannot_be_read_is_replaced_by_a_full_run(
    program: Program, checkout: Checkout, damage: str
) -> None:
    catalog = program.home / "catalog.sqlite3"
    if damage == "another format":
        with sqlite3.connect(catalog) as database:
            database.execute("PRAGMA user_version = 1")
    else:
        for file in program.home.glob("catalog.sqlite3-*"):
            file.unlink()
        catalog.write_bytes(b"no database" * 1_000)
    for verb in (["status"], ["search", "block"], ["index", str(checkout.folder)]):
        done = program.run(*verb)
        assert done.returncode == 1 and done.stderr.count("\n") == 1
        assert "`repopilot index SOURCE --full`, which replaces all" in done.stderr
    assert program.json("index", str(checkout.folder), "--full")["added"] == 2
    assert program.json("search", "how many blocks hold the tokens")["passages"][0]["path"] == "src/blocks.py"


def test_another_programs_database_is_never_replaced(program: Program, checkout: Checkout) -> None:
    catalog = program.home / "catalog.sqlite3"
    for file in program.home.glob("catalog.sqlite3*"):
        file.unlink()
    with sqlite3.connect(catalog) as database:
        database.execute("CREATE TABLE theirs (x)")
    done = program.run("index", str(checkout.folder), "--full")
    assert done.returncode == 1 and "belongs to another program; set REPOPILOT_HOME" in done.stderr
    with sqlite3.connect(catalog) as database:
        assert database.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]
