"""What is in deploy/ is what its tools take, and speaks of settings that exist."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from compose_spec import ComposeSpecification

from bot.reference import settings

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
MANIFESTS = sorted(path for path in (DEPLOY / "kubernetes").glob("*.yaml") if path.name != "kustomization.yaml")
KUBERNETES = "1.31"
DOCUMENTS = [
    path for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *DEPLOY.rglob("*")) if path.is_file()
]


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def checked(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_settings_that_exist_are_spoken_of(path: Path) -> None:
    known = {setting.variable for setting in settings()}
    spoken = set(re.findall(r"REPOPILOT_[A-Z_]*[A-Z]\b", path.read_text(errors="replace")))
    assert spoken <= known


@pytest.mark.parametrize("name", ["Dockerfile", "vllm-cpu.Dockerfile"])
def test_images_pass_their_linter(name: str) -> None:
    checked(Path(sys.executable).with_name("hadolint"), DEPLOY / name)


def test_what_the_image_copies_is_let_through() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    let_through = {line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines() if line[0] == "!"}
    assert set(" ".join(copied).split()) == let_through
    assert all(list(ROOT.glob(pattern)) for pattern in let_through)


def test_compose_is_what_the_specification_takes() -> None:
    ComposeSpecification.model_validate(compose())


def test_compose_starts_what_it_waits_for() -> None:
    services = compose()["services"]
    for service in services.values():
        for name, needed in service.get("depends_on", {}).items():
            assert needed["condition"] == "service_healthy" and services[name]["healthcheck"]["test"]
        assert set(service.get("secrets", ())) <= compose()["secrets"].keys()
        assert not re.search(r":latest$", service.get("image", "").replace("${IMAGE:-repopilot:latest}", ""))


def test_compose_s_secrets_are_made(tmp_path: Path) -> None:
    shutil.copy(DEPLOY / "secrets.sh", tmp_path)
    checked(tmp_path / "secrets.sh")
    made = {path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()}
    assert made.keys() == compose()["secrets"].keys()
    assert made["postgres_password"] in made["repopilot_database_url"] and len(made["postgres_password"]) == 48
    checked(tmp_path / "secrets.sh")
    assert {path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()} == made


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.name)
def test_manifests_are_what_kubernetes_takes(path: Path) -> None:
    for manifest in yaml.safe_load_all(path.read_text()):
        kubernetes_validate.validate(manifest, KUBERNETES, strict=True)


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not here")
def test_manifests_come_together() -> None:
    rendered = list(yaml.safe_load_all(checked("kubectl", "kustomize", DEPLOY / "kubernetes")))
    assert {manifest["kind"] for manifest in rendered} >= {"StatefulSet", "Service", "ConfigMap", "NetworkPolicy"}
    for manifest in rendered:
        kubernetes_validate.validate(manifest, KUBERNETES, strict=True)
    (pods,) = (m["spec"]["template"] for m in rendered if m["kind"] == "StatefulSet")
    (service,) = (m["spec"] for m in rendered if m["kind"] == "Service")
    assert service["selector"].items() <= pods["metadata"]["labels"].items()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
@pytest.mark.parametrize("path", sorted((DEPLOY / "systemd").glob("*.service")), ids=lambda path: path.name)
def test_units_are_what_systemd_takes(path: Path, tmp_path: Path) -> None:
    program = tmp_path / "repopilot"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit = tmp_path / path.name
    unit.write_text(path.read_text().replace("/opt/repopilot/bin/repopilot", str(program)))
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and path.name not in done.stderr, done.stderr
    checked("systemd-analyze", "security", "--offline=true", "--threshold=20", path)
