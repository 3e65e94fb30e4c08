"""A lock in deploy/ as its requirements: what is installed, at which version, where, with which hashes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

# What the image is: markers speak of it in these words (https://peps.python.org/pep-0508/#environment-markers).
IMAGE = {"os_name": "posix", "platform_system": "Linux", "sys_platform": "linux", "python_version": "3.11"}


@dataclass(frozen=True, slots=True)
class Locked:
    """One requirement of a lock; `hashes` have the form `sha256:…`, one for each file that may be installed."""

    requirement: Requirement
    hashes: tuple[str, ...]

    @property
    def name(self) -> NormalizedName:
        return canonicalize_name(self.requirement.name)

    @property
    def version(self) -> str:
        """Return the one version that fits; a requirement without one raises ValueError."""
        [pin] = self.requirement.specifier
        if pin.operator != "==" or pin.version.endswith("*"):
            raise ValueError(f"{self.requirement} names no single version")
        return pin.version

    @property
    def in_image(self) -> bool:
        """Return whether the image has it, rather than another platform."""
        return self.requirement.marker is None or self.requirement.marker.evaluate({**IMAGE})


def locked(lock: Path) -> Iterator[Locked]:
    """Yield the requirements of a file that `make lock` wrote, in its order."""
    for line in re.sub(r"\\\n\s*", "", lock.read_text()).splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            requirement, *hashes = re.split(r"\s*--hash=", line.strip())
            yield Locked(Requirement(requirement), tuple(hashes))
