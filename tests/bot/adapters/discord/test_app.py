"""Connecting, losing the connection, and what is heard of it all."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.adapters.discord import app
from bot.adapters.discord.app import NO_INTENT, WRONG_TOKEN
from bot.adapters.discord.bot import PERMISSIONS, invitation
from fakes.discord.people import Intents, Permission
from fakes.discord.posts import Message
from fakes.discord.server import DiscordServer
from fakes.discord.sessions import IDENTIFY
from fakes.discord_desk import Desk

MakeDesk = Callable[..., Desk]


def ended(discord: DiscordServer, desk: Desk) -> str:
    assert discord.wait_until(lambda _: desk.ended, 10)
    return str(desk.ended)


def test_a_wrong_token_ends_it_with_a_sentence(discord: DiscordServer, make_desk: MakeDesk) -> None:
    desk = make_desk(start=False, token="wrong")
    desk.start(wait=False)
    assert ended(discord, desk) == WRONG_TOKEN and "wrong" not in WRONG_TOKEN
    assert discord.limits.invalid == 1


def test_a_token_that_is_taken_back_ends_it(discord: DiscordServer, desk: Desk) -> None:
    discord.gateway.close(4004, "Authentication failed.")
    assert ended(discord, desk) == WRONG_TOKEN


def test_an_intent_that_is_not_switched_on_ends_it(discord: DiscordServer, make_desk: MakeDesk) -> None:
    discord.world.application.allowed &= ~Intents.MESSAGE_CONTENT
    desk = make_desk(start=False)
    desk.start(wait=False)
    assert ended(discord, desk) == NO_INTENT and "MESSAGE_CONTENT" in NO_INTENT
    assert discord.gateway.connections == 1


def test_without_the_intent_mentions_and_direct_messages_are_heard(discord: DiscordServer, make_desk: MakeDesk) -> None:
    discord.world.application.allowed &= ~Intents.MESSAGE_CONTENT
    desk = make_desk(message_content=False)
    desk.ask()
    desk.ask(lambda: discord.people.tell_directly("and on ROCm?"))
    assert [question.text for question in desk.asked] == ["what is the block size?", "and on ROCm?"]


def test_only_the_intents_that_are_needed(discord: DiscordServer, desk: Desk) -> None:
    (identify,) = discord.gateway.received(IDENTIFY)
    wanted = Intents.GUILDS | Intents.GUILD_MESSAGES | Intents.DIRECT_MESSAGES | Intents.MESSAGE_CONTENT
    assert identify.data["intents"] == wanted


def test_the_invitation_asks_for_no_more_than_is_used() -> None:
    allowed = (
        Permission.VIEW_CHANNEL
        | Permission.SEND_MESSAGES
        | Permission.SEND_MESSAGES_IN_THREADS
        | Permission.CREATE_PUBLIC_THREADS
        | Permission.READ_MESSAGE_HISTORY
    )
    assert PERMISSIONS.value == allowed
    assert f"permissions={int(allowed)}" in invitation(42) and "client_id=42" in invitation(42)
    assert "applications.commands" in invitation(42)


def test_with_these_permissions_all_of_it_works(discord: DiscordServer, make_desk: MakeDesk) -> None:
    discord.guild.roles[discord.guild.id].permissions = PERMISSIONS.value
    desk = make_desk(threads=True)
    asked: list[Message] = []
    desk.ask(lambda: asked.append(discord.people.ask("why?")))
    desk.ask(lambda: discord.people.say("and on ROCm?", channel=discord.sends[0].channel))
    desk.ask(lambda: discord.people.delete(asked[0]))
    assert not [call for call in discord.calls if call.status in (401, 403)]


def test_discord_is_down_at_the_start(
    discord: DiscordServer, make_desk: MakeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "FIRST_WAIT_S", 0.2)
    discord.stop()
    desk = make_desk(start=False)
    desk.start(wait=False)
    time.sleep(0.3)
    discord.start()
    assert discord.wait_until(lambda _: discord.gateway.ready, 10)
    desk.ask()
    assert len(discord.sends) == 1 and desk.ended is None


def test_the_api_fails_at_the_start(
    discord: DiscordServer, make_desk: MakeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "FIRST_WAIT_S", 0.1)
    discord.play({"GET /users/@me": {"sequence": ["cut_before"] * 6}})
    make_desk().ask()
    assert len(discord.sends) == 1


def test_discord_goes_away_and_comes_back(discord: DiscordServer, desk: Desk) -> None:
    desk.ask()
    discord.stop()
    discord.start()
    desk.ask()
    assert len(discord.sends) == 2


def test_what_was_written_during_a_break_is_answered_once(discord: DiscordServer, desk: Desk) -> None:
    desk.ask("before")
    discord.gateway.drop()
    desk.ask("meanwhile")
    assert [question.text for question in desk.asked] == ["before", "meanwhile"] and discord.gateway.identified == 1


def test_what_was_written_while_no_session_was_open_is_found(discord: DiscordServer, desk: Desk) -> None:
    """In the channels that somebody asked in, also in a thread and in direct messages."""
    unknown = discord.world.channel("unknown", discord.guild)
    desk.ask(lambda: discord.people.ask("before", "ada"))
    desk.ask(lambda: discord.people.tell_directly("before", "bob"))
    discord.gateway.forget()
    key = desk.hears(lambda: _lost(discord), 2)
    for _, one, _ in desk.jobs.added[-2:]:
        desk.do(one)
    assert key and sorted(question.text for question in desk.asked[2:]) == ["directly", "meanwhile"]
    discord.people.ask("unheard", channel=unknown)
    assert len(discord.sends) == 4


def _lost(discord: DiscordServer) -> None:
    """Nobody hears of these; then the session is lost."""
    discord.people.ask("meanwhile", "ada")
    discord.people.say("nothing for us", "bob")
    discord.people.tell_directly("directly", "bob")
    discord.gateway.invalidate()


def test_a_new_session_finds_nothing_that_it_knew(discord: DiscordServer, desk: Desk) -> None:
    carol = discord.people.person("carol", discord.guild)
    discord.guild.members[carol.id].nick = "CC"  # histories do not tell how somebody is called in a server
    desk.ask(f"what did <@{carol.id}> mean?")
    desk.restart()
    desk.ignores(lambda: time.sleep(0.3))


def test_what_was_written_during_a_restart_is_found(discord: DiscordServer, desk: Desk) -> None:
    asked: list[Message] = []
    desk.ask(lambda: asked.append(discord.people.ask("before")))
    desk.stop()
    discord.people.ask("meanwhile")
    discord.people.edit(asked[0], f"<@{discord.world.bot.id}> before, really")
    known = len(desk.jobs.added)
    desk.start()
    assert discord.wait_until(lambda _: len(desk.jobs.added) == known + 2, 10)
    for _, key, _ in desk.jobs.added[known:]:
        desk.do(key)
    assert [question.text for question in desk.asked] == ["before", "before, really", "meanwhile"]
    assert len(discord.sends) == 2


def test_a_history_that_cannot_be_read_is_left_out(discord: DiscordServer, desk: Desk) -> None:
    closed = discord.world.channel("closed", discord.guild)
    desk.ask(lambda: discord.people.ask("before"))
    desk.ask(lambda: discord.people.ask("before", channel=closed))
    closed.denied |= Permission.VIEW_CHANNEL
    desk.stop()
    discord.people.ask("meanwhile")
    desk.hears(desk.start)
    assert len(desk.jobs.added) == 3


def test_a_link_preview_asks_nothing_new(discord: DiscordServer, desk: Desk) -> None:
    asked: list[Message] = []
    desk.ask(lambda: asked.append(discord.people.ask("see https://example.org, why?")))
    desk.ignores(lambda: discord.people.preview(asked[0]))
    desk.ask(lambda: discord.people.edit(asked[0], f"<@{discord.world.bot.id}> see https://example.org, how?"))
    desk.ignores(lambda: discord.people.preview(asked[0]))
    assert len(desk.asked) == 2 and len(discord.sends) == 1


def test_many_messages_deleted_at_once(discord: DiscordServer, desk: Desk) -> None:
    asked: list[Message] = []
    for _ in range(3):
        desk.ask(lambda: asked.append(discord.people.ask("why?")))
    for message in asked:
        message.deleted = True
    gone = {"ids": [str(message.id) for message in asked], "channel_id": str(discord.channel.id)}
    whole = gone | {"guild_id": str(discord.guild.id)}
    known = len(desk.jobs.added)
    discord.gateway.dispatch("MESSAGE_DELETE_BULK", whole, Intents.GUILD_MESSAGES, discord.guild.id)
    assert discord.wait_until(lambda _: len(desk.jobs.added) == known + 3, 5)
    for _, key, _ in desk.jobs.added[known:]:
        desk.do(key)
    assert all(change.message and change.message.deleted for change in discord.sends)


def test_several_shards(discord: DiscordServer, make_desk: MakeDesk) -> None:
    """Discord lets a shard in every five seconds."""
    other = discord.world.guild("Other", id=discord.guild.id + (1 << 22))
    place = discord.world.channel("general", other)
    desk = make_desk(shards=2)
    assert discord.wait_until(lambda _: len(discord.gateway.sessions) == 2, 15)
    desk.ask(lambda: discord.people.ask("here"))
    desk.ask(lambda: discord.people.ask("there", channel=place))
    assert {change.channel for change in discord.sends} == {discord.channel, place}


def test_the_log_says_where_to_invite_us_and_no_secret(
    discord: DiscordServer, make_desk: MakeDesk, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    discord.world.guilds.clear()
    desk = make_desk()
    assert discord.wait_until(lambda _: invitation(discord.world.bot.id) in caplog.text, 10)
    used = discord.people.command(
        "ask", {"question": "why?"}, channel=discord.world.direct(discord.people.person("ada"))
    )
    desk.do(desk.hears(lambda: desk.use(used)))
    ours = "\n".join(r.getMessage() for r in caplog.records if r.name.startswith(("bot", "repopilot")))
    loud = "\n".join(r.getMessage() for r in caplog.records if r.levelno >= logging.INFO)
    for secret in (discord.token, used.token):
        assert secret not in ours and secret not in loud
    assert "PyNaCl" not in caplog.text and "davey" not in caplog.text


def test_the_documentation_has_the_same_invitation() -> None:
    said = (Path(__file__).parents[4] / "docs" / "discord.md").read_text("utf-8")
    assert f"permissions={PERMISSIONS.value}\n" in said


def test_a_channel_in_which_nobody_had_asked_is_looked_at_too(discord: DiscordServer, desk: Desk) -> None:
    desk.stop()
    discord.people.ask("meanwhile", channel=discord.world.channel("quiet", discord.guild))
    known = len(desk.jobs.added)
    desk.start()
    assert discord.wait_until(lambda _: len(desk.jobs.added) == known + 1, 10)
    desk.do(desk.jobs.added[-1][1])
    assert [question.text for question in desk.asked] == ["meanwhile"]
