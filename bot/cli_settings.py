"""`repopilot settings`: what can be set, and what is."""

from __future__ import annotations

import os

import click

from bot.cli import as_json, print_out, verb


@click.command()
@click.option("--markdown", is_flag=True, help="Print the reference instead, as docs/settings.md has it.")
@as_json
@verb
def settings(markdown: bool, as_json: bool) -> None:
    """Show every setting with its value; secrets only as set or not.

    A variable REPOPILOT_… that is no setting is named, with the one that was perhaps meant.
    """
    from bot import reference
    from bot.settings import load, unknown

    if markdown:
        click.echo(reference.markdown(), nl=False)
        return
    values = load()
    rows = [(s, reference.shown(s, values)) for s in reference.settings()]
    if as_json:
        print_out([{"variable": s.variable, "value": value, "default": s.default} for s, value in rows])
        return
    from rich.table import Table

    from bot.console import plain

    table = Table("variable", "value", "meaning", box=None, pad_edge=False)
    for setting, value in rows:
        table.add_row(
            setting.variable,
            plain(value),
            setting.meaning,
            style="dim" if value in (setting.default, "not set") else "",
        )
    print_out(table)
    for name, meant in unknown(os.environ).items():
        click.echo(f"warning: {name} is no setting" + (f"; did you mean {meant}?" if meant else "."), err=True)
