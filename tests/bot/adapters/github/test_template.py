"""What is noise in an issue, by its kind, in forms, older templates and e-mail."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.github.template import without_kind, without_noise
from bot.versions import asked_version
from fakes.markdown import PIECES

SAMPLES = Path(__file__).parent / "samples"
FORM = [
    "### A\n\n",
    "**B**\n",
    "_No response_\n\n",
    "N/A\n",
    "- [ ] I agree\n",
    "- [x] B\n",
    "<details>\n",
    "</details>\n",
    "x\n\n",
]
forms = st.lists(st.sampled_from(PIECES + FORM * 5), max_size=18).map("".join)


def sample(name: str) -> str:
    return (SAMPLES / name).read_text(encoding="utf-8")


def test_a_form_keeps_what_was_filled_in() -> None:
    kept = without_noise(sample("form.md"))
    assert kept.startswith("### Your environment\n\nOutput of <code>engine env</code>\n\n```text\n=====")
    assert kept.endswith("stops accepting requests after about an hour when `--max-queue 64` is set.")
    assert "- [x] Server" in kept
    for noise in (
        "Before asking",
        "Conduct",
        "Client\n",
        "details",
        "summary",
        "![",
        "<img",
        "No response",
        "N/A",
        "else?",
    ):
        assert noise not in kept


def test_an_older_template_keeps_what_was_filled_in() -> None:
    code = "```python\nfrom engine import Client\n\n\nclient = Client()\nclient.close()\nclient.close()\n```"
    assert without_noise(sample("classic.md")) == (
        "**Describe the bug**\nCalling `Client.close()` twice raises.\n\n"
        f"**To Reproduce**\n\n{code}\n\n**Version**\n0.8.5"
    )


def test_mail_keeps_what_was_written_now() -> None:
    kept = without_noise(sample("reply.md"))
    assert kept.startswith("Yes, that is what I see too.")
    assert "wrote:" not in kept and "iPhone" not in kept


@pytest.mark.parametrize("name", ["form.md", "classic.md"])
def test_the_release_is_still_found(name: str) -> None:
    assert str(asked_version(without_noise(sample(name)), "example-org/engine", ["v0.8.5", "v0.9.0"])) == "0.8.5"


@pytest.mark.parametrize(
    "text",
    [
        "# why is it slow",
        "# A\n\nx\n\n## Why is it slow?",
        "Tell me\n\n**the default of `pages`**",
        "- [ ] first step\n- [ ] second step",
        "a <b> c `<img src=x>`",
        "```\n<!-- x -->\n\n\n- [ ] I agree\n### A\n_No response_\n```",
        "value: none",
        "x\n\n---\n\ny",
    ],
)
def test_what_was_said_stays(text: str) -> None:
    assert without_noise(text) == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("### A\n\n*No response*\n\n### B\n\nx", "### B\n\nx"),
        ("## A\n\n### B\n\n### C\n\nn/a\n\n## D\n\nx", "## D\n\nx"),
        ("x <!-- y --> z", "x  z"),
        ("x\n<!-- y\n\nz -->\nw", "x\nw"),
        ("[![a](b)](c) [![d](e)](f)\n\nx", "x"),
        ("x\n\n-- \nBo Example\nExample Ltd", "x"),
        ("x\n\n-----Original Message-----\nFrom: Cleo\ny", "x"),
        ("x\n\n________________________________\nFrom: Cleo\nSent: Monday\nTo: Bo\nSubject: y\n\nz", "x"),
        ("x\n\nAm 02.11.2026 um 10:15 schrieb Cleo:\n\nz", "x"),
        ("> a\n\nOn 2 Nov 2026, Cleo wrote:\n> b\n\nx", "> a\n\n> b\n\nx"),
        ("x\r\n\r\n_No response_\r\n", "x\n\n_No response_"),
    ],
)
def test_what_is_left_out(text: str, kept: str) -> None:
    assert without_noise(text) == kept


@pytest.mark.parametrize(
    ("title", "kept"),
    [
        ("[Bug]: pages leak", "pages leak"),
        ("[Feature Request] more pages", "more pages"),
        ("Bug: pages leak", "pages leak"),
        ("pages [leak]", "pages [leak]"),
        ("[0.8.5] pages leak", "[0.8.5] pages leak"),
        ("[Bug]: ", ""),
    ],
)
def test_titles_without_their_kind(title: str, kept: str) -> None:
    assert without_kind(title) == kept


@given(forms)
def test_nothing_is_added(text: str) -> None:
    left = iter(text.replace("\r\n", "\n").replace("\r", "\n"))
    assert all(char in left for char in without_noise(text))
