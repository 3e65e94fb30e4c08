"""Routes of messages and reactions: https://discord.com/developers/docs/resources/message"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from fakes.discord import documents, problems
from fakes.discord.bodies import check_message
from fakes.discord.calls import Call, Reply, Routes
from fakes.discord.markup import pings
from fakes.discord.people import Channel, ChannelType, Intents, Permission
from fakes.discord.posts import Message, MessageType
from fakes.discord.sessions import readable

ROUTES = Routes()
PAGE, PAGE_MAX = 50, 100
MESSAGES = "/channels/{channel_id}/messages"
MESSAGE = f"{MESSAGES}/{{message_id}}"


def writable(call: Call, channel_id: int) -> Channel:
    """The channel, where the bot may write; raises a Problem."""
    found = call.world.channels.get(channel_id)
    threaded = found is not None and found.is_thread
    wanted = Permission.SEND_MESSAGES_IN_THREADS if threaded else Permission.SEND_MESSAGES
    channel = call.channel(channel_id, wanted)
    if channel.type is ChannelType.FORUM:
        raise problems.wrong_channel_type()
    if channel.recipient and channel.recipient.dms_closed:
        raise problems.closed_to_messages()
    if channel.locked:
        raise problems.locked()
    if channel.in_forum and call.world.starter(channel) is None:
        raise problems.post_without_starter()
    return channel


@ROUTES.add("POST", MESSAGES)
def create_message(call: Call, channel_id: int) -> Reply:
    channel, body, world = writable(call, channel_id), call.body, call.world
    check_message(body)
    nonce = body.get("nonce")
    if body.get("enforce_nonce") and nonce and (made := world.with_nonce(world.bot, nonce)):
        return Reply(200, documents.message(made, world))
    message = world.add_message(channel, world.bot, (body.get("content") or "").strip(), **_fields(call, channel, body))
    if nonce:
        world.keep_nonce(world.bot, nonce, message)
    world.did("sent", channel, message, message.content)
    call.dispatch_message("MESSAGE_CREATE", message)
    return Reply(200, documents.message(message, world))


def _fields(call: Call, channel: Channel, body: Mapping[str, Any]) -> dict[str, Any]:
    """What a new message has of the body that asks for it."""
    replied = _replied(call, channel, body.get("message_reference"))
    author = replied.author.id if replied else None
    return {
        "type": MessageType.REPLY if replied else MessageType.DEFAULT,
        "reference": replied.id if replied else None,
        "pings": pings(body.get("content") or "", body.get("allowed_mentions"), author),
        "flags": int(body.get("flags") or 0),
        "components": body.get("components") or (),
        "embeds": body.get("embeds") or (),
        "attachments": [_attachment(call, name) for name in call.files],
        "nonce": body.get("nonce"),
        "body": body,
    }


def _replied(call: Call, channel: Channel, reference: Mapping[str, Any] | None) -> Message | None:
    """The message that is replied to, None without; raises a Problem when there must be one and it is gone.

    https://discord.com/developers/docs/resources/message#message-reference-structure
    """
    if not reference:
        return None
    found = call.world.message(channel, int(reference.get("message_id") or 0))
    if found is None and reference.get("fail_if_not_exists", True):
        raise problems.invalid("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
    if found and not channel.permissions(call.world.bot) & Permission.READ_MESSAGE_HISTORY:
        message = "Cannot reply without permission to read message history"
        raise problems.Problem(400, 160_002, message)
    return found


def _attachment(call: Call, name: str) -> dict[str, Any]:
    url = f"{call.hub.url}/attachments/{name}"
    return {"id": str(call.world.new_id()), "filename": name, "size": 1, "url": url, "proxy_url": url}


@ROUTES.add("GET", MESSAGES)
def messages(call: Call, channel_id: int) -> Reply:
    """The newest first. https://discord.com/developers/docs/resources/message#get-channel-messages"""
    channel = call.channel(channel_id)
    if not channel.permissions(call.world.bot) & Permission.READ_MESSAGE_HISTORY:
        return Reply(200, [])
    limit = int(call.query.get("limit", PAGE))
    if not 1 <= limit <= PAGE_MAX:
        raise problems.invalid("limit", "NUMBER_TYPE_MAX", f"int value should be between 1 and {PAGE_MAX}.")
    held, query = call.world.history(channel), call.query
    if before := int(query.get("before", 0)):
        held = [each for each in held if each.id < before]
    if after := int(query.get("after", 0)):
        held = [each for each in held if each.id > after][-limit:]
    if around := int(query.get("around", 0)):
        nearest = sorted(held, key=lambda each: abs(each.id - around))[:limit]
        held = [each for each in held if each in nearest]
    return Reply(200, [_shown(call, each) for each in held[:limit]])


def _shown(call: Call, message: Message) -> Mapping[str, Any]:
    """The message as REST shows it: the intent holds here, too, by what the application's owner has switched on."""
    allowed = bool(call.world.application.allowed & Intents.MESSAGE_CONTENT)
    whole = documents.message(message, call.world)
    return readable(whole, call.world.bot.id, allowed=allowed, direct=message.channel.guild is None)


@ROUTES.add("GET", MESSAGE)
def message(call: Call, channel_id: int, message_id: int) -> Reply:
    found = call.message(call.channel(channel_id, Permission.READ_MESSAGE_HISTORY), message_id)
    return Reply(200, _shown(call, found))


@ROUTES.add("PATCH", MESSAGE)
def edit_message(call: Call, channel_id: int, message_id: int) -> Reply:
    channel = call.channel(channel_id)
    found = call.message(channel, message_id)
    if found.author is not call.world.bot:
        raise problems.authored_by_another()
    if channel.locked or channel.archived:
        raise problems.archived()
    edit(call, found)
    return Reply(200, documents.message(found, call.world))


def edit(call: Call, found: Message) -> None:
    """Change one of the bot's messages by the body of a request; raises a Problem."""
    body = call.body
    check_message(body, editing=True)
    if "content" in body and not (body["content"] or "").strip() and not (body.get("embeds") or found.embeds):
        raise problems.empty_message()
    call.world.change_message(found, body)
    call.world.did("edited", found.channel, found, found.content)
    call.dispatch_message("MESSAGE_UPDATE", found)


@ROUTES.add("DELETE", MESSAGE)
def delete_message(call: Call, channel_id: int, message_id: int) -> Reply:
    channel = call.channel(channel_id)
    found = call.message(channel, message_id)
    if found.author is not call.world.bot and not channel.permissions(call.world.bot) & Permission.MANAGE_MESSAGES:
        raise problems.missing_permissions()
    withdraw(call, found)
    return Reply(204)


def withdraw(call: Call, found: Message) -> None:
    found.deleted = True
    call.world.did("deleted", found.channel, found, found.content)
    call.hub.gateway.message("MESSAGE_DELETE", found)


@ROUTES.add("PUT", f"{MESSAGE}/reactions/{{emoji}}/@me")
def react(call: Call, channel_id: int, message_id: int, emoji: str) -> Reply:
    channel = call.channel(channel_id, Permission.READ_MESSAGE_HISTORY, Permission.ADD_REACTIONS)
    found, bot = call.message(channel, message_id), call.world.bot
    by = found.reactions.setdefault(unquote(emoji), [])
    if bot not in by:
        by.append(bot)
        call.world.did("reacted", channel, found, unquote(emoji))
        call.hub.gateway.reaction("MESSAGE_REACTION_ADD", found, bot, unquote(emoji))
    return Reply(204)


@ROUTES.add("DELETE", f"{MESSAGE}/reactions/{{emoji}}/@me")
def unreact(call: Call, channel_id: int, message_id: int, emoji: str) -> Reply:
    channel = call.channel(channel_id)
    found, bot = call.message(channel, message_id), call.world.bot
    if bot in found.reactions.get(unquote(emoji), ()):
        found.reactions[unquote(emoji)].remove(bot)
        call.world.did("unreacted", channel, found, unquote(emoji))
        call.hub.gateway.reaction("MESSAGE_REACTION_REMOVE", found, bot, unquote(emoji))
    return Reply(204)


@ROUTES.add("GET", f"{MESSAGE}/reactions/{{emoji}}")
def reactions(call: Call, channel_id: int, message_id: int, emoji: str) -> Reply:
    found = call.message(call.channel(channel_id), message_id)
    return Reply(200, [documents.user(each) for each in found.reactions.get(unquote(emoji), ())])
