"""A repository behind a git address is fetched into the cache, to be read there like any other."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from indexer.errors import SourceError
from indexer.sources.git import last_words, run_git
from indexer.sources.remote import without_credentials

_PROTOCOLS = "https:http:ssh:git:file"  # and none of git's helpers (`ext::`), which run whatever the address says
_BRANCHES_AND_TAGS = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
# A connection that gives less than 1 kB/s for a minute is taken for dead.
_PATIENCE = ("-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=60")
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def repository_name(url: str) -> str:
    """Return the last part of a git address, without `.git`."""
    return re.split(r"[/:]", url.rstrip("/"))[-1].removesuffix(".git")


def fetch(url: str, *, ref: str | None, cache: Path) -> Path:
    """Bring the branches and tags of `url` into a bare repository below `cache`, and return its folder.

    A SHA that lies there already costs no network. Credentials in `url` are used and never stored. Raises SourceError
    when the address cannot be reached, or the cache cannot be written.
    """
    public = without_credentials(url)
    folder = cache / "clones" / f"{repository_name(url)}-{hashlib.sha256(public.encode()).hexdigest()[:12]}.git"
    _prepare(folder, public)
    pinned = ref is not None and _SHA.fullmatch(ref) is not None
    if not (pinned and _has(folder, str(ref))):
        _fetch(folder, url, *_BRANCHES_AND_TAGS)
        _follow_head(folder, url)
        # A commit that no branch holds any more, such as the head of a pull request, must be asked for by name.
        if pinned and not _has(folder, str(ref)):
            _fetch(folder, url, f"+{ref}:refs/pinned/{ref}")
    return folder


def _prepare(folder: Path, public_url: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SourceError(f"cannot use {folder} for a clone ({error.strerror}): check its permissions") from error
    if not (folder / "HEAD").exists():
        _expect(folder, public_url, "init", "--quiet", "--bare", ".")
        _expect(folder, public_url, "config", "remote.origin.url", public_url)


def _fetch(folder: Path, url: str, *refspecs: str) -> None:
    _expect(folder, url, *_PATIENCE, "fetch", "--quiet", "--no-tags", "--prune", "--force", url, *refspecs)


def _follow_head(folder: Path, url: str) -> None:
    """Let HEAD name what the remote's HEAD names: a branch, or a commit where it is detached."""
    match _expect(folder, url, *_PATIENCE, "ls-remote", "--symref", url, "HEAD").partition("\t")[0].split():
        case ["ref:", branch]:
            _expect(folder, url, "symbolic-ref", "HEAD", branch)
        case [commit]:
            _expect(folder, url, "update-ref", "--no-deref", "HEAD", commit)


def _has(folder: Path, commit: str) -> bool:
    return run_git(folder, "cat-file", "-e", f"{commit}^{{commit}}").returncode == 0


def _expect(folder: Path, url: str, *arguments: str) -> str:
    done = run_git(folder, *arguments, protocols=_PROTOCOLS)
    if done.returncode == 0:
        return done.stdout.decode("utf-8", "replace")
    raise SourceError(
        f"cannot fetch {without_credentials(url)} ({last_words(done.stderr)}): "
        "check the address, the network and your access to it"
    )
