"""`repopilot report`: what maintainers want to read of a period, on the terminal, as Markdown, as a page or as JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from bot.cli import as_json, open_app, print_out, verb

FIRST_YEAR, LAST_YEAR = 2000, 9000
FILE = click.Path(dir_okay=False, writable=True, path_type=Path)


@click.command()
@click.option("--days", default=7, show_default=True, type=click.IntRange(1, 3_660), help="How many days.")
@click.option(
    "--until",
    metavar="DATE",
    type=click.DateTime(["%Y-%m-%d"]),
    help="The last of them, such as 2026-11-30; default: today.",
)
@click.option("--markdown", type=FILE, help="Write it as Markdown.")
@click.option("--html", type=FILE, help="Write it as a page, with plots.")
@as_json
@verb
def report(days: int, until: datetime | None, markdown: Path | None, html: Path | None, as_json: bool) -> None:
    """Report on the questions of a period: figures, what was not answered by topic, with the documents that should have
    answered it, and what answers cite. Days are those of UTC.

    Secrets and addresses in questions are masked. Without a file to write, the report is printed.
    """
    from bot.console import progress_bar
    from bot.report import Period, Sources, make_report

    if until and not FIRST_YEAR <= until.year <= LAST_YEAR:
        raise click.UsageError(f"--until needs a year from {FIRST_YEAR} to {LAST_YEAR}.")
    app = open_app()
    sources = Sources(app.history, app.stores, app.retriever, lambda: app.embedder, app.secrets)
    period = Period.ending((until or datetime.now(UTC)).date(), days)
    with progress_bar(enabled=not as_json) as (say, _):
        made = make_report(sources, period, say)
    if markdown:
        from bot.report import markdown_of

        markdown.write_text(markdown_of(made), "utf-8")
    if html:
        from bot.report import html_of

        html.write_text(html_of(made), "utf-8")
    if as_json:
        from bot.report import fields_of

        print_out(fields_of(made))
    elif not markdown and not html:
        from bot.report import markdown_of

        _show(markdown_of(made))


def _show(text: str) -> None:
    """Laid out for a person, with links to click on; for a program as it is."""
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    if console.is_terminal:
        console.print(Markdown(text))
    else:
        click.echo(text, nl=False)
