"""Question files are read, and what is wrong in them is named with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.evaluation import QuestionFileError, read_cases
from fakes.evaluation import gold

WHOLE = {
    "id": "q1",
    "kind": "fact",
    "question": "Why\u2028so?",
    "answerable": True,
    "gold": [{"path": "a.py", "start_line": 1, "end_line": 2, "primary": True, "symbol": "a"}],
    "history": [{"role": "user", "text": "Before"}],
    "facts": ["It is so."],
}


def test_a_question_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(f"\n{json.dumps(WHOLE, ensure_ascii=False)}\r\n\n", encoding="utf-8", newline="")
    [read] = read_cases(file)
    assert read.question.text == "Why\u2028so?" and read.question.history[0].content == "Before"
    assert read.gold == (gold("a.py", 1, 2),) and read.facts == ("It is so.",) and read.reason is None


def test_facts_and_reason_need_not_be_there(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    beside = {**WHOLE, "answerable": False, "gold": [], "facts": None, "reason": "unknown_name"}
    file.write_text(f"{json.dumps({k: v for k, v in WHOLE.items() if k != 'facts'})}\n{json.dumps(beside)}")
    assert [(read.facts, read.reason) for read in read_cases(file)] == [((), None), ((), "unknown_name")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("not json", "Expecting value"),
        ("[]", "no JSON object"),
        ("null", "no JSON object"),
        ("{}", "gold is missing"),
        (json.dumps(WHOLE | {"gold": []}), "needs gold"),
        (json.dumps(WHOLE | {"gold": [{"path": "a.py"}]}), "start_line is missing"),
        (json.dumps(WHOLE | {"gold": [7]}), "not subscriptable"),
        (json.dumps(WHOLE | {"history": ["x"]}), "string"),
        (json.dumps(WHOLE | {"facts": "x"}), "no list of sentences"),
        (json.dumps(WHOLE | {"facts": ["x", " "]}), "no list of sentences"),
        (json.dumps(WHOLE | {"reason": "lazy"}), "'lazy' is no reason"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: str, reason: str) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(f"{json.dumps(WHOLE)}\n{line}\n")
    with pytest.raises(QuestionFileError) as caught:
        read_cases(file)
    assert str(caught.value).startswith(f"{file}:2 is not a question") and reason in str(caught.value)


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(QuestionFileError, match=r"q\.jsonl cannot be read"):
        read_cases(tmp_path / "q.jsonl")
