"""The settings as a table: for people who set them, and for the documentation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args

from pydantic import SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from bot.settings import PREFIX, Settings

# Sections, each with what the names of its settings begin with; what fits nowhere is in the first.
SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "Storage and indexing": (),
    "Embedding and search": ("embedder", "reranker", "chroma_"),
    "Language model": ("llm_",),
    "HTTP and the web page": ("api_", "per_client_", "per_address_", "page", "widget_", "request_", "body_"),
    "Jobs and history": ("database_", "history_", "jobs_", "per_user_"),
    "GitHub": ("github_",),
    "Discord": ("discord_", "per_channel_", "per_guild_"),
    "Log": ("log_",),
}
_CREDENTIALS: Final = re.compile(r"://[^/@\s]*@")
INTRODUCTION: Final = """\
# Settings

Each is an environment variable, a line of a `.env` file in the current folder, or a file in the folder
`REPOPILOT_SECRETS_DIR`; the first of these that has it counts. `repopilot settings` shows what they are now, and
`repopilot settings --markdown` made this page.
"""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its variable, what it means, its default in words, and whether its value must not be shown."""

    name: str
    variable: str
    section: str
    meaning: str
    default: str
    secret: bool


def settings() -> list[Setting]:
    """All settings, in the order of their class."""
    return [
        Setting(
            name, f"{PREFIX}{name.upper()}", _section(name), field.description or "", _default(field), _secret(field)
        )
        for name, field in Settings.model_fields.items()
    ]


def markdown() -> str:
    """The reference as a page."""
    known = settings()
    parts = [INTRODUCTION]
    for section in SECTIONS:
        rows = [f"| `{s.variable}` | {_cell(s)} | {s.default} |" for s in known if s.section == section]
        parts.append("\n".join((f"## {section}\n", "| variable | meaning | default |", "|---|---|---|", *rows)) + "\n")
    return "\n".join(parts)


def shown(setting: Setting, values: Settings) -> str:
    """A setting's value, as it may be shown."""
    value: Any = getattr(values, setting.name)
    if value in (None, (), ""):
        return "not set"
    return "set" if setting.secret else _CREDENTIALS.sub("://…@", _words(value))


def _section(name: str) -> str:
    return next((section for section, starts in SECTIONS.items() if name.startswith(starts)), next(iter(SECTIONS)))


def _secret(field: FieldInfo) -> bool:
    return SecretStr in (field.annotation, *get_args(field.annotation))


def _cell(setting: Setting) -> str:
    return f"{setting.meaning}{' (secret)' if setting.secret else ''}".replace("|", "\\|")


def _default(field: FieldInfo) -> str:
    extra = field.json_schema_extra
    if isinstance(extra, dict) and "default" in extra:
        return str(extra["default"])
    return "none" if field.default in (None, (), PydanticUndefined, "") else _words(field.default)


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
