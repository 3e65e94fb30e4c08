"""Sources that move on are looked at again and again; what has changed is indexed while the version before answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from indexer.errors import RepoPilotError
from indexer.records import Snapshot
from indexer.sync import Report
from indexer.types import Address

Sync = Callable[[Address], Report]
"""Opens an address and indexes what it leads to. Raises RepoPilotError."""


def movable(snapshots: Iterable[Snapshot]) -> list[Address]:
    """The addresses of indexed versions that may move on: all but published archives, each once."""
    found = (s.address for s in snapshots if s.address and not s.address.source.startswith("pypi:"))
    return list(dict.fromkeys(found))


def look(addresses: Sequence[Address], sync: Sync) -> Iterator[tuple[Address, Report | RepoPilotError]]:
    """Look at each source once: what was indexed, or why it could not be. One that fails keeps no other waiting."""
    for address in addresses:
        try:
            yield address, sync(address)
        except RepoPilotError as error:
            yield address, error
