"""Routes that answer an interaction, and go on with the answer.

https://discord.com/developers/docs/interactions/receiving-and-responding
https://discord.com/developers/docs/resources/webhook
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from fakes.discord import documents, problems
from fakes.discord.bodies import SENDABLE, check_choices, check_message
from fakes.discord.calls import Call, Reply, Routes
from fakes.discord.markup import pings
from fakes.discord.posts import Interaction, InteractionType, Message, MessageFlags
from fakes.discord.rest_messages import withdraw

ROUTES = Routes()
CALLBACK_LIMIT_S, TOKEN_LIFETIME_S = 3.0, 900.0
PONG, MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE, CHOICES, MODAL = 1, 4, 5, 6, 7, 8, 9
TYPES: Mapping[InteractionType, tuple[int, ...]] = {
    InteractionType.APPLICATION_COMMAND: (MESSAGE, DEFERRED, MODAL),
    InteractionType.MESSAGE_COMPONENT: (MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE, MODAL),
    InteractionType.AUTOCOMPLETE: (CHOICES,),
    InteractionType.MODAL_SUBMIT: (MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE),
}
WEBHOOK = "/webhooks/{application_id}/{token}"
ANSWERING = SENDABLE | MessageFlags.EPHEMERAL


@ROUTES.add("POST", "/interactions/{interaction_id}/{token}/callback", open=True)
def callback(call: Call, interaction_id: int, token: str) -> Reply:
    """It must come within 3 seconds, and once."""
    found = call.world.interactions.get(token)
    if found is None or found.id != interaction_id:
        raise problems.unknown_interaction()
    if found.answered_at is not None:
        raise problems.already_acknowledged()
    if time.monotonic() - found.at > CALLBACK_LIMIT_S:
        raise problems.unknown_interaction()
    kind = call.body.get("type")
    if kind not in TYPES[found.type]:
        raise problems.invalid("type", "BASE_TYPE_CHOICES", f"Value must be one of {TYPES[found.type]}.")
    _answer(call, found, kind, call.body.get("data") or {})
    found.answered_at, found.response, found.callback = time.monotonic(), kind, call.body
    call.world.did("responded", found.channel, found.original, str(kind), interaction=found)
    wanted = call.query.get("with_response", "").lower() in ("1", "true")
    return Reply(200, documents.callback(found, call.world)) if wanted else Reply(204)


def _answer(call: Call, found: Interaction, kind: int, data: Mapping[str, Any]) -> None:
    """Do what the answer says; raises a Problem."""
    match kind:
        case 4:
            check_message(data, flags=ANSWERING)
            found.original = _made(call, found, data)
            call.world.did("sent", found.channel, found.original, found.original.content, interaction=found)
        case 5:
            flags = int(data.get("flags") or 0) & MessageFlags.EPHEMERAL | MessageFlags.LOADING
            found.original = _made(call, found, {**data, "flags": flags})
        case 6:
            found.original = found.message
        case 7:
            found.original = found.message
            if found.message:
                _changed(call, found, found.message, data)
        case 8:
            check_choices(data.get("choices") or ())


def _made(call: Call, found: Interaction, body: Mapping[str, Any]) -> Message:
    """A message that answers."""
    world, content = call.world, (body.get("content") or "").strip()
    message = world.add_message(
        found.channel,
        world.bot,
        content,
        type=documents.message_type(found) if found.original is None else 19,
        reference=found.original.id if found.original else found.message.id if found.message else None,
        pings=pings(content, body.get("allowed_mentions")),
        flags=int(body.get("flags") or 0),
        components=body.get("components") or (),
        embeds=body.get("embeds") or (),
        webhook_id=world.application.id,
        application_id=world.application.id,
        interaction=found,
        body=body,
    )
    if not message.ephemeral:
        call.dispatch_message("MESSAGE_CREATE", message)
    return message


def _webhook(call: Call, application_id: int, token: str) -> Interaction:
    """The interaction whose token it is, while it is good; raises a Problem."""
    found = call.world.interactions.get(token)
    if found is None or application_id != call.world.application.id:
        raise problems.unknown_webhook()
    if time.monotonic() - found.at > TOKEN_LIFETIME_S:
        raise problems.invalid_webhook_token()
    if found.answered_at is None:
        raise problems.unknown_webhook()
    return found


@ROUTES.add("POST", WEBHOOK, open=True)
def follow_up(call: Call, application_id: int, token: str) -> Reply:
    """A further message; the first after a deferral takes its place."""
    found = _webhook(call, application_id, token)
    check_message(call.body, flags=ANSWERING)
    if found.original and found.original.flags & MessageFlags.LOADING:
        _changed(call, found, found.original, call.body)
        return Reply(200, documents.message(found.original, call.world))
    message = _made(call, found, call.body)
    found.followups.append(message)
    call.world.did("sent", found.channel, message, message.content, interaction=found)
    return Reply(200, documents.message(message, call.world))


def _written(call: Call, found: Interaction, message_id: str) -> Message:
    made = [each for each in (found.original, *found.followups) if each and not each.deleted]
    named = (each for each in made if str(each.id) == message_id)
    message = found.original if message_id == "@original" else next(named, None)
    if message is None or message.deleted:
        raise problems.unknown_message()
    return message


@ROUTES.add("GET", f"{WEBHOOK}/messages/{{which}}", open=True)
def written(call: Call, application_id: int, token: str, which: str) -> Reply:
    found = _webhook(call, application_id, token)
    return Reply(200, documents.message(_written(call, found, which), call.world))


@ROUTES.add("PATCH", f"{WEBHOOK}/messages/{{which}}", open=True)
def edit_written(call: Call, application_id: int, token: str, which: str) -> Reply:
    found = _webhook(call, application_id, token)
    message = _written(call, found, which)
    check_message(call.body, editing=True)
    _changed(call, found, message, call.body)
    return Reply(200, documents.message(message, call.world))


@ROUTES.add("DELETE", f"{WEBHOOK}/messages/{{which}}", open=True)
def delete_written(call: Call, application_id: int, token: str, which: str) -> Reply:
    found = _webhook(call, application_id, token)
    withdraw(call, _written(call, found, which))
    return Reply(204)


def _changed(call: Call, found: Interaction, message: Message, body: Mapping[str, Any]) -> None:
    """Change a message that answers; a deferred one becomes what it was to be."""
    check_message(body, editing=True, flags=ANSWERING)
    empty = "content" in body and not (body["content"] or "").strip()
    loading = message.flags & MessageFlags.LOADING
    if (empty or (loading and not body.get("content"))) and not (body.get("embeds") or body.get("components")):
        raise problems.empty_message()
    kept = message.flags & MessageFlags.EPHEMERAL
    call.world.change_message(message, body)
    message.flags = int(body.get("flags") or message.flags) & ~MessageFlags.LOADING | kept
    message.pings = pings(message.content, body.get("allowed_mentions"))
    call.world.did("edited", message.channel, message, message.content, interaction=found)
    if not message.ephemeral:
        call.dispatch_message("MESSAGE_UPDATE", message)
