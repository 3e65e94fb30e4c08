"""Section F: a repository is made by bash, indexed by the real program (and broken on the way), and looked into."""

from __future__ import annotations

import functools
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cases import indexer_operators, passage_operators
from cases.case import Case
from cases.expectations import Difference, Operators
from cases.indexer_observation import Chunk, IndexObservation
from cases.program import CannotRunError, Finished, unprivileged
from cases.report import Result
from cases.repository import SetupError
from cases.storage_faults import full_disk, read_only
from cases.workspace import Workspace

GIVEN = frozenset({"setup", "setup_mode", "then", "fault", "note"})
FAULTS = frozenset({"kill_after_s", "then", "chmod", "user", "disk_full", "disk_full_mb", "read_only", "note"})
UPDATE_KILL_S = 1.0
OPERATORS = Operators[IndexObservation]().include(indexer_operators.OPERATORS, passage_operators.OPERATORS)


class IndexerSection:
    """Runs the cases of section F with one command line of the program."""

    operators = OPERATORS

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._command, self._folder = command, folder
        self._lock = threading.Lock()

    def jobs(self, cases: Sequence[Case]) -> list[list[Case]]:
        """Each case stands alone."""
        return [[case] for case in cases]

    def run(self, job: Sequence[Case]) -> Iterator[Result]:
        for case in job:
            try:
                yield Result(case.id, case.title, OPERATORS.differences(self._observe(case), case.expect))
            except (SetupError, CannotRunError, OSError) as error:
                yield Result(case.id, case.title, [Difference("run", str(error))])
            finally:
                self._forget(case)

    def _observe(self, case: Case) -> IndexObservation:
        _demand_known("given", case.given, GIVEN)
        fault = case.given.get("fault") or {}
        _demand_known("fault", fault, FAULTS)
        _demand_words(case.given.get("setup_mode", "commit_after"), "commit_after", "raw")
        _demand_words(fault.get("then", "run again"), "run again")
        _demand_words(fault.get("user", "not root"), "not root")
        workspace = Workspace.created(self._folder / case.id, self._command)
        set_up(workspace, case.given)
        workspace, runs = _indexed(workspace, fault)
        if then := case.given.get("then"):
            workspace.repository.bash(then)
            if case.given.get("setup_mode") == "commit_after":
                workspace.repository.commit_all()
            runs.append(workspace.index())
        return self._observation(workspace, runs, killed="kill_after_s" in fault)

    def _observation(self, workspace: Workspace, runs: Sequence[Finished], killed: bool) -> IndexObservation:
        repository = workspace.repository
        return IndexObservation(
            runs=runs,
            chunks=workspace.chunks() if runs[-1].exit_code == 0 else (),
            killed=killed,
            baseline_rss_mb=self._baseline_rss_mb,
            search=functools.cache(workspace.search),
            revision=repository.revision,
            file_text=repository.text,
            chunks_after_deleting=lambda path: _chunks_after_deleting(workspace, path),
            searches_around_a_killed_update=lambda query: workspace.searches_around_a_killed_update(
                query, UPDATE_KILL_S
            ),
        )

    def _baseline_rss_mb(self) -> float:
        """The memory that indexing one line takes: what the program costs before it reads anything."""
        with self._lock:
            return self._measured_baseline

    @functools.cached_property
    def _measured_baseline(self) -> float:
        workspace = Workspace.created(Path(tempfile.mkdtemp(dir=self._folder)) / "baseline", self._command)
        set_up(workspace, {"setup": "echo 'x = 1' > a.py", "setup_mode": "commit_after"})
        return workspace.index().peak_rss_mb

    def _forget(self, case: Case) -> None:
        for folder in (self._folder / case.id, *self._folder.glob(f"{case.id}-*")):
            shutil.rmtree(folder, ignore_errors=True)


def set_up(workspace: Workspace, given: Mapping[str, Any]) -> None:
    workspace.repository.bash(given["setup"])
    if given.get("setup_mode", "commit_after") == "commit_after":
        workspace.repository.commit_all()


def _indexed(workspace: Workspace, fault: Mapping[str, Any]) -> tuple[Workspace, list[Finished]]:
    """Index with the fault in place; returns the workspace as the program saw it, and the runs that ended."""
    for path, mode in (fault.get("chmod") or {}).items():
        (workspace.repository.path / path).chmod(int(mode, 8))
    if fault.get("user") == "not root":
        workspace = Workspace(workspace.folder, unprivileged(workspace.program))
    if "kill_after_s" in fault:
        workspace.index_killed(fault["kill_after_s"])
    broken = _storage_fault(fault)
    if broken is None:
        return workspace, [workspace.index()]
    with broken(workspace):
        failed = workspace.index()
    return workspace, [failed, workspace.index()] if fault.get("then") == "run again" else [failed]


def _storage_fault(fault: Mapping[str, Any]) -> Callable[[Workspace], Any] | None:
    if "disk_full" in fault or "disk_full_mb" in fault:
        size = fault.get("disk_full_mb") or 1
        return lambda workspace: full_disk(workspace.home, size)
    return read_only if fault.get("read_only") else None


def _chunks_after_deleting(workspace: Workspace, path: str) -> list[Chunk]:
    fork = workspace.fork("delete")
    (fork.repository.path / path).unlink()
    fork.repository.commit_all("delete")
    run = fork.index()
    return list(fork.chunks()) if run.exit_code == 0 else []


def _demand_known(what: str, given: Mapping[str, Any], known: frozenset[str]) -> None:
    if unknown := sorted(given.keys() - known):
        raise CannotRunError(f"unknown {what} {unknown[0]}")


def _demand_words(value: str, *known: str) -> None:
    if value not in known:
        raise CannotRunError(f"unknown words {value!r}")
