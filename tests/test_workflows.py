"""The workflows of a code host: what tests, and what publishes with as little as it needs."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
RELEASE = ROOT / ".github" / "workflows" / "release.yml"
# Where images and packages go is said by variables of the repository, so whatever looks like a host is one too many.
HOST = re.compile(r"https?://(?!127\.0\.0\.1)|\b(?:[a-z0-9-]+\.)+(?:io|org|com|net|dev)\b")
MAY_WRITE: dict[str, dict[str, set[str]]] = {
    "ci": {},
    "release": {
        "build": {"id-token", "attestations"},
        "image": {"packages", "id-token", "attestations"},
        "packages": {"id-token"},
        "release": {"contents"},
    },
}
CHECK = "See that the tag is the version, and that the changelog tells of it"
CHANGELOG = """# Changelog

## [Unreleased]

- later

## [1.2.0] - 2026-12-01

- now

## [1.1.0] - 2026-11-01

- before
"""


def workflow(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text())
    return found


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in workflow(path.name)["jobs"].values() for step in job.get("steps", ())]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_and_texts_reach_no_script(path: Path) -> None:
    for step in steps(path):
        assert "${{" not in step.get("run", "")
        if used := step.get("uses"):
            assert re.fullmatch(r"[a-z-]+/[a-z-]+@[0-9a-f]{40}", used)
        if "checkout" in step.get("uses", ""):
            assert step["with"]["persist-credentials"] is False
    said = re.findall(r"uses: \S+@\S+(.*)", path.read_text())
    assert said and all(re.fullmatch(r"  # v\d+\.\d+\.\d+", version) for version in said)


def test_workflows_pass_their_linter() -> None:
    zizmor = Path(sys.executable).with_name("zizmor")
    command = [zizmor, "--offline", "--no-progress", "--strict-collection", ROOT / ".github"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_job_may_do_what_it_needs(path: Path) -> None:
    assert workflow(path.name)["permissions"] == {}
    for name, job in workflow(path.name)["jobs"].items():
        writes = {scope for scope, level in job["permissions"].items() if level == "write"}
        assert writes == MAY_WRITE[path.stem].get(name, set()), name
        assert "uses" in job or job["timeout-minutes"] <= 90


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_name_no_registry(path: Path) -> None:
    assert HOST.findall(path.read_text()) == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_run_what_there_is(path: Path) -> None:
    scripts = "\n".join(step.get("run", "") for step in steps(path))
    targets = set(re.findall(r"^\s*make ([a-z-]+)", scripts, re.MULTILINE))
    if path.stem == "ci":
        targets |= {one["target"] for one in workflow("ci.yml")["jobs"]["test"]["strategy"]["matrix"]["include"]}
    done = subprocess.run(["make", "--dry-run", *targets], cwd=ROOT, capture_output=True, text=True, check=False)
    assert targets and done.returncode == 0, done.stderr
    assert all((ROOT / name).exists() for name in re.findall(r"deploy/[\w./-]+\w", scripts))


def test_every_supported_python_is_tried() -> None:
    tried = [one["python"] for one in workflow("ci.yml")["jobs"]["test"]["strategy"]["matrix"]["include"]]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    said = re.findall(r"Python :: (3\.\d+)$", "\n".join(project["classifiers"]), re.MULTILINE)
    assert tried == said and project["requires-python"] == f">={said[0]}"


@pytest.mark.parametrize(
    ("version", "tag", "refusal"),
    [
        ("1.2.0", "v1.2.0", None),
        ("1.2.0", "v1.3.0", "pyproject.toml says 1.2.0, the tag v1.3.0"),
        ("1.2.1", "v1.2.1", "CHANGELOG.md has nothing under ## [1.2.1]"),
        ("1.2", "v1.2", "CHANGELOG.md has nothing under ## [1.2]"),
    ],
)
def test_a_tag_is_the_version_that_the_changelog_tells_of(
    version: str, tag: str, refusal: str | None, tmp_path: Path
) -> None:
    [script] = [step["run"] for step in steps(RELEASE) if step.get("name") == CHECK]
    (tmp_path / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n')
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=tmp_path,
        env={"PATH": path, "GITHUB_REF_NAME": tag},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.strip()) == ((0, "") if refusal is None else (1, refusal))
    if refusal is None:
        assert (tmp_path / "dist" / "notes.md").read_text().strip() == "- now"
