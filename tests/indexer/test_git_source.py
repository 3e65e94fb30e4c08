from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from indexer.errors import SourceError
from indexer.sources import open_source, storable
from indexer.sources.remote import Remote, find_remote, parse_remote, without_credentials
from indexer.types import Address, Entry, Skipped, Source

WHO = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}


def git(folder: Path, *arguments: str) -> str:
    command = ("git", "-c", "protocol.file.allow=always", "-C", str(folder), *arguments)
    return subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | WHO).stdout.strip()


def commit(folder: Path, **files: str) -> str:
    for name, content in files.items():
        (folder / name).write_text(content)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "a commit")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "engine"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    commit(folder, good="def good(): ...\n")
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def opened(source: Path | str, cache: Path, ref: str | None = None, repository: str | None = None) -> Source:
    return open_source(str(source), ref=ref, repository=repository, cache=cache)


def contents(source: Source) -> dict[str, bytes]:
    files = [entry for entry in source.entries() if isinstance(entry, Entry) and entry.mode == "file"]
    return {file.path: file.data for file in source.read(files)}


def complaint(source: Path | str, cache: Path, ref: str | None = None) -> str:
    with pytest.raises(SourceError) as caught:
        opened(source, cache, ref)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_the_commit_is_read_and_not_the_work_tree(repo: Path, cache: Path) -> None:
    sha = git(repo, "rev-parse", "HEAD")
    (repo / "good").write_text("changed")
    (repo / "new").write_text("not committed")
    source = opened(repo, cache)
    assert contents(source) == {"good": b"def good(): ...\n"}
    assert source.entries() == [Entry("good", git(repo, "rev-parse", "HEAD:good"), 16)]
    origin = source.origin
    assert (origin.repository, origin.ref, origin.commit, origin.web) == ("local/engine", "main", sha, None)
    assert not list(cache.glob("*"))


def test_links_and_submodules_are_named_and_not_followed(repo: Path, cache: Path) -> None:
    (repo / "etc").symlink_to("/etc")
    (repo / "self").symlink_to(".")
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},third/sub")
    git(repo, "add", "etc", "self")
    git(repo, "commit", "-qm", "links")
    modes = {entry.path: entry.mode for entry in opened(repo, cache).entries() if isinstance(entry, Entry)}
    assert modes == {"etc": "symlink", "good": "file", "self": "symlink", "third/sub": "submodule"}


def test_any_name_survives_and_paths_are_in_order(repo: Path, cache: Path) -> None:
    names = ["a\nb.py", "a\tb.py", 'a"b.py', "ü.py", " x ", "a/z", "a.py", "-r"]
    (repo / "a").mkdir()
    for name in names:
        (repo / name).write_text(name)
    commit(repo)
    source = opened(repo, cache)
    assert [entry.path for entry in source.entries()] == sorted([*names, "good"])
    assert contents(source)["a\nb.py"] == b"a\nb.py"


def test_a_name_that_is_not_utf8_is_reported(repo: Path, cache: Path) -> None:
    (repo / os.fsdecode(b"caf\xe9.py")).write_text("x")
    commit(repo)
    assert Skipped("caf\\xe9.py", "the file name is not UTF-8") in opened(repo, cache).entries()


def test_a_ref_is_a_branch_a_tag_or_a_sha(repo: Path, cache: Path) -> None:
    first = git(repo, "rev-parse", "HEAD")
    git(repo, "tag", "-a", "v1", "-m", "one")
    git(repo, "branch", "release/1")
    second = commit(repo, two="2")
    for ref in ("v1", "release/1", first, first[:10]):
        assert (opened(repo, cache, ref).origin.commit, opened(repo, cache, ref).origin.ref) == (first, ref)
    assert opened(repo, cache).origin.commit == second
    assert opened(repo, cache, "HEAD").origin.ref == "main"
    git(repo, "checkout", "-q", "v1")
    assert opened(repo, cache).origin.commit == first
    assert first.startswith(opened(repo, cache).origin.ref)


def test_an_unknown_ref_names_its_neighbours(repo: Path, cache: Path) -> None:
    git(repo, "tag", "v0.33.0")
    assert "v0.33.0" in complaint(repo, cache, "0.33.0")
    assert "no branch, tag or commit" in complaint(repo, cache, "f" * 40)
    assert "main" in complaint(repo, cache, "--upload-pack=touch x")
    assert complaint(repo, cache, "good:good")


def test_a_repository_without_a_commit(tmp_path: Path, cache: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    assert "no commit" in complaint(tmp_path, cache)
    assert "HEAD" in complaint(tmp_path, cache, "v1")


def test_every_form_of_repository_reads_the_same(repo: Path, tmp_path: Path, cache: Path) -> None:
    commit(repo, two="2")
    expected = contents(opened(repo, cache))
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
    git(tmp_path, "clone", "-q", "--depth", "1", repo.as_uri(), "shallow")
    git(tmp_path, "clone", "-q", "--shared", str(repo), "shared")
    git(repo, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    git(tmp_path / "shared", "gc", "-q")
    for name in ("bare.git", "shallow", "shared", "linked", "engine/.git"):
        assert contents(opened(tmp_path / name, cache)) == expected, name
    assert opened(tmp_path / "bare.git", cache).origin.repository == "local/bare"
    assert opened(repo / ".git", cache).origin.repository == "local/engine"


def test_a_sha256_repository(tmp_path: Path, cache: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "--object-format=sha256")
    sha = commit(tmp_path, a="1")
    assert len(sha) == 64
    assert opened(tmp_path, cache, sha).origin.commit == sha
    assert contents(opened(tmp_path, cache)) == {"a": b"1"}


def test_a_partial_clone_without_its_files_says_so(repo: Path, tmp_path: Path, cache: Path) -> None:
    git(repo, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", repo.as_uri(), "partial")
    source = opened(tmp_path / "partial", cache)
    with pytest.raises(SourceError, match="partial clone"):
        contents(source)


def test_variables_of_a_git_hook_do_not_lead_elsewhere(
    repo: Path, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    git(tmp_path / "other", "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", "nowhere")
    assert contents(opened(repo, cache)) == {"good": b"def good(): ...\n"}


def test_the_repositorys_configuration_runs_nothing(repo: Path, tmp_path: Path, cache: Path) -> None:
    trap = f"touch {tmp_path / 'trapped'}"
    for setting in (
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.gitProxy",
        "filter.x.smudge",
        "diff.x.textconv",
    ):
        git(repo, "config", setting, trap)
    contents(opened(repo, cache))
    assert not (tmp_path / "trapped").exists()


def test_reading_may_stop_early_and_may_be_lazy(repo: Path, cache: Path) -> None:
    (repo / "large").write_bytes(os.urandom(3 << 20))
    commit(repo)
    source = opened(repo, cache)
    reader = source.read(entry for entry in reversed(source.entries()) if isinstance(entry, Entry))
    assert len(next(reader).data) == 3 << 20
    reader.close()  # type: ignore[attr-defined]


def test_an_object_that_git_cannot_give(repo: Path, cache: Path) -> None:
    source = opened(repo, cache)
    with pytest.raises(SourceError, match="git fsck"):
        list(source.read([Entry("gone.py", "1" * 40, 1)]))


def test_git_missing(repo: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(cache))
    assert "git is not installed" in complaint(repo, cache)


def test_a_repository_of_somebody_else_is_refused_with_the_remedy(
    repo: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    assert "safe.directory" in complaint(repo, cache)


def test_a_damaged_repository(repo: Path, cache: Path) -> None:
    (repo / ".git" / "HEAD").write_text("garbage")
    assert str(repo) in complaint(repo, cache)


def test_the_remote_gives_name_and_page_and_the_user_may_give_them(repo: Path, cache: Path) -> None:
    assert opened(repo, cache, repository="vllm-project/vllm").origin.web == "https://github.com/vllm-project/vllm"
    git(repo, "remote", "add", "origin", "https://me:secret@github.com/vllm-project/vllm.git")
    origin = opened(repo, cache).origin
    assert (origin.repository, origin.web) == ("vllm-project/vllm", "https://github.com/vllm-project/vllm")
    assert opened(repo, cache, repository="fork/vllm").origin.web == "https://github.com/vllm-project/vllm"


@pytest.mark.parametrize(
    ("address", "web"),
    [
        ("https://github.com/o/n", "https://github.com/o/n"),
        ("https://user:token@gitlab.com/g/sub/n.git/", "https://gitlab.com/g/sub/n"),
        ("git@github.com:o/n.git", "https://github.com/o/n"),
        ("ssh://git@git.example.org:2222/o/n.git", "https://git.example.org/o/n"),
        ("http://gitea.local:3000/o/n", "http://gitea.local:3000/o/n"),
        ("git@work-alias:o/n.git", None),
        ("/srv/git/n.git", None),
        ("file:///srv/git/n.git", None),
        ("https://example.org/n.git", None),
        ("https://[bad/o/n", None),
    ],
)
def test_remote_addresses(address: str, web: str | None) -> None:
    remote = parse_remote(address)
    assert (remote.web if remote else None) == web


def test_the_best_address_of_a_package() -> None:
    addresses = [
        ("Documentation", "https://docs.example.org/a/b"),
        ("Issues", "https://github.com/o/wrong/issues"),
        ("Homepage", "https://example.org/o/n"),
        ("Source Code", "https://github.com/o/n/tree/main/python"),
    ]
    assert find_remote(addresses) == Remote("o/n", "https://github.com/o/n")
    assert find_remote(addresses[:1]) is None


def test_a_fetched_repository_follows_its_remote(repo: Path, cache: Path) -> None:
    first = git(repo, "rev-parse", "HEAD")
    url = repo.as_uri()
    assert opened(url, cache).origin.commit == first
    assert opened(url, cache).origin.repository == "local/engine"
    git(repo, "checkout", "-q", "--orphan", "trunk")
    second = commit(repo, new="2")
    git(repo, "branch", "-qD", "main")
    assert (opened(url, cache).origin.commit, opened(url, cache).origin.ref) == (second, "trunk")
    assert "main" not in complaint(url, cache, "main").partition(": ")[2]
    git(repo, "checkout", "-q", "--detach")
    assert opened(url, cache).origin.commit == second
    assert len(list(cache.glob("clones/*"))) == 1


def test_a_pinned_commit_in_the_cache_needs_no_network(repo: Path, cache: Path) -> None:
    sha = git(repo, "rev-parse", "HEAD")
    url = repo.as_uri()
    opened(url, cache)
    repo.rename(repo.with_name("moved"))
    assert contents(opened(url, cache, sha)) == {"good": b"def good(): ...\n"}
    assert "cannot fetch" in complaint(url, cache)


def test_an_address_that_fails_keeps_its_credentials_to_itself(cache: Path) -> None:
    message = complaint("https://me:hunter2@127.0.0.1:9/o/n.git", cache)
    assert "https://127.0.0.1:9/o/n.git" in message
    assert "hunter2" not in message
    assert not any(b"hunter2" in path.read_bytes() for path in cache.rglob("*") if path.is_file())
    assert without_credentials("see https://a:b@c/d and ssh://x@y/z") == "see https://c/d and ssh://y/z"


def test_what_cannot_be_opened_is_said_with_the_next_step(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "file.txt").write_text("x")
    assert "there is no folder" in complaint(tmp_path / "nothing", cache)
    assert "there is no folder" in complaint(tmp_path / "nothing.git", cache)
    assert "is a file" in complaint(tmp_path / "file.txt", cache)
    assert "https://github.com/o/n?" in complaint("github.com/o/n", cache)
    assert "pypi:vllm==0.33.0" in complaint("vllm==0.33.0", cache)
    assert "https, ssh or file" in complaint("ext::sh -c touch% x://y", cache)
    assert "not a git repository" in complaint(tmp_path, cache, "main")
    assert "there is no folder" in complaint("", cache)
    with pytest.raises(SourceError, match="OWNER/NAME"):
        opened(tmp_path, cache, repository="not a name")


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("https://ada:secret@git.example.org/a/b.git", "https://git.example.org/a/b.git"),
        ("git@git.example.org:a/b.git", "git@git.example.org:a/b.git"),
        ("pypi:vllm==0.33.0", "pypi:vllm==0.33.0"),
        ("engine", str(Path.cwd() / "engine")),
    ],
)
def test_an_address_is_kept_absolute_and_without_credentials(typed: str, kept: str) -> None:
    assert storable(Address(typed, "main", "a/b")) == Address(kept, "main", "a/b")
