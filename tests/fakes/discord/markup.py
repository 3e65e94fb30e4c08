"""Whom a text mentions, and whom a message with it notifies.

https://discord.com/developers/docs/reference#message-formatting
https://discord.com/developers/docs/resources/message#allowed-mentions-object
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fakes.discord.posts import Pings

_CODE = re.compile(r"```.*?```|``.+?``|`[^`]+`", re.DOTALL)
_USER, _ROLE, _EVERYONE = re.compile(r"<@!?(\d+)>"), re.compile(r"<@&(\d+)>"), re.compile(r"@(?:everyone|here)\b")


def mentioned(text: str) -> Pings:
    """Everybody whom a text names outside of code."""
    plain = _CODE.sub(" ", text)
    users, roles = _USER.findall(plain), _ROLE.findall(plain)
    return Pings(frozenset(map(int, users)), frozenset(map(int, roles)), bool(_EVERYONE.search(plain)))


def pings(text: str, allowed: Mapping[str, Any] | None, replied_to: int | None = None) -> Pings:
    """Whom a message notifies; without `allowed_mentions` everybody whom it names, and the author it replies to."""
    named = mentioned(text)
    if allowed is None:
        return Pings(named.users | ({replied_to} if replied_to else frozenset()), named.roles, named.everyone)
    parse = allowed.get("parse") or ()
    users = named.users if "users" in parse else named.users & {int(each) for each in allowed.get("users") or ()}
    roles = named.roles if "roles" in parse else named.roles & {int(each) for each in allowed.get("roles") or ()}
    if replied_to and allowed.get("replied_user"):
        users |= {replied_to}
    return Pings(users, roles, named.everyone and "everyone" in parse)
