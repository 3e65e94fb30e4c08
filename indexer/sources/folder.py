"""A plain folder as a source: what lies there now, with the ids that git would give it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from indexer.errors import SourceError
from indexer.rules import excluded_folder
from indexer.sources.blob import blob_id, stream_blob_id
from indexer.types import Entry, Origin, Skipped, SourceFile


@dataclass(frozen=True, slots=True)
class FolderSource:
    """The files of a folder as they were when it was opened."""

    folder: Path
    origin: Origin
    listing: tuple[Entry | Skipped, ...]

    def entries(self) -> Sequence[Entry | Skipped]:
        return self.listing

    def read(self, entries: Iterable[Entry]) -> Iterator[SourceFile]:
        for entry in entries:
            try:
                data = (self.folder / entry.path).read_bytes()
            except OSError as error:
                raise SourceError(
                    f"cannot read {entry.path} in {self.folder} ({error.strerror}): "
                    "it changed while it was being indexed, so run the same command again"
                ) from error
            yield SourceFile(entry.path, blob_id(data), data)


def open_folder(folder: Path, *, repository: str | None) -> FolderSource:
    """Return the source for a folder without version control.

    Its `commit` is made of its content and no code host has it, so links lead to our own server, also when
    `repository` names one.
    """
    listing = tuple(sorted(_walk(folder), key=lambda entry: entry.path))
    version = f"worktree-{_digest(listing)[:12]}"
    origin = Origin(
        repository=repository or f"local/{folder.resolve().name}",
        ref="worktree",
        commit=version,
        web=None,
        fingerprint=_digest(listing),
    )
    return FolderSource(folder, origin, listing)


def _walk(root: Path) -> Iterator[Entry | Skipped]:
    """Yield what lies below `root`, in no order; links are named, never followed, tools' folders are not entered."""
    waiting = [(os.fspath(root), "")]
    while waiting:
        folder, prefix = waiting.pop()
        try:
            with os.scandir(folder) as found:
                children = list(found)
        except OSError as error:
            yield Skipped(prefix.rstrip("/"), _why(error))
            continue
        for child in children:
            path = prefix + child.name
            if reason := _unwanted(child):
                yield Skipped(os.fsencode(path).decode("utf-8", "backslashreplace"), reason)
            elif child.is_dir(follow_symlinks=False):
                waiting.append((child.path, path + "/"))
            else:
                yield _entry(child, path)


def _unwanted(child: os.DirEntry[str]) -> str | None:
    if not _is_utf8(child.name):
        return "the file name is not UTF-8"
    return excluded_folder(child.name) if child.is_dir(follow_symlinks=False) else None


def _entry(child: os.DirEntry[str], path: str) -> Entry | Skipped:
    try:
        if child.is_symlink():
            target = os.fsencode(Path(child.path).readlink())
            return Entry(path, blob_id(target), len(target), "symlink")
        if not child.is_file(follow_symlinks=False):
            return Skipped(path, "not a regular file")  # a named pipe would block for ever when opened
        with Path(child.path).open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            return Entry(path, stream_blob_id(stream, size), size)
    except (OSError, EOFError) as error:
        return Skipped(path, _why(error))


def _why(error: OSError | EOFError) -> str:
    return (getattr(error, "strerror", None) or "it changed while it was being read").lower()


def _is_utf8(name: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in name)


def _digest(listing: Iterable[Entry | Skipped]) -> str:
    digest = hashlib.sha256()
    for entry in listing:
        known = f"{entry.mode} {entry.content_id}" if isinstance(entry, Entry) else "skipped"
        digest.update(f"{known} {entry.path}\0".encode("utf-8", "backslashreplace"))
    return digest.hexdigest()
