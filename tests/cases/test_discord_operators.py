"""Each operator of section C accepts a good observation and refuses a bad one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from cases.discord_observation import DiscordObservation
from cases.discord_operators import OPERATORS, route_pattern
from cases.discord_section import OPERATORS as ALL
from cases.examples import Example, example, judged, number_examples, text_examples
from cases.http_observation import ModelCall
from fakes.discord.calls import Call, Hub
from fakes.discord.gateway import Gateway
from fakes.discord.people import Application, Channel, ChannelType, User
from fakes.discord.posts import Interaction, InteractionType, Message, MessageFlags, Pings
from fakes.discord.world import Change, World

ALICE, BOT = User(1, "alice"), User(2, "RepoPilot", bot=True)
WORLD = World(Application(2, "RepoPilot", ALICE, BOT, "token"))
HUB = Hub(WORLD, Gateway(WORLD), "")
CHANNEL = WORLD.channel("general", WORLD.guild("Engine"))
THREAD = Channel(9, ChannelType.PUBLIC_THREAD, "Why", parent=CHANNEL)
POST = f"/channels/{CHANNEL.id}/messages"
BEGIN = f"{POST}/7/threads"
ORIGINAL = "/webhooks/2/tok/messages/@original"
QUIET: Mapping[str, Any] = {"allowed_mentions": {"parse": []}}
REFERENCE: Mapping[str, Any] = {"message_reference": {"message_id": "7"}}
PAGE = "https://github.com/example-org/engine/blob/0123456/a.py#L1"
SOURCES = f"**Sources**\n\n1. [`a.py`](<{PAGE}>)"
ABOUT = "-# Automated answer, read from `main`."
CODE = "```python\na = 1\nb = 2\nc = 3\n```"
BUTTONS = [{"type": 1, "components": [{"type": 2, "label": "Sources", "custom_id": "s"}, {"type": 2, "url": PAGE}]}]


def called(
    content: str | None = "16", path: str = POST, method: str = "POST", at: float = 0.0, status: int = 200, **body: Any
) -> Call:
    said = body | ({"content": content} if content is not None else {})
    made = Call(method, path, {}, {}, said, HUB, at=at, seconds=0.5)
    made.status = status
    return made


def api(*calls: Call, **more: Any) -> DiscordObservation:
    return DiscordObservation(api=calls, **more)


def message(content: str, **fields: Any) -> Message:
    return Message(id=WORLD.new_id(), channel=fields.pop("channel", CHANNEL), author=BOT, content=content, **fields)


def shows(*contents: str, **fields: Any) -> DiscordObservation:
    said = fields.pop("said", "")
    return DiscordObservation(messages=[message(content, **fields) for content in contents], said=said)


def changed(deed: Any, count: int) -> Sequence[Change]:
    return [Change(deed, CHANNEL, message("x")) for _ in range(count)]


def sent(*calls: Call, texts: Sequence[str] = (), said: str = "") -> DiscordObservation:
    return DiscordObservation(api=calls, messages=[message(text) for text in texts], said=said)


def answered(seconds: float = 1.0, kind: int = 5, original: Message | None = None, *calls: Call) -> DiscordObservation:
    made = Interaction(
        id=3, type=InteractionType.APPLICATION_COMMAND, token="tok", user=ALICE, channel=CHANNEL, data={}, at=0.0
    )
    made.answered_at, made.response, made.original = seconds, kind, original
    return DiscordObservation(interactions=[made], api=calls)


def ended(code: int | None, log: str = "") -> DiscordObservation:
    return DiscordObservation(exit_code=code, log=log)


NAMING = "exits non-zero with a sentence naming MESSAGE_CONTENT"
EXAMPLES: list[Example[DiscordObservation]] = [
    *number_examples("sends", lambda n: DiscordObservation(sent=changed("sent", n))),
    *number_examples("answers", lambda n: shows(*[f"16\n\n{ABOUT}"] * n)),
    *number_examples("edits", lambda n: DiscordObservation(later_edits=changed("edited", n))),
    *number_examples("deletes", lambda n: DiscordObservation(deleted=changed("deleted", n))),
    *number_examples("reactions", lambda n: DiscordObservation(reacted=changed("reacted", n))),
    *number_examples("threads", lambda n: api(*[called(path=BEGIN, status=201, name="x")] * n)),
    *number_examples("reconnects", lambda n: DiscordObservation(connections=n + 1)),
    *text_examples("reply", shows),
    *text_examples("send", shows),
    *text_examples("prompt", lambda text: DiscordObservation(calls=[ModelCall("first"), ModelCall(text)])),
    *text_examples("question", lambda text: DiscordObservation(questions=[text])),
    example("question", DiscordObservation(questions=["a?"]), DiscordObservation(questions=["b?"]), value="a?"),
    example("process", ended(None), ended(1), value="running"),
    example("process", ended(1, "Switch on the Message Content intent."), ended(1, "No."), value=NAMING),
    example("process", ended(1, "MESSAGE_CONTENT is off"), ended(0, "MESSAGE_CONTENT is off"), value=NAMING),
    example(
        "process",
        ended(1, "message content is off"),
        ended(1, "Traceback (most recent call last):\nmessage content is off"),
        value=NAMING,
    ),
    example("every_send", api(called(**QUIET)), api(called()), allowed_mentions_parse=[]),
    example(
        "every_send",
        api(called(**QUIET)),
        api(called(allowed_mentions={"parse": [], "replied_user": True})),
        allowed_mentions_parse=[],
    ),
    example(
        "every_send",
        api(called(**QUIET)),
        api(called(**QUIET), called(path=f"{POST}/8", method="PATCH")),
        allowed_mentions_parse=[],
    ),
    example("every_send", api(called("x" * 5)), api(called("x" * 6)), max_codepoints=5),
    example("every_send", api(called("🦀🦀")), api(called("🦀🦀🦀")), max_utf16=5),
    example(
        "every_send", sent(called(), texts=["```\nx\n```"]), sent(called(), texts=["```\nx"]), fences_balanced=True
    ),
    example("every_send", api(called()), api(), max_codepoints=5),
    example("only_first_send_is_reply", api(called(**REFERENCE), called()), api(called(), called(**REFERENCE))),
    example("only_first_send_is_reply", api(called(**REFERENCE)), api(called(**REFERENCE), called(**REFERENCE))),
    example(
        "sends_in_order",
        sent(called(at=1), called(at=2), texts=["a", ABOUT]),
        sent(called(at=1), called(at=1.2), texts=["a", ABOUT]),
    ),
    example("sends_in_order", sent(called(), texts=["a", ABOUT]), sent(called(), texts=[ABOUT, "a"])),
    example(
        "sends_in_order",
        sent(called(), texts=["```\na = 1\n```", f"```\nc = 3\n```\n{ABOUT}"], said=CODE),
        sent(called(), texts=["```\nc = 3\n```", f"```\na = 1\n```\n{ABOUT}"], said=CODE),
    ),
    example("all_chunks_delivered", shows(CODE, ABOUT, said=CODE), shows(ABOUT, said=CODE)),
    example("all_chunks_delivered", shows(CODE, ABOUT, said=CODE), shows(CODE, said=CODE)),
    example("each_chunk_once", shows(CODE, ABOUT, said=CODE), shows(CODE, CODE, ABOUT, said=CODE)),
    example("each_chunk_once", shows(ABOUT), shows(ABOUT, ABOUT)),
    example("max_failed_sends", api(called(status=400), called()), api(called(status=400), called(status=0)), n=1),
    example(
        "gap_between_calls_s",
        api(called(at=0), called(at=0.6, status=429), called(at=3)),
        api(called(at=0), called(at=0.6, status=429), called(at=1.5)),
        min=1.5,
    ),
    example("gap_between_calls_s", api(called(at=0), called(at=2)), api(called(at=0), called(at=99)), min=1, max=9),
    example("gap_between_calls_s", api(called(at=0), called(at=2)), api(called()), min=0),
    example("calls_between", api(called(path=POST)), api(), route="POST /channels/{ch}/messages", min=1, max=2),
    example("no_call", api(called()), api(called(path=BEGIN)), route="/threads"),
    example("no_call", api(called(method="GET")), api(called()), route="POST /channels/{ch}/messages"),
    example("thread_name_len", api(called(path=BEGIN, name="x")), api(called(path=BEGIN, name=" ")), min=1, max=100),
    example("thread_name_len", api(called(path=BEGIN, name="x")), api(), min=1),
    example(
        "thread_name_no_markup",
        api(called(path=BEGIN, name="why")),
        api(called(path=BEGIN, name="<@2> why")),
        patterns=["<@", "\n"],
    ),
    example("interaction_ack_s_max", answered(2), answered(4), n=3),
    example("interaction_ack_s_max", answered(2), answered(2, 4), n=3, type=5),
    example("interaction_ack_s_max", answered(2), DiscordObservation(), n=3),
    example(
        "then_edit_original",
        answered(1, 5, message("16"), called(path=ORIGINAL, method="PATCH")),
        answered(1, 5, message(""), called(path=ORIGINAL, method="PATCH")),
    ),
    example(
        "then_edit_original",
        answered(1, 5, message("16"), called(path=ORIGINAL, method="PATCH")),
        answered(1, 5, message("16"), called(path="/webhooks/2/tok")),
    ),
    example(
        "ephemeral", answered(1, 4, message("16", flags=int(MessageFlags.EPHEMERAL))), answered(1, 4, message("16"))
    ),
    example("help_text", shows("Mention @RepoPilot, or use `/ask`."), shows("Hello.")),
    example("help_text", shows("Use `/ask`."), shows(f"Use `/ask`.\n\n{SOURCES}")),
    example("no_embed_previews", shows(f"see <{PAGE}>"), shows(f"see {PAGE}"), how="flags or <url>"),
    example("no_embed_previews", shows(f"see {PAGE}", flags=4), shows(f"see {PAGE}")),
    example("citation_footer_in_one_message", shows("16", SOURCES), shows(SOURCES, SOURCES)),
    example("citation_footer_in_one_message", shows(f"[[1]](<{PAGE}>)", SOURCES), shows(f"[[1]](<{PAGE}0>)", SOURCES)),
    example("citation_footer_in_one_message", shows("16", SOURCES), shows("16")),
    example("buttons", shows("16", components=BUTTONS), shows("16"), values=["Sources"]),
    example("link_buttons_min", shows("16", components=BUTTONS), shows("16"), n=1),
    example("in_thread", shows("16", channel=THREAD), shows("16")),
    example("no_ping", shows("16"), shows("@everyone", pings=Pings(everyone=True))),
    example("one_of", shows("16"), shows("8"), value=[{"reply_contains": "16"}]),
]


@pytest.mark.parametrize("tried", EXAMPLES, ids=str)
def test_an_operator_accepts_the_good_and_refuses_the_bad(tried: Example[DiscordObservation]) -> None:
    good, bad = judged(OPERATORS, tried)
    assert good is None
    assert bad and not bad.startswith("cannot be read")


def test_every_operator_has_an_example() -> None:
    assert {tried.op for tried in EXAMPLES} == OPERATORS.names


@pytest.mark.parametrize(
    "check",
    [{"op": "process", "value": "sings"}, {"op": "sing"}, {"op": "every_send", "sung": 1}, {"op": "no_ping", "n": 1}],
)
def test_words_it_does_not_know_fail(check: dict[str, Any]) -> None:
    assert str(ALL.difference(sent(called(), texts=["16"]), check)).startswith("unknown")


def test_what_section_d_asks_of_an_answer_is_asked_of_the_messages() -> None:
    check = {"op": "no_live_mention"}
    assert ALL.difference(shows("`<@7>` asks"), check) is None and ALL.difference(shows("<@7> asks"), check)
    longest = {"op": "max_len_codepoints", "n": 3}
    assert ALL.difference(shows("abc"), longest) is None and ALL.difference(shows("abcd"), longest)


def test_a_route_is_read() -> None:
    assert route_pattern("POST /channels/{ch}/typing").search("POST /channels/1/typing")
    assert not route_pattern("POST /channels/{ch}/messages").search("POST /channels/1/messages/2/threads")
    assert route_pattern("/threads").search("POST /channels/1/messages/2/threads")
