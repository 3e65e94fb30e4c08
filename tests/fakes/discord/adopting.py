"""Gateway events that somebody wrote by hand become part of the state: what they tell of is then there to be read.

`prepare` makes what must be there before a client connects, `adopt` lets one event happen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from fakes.discord import documents
from fakes.discord.people import Channel, ChannelType, Guild, Intents, User
from fakes.discord.posts import Interaction, InteractionType, Message
from fakes.discord.server import DiscordServer
from fakes.discord.world import World

Payload = Mapping[str, Any]
MEMBER = {"flags": 0}  # what payloads of the documentation leave out and discord.py reads


def prepare(server: DiscordServer, bot: Payload, events: Iterable[Payload]) -> None:
    """The bot with its roles, and every guild and channel that an event names, but threads that begin in one.

    A channel in which a message without a guild is written is one of direct messages.
    """
    world, told = server.world, [_data(event) for event in events]
    begun = {data["id"]: data for event, data in zip(events, told, strict=False) if event.get("t") == "THREAD_CREATE"}
    with world.lock:
        _roles(server, bot)
        for data in begun.values():
            starter = any(each.get("channel_id") == each.get("id") == data["id"] for each in told)
            _channel(world, data, data["parent_id"], ChannelType.FORUM if starter else ChannelType.TEXT)
        for data in told:
            where = data.get("channel_id")
            if where and where not in begun:
                _channel(world, data, where, ChannelType.TEXT)
            for inner in ("referenced_message", "message"):
                if data.get(inner):
                    _message(world, data[inner])


def _data(event: Payload) -> Payload:
    return event.get("d") or event.get("interaction") or {}


def _roles(server: DiscordServer, bot: Payload) -> None:
    world, guild = server.world, server.guild
    if "user_id" in bot and int(bot["user_id"]) != world.bot.id:
        raise ValueError(f"the bot is {world.bot.id}, not {bot['user_id']}")
    if bot.get("managed_role"):
        role = world.managed_role(guild)
        guild.roles[int(bot["managed_role"]["id"])] = guild.roles.pop(role.id)
        role.id = int(bot["managed_role"]["id"])
    if bot.get("other_role_held"):
        world.join(guild, world.bot, world.role(guild, "helpers", id=int(bot["other_role_held"])))


def _channel(world: World, data: Payload, id: str, otherwise: ChannelType) -> Channel:
    """The channel of that id, made when there is none."""
    found = world.channels.get(int(id))
    if "guild_id" not in data:
        if found is None or found.guild is not None:
            person = data.get("author") or data.get("user") or {}
            found = world.direct(_user(world, person), int(id))
        return found
    guild = _guild(world, data["guild_id"])
    return found or world.channel(f"channel-{id[-2:]}", guild, int(id), type=otherwise)


def _guild(world: World, id: str) -> Guild:
    return world.guilds.get(int(id)) or world.guild(f"Guild {id[-2:]}", int(id))


def _user(world: World, told: Payload) -> User:
    """The user, made when there is none yet; the fields that a payload names are the user's."""
    id = int(told["id"])
    more = {"bot": bool(told.get("bot")), "global_name": told.get("global_name")}
    return world.users.get(id) or world.users.setdefault(id, User(id, told["username"], **more))


def _member(world: World, data: Payload, user: User) -> None:
    """What an event says of its author, who then is a member of the guild; a webhook is none."""
    if "guild_id" not in data or data.get("webhook_id"):
        return
    guild = _guild(world, data["guild_id"])
    held = (data.get("member") or {}).get("roles") or ()
    world.join(guild, user, *(guild.roles[int(each)] for each in held if int(each) in guild.roles))


def _message(world: World, data: Payload) -> Message:
    """The message as the event has it, made when there is none."""
    author = _user(world, data["author"])
    _member(world, data, author)
    channel = _channel(world, data, data["channel_id"], ChannelType.TEXT)
    reference = (data.get("message_reference") or {}).get("message_id")
    roles = channel.guild.roles if channel.guild else {}
    fields: dict[str, Any] = {
        "type": data.get("type", 0),
        "reference": int(reference) if reference else None,
        "mentions": [_user(world, each) for each in data.get("mentions") or ()],
        "mention_roles": [roles[int(each)] for each in data.get("mention_roles") or () if int(each) in roles],
        "mention_everyone": bool(data.get("mention_everyone")),
        "embeds": data.get("embeds") or (),
        "attachments": data.get("attachments") or (),
        "components": data.get("components") or (),
        "flags": data.get("flags", 0),
        "webhook_id": int(data["webhook_id"]) if data.get("webhook_id") else None,
        "edited_at": _moment(data.get("edited_timestamp")),
    }
    found = world.messages.get(int(data["id"]))
    if found is None:
        content = data.get("content") or ""
        return world.add_message(channel, author, content, int(data["id"]), created_at=_sent(data), **fields)
    found.content = data.get("content", found.content)
    for name, value in fields.items():
        setattr(found, name, value)
    return found


def _moment(text: str | None) -> float | None:
    return datetime.fromisoformat(text).timestamp() if text else None


def _sent(data: Payload) -> float:
    return _moment(data.get("timestamp")) or 0.0


# What happens.


def adopt(server: DiscordServer, event: Payload) -> Interaction | None:
    """Let one event happen: the state is as it says, and the bot is told in its words. Raises ValueError.

    An interaction is returned, since its three seconds and its answers belong to it.
    """
    if "interaction" in event:
        return _interaction(server, event["interaction"])
    name, data = event["t"], event["d"]
    act = _EVENTS.get(name)
    if act is None:
        raise ValueError(f"unknown event {name}")
    with server.world.lock:
        act(server, name, data)
    return None


def _written(server: DiscordServer, name: str, data: Payload) -> None:
    """A message was made or changed. What the event leaves out is as Discord has it."""
    whole = documents.dispatched(_message(server.world, data), server.world) | dict(data)
    if "member" in whole:
        whole["member"] = MEMBER | whole["member"]
    _dispatch(server, name, whole, Intents.GUILD_MESSAGES, Intents.DIRECT_MESSAGES)


def _deleted(server: DiscordServer, name: str, data: Payload) -> None:
    for id in data.get("ids") or [data["id"]]:
        if int(id) in server.world.messages:
            server.world.messages[int(id)].deleted = True
    _dispatch(server, name, data, Intents.GUILD_MESSAGES, Intents.DIRECT_MESSAGES)


def _reacted(server: DiscordServer, name: str, data: Payload) -> None:
    message = server.world.messages.get(int(data["message_id"]))
    user = server.world.users.get(int(data["user_id"]))
    if message and user:
        message.reactions.setdefault(data["emoji"]["name"], []).append(user)
    whole = {"burst": False, "type": 0, **data}
    if user and data.get("guild_id"):
        member = _guild(server.world, data["guild_id"]).members.get(user.id)
        whole = ({"member": documents.member(member)} if member else {}) | whole
    _dispatch(server, name, whole, Intents.GUILD_MESSAGE_REACTIONS, Intents.DIRECT_MESSAGE_REACTIONS)


def _thread(server: DiscordServer, name: str, data: Payload) -> None:
    world = server.world
    parent = _channel(world, data, data["parent_id"], ChannelType.TEXT)
    metadata = data.get("thread_metadata") or {}
    thread = world.channels.get(int(data["id"])) or world.thread(
        data["name"], parent, int(data.get("owner_id") or 0), int(data["id"])
    )
    thread.name = data.get("name", thread.name)
    thread.archived, thread.locked = bool(metadata.get("archived")), bool(metadata.get("locked"))
    whole = documents.channel(thread) | {key: value for key, value in data.items() if value is not None}
    _dispatch(server, name, whole, Intents.GUILDS, Intents.GUILDS)


def _dispatch(server: DiscordServer, name: str, data: Payload, there: Intents, direct: Intents) -> None:
    guild_id = int(data["guild_id"]) if data.get("guild_id") else None
    server.gateway.dispatch(name, data, there if guild_id else direct, guild_id)


_EVENTS = {
    "MESSAGE_CREATE": _written,
    "MESSAGE_UPDATE": _written,
    "MESSAGE_DELETE": _deleted,
    "MESSAGE_DELETE_BULK": _deleted,
    "MESSAGE_REACTION_ADD": _reacted,
    "THREAD_CREATE": _thread,
    "THREAD_UPDATE": _thread,
}


def _interaction(server: DiscordServer, data: Payload) -> Interaction:
    world = server.world
    with world.lock:
        user = _user(world, (data.get("member") or {}).get("user") or data["user"])
        _member(world, data, user)
        made = Interaction(
            id=int(data["id"]),
            type=InteractionType(data["type"]),
            token=data["token"],
            user=user,
            channel=_channel(world, data, data["channel_id"], ChannelType.TEXT),
            data=data["data"],
            message=_message(world, data["message"]) if data.get("message") else None,
        )
    return server.people.begin(made)
