"""`repopilot eval --ask` as people run it: a table they can read, a run that is kept, and what has changed since."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fakes.checkout import Checkout, Program
from fakes.openai_server import OpenAIServer

ASKED = {
    "id": "q1",
    "kind": "fact",
    "question": "What does allocate return?",
    "answerable": True,
    "gold": [{"path": "src/blocks.py", "start_line": 6, "end_line": 8, "primary": True}],
    "facts": ["allocate returns how many blocks hold the tokens"],
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    folder = tmp_path_factory.mktemp("command")
    return Program.with_index(folder / "home", Checkout.new(folder / "demo"))


@pytest.fixture
def questions(tmp_path: Path) -> str:
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps(ASKED))
    return str(file)


def test_a_person_reads_a_table_with_what_each_figure_means(program: Program, questions: str) -> None:
    done = program.run("eval", questions, "--ask")
    assert (done.returncode, done.stderr) == (0, "")
    rows = {line.split()[0]: line for line in done.stdout.splitlines() if line.strip()}
    assert "that the answer's text supports" in rows["fact_recall"] and "[n] without citation" in rows["misnumbered"]
    assert "1–1" in done.stdout and "fact" in done.stdout.splitlines()[0]


def test_a_saved_run_is_what_a_later_one_is_compared_with(program: Program, questions: str, tmp_path: Path) -> None:
    saved = tmp_path / "extractive.json"
    printed = program.json("eval", questions, "--ask", "--save", str(saved))
    assert json.loads(saved.read_text()) == printed and printed["ALL"]["fact_recall"] == 1
    with OpenAIServer({"answer": "The parrot on the sign is green [1]."}) as llm:
        settings = {"REPOPILOT_LLM_URL": llm.url, "REPOPILOT_LLM_MODEL": llm.model}
        done = program.run("eval", questions, "--ask", "--baseline", str(saved), "--concurrency", "2", **settings)
        fields = program.json("eval", questions, "--ask", "--baseline", str(saved), **settings)
    assert (done.returncode, done.stderr) == (0, "") and "since the baseline" in done.stdout
    [fell] = [one for one in fields["run"]["differences"] if one["name"] == "fact_recall"]
    assert (fell["before"], fell["now"], fell["interval"]) == (1, 0, [-1, -1])


def test_a_baseline_that_is_none_is_one_line(program: Program, questions: str) -> None:
    done = program.run("eval", questions, "--baseline", questions)
    assert done.returncode == 1 and done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
