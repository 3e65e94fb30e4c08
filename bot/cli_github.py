"""`repopilot github`: setting up on GitHub, checking it, and answering one event without a service."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli import as_json, complain, print_out, verb
from bot.cli_github_setup import Matching, report, settings_alone, setup

if TYPE_CHECKING:
    from bot.adapters.github.findings import Finding
    from bot.app import App

OWNER_NAME = re.compile(r"[\w.-]+/[\w.-]+")


@click.group()
def github() -> None:
    """Set up RepoPilot on GitHub, check that it works, or answer one event without a server."""


github.add_command(setup)


@github.command()
@click.option("--repository", metavar="OWNER/NAME", type=Matching("OWNER/NAME", OWNER_NAME), help="Only this one.")
@as_json
@verb
def check(repository: str | None, as_json: bool) -> None:
    """Verify key, permissions, events, webhook, installations and indexes, and say what to do.

    Exit code 1 when something is not well.
    """
    import asyncio

    app, found = settings_alone()
    if app and all(finding.ok for finding in found):
        found = [*found, *asyncio.run(_checked(app, repository))]
    report(found, as_json)


@github.command()
@click.option("--event", envvar="GITHUB_EVENT_NAME", metavar="NAME", required=True, help="Or GITHUB_EVENT_NAME.")
@click.option(
    "--payload",
    envvar="GITHUB_EVENT_PATH",
    metavar="FILE",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Or GITHUB_EVENT_PATH.",
)
@as_json
@verb
def answer(event: str, payload: Path, as_json: bool) -> None:
    """Answer what one event asks, in this process: what the GitHub Action in deploy/action does.

    The token is REPOPILOT_GITHUB_TOKEN, or GITHUB_TOKEN.
    """
    import asyncio
    import logging

    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    fields = asyncio.run(_answered(_app_of_workflow(), event, payload))
    if as_json:
        print_out(fields)
    elif not fields["reason"]:
        click.echo(" ".join(filter(None, (fields["state"], fields["url"]))))
    if fields["reason"]:
        raise SystemExit(complain(fields["reason"]))


async def _checked(app: App, repository: str | None) -> list[Finding]:
    from bot.adapters.github.check import Check
    from bot.adapters.github.client import Client

    credentials, handle = app.github_credentials, app.settings.github_handle
    indexed = {snapshot.origin.repository.lower() for snapshot in app.stores.catalog.snapshots()}
    check = Check(Client(credentials), credentials, handle, indexed, repository)
    return [finding async for finding in check.findings()]


def _app_of_workflow() -> App:
    """The program over the settings, with what a workflow knows in place of what they lack."""
    import os
    import secrets

    from bot.app import App
    from bot.settings import PREFIX, SettingsError, load

    given = {"github_webhook_secret": secrets.token_hex()}  # no delivery comes, so there is none to be verified
    for name, variable in (("github_token", "GITHUB_TOKEN"), ("github_url", "GITHUB_API_URL")):
        if (value := os.environ.get(variable)) and not os.environ.get(f"{PREFIX}{name.upper()}"):
            given[name] = value
    settings = load(**given)
    if not (settings.github_token or settings.github_app_id):
        raise SettingsError("REPOPILOT_GITHUB_TOKEN (or GITHUB_TOKEN) is missing: the workflow's token.")
    if settings.github_drafts:
        raise SettingsError("REPOPILOT_GITHUB_DRAFTS needs `repopilot serve`, which publishes what is approved.")
    return App(settings)


async def _answered(app: App, event: str, payload: Path) -> Mapping[str, Any]:
    """What became of an event: a state, the reply's address, and why there is none."""
    import json
    from tempfile import TemporaryDirectory

    from bot.adapters.github.client import Client
    from bot.adapters.github.failures import GitHubError
    from bot.adapters.github.once import answer_once
    from bot.ledger import Ledger
    from indexer.errors import RepoPilotError

    credentials = app.github_credentials
    client = Client(credentials)
    try:
        told = json.loads(payload.read_bytes())
    except ValueError as error:
        raise RepoPilotError(f"{payload} is no event of GitHub's ({error}).") from error
    with TemporaryDirectory() as folder:
        ledger = Ledger(f"sqlite:///{folder}/ledger.sqlite")
        try:
            subject = await answer_once(event, told, client, app.github_policy, ledger, app.answerer.answer)
        except GitHubError as error:
            raise RepoPilotError(error.message) from error
        finally:
            ledger.close()
    if subject is None:
        return {"state": "nothing to do", "url": None, "reason": None}
    state = "set aside" if subject.reason else "withdrawn" if subject.words is None else "answered"
    return {"state": state, "url": (subject.reply or {}).get("url"), "reason": subject.reason}
