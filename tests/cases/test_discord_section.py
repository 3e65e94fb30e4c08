"""What a case of section C lets happen, and the driver against a stand-in that behaves and ones that do not."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from cases.case import Case, cases_of
from cases.discord_bench import settings
from cases.discord_index import SAID, files
from cases.discord_section import DiscordSection, said
from cases.discord_steps import SENDING, refusal, scripts, steps
from cases.program import CannotRunError
from cases.report import Result
from fakes.discord.server import TOKEN, DiscordServer

HERE = Path(__file__).parent
CREATED: dict[str, Any] = {"t": "MESSAGE_CREATE", "d": {"id": "1", "edited_timestamp": None}}
EDITED: dict[str, Any] = {"t": "MESSAGE_UPDATE", "d": {"id": "1", "edited_timestamp": "2026-02-01T10:00:00+00:00"}}
PREVIEWED: dict[str, Any] = {"t": "MESSAGE_UPDATE", "d": {"id": "1", "edited_timestamp": None}}
DELETED: dict[str, Any] = {"t": "MESSAGE_DELETE", "d": {"id": "1"}}


def test_what_people_do_to_an_answer_waits_for_it() -> None:
    found = steps({"events": [CREATED, CREATED | {"repeat": 2}, PREVIEWED, EDITED, DELETED]})
    assert [step.settled for step in found] == [False, False, False, False, True, True]


def test_what_happens_while_a_slow_model_thinks_does_not() -> None:
    assert not any(step.settled for step in steps({"events": [CREATED, EDITED], "llm": {"delay_s": 9}}))
    assert not any(step.settled for step in steps({"events": [CREATED, EDITED | {"delay_s": 1}]}))


@pytest.mark.parametrize("event", [{"action": "sing"}, CREATED | {"tune": 1}, {"action": "restart", "code": 1}])
def test_what_nobody_would_play(event: dict[str, Any]) -> None:
    with pytest.raises(CannotRunError, match="unknown"):
        steps({"events": [event]})


@pytest.mark.parametrize(("code", "refused"), [(4014, True), (4004, True), (4000, False), (1001, False)])
def test_some_codes_are_answers_to_a_client_that_wants_in(code: int, refused: bool) -> None:
    found = refusal(steps({"events": [{"action": "gateway_close", "code": code}]}))
    assert (found is not None) is refused and (found is None or found[0] == code)


@pytest.mark.parametrize(
    ("given", "played"),
    [
        (None, {}),
        ({"sequence": [502]}, {SENDING: {"sequence": [502]}}),
        ({"status": 403, "json": {}}, {SENDING: {"status": 403, "json": {}}}),
        ({"route": "POST /x", "status": 400}, {"POST /x": {"status": 400}}),
        ({"POST /x": 400, "GET /y": "ok"}, {"POST /x": 400, "GET /y": "ok"}),
        (
            [{"route": "POST /x", "status": 400}, {"status": 500}],
            {"POST /x": {"status": 400}, SENDING: {"status": 500}},
        ),
        ("http_502", {SENDING: "http_502"}),
    ],
)
def test_scripts_by_route(given: Any, played: dict[str, Any]) -> None:
    assert scripts(given) == played


def test_settings_are_written_as_the_environment_has_them() -> None:
    config = {"threads": True, "channels": ["1", "2"], "per_user_per_minute": 3, "llm_timeout_s": 5, "url": None}
    assert settings(config, DiscordServer()) == {
        "REPOPILOT_DISCORD_TOKEN": TOKEN,
        "REPOPILOT_DISCORD_THREADS": "true",
        "REPOPILOT_DISCORD_CHANNELS": "1,2",
        "REPOPILOT_PER_USER_PER_MINUTE": "3",
        "REPOPILOT_LLM_TIMEOUT_S": "5",
    }


def test_what_the_model_says_is_written_in_the_repository() -> None:
    told = said({"sequence": [{"answer": "One [1]."}, "ok", {"status": 500}, {"answer": "Two [2]."}]})
    assert files(told)[SAID].endswith("One.\n\nTwo.\n") and SAID not in files("")


# The stand-in plays.

OWN = {case.id: case for case in cases_of(HERE / "own", sections="C")}
CODE = "```python\n" + "x = compute(1)\n" * 180 + "```\nDone [1]."
QUIET = {"op": "every_send", "allowed_mentions_parse": [], "fences_balanced": True}
LONG = [QUIET, {"op": "all_chunks_delivered"}, {"op": "only_first_send_is_reply"}, {"op": "sends_in_order"}]
IN_TIME = [{"op": "interaction_ack_s_max", "n": 3, "type": 5}, {"op": "then_edit_original"}]


def long_answer(flaw: str) -> Case:
    """The same question twice, and an answer that takes three messages."""
    given = OWN["C-906"].given
    events = [given["events"][0], given["events"][0]]
    told = {"bot": given["bot"], "events": events, "llm": {"answer": CODE}, "config": {"flaw": flaw}}
    return Case(f"C-{flaw}", "", told, {"sends": 3, "answers": 1, "llm_calls": 1, "checks": LONG})


def command(flaw: str) -> Case:
    event = {"action": "command", "name": "ask", "options": {"question": "why?"}}
    return Case(f"C-{flaw}-ask", "", {"events": [event], "config": {"flaw": flaw}}, {"checks": IN_TIME})


PLAYED = {
    "C-none": "",
    "C-none-ask": "",
    "C-pings": "every_send: allowed_mentions is",
    "C-twice": "answers: expected 1 got 2",
    "C-open": "is not closed",
    "C-late-ask": "interaction_ack_s_max: expected 'at most 3 s' got None",
    "C-902": "",
    "C-906": "",
    "C-907": "",
    "C-911": "",
    "C-915": "there is no button 'Sources'",
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """All of them at once, since most of the time is spent waiting."""
    made = [long_answer(flaw) for flaw in ("none", "pings", "twice", "open")] + [command("none"), command("late")]
    chosen = made + [OWN[name] for name in PLAYED if name in OWN]
    section = DiscordSection([sys.executable, str(HERE / "discord_stand_in.py")], tmp_path_factory.mktemp("cases"))
    return {result.id: result for job in section.jobs(chosen) for result in section.run(job)}


@pytest.mark.parametrize(("name", "words"), PLAYED.items())
def test_good_behaviour_passes_and_bad_behaviour_is_seen(results: dict[str, Result], name: str, words: str) -> None:
    differences = " ".join(map(str, results[name].differences))
    assert words in differences and bool(words) is bool(differences)
