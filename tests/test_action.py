"""The GitHub Action: its form, and its scripts, run as a runner runs them, against the loopback GitHub."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.adapters.github.deliveries import read
from bot.adapters.github.manifest import PERMISSIONS
from fakes.checkout import Checkout, Program
from fakes.github.server import REPOSITORY, GitHubServer

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "deploy" / "action"
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
# What may stand in an address or a path, and is no text of anybody's.
HARMLESS_OF_EVENT = {"github.event.repository.default_branch"}


@pytest.fixture(scope="module")
def action() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((FOLDER / "action.yml").read_text())
    return found


def example() -> dict[str, Any]:
    block = re.search(r"```yaml\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL)
    assert block
    found: dict[str, Any] = yaml.safe_load(block[1])
    return found


def test_it_is_a_composite_action(action: dict[str, Any]) -> None:
    """https://docs.github.com/actions/reference/workflows-and-actions/metadata-syntax"""
    assert action.keys() <= {"name", "description", "author", "branding", "inputs", "outputs", "runs"}
    assert action["name"] and action["description"] and action["runs"]["using"] == "composite"
    assert all(one.keys() <= {"description", "default", "required"} for one in action["inputs"].values())
    for step in action["runs"]["steps"]:
        assert step.keys() <= {"name", "id", "if", "uses", "with", "shell", "env", "run"}
        assert ("run" in step) != ("uses" in step)
        assert step.get("shell") == "bash" if "run" in step else "with" in step


def test_actions_of_others_are_pinned(action: dict[str, Any]) -> None:
    others = [step["uses"] for step in action["runs"]["steps"] if "uses" in step]
    assert others and all(re.fullmatch(r"actions/[a-z-]+@v\d+\.\d+\.\d+", used) for used in others)


def test_no_text_of_an_event_reaches_a_script(action: dict[str, Any]) -> None:
    for step in action["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        values = [str(value) for value in (*step.get("env", {}).values(), *step.get("with", {}).values())]
        used = {name for value in values for name in EXPRESSION.findall(value)}
        assert {name for name in used if "event" in name or "head_ref" in name} <= HARMLESS_OF_EVENT


def test_expressions_name_what_there_is(action: dict[str, Any]) -> None:
    steps = action["runs"]["steps"]
    used = set(EXPRESSION.findall(json.dumps([steps, action["inputs"]])))
    assert {name for name in used if name.startswith("inputs.")} == {f"inputs.{name}" for name in action["inputs"]}
    ids = {step["id"] for step in steps if "id" in step}
    assert {name.split(".")[1] for name in used if name.startswith("steps.")} <= ids


def test_the_example_may_do_what_is_needed_and_no_more() -> None:
    workflow = example()
    granted = {name.replace("-", "_"): level for name, level in workflow["permissions"].items()}
    assert granted | {"metadata": "read"} == {name: one.level for name, one in PERMISSIONS.items()}
    assert "run" not in json.dumps(workflow["jobs"]["answer"]["steps"])


def test_the_example_starts_for_what_we_read() -> None:
    events = example()[True]  # YAML 1.1 reads `on` so
    with GitHubServer() as github:
        issue, discussion = github.world.issue("A", "x"), github.world.discussion("A", "x")
        posts = (
            issue,
            github.world.comment(issue, "x"),
            discussion,
            github.world.discussion_comment(discussion, "x"),
        )
        payloads = dict(github.payloads.about(post) for post in posts)
    assert events.keys() == payloads.keys()
    for event, payload in payloads.items():
        for action in events[event]["types"]:
            assert read(event, {**payload, "action": action, "changes": {"body": {"from": "y"}}}) is not None


class Runner:
    """As much of GitHub's runner as our scripts see: contexts put into `env`, files for outputs."""

    def __init__(self, folder: Path, contexts: Mapping[str, str], environment: Mapping[str, str]) -> None:
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self._output = folder / "output"
        self._contexts = dict(contexts)
        self._environment = environment

    def run(self, step: Mapping[str, Any]) -> subprocess.CompletedProcess[str]:
        self._output.write_text("")
        given = {name: EXPRESSION.sub(self._value, str(value)) for name, value in step.get("env", {}).items()}
        environment = {**self._environment, "GITHUB_OUTPUT": str(self._output), **given}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(
            command, cwd=self.workspace, env=environment, capture_output=True, text=True, check=False, timeout=120
        )
        for line in self._output.read_text().splitlines():
            name, _, value = line.partition("=")
            self._contexts[f"steps.{step['id']}.outputs.{name}"] = value
        return done

    def value(self, name: str) -> str:
        return self._contexts[name]

    def _value(self, found: re.Match[str]) -> str:
        return self._contexts[found[1]]


def named(action: dict[str, Any], name: str) -> dict[str, Any]:
    return next(step for step in action["runs"]["steps"] if step["name"] == name)


def test_its_scripts_answer_and_edit(action: dict[str, Any], tmp_path: Path) -> None:
    with GitHubServer() as github:
        token = github.world.installation_token(
            github.installation, github.installation.permissions, [github.repository]
        )
        contexts = {
            "github.action_path": str(FOLDER),
            "github.api_url": github.url,
            "runner.temp": str(tmp_path / "temp"),
            "inputs.token": token.value,
            "inputs.handle": "RepoPilot",
        }
        about = {"GITHUB_REPOSITORY": REPOSITORY, "GITHUB_EVENT_PATH": str(tmp_path / "event.json")}
        inherited = Program(tmp_path / "none").environment(about)
        runner = Runner(tmp_path, contexts, {**inherited, "GITHUB_EVENT_NAME": "issue_comment", "HOME": str(tmp_path)})
        installed = tmp_path / "temp" / "repopilot" / "program"
        installed.mkdir(parents=True)
        (installed / "bin").symlink_to(Path(sys.executable).parent)  # in place of the step that installs
        checkout = Checkout.new(runner.workspace / ".repopilot" / "source")

        seen = runner.run(named(action, "See which program and which commit"))
        assert seen.returncode == 0, seen.stderr
        assert runner.value("steps.seen.outputs.commit") == checkout.git("rev-parse", "HEAD")
        assert runner.value("steps.seen.outputs.root") == str(ROOT)
        assert re.fullmatch(r"[0-9a-f]{16}", runner.value("steps.seen.outputs.program"))

        indexed = runner.run(named(action, "Index what has changed"))
        assert indexed.returncode == 0, indexed.stderr
        asking = "@RepoPilot what does allocate return? $(touch pwned) `touch pwned` ${{ github.token }}"
        comment = github.world.comment(github.world.issue("Blocks; touch pwned"), asking)
        for action_name in ("created", "edited"):
            _, payload = github.payloads.about(comment, action_name, before="x")
            (tmp_path / "event.json").write_text(json.dumps(payload))
            done = runner.run(named(action, "Answer"))
            assert done.returncode == 0 and done.stdout.startswith("answered https://"), done.stderr
        assert len(github.replies) == 1 and len(github.edits) == 1
        assert "/src/blocks.py#L" in github.replies[0].body
        assert not list(tmp_path.rglob("pwned"))
        assert token.value not in done.stdout + done.stderr + indexed.stdout + indexed.stderr


def test_a_failure_fails_the_job(action: dict[str, Any], tmp_path: Path) -> None:
    contexts = {"runner.temp": str(tmp_path / "temp")}
    runner = Runner(tmp_path, contexts, Program(tmp_path / "none").environment({"GITHUB_REPOSITORY": REPOSITORY}))
    installed = tmp_path / "temp" / "repopilot" / "program"
    installed.mkdir(parents=True)
    (installed / "bin").symlink_to(Path(sys.executable).parent)
    assert runner.run(named(action, "Index what has changed")).returncode == 1  # there is no source
