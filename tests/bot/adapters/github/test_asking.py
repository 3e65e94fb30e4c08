"""A thread becomes a question, and what was said before becomes its conversation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.github.asking import LONGEST_QUESTION, LONGEST_THREAD, asked, own_answer
from bot.adapters.github.types import Hunk, Message, Thread
from bot.rendering.github import comment
from bot.types import Question, Turn
from bot.versions import asked_version
from fakes.answers import answer
from fakes.markdown import LIVE, PIECES

US = "RepoPilot"
FORM = (Path(__file__).parent / "samples" / "form.md").read_text(encoding="utf-8")
ISSUE = Thread("example-org/engine", "[Bug]: the queue stops", Message("ada", "It stops after an hour."))
texts = st.lists(st.sampled_from([*PIECES, *LIVE, "@RepoPilot", "@RepoPilot why? "]), max_size=12).map("".join)


def commented(*messages: Message, thread: Thread = ISSUE) -> Question:
    found = asked(replace(thread, messages=messages), US)
    assert found is not None
    return found


def test_a_comment_asks_with_the_issue_as_its_conversation() -> None:
    found = commented(Message("bo", "same here"), Message("cleo", "@RepoPilot and with two workers?"))
    opening = Turn("user", "the queue stops\n\nIt stops after an hour.", "ada")
    assert found == Question(
        "and with two workers?", (opening, Turn("user", "same here", "bo")), repository="example-org/engine"
    )


def test_who_does_not_mention_us_asks_nothing() -> None:
    assert asked(ISSUE, US) is None
    assert asked(replace(ISSUE, messages=(Message("bo", "@RepoPilot why?"), Message("bo", "thanks"))), US) is None
    assert asked(replace(ISSUE, title="@RepoPilot why?", messages=(Message("bo", "yes"),)), US) is None
    assert asked(replace(ISSUE, messages=(Message("", "@RepoPilot why?", own=True),)), US) is None


def test_a_mention_alone_asks_the_issue() -> None:
    found = commented(Message("bo", "same here"), Message("cleo", "@RepoPilot please"))
    assert found.text == "the queue stops\n\nIt stops after an hour."
    assert found.history == (Turn("user", "same here", "bo"),)
    bodyless = replace(ISSUE, opening=Message("ada", ""))
    assert commented(Message("cleo", "@RepoPilot"), thread=bodyless).text == "the queue stops"


def test_a_mention_below_a_quotation_asks_what_is_quoted() -> None:
    found = commented(Message("cleo", "> does it stop with two workers?\n\n@RepoPilot"))
    assert found.text == "does it stop with two workers?"


def test_what_the_asker_quotes_is_the_end_of_the_conversation() -> None:
    found = commented(Message("cleo", "> after an hour\n\n@RepoPilot why then?"))
    assert found.text == "why then?"
    assert found.history[-1] == Turn("user", "> after an hour")


def test_an_issue_asks_in_its_title_or_text() -> None:
    titled = asked(replace(ISSUE, title="@RepoPilot why does it stop?"), US)
    assert titled and titled.text == "why does it stop?\n\nIt stops after an hour." and not titled.history
    in_text = asked(replace(ISSUE, opening=Message("ada", "It stops.\n\n@RepoPilot why?")), US)
    assert in_text and in_text.text == "the queue stops\n\nIt stops.\n\nwhy?"
    quoting = asked(replace(ISSUE, title="@RepoPilot why?", opening=Message("ada", "> It stops.")), US)
    assert quoting and quoting.text == "why?\n\n> It stops." and not quoting.history


def test_an_issue_may_be_answered_unasked() -> None:
    found = asked(ISSUE, US, unasked=True)
    assert found and found.text == "the queue stops\n\nIt stops after an hour." and not found.history


def test_the_release_in_the_issue_is_found_from_a_comment() -> None:
    found = commented(Message("cleo", "@RepoPilot why?"), thread=replace(ISSUE, opening=Message("ada", FORM)))
    said = [turn.content for turn in found.history]
    assert [str(asked_version(text, "example-org/engine", ["v0.8.5", "v0.9.0"])) for text in said] == ["0.8.5"]
    assert len(found.history[0].content) < len(FORM) / 2


def test_our_answers_are_said_without_what_stands_below_them() -> None:
    shown = comment(answer("It is **16** [1], or 32 [2].\n\n- see", 2, warnings=("The model is down.",)))
    assert own_answer(shown) == "It is **16** [1], or 32 [2].\n\n- see"
    declined = comment(answer("I could not find it.", 1, declined=True))
    assert own_answer(declined) == "I could not find it."
    found = commented(Message("", shown, own=True), Message("cleo", "@RepoPilot why 32?"))
    assert found.history[-1] == Turn("assistant", "It is **16** [1], or 32 [2].\n\n- see")


def test_a_review_comment_is_about_lines() -> None:
    diff = "@@ -1,3 +1,3 @@ class Pool:\n-    page_size = 16\n+    page_size = choose_page_size()\n     x = 1"
    thread = replace(ISSUE, labels=("memory",), hunk=Hunk("engine/pool.py", 10, 12, diff, "c0ffee"))
    found = commented(Message("cleo", "@RepoPilot why not 16?"), thread=thread)
    assert found.text == "why not 16?\n\nAbout `engine/pool.py` lines 10-12."
    opening = found.history[0].content
    assert opening.startswith(
        "the queue stops\n\nLabels: memory\n\n`engine/pool.py` lines 10-12: `page_size`, `choose_page_size`\n\nIt stops"
    )
    assert opening.endswith(f"```diff\n{diff}\n```")


def test_long_quotations_of_others_are_cut() -> None:
    quoted = "\n".join(f"> line {n} of what was said" for n in range(100))
    found = commented(Message("bo", f"{quoted}\n\nI agree."), Message("cleo", "@RepoPilot why?"))
    assert len(found.history[1].content) < 500 and found.history[1].content.endswith("I agree.")


def test_long_threads_keep_their_beginning_and_end() -> None:
    long = replace(ISSUE, opening=Message("ada", "It stops. " * 2_000))
    messages = [Message("bo", f"{n}. " + "It goes on. " * 60) for n in range(100)]
    found = commented(*messages, Message("cleo", "@RepoPilot why? " + "x " * 9_000), thread=long)
    assert found.history[0].content.startswith("the queue stops\n\nIt stops.")
    assert found.history[-1].content.startswith("99. ") and found.history[1].content.startswith("9")
    assert sum(len(turn.content) for turn in found.history) <= LONGEST_THREAD
    assert len(found.text) <= LONGEST_QUESTION and found.text.startswith("why?")


@given(texts, texts, texts, texts)
def test_any_thread_can_be_read(title: str, body: str, before: str, last: str) -> None:
    thread = Thread("example-org/engine", title, Message("ada", body), hunk=Hunk("a.py", None, None, before, ""))
    for messages in ((), (Message("", before, own=True), Message("bo", before), Message("cleo", last))):
        found = asked(replace(thread, messages=messages), US)
        assert found is None or len(found.text) <= LONGEST_QUESTION
        assert found is None or sum(len(turn.content) for turn in found.history) <= LONGEST_THREAD
