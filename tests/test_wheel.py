"""What is published: a wheel with all that it needs, which answers outside the checkout."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from fakes.checkout import Checkout, Program

ROOT = Path(__file__).parents[1]
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([*PIP, "wheel", "--no-deps", "--wheel-dir", folder, ROOT], check=True)
    [wheel] = folder.glob("repopilot-*.whl")
    return wheel


def test_everything_is_inside_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    kinds = ("prompts/*.md", "indexer/**/*.scm", "bot/**/static/*", "bot/**/*.jinja", "*/**/*.py")
    wanted = [file for kind in kinds for file in ROOT.glob(kind)]
    packaged = [file for file in wanted if file.relative_to(ROOT).parts[0] in ("bot", "indexer", "prompts")]
    assert {file.relative_to(ROOT).as_posix() for file in packaged} <= names
    assert {"indexer/embedding/model/model.safetensors", "indexer/embedding/model/tokenizer.json"} <= names
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"bot", "indexer", "prompts"}
    assert not any("__pycache__" in name or name.endswith((".pyc", ".env")) for name in names)


def test_it_answers_outside_the_checkout(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    venv.create(environment, with_pip=False, symlinks=True)
    python = environment / "bin" / "python"
    subprocess.run([*PIP, "--python", python, "install", "--no-deps", "--no-index", wheel], check=True)
    borrow_dependencies(python)
    where = subprocess.run(
        [python, "-c", "import bot; print(bot.__file__)"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert Path(where.stdout.strip()).is_relative_to(environment)

    program = Program(tmp_path / "home", environment / "bin" / "repopilot")
    checkout = Checkout.new(tmp_path / "demo")
    assert program.json("index", str(checkout.folder))["files"] == 2
    answer = program.json("ask", "What does allocate return?")
    assert not answer["declined"] and answer["citations"][0]["path"] == "src/blocks.py"


def borrow_dependencies(python: Path) -> None:
    """Let it import what ours has installed, but not our editable checkout: what a .pth adds is not read for others."""
    found = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    )
    ours = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (Path(found.stdout.strip()) / "borrowed.pth").write_text("\n".join(sorted(ours)))
