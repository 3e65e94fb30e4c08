"""What Discord takes for a message, a thread's name and a command: each function raises the Problem that refuses it.

https://discord.com/developers/docs/resources/message#create-message
https://discord.com/developers/docs/components/reference
https://discord.com/developers/docs/interactions/application-commands
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from fakes.discord import problems
from fakes.discord.posts import MessageFlags

CONTENT_MAX, NONCE_MAX, EMBEDS_MAX, EMBED_TEXT_MAX, ROWS_MAX, BUTTONS_MAX = 2_000, 25, 10, 6_000, 5, 5
EMBED_FIELDS = {"title": 256, "description": 4_096}
CUSTOM_ID_MAX, LABEL_MAX, LINK_MAX = 100, 80, 512
ROW, BUTTON, LINK_STYLE = 1, 2, 5
SENDABLE = MessageFlags.SUPPRESS_EMBEDS | MessageFlags.SUPPRESS_NOTIFICATIONS | MessageFlags.IS_COMPONENTS_V2
COMMANDS_MAX = 100
_COMMAND_NAME = re.compile(r"[-_'\w]{1,32}")


def check_message(body: Mapping[str, Any], *, editing: bool = False, flags: MessageFlags = SENDABLE) -> None:
    """A body that makes a message, or changes one; `flags` are those that may be set."""
    check_content(body.get("content"))
    check_embeds(body.get("embeds") or ())
    check_components(body.get("components") or ())
    check_allowed_mentions(body.get("allowed_mentions"))
    if len(str(body.get("nonce") or "")) > NONCE_MAX:
        raise problems.too_long("nonce", NONCE_MAX)
    if int(body.get("flags") or 0) & ~int(flags):
        raise problems.invalid("flags", "BITWISE_FLAG_INVALID", "A flag cannot be set.")
    parts = ("embeds", "components", "files", "sticker_ids", "poll")
    if not editing and not (body.get("content") or "").strip() and not any(body.get(part) for part in parts):
        raise problems.empty_message()


def check_content(content: object) -> None:
    """At most 2,000 code points, blanks at the ends not counted."""
    if content is not None and not isinstance(content, str):
        raise problems.invalid("content", "BASE_TYPE_STRING", "Could not interpret value as string.")
    if len((content or "").strip()) > CONTENT_MAX:
        raise problems.too_long("content", CONTENT_MAX)


def check_embeds(embeds: Sequence[Mapping[str, Any]]) -> None:
    if len(embeds) > EMBEDS_MAX:
        raise problems.too_long("embeds", EMBEDS_MAX)
    total = 0
    for number, embed in enumerate(embeds):
        for name, most in EMBED_FIELDS.items():
            if len(embed.get(name) or "") > most:
                raise problems.too_long(f"embeds.{number}.{name}", most)
        fields = "".join(str(each.get("name")) + str(each.get("value")) for each in embed.get("fields") or ())
        total += sum(len(embed.get(name) or "") for name in EMBED_FIELDS) + len(fields)
    if total > EMBED_TEXT_MAX:
        raise problems.invalid(
            "embeds", "MAX_EMBED_SIZE_EXCEEDED", f"Embed size exceeds maximum size of {EMBED_TEXT_MAX}"
        )


def check_components(components: Sequence[Mapping[str, Any]]) -> None:
    """Rows of buttons; other components pass as they are."""
    if len(components) > ROWS_MAX:
        raise problems.bad_length("components", 1, ROWS_MAX)
    seen: set[str] = set()
    for row, component in enumerate(components):
        within = component.get("components") or ()
        where = f"components.{row}"
        if component.get("type") == BUTTON:
            raise problems.invalid(where, "UNION_TYPE_CHOICES", "A button must stand in an action row.")
        if component.get("type") == ROW and not 1 <= len(within) <= BUTTONS_MAX:
            raise problems.bad_length(f"{where}.components", 1, BUTTONS_MAX)
        for number, each in enumerate(within):
            if each.get("type") == BUTTON:
                _check_button(each, f"{where}.components.{number}", seen)


def _check_button(button: Mapping[str, Any], where: str, seen: set[str]) -> None:
    custom_id, url, style = button.get("custom_id"), button.get("url"), button.get("style")
    if style not in range(1, 7):
        raise problems.invalid(f"{where}.style", "BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3, 4, 5, 6).")
    if len(button.get("label") or "") > LABEL_MAX:
        raise problems.too_long(f"{where}.label", LABEL_MAX)
    if not button.get("label") and not button.get("emoji"):
        raise problems.invalid(where, "BUTTON_COMPONENT_INVALID_LABEL_EMOJI", "A button needs a label or an emoji.")
    if style == LINK_STYLE:
        if custom_id or not url:
            raise problems.invalid(where, "BASE_TYPE_REQUIRED", "A link button has a url and no custom_id.")
        if len(url) > LINK_MAX:
            raise problems.too_long(f"{where}.url", LINK_MAX)
        if urlsplit(url).scheme not in ("http", "https", "discord"):
            raise problems.invalid(f"{where}.url", "URL_TYPE_INVALID_SCHEME", "Scheme must be one of (http, https).")
        return
    if url or not custom_id:
        raise problems.invalid(where, "BASE_TYPE_REQUIRED", "A button has a custom_id and no url.")
    if len(custom_id) > CUSTOM_ID_MAX:
        raise problems.too_long(f"{where}.custom_id", CUSTOM_ID_MAX)
    if custom_id in seen:
        raise problems.invalid(where, "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
    seen.add(custom_id)


def check_allowed_mentions(allowed: Mapping[str, Any] | None) -> None:
    """https://discord.com/developers/docs/resources/message#allowed-mentions-object"""
    if allowed is None:
        return
    parse = allowed.get("parse") or ()
    if unknown := set(parse) - {"roles", "users", "everyone"}:
        where, word = "allowed_mentions.parse", min(unknown)
        raise problems.invalid(where, "BASE_TYPE_CHOICES", f"{word!r} is none of ('roles', 'users', 'everyone').")
    for name in ("users", "roles"):
        if len(allowed.get(name) or ()) > 100:
            raise problems.too_long(f"allowed_mentions.{name}", 100)
        if allowed.get(name) and name in parse:
            message = f"parse:[{name!r}] and {name}: [ids...] are mutually exclusive."
            raise problems.invalid("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", message)


def check_thread_name(name: object) -> str:
    """The name as it is kept: without blanks at its ends, 1 to 100 characters."""
    text = name.strip() if isinstance(name, str) else ""
    if not 1 <= len(text) <= 100:
        raise problems.bad_length("name", 1, 100)
    return text


def check_commands(commands: Sequence[Mapping[str, Any]]) -> None:
    """https://discord.com/developers/docs/interactions/application-commands#application-command-object"""
    if len(commands) > COMMANDS_MAX:
        raise problems.invalid("", "APPLICATION_COMMANDS_MAX", "Maximum number of application commands reached (100).")
    for number, command in enumerate(commands):
        name, slash = str(command.get("name") or ""), command.get("type", 1) == 1
        shaped = _COMMAND_NAME.fullmatch(name) and name == name.lower() if slash else 1 <= len(name) <= 32
        if not shaped:
            raise problems.invalid(f"{number}.name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
        if slash and not 1 <= len(command.get("description") or "") <= 100:
            raise problems.bad_length(f"{number}.description", 1, 100)
        if not slash and (command.get("description") or command.get("options")):
            raise problems.invalid(f"{number}", "APPLICATION_COMMAND_INVALID", "It has no description and no options.")
        _check_options(command.get("options") or (), f"{number}.options")


def _check_options(options: Sequence[Mapping[str, Any]], where: str) -> None:
    if len(options) > 25:
        raise problems.bad_length(where, 0, 25)
    optional = False
    for number, option in enumerate(options):
        at = f"{where}.{number}"
        if not _COMMAND_NAME.fullmatch(str(option.get("name") or "")):
            raise problems.invalid(f"{at}.name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
        if not 1 <= len(option.get("description") or "") <= 100:
            raise problems.bad_length(f"{at}.description", 1, 100)
        if option.get("required") and optional:
            message = "Required options must be placed before non-required options"
            raise problems.invalid(at, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", message)
        optional = optional or not option.get("required")
        check_choices(option.get("choices") or (), f"{at}.choices")
        _check_options(option.get("options") or (), f"{at}.options")


def check_choices(choices: Sequence[Mapping[str, Any]], where: str = "data.choices") -> None:
    if len(choices) > 25:
        raise problems.bad_length(where, 0, 25)
    for number, choice in enumerate(choices):
        if not 1 <= len(choice.get("name") or "") <= 100:
            raise problems.bad_length(f"{where}.{number}.name", 1, 100)
        if isinstance(choice.get("value"), str) and not 1 <= len(choice["value"]) <= 100:
            raise problems.bad_length(f"{where}.{number}.value", 1, 100)
