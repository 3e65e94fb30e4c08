"""The life of an answer, at a loopback Discord."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.adapters.discord.failures import MOST_TRIES
from bot.adapters.discord.limits import SLOW_DOWN, Limits
from bot.adapters.discord.work import FAILED, HELP, MISSING, WAITING
from bot.insisting import ANSWER_WAITS_S
from bot.model import Busy
from bot.rendering.discord import FEEDBACK
from fakes.answers import answer
from fakes.discord.people import Channel, Permission
from fakes.discord.posts import Message, MessageFlags
from fakes.discord.server import DiscordServer
from fakes.discord_desk import Desk, shown
from fakes.steps import RememberedSteps
from indexer.errors import IndexMissing, StorageError

MESSAGES = "POST /channels/*/messages"
LONG = "\n\n".join(f"Paragraph {at}: " + "blocks hold tokens " * 40 + "[1]." for at in range(6))
ASK = "what is the block size?"

Write = Callable[[DiscordServer], Message]


def in_channel(discord: DiscordServer) -> Message:
    return discord.people.ask(ASK)


def to_our_role(discord: DiscordServer) -> Message:
    return discord.people.say(f"<@&{discord.world.managed_role(discord.guild).id}> {ASK}")


def in_a_thread(discord: DiscordServer) -> Message:
    thread = discord.people.open_thread(discord.people.say("It is slow."), "Slow startup")
    return discord.people.ask(ASK, channel=thread)


def in_a_forum(discord: DiscordServer) -> Message:
    return discord.people.post(discord.forum, "Slow startup", f"<@{discord.world.bot.id}> {ASK}")


def directly(discord: DiscordServer) -> Message:
    return discord.people.tell_directly(ASK)


PLACES: dict[str, Write] = {
    "a channel": in_channel,
    "to our role": to_our_role,
    "a thread": in_a_thread,
    "a forum": in_a_forum,
    "directly": directly,
}


@pytest.mark.parametrize("write", PLACES.values(), ids=PLACES)
def test_a_question_gets_one_reply(discord: DiscordServer, desk: Desk, write: Write) -> None:
    asked: list[Message] = []
    desk.ask(lambda: asked.append(write(discord)))
    (sent,) = discord.sends
    message = sent.message
    assert message and "Blocks hold 16 tokens" in message.content and FEEDBACK in message.content
    assert (message.channel, message.reference) == (asked[0].channel, asked[0].id)
    assert message.body["allowed_mentions"] == {"parse": []} and message.flags & MessageFlags.SUPPRESS_EMBEDS
    assert message.body["message_reference"]["fail_if_not_exists"] is False
    assert [button.get("label") or button["emoji"]["name"] for button in message.buttons] == [
        "👍",
        "👎",
        "Sources",
        "[1] part1.py:1",
    ]
    found = desk.subject()
    assert (found.state, found.answer_id) == ("settled", "answer1")
    assert ASK in desk.asked[0].text


@pytest.mark.parametrize("threads", [False, True])
@pytest.mark.parametrize("says", [answer("It is 16 [1].", 1), answer(LONG, 2)], ids=["short", "long"])
def test_crashed_at_any_step_there_is_one_answer(
    discord: DiscordServer, make_desk: Callable[..., Desk], threads: bool, says: object
) -> None:
    """The crash comes when a step has had its effect and before that is known."""
    desk = make_desk(threads=threads, streaming=True)
    desk.says = [says]  # type: ignore[list-item]
    steps = desk.ask()
    whole = [one.content for one in discord.sends]
    threaded = len(discord.world.done("threaded"))
    for crash_at in range(1, len(steps.names) + 1):
        known = len(discord.sends)
        key = desk.hears(lambda: discord.people.ask(ASK))
        crashing = RememberedSteps()
        crashing.crash_at = crash_at
        desk.do(key, crashing)
        assert crashing.crash_at is None
        assert [one.content for one in discord.sends[known:]] == whole, crashing.names[crash_at - 1]
        assert desk.subject(key).state == "settled"
    assert len(discord.world.done("threaded")) == threaded * (len(steps.names) + 1)


def test_many_messages_of_which_the_first_replies_and_the_last_has_buttons(discord: DiscordServer, desk: Desk) -> None:
    desk.says = [answer(LONG, 2)]
    desk.ask()
    sent = [change.message for change in discord.sends if change.message]
    assert len(sent) >= 3
    assert [bool(message.reference) for message in sent] == [True, *[False] * (len(sent) - 1)]
    assert [bool(message.buttons) for message in sent] == [*[False] * (len(sent) - 1), True]
    assert len({message.nonce for message in sent}) == len(sent)
    assert all(len(message.content) <= 2_000 for message in sent)


def test_a_message_that_cannot_be_sent_is_told_of_once(discord: DiscordServer, desk: Desk) -> None:
    desk.says = [answer(LONG, 2)]
    refusal = {"status": 400, "json": {"code": 50035, "message": "Invalid Form Body"}}
    discord.play({MESSAGES: {"sequence": ["ok", refusal]}})
    desk.ask()
    said = [change.content for change in discord.sends]
    assert said.count(MISSING) == 1 and said[1] == MISSING and "Paragraph 0" in said[0] and "**Sources**" in said[-1]
    assert desk.subject().state == "settled"


def test_when_nothing_can_be_sent_it_is_set_aside(discord: DiscordServer, desk: Desk) -> None:
    discord.channel.denied |= Permission.SEND_MESSAGES
    desk.ask()
    found = desk.subject()
    assert discord.sends == [] and found.state == "set_aside" and found.reason and "403" in found.reason
    discord.channel.denied = 0
    desk.ledger.reopen(found.key)
    desk.do(found.key)
    assert len(discord.sends) == 1 and desk.subject().state == "settled"


@pytest.mark.parametrize("fault", ["cut_before", "cut_after", "http_502", "html"])
def test_what_passes_is_tried_again(discord: DiscordServer, desk: Desk, fault: str) -> None:
    """discord.py tries some of it again itself; with one nonce there is one message all the same."""
    discord.play({MESSAGES: {"sequence": [fault]}})
    desk.ask()
    assert len(discord.sends) == 1 and desk.subject().state == "settled" and len(desk.asked) == 1


def test_a_limit_is_waited_for(discord: DiscordServer, desk: Desk) -> None:
    limited = {
        "status": 429,
        "headers": {"Retry-After": "1", "X-RateLimit-Scope": "user"},
        "json": {"message": "You are being rate limited.", "retry_after": 0.3, "global": False},
    }
    discord.play({MESSAGES: {"sequence": [limited, limited]}})
    desk.ask()
    assert len(discord.sends) == 1 and discord.limits.ignored == 0


def test_an_outage_is_waited_for_and_then_set_aside(discord: DiscordServer, desk: Desk) -> None:
    discord.play({MESSAGES: {"status": 400, "json": {"code": 40058, "message": "Cannot message this thread"}}})
    steps = desk.ask()
    assert steps.waits == [2.0 * 2**at for at in range(MOST_TRIES - 1)]
    assert desk.subject().state == "set_aside"


def test_a_model_without_room_is_waited_for(discord: DiscordServer, desk: Desk) -> None:
    desk.says = [Busy(5), Busy(7), "It is 16 [1]."]
    assert desk.ask().waits == [5, 7]
    (sent,) = discord.sends
    assert sent.content == WAITING  # said once, in the message that becomes the answer
    assert sent.message and "It is 16" in sent.message.content


def test_an_answer_that_cannot_be_made_says_so_until_it_can(discord: DiscordServer, desk: Desk) -> None:
    desk.says = [StorageError("the disk is full")]
    assert desk.ask().waits == list(ANSWER_WAITS_S)
    (sent,) = discord.sends
    assert sent.content == FAILED
    found = desk.subject()
    assert found.state == "set_aside" and found.reason == "the disk is full"
    desk.says = ["It is 16 [1]."]
    desk.ledger.reopen(found.key)
    desk.do(found.key)
    assert sent.message and "It is 16" in sent.message.content and len(discord.sends) == 1


def test_without_an_index_nobody_waits(discord: DiscordServer, desk: Desk) -> None:
    desk.says = [IndexMissing("not indexed")]
    assert desk.ask().waits == [] and [one.content for one in discord.sends] == [FAILED]


def test_a_mention_alone_gets_help(discord: DiscordServer, desk: Desk) -> None:
    desk.ask("")
    assert [one.content for one in discord.sends] == [HELP] and desk.asked == []


# Whom we do not answer.


def test_what_is_not_for_us(discord: DiscordServer, desk: Desk) -> None:
    people, us = discord.people, discord.world.bot.id
    robot = discord.world.user("robot", bot=True)
    other = discord.world.role(discord.guild, "helpers")
    discord.world.join(discord.guild, discord.world.bot, other)
    for write in (
        lambda: people.say("@everyone why?"),
        lambda: people.say(f"<@&{other.id}> why?"),
        lambda: people.say(f"`<@{us}> why?`", mentions=[]),
        lambda: people.ask("why?", robot.username),
        lambda: people.ask("why?", webhook_id=5),
        lambda: people.say("why?"),
    ):
        desk.ignores(write)
    assert discord.sends == []


def test_places_and_people_that_are_not_answered(discord: DiscordServer, make_desk: Callable[..., Desk]) -> None:
    mallory = discord.people.person("mallory", discord.guild)
    closed = discord.world.channel("closed", discord.guild)
    desk = make_desk(denied=frozenset({mallory.id, closed.id}), direct=False)
    desk.ignores(lambda: discord.people.ask(ASK, "mallory"))
    desk.ignores(lambda: discord.people.ask(ASK, channel=closed))
    desk.ignores(lambda: discord.people.tell_directly(ASK))


def test_only_who_has_the_role_may_ask(discord: DiscordServer, make_desk: Callable[..., Desk]) -> None:
    role = discord.world.role(discord.guild, "members")
    discord.world.join(discord.guild, discord.people.person("ada"), role)
    desk = make_desk()
    desk.configure(role=role)
    desk.jobs.added.clear()
    discord.people.ask(ASK, "bob")
    desk.ask(lambda: discord.people.ask(ASK, "ada"))
    assert len(desk.jobs.added) == 1 and len(desk.asked) == 1


# What was said before.


def test_a_chain_of_replies_is_the_conversation(discord: DiscordServer, desk: Desk) -> None:
    first = discord.people.say("Memory keeps growing.", "bob")
    desk.ask(lambda: discord.people.ask(ASK, reply_to=first))
    ours = discord.sends[0].message
    desk.ask(lambda: discord.people.say("and on ROCm?", "bob", reply_to=ours))
    question = desk.asked[-1]
    assert question.text == "and on ROCm?"
    assert [(turn.role, turn.author) for turn in question.history] == [
        ("user", "Bob"),
        ("user", "Alice"),
        ("assistant", None),
    ]
    assert question.history[0].content == "Memory keeps growing." and ASK in question.history[1].content
    assert question.history[2].content == "Blocks hold 16 tokens [1]."


def test_a_reply_without_its_mention_is_not_for_us(discord: DiscordServer, desk: Desk) -> None:
    desk.ask()
    ours = discord.sends[0].message
    desk.ignores(lambda: discord.people.say("thanks", "bob", reply_to=ours, ping=False))


def test_a_chain_that_cannot_be_read_is_as_the_message_tells(discord: DiscordServer, desk: Desk) -> None:
    first = discord.people.say("Memory keeps growing.", "bob")
    discord.play({"GET /channels/*/messages/*": {"status": 403, "json": {"code": 50001, "message": "Missing Access"}}})
    desk.ask(lambda: discord.people.ask(ASK, reply_to=first))
    assert [turn.content for turn in desk.asked[0].history] == ["Memory keeps growing."]


def test_a_thread_is_the_conversation(discord: DiscordServer, desk: Desk) -> None:
    thread = discord.people.open_thread(discord.people.say("It is slow."), "Slow startup")
    discord.people.say("Only with TP.", "bob", thread)
    desk.ask(lambda: discord.people.ask(ASK, channel=thread))
    assert [turn.content for turn in desk.asked[0].history] == ["Slow startup", "Only with TP."]
    desk.ignores(lambda: discord.people.say("me too", "bob", thread))  # it is not a thread of ours


def test_a_post_is_asked_with_its_title(discord: DiscordServer, desk: Desk) -> None:
    desk.ask(lambda: in_a_forum(discord))
    assert desk.asked[0].text == f"Slow startup\n\n{ASK}" and desk.asked[0].history == ()


# Thread mode.


def thread_of(discord: DiscordServer) -> Channel:
    (made,) = discord.world.done("threaded")
    return made.channel


def test_an_answer_opens_a_thread_and_goes_on_there(discord: DiscordServer, make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(threads=True)
    desk.ask()
    thread = thread_of(discord)
    assert thread.name == ASK and discord.sends[0].channel is thread
    assert discord.sends[0].message and discord.sends[0].message.reference is None
    desk.ask(lambda: discord.people.say("and on ROCm?", "bob", thread))
    assert discord.sends[1].channel is thread and len(discord.world.done("threaded")) == 1
    assert [turn.content for turn in desk.asked[1].history] == [ASK, "Blocks hold 16 tokens [1]."]
    desk.ignores(lambda: discord.people.say(f"<@{discord.world.user('bob').id}> look", "carol", thread))


def test_where_no_thread_can_be_opened_it_is_answered_in_place(
    discord: DiscordServer, make_desk: Callable[..., Desk]
) -> None:
    discord.channel.denied |= Permission.CREATE_PUBLIC_THREADS
    desk = make_desk(threads=True)
    desk.ask()
    assert discord.sends[0].channel is discord.channel


def test_a_thread_that_is_there_already_is_used(discord: DiscordServer, make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(threads=True)
    asked: list[Message] = []
    key = desk.hears(lambda: asked.append(discord.people.ask(ASK)))
    there = discord.people.open_thread(asked[0], "Somebody was faster")
    desk.do(key)
    assert discord.sends[0].channel is there


def test_a_long_question_names_its_thread(discord: DiscordServer, make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(threads=True)
    desk.ask("**why** " + "is it so slow " * 30)
    assert len(thread_of(discord).name) <= 100 and thread_of(discord).name.startswith("why is it")


# Edits and deletions.


def test_an_edited_question_changes_its_answer(discord: DiscordServer, desk: Desk) -> None:
    asked: list[Message] = []
    desk.says = [answer(LONG, 2), "It is 32 [1]."]
    desk.ask(lambda: asked.append(discord.people.ask(ASK)))
    first, *others = [change.message for change in discord.sends if change.message]
    desk.ask(lambda: discord.people.edit(asked[0], f"<@{discord.world.bot.id}> and on ROCm?"))
    assert "It is 32" in first.content and first.buttons and all(other.deleted for other in others)
    assert desk.asked[-1].text == "and on ROCm?" and desk.subject().reply == {
        "channel": discord.channel.id,
        "messages": [first.id],
    }


def test_an_edit_that_asks_us_no_more_takes_the_answer_back(discord: DiscordServer, desk: Desk) -> None:
    asked: list[Message] = []
    desk.ask(lambda: asked.append(discord.people.ask(ASK)))
    desk.ask(lambda: discord.people.edit(asked[0], "Never mind."))
    assert [shown(change.message) for change in discord.sends if change.message] == ["(deleted)"]
    assert desk.subject().state == "settled"


def test_a_mention_that_is_edited_in_is_answered(discord: DiscordServer, desk: Desk) -> None:
    said = discord.people.say("why?")
    desk.ask(lambda: discord.people.edit(said, f"<@{discord.world.bot.id}> why?"))
    assert len(discord.sends) == 1


def test_an_edit_after_the_time_changes_nothing(discord: DiscordServer, desk: Desk) -> None:
    asked: list[Message] = []
    desk.ask(lambda: asked.append(discord.people.ask(ASK)))
    asked[0].created_at -= desk.options.policy.editable_s + 1
    desk.ignores(lambda: discord.people.edit(asked[0], f"<@{discord.world.bot.id}> and on ROCm?"))
    desk.ignores(lambda: discord.people.edit(asked[0], "Never mind."))
    assert discord.sends[0].message and not discord.sends[0].message.deleted


def test_a_deleted_question_takes_its_answer_along(discord: DiscordServer, desk: Desk) -> None:
    asked: list[Message] = []
    desk.says = [answer(LONG, 2)]
    desk.ask(lambda: asked.append(discord.people.ask(ASK)))
    desk.ask(lambda: discord.people.delete(asked[0]))
    assert {shown(change.message) for change in discord.sends if change.message} == {"(deleted)"}


def test_deleted_before_it_is_answered(discord: DiscordServer, desk: Desk) -> None:
    asked: list[Message] = []
    key = desk.hears(lambda: asked.append(discord.people.ask(ASK)))
    desk.hears(lambda: discord.people.delete(asked[0]))
    desk.do(key)
    assert discord.sends == [] and desk.asked == [] and desk.subject(key).state == "settled"


def test_edited_while_it_is_answered(discord: DiscordServer, desk: Desk) -> None:
    asked: list[Message] = []
    key = desk.hears(lambda: asked.append(discord.people.ask(ASK)))

    def edited() -> None:
        desk.meanwhile = lambda: None
        discord.people.edit(asked[0], f"<@{discord.world.bot.id}> and on ROCm?")

    desk.meanwhile = edited
    desk.says = [["It is ", 0.3, "16 [1]."], "It is 32 [1]."]
    desk.do(key)
    assert discord.sends == []  # what was asked then is not asked any more
    assert desk.subject(key).revision == 2
    desk.do(key)
    assert ["It is 32" in change.content for change in discord.sends] == [True]


# While it is written.


def test_it_types_and_its_answer_grows(discord: DiscordServer, make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(streaming=True)
    desk.says = [["Blocks hold ", 1.6, "16 tokens, ", 1.6, "as configured [1]."]]
    desk.ask()
    (sent,) = discord.sends
    assert sent.content.startswith("Blocks hold 16 tokens,") and "still writing" in sent.content
    assert sent.message and "as configured [[1]]" in sent.message.content and sent.message.buttons
    assert len(discord.edits) == 2 and discord.world.done("typed")
    assert desk.subject().reply == {"channel": discord.channel.id, "messages": [sent.message.id]}


def test_a_growing_answer_that_is_refused_comes_whole(discord: DiscordServer, make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(streaming=True)
    desk.says = [["Blocks hold ", 1.6, "16 tokens ", 0.1, "[1]."]]
    discord.play({MESSAGES: {"sequence": [{"status": 400, "json": {"code": 40058, "message": "Too early"}}]}})
    desk.ask()
    assert ["16 tokens [[1]]" in change.content for change in discord.sends] == [True] and discord.edits == []


@pytest.mark.parametrize("threads", [False, True])
def test_what_was_begun_long_ago_is_gone_on_with(
    discord: DiscordServer, make_desk: Callable[..., Desk], threads: bool
) -> None:
    """Discord has forgotten the nonce when the program comes back."""
    desk = make_desk(streaming=True, threads=threads)
    desk.says = [["Blocks hold ", 1.6, "16 ", 0.1, "tokens [1]."], "Blocks hold 16 tokens [1]."]
    earlier = discord.world.new_id() - (600_000 << 22)
    key = desk.hears(lambda: discord.people.ask(ASK, id=earlier))
    discord.people.say("me too", "bob")
    steps = RememberedSteps()
    steps.crash_at = 5
    desk.meanwhile = discord.world._nonces.clear
    desk.do(key, steps)
    assert len(desk.asked) == 2 and steps.names[4] == "answer"
    assert len(discord.sends) == 1 and discord.sends[0].message
    assert "16 tokens [[1]]" in discord.sends[0].message.content


@pytest.mark.parametrize("age_s", [0, 600])
def test_what_grew_and_cannot_be_ended_says_so(
    discord: DiscordServer, make_desk: Callable[..., Desk], age_s: int
) -> None:
    desk = make_desk(streaming=True)
    desk.says = [["Blocks hold ", 1.6, "16 ", StorageError("the disk is full")], StorageError("the disk is full")]
    key = desk.hears(lambda: discord.people.ask(ASK, id=discord.world.new_id() - (age_s * 1_000 << 22)))
    if age_s:
        desk.meanwhile = discord.world._nonces.clear
    desk.do(key)
    (sent,) = discord.sends
    assert sent.message and sent.message.content == FAILED and desk.subject().state == "set_aside"


def test_without_streaming_it_comes_whole(discord: DiscordServer, desk: Desk) -> None:
    desk.says = [["Blocks hold ", 1.6, "16 tokens [1]."]]
    desk.ask()
    assert len(discord.sends) == 1 and discord.edits == []


# Limits.


@pytest.mark.parametrize(
    ("limits", "by"),
    [
        (Limits(per_user=2, settling_s=0), ["ada"] * 4),
        (Limits(per_channel=2, settling_s=0), ["ada", "bob", "carol", "dan"]),
        (Limits(per_guild=2, settling_s=0), ["ada", "bob", "carol", "dan"]),
    ],
    ids=["per person", "per channel", "per server"],
)
def test_the_first_too_many_is_told_so(
    discord: DiscordServer, make_desk: Callable[..., Desk], limits: Limits, by: list[str]
) -> None:
    desk = make_desk(limits)
    for name in by:
        desk.ask(lambda name=name: discord.people.ask(ASK, name))  # type: ignore[misc]
    assert len(desk.asked) == 2
    assert [change.content for change in discord.sends[2:]] == [SLOW_DOWN.format(limit=2)]


def test_limits_are_of_each_place_and_person(discord: DiscordServer, make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(Limits(per_user=1, per_channel=1, settling_s=0))
    elsewhere = discord.world.channel("elsewhere", discord.guild)
    desk.ask(lambda: discord.people.ask(ASK, "ada"))
    desk.ask(lambda: discord.people.ask(ASK, "bob", elsewhere))
    assert len(desk.asked) == 2


# How a server wants it.


def test_a_channels_choices_go_before_its_servers(discord: DiscordServer, desk: Desk) -> None:
    other = discord.world.channel("other", discord.guild)
    desk.configure(repository="example-org/engine", version="v1")
    desk.configure(repository="example-org/boat", threads=True, channel=other)
    desk.ask(lambda: discord.people.ask(ASK))
    desk.ask(lambda: discord.people.ask(ASK, channel=other))
    asked = [(question.repository, question.ref) for question in desk.asked]
    assert asked == [("example-org/engine", "v1"), ("example-org/boat", "v1")]
    assert thread_of(discord).parent is other
