from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from fakes.disk import small_disk
from indexer.errors import StorageError
from indexer.pending import PendingVectors


def batches(pending: PendingVectors) -> dict[tuple[int, ...], list[list[float]]]:
    return {tuple(ids): vectors.tolist() for ids, vectors in pending}


def test_batches_come_back_in_their_order(tmp_path: Path) -> None:
    pending = PendingVectors(tmp_path / "segment")
    assert batches(pending) == {}
    pending.add([9, 10], np.eye(2, dtype=np.float32))
    pending.add([100], np.ones((1, 2), np.float32))
    assert batches(PendingVectors(tmp_path / "segment")) == {(9, 10): [[1, 0], [0, 1]], (100,): [[1, 1]]}
    pending.drop()
    pending.drop()
    assert batches(pending) == {}


@pytest.mark.parametrize("size", [0, 10, 200])
def test_a_torn_batch_is_passed_over(tmp_path: Path, size: int) -> None:
    pending = PendingVectors(tmp_path)
    for first in (1, 2, 3):
        pending.add([first], np.full((1, 64), first, np.float32))
    os.truncate(sorted(tmp_path.glob("*.npz"))[1], size)
    assert [ids for ids, _ in pending] == [[1], [3]]


def test_a_full_disk_is_said_and_leaves_no_half_batch(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "100k"):
        pending = PendingVectors(tmp_path / "disk" / "segment")
        pending.add([1], np.ones((1, 64), np.float32))
        with pytest.raises(StorageError, match=r"Vectors cannot be kept in .*segment .*free space"):
            pending.add([2], np.ones((1, 1 << 20), np.float32))
        assert [ids for ids, _ in pending] == [[1]]
