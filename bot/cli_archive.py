"""`repopilot backup`, `restore` and `upgrade`: everything stored, in one file and back, and made anew."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from bot.cli import as_json, open_app, print_out, verb


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@as_json
@verb
def backup(file: Path, as_json: bool) -> None:
    """Pack everything below REPOPILOT_HOME into FILE (.tar.gz): indexes, jobs, history, keys.

    It may be used while `repopilot serve` runs. What lies in PostgreSQL or on a Chroma server has their own backups.
    """
    from bot.archive import backup as run
    from bot.console import progress_bar

    app = open_app()
    with progress_bar(enabled=not as_json) as (say, progress):
        say("Packing")
        made = run(app.stores, file, progress)
    elsewhere = [
        name for name, url in (("PostgreSQL", app.settings.database_url), ("Chroma", app.settings.chroma_url)) if url
    ]
    if as_json:
        print_out({**asdict(made), "elsewhere": elsewhere})
        return
    click.echo(f"{made.files} files of {made.bytes / 1e6:.1f} MB are in {file}, {file.stat().st_size / 1e6:.1f} MB.")
    for name in elsewhere:
        click.echo(f"What lies in {name} is not in it; back it up with {name}'s own tools.")


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Also where something is stored already; that is moved aside.")
@as_json
@verb
def restore(file: Path, force: bool, as_json: bool) -> None:
    """Unpack the backup FILE into REPOPILOT_HOME, which must be empty. Stop `repopilot serve` before."""
    from bot.archive import restore as run
    from bot.console import progress_bar
    from bot.settings import load

    home = load().home.expanduser()
    with progress_bar(enabled=not as_json) as (say, progress):
        say("Unpacking")
        made = run(file, home, force, progress)
    if as_json:
        print_out(asdict(made))
    else:
        click.echo(f"{made.files} files, packed {made.made_at}, are in {home}.")


@click.command()
@as_json
@verb
def upgrade(as_json: bool) -> None:
    """Make an index of an earlier RepoPilot anew, from the sources that it was made from.

    The old one stays in place until the new one is whole; a run that was killed is taken up by the next.
    """
    from bot.console import progress_bar

    app = open_app()
    with progress_bar(enabled=not as_json) as (say, progress):
        done = app.upgrade(say, progress)
    if as_json:
        print_out({"upgraded": [{"repository": each.repository, "ref": each.ref} for each in done or ()]})
    elif done is None:
        click.echo("Nothing to do: the index is of this RepoPilot's format.")
    else:
        click.echo(
            f"Made anew: {', '.join(f'{each.repository} {each.ref}' for each in done) or 'nothing was indexed'}."
        )
