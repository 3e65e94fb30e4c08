"""All that is stored below one folder, in one file, and back: indexes, jobs, history, keys.

Left out is what is made anew by itself: downloads and locks.
"""

from __future__ import annotations

import json
import sqlite3
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Final

from indexer.errors import RepoPilotError, StorageError
from indexer.stores import Stores

FORMAT: Final = 1
LABEL: Final = "repopilot-backup.json"
LEFT_OUT: Final = frozenset({"sources", "workers", "index.holder"})
# Most of it is compressed already: a higher level saves 3 % and takes thrice as long.
COMPRESSION: Final = 1
_RESTORING: Final = ".restoring"

Progress = Callable[[int, int], None]


class NoBackup(RepoPilotError):
    """A file is no backup, or not a whole one."""


class InUse(RepoPilotError):
    """A folder holds something already."""


@dataclass(frozen=True, slots=True)
class Backup:
    """What was packed or unpacked: how many files, of how many bytes."""

    made_at: str
    files: int
    bytes: int


def backup(stores: Stores, file: Path, progress: Progress = lambda done, total: None) -> Backup:
    """Pack a folder while it is served from; nothing may be indexed meanwhile. The file appears when it is whole.

    Raises IndexLocked, StorageError.
    """
    partial = file.with_name(f"{file.name}.partial")
    try:
        with stores.locked("making a backup"):
            made = _packed(stores.home, partial, progress)
        partial.replace(file)
    except OSError as error:
        raise StorageError(f"The backup {file} cannot be written ({error.strerror or error}).") from error
    finally:
        partial.unlink(missing_ok=True)
    return made


def restore(file: Path, home: Path, force: bool = False, progress: Progress = lambda done, total: None) -> Backup:
    """Unpack a backup into a folder. What is there already is refused, or with `force` moved into a folder in it, whose
    name begins with `before-`. Nothing has changed unless the whole backup could be read.

    Raises NoBackup, InUse, StorageError.
    """
    try:
        home.mkdir(parents=True, exist_ok=True)
        there = [path for path in home.iterdir() if not path.name.startswith(("before-", _RESTORING))]
        if there and not force:
            raise InUse(f"{home} is not empty; restore into another REPOPILOT_HOME, or with --force in its place.")
        with tempfile.TemporaryDirectory(prefix=_RESTORING, dir=home) as name:
            made = _unpacked(file, Path(name), progress)
            _moved(there, home / f"before-{datetime.now(UTC):%Y%m%dT%H%M%S%f}") if there else None
            _moved(list(Path(name).iterdir()), home)
    except OSError as error:
        raise StorageError(f"{file} cannot be restored into {home} ({error.strerror or error}).") from error
    return made


def _packed(home: Path, partial: Path, progress: Progress) -> Backup:
    found = list(_stored(home, partial))
    size = sum(path.stat().st_size for path in found)
    made = Backup(datetime.now(UTC).isoformat(timespec="seconds"), len(found), size)
    label = json.dumps({"format": FORMAT, "made_at": made.made_at, "files": made.files, "bytes": made.bytes}).encode()
    with tarfile.open(partial, "w:gz", compresslevel=COMPRESSION) as archive:
        member = tarfile.TarInfo(LABEL)
        member.size = len(label)
        archive.addfile(member, BytesIO(label))
        for done, path in enumerate(found):
            progress(done, len(found))
            if path.parent == home and path.suffix in (".sqlite", ".sqlite3"):
                _add_database(archive, path)
            else:
                archive.add(path, path.relative_to(home).as_posix(), recursive=False)
    partial.chmod(0o600)  # questions, and hashes of keys
    return made


def _stored(home: Path, partial: Path) -> Iterator[Path]:
    """The files to keep. A database's journal is part of its copy."""
    for path in sorted(home.rglob("*")):
        name = path.relative_to(home).parts[0]
        aside = name in LEFT_OUT or name.startswith(("before-", _RESTORING)) or path == partial
        if path.is_file() and not aside and not path.name.endswith((".lock", "-wal", "-shm", "-journal")):
            yield path


def _add_database(archive: tarfile.TarFile, path: Path) -> None:
    """A copy as of one moment, whatever is being written meanwhile (https://sqlite.org/backup.html)."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        archive.add(copy, path.name)


def _unpacked(file: Path, folder: Path, progress: Progress) -> Backup:
    try:
        with tarfile.open(file, "r:gz") as archive:
            made = _label(archive)
            count = 0
            for member in (member for member in archive if member.name != LABEL):
                archive.extract(member, folder, filter="data")
                count += 1
                progress(count, made.files)
    except (tarfile.TarError, EOFError, ValueError, KeyError, TypeError) as error:
        raise NoBackup(f"{file} is no backup of RepoPilot's, or not a whole one ({error}).") from error
    if count != made.files:
        raise NoBackup(f"{file} is not whole: it has {count} of {made.files} files.")
    return made


def _label(archive: tarfile.TarFile) -> Backup:
    first = archive.next()
    stream = archive.extractfile(first) if first and first.name == LABEL else None
    if stream is None:
        raise ValueError("it does not begin as one")
    said = json.loads(stream.read())
    if said["format"] != FORMAT:
        raise ValueError(f"format {said['format']}, this RepoPilot reads {FORMAT}")
    return Backup(said["made_at"], said["files"], said["bytes"])


def _moved(paths: list[Path], folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for path in paths:
        path.rename(folder / path.name)
