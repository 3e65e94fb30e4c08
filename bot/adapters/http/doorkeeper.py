"""Who sends a request: found by the key that it shows, in a picture of all keys that is seconds old at most."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from functools import partial
from typing import Final

import anyio
from anyio.to_thread import run_sync
from starlette.datastructures import Headers

from bot.adapters.http.problem import Problem, Refused
from bot.database import now
from bot.keys import TOKEN, Key, Keyring, KeysUnavailable, hash_of, is_torn

log = logging.getLogger("repopilot.http")

# How long a key that was revoked may still open, and one that was made does not yet.
FRESH_S: Final = 2.0

CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="repopilot"'}
UNAUTHORIZED: Final = Problem(
    401, "unauthorized", "Send a key of this service as `Authorization: Bearer KEY`.", CHALLENGE
)
TORN: Final = Problem(401, "unauthorized", "This key is not whole: was all of it copied?", CHALLENGE)


class Doorkeeper:
    """Asks for a key as soon as there is one, also when it is revoked or expired: losing the last one opens nothing.

    The token, which is a setting, needs no database. Keys are looked up by their hash, so that how long it takes
    says nothing about how near a guess is.
    """

    def __init__(self, token: str | None, keyring: Keyring | None) -> None:
        self._token = {hash_of(token.encode()): Key(TOKEN, "", now())} if token else {}
        self._keyring = keyring
        self._lock = anyio.Lock()
        self._keys: Mapping[str, Key] = {}
        self._read_at = float("-inf")
        self._seen: dict[str, str] = {}

    async def admit(self, headers: Headers) -> Key | None:
        """The key that a request shows; None where there are no keys at all.

        Raises Refused, and KeysUnavailable when the keys cannot be read: a door whose keys are not known stays shut.
        """
        shown = _shown(headers)
        found = hash_of(shown) if shown else ""
        if key := self._token.get(found):
            return key
        keys = await self._current()
        key = keys.get(found)
        if key and key.valid(now()):
            await self._note(key)
            return key
        if not keys and not self._token:
            return None
        raise Refused(TORN if is_torn(shown.decode("latin-1")) else UNAUTHORIZED)

    async def _current(self) -> Mapping[str, Key]:
        if self._keyring is None:
            return {}
        async with self._lock:
            if time.monotonic() - self._read_at > FRESH_S:
                self._keys = await run_sync(self._keyring.by_hash)
                self._read_at = time.monotonic()
        return self._keys

    async def _note(self, key: Key) -> None:
        """The day of its last use: written once a day and process, and not worth a request that fails."""
        today = now()[:10]
        if self._keyring and self._seen.get(key.name, key.used_on) != today:
            self._seen[key.name] = today
            try:
                await run_sync(partial(self._keyring.used, key.name, today))
            except KeysUnavailable as error:
                log.warning("the use of a key was not noted: %s", error)


def _shown(headers: Headers) -> bytes:
    scheme, _, given = headers.get("authorization", "").partition(" ")
    return given.strip().encode("latin-1") if scheme.lower() == "bearer" else b""
