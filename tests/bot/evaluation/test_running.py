"""Question files are run over a real index, by a real app; several questions wait for a model at once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from bot.app import App
from bot.evaluation import QuestionFileError, earlier, evaluate
from bot.evaluation.running import ask
from bot.settings import Settings
from bot.types import Event, Question, Token
from fakes.evaluation import answer
from fakes.library import FILES
from fakes.openai_server import OpenAIServer
from indexer.errors import IndexMissing
from indexer.types import Address

GOLD = [{"path": "cache/blocks.py", "start_line": 4, "end_line": 6, "primary": True}]
ASKED = {
    "id": "q1",
    "kind": "fact",
    "question": "What does allocate return?",
    "answerable": True,
    "gold": GOLD,
    "facts": ["It returns how many blocks hold the tokens."],
}
BESIDE = {**ASKED, "id": "q2", "kind": "out", "answerable": False, "gold": [], "facts": []}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("running")
    for path, text in FILES.items():
        (folder / "demo" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "demo" / path).write_text(text)
    App(Settings(home=folder / "home", workers=0)).index(Address(str(folder / "demo"), repository="acme/demo"))
    return folder / "home"


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    file = tmp_path / "questions.jsonl"
    file.write_text(f"{json.dumps(ASKED)}\n{json.dumps(BESIDE)}\n")
    return file


def test_searches_are_scored(home: Path, questions: Path) -> None:
    steps: list[tuple[int, int]] = []
    evaluation = evaluate(
        App(Settings(home=home)), [questions], asking=False, progress=lambda *step: steps.append(step)
    )
    assert evaluation.figures["ALL"]["n"] == evaluation.figures["fact"]["span_hit@10"] == 1 and steps == [(1, 1)]
    assert evaluation.misses == [] and evaluation.figures["ALL"]["p50_ms"] > 0


def test_answers_are_scored_and_kept(home: Path, questions: Path, tmp_path: Path) -> None:
    evaluation = evaluate(App(Settings(home=home)), [questions], asking=True)
    figures = evaluation.figures["ALL"]
    assert figures["n"] == 2 and figures["fact_recall"] == figures["primary_cited"] == 1
    assert [figures[name] for name in ("unknown_names", "false_citations", "misnumbered", "stray_links")] == [0] * 4
    saved = tmp_path / "run.json"
    saved.write_text(json.dumps(evaluation.fields()))
    [first, _] = json.loads(saved.read_text())["run"]["questions"]
    assert first["facts"][0]["said"] and first["answer"]["citations"] and first["measures"]["primary_cited"] == 1
    assert all(one.now == one.before for one in evaluation.since(earlier(saved)))


def test_a_model_is_asked_by_as_many_as_it_takes(home: Path, questions: Path) -> None:
    with OpenAIServer({"answer": "It returns how many `blocks` hold the tokens [1]. Set `--fly-high` [1]."}) as llm:
        settings = Settings(home=home, llm_url=llm.url, llm_model=llm.model, llm_concurrency=3)
        evaluation = evaluate(App(settings), [questions], asking=True)
        asked_for_more = evaluate(App(settings), [questions], asking=True, concurrency=50)
    assert (evaluation.concurrency, asked_for_more.concurrency) == (3, 3)
    assert evaluation.figures["fact"]["fact_recall"] == 1
    [asked, _] = evaluation.fields()["run"]["questions"]
    assert asked["answer"]["model"] == llm.model


def test_without_a_model_one_question_is_asked_at_a_time(home: Path, questions: Path) -> None:
    assert evaluate(App(Settings(home=home)), [questions], asking=True, concurrency=8).concurrency == 1


class Counting:
    """An answerer that knows how many ask at once."""

    def __init__(self) -> None:
        self.now = self.most = 0

    async def stream(self, question: Question) -> AsyncGenerator[Event]:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.01 if question.text == "slow" else 0)
        if question.text == "broken":
            raise IndexMissing("gone")
        yield Token(" ")
        yield Token(question.text)
        self.now -= 1
        yield answer(text=question.text)


@pytest.mark.parametrize("at_once", [1, 3])
def test_so_many_are_asked_at_once_and_answers_keep_the_order(at_once: int) -> None:
    counting, steps = Counting(), list[tuple[int, int]]()
    texts = ["slow", *(str(n) for n in range(9))]
    given = asyncio.run(ask(counting, [Question(text) for text in texts], at_once, lambda *s: steps.append(s)))  # type: ignore[arg-type]
    assert [one.answer.answer for one in given] == texts and counting.most == at_once
    assert steps == [(n, 10) for n in range(1, 11)]
    assert all(one.first_ms is not None and one.first_ms <= one.ms for one in given)


def test_what_cannot_be_answered_ends_the_run() -> None:
    with pytest.raises(IndexMissing):
        asyncio.run(ask(Counting(), [Question("broken"), Question("slow")], 2, lambda done, total: None))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"run": {"questions": [{}]}}'])
def test_an_earlier_run_that_is_none_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(QuestionFileError, match=r"run\.json is not what"):
        earlier(tmp_path / "run.json")


def test_an_empty_file_gives_no_figures(home: Path, tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("\n")
    assert evaluate(App(Settings(home=home)), [tmp_path / "none.jsonl"], asking=True).figures == {}
