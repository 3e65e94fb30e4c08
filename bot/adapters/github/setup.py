"""An App that has just been registered becomes settings in a `.env` file; its secrets are shown nowhere else.

https://docs.github.com/rest/apps/apps#create-a-github-app-from-a-manifest
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dotenv import dotenv_values, set_key
from pydantic import TypeAdapter, ValidationError

from bot.adapters.github.client import Client
from bot.adapters.github.failures import GitHubError

ONLY_OURS: Final = 0o600
APP_ID: Final = "REPOPILOT_GITHUB_APP_ID"
PRIVATE_KEY: Final = "REPOPILOT_GITHUB_PRIVATE_KEY"
WEBHOOK_SECRET: Final = "REPOPILOT_GITHUB_WEBHOOK_SECRET"
HANDLE: Final = "REPOPILOT_GITHUB_HANDLE"
WRITTEN: Final = (APP_ID, PRIVATE_KEY, WEBHOOK_SECRET, HANDLE)


@dataclass(frozen=True, slots=True)
class Registered:
    """What GitHub tells of an App once, when it has been registered."""

    id: int
    slug: str
    html_url: str
    pem: str
    webhook_secret: str | None

    @property
    def install_url(self) -> str:
        """Where people choose the repositories that it is for."""
        return f"{self.html_url}/installations/new"

    @property
    def settings(self) -> Mapping[str, str]:
        """Its settings; people mention it by its slug, whatever it was to be called."""
        values = (str(self.id), self.pem, self.webhook_secret or "", self.slug)
        return dict(zip(WRITTEN, values, strict=True))


async def exchanged(client: Client, code: str) -> Registered:
    """The App that a code stands for. Raises GitHubError; its kind is `gone` for a code that is used up or too old."""
    try:
        found = TypeAdapter(Registered).validate_python(await client.register(code))
    except ValidationError as error:
        raise GitHubError("invalid", "What GitHub answered is not an App's description.") from error
    if not found.webhook_secret:
        raise GitHubError("invalid", "The App has no webhook secret: set one on its page, and in the settings.")
    return found


def held(path: Path) -> list[str]:
    """Which of the settings that we write a file has already."""
    return [name for name in WRITTEN if name in dotenv_values(path)] if path.exists() else []


def prepare(path: Path) -> None:
    """Make sure that the file can be written, and by nobody else be read: a code gives its secrets only once.

    Raises OSError.
    """
    path.touch(mode=ONLY_OURS)
    path.chmod(ONLY_OURS)
    path.open("a").close()


def store(path: Path, settings: Mapping[str, str]) -> None:
    """Write settings into a `.env` file, beside what else it holds. Raises OSError."""
    for name, value in settings.items():
        set_key(path.resolve(), name, _quoted(value), quote_mode="never")


def _quoted(value: str) -> str:
    """A value in one line: what reads such files makes line ends of `\\n` in double quotes."""
    if value.isalnum():
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
