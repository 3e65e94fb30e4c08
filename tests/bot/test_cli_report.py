"""`repopilot report`, as people and programs run it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.history import History, Record
from fakes.answers import answer
from fakes.checkout import Program

AT = "2026-11-28T10:00:00+00:00"
UNTIL = ("--until", "2026-11-30")


@pytest.fixture
def program(tmp_path: Path) -> Program:
    program = Program(tmp_path / "home")
    program.home.mkdir()
    history = History(f"sqlite:///{program.home / 'jobs.sqlite'}")
    history.record(Record("a1", AT, "github", None, "Why is it slow?", answer("No.", declined=True), None, {}))
    history.close()
    return program


def test_it_prints_markdown_for_a_program(program: Program) -> None:
    done = program.run("report", *UNTIL)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("# RepoPilot report, 24 to 30 November 2026\n") and "Why is it slow?" in done.stdout


def test_it_writes_files_and_prints_json(program: Program) -> None:
    text, page = program.home / "r.md", program.home / "r.html"
    fields = program.json("report", *UNTIL, "--days", "30", "--markdown", str(text), "--html", str(page))
    assert fields["figures"]["declined"] == 1 and fields["period"]["days"] == 30
    assert text.read_text("utf-8").startswith("# RepoPilot report, 1 to 30 November 2026")
    assert page.read_text("utf-8").startswith("<!doctype html>")


def test_a_secret_that_comes_from_a_file_is_masked_too(program: Program) -> None:
    folder, secret = program.home / "secrets", "xylophone.parrot"  # in no form that gives it away
    folder.mkdir()
    (folder / "repopilot_api_token").write_text(secret)
    history = History(f"sqlite:///{program.home / 'jobs.sqlite'}")
    asked = f"Why does curl answer 401 with {secret} here?"
    history.record(Record("a2", AT, "http", None, asked, answer("No.", declined=True), None, {}))
    history.close()
    done = program.run("report", *UNTIL, REPOPILOT_SECRETS_DIR=str(folder))
    assert "Why does curl answer 401 with" in done.stdout and "xylophone" not in done.stdout


def test_nothing_is_a_sentence(tmp_path: Path) -> None:
    done = Program(tmp_path / "home").run("report")
    assert (done.returncode, done.stderr) == (0, "") and "Nothing was asked" in done.stdout


def test_a_file_that_cannot_be_written_is_one_line(program: Program) -> None:
    done = program.run("report", *UNTIL, "--html", str(program.home / "none" / "r.html"))
    assert done.returncode == 1 and done.stderr.startswith("error: ") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [["--days", "0"], ["--until", "yesterday"], ["--until", "0001-01-01"]])
def test_wrong_usage_is_exit_code_2(program: Program, arguments: list[str]) -> None:
    assert program.run("report", *arguments).returncode == 2
