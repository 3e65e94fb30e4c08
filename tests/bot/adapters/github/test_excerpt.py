"""Long texts made short: what went wrong and which release runs is still there."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.github.excerpt import excerpt
from bot.versions import asked_version
from fakes.markdown import PIECES

SAMPLES = Path(__file__).parent / "samples"
LOG = (SAMPLES / "log.md").read_text(encoding="utf-8")
FORM = (SAMPLES / "form.md").read_text(encoding="utf-8")
LONG = ["a: 1.2\n" * 12, "engine 0.8.5\n", "x" * 900, "\n```\n" + "INFO 10:11 x\n" * 20 + "Error: y\n```\n"]
long_texts = st.lists(st.sampled_from(PIECES + LONG * 6), max_size=16).map("".join)


def test_what_fits_stays() -> None:
    assert excerpt(LOG, len(LOG), "engine") == LOG


def test_of_a_log_stays_what_tells() -> None:
    short = excerpt(LOG, 700, "engine")
    assert len(short) <= 700
    for kept in (
        "what is wrong with my settings?",
        "Starting engine v0.8.5",
        "PoolExhausted: cannot reserve 4096 pages",
        "Bo",
    ):
        assert kept in short
    assert "shard 3" not in short and short.count("```") == 2


def test_of_an_environment_stays_the_release() -> None:
    short = excerpt(FORM, 100_000, "engine")
    assert "```text\n…\n[pip3] engine==0.8.5\n…\n```" in short
    assert "numpy" not in short and "--max-queue 64" in short


def test_settings_are_no_environment() -> None:
    settings = "```yaml\n" + "".join(f"option_{n}: {n}\n" for n in range(20)) + "```"
    assert excerpt(settings, len(settings), "engine") == settings


def test_the_release_survives_any_length() -> None:
    dump = "\n".join(f"[pip3] package{n}==1.{n}" for n in range(1_000))
    text = f"### Environment\n\n```\n{dump}\n[pip3] engine==0.8.5\n{dump}\n```\n\n" + "It stops.\n\n" * 900
    short = excerpt(text, 1_000, "engine")
    assert len(short) <= 1_000
    assert str(asked_version(short, "example-org/engine", ["v0.8.5", "v0.9.0"])) == "0.8.5"


@given(long_texts, st.integers(40, 1_200))
def test_it_always_fits(text: str, longest: int) -> None:
    assert len(excerpt(text, longest, "engine")) <= max(longest, 0)
