"""A report becomes one HTML page: no script, no outside asset, and what people wrote is never markup."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from jinja2 import Environment, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from bot.report.document import percent, seconds, sections, title_of
from bot.report.plots import BOTTOM, HEIGHT, LEFT, TOP, WIDTH, plots_of
from bot.report.report import Report

TEMPLATE: Final = "page.html.jinja"


def html_of(report: Report) -> str:
    """The page. Its words are those of `markdown_of`, with plots above the figures of days or weeks."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string((files("bot.report") / TEMPLATE).read_text("utf-8"))
    return template.render(
        title=title_of(report),
        sections=[(section.title, _rendered(section.markdown)) for section in sections(report)],
        tiles=_tiles(report) if report.figures.questions else (),
        plots=plots_of(report.spans) if report.figures.questions else (),
        size={"width": WIDTH, "height": HEIGHT, "left": LEFT, "top": TOP, "bottom": BOTTOM},
    )


def _rendered(text: str) -> Markup:
    """Our own Markdown as HTML. It holds no HTML, and what would be some is escaped."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    return Markup(parser.render(text))


def _tiles(report: Report) -> list[tuple[str, str, str]]:
    """(what, how much now, how much before) of the figures that one looks at first."""
    now, before = report.figures, report.before
    shares = [
        (name, percent(now.share(count)), percent(before.share(earlier)))
        for name, count, earlier in (
            ("answered", now.answered, before.answered),
            ("declined", now.declined, before.declined),
            ("voted down", now.voted_down, before.voted_down),
        )
    ]
    tiles = [
        ("questions", str(now.questions), str(before.questions)),
        *shares,
        ("median time", seconds(now.median_s), seconds(before.median_s)),
    ]
    return [(name, value, earlier if before.questions else "") for name, value, earlier in tiles]
