"""The gateway as discord.py lives with it: what it is told, and what happens when connections end."""

from __future__ import annotations

import discord
import pytest

from fakes.discord.clients import Listener, ShardedListener, heard, intents, plain, running
from fakes.discord.people import Intents
from fakes.discord.server import BOT_ID, DiscordServer
from fakes.discord.sessions import HEARTBEAT, IDENTIFY, RESUME


def test_the_client_sees_the_guild_its_channels_and_the_role_of_the_bot(server: DiscordServer) -> None:
    thread = server.world.thread("An old one", server.channel, server.world.user("alice").id)
    with running(server, Listener(intents())) as client:
        guild = client.get_guild(server.guild.id)
        assert guild and guild.me.id == BOT_ID
        assert [channel.name for channel in guild.channels] == ["general", "help"]
        assert guild.get_thread(thread.id) and isinstance(guild.get_channel(server.forum.id), discord.ForumChannel)
        assert guild.self_role and guild.self_role.is_bot_managed() and guild.self_role.tags.bot_id == BOT_ID
        assert client.application and client.application.flags.gateway_message_content_limited
        assert len(server.gateway.received(IDENTIFY)) == 1


def test_messages_in_all_places_are_heard(server: DiscordServer) -> None:
    with running(server, Listener(intents())) as client:
        server.people.ask("why?")
        post = server.people.post(server.forum, "Slow startup", "It takes a minute.")
        server.people.tell_directly("psst")
        first, started, direct = heard(server, client, "message", 3)
        assert first.guild.self_role.mention not in first.content and client.user in first.mentions
        assert (started.channel.name, started.id) == ("Slow startup", post.id) and direct.guild is None
        assert [thread.name for thread in client.of("thread")] == ["Slow startup"]


def test_edits_previews_deletions_and_reactions_are_heard(server: DiscordServer) -> None:
    with running(server, Listener(intents())) as client:
        message = server.people.ask("see https://example.org")
        server.people.preview(message)
        server.people.edit(message, "something else")
        server.people.react(message, "👎", "bo")
        server.people.delete(message)
        heard(server, client, "delete")
        preview, edit = heard(server, client, "edit", 2)
        assert preview.data["edited_timestamp"] is None and preview.data["embeds"]
        assert edit.message.content == "something else" and edit.data["edited_timestamp"]
        (reaction,) = client.of("reaction")
        assert str(reaction.emoji) == "👎" and reaction.member.name == "bo"


def test_a_reply_has_what_it_replies_to(server: DiscordServer) -> None:
    with running(server, Listener(intents())) as client:
        first = server.people.say("one")
        server.people.say("two", "bo", reply_to=first, ping=False)
        reply = heard(server, client, "message", 2)[1]
        assert reply.type is discord.MessageType.reply and reply.reference.resolved.content == "one"
        assert not reply.mentions


@pytest.mark.parametrize("mentioning", [True, False])
def test_without_the_intent_only_what_mentions_the_bot_or_is_direct_has_a_text(
    server: DiscordServer, mentioning: bool
) -> None:
    with running(server, Listener(intents("guilds", "guild_messages", "dm_messages"))) as client:
        server.people.ask("why?") if mentioning else server.people.say("why?")
        server.people.tell_directly("psst")
        message, direct = heard(server, client, "message", 2)
        assert bool(message.content) is mentioning and direct.content == "psst"


def test_events_that_nobody_asked_for_are_not_sent(server: DiscordServer) -> None:
    with running(server, Listener(intents("guilds", "dm_messages"))) as client:
        server.people.ask("why?")
        server.people.tell_directly("psst")
        assert [message.content for message in heard(server, client, "message")] == ["psst"]


def test_what_happened_while_the_connection_was_cut_is_replayed(server: DiscordServer) -> None:
    with running(server, Listener(intents())) as client:
        server.gateway.drop()
        server.people.say("missed")
        assert [message.content for message in heard(server, client, "message")] == ["missed"]
        heard(server, client, "resumed")
        (session,) = server.gateway.sessions
        assert (session.resumed, server.gateway.identified, len(server.gateway.received(RESUME))) == (1, 1, 1)


def test_the_client_reconnects_when_it_is_asked_to(server: DiscordServer) -> None:
    with running(server, Listener(intents())) as client:
        server.gateway.reconnect()
        heard(server, client, "resumed")
        assert server.gateway.connections == 2 and server.gateway.identified == 1


def test_an_invalid_session_begins_anew(server: DiscordServer) -> None:
    with running(server, Listener(intents())) as client:
        server.gateway.invalidate()
        heard(server, client, "ready", 2)
        assert server.gateway.identified == 2
        server.gateway.forget()
        server.gateway.drop()
        heard(server, client, "ready", 3)
        assert (server.gateway.identified, len(server.gateway.received(RESUME))) == (3, 1)


def test_a_close_that_can_be_resumed(server: DiscordServer) -> None:
    with running(server, Listener(intents())) as client:
        server.gateway.close(4000)
        heard(server, client, "resumed")


def test_heartbeats_are_sent_and_acknowledged(server: DiscordServer) -> None:
    server.gateway.heartbeat_ms = 100
    with running(server, Listener(intents())) as client:
        assert server.wait_until(lambda each: len(each.gateway.received(HEARTBEAT)) > 3, 5)
        assert 0 < client.latency < 5


def test_a_gateway_that_falls_silent_is_left_and_resumed(server: DiscordServer) -> None:
    with running(server, Listener(intents(), heartbeat_timeout=0.5)) as client:
        server.gateway.acknowledging = False
        assert server.wait_until(lambda each: each.gateway.received(RESUME), 5)
        heard(server, client, "resumed")


def test_a_privileged_intent_that_is_not_switched_on_is_refused(server: DiscordServer) -> None:
    server.world.application.allowed &= ~Intents.MESSAGE_CONTENT
    with running(server, Listener(intents()), until="") as client:
        assert server.wait_until(lambda _: client.ended, 10)
        assert isinstance(client.ended, discord.PrivilegedIntentsRequired)
        assert server.gateway.connections == 1
    with running(server, Listener(intents("guilds", "guild_messages"))) as client:
        assert client.application and not client.application.flags.gateway_message_content_limited


def test_a_scripted_refusal(server: DiscordServer) -> None:
    server.gateway.refuse = (4013, "Invalid intent(s).")
    with running(server, Listener(intents()), until="") as client:
        assert server.wait_until(lambda _: client.ended, 10)
        assert isinstance(client.ended, discord.ConnectionClosed) and client.ended.code == 4013


def test_a_wrong_token_is_refused_before_the_gateway(server: DiscordServer) -> None:
    with running(server, Listener(intents()), token="wrong", until="") as client:
        assert server.wait_until(lambda _: client.ended, 10)
        assert isinstance(client.ended, discord.LoginFailure)
        assert (server.gateway.connections, server.limits.invalid) == (0, 1)


def test_each_shard_hears_its_own_guilds(server: DiscordServer) -> None:
    other = server.world.guild("Other", id=server.guild.id + (1 << 22))
    place = server.world.channel("general", other)
    with running(server, ShardedListener(intents(), shard_count=2)) as client:
        server.people.say("here")
        server.people.say("there", "bo", place)
        assert len(heard(server, client, "message", 2)) == 2
        assert sorted(session.shard for session in server.gateway.sessions) == [(0, 2), (1, 2)]
        for session in server.gateway.sessions:
            guilds = [event["d"]["name"] for event in session.events if event["t"] == "GUILD_CREATE"]
            assert len(guilds) == 1
        assert {client.get_guild(each.id).shard_id for each in (server.guild, other)} == {0, 1}  # type: ignore[union-attr]


def test_members_are_told_when_somebody_asks(server: DiscordServer) -> None:
    server.people.person("bo", server.guild)
    with running(server, Listener(intents("guilds"))) as client:
        guild = client.get_guild(server.guild.id)
        assert guild
        (member,) = client.do(guild.query_members(user_ids=[server.world.user("bo").id], cache=False))
        assert member.name == "bo"


def test_the_gateway_is_found_with_and_without_a_token(server: DiscordServer) -> None:
    with plain(server, "") as http:
        assert http.get("/gateway").json() == {"url": server.gateway.url}
        assert http.get("/gateway/bot").status_code == 401
    with plain(server) as http:
        assert http.get("/gateway/bot").json()["shards"] == 1


def test_it_comes_back_on_the_same_port(server: DiscordServer) -> None:
    with running(server, Listener(intents())) as client:
        server.stop()
        server.people.say("while it was away")
        server.start()
        assert heard(server, client, "message")[0].content == "while it was away"
