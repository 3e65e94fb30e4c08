"""One pass over a source archive, kept beside it, so that a version is unpacked for its listing only once."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from indexer.errors import SourceError
from indexer.sources.archive import damage_named, members
from indexer.sources.blob import blob_id, stream_blob_id
from indexer.types import Entry, Skipped

_FORM = 1
_METADATA_LIMIT = 4 << 20


@dataclass(frozen=True, slots=True)
class Scan:
    """What one pass over an archive tells: the headers of its PKG-INFO, and every path in path order."""

    sha256: str
    metadata: str
    listing: tuple[Entry | Skipped, ...]


def scan_archive(archive: Path) -> Scan:
    """Return the scan that was kept if it is of these very bytes, else make and keep one.

    Raises SourceError for an archive that is torn or cannot be read.
    """
    with damage_named(archive):
        with archive.open("rb") as stream:
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
        kept = archive.with_name(archive.name + ".scan.json")
        scan = _load(kept, sha256)
        if scan is None:
            scan = _make(archive, sha256)
            _keep(kept, scan)
    return scan


def _make(archive: Path, sha256: str) -> Scan:
    metadata = ""
    listing: list[Entry | Skipped] = []
    for member in members(archive):
        if isinstance(member, Skipped):
            listing.append(member)
        elif member.path == "PKG-INFO" and member.size < _METADATA_LIMIT:
            data = member.stream.read()
            metadata = data.decode("utf-8", "replace").replace("\r\n", "\n").partition("\n\n")[0]
            listing.append(Entry(member.path, blob_id(data), len(data)))
        else:
            listing.append(Entry(member.path, stream_blob_id(member.stream, member.size), member.size))
    return Scan(sha256, metadata, tuple(sorted(listing, key=lambda entry: entry.path)))


def _load(kept: Path, sha256: str) -> Scan | None:
    """Return the kept scan, or None when there is none, or a torn one: it only saves time."""
    try:
        record = json.loads(kept.read_bytes())
        if (record["form"], record["sha256"]) != (_FORM, sha256):
            return None
        return Scan(sha256, record["metadata"], tuple(map(_row, record["listing"])))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _row(row: Mapping[str, Any]) -> Entry | Skipped:
    return Skipped(**row) if "reason" in row else Entry(**row)


def _keep(kept: Path, scan: Scan) -> None:
    partial = kept.with_name(f"{kept.name}.{os.getpid()}")
    try:
        partial.write_text(json.dumps({"form": _FORM, **asdict(scan)}), "utf-8")
        partial.replace(kept)
    except OSError as error:
        raise SourceError(
            f"cannot write {kept} ({error.strerror}): check its folder's permissions and space"
        ) from error
