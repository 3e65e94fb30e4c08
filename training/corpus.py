"""Source distributions of named packages become texts: fetched, checked by hash and licence, read in memory."""

from __future__ import annotations

import hashlib
import logging
import re
import subprocess
import sys
import tarfile
import tomllib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from email.parser import BytesParser
from pathlib import Path
from typing import Literal

log = logging.getLogger(__name__)

Split = Literal["train", "validation", "test"]

LICENCES = {
    "MIT",
    "MIT-0",
    "BSD",
    "0BSD",
    "BSD-2-CLAUSE",
    "BSD-3-CLAUSE",
    "APACHE",
    "APACHE-2.0",
    "ISC",
    "ZLIB",
    "CC0-1.0",
}
"""SPDX names, upper case, all permissive. `BSD` and `APACHE` are what the trove classifiers say."""

CODE = {".py", ".pyx", ".rs", ".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".js", ".ts", ".tsx", ".go", ".java"}
PROSE = {".md", ".rst", ".txt"}
LARGEST_FILE = 400_000
"""Bytes; what is larger was written by a program."""

LONGEST_LINE = 400
"""Characters, on average over a file; code is not written so, but packed."""

MOST_FILES = 1_200
"""Of one package, drawn by the hash of their paths."""

SKIPPED = re.compile(
    r"(^|/)(tests?|testing|_vendor\w*|vendor(ed)?|third_?party|3rdparty|extern(al)?s?|subprojects|node_modules|locale"
    r"|dist|build|enterprise|_generated|generated|test_\w+\.py|\w+_pb2\w*\.py|\w+\.min\.js"
    r"|\w*(requirements|licen[cs]e|sources)\w*\.txt)(/|$)",
    re.IGNORECASE,
)
"""Tests speak of inputs, not of what code does; vendored files belong to other projects, generated ones to nobody."""


@dataclass(frozen=True, slots=True)
class Package:
    """One line of packages.toml."""

    name: str
    version: str
    sha256: str
    split: Split


@dataclass(frozen=True, slots=True)
class SourceText:
    """One file of a package; `path` is relative to the root of the source distribution."""

    package: str
    path: str
    text: str


def read_packages() -> tuple[list[Package], str]:
    """Returns every package of packages.toml in file order, and the word whose paths are left out."""
    table = tomllib.loads(Path(__file__).with_name("packages.toml").read_text())
    splits: tuple[Split, ...] = ("train", "validation", "test")
    packages = []
    for split in splits:
        for line in table[split]:
            name, version, sha256 = re.split(r"==|\s+sha256:", line)
            packages.append(Package(name, version, sha256, split))
    return packages, table["exclude"]


def fetch(package: Package, folder: Path) -> Path:
    """Returns the source distribution in `folder`, downloaded when it is not there; its build is never run."""
    requirement = f"{package.name}=={package.version}"
    pattern = f"{re.sub('[-_.]', '?', package.name)}-{package.version}*.tar.gz"
    if not any(folder.glob(pattern)):
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "unearth", requirement, "--no-binary", "-d", str(folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    archive = next(folder.glob(pattern), None)
    if archive is None or _sha256(archive) != package.sha256:
        raise ValueError(f"{requirement}: {folder} has no source distribution with the recorded hash")
    return archive


def read_texts(archive: Path, package: str, excluded: str) -> Iterator[SourceText]:
    """Yields the code and prose of a permissively licensed archive; paths that contain `excluded` are left out."""
    with tarfile.open(archive) as tar:
        metadata = next(m for m in tar.getmembers() if re.fullmatch(r"[^/]+/PKG-INFO", m.name))
        if not _is_permissive(_read(tar, metadata)):
            raise ValueError(f"{package}: the licence in its metadata is not on the list of permissive ones")
        members = [m for m in tar.getmembers() if _is_wanted(m, excluded)]
        drawn = set(sorted(zlib.crc32(m.name.encode()) for m in members)[:MOST_FILES])
        for member in members:
            text = (
                _read(tar, member).decode("utf-8", errors="replace")
                if zlib.crc32(member.name.encode()) in drawn
                else ""
            )
            if text and len(text) < LONGEST_LINE * (text.count("\n") + 1):
                yield SourceText(package, member.name.partition("/")[2], text)


def _is_wanted(member: tarfile.TarInfo, excluded: str) -> bool:
    path = member.name.partition("/")[2]
    fits = member.isfile() and member.size <= LARGEST_FILE and Path(path).suffix in CODE | PROSE
    return fits and excluded not in path.lower() and not SKIPPED.search(path)


def _read(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    stream = tar.extractfile(member)
    return stream.read() if stream else b""


def _is_permissive(metadata: bytes) -> bool:
    """Whether every licence that the core metadata names is on the list; "OR" needs one side only."""
    fields = BytesParser().parsebytes(metadata)
    expression = fields.get("License-Expression")
    if expression is None:
        classifiers = [c for c in fields.get_all("Classifier", []) if c.startswith("License ::")]
        named = " ".join(classifiers) or fields.get("License", "")
        words = set(re.findall(r"\b(MIT|BSD|Apache|ISC)\b", named))
        return bool(words) and not re.search(r"GPL|GNU|Mozilla|MPL|Proprietary", named)
    choices = re.split(r"\s+OR\s+", expression.replace("(", "").replace(")", "").upper())
    return any(all(term.split()[0] in LICENCES for term in re.split(r"\s+AND\s+", choice)) for choice in choices)


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
