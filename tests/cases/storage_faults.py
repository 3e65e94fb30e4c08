"""Disks that fail: a full one and one that cannot be written, for the time of a `with` block."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cases.program import CannotRunError
from cases.workspace import Workspace


@contextmanager
def full_disk(folder: Path, size_mb: int) -> Iterator[None]:
    """`folder` is a file system of that many MiB, which a store soon fills."""
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size_mb}m,mode=0777", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise CannotRunError("cannot run here: a small file system cannot be mounted")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def read_only(workspace: Workspace) -> Iterator[None]:
    """The program's data folder cannot be written; root can write everywhere, so root cannot try this."""
    if os.geteuid() == 0 and "setpriv" not in str(workspace.program.command[0]):
        raise CannotRunError("cannot run here: as root no folder is read-only")
    workspace.home.chmod(0o555)
    try:
        yield
    finally:
        workspace.home.chmod(0o777)
