"""Routes of channels, threads and direct messages: https://discord.com/developers/docs/resources/channel"""

from __future__ import annotations

from typing import Any

from fakes.discord import documents, problems
from fakes.discord.bodies import check_thread_name
from fakes.discord.calls import Call, Reply, Routes
from fakes.discord.people import Channel, ChannelType, Permission
from fakes.discord.posts import MessageFlags

ROUTES = Routes()
CHANNEL = "/channels/{channel_id}"


@ROUTES.add("GET", CHANNEL)
def channel(call: Call, channel_id: int) -> Reply:
    return Reply(200, documents.channel(call.channel(channel_id)))


@ROUTES.add("PATCH", CHANNEL)
def edit_channel(call: Call, channel_id: int) -> Reply:
    """A thread's name, and whether it is archived or locked."""
    found, body = call.channel(channel_id), call.body
    own = found.is_thread and found.owner_id == call.world.bot.id
    if not own and not found.permissions(call.world.bot) & Permission.MANAGE_THREADS:
        raise problems.missing_permissions()
    if found.archived and body.get("archived") is not False:
        raise problems.archived()
    found.name = check_thread_name(body["name"]) if "name" in body else found.name
    found.archived = bool(body.get("archived", found.archived))
    found.locked = bool(body.get("locked", found.locked))
    call.hub.gateway.channel("THREAD_UPDATE", found)
    return Reply(200, documents.channel(found))


@ROUTES.add("POST", f"{CHANNEL}/typing")
def typing(call: Call, channel_id: int) -> Reply:
    """It is shown for ten seconds, or until the bot's next message."""
    found = call.world.channels.get(channel_id)
    threaded = found is not None and found.is_thread
    wanted = Permission.SEND_MESSAGES_IN_THREADS if threaded else Permission.SEND_MESSAGES
    call.world.did("typed", call.channel(channel_id, wanted))
    return Reply(204)


@ROUTES.add("POST", f"{CHANNEL}/messages/{{message_id}}/threads")
def start_thread(call: Call, channel_id: int, message_id: int) -> Reply:
    """The thread of a message has the message's id, and a message has one at most."""
    above = call.channel(channel_id, Permission.CREATE_PUBLIC_THREADS)
    if above.type is not ChannelType.TEXT:
        raise problems.wrong_channel_type()
    found = call.message(above, message_id)
    name = check_thread_name(call.body.get("name"))
    if found.thread or found.id in call.world.channels:
        raise problems.thread_exists()
    thread = call.world.thread(name, above, call.world.bot.id, id=found.id, joined=True)
    found.thread, found.flags = thread, found.flags | MessageFlags.HAS_THREAD
    call.dispatch_message("MESSAGE_UPDATE", found)
    return _started(call, thread)


@ROUTES.add("POST", f"{CHANNEL}/threads")
def start_thread_without_message(call: Call, channel_id: int) -> Reply:
    above = call.channel(channel_id, Permission.CREATE_PUBLIC_THREADS)
    if above.type is not ChannelType.TEXT:
        raise problems.wrong_channel_type()
    name = check_thread_name(call.body.get("name"))
    return _started(call, call.world.thread(name, above, call.world.bot.id, joined=True))


def _started(call: Call, thread: Channel) -> Reply:
    call.world.did("threaded", thread, content=thread.name)
    call.hub.gateway.channel("THREAD_CREATE", thread, newly_created=True)
    return Reply(201, documents.channel(thread))


@ROUTES.add("PUT", f"{CHANNEL}/thread-members/@me")
def join_thread(call: Call, channel_id: int) -> Reply:
    found = call.channel(channel_id)
    if not found.is_thread:
        raise problems.wrong_channel_type()
    if found.archived:
        raise problems.archived()
    found.joined = True
    return Reply(204)


@ROUTES.add("POST", "/users/@me/channels")
def open_direct(call: Call) -> Reply:
    found = call.world.users.get(_id(call.body.get("recipient_id")))
    if found is None or found is call.world.bot:
        raise problems.unknown_user()
    return Reply(200, documents.channel(call.world.direct(found)))


def _id(value: Any) -> int:
    return int(value) if str(value).isdigit() else 0
