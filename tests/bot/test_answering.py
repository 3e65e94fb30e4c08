"""The spine, from a real small index: what is asked becomes events, and every failure still an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from bot.answering import EXTRACTIVE, PASSAGES, Answerer
from bot.model import Busy, ModelFailure
from bot.types import Answer, Event, PassagesFound, Question, Token, Turn
from fakes.library import Library
from fakes.model import ScriptedModel
from indexer.errors import EmbedderError, IndexMissing
from indexer.sources import open_source
from indexer.sync import sync

QUESTION = Question("What does allocate return?")
SECRET = "hunter2-hunter2"
RETURNS = "It returns how many blocks hold the tokens"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library.indexed(tmp_path_factory.mktemp("answering")) as made:
        yield made


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


def events(library: Library, model: ScriptedModel | None, question: Question = QUESTION) -> list[Event]:
    async def all_of_them() -> list[Event]:
        return [event async for event in Answerer(library.retriever, model).stream(question)]

    return asyncio.run(asyncio.wait_for(all_of_them(), 30))


def told(happened: list[Event]) -> tuple[str, Answer]:
    """The joined tokens and the answer of a whole, rightly ordered stream."""
    found, *tokens, answer = happened
    assert isinstance(found, PassagesFound) and isinstance(answer, Answer)
    assert all(isinstance(token, Token) and token.text for token in tokens)
    return "".join(token.text for token in tokens if isinstance(token, Token)), answer


def test_without_a_model_the_passages_answer(library: Library) -> None:
    text, answer = told(events(library, None))
    assert text == answer.answer and "allocate" in text and "[1]" in text
    assert (answer.model, answer.declined, answer.warnings) == (EXTRACTIVE, False, ())
    assert answer.citations[0].path == "cache/blocks.py"
    assert [citation.number for citation in answer.citations] == list(range(1, len(answer.citations) + 1))


def test_a_models_answer_is_grounded_and_tokens_join_to_it(library: Library, model: ScriptedModel) -> None:
    model.say("A block ho", "lds sixteen tokens [", "2", "]. It returns how many blocks hold the tokens [1", "][7].\n")
    happened = events(library, model)
    text, answer = told(happened)
    assert text == answer.answer == "A block holds sixteen tokens [1]. It returns how many blocks hold the tokens [2]."
    assert isinstance(happened[0], PassagesFound)
    cited = [happened[0].passages[1], happened[0].passages[0]]
    assert [(c.path, c.start_line, c.url) for c in answer.citations] == [(p.path, p.start_line, p.url) for p in cited]
    assert (answer.model, answer.warnings, answer.declined) == ("scripted", (), False)
    assert answer.index.repository == "acme/demo"


def test_the_model_is_asked_with_the_question_its_history_and_the_best_passages(
    library: Library, model: ScriptedModel
) -> None:
    question = Question("And what of it?", (Turn("user", "What does allocate return?"), Turn("assistant", "Blocks.")))
    model.say("Blocks [1].")
    events(library, model, question)
    [(asked, found)] = model.asked
    assert asked is question and 0 < len(found.passages) <= PASSAGES
    assert found.passages[0].path == "cache/blocks.py"


def test_a_follow_up_is_searched_for_as_the_model_makes_it_stand_alone(library: Library, model: ScriptedModel) -> None:
    question = Question("And what of it?", (Turn("user", "How much is a block?"), Turn("assistant", "Sixteen.")))
    model.alone = "What does allocate return?"
    happened = events(library, model.say(f"{RETURNS} [1]."), question)
    [(asked, found)] = model.asked
    assert asked is question and found.passages[0].symbol == "allocate"
    assert isinstance(happened[-1], Answer) and happened[-1].model == "scripted"


@pytest.mark.parametrize(
    ("text", "history", "rewritten"),
    [
        ("What does allocate return?", (Turn("user", "It leaks.", "ada"),), False),
        ("And what of it?", (Turn("user", "It leaks.", "ada"),), True),
        ("What of it?", (Turn("user", "It leaks."), Turn("assistant", "Sixteen.")), True),
        ("Which file says how many tokens one block of the cache holds?", (Turn("assistant", "Sixteen."),), False),
    ],
)
def test_a_model_is_asked_about_a_conversation_only_where_one_goes_on(
    library: Library, text: str, history: tuple[Turn, ...], rewritten: bool
) -> None:
    """Rewriting costs a request, and what stands alone needs none."""
    asked: list[Question] = []

    class Rewriting(ScriptedModel):
        async def standalone(self, question: Question) -> str | None:
            asked.append(question)
            return None

    events(library, Rewriting().say("Blocks [1]."), Question(text, history))
    assert bool(asked) is rewritten


def test_only_passages_that_were_offered_can_be_cited(library: Library) -> None:
    said = f"{RETURNS} [1]. The guide says sixteen [2]."
    _, answer = told(events(library, ScriptedModel(offered=1).say(said)))
    assert answer.answer == f"{RETURNS} [1]." and len(answer.citations) == 1


def test_what_a_model_invents_is_left_out(library: Library, model: ScriptedModel) -> None:
    model.say(f"{RETURNS} [1]. Set `--block-bytes` for more [1]. A block holds 4096 tokens [2].\n\nIt is fast [1].")
    _, answer = told(events(library, model))
    assert answer.answer.startswith(f"{RETURNS} [1].") and not {"--block-bytes", "4096"} & set(answer.answer.split())


def test_a_question_that_will_be_sent_away_is_not_searched_for(library: Library) -> None:
    class Full(ScriptedModel):
        def demand_room(self) -> None:
            raise Busy

    with pytest.raises(Busy):
        events(library, Full(), Question("Where?", repository="none/such"))  # to search would raise IndexMissing


def test_a_secret_is_never_said(library: Library, model: ScriptedModel) -> None:
    async def asked() -> Answer:
        answerer = Answerer(
            library.retriever, model.say(f"{RETURNS} [1]. The tokens are hunter2-hunter2 [1]."), {SECRET}
        )
        return await answerer.answer(QUESTION)

    assert asyncio.run(asked()).answer == f"{RETURNS} [1]."


def test_a_name_that_is_nowhere_is_said_first(library: Library, model: ScriptedModel) -> None:
    question = Question("What does allocate return, and does `allocat` do the same?")
    text, answer = told(events(library, model.say(f"{RETURNS} [1]."), question))
    assert text == answer.answer
    assert answer.answer.startswith("`allocat` does not occur in acme/demo at ")
    assert "`allocate`" in answer.answer.split("\n")[0] and answer.answer.endswith(f"{RETURNS} [1].")


def test_an_answer_that_was_cut_off_is_kept_with_a_warning(library: Library, model: ScriptedModel) -> None:
    model.ending.cut = True
    _, answer = told(events(library, model.say(f"{RETURNS} [1].\n\n")))
    assert answer.answer == f"{RETURNS} [1]." and "cut off" in answer.warnings[0]


@pytest.mark.parametrize(
    "rest",
    [
        "A block holds sixteen",
        "A block holds sixteen tok",
        "\n\n- A block holds",
        "\n\n```python\nBLOCK_SIZE =",
        "\n\nMore:",
    ],
)
def test_of_an_answer_that_was_cut_off_a_half_sentence_goes(library: Library, model: ScriptedModel, rest: str) -> None:
    model.ending.cut = True
    text, answer = told(events(library, model.say(f"{RETURNS} [1]. {rest[:9]}", rest[9:])))
    assert text == answer.answer == f"{RETURNS} [1]." and "cut off" in answer.warnings[0]


def test_an_answer_that_was_not_cut_off_may_end_without_a_full_stop(library: Library, model: ScriptedModel) -> None:
    _, answer = told(events(library, model.say(f"{RETURNS}. A block holds sixteen tokens")))
    assert answer.answer == f"{RETURNS} [1]. A block holds sixteen tokens [2]" and answer.warnings == ()


def test_a_cut_off_answer_with_nothing_whole_in_it_loses_no_question(library: Library, model: ScriptedModel) -> None:
    model.ending.cut = True
    answer = events(library, model.say("It returns how many blocks hold"))[-1]
    assert isinstance(answer, Answer) and answer.model == EXTRACTIVE and answer.citations
    assert len(answer.warnings) == 1 and "cut off" in answer.warnings[0]


def test_what_nothing_found_proves_is_declined_without_asking_the_model(library: Library, model: ScriptedModel) -> None:
    _, answer = told(events(library, model, Question("Will it rain in Vienna tomorrow?")))
    assert (answer.declined, answer.reason, answer.model) == (True, "out_of_scope", EXTRACTIVE)
    assert model.asked == []


NOT_IN_IT = Question("Which compression codec does the checkpoint importer prefer?")


def test_a_small_model_is_not_asked_what_nothing_found_proves(library: Library, model: ScriptedModel) -> None:
    _, answer = told(events(library, model, NOT_IN_IT))
    assert (answer.declined, answer.reason) == (True, "not_found") and model.asked == []


@pytest.mark.parametrize(
    ("said", "declined"),
    [("NOT_FOUND", True), ("It prefers zstd.", True), (f"{RETURNS} [1].", False)],
    ids=["says so", "invents", "knows better"],
)
def test_a_model_that_judges_is_asked_and_may_know_better(library: Library, said: str, declined: bool) -> None:
    model = ScriptedModel(judges=True).say(said)
    _, answer = told(events(library, model, NOT_IN_IT))
    assert len(model.asked) == 1
    assert (answer.declined, answer.reason, answer.warnings) == (declined, "not_found" if declined else None, ())


def test_no_model_is_asked_what_no_repository_answers(library: Library) -> None:
    model = ScriptedModel(judges=True)
    _, answer = told(events(library, model, Question("Will it rain in Vienna tomorrow?")))
    assert answer.reason == "out_of_scope" and model.asked == []


@pytest.mark.parametrize(
    ("pieces", "warning"),
    [
        ([ModelFailure("The connection to the language model failed.")], "connection"),
        (["Half an ans", ModelFailure("The language model's answer was cut off.")], "cut off"),
        (["I am sure that it is 16."], "could not be traced"),
        (["It is 4096 [99]."], "could not be traced"),
        (["  ", "\n"], "empty"),
        ([], "empty"),
    ],
)
def test_a_model_that_fails_loses_no_question(
    library: Library, model: ScriptedModel, pieces: list[str | Exception], warning: str
) -> None:
    happened = events(library, model.say(*pieces))
    answer = happened[-1]
    assert isinstance(answer, Answer)
    assert answer.model == EXTRACTIVE and answer.citations and not answer.declined
    assert len(answer.warnings) == 1 and warning in answer.warnings[0] and "own words" in answer.warnings[0]
    assert model.open == 0


@pytest.mark.parametrize("pieces", [["NOT_", "FOUND"], ["**NOT_FOUND**\n"], ["NOT_FOUND. Sorry, nothing here."]])
def test_a_model_that_finds_nothing_declines(library: Library, model: ScriptedModel, pieces: list[str]) -> None:
    answer = events(library, model.say(*pieces))[-1]
    assert isinstance(answer, Answer)
    assert (answer.declined, answer.reason, len(answer.citations)) == (True, "not_found", 2)  # the nearest places
    assert (answer.model, answer.warnings) == ("scripted", ())
    assert "NOT_FOUND" not in answer.answer and "acme/demo" in answer.answer


def test_a_decline_comes_as_a_token_too(library: Library, model: ScriptedModel) -> None:
    text, answer = told(events(library, model.say("NOT_FOUND")))
    assert text == answer.answer


def test_nothing_found_is_declined_without_asking_the_model(tmp_path: Path, model: ScriptedModel) -> None:
    library = Library.empty(tmp_path)
    library.folder.mkdir()
    (library.folder / "logo.bin").write_bytes(b"\0\1")
    source = open_source(str(library.folder), ref=None, repository="acme/demo", cache=library.stores.cache)
    sync(source, library.stores, library.embedder)
    found, token, answer = events(library, model)
    assert (
        isinstance(found, PassagesFound)
        and found.passages == ()
        and isinstance(token, Token)
        and isinstance(answer, Answer)
    )
    assert (answer.declined, answer.reason, answer.citations, answer.model) == (True, "not_found", (), EXTRACTIVE)
    assert token.text == answer.answer and model.asked == []
    library.close()


def test_the_whole_answer_is_the_last_event(library: Library, model: ScriptedModel) -> None:
    answerer = Answerer(library.retriever, model.say("A block holds sixteen tokens [2]."))
    assert asyncio.run(answerer.answer(QUESTION)).answer == "A block holds sixteen tokens [1]."


def test_a_busy_model_is_told_to_whoever_asks(library: Library, model: ScriptedModel) -> None:
    with pytest.raises(Busy):
        events(library, model.say(Busy()))


def test_a_missing_index_is_told(library: Library, tmp_path: Path) -> None:
    with pytest.raises(IndexMissing, match="nobody/nothing"):
        events(library, None, Question("what?", repository="nobody/nothing"))
    with pytest.raises(IndexMissing, match="repopilot index"):
        events(Library.empty(tmp_path), None)


def test_an_embedder_that_is_down_is_told(library: Library) -> None:
    library.embedder.failure = EmbedderError("down")
    try:
        with pytest.raises(EmbedderError):
            events(library, None)
    finally:
        library.embedder.failure = None


def test_closing_the_stream_stops_the_model(library: Library, model: ScriptedModel) -> None:
    async def leave_early() -> int:
        async with aclosing(
            Answerer(library.retriever, model.say(f"{RETURNS} [1].\n\n", "More ", 60, "[1]")).stream(QUESTION)
        ) as stream:
            async for event in stream:
                if isinstance(event, Token):
                    assert model.open == 1
                    break
        return model.open

    assert asyncio.run(leave_early()) == 0


def test_cancelling_a_question_stops_the_model(library: Library, model: ScriptedModel) -> None:
    async def give_up() -> int:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(Answerer(library.retriever, model.say("One ", 60)).answer(QUESTION), 0.5)
        return model.open

    assert asyncio.run(give_up()) == 0
