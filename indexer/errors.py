"""What can break while a repository becomes searchable.

    RepoPilotError
    ├── SourceError        the source cannot be found, read or resolved
    ├── IndexMissing       nothing is indexed yet, or not this repository or version
    ├── IndexDamaged       a store is torn, foreign or from another RepoPilot
    ├── IndexLocked        another process is indexing
    ├── EmbedderError      the embedder cannot be loaded or reached
    ├── EmbedderMismatch   the index was made with another embedder
    └── StorageError       no space, no permission

Each message is one sentence that says what happened, where, and what to do next; it is shown to people as it is.
"""

from __future__ import annotations


class RepoPilotError(Exception):
    """The root: a message for a person, never a traceback."""


class SourceError(RepoPilotError):
    pass


class IndexMissing(RepoPilotError):
    pass


class IndexDamaged(RepoPilotError):
    pass


class IndexLocked(RepoPilotError):
    pass


class EmbedderError(RepoPilotError):
    pass


class EmbedderMismatch(RepoPilotError):
    pass


class StorageError(RepoPilotError):
    pass
