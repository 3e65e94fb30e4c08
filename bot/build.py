"""What of RepoPilot runs here."""

from __future__ import annotations

from importlib import metadata


def version() -> str:
    """RepoPilot's version; `0` when it is run from a checkout that is not installed."""
    try:
        return metadata.version("repopilot")
    except metadata.PackageNotFoundError:
        return "0"
