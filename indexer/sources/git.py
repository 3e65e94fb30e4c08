"""A git repository at one commit as a source: everything is read from the object database, nothing from a work tree.

The git command does the reading (DESIGN.md has the figures): it knows every form of repository there is, and it is
needed for fetching anyway.
"""

from __future__ import annotations

import difflib
import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from indexer.errors import SourceError
from indexer.sources.remote import parse_remote, web_page, without_credentials
from indexer.types import Entry, EntryMode, Origin, Skipped, SourceFile

_MODES: dict[bytes, EntryMode] = {b"120000": "symlink", b"160000": "submodule"}
# A repository's own configuration must not choose programs for us to run, whoever wrote it.
_COMMAND = (
    "git",
    "--no-optional-locks",
    "--no-pager",
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "safe.bareRepository=all"),  # the person named this very repository
)
# What git hooks and scripts leave in the environment would lead git to another repository than the one asked for.
_MISLEADING = ("DIR", "WORK_TREE", "COMMON_DIR", "INDEX_FILE", "OBJECT_DIRECTORY", "ALTERNATE_OBJECT_DIRECTORIES")
_MISLEADING_VARIABLES = frozenset(f"GIT_{name}" for name in (*_MISLEADING, "NAMESPACE", "PREFIX", "SHALLOW_FILE"))


@dataclass(frozen=True, slots=True)
class GitSource:
    """The tree of one commit."""

    folder: Path
    origin: Origin

    def entries(self) -> Sequence[Entry | Skipped]:
        listing = _read(self.folder, "ls-tree", "-r", "-z", "--long", "--full-tree", self.origin.commit)
        return [_entry(line) for line in listing.split(b"\0") if line]

    def read(self, entries: Iterable[Entry]) -> Iterator[SourceFile]:
        command = (*_COMMAND, "-C", str(self.folder), "cat-file", "--batch")
        # Leaving the block closes the pipes, which ends git, also when the reader stops half-way.
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(self.folder),
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            for entry in entries:
                data = _blob(process.stdin, process.stdout, entry.content_id)
                if data is None:
                    raise SourceError(f"{self.folder} cannot give {entry.path}: check the repository with `git fsck`")
                yield SourceFile(entry.path, entry.content_id, data)


def is_repository(folder: Path) -> bool:
    """Return whether `folder` itself is a work tree or a bare repository; a folder inside one is not."""
    bare = (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()
    return bare or (folder / ".git").exists()


def open_git(folder: Path, *, ref: str | None, repository: str | None, name: str | None = None) -> GitSource:
    """Return the source for the repository at `folder`, at `ref` (a branch, a tag or a SHA; None is HEAD).

    `name` is what the repository is called when nobody says (default: the folder's own). Raises SourceError when git
    refuses the repository, when it has no commit, or none that `ref` names.
    """
    _read(folder, "rev-parse", "--git-dir")  # whatever git has against the repository is told here
    asked = None if ref == "HEAD" else ref
    commit = _commit(folder, asked or "HEAD") or (_commit(folder, f"refs/remotes/origin/{asked}") if asked else None)
    if commit is None:
        raise SourceError(_unresolved(folder, asked))
    address = _read(folder, "config", "--get", "remote.origin.url").decode("utf-8", "replace")
    remote = parse_remote(address.strip())
    origin = Origin(
        repository=repository or (remote.repository if remote else f"local/{name or _name(folder)}"),
        ref=asked or _head_name(folder),
        commit=commit,
        web=web_page(remote, repository),
        fingerprint=commit,  # a commit's SHA is made from its tree's
    )
    return GitSource(folder, origin)


def run_git(folder: Path, *arguments: str, protocols: str = "none") -> subprocess.CompletedProcess[bytes]:
    """Return what became of a git command in `folder`; `protocols` are those that it may use, joined by colons.

    Raises SourceError when git is not there.
    """
    try:
        # In a session of its own it has no terminal, so that neither git nor ssh can stop to ask for a password.
        return subprocess.run(
            (*_COMMAND, "-C", str(folder), *arguments),
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            env=_environment(folder, protocols),
        )
    except FileNotFoundError as error:
        raise SourceError("git is not installed or not on PATH: install it, then run the same command again") from error


def last_words(stderr: bytes) -> str:
    """Return the line in which git says why it failed, without its prefix and without credentials."""
    lines = stderr.decode("utf-8", "replace").splitlines()
    told = [line for line in lines if line.strip() and not line.startswith(("warning: ", "hint: ", "remote: "))]
    reason = next(iter(told), "no reason given").removeprefix("fatal: ").removeprefix("error: ")
    return without_credentials(reason).rstrip(".")


def _read(folder: Path, *arguments: str) -> bytes:
    """Return what git prints for a command that only reads; nothing when it silently says that there is no such thing.

    Raises SourceError when git fails.
    """
    done = run_git(folder, *arguments)
    if done.returncode == 0 or (done.returncode == 1 and not done.stderr):
        return done.stdout
    raise SourceError(_complaint(folder, done.stderr))


def _environment(folder: Path, protocols: str = "none") -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _MISLEADING_VARIABLES}
    return kept | {
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CEILING_DIRECTORIES": str(folder.resolve().parent),  # this folder or none, never a repository around it
        "GIT_NO_REPLACE_OBJECTS": "1",  # the code host shows the commit as it is
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": protocols,  # with "none" a git older than 2.45 cannot fetch lazily either
    }


def _complaint(folder: Path, stderr: bytes) -> str:
    """Return one sentence for what git said in `folder`."""
    if b"dubious ownership" in stderr:
        return (
            f"git does not trust {folder}, which belongs to another user: "
            f"if you do, run `git config --global --add safe.directory {folder.resolve()}`"
        )
    if any(sign in stderr for sign in (b"promisor", b"lazy fetch", b"transport '")):
        return f"{folder} is a partial clone without all its files: run `git fetch --refetch --no-filter` in it"
    return f"git cannot read {folder} ({last_words(stderr)}): check the repository with `git fsck`"


def _commit(folder: Path, revision: str) -> str | None:
    """Return the full SHA of the commit that `revision` leads to, or None."""
    if revision.startswith("-"):
        return None
    found = run_git(folder, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    return found.stdout.decode().strip() if found.returncode == 0 else None


def _unresolved(folder: Path, ref: str | None) -> str:
    names = _read(folder, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads", "refs/tags", "refs/remotes")
    known = [name.removeprefix("origin/") for name in names.decode("utf-8", "replace").splitlines()]
    if ref is None or not known:
        return f"{folder} has no commit that HEAD leads to: commit something, or name a branch or tag with --ref"
    near = difflib.get_close_matches(ref, dict.fromkeys(known), n=3, cutoff=0.5)
    hint = f"did you mean {', '.join(near)}?" if near else f"it has, for example, {', '.join(known[:3])}"
    return f"{folder} has no branch, tag or commit {ref}: {hint}"


def _head_name(folder: Path) -> str:
    branch = _read(folder, "symbolic-ref", "--quiet", "--short", "HEAD")
    return (branch or _read(folder, "rev-parse", "--short", "HEAD")).decode("utf-8", "replace").strip()


def _name(folder: Path) -> str:
    path = folder.resolve()
    return (path.parent if path.name == ".git" else path).name.removesuffix(".git")


def _entry(line: bytes) -> Entry | Skipped:
    """Read one line of `git ls-tree -z --long`: mode, type, object, size, a tab, the path as it is."""
    about, _, raw_path = line.partition(b"\t")
    mode, _, content_id, size = about.split()
    try:
        path = raw_path.decode("utf-8")
    except UnicodeDecodeError:
        return Skipped(raw_path.decode("utf-8", "backslashreplace"), "the file name is not UTF-8")
    if size == b"BAD":
        return Skipped(path, "its content is missing from the repository, see `git fsck`")
    return Entry(path, content_id.decode(), int(size) if size.isdigit() else 0, _MODES.get(mode, "file"))


def _blob(requests: IO[bytes], replies: IO[bytes], content_id: str) -> bytes | None:
    """Return one object from a running `git cat-file --batch`, or None when git does not have it or broke down."""
    try:
        requests.write(content_id.encode() + b"\n")
        requests.flush()
    except BrokenPipeError:
        return None
    _, _, size = replies.readline().rpartition(b" ")
    if not size.strip().isdigit():
        return None
    data = replies.read(int(size))
    return data if replies.read(1) == b"\n" else None
