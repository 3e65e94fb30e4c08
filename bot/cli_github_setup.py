"""`repopilot github setup`: registering an App, and what the settings alone tell of a set-up."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli import as_json, open_app, print_out, verb

if TYPE_CHECKING:
    from bot.adapters.github.findings import Finding
    from bot.adapters.github.setup import Registered
    from bot.app import App

LOGIN = re.compile(r"[A-Za-z0-9-]+")
PAGE = Path("repopilot-github-app.html")
ENV_FILE = Path(".env")

NOT_SET_UP = (
    "GitHub is not set up: `repopilot github setup --url https://YOUR-SERVER` registers an App; for one repository a"
    " token will do (REPOPILOT_GITHUB_TOKEN and REPOPILOT_GITHUB_WEBHOOK_SECRET)"
)
PAGE_WRITTEN = """\
Written: {page}
1. Open it in a browser and press the button; on GitHub, choose the App's name.
2. Copy the code from the address that GitHub leads you to (…?code=CODE), and run within the hour:
   repopilot github setup --code CODE"""
OPEN = "Open {url} in a browser on this machine, press the button, and choose the App's name on GitHub."
REGISTERED = """\
@{slug} is registered; its id, key and webhook secret are in {env_file}, which only you may read.
1. Install it on the repositories that it is to answer for: {install}
2. Index them: repopilot index {web}/OWNER/NAME
3. Start where GitHub can reach it: repopilot serve
4. See whether all is well: repopilot github check"""


class Matching(click.ParamType[str]):
    """Text of a certain form, since it becomes part of an address."""

    def __init__(self, name: str, form: re.Pattern[str]) -> None:
        self.name = name
        self._form = form

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not self._form.fullmatch(str(value)):
            self.fail(f"{value} is no {self.name}", param, ctx)
        return str(value)


@click.command()
@click.option("--url", metavar="URL", help="Where GitHub reaches `repopilot serve`: write the page that registers.")
@click.option("--organization", metavar="ORG", type=Matching("organization", LOGIN), help="Whose App; default: yours.")
@click.option("--page", metavar="FILE", default=PAGE, show_default=True, type=click.Path(path_type=Path))
@click.option("--wait", is_flag=True, help="Show the page on this machine instead, and receive the code.")
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="Where, with --wait; default: any free port.")
@click.option("--code", metavar="CODE", help="What GitHub led you back with: fetch the App's id, key and secret.")
@click.option("--env-file", metavar="FILE", default=ENV_FILE, show_default=True, type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace what the file says of another App.")
@as_json
@verb
def setup(
    url: str | None,
    organization: str | None,
    page: Path,
    wait: bool,
    port: int,
    code: str | None,
    env_file: Path,
    force: bool,
    as_json: bool,
) -> None:
    """Register a GitHub App that has just the permissions and events that RepoPilot needs.

    With --url, write a page whose button registers it; with --code (or --wait), fetch its id, key and webhook secret
    into a .env file. With neither, say whether the settings are complete.
    """
    if code and (url or wait):
        raise click.UsageError("--code comes after --url: give one of them.")
    if wait and not url:
        raise click.UsageError("--wait needs --url.")
    if url:
        url = _public(url)
    if code or wait:
        _prepared(env_file, force)
    if url and not wait:
        _write_page(url, organization, page, as_json)
    elif code or url:
        app = open_app()
        _report_registered(_fetched(app, code or _received(app, url or "", organization, port)), env_file, as_json)
    else:
        report(settings_alone()[1], as_json)


def _public(url: str) -> str:
    """The address at which GitHub is to reach us."""
    from bot.settings import http_url

    try:
        return http_url(url)
    except ValueError as error:
        raise click.UsageError(f"--url {error}.") from error


def _prepared(env_file: Path, force: bool) -> None:
    """See to it that the App's secrets can be written, before GitHub is asked for them: it gives them once."""
    from bot.adapters.github.setup import held, prepare
    from indexer.errors import RepoPilotError

    if (names := held(env_file)) and not force:
        question = f"{env_file} has {', '.join(names)} already"
        if not (sys.stdin.isatty() and click.confirm(f"{question}. Replace?", err=True)):
            raise RepoPilotError(f"{question}: --force replaces it, --env-file FILE writes elsewhere.")
    prepare(env_file)


def _write_page(url: str, organization: str | None, page: Path, as_json: bool) -> None:
    from secrets import token_urlsafe

    from bot.adapters.github.manifest import manifest, registration_url
    from bot.adapters.github.page import registration_page

    settings = open_app().settings
    action = registration_url(settings.github_url, organization, token_urlsafe())
    described = manifest(settings.github_handle, url, f"{url}/")
    page.write_text(registration_page(described, action, waits=False), encoding="utf-8")
    if as_json:
        print_out({"page": str(page), "manifest": described, "action": action})
    else:
        click.echo(PAGE_WRITTEN.format(page=page))


def _received(app: App, url: str, organization: str | None, port: int) -> str:
    """The code with which a browser on this machine came back from GitHub."""
    from secrets import token_urlsafe

    from bot.adapters.github.manifest import manifest, registration_url
    from bot.adapters.github.page import registration_page
    from bot.adapters.github.receiver import receiving
    from indexer.errors import RepoPilotError

    state, name = token_urlsafe(), app.settings.github_handle
    action = registration_url(app.settings.github_url, organization, state)

    def page(back: str) -> str:
        return registration_page(manifest(name, url, back), action, waits=True)

    with receiving(port, state, page) as receiver:
        click.echo(OPEN.format(url=receiver.url), err=True)
        if (code := receiver.wait()) is None:
            raise RepoPilotError("GitHub gives an hour to register an App, and it is over; begin again.")
        return code


def _fetched(app: App, code: str) -> Registered:
    import asyncio

    from bot.adapters.github.client import Client, Credentials
    from bot.adapters.github.failures import GitHubError
    from bot.adapters.github.findings import advice
    from bot.adapters.github.setup import exchanged
    from indexer.errors import RepoPilotError

    url = app.settings.github_url
    try:
        return asyncio.run(exchanged(Client(Credentials(url)), code))
    except GitHubError as error:
        if error.kind == "gone":
            raise RepoPilotError("GitHub does not know this code: it works once, for an hour; begin again.") from error
        raise RepoPilotError(advice(error, url)) from error


def _report_registered(registered: Registered, env_file: Path, as_json: bool) -> None:
    from bot.adapters.github.setup import store

    store(env_file, registered.settings)
    if as_json:
        fields = {"app_id": registered.id, "slug": registered.slug, "page": registered.html_url}
        print_out({**fields, "install": registered.install_url, "env_file": str(env_file)})
        return
    from bot.console import plain

    web = registered.html_url.partition("/apps/")[0].partition("/github-apps/")[0]
    text = REGISTERED.format(slug=registered.slug, env_file=env_file, install=registered.install_url, web=web)
    click.echo(plain(text))


def settings_alone() -> tuple[App | None, list[Finding]]:
    """What the settings alone tell, and the program over them when they can be used."""
    from bot.adapters.github.findings import Finding, key_finding
    from indexer.errors import RepoPilotError

    try:
        app = open_app()
        credentials = app.github_credentials
    except RepoPilotError as error:
        return None, [Finding("settings", False, str(error))]
    if not (credentials.app_id or credentials.token):
        return None, [Finding("settings", False, NOT_SET_UP)]
    who = f"App {credentials.app_id}" if credentials.app_id else "a token"
    found = [Finding("settings", True, f"complete: {who}, at {credentials.url}")]
    return app, [*found, key_finding(credentials.private_key or "")] if credentials.app_id else found


def report(found: Sequence[Finding], as_json: bool) -> None:
    """Print the findings, and end with the exit code that they lead to."""
    from dataclasses import asdict

    from bot.console import plain

    if as_json:
        print_out([asdict(finding) for finding in found])
    for finding in () if as_json else found:
        click.echo(plain(f"{'✓' if finding.ok else '✗'} {finding.check}: {' '.join(finding.message.split())}"))
    raise SystemExit(0 if all(finding.ok for finding in found) else 1)
