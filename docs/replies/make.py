"""`python docs/replies/make.py [QUESTION…]`: what the bot would post, as GitHub and Discord show it.

Writes docs/replies.md. Answers come from the settings at hand, as those of `repopilot ask` do. Without Chromium, pages
are kept in place of pictures.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from string import Template
from typing import Any, Final

import click
from pages import WIDTHS, discord_page, github_page, photograph

from bot.adapters.discord.buttons import below
from bot.adapters.discord.channels import links_of
from bot.answering import EXTRACTIVE
from bot.app import App
from bot.rendering.discord import messages
from bot.rendering.github import comment
from bot.rendering.sources import public_links
from bot.settings import load
from bot.types import Answer, Question

HERE: Final = Path(__file__).parent
QUESTIONS: Final = (
    "What is the default of --cpu-offload-gb?",
    "How do I load a model from S3?",
    "When will the next vLLM release come out?",
)


@dataclass(frozen=True, slots=True)
class Reply:
    """What is posted for a question: a comment's Markdown, or messages' with the labels of their buttons in rows."""

    question: str
    answer: Answer
    comment: str
    messages: Sequence[str]
    buttons: Sequence[Sequence[str]]

    def name(self, surface: str) -> str:
        return f"{re.sub(r'[^a-z0-9]+', '-', self.question.lower()).strip('-')}-{surface}"

    def pages(self) -> dict[str, str]:
        """An HTML page for each surface."""
        return {
            "github": github_page(self.question, self.comment),
            "discord": discord_page(self.question, self.messages, self.buttons),
        }

    def section(self, suffix: str) -> str:
        """The part of docs/replies.md that shows it."""
        shown = [f"## {self.question}"]
        for surface, title, texts in (("github", "GitHub", [self.comment]), ("discord", "Discord", self.messages)):
            link = f"[The reply on {title}](replies/{self.name(surface)}{suffix})"
            sources = "\n\n".join(map(_fenced, texts))
            folded = f"<details><summary>Its Markdown</summary>\n\n{sources}\n\n</details>"
            shown += [f"### On {title}", f"!{link}" if suffix == ".png" else link, folded]
        return "\n\n".join(shown)


async def replies(questions: Sequence[str]) -> list[Reply]:
    """A reply to each question. Raises what `Answerer.answer` raises."""
    answerer = App(load()).answerer
    found = []
    for question in questions:
        answer = await answerer.answer(Question(question))
        found.append(Reply(question, answer, comment(answer), messages(answer), _buttons(answer)))
    return found


def _buttons(answer: Answer) -> list[list[str]]:
    urls = public_links(answer.citations)
    links = [(f"[{c.number}] {c.path}:{c.start_line}", urls[c.number]) for c in answer.citations if c.number in urls]
    rows = below(answer.id, links_of(links)).to_components()
    return [[_label(button) for button in row["components"]] for row in rows]


def _label(button: dict[str, Any]) -> str:
    shown = button.get("label") or button["emoji"]["name"]
    return f"{shown} ↗\ufe0e" if "url" in button else shown


def _fenced(text: str) -> str:
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}markdown\n{text}\n{fence}"


def _about(made: Sequence[Reply]) -> str:
    answer = made[0].answer
    return Template((HERE / "about.md").read_text("utf-8")).substitute(
        count=len(made),
        repository=answer.index.repository,
        ref=answer.index.ref,
        reader="the extractive reader (no language model)" if answer.model == EXTRACTIVE else answer.model,
        day=f"{datetime.now(UTC):%Y-%m-%d}",
    )


@click.command(help=__doc__)
@click.argument("questions", nargs=-1)
@click.option("--folder", type=click.Path(path_type=Path), default=HERE.parent, help="Where replies.md is written.")
@click.option("--html", is_flag=True, help="Keep pages, take no pictures.")
def main(questions: Sequence[str], folder: Path, html: bool) -> None:
    made = asyncio.run(replies(questions or QUESTIONS))
    chromium = None if html else shutil.which("chromium") or shutil.which("google-chrome")
    (folder / "replies").mkdir(parents=True, exist_ok=True)
    for reply in made:
        for surface, page in reply.pages().items():
            to = folder / "replies" / reply.name(surface)
            if chromium:
                photograph(chromium, page, to.with_suffix(".png"), WIDTHS[surface])
            else:
                to.with_suffix(".html").write_text(page, "utf-8")
    sections = (reply.section(".png" if chromium else ".html") for reply in made)
    (folder / "replies.md").write_text("\n\n".join((_about(made).strip(), *sections)) + "\n", "utf-8")


if __name__ == "__main__":
    main()
