"""The driver from its command line, against a stand-in that behaves and one that does not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
STAND_IN = f"{sys.executable} {HERE / 'stand_in.py'}"


def drive(*arguments: str, program: str = STAND_IN) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(HERE), *arguments, "--program", program]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)


def test_good_behaviour_passes() -> None:
    done = drive(str(HERE / "own"), "--only", "F-901,F-902,F-903,F-904,G-901,G-902,G-903,G-904,G-905,G-907")
    assert done.stdout.splitlines()[-1] == "10 passed, 0 failed", done.stdout + done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("flaw", "case", "words"),
    [
        ("crash", "F-901", "got exit -11"),
        ("traceback", "G-901", "expected in [200] got 500"),
    ],
)
def test_bad_behaviour_is_one_line_and_exit_1(flaw: str, case: str, words: str) -> None:
    done = drive(str(HERE / "own"), "--only", case, program=f"env STAND_IN_FLAW={flaw} {STAND_IN}")
    line, count = done.stdout.splitlines()
    assert line.startswith(f"FAIL {case} ") and words in line
    assert (count, done.returncode) == ("0 passed, 1 failed", 1)


def test_a_killed_run_is_tried_again_and_the_index_is_a_different_one_after_a_swap() -> None:
    done = drive(str(HERE / "own"), "--only", "F-905,G-906", program=f"env STAND_IN_FLAW=slow {STAND_IN}")
    assert done.stdout.splitlines()[-1] == "2 passed, 0 failed", done.stdout


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"setup": "false"}, "setup failed"),
        ({"setup": "true", "fault": {"earthquake": 9}}, "unknown fault earthquake"),
        ({"setup": "true", "tune": 1}, "unknown given tune"),
    ],
)
def test_what_it_cannot_set_up_fails(tmp_path: Path, given: dict[str, object], words: str) -> None:
    case = {"id": "F-001", "title": "t", "given": given, "expect": {"run": "ok"}}
    (tmp_path / "F.json").write_text(json.dumps([case]))
    done = drive(str(tmp_path))
    assert words in done.stdout and done.returncode == 1


def test_the_report_as_json_and_a_known_failure_that_passes(tmp_path: Path) -> None:
    known = tmp_path / "known.txt"
    known.write_text("F-902\n")
    done = drive(str(HERE / "own"), "--only", "F-902", "--known", str(known), "--json")
    report = json.loads(done.stdout)
    assert (report["passed"], report["repaired"], done.returncode) == (1, ["F-902"], 1)


def test_no_case_is_a_wrong_call(tmp_path: Path) -> None:
    assert drive(str(tmp_path)).returncode == 2
