"""Events that were written by hand happen: the state is as they say, and discord.py understands them."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from fakes.discord.adopting import adopt, prepare
from fakes.discord.clients import Listener, heard, intents, running
from fakes.discord.people import ChannelType
from fakes.discord.server import BOT_ID, CHANNEL_ID, GUILD_ID, DiscordServer

ALICE = {"id": "940000000000000001", "username": "alice", "discriminator": "0", "global_name": "Alice", "avatar": None}
BOT = {"user_id": str(BOT_ID), "managed_role": {"id": "910000000000000007"}, "other_role_held": "910000000000000008"}


def said(content: str, **over: Any) -> dict[str, Any]:
    data: dict[str, Any] = {
        "id": "950000000000000001",
        "channel_id": str(CHANNEL_ID),
        "guild_id": str(GUILD_ID),
        "author": ALICE,
        "content": content,
        "timestamp": "2026-01-05T10:00:00.000000+00:00",
        "edited_timestamp": None,
        "mentions": [],
        "mention_roles": [],
        "type": 0,
        "member": {"roles": [], "joined_at": "2025-01-01T00:00:00+00:00", "deaf": False, "mute": False},
    }
    return {"t": "MESSAGE_CREATE", "d": {name: value for name, value in (data | over).items() if value is not ...}}


def happened(server: DiscordServer, *events: dict[str, Any], name: str = "message", count: int = 1) -> list[Any]:
    """What the client hears of these events."""
    prepare(server, BOT, events)
    with running(server, Listener(intents())) as client:
        for event in events:
            adopt(server, event)
        return heard(server, client, name, count)


def test_a_message_is_there_with_its_author_as_a_member(server: DiscordServer) -> None:
    (message,) = happened(server, said("why?", mention_roles=["910000000000000007"]))
    assert isinstance(message.author, discord.Member) and message.content == "why?"
    assert message.role_mentions == [message.guild.self_role] and not message.mentions
    assert "helpers" in [role.name for role in message.guild.me.roles]
    assert server.world.messages[950000000000000001].author.username == "alice"


def test_the_same_message_twice_is_one(server: DiscordServer) -> None:
    first, again = happened(server, said("why?"), said("why?"), count=2)
    assert first.id == again.id and len(server.world.history(server.channel)) == 1


def test_what_is_replied_to_can_be_read(server: DiscordServer) -> None:
    before = said("16", id="950000000000000777", author=ALICE | {"id": str(BOT_ID), "username": "RepoPilot"})["d"]
    reference = {"message_id": before["id"], "channel_id": before["channel_id"]}
    (message,) = happened(server, said("and?", type=19, message_reference=reference, referenced_message=before))
    assert message.reference.resolved.content == "16" and message.reference.resolved.author.id == BOT_ID


def test_a_message_without_a_guild_is_direct(server: DiscordServer) -> None:
    (message,) = happened(server, said("psst", guild_id=..., member=...))
    assert isinstance(message.channel, discord.DMChannel) and server.world.channels[CHANNEL_ID].type is ChannelType.DM


def test_a_post_begins_in_a_forum(server: DiscordServer) -> None:
    thread = {
        "id": "930000000000000055",
        "type": 11,
        "parent_id": "930000000000000016",
        "name": "Slow",
        "owner_id": "1",
    }
    begun = {"t": "THREAD_CREATE", "d": thread | {"guild_id": str(GUILD_ID), "newly_created": True, "author": None}}
    (message,) = happened(server, begun, said("It is.", id=thread["id"], channel_id=thread["id"]))
    assert message.channel.name == "Slow" and isinstance(message.channel.parent, discord.ForumChannel)


def test_edits_deletions_and_reactions(server: DiscordServer) -> None:
    first, edited = (
        said("why?"),
        said("how?", edited_timestamp="2026-01-05T10:01:00.000000+00:00") | {"t": "MESSAGE_UPDATE"},
    )
    ids = {"channel_id": str(CHANNEL_ID), "guild_id": str(GUILD_ID)}
    react = ids | {"message_id": first["d"]["id"], "user_id": ALICE["id"], "emoji": {"id": None, "name": "👎"}}
    gone = ids | {"id": first["d"]["id"]}
    happened(
        server,
        first,
        edited,
        {"t": "MESSAGE_REACTION_ADD", "d": react},
        {"t": "MESSAGE_DELETE", "d": gone},
        name="delete",
    )
    message = server.world.messages[950000000000000001]
    assert (message.content, message.deleted, list(message.reactions)) == ("how?", True, ["👎"])


def test_an_interaction_begins(server: DiscordServer) -> None:
    given = {"id": "970000000000000001", "type": 2, "token": "tok", "guild_id": str(GUILD_ID)}
    data = {"id": "1", "name": "ask", "type": 1, "options": [{"name": "question", "type": 3, "value": "why?"}]}
    whole = given | {"channel_id": str(CHANNEL_ID), "member": {"user": ALICE}, "data": data}
    prepare(server, BOT, [{"interaction": whole}])
    made = adopt(server, {"interaction": whole})
    assert made and server.world.interactions["tok"] is made and made.user.username == "alice"


@pytest.mark.parametrize("event", [{"t": "TYPING_START", "d": {}}, {"t": "GUILD_CREATE", "d": {}}])
def test_an_event_that_nobody_knows(server: DiscordServer, event: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="unknown event"):
        adopt(server, event)
