"""What the image is made of: every requirement locked by its hashes, asked for by its name, under a known licence."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PathDistribution, distributions, packages_distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from deploy.licences import ALLOWED, PAGE, licence, named, rows
from deploy.locks import Locked, locked

ROOT = Path(__file__).parent.parent
LOCKS = sorted((ROOT / "deploy").glob("*.lock"))
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
SHIPPED = {"bot", "indexer", "prompts"}
# Imported only where somebody has asked for an extra, and then by the module that says which is missing.
OF_EXTRAS = {"opentelemetry", "sentence_transformers", "torch"}


def of(name: str) -> dict[str, Locked]:
    return {one.name: one for one in locked(ROOT / "deploy" / name) if one.in_image}


def unmet(requirements: list[str], lock: dict[str, Locked]) -> list[str]:
    wanted = [Requirement(requirement) for requirement in requirements]
    return [
        str(one)
        for one in wanted
        if (found := lock.get(canonicalize_name(one.name))) is None or found.version not in one.specifier
    ]


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_a_lock_is_whole_and_names_no_place(path: Path) -> None:
    found = list(locked(path))
    assert found and all(one.version and one.requirement.url is None for one in found)
    assert all(one.hashes and all(re.fullmatch(r"sha256:[0-9a-f]{64}", text) for text in one.hashes) for one in found)
    here = [one.name for one in found if one.in_image]
    assert here and len(set(here)) == len(here)
    assert not re.search(r"://|--(?:extra-)?index|--find-links|--trusted-host", path.read_text())


def test_locks_are_what_the_project_asks_for() -> None:
    assert unmet(PYPROJECT["project"]["dependencies"], of("requirements.lock")) == []
    assert unmet(PYPROJECT["build-system"]["requires"], of("requirements-build.lock")) == []
    assert unmet(["click>=9999", "not-there"], of("requirements.lock")) == ["click>=9999", "not-there"]


def at_hand(lock: dict[str, Locked]) -> list[Distribution]:
    """What is installed here at the very version that is locked: its metadata can be read without the net."""
    found = [(lock.get(canonicalize_name(package.name)), package) for package in distributions()]
    packages = [package for one, package in found if one is not None and one.version == package.version]
    assert len(packages) > len(lock) / 2
    return packages


def test_what_is_locked_finds_what_it_needs_in_the_lock() -> None:
    lock = of("requirements.lock")
    for package in at_hand(lock):
        needed = [Requirement(text) for text in package.requires or ()]
        plain = [str(one) for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
        assert unmet(plain, lock) == [], package.name


def test_the_image_has_no_torch() -> None:
    assert not [name for name in of("requirements.lock") if re.match(r"torch|nvidia-|cuda-|triton", name)]


def test_what_is_imported_is_asked_for_by_its_name() -> None:
    """Whatever is imported, lazily too, is a dependency of our own, not one of a dependency or of the tests."""
    asked = {canonicalize_name(Requirement(text).name) for text in PYPROJECT["project"]["dependencies"]}
    bring = packages_distributions()
    tops = imported() - OF_EXTRAS
    assert tops >= {"click", "chromadb", "fastapi"}
    assert {top for top in tops if not {canonicalize_name(name) for name in bring.get(top, ())} & asked} == set()


def imported() -> set[str]:
    """The top-level modules of others that are imported anywhere, but for the types alone."""
    found: set[str] = set()
    for path in (path for package in SHIPPED for path in (ROOT / package).rglob("*.py")):
        for node in without_types(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(str(node.module).partition(".")[0])
    return found - sys.stdlib_module_names - SHIPPED


def without_types(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield node
            yield from without_types(node)


def licences() -> dict[str, tuple[str, str]]:
    page = (ROOT / "docs" / "licences.md").read_text()
    found = re.findall(r"^\| ([a-z0-9-]+) \| (\d\S*) \| (.+) \|$", page, re.MULTILINE)
    return {name: (version, said) for name, version, said in found}


def test_the_page_of_licences_is_that_of_the_lock() -> None:
    written = {name: version for name, (version, _) in licences().items()}
    assert written == {name: one.version for name, one in of("requirements.lock").items()}
    assert (ROOT / "docs" / "licences.md").read_text().startswith(PAGE.template.partition("$rows")[0])


def test_no_licence_is_outside_the_list() -> None:
    assert {name: said for name, (_, said) in licences().items() if named(said) - ALLOWED} == {}


def test_licences_are_what_packages_say() -> None:
    page = licences()
    said = {canonicalize_name(package.name): licence(package) for package in at_hand(of("requirements.lock"))}
    assert {name: page[name][1] for name in said} == said


def package(folder: Path, metadata: str) -> PathDistribution:
    (folder / "METADATA").write_text(f"Metadata-Version: 2.4\nName: invented\nVersion: 1\n{metadata}\n")
    return PathDistribution(folder)


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ("License-Expression: mit or apache-2.0\nLicense: something else", "MIT OR Apache-2.0"),
        ("License: The MIT License (MIT)\n\n Copyright of an invented person", "MIT"),
        ("License: ours\nClassifier: License :: OSI Approved :: BSD License", "BSD"),
        ("License: see file", "unknown"),
        ("Classifier: License :: Other/Proprietary License", "License :: Other/Proprietary License"),
        ("License-Expression: GPL-3.0-only WITH GCC-exception-3.1", "GPL-3.0-only WITH GCC-exception-3.1"),
    ],
)
def test_a_licence_is_read_as_it_is_declared(metadata: str, expected: str, tmp_path: Path) -> None:
    said = licence(package(tmp_path, metadata))
    assert said == expected
    assert (named(said) <= ALLOWED) == (expected in {"MIT OR Apache-2.0", "MIT", "BSD"})


def test_an_environment_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is locked, but not in"):
        list(rows(ROOT / "deploy" / "requirements.lock", tmp_path))
