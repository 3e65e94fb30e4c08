"""`python docs/report/make.py`: the report of an invented fortnight about an invented repository.

Writes example.md, example.html and, with Chromium, example.png beside this file. Questions are asked of the real
answerer with the extractive reader; when they were asked, and what people thought of the answers, is drawn by chance.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import click
from ferry import COMMENTS, FILES, QUESTIONS, REPOSITORY

from bot.app import App
from bot.history import Record, Surface
from bot.observing import ObservedAnswerer
from bot.report import Period, Sources, html_of, make_report, markdown_of
from bot.settings import load
from bot.types import Question
from indexer.types import Address

HERE: Final = Path(__file__).parent
END: Final = datetime(2026, 11, 29, 22, tzinfo=UTC)
SURFACES: Final[tuple[Surface, ...]] = (*["github"] * 8, *["discord"] * 6, *["page"] * 4, "http", "openai", "mcp")
LOGGED_IN: Final = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")


def repository(folder: Path) -> Path:
    """The invented repository as a git repository with a remote, so that links lead somewhere."""
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    for arguments in (
        ("init", "--quiet", "--initial-branch", "main"),
        ("remote", "add", "origin", f"git@github.com:{REPOSITORY}.git"),
        ("add", "--all"),
        ("commit", "--quiet", "--message", "Ferry", "--date", "2026-11-01T00:00:00Z"),
    ):
        subprocess.run([*LOGGED_IN, *arguments], cwd=folder, check=True)
    return folder


async def ask(app: App, chance: random.Random) -> None:
    """Ask everything as often as it is asked in two weeks, and vote on some of the answers."""
    for text in [text for text, times in QUESTIONS.items() for _ in range(times)]:
        surface = chance.choice(SURFACES)
        told: list[Record] = []
        await ObservedAnswerer(app.answerer, surface, [told.append]).answer(Question(text))
        record = replace(told[0], at=(END - timedelta(days=chance.uniform(0, 14))).isoformat())
        if chance.random() < 0.02:
            record = replace(record, answer=None, failure="Busy", seconds={})
        app.history.record(record)
        for vote, comment in _opinions(text, record, chance):
            app.history.vote(record.id, f"{surface}:{chance.randrange(10_000)}", vote, comment)  # type: ignore[arg-type]


def _opinions(text: str, record: Record, chance: random.Random) -> Iterator[tuple[str, str | None]]:
    if record.outcome == "answered":
        drawn = chance.random()
        if text in COMMENTS and drawn < 0.6:
            yield "down", COMMENTS[text] if drawn < 0.4 else None
        elif drawn < 0.2:
            yield ("up", None) if drawn > 0.02 else ("down", None)


@click.command(help=__doc__)
@click.option("--folder", type=click.Path(path_type=Path), default=HERE, help="Where the example is written.")
@click.option("--html", is_flag=True, help="Take no picture.")
def main(folder: Path, html: bool) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        app = App(load(home=str(Path(temporary) / "home")))
        app.index(Address(str(repository(Path(temporary) / "ferry")), None, None))
        asyncio.run(ask(app, random.Random(8)))
        sources = Sources(app.history, app.stores, app.retriever, lambda: app.embedder)
        report = make_report(sources, Period.ending(END.date(), 7))
        app.history.close()
    (folder / "example.md").write_text(markdown_of(report), "utf-8")
    page = folder / "example.html"
    page.write_text(html_of(report), "utf-8")
    if not html and (chromium := shutil.which("chromium") or shutil.which("google-chrome")):
        flags = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1000,1250")
        picture = f"--screenshot={folder / 'example.png'}"
        subprocess.run([chromium, *flags, picture, page.resolve().as_uri()], check=True, capture_output=True)


if __name__ == "__main__":
    main()
