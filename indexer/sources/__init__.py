"""What a person names (an address, a path, a published version) becomes a repository at one commit."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from indexer.errors import SourceError
from indexer.sources.clone import fetch, repository_name
from indexer.sources.folder import open_folder
from indexer.sources.git import is_repository, open_git
from indexer.sources.remote import is_scp_address, without_credentials
from indexer.sources.sdist import open_sdist
from indexer.types import Address, Source

__all__ = ["open_source", "storable"]

_SCHEMES = ("https", "http", "ssh", "git", "file")
_REPOSITORY = re.compile(r"[\w.-]+(/[\w.-]+)+")


def open_source(source: str, *, ref: str | None, repository: str | None, cache: Path) -> Source:
    """Return the source that `source` names: `pypi:NAME==VERSION`, a git address, a repository or a folder.

    `ref` is a branch, tag or SHA (None: HEAD; for an archive the tag that links use). `repository` is OWNER/NAME;
    without it, the name comes from the git remote, the archive's metadata, or the folder. A folder inside a work tree
    is a plain folder. Clones and downloads lie in `cache`. Raises SourceError, in one sentence for a person.
    """
    if repository is not None and not _REPOSITORY.fullmatch(repository):
        raise SourceError(f"{repository!r} is not the name of a repository: write it as OWNER/NAME")
    if source.startswith("pypi:"):
        return open_sdist(source, ref=ref, repository=repository, cache=cache)
    if _is_address(source):
        clone = fetch(source, ref=ref, cache=cache)
        return open_git(clone, ref=ref, repository=repository, name=repository_name(source))
    folder = _folder(source)
    if is_repository(folder):
        return open_git(folder, ref=ref, repository=repository)
    if ref is not None:
        raise SourceError(
            f"{folder} is not a git repository, so it has no {ref}: leave --ref out, or name a repository"
        )
    return open_folder(folder, repository=repository)


def storable(address: Address) -> Address:
    """Return the address as it may be kept and shown: an absolute path, or without credentials."""
    source = address.source
    if source.startswith("pypi:") or _is_address(source):
        return replace(address, source=without_credentials(source))
    return replace(address, source=str(Path(source).expanduser().resolve()))


def _is_address(source: str) -> bool:
    """Return whether `source` is to be fetched; raises SourceError for an address of a kind that is not supported."""
    scheme, separator, _ = source.partition("://")
    if separator and scheme not in _SCHEMES:
        raise SourceError(f"{without_credentials(source)} cannot be fetched: use an https, ssh or file address")
    return bool(separator) or is_scp_address(source)


def _folder(source: str) -> Path:
    path = Path(source).expanduser()
    try:
        if not source or not path.exists():
            raise SourceError(f"there is no folder {source!r}: {_advice(source)}")
        if not path.is_dir():
            raise SourceError(f"{source} is a file: name the folder or the repository that holds it")
        next(path.iterdir(), None)
    except OSError as error:
        raise SourceError(f"cannot open {source} ({error.strerror}): check its permissions") from error
    return path


def _advice(source: str) -> str:
    if re.fullmatch(r"(github|gitlab)\.com/[\w.-]+/[\w.-]+", source):
        return f"did you mean https://{source}?"
    if re.fullmatch(r"[\w.-]+==[\w.]+", source):
        return f"did you mean pypi:{source}?"
    return "name a path, a git address such as https://github.com/OWNER/NAME, or pypi:NAME==VERSION"
