"""Keys: who may use the HTTP API, each by a name. A key is shown once; what is kept of it is its hash."""

from __future__ import annotations

import hashlib
import re
import secrets
import string
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Final

import sqlalchemy as sa

from bot.database import now, open_database
from indexer.errors import RepoPilotError

# As GitHub's: a prefix that scanners of leaked secrets know, no character at which a double click stops, a checksum
# (https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/).
PREFIX: Final = "rp_"
_LETTERS: Final = string.digits + string.ascii_letters
_RANDOM: Final = 43  # of 62 letters each: 256 bits
_CHECKSUM: Final = 6
_SHOWN: Final = len(PREFIX) + 5
_WHOLE: Final = re.compile(rf"{PREFIX}[0-9A-Za-z]{{{_RANDOM + _CHECKSUM}}}")

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
TOKEN: Final = "token"
"""What the one key is called that is a setting, REPOPILOT_API_TOKEN."""

_metadata = sa.MetaData()
_keys = sa.Table(
    "repopilot_keys",
    _metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("hash", sa.Text, nullable=False, unique=True),
    sa.Column("start", sa.Text, nullable=False),
    sa.Column("made_at", sa.Text, nullable=False),
    sa.Column("expires_at", sa.Text),
    sa.Column("revoked_at", sa.Text),
    sa.Column("used_on", sa.Text),
    sa.Column("per_minute", sa.Integer),
)


class KeysError(RepoPilotError):
    """No such name, a name that is taken or wrong."""


class KeysUnavailable(RepoPilotError):
    """The keys cannot be read, so nobody can be let in."""


@dataclass(frozen=True, slots=True)
class Key:
    """What is known of a key but the key itself. Times are ISO 8601, UTC; `start` is how it begins, `used_on` the last
    day on which it was used, `per_minute` how many requests it may send (None: as everybody)."""

    name: str
    start: str
    made_at: str
    expires_at: str | None = None
    revoked_at: str | None = None
    used_on: str | None = None
    per_minute: int | None = None

    def valid(self, at: str) -> bool:
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)


def hash_of(secret: bytes) -> str:
    """What is stored of a key. Slow, salted hashes are for what people choose: nobody can try 2^256 keys, and a fast
    hash is found in a table at each request."""
    return hashlib.sha256(secret).hexdigest()


def new_secret() -> str:
    """A new key: `rp_`, 256 random bits, and a checksum."""
    random = PREFIX + "".join(secrets.choice(_LETTERS) for _ in range(_RANDOM))
    return random + _checksum(random)


def is_torn(secret: str) -> bool:
    """Whether it begins as our keys do and is none: something was lost or changed on its way."""
    whole = _WHOLE.fullmatch(secret) and _checksum(secret[:-_CHECKSUM]) == secret[-_CHECKSUM:]
    return secret.startswith(PREFIX) and not whole


class Keyring:
    """Keys in SQLite or PostgreSQL, by an SQLAlchemy address. Safe to use from several threads and processes.

    Everything raises KeysUnavailable when the database cannot be reached.
    """

    def __init__(self, url: str) -> None:
        self._url = url

    def add(self, name: str, days: float | None = None, per_minute: int | None = None) -> tuple[Key, str]:
        """Make a key that is valid for so many days (None: until it is revoked); the key's text is not kept.

        Raises KeysError for a name that is wrong or was used before: what is logged under a name is of one key.
        """
        if not NAME.fullmatch(name) or name == TOKEN:
            raise KeysError(
                f"A key's name is up to 64 letters, digits, dots, dashes and underscores, and not `{TOKEN}`, which is"
                " REPOPILOT_API_TOKEN."
            )
        secret, expires = new_secret(), datetime.now(UTC) + timedelta(days=days) if days is not None else None
        key = Key(name, secret[:_SHOWN], now(), expires.isoformat() if expires else None, per_minute=per_minute)
        row = {field: getattr(key, field) for field in Key.__slots__} | {"hash": hash_of(secret.encode())}
        with self._reached():
            try:
                with self._engine.begin() as connection:
                    connection.execute(_keys.insert().values(row))
            except sa.exc.IntegrityError:
                raise KeysError(f"There is or was a key named {name} already: choose another name.") from None
        return key, secret

    def listed(self) -> list[Key]:
        """All keys, revoked and expired ones too, in the order in which they were made."""
        return list(self.by_hash().values())

    def by_hash(self) -> dict[str, Key]:
        with self._reached(), self._engine.connect() as connection:
            rows = connection.execute(sa.select(_keys).order_by(_keys.c.made_at, _keys.c.name))
            return {row.hash: Key(**{field: getattr(row, field) for field in Key.__slots__}) for row in rows}

    def revoke(self, name: str) -> None:
        """Make a key invalid for good. Raises KeysError when there is none of that name."""
        mine = _keys.c.name == name
        with self._reached(), self._engine.begin() as connection:
            if connection.execute(sa.select(_keys.c.name).where(mine)).first() is None:
                raise KeysError(f"There is no key named {name}; `repopilot keys list` shows all.")
            connection.execute(_keys.update().where(mine & _keys.c.revoked_at.is_(None)).values(revoked_at=now()))

    def used(self, name: str, day: str) -> None:
        """Note the day on which a key was used."""
        with self._reached(), self._engine.begin() as connection:
            connection.execute(_keys.update().where(_keys.c.name == name).values(used_on=day))

    def close(self) -> None:
        if "_engine" in vars(self):
            self._engine.dispose()

    @cached_property
    def _engine(self) -> sa.Engine:
        return open_database(self._url, _metadata)

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except (sa.exc.OperationalError, sa.exc.InterfaceError) as error:
            raise KeysUnavailable("The database that holds the keys cannot be reached.") from error


def _checksum(text: str) -> str:
    """CRC-32 in six of our letters."""
    number, found = zlib.crc32(text.encode()), ""
    for _ in range(_CHECKSUM):
        number, digit = divmod(number, len(_LETTERS))
        found = _LETTERS[digit] + found
    return found
