"""Keys: made once, kept as hashes, valid until they expire or are revoked; on SQLite and PostgreSQL."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from bot.database import now
from bot.keys import Keyring, KeysError, KeysUnavailable, hash_of, is_torn, new_secret


@pytest.fixture
def keyring(database_url: str) -> Iterator[Keyring]:
    keyring = Keyring(database_url)
    yield keyring
    keyring.close()


def test_a_key_is_found_by_its_hash_and_not_kept(keyring: Keyring, database_url: str) -> None:
    key, secret = keyring.add("ci", per_minute=5)
    assert keyring.by_hash() == {hash_of(secret.encode()): key}
    assert (key.name, key.per_minute, key.expires_at) == ("ci", 5, None) and key.valid(now())
    engine = sa.create_engine(database_url)
    with engine.connect() as connection:
        kept = str(connection.execute(sa.text("SELECT * FROM repopilot_keys")).all())
    engine.dispose()
    assert secret not in kept and secret[len(key.start) :] not in kept


def test_keys_are_listed_in_the_order_in_which_they_were_made(keyring: Keyring) -> None:
    assert keyring.listed() == []
    names = ["zoe", "ada", "Ada.2-x_y"]
    for name in names:
        keyring.add(name)
    assert [key.name for key in keyring.listed()] == names


@pytest.mark.parametrize("name", ["", "-x", ".x", "a b", "a\n", "é", "token", "x" * 65, "a/b", "rp\x00"])
def test_names_that_are_wrong(keyring: Keyring, name: str) -> None:
    with pytest.raises(KeysError, match="name is up to 64 letters"):
        keyring.add(name)
    assert keyring.listed() == []


def test_a_name_is_one_keys_for_good(keyring: Keyring) -> None:
    keyring.add("ci")
    keyring.revoke("ci")
    with pytest.raises(KeysError, match="ci already"):
        keyring.add("ci")


def test_a_key_expires(keyring: Keyring) -> None:
    key, _ = keyring.add("ci", days=2)
    assert key.expires_at and key.valid(now()) and not key.valid(key.expires_at)


def test_a_key_that_is_revoked_is_kept_and_invalid(keyring: Keyring) -> None:
    keyring.add("ci")
    keyring.revoke("ci")
    (key,) = keyring.listed()
    assert key.revoked_at and not key.valid(now())
    keyring.revoke("ci")
    assert keyring.listed() == [key]
    with pytest.raises(KeysError, match="no key named nobody"):
        keyring.revoke("nobody")


def test_the_day_of_its_last_use(keyring: Keyring) -> None:
    keyring.add("ci")
    keyring.used("ci", "2026-05-04")
    assert [key.used_on for key in keyring.listed()] == ["2026-05-04"]


def test_of_several_who_take_a_name_one_gets_it(keyring: Keyring) -> None:
    keyring.listed()
    got: list[str] = []

    def take() -> None:
        with contextlib.suppress(KeysError):
            got.append(keyring.add("ci")[1])

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 1 and hash_of(got[0].encode()) in keyring.by_hash()


@pytest.mark.parametrize("url", ["postgresql+psycopg://u:hunter2@127.0.0.1:1/x", "sqlite:////nowhere/at/all.sqlite"])
def test_a_database_that_is_down(url: str) -> None:
    keyring = Keyring(url)
    for use in (
        keyring.listed,
        lambda: keyring.add("ci"),
        lambda: keyring.revoke("ci"),
        lambda: keyring.used("ci", "x"),
    ):
        with pytest.raises(KeysUnavailable) as caught:
            use()
        assert "hunter2" not in str(caught.value)


def test_a_database_that_comes_back(tmp_path: Path) -> None:
    keyring = Keyring(f"sqlite:///{tmp_path / 'late' / 'jobs.sqlite'}")
    with pytest.raises(KeysUnavailable):
        keyring.listed()
    (tmp_path / "late").mkdir()
    assert keyring.listed() == []
    keyring.close()


def test_keys_are_random_and_of_letters_and_digits() -> None:
    keys = [new_secret() for _ in range(200)]
    assert len(set(keys)) == 200
    assert all(key.startswith("rp_") and key[3:].isalnum() and key.isascii() and len(key) == 52 for key in keys)
    assert {letter for key in keys for letter in key[3:46]} > set("09azAZ")
    assert not any(map(is_torn, keys))


@given(st.data())
def test_a_key_that_lost_or_changed_a_character_is_torn(data: st.DataObject) -> None:
    key = new_secret()
    at = data.draw(st.integers(3, len(key) - 1))
    put = data.draw(st.sampled_from(["", "a", "7", "é", " ", key[at] * 2]))
    assert is_torn(key[:at] + put + key[at + 1 :]) or put == key[at]


def test_what_is_no_key_of_ours_is_not_torn() -> None:
    assert not any(map(is_torn, ["", "sesame", "ghp_abc", "RP_x"]))
