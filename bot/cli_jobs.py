"""`repopilot jobs`: what is to be done, under way, and was set aside; and taking it up again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import click

from bot.cli import as_json, open_app, print_out, verb

RETRIED = "{count} taken up again; a running `repopilot serve` begins within half a minute."


@click.group(invoke_without_command=True)
@as_json
@click.pass_context
@verb
def jobs(context: click.Context, as_json: bool) -> None:
    """List what is queued, running and was set aside, with its reason; `jobs retry` takes it up again.

    It may be used while `repopilot serve` runs.
    """
    if context.invoked_subcommand:
        return
    from bot.backlog import backlog

    entries = backlog(open_app().database_url)
    if as_json:
        print_out([asdict(entry) for entry in entries])
        return
    from bot.console import plain

    for entry in entries:
        by = f", asked by {entry.author}" if entry.author else ""
        click.echo(plain(f"{entry.state.replace('_', ' ')}: {entry.key}  {entry.about}{by}"))
        if entry.reason:
            click.echo(plain(f"    {' '.join(entry.reason.split())}"))
    if not entries:
        click.echo("Nothing is queued, running or set aside.")


@jobs.command()
@click.argument("keys", metavar="[KEY]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Everything that was set aside.")
@as_json
@verb
def retry(keys: Sequence[str], everything: bool, as_json: bool) -> None:
    """Take up again what was set aside: the job with this KEY, or --all."""
    from bot.backlog import retry as run

    if bool(keys) == everything:
        raise click.UsageError("Name the KEY of a job, as `repopilot jobs` lists it, or --all.")
    found = run(open_app().database_url, None if everything else keys)
    if as_json:
        print_out({"retried": found})
    else:
        click.echo(RETRIED.format(count=len(found)))
