"""A published source archive (`pypi:NAME==VERSION`) as a source: read member by member, never unpacked."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO

from indexer.errors import SourceError
from indexer.sources.archive import SUFFIXES, Member, damage_named, members
from indexer.sources.pypi import download
from indexer.sources.remote import find_remote, web_page
from indexer.sources.scan import Scan, scan_archive
from indexer.types import Entry, Origin, Skipped, SourceFile

_SPEC = re.compile(r"pypi:(?P<name>[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*==\s*(?P<version>[A-Za-z0-9][\w.+!-]*)", re.A)
_HELD_IN_MEMORY = 16 << 20


@dataclass(frozen=True, slots=True)
class SdistSource:
    """The files of one released version."""

    archive: Path
    origin: Origin
    listing: tuple[Entry | Skipped, ...]

    def entries(self) -> Sequence[Entry | Skipped]:
        return self.listing

    def read(self, entries: Iterable[Entry]) -> Iterator[SourceFile]:
        """Yield the files as asked, in one pass; what the archive has too early waits in a bounded buffer."""
        asked = list(entries)
        awaited = {entry.path for entry in asked}
        arriving = (m for m in members(self.archive) if isinstance(m, Member) and m.path in awaited)
        held: dict[str, tuple[int, int]] = {}
        with damage_named(self.archive), SpooledTemporaryFile(max_size=_HELD_IN_MEMORY) as early:
            for entry in asked:
                if entry.path not in held:
                    yield SourceFile(entry.path, entry.content_id, _await(entry.path, arriving, early, held))
                else:
                    offset, size = held[entry.path]
                    early.seek(offset)
                    yield SourceFile(entry.path, entry.content_id, early.read(size))


def open_sdist(spec: str, *, ref: str | None, repository: str | None, cache: Path) -> SdistSource:
    """Return the source for `pypi:NAME==VERSION`; an archive that is in `cache` needs no network.

    The tag is `v` + version, which is a convention, not a fact; `ref` names another. The repository is the one in
    the archive's metadata. Raises SourceError for a spec without a version, and what `download` and `members` raise.
    """
    wanted = _SPEC.fullmatch(spec)
    if wanted is None:
        raise SourceError(f"{spec!r} names no version: pin one, as in `pypi:NAME==1.2.3`")
    archive = _archive(wanted["name"], wanted["version"], cache / "sdists")
    scan = scan_archive(archive)
    origin = _origin(scan, wanted["name"], wanted["version"], ref=ref, repository=repository)
    return SdistSource(archive, origin, scan.listing)


def _origin(scan: Scan, name: str, version: str, *, ref: str | None, repository: str | None) -> Origin:
    headers = HeaderParser().parsestr(scan.metadata)
    remote = find_remote(_addresses(headers))
    tag = ref or f"v{headers.get('Version', version)}"
    return Origin(
        repository=repository or (remote.repository if remote else f"local/{name}"),
        ref=tag,
        commit=tag,
        web=web_page(remote, repository),
        fingerprint=scan.sha256,
    )


def _addresses(headers: Message) -> Iterator[tuple[str, str]]:
    """Yield (label, URL) of every address in the metadata (core metadata: Project-URL, and Home-page of old)."""
    for line in headers.get_all("Project-URL", []):
        label, _, url = line.partition(",")
        yield label, url.strip()
    for url in headers.get_all("Home-page", []):
        yield "homepage", url


def _archive(name: str, version: str, cache: Path) -> Path:
    folder = cache / f"{re.sub(r'[-_.]+', '-', name).lower()}-{version}"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        cached = sorted(path for path in folder.glob("*") if path.name.endswith(SUFFIXES))
    except OSError as error:
        raise SourceError(f"cannot use {cache} for downloads ({error.strerror}): check its permissions") from error
    return cached[0] if cached else download(name, version, folder)


def _await(path: str, arriving: Iterator[Member], early: IO[bytes], held: dict[str, tuple[int, int]]) -> bytes:
    """Return the bytes of `path`, and put what comes before it into `early`."""
    for member in arriving:
        if member.path == path:
            return member.stream.read()
        data = member.stream.read()
        held[member.path] = (early.seek(0, os.SEEK_END), len(data))
        early.write(data)
    raise SourceError(f"the archive holds no {path}: index it again from the start")
