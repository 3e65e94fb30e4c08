"""Who and what there is on the fake: accounts, repositories, the App and where it is installed."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Literal

Level = Literal["read", "write", "admin"]
TOKEN_LIFETIME_S = 3_600.0  # https://docs.github.com/rest/apps/apps#create-an-installation-access-token-for-an-app
PERMISSIONS: dict[str, Level] = {
    "metadata": "read",
    "contents": "read",
    "issues": "write",
    "pull_requests": "write",
    "discussions": "write",
}
EVENTS = (
    "discussion",
    "discussion_comment",
    "issue_comment",
    "issues",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "push",
    "release",
)


@dataclass(eq=False, slots=True)
class User:
    """An account: a person, an organization, or the bot of an App (whose login ends in `[bot]`)."""

    login: str
    id: int
    type: Literal["User", "Organization", "Bot"] = "User"
    node_id: str = ""

    def __post_init__(self) -> None:
        self.node_id = self.node_id or f"U_{self.id}"


@dataclass(eq=False, slots=True)
class Repository:
    """`collaborators` are logins with their permission (admin, write, read, none)."""

    id: int
    owner: User
    name: str
    private: bool = False
    default_branch: str = "main"
    node_id: str = ""
    collaborators: dict[str, str] = field(default_factory=dict)
    hooks: list[str] = field(default_factory=list)
    """where the repository's own webhooks lead, beside those of Apps"""

    def __post_init__(self) -> None:
        self.node_id = self.node_id or f"R_{self.id}"

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"


@dataclass(eq=False, slots=True)
class App:
    """The registered App; `hook_url` is where its deliveries go. Its private key is only known to who made it."""

    id: int
    slug: str
    name: str
    owner: User
    bot: User
    public_key: str
    client_id: str = "Iv23liFAKEfakeFAKE00"
    permissions: dict[str, Level] = field(default_factory=lambda: dict(PERMISSIONS))
    events: list[str] = field(default_factory=lambda: list(EVENTS))
    hook_url: str = ""
    hook_secret: str = "repopilot-test-secret"


@dataclass(eq=False, slots=True)
class Installation:
    """The App on one account, with the repositories that it was given; `suspended` answers 403."""

    id: int
    account: User
    repositories: list[Repository] = field(default_factory=list)
    permissions: dict[str, Level] = field(default_factory=lambda: dict(PERMISSIONS))
    suspended: bool = False
    token_lifetime_s: float = TOKEN_LIFETIME_S


@dataclass(eq=False, slots=True)
class Token:
    """What a client shows: of an installation, or of a person (`installation` None); `expires_at` in epoch seconds."""

    value: str
    user: User
    permissions: dict[str, Level]
    repositories: list[Repository]
    installation: Installation | None = None
    expires_at: float | None = None
    revoked: bool = False

    @property
    def valid(self) -> bool:
        expired = self.expires_at is not None and time.time() >= self.expires_at
        return not (expired or self.revoked or (self.installation and self.installation.suspended))

    def allows(self, permission: str, level: Level = "read") -> bool:
        return self.permissions.get(permission) in (level, "write", "admin")
