"""What Discord takes for a message and what not, and what becomes of it."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from fakes.discord.clients import Listener, heard, intents, plain, running
from fakes.discord.people import ChannelType, Permission
from fakes.discord.posts import MessageFlags, Pings
from fakes.discord.server import CHANNEL_ID, DiscordServer

HERE = f"/channels/{CHANNEL_ID}/messages"
ROW: dict[str, Any] = {"type": 1, "components": [{"type": 2, "style": 2, "label": "Sources", "custom_id": "s:1"}]}
LINK: dict[str, Any] = {"type": 2, "style": 5, "label": "a.py", "url": "https://example.org/a.py"}


def answer(server: DiscordServer, body: Any, path: str = HERE, method: str = "POST") -> tuple[int, Any]:
    with plain(server) as http:
        said = http.request(method, path, json=body)
        return said.status_code, said.json() if said.content else None


def test_the_bot_replies_and_edits(server: DiscordServer) -> None:
    with running(server, Listener(intents(), allowed_mentions=discord.AllowedMentions.none())) as client:
        question = server.people.ask("why?")
        (message,) = heard(server, client, "message")
        reply = client.do(message.reply("Because.", suppress_embeds=True))
        client.do(reply.edit(content="Because of <https://example.org>."))
        (sent,), (edited,) = server.sends, server.edits
        assert sent.message and sent.message.reference == question.id and sent.content == "Because."
        assert sent.message.body["allowed_mentions"]["parse"] == [] and not sent.message.pings
        assert sent.message.flags & MessageFlags.SUPPRESS_EMBEDS
        assert edited.message is sent.message and sent.message.content.startswith("Because of")


def test_a_discord_py_reply_pings_unless_it_is_told_otherwise(server: DiscordServer) -> None:
    with running(server, Listener(intents())) as client:
        question = server.people.ask("why?")
        (message,) = heard(server, client, "message")
        client.do(message.reply("@everyone look"))
        (sent,) = server.sends
        assert sent.message and sent.message.pings == Pings(frozenset({question.author.id}), everyone=True)


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({"content": "x" * 2_001}, 50_035, "content"),
        ({"content": " \n"}, 50_006, ""),
        ({}, 50_006, ""),
        ({"content": "x", "allowed_mentions": {"parse": ["all"]}}, 50_035, "allowed_mentions"),
        ({"content": "x", "allowed_mentions": {"parse": ["users"], "users": ["1"]}}, 50_035, "allowed_mentions"),
        ({"content": "x", "flags": 64}, 50_035, "flags"),
        ({"content": "x", "nonce": "n" * 26}, 50_035, "nonce"),
        ({"content": "x", "message_reference": {"message_id": "1"}}, 50_035, "message_reference"),
        ({"content": "x", "embeds": [{"description": "x" * 4_097}]}, 50_035, "embeds"),
        ({"content": "x", "components": [ROW] * 6}, 50_035, "components"),
        ({"content": "x", "components": [{"type": 1, "components": [LINK] * 6}]}, 50_035, "components"),
        ({"content": "x", "components": [ROW, ROW]}, 50_035, "components"),
        ({"content": "x", "components": [ROW["components"][0]]}, 50_035, "components"),
        (
            {"content": "x", "components": [{"type": 1, "components": [LINK | {"url": "file:///x"}]}]},
            50_035,
            "components",
        ),
        (
            {"content": "x", "components": [{"type": 1, "components": [LINK | {"custom_id": "x"}]}]},
            50_035,
            "components",
        ),
        ([], 50_109, ""),
    ],
)
def test_what_is_refused(server: DiscordServer, body: Any, code: int, field: str) -> None:
    status, said = answer(server, body)
    assert (status, said["code"]) == (400, code) and (not field or field in said["errors"])
    assert not server.sends


@pytest.mark.parametrize("text", ["x" * 2_000, "🦀" * 2_000, f"  {'x' * 2_000}\n"])
def test_length_is_counted_in_code_points_without_blanks_at_the_ends(server: DiscordServer, text: str) -> None:
    status, said = answer(server, {"content": text})
    assert status == 200 and said["content"] == text.strip()


@pytest.mark.parametrize("body", [{"components": [ROW], "content": "x"}, {"embeds": [{"title": "x"}]}])
def test_what_is_taken(server: DiscordServer, body: Any) -> None:
    assert answer(server, body)[0] == 200


def test_a_reply_to_what_is_gone(server: DiscordServer) -> None:
    gone = server.people.say("one")
    server.people.delete(gone)
    reference = {"message_id": str(gone.id), "fail_if_not_exists": False}
    assert answer(server, {"content": "x", "message_reference": {"message_id": str(gone.id)}})[0] == 400
    assert answer(server, {"content": "x", "message_reference": reference})[1]["type"] == 0


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/channels/1/messages", 404, 10_003),
        (f"{HERE}/1", 404, 10_008),
        (f"{HERE}/1/threads", 404, 10_008),
        ("/x", 404, 0),
    ],
)
def test_what_is_not_there(server: DiscordServer, path: str, status: int, code: int) -> None:
    method = "PATCH" if path.endswith("/1") else "POST"
    said = answer(server, {"content": "x", "name": "x"}, path, method)
    assert (said[0], said[1]["code"]) == (status, code)


@pytest.mark.parametrize(("denied", "code"), [(Permission.SEND_MESSAGES, 50_013), (Permission.VIEW_CHANNEL, 50_001)])
def test_what_the_bot_may_not_do(server: DiscordServer, denied: Permission, code: int) -> None:
    server.channel.denied = int(denied)
    status, said = answer(server, {"content": "x"})
    assert (status, said["code"]) == (403, code) and server.limits.invalid == 1
    with running(server, Listener(intents())) as client:
        channel = client.get_channel(CHANNEL_ID)
        assert isinstance(channel, discord.TextChannel)
        assert not channel.permissions_for(channel.guild.me).is_superset(discord.Permissions(int(denied)))


def test_others_messages_are_not_the_bots(server: DiscordServer) -> None:
    message = server.people.say("one")
    status, said = answer(server, {"content": "x"}, f"{HERE}/{message.id}", "PATCH")
    assert (status, said["code"]) == (403, 50_005)
    assert answer(server, None, f"{HERE}/{message.id}", "DELETE")[0] == 403


def test_direct_messages_may_be_closed(server: DiscordServer) -> None:
    user = server.people.person("alice")
    status, opened = answer(server, {"recipient_id": str(user.id)}, "/users/@me/channels")
    assert status == 200 and server.world.channels[int(opened["id"])].type is ChannelType.DM
    assert answer(server, {"content": "x"}, f"/channels/{opened['id']}/messages")[0] == 200
    user.dms_closed = True
    assert answer(server, {"content": "x"}, f"/channels/{opened['id']}/messages")[1]["code"] == 50_007


def test_a_nonce_that_is_enforced_makes_one_message(server: DiscordServer) -> None:
    first = answer(server, {"content": "one", "nonce": "n1", "enforce_nonce": True})[1]
    again = answer(server, {"content": "one again", "nonce": "n1", "enforce_nonce": True})[1]
    loose = answer(server, {"content": "one more", "nonce": "n1"})[1]
    assert first["id"] == again["id"] and again["content"] == "one" and first["nonce"] == "n1"
    assert loose["id"] != first["id"] and len(server.sends) == 2


def test_history_comes_in_pages_the_newest_first(server: DiscordServer) -> None:
    made = [server.people.say(str(number)) for number in range(120)]
    with plain(server) as http:
        newest = http.get(HERE).json()
        older = http.get(HERE, params={"limit": 100, "before": newest[-1]["id"]}).json()
        after = http.get(HERE, params={"after": str(made[-3].id)}).json()
        around = http.get(HERE, params={"around": str(made[50].id), "limit": 3}).json()
        assert http.get(HERE, params={"limit": 101}).status_code == 400
        assert http.get(f"{HERE}/{made[7].id}").json()["content"] == "7"
    assert [each["content"] for each in newest] == [str(number) for number in range(119, 69, -1)]
    assert len(older) == 70 and [each["content"] for each in after] == ["119", "118"]
    assert [each["content"] for each in around] == ["51", "50", "49"]


def test_without_the_intent_history_has_no_texts(server: DiscordServer) -> None:
    server.people.say("why?")
    server.people.ask("how?")
    server.world.application.allowed = 0
    with plain(server) as http:
        named, other = http.get(HERE).json()
    assert named["content"].endswith("how?") and other["content"] == ""


def test_the_client_reads_history_withdraws_and_reacts(server: DiscordServer) -> None:
    with running(server, Listener(intents())) as client:
        question = server.people.ask("why?")
        (message,) = heard(server, client, "message")
        client.do(message.add_reaction("👀"))
        reply = client.do(message.reply("Because."))
        client.do(message.remove_reaction("👀", client.user))
        client.do(reply.delete())
        assert not question.reactions["👀"] and server.world.history(server.channel) == [question]
        deeds = [change.deed for change in server.world.changes]
        assert deeds == ["reacted", "sent", "unreacted", "deleted"]


def test_a_thread_from_a_message(server: DiscordServer) -> None:
    with running(server, Listener(intents())) as client:
        question = server.people.ask("why?")
        (message,) = heard(server, client, "message")
        thread = client.do(message.create_thread(name="Why"))
        client.do(thread.send("Because."))
        assert thread.id == question.id and question.thread and question.thread.name == "Why"
        with pytest.raises(discord.HTTPException) as refused:
            client.do(message.create_thread(name="Why again"))
        assert refused.value.code == 160_004
        follow_up = server.people.say("and?", channel=question.thread)
        assert heard(server, client, "message", 2)[1].id == follow_up.id


@pytest.mark.parametrize("name", ["", "  ", "x" * 101])
def test_a_thread_has_a_name(server: DiscordServer, name: str) -> None:
    message = server.people.say("one")
    status, said = answer(server, {"name": name}, f"{HERE}/{message.id}/threads")
    assert (status, said["code"]) == (400, 50_035) and "name" in said["errors"]


def test_threads_have_rules_of_their_own(server: DiscordServer) -> None:
    thread = server.people.open_thread(server.people.say("one"), "One")
    there = f"/channels/{thread.id}/messages"
    inner = server.people.say("two", channel=thread)
    assert answer(server, {"name": "x"}, f"{there}/{inner.id}/threads")[1]["code"] == 50_024
    server.people.archive(thread)
    assert answer(server, {"content": "x"}, there)[0] == 200 and not thread.archived
    server.people.archive(thread, locked=True)
    assert answer(server, {"content": "x"}, there)[1]["code"] == 160_005
    thread.locked, server.channel.denied = False, int(Permission.SEND_MESSAGES_IN_THREADS)
    assert answer(server, {"content": "x"}, there)[1]["code"] == 50_013


def test_nobody_writes_into_a_forum_or_before_its_author(server: DiscordServer) -> None:
    alice = server.people.person("alice", server.guild)
    fresh = server.world.thread("Slow startup", server.forum, alice.id)
    assert answer(server, {"content": "x"}, f"/channels/{server.forum.id}/messages")[1]["code"] == 50_024
    assert answer(server, {"content": "x"}, f"/channels/{fresh.id}/messages")[1]["code"] == 40_058
    server.people.say("It is slow.", channel=fresh, id=fresh.id)
    assert answer(server, {"content": "x"}, f"/channels/{fresh.id}/messages")[0] == 200


def test_typing(server: DiscordServer) -> None:
    with running(server, Listener(intents())) as client:
        channel = client.get_channel(CHANNEL_ID)
        assert isinstance(channel, discord.TextChannel)
        client.do(channel.typing().__aenter__())
        assert server.world.done("typed")


def test_a_file_comes_along(server: DiscordServer) -> None:
    with running(server, Listener(intents())) as client:
        channel = client.get_channel(CHANNEL_ID)
        assert isinstance(channel, discord.TextChannel)
        message = client.do(channel.send("see", file=discord.File(__file__, "a.txt")))
        assert [each.filename for each in message.attachments] == ["a.txt"]


def test_only_text_outside_of_code_mentions(server: DiscordServer) -> None:
    message = server.people.say(f"`<@{server.world.bot.id}>` and ```\n@everyone\n```")
    assert not message.mentions and not message.mention_everyone
