"""Conversations become questions, and models' names versions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from bot.adapters.http.openai.conversation import models, question_of, version_of
from bot.adapters.http.openai.wire import ChatRequest
from bot.adapters.http.wire import LONGEST_HISTORY, LONGEST_QUESTION, LONGEST_TURN, clean
from bot.rendering.appendix import appendix
from bot.types import Question, Turn
from fakes import answers
from fakes.found import found


def asked(*messages: tuple[str, Any]) -> Question:
    said = [{"role": role, "content": content} for role, content in messages]
    return question_of(ChatRequest.model_validate({"model": "repopilot", "messages": said}).messages, (None, None))


def test_the_last_message_of_the_user_is_the_question() -> None:
    question = asked(("user", "What is a hull?"), ("assistant", "A body."), ("user", " And a keel? "))
    assert question == Question("And a keel?", (Turn("user", "What is a hull?"), Turn("assistant", "A body.")))


def test_what_others_say_is_left_out() -> None:
    question = asked(
        ("system", "Answer in verse."),
        ("developer", [{"type": "text", "text": "Be brief."}]),
        ("user", "One?"),
        ("assistant", None),
        ("tool", {"anything": 1}),
        ("user", "Two?"),
        ("assistant", "A beginning that a program would have continued"),
    )
    assert question == Question("Two?", (Turn("user", "One?"),))


def test_parts_of_text_are_joined() -> None:
    parts = [{"type": "text", "text": "What is"}, {"type": "text", "text": "a hull?"}]
    assert asked(("user", parts)) == Question("What is\na hull?")


def test_our_own_sources_do_not_come_back_as_history() -> None:
    answer = answers.answer("A hull floats [1].", 1)
    question = asked(("user", "a"), ("assistant", answer.answer + appendix(answer)), ("user", "b"))
    assert question.history[-1] == Turn("assistant", "A hull floats [1].")


def test_a_long_history_keeps_its_newest_turns() -> None:
    turns = [("user" if at % 2 else "assistant", str(at)) for at in range(80)]
    question = asked(*turns, ("user", "last"))
    assert [turn.content for turn in question.history] == [str(at) for at in range(30, 80)]
    assert len(question.history) == LONGEST_HISTORY


def test_long_texts_keep_their_beginning_and_their_end() -> None:
    question = asked(("user", "a" * 40_000 + "z"), ("user", "b" * 9_000 + "?"))
    assert (len(question.text), question.text[0], question.text[-1]) == (LONGEST_QUESTION, "b", "?")
    turn = question.history[0].content
    assert (len(turn), turn[0], turn[-1]) == (LONGEST_TURN, "a", "z")


@pytest.mark.parametrize("messages", [[("system", "x")], [("user", "")], [("user", " \n")], [("assistant", "x")]])
def test_without_words_of_the_user_there_is_no_question(messages: Any) -> None:
    with pytest.raises(ValidationError, match="no message of the user has text"):
        asked(*messages)


@pytest.mark.parametrize(
    "model, version",
    [
        ("repopilot", (None, None)),
        ("repopilot/acme/demo", ("acme/demo", None)),
        ("repopilot/acme/demo@v1.2", ("acme/demo", "v1.2")),
        ("repopilot/acme/demo@feature/a@b", ("acme/demo", "feature/a@b")),
        ("repopilot/", None),
        ("gpt-4o", None),
        ("", None),
    ],
)
def test_a_model_s_name_is_a_version(model: str, version: Any) -> None:
    assert version_of(model) == version


def test_every_model_leads_back_to_its_version() -> None:
    snapshot = found().snapshot
    default, named = models([snapshot])
    assert version_of(default.id) == (None, None)
    assert version_of(named.id) == (snapshot.origin.repository, snapshot.origin.ref)
    assert default.created == named.created > 0
    assert [model.created for model in models([])] == [0]


Text = st.text(st.characters(codec="utf-8"), max_size=40)


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "system"]), Text), min_size=1, max_size=60))
def test_whatever_is_said_the_question_is_the_user_s_and_fits(messages: list[tuple[str, str]]) -> None:
    said = [words for role, text in messages if role == "user" and (words := str(clean(text)).strip())]
    if said:
        question = asked(*messages)
        assert question.text == said[-1] and len(question.history) <= LONGEST_HISTORY
    else:
        with pytest.raises(ValidationError):
            asked(*messages)
