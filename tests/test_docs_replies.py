"""docs/replies/make.py shows what is posted, and what it made is there."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from fakes.checkout import Checkout, Program

DOCS = Path(__file__).parents[1] / "docs"
LARGEST_BYTES = 200_000
QUESTION = "How many tokens does a block of the cache hold?"
DECLINED = "What does --no-such-flag-anywhere do?"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with replies.md and the pages, without pictures, of two questions about a small repository."""
    folder = tmp_path_factory.mktemp("made")
    program = Program.with_index(folder / "home", Checkout.new(folder / "checkout"))
    script = Program(program.home, Path(sys.executable))
    done = script.run(str(DOCS / "replies" / "make.py"), "--html", "--folder", str(folder), QUESTION, DECLINED)
    assert (done.returncode, done.stderr) == (0, ""), done
    return folder


def page(folder: Path, name: str) -> str:
    return (folder / "replies" / f"{name}.html").read_text("utf-8")


def test_a_page_for_each_reply_and_all_of_them_named(made: Path) -> None:
    text = (made / "replies.md").read_text("utf-8")
    linked = re.findall(r"\]\((replies/[^)]+\.html)\)", text)
    assert len(linked) == len(set(linked)) == 4
    assert all((made / link).is_file() for link in linked)
    assert f"## {QUESTION}\n" in text and "2 questions about acme/demo" in text
    assert text.count("<details>") == 4 and "<!-- repopilot:answer id=" in text


def test_a_comment_as_github_shows_it(made: Path) -> None:
    shown = page(made, "how-many-tokens-does-a-block-of-the-cache-hold-github")
    assert re.search(r'<a href="https://github.com/acme/demo/blob/[0-9a-f]{40}/[^"]+">\[1\]</a>', shown)
    assert "<strong>Sources</strong>" in shown and "sixteen tokens" in shown
    assert "**" not in shown and "](" not in shown


def test_messages_as_discord_shows_them(made: Path) -> None:
    shown = page(made, "how-many-tokens-does-a-block-of-the-cache-hold-discord")
    assert re.search(r"<small>Automated answer, read from [\w./-]+ <code>\w+</code>", shown)
    assert "-# " not in shown and "](" not in shown and "**" not in shown
    labels = re.findall(r'<span class="button">([^<]*)</span>', shown)
    assert labels[:3] == ["👍", "👎", "Sources"]
    assert labels[3].startswith("[1] ") and labels[3].endswith("↗\ufe0e")


def test_what_is_declined_is_shown_as_such(made: Path) -> None:
    shown = page(made, "what-does-no-such-flag-anywhere-do-github")
    assert "<code>--no-such-flag-anywhere</code> does not occur in acme/demo" in shown


def test_the_pictures_are_there_and_small() -> None:
    linked = re.findall(r"!\[[^]]*\]\((replies/[^)]+\.png)\)", (DOCS / "replies.md").read_text("utf-8"))
    assert sorted(linked) == sorted(f"replies/{path.name}" for path in (DOCS / "replies").glob("*.png"))
    assert len(linked) == 6
    assert all((DOCS / link).stat().st_size < LARGEST_BYTES for link in linked)
