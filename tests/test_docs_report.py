"""docs/report/make.py makes the example that is kept beside it."""

from __future__ import annotations

import sys
from pathlib import Path

from fakes.checkout import Program

DOCS = Path(__file__).parents[1] / "docs" / "report"
LARGEST_BYTES = 200_000


def test_the_example_can_be_made(tmp_path: Path) -> None:
    script = Program(tmp_path / "home", Path(sys.executable))
    done = script.run(str(DOCS / "make.py"), "--html", "--folder", str(tmp_path))
    assert (done.returncode, done.stderr) == (0, ""), done
    text = (tmp_path / "example.md").read_text("utf-8")
    assert "cron" in text and "example-org/ferry" in text
    assert "kim@example.org" not in text and "s3cr3t" not in text


def test_the_example_is_there_and_small() -> None:
    for name in ("example.md", "example.html", "example.png"):
        assert 0 < (DOCS / name).stat().st_size < LARGEST_BYTES
