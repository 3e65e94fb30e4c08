"""A backup, its restoring and an upgrade, as the installed program does them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fakes.checkout import Checkout, Program

QUESTION = "how many blocks hold the tokens"


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program.with_index(tmp_path / "home", Checkout.new(tmp_path / "demo"))


def test_a_backup_is_restored_elsewhere(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "monday.tar.gz"
    assert program.json("backup", str(file))["files"] > 5
    home = {"REPOPILOT_HOME": str(tmp_path / "new")}
    assert program.json("restore", str(file), **home)["files"] > 5
    found = program.json("search", QUESTION, **home)
    assert found["passages"][0]["path"] == "src/blocks.py"
    again = program.run("restore", str(file), **home)
    assert again.returncode == 1 and "is not empty" in again.stderr and again.stderr.count("\n") == 1


def test_an_index_of_an_earlier_format_is_upgraded(program: Program) -> None:
    assert "Nothing to do" in program.run("upgrade").stdout
    with closing(sqlite3.connect(program.home / "catalog.sqlite3")) as catalog:
        catalog.execute("PRAGMA user_version = 2")
    refused = program.run("search", QUESTION)
    assert refused.returncode == 1 and "run `repopilot upgrade`" in refused.stderr
    assert program.json("upgrade") == {"upgraded": [{"repository": "acme/demo", "ref": "main"}]}
    assert program.json("search", QUESTION)["passages"][0]["path"] == "src/blocks.py"
