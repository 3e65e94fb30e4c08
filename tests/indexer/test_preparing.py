from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Iterator
from multiprocessing import spawn
from pathlib import Path

import pytest

from indexer import preparing
from indexer.chunking import chunk
from indexer.preparing import Prepared, prepare, prepare_all
from indexer.sources.blob import blob_id
from indexer.types import Document, Skipped, SourceFile


def file(path: str, text: str = "def a():\n    return 1\n") -> SourceFile:
    return SourceFile(path, blob_id(text.encode()), text.encode())


FILES = [file(f"m{number}.py", f"def f{number}():\n    return {number}\n") for number in range(40)]
FILES.insert(7, SourceFile("table.txt", "id", b"a\0b"))


def test_a_file_becomes_a_document_its_chunks_and_their_terms() -> None:
    prepared = prepare(file("src/blocks.py"))
    assert isinstance(prepared, Prepared)
    assert (prepared.document.language, prepared.document.kind) == ("python", "code")
    assert [piece.symbol for piece in prepared.chunks] == ["a"]
    assert [terms.declares for terms in prepared.terms] == [["a"]]


def test_a_file_that_is_no_text_is_left_out() -> None:
    assert prepare(SourceFile("table.txt", "id", b"a\0b")) == Skipped("table.txt", "binary: it holds NUL bytes")


def test_secrets_are_masked_before_anything_reads_them() -> None:
    token = "ghp_" + "aB3dE5fG7h" * 4
    prepared = prepare(file("deploy.py", f"def deploy():\n    return '{token}'\n"))
    assert isinstance(prepared, Prepared)
    assert token[4:14] not in repr(prepared) and "return 'ghp_•••'" in prepared.chunks[0].text


def test_a_file_that_is_nothing_but_a_key_is_left_out() -> None:
    key = (
        "-----BEGIN RSA PRIVATE "
        + "KEY-----\n"
        + "MIIEowIBAAKCAQEAfake0123456789+/\n" * 8
        + "-----END RSA PRIVATE KEY-----\n"
    )
    outcome = prepare(file("certs/server.txt", key))
    assert isinstance(outcome, Skipped) and "private key" in outcome.reason and "secret" in outcome.reason


def test_workers_give_what_one_process_gives_in_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "BATCH_BYTES", 100)
    assert list(prepare_all(FILES, workers=2)) == list(prepare_all(FILES))


def test_few_files_are_read_ahead_of_what_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "BATCH_BYTES", 1)
    read: list[str] = []

    def reading() -> Iterator[SourceFile]:
        for each in FILES:
            read.append(each.path)
            yield each

    outcomes = prepare_all(reading(), workers=1)
    next(outcomes)
    assert len(read) <= 1 + preparing.BATCHES_A_WORKER
    outcomes.close()


def crash_or_hang(document: Document) -> tuple[object, ...]:
    """As a parser in C may: one file ends the process, one never ends."""
    if document.language != "text" and "segfault" in document.path:
        ctypes.string_at(0)
    if document.language != "text" and "hang" in document.path:
        time.sleep(1_000)
    return chunk(document)


def replace_chunk() -> None:
    preparing.chunk = crash_or_hang  # type: ignore[assignment]


def test_a_parser_that_crashes_or_hangs_costs_its_own_file_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "_leave_interrupts_to_the_parent", replace_chunk)  # in the workers alone
    monkeypatch.setattr(preparing, "TIMEOUT_S", 5)
    files = [*FILES[:5], file("segfault.py"), *FILES[5:10], file("hang.py"), *FILES[10:15]]
    outcomes = list(prepare_all(files, workers=2))
    assert [source for source, _ in outcomes] == files
    warnings = [outcome.warning for _, outcome in outcomes if isinstance(outcome, Prepared) and outcome.warning]
    assert [warning.split(",")[0] for warning in warnings] == ["segfault.py is cut by lines", "hang.py is cut by lines"]
    assert all(outcome.chunks for _, outcome in outcomes if isinstance(outcome, Prepared))


def die() -> None:
    os._exit(1)


def test_where_no_worker_can_start_this_process_does_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "_leave_interrupts_to_the_parent", die)
    monkeypatch.setattr(preparing, "BATCH_BYTES", 100)
    assert list(prepare_all(FILES, workers=2)) == list(prepare_all(FILES))


def test_an_interpreter_that_may_not_be_run_is_not_tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    locked = tmp_path / "python"
    locked.touch(0o644)
    monkeypatch.setattr(spawn, "_python_exe", os.fsencode(locked))
    before = children()
    outcomes = prepare_all(FILES, workers=2)
    next(outcomes)
    assert children() == before
    assert len(list(outcomes)) == len(FILES) - 1


def test_workers_end_with_whoever_stops_listening() -> None:
    before = children()
    outcomes = prepare_all(FILES * 50, workers=2)
    next(outcomes)
    assert children() - before
    outcomes.close()
    deadline = time.monotonic() + 20
    while children() - before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not children() - before


def children() -> set[str]:
    """Processes of this one that are running."""
    found = set()
    for task in Path("/proc/self/task").iterdir():
        found |= set((task / "children").read_text("ascii").split())
    return found
