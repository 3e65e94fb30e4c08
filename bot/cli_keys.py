"""`repopilot keys`: who may use the HTTP API."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from bot.cli import as_json, open_app, print_out, verb

if TYPE_CHECKING:
    from bot.keys import Key

ONCE = "This is shown once, and kept nowhere; send it as `Authorization: Bearer KEY`."


@click.group()
def keys() -> None:
    """Make, list and revoke the keys of the HTTP API.

    As long as there are none, and no REPOPILOT_API_TOKEN, a service is open to everybody who reaches it. A running one
    sees changes within a few seconds.
    """


@keys.command()
@click.argument("name")
@click.option("--expires", metavar="DAYS", type=click.IntRange(1, 36_500), help="For how many days it is valid.")
@click.option(
    "--per-minute",
    metavar="N",
    type=click.IntRange(1),
    help="How many requests it may send a minute; default: REPOPILOT_PER_CLIENT_PER_MINUTE.",
)
@as_json
@verb
def add(name: str, expires: int | None, per_minute: int | None, as_json: bool) -> None:
    """Make a key for NAME, a person or a program, and print it: once, since only its hash is kept."""
    key, secret = open_app().keyring.add(name, expires, per_minute)
    if as_json:
        print_out({"name": key.name, "key": secret, "expires_at": key.expires_at, "per_minute": key.per_minute})
        return
    click.echo(secret)
    click.echo(ONCE, err=True)


@keys.command("list")
@as_json
@verb
def listed(as_json: bool) -> None:
    """List all keys, without the keys themselves."""
    found = open_app().keyring.listed()
    if as_json:
        print_out([asdict(key) for key in found])
        return
    from rich.table import Table

    table = Table("name", "begins", "made", "state", "last used", "a minute", box=None, pad_edge=False)
    for key in found:
        table.add_row(
            key.name, f"{key.start}…", key.made_at[:10], _state(key), key.used_on or "never", str(key.per_minute or "")
        )
    print_out(table if found else "There are no keys.")


@keys.command()
@click.argument("name")
@as_json
@verb
def revoke(name: str, as_json: bool) -> None:
    """Make NAME's key invalid for good. When it was the last one, nobody is let in until there is another."""
    open_app().keyring.revoke(name)
    if as_json:
        print_out({"revoked": name})
    else:
        click.echo(f"The key of {name} is revoked; a running service refuses it within a few seconds.")


def _state(key: Key) -> str:
    from bot.database import now

    if key.revoked_at:
        return f"revoked {key.revoked_at[:10]}"
    until = f"until {key.expires_at[:10]}" if key.expires_at else "valid"
    return until if key.valid(now()) else f"expired {(key.expires_at or '')[:10]}"
