from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from indexer.errors import SourceError
from indexer.sources import open_source
from indexer.types import Entry, Skipped, Source


def opened(folder: Path) -> Source:
    return open_source(str(folder), ref=None, repository=None, cache=folder.parent / "cache")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "z.md").write_text("# Z\n")
    (folder / "a.md").write_text("# A\n")
    return folder


def files(source: Source) -> list[Entry]:
    return [entry for entry in source.entries() if isinstance(entry, Entry) and entry.mode == "file"]


def test_files_come_in_path_order_with_the_ids_of_git(folder: Path) -> None:
    source = opened(folder)
    assert [entry.path for entry in source.entries()] == ["a.md", "a/z.md"]
    assert [(file.path, file.data) for file in source.read(files(source))] == [("a.md", b"# A\n"), ("a/z.md", b"# Z\n")]
    expected = subprocess.run(("git", "hash-object", "a.md"), cwd=folder, capture_output=True, text=True, check=True)
    assert files(source)[0].content_id == expected.stdout.strip()


def test_the_version_is_made_of_names_and_contents(folder: Path) -> None:
    origin = opened(folder).origin
    assert origin == opened(folder).origin
    assert origin.repository == "local/notes"
    assert origin.commit.startswith("worktree-")
    assert len(origin.commit) == len("worktree-") + 12
    assert origin.web is None
    (folder / "a.md").rename(folder / "b.md")
    renamed = opened(folder).origin
    (folder / "b.md").write_text("# B\n")
    assert len({origin.fingerprint, renamed.fingerprint, opened(folder).origin.fingerprint}) == 3


def test_links_are_named_and_never_followed(folder: Path) -> None:
    (folder / "loop").symlink_to(".")
    (folder / "etc").symlink_to("/etc")
    (folder / "dangling").symlink_to("nowhere")
    modes = {entry.path: entry.mode for entry in opened(folder).entries() if isinstance(entry, Entry)}
    assert modes == dict.fromkeys(["loop", "etc", "dangling"], "symlink") | dict.fromkeys(["a.md", "a/z.md"], "file")


def test_folders_of_tools_are_not_entered(folder: Path) -> None:
    (folder / "node_modules" / "x").mkdir(parents=True)
    (folder / "node_modules" / "x" / "i.js").write_text("x")
    (folder / "a" / ".git").mkdir()
    skipped = [entry for entry in opened(folder).entries() if isinstance(entry, Skipped)]
    assert [entry.path for entry in skipped] == ["a/.git", "node_modules"]
    assert "vendored" in skipped[1].reason


def test_what_is_no_file_is_reported(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / os.fsdecode(b"caf\xe9.md")).write_text("x")
    skipped = {entry.path: entry.reason for entry in opened(folder).entries() if isinstance(entry, Skipped)}
    assert skipped == {"pipe": "not a regular file", "caf\\xe9.md": "the file name is not UTF-8"}


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_what_may_not_be_read_is_reported(folder: Path) -> None:
    (folder / "a.md").chmod(0)
    (folder / "a").chmod(0)
    skipped = {entry.path: entry.reason for entry in opened(folder).entries() if isinstance(entry, Skipped)}
    (folder / "a").chmod(0o700)
    assert skipped == {"a.md": "permission denied", "a": "permission denied"}


def test_a_file_that_vanishes_while_it_is_read(folder: Path) -> None:
    source = opened(folder)
    (folder / "a.md").unlink()
    with pytest.raises(SourceError, match="changed while it was being indexed"):
        list(source.read(files(source)))


def test_a_very_deep_folder(folder: Path) -> None:
    deep = folder
    for _ in range(900):
        deep /= "d"
    deep.mkdir(parents=True)
    (deep / "x.py").write_text("x")
    assert len(files(opened(folder))) == 3


def test_a_folder_inside_a_work_tree_is_a_plain_folder(folder: Path) -> None:
    subprocess.run(("git", "init", "-q", str(folder.parent)), check=True)
    assert opened(folder).origin.commit.startswith("worktree-")
