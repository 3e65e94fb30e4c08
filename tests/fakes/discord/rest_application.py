"""Routes of the application, its bot, its guilds and its commands.

https://discord.com/developers/docs/resources/application
https://discord.com/developers/docs/interactions/application-commands
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fakes.discord import documents, problems
from fakes.discord.bodies import check_commands
from fakes.discord.calls import Call, Reply, Routes
from fakes.discord.people import Guild

ROUTES = Routes()
COMMANDS = "/applications/{application_id}/commands"
GUILD_COMMANDS = "/applications/{application_id}/guilds/{guild_id}/commands"


@ROUTES.add("GET", "/gateway", open=True)
def gateway(call: Call) -> Reply:
    return Reply(200, {"url": call.hub.gateway.url})


@ROUTES.add("GET", "/gateway/bot")
def gateway_bot(call: Call) -> Reply:
    held = call.hub.gateway
    left = {"total": 1_000, "remaining": 1_000 - held.identified, "reset_after": 86_400_000, "max_concurrency": 1}
    return Reply(200, {"url": held.url, "shards": held.recommended_shards, "session_start_limit": left})


@ROUTES.add("GET", "/users/@me")
def me(call: Call) -> Reply:
    about = {"verified": True, "mfa_enabled": False, "flags": 0, "email": None, "locale": "en-US"}
    return Reply(200, documents.user(call.world.bot) | about)


@ROUTES.add("GET", "/users/@me/guilds")
def my_guilds(call: Call) -> Reply:
    return Reply(200, [{"id": str(each.id), "name": each.name} for each in call.world.guilds.values()])


@ROUTES.add("GET", "/users/{user_id}")
def user(call: Call, user_id: int) -> Reply:
    if found := call.world.users.get(user_id):
        return Reply(200, documents.user(found))
    raise problems.unknown_user()


@ROUTES.add("GET", "/applications/@me")
@ROUTES.add("GET", "/oauth2/applications/@me")
def application(call: Call) -> Reply:
    return Reply(200, documents.application(call.world.application))


def _guild(call: Call, guild_id: int) -> Guild:
    if found := call.world.guilds.get(guild_id):
        return found
    raise problems.unknown_guild()


@ROUTES.add("GET", "/guilds/{guild_id}")
def guild(call: Call, guild_id: int) -> Reply:
    return Reply(200, documents.guild(_guild(call, guild_id), call.world))


@ROUTES.add("GET", "/guilds/{guild_id}/members/{user_id}")
def member(call: Call, guild_id: int, user_id: int) -> Reply:
    if found := _guild(call, guild_id).members.get(user_id):
        return Reply(200, documents.member(found))
    raise problems.Problem(404, 10_007, "Unknown Member")


@ROUTES.add("GET", COMMANDS)
@ROUTES.add("GET", GUILD_COMMANDS)
def commands(call: Call, application_id: int, guild_id: int | None = None) -> Reply:
    _own(call, application_id, guild_id)
    return Reply(200, call.world.commands.get(guild_id, []))


@ROUTES.add("PUT", COMMANDS)
@ROUTES.add("PUT", GUILD_COMMANDS)
def overwrite_commands(call: Call, application_id: int, guild_id: int | None = None) -> Reply:
    _own(call, application_id, guild_id)
    if not isinstance(call.json, list):
        raise problems.no_json()
    check_commands(call.json)
    call.world.commands[guild_id] = [_registered(call, each, guild_id) for each in call.json]
    return Reply(200, call.world.commands[guild_id])


@ROUTES.add("POST", COMMANDS)
@ROUTES.add("POST", GUILD_COMMANDS)
def create_command(call: Call, application_id: int, guild_id: int | None = None) -> Reply:
    """A command of the same name and type is overwritten."""
    _own(call, application_id, guild_id)
    check_commands([call.body])
    made = _registered(call, call.body, guild_id)
    kept = [each for each in call.world.commands.get(guild_id, []) if _key(each) != _key(made)]
    call.world.commands[guild_id] = [*kept, made]
    return Reply(200 if len(kept) < len(call.world.commands[guild_id]) - 1 else 201, made)


def _own(call: Call, application_id: int, guild_id: int | None) -> None:
    if application_id != call.world.application.id:
        raise problems.Problem(403, 20_012, "You are not authorized to perform this action on this application")
    if guild_id is not None:
        _guild(call, guild_id)


def _key(command: dict[str, Any]) -> Sequence[Any]:
    return command["name"], command.get("type", 1)


def _registered(call: Call, command: Any, guild_id: int | None) -> dict[str, Any]:
    """The command as it is kept; one that was registered before keeps its id."""
    held = next((each for each in call.world.commands.get(guild_id, []) if _key(each) == _key(command)), None)
    ids = {"id": held["id"] if held else str(call.world.new_id()), "application_id": str(call.world.application.id)}
    place = {"guild_id": str(guild_id)} if guild_id else {}
    unset = {"type": 1, "description": "", "default_member_permissions": None, "nsfw": False, "options": []}
    return unset | command | ids | place | {"version": str(call.world.new_id())}
