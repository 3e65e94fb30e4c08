"""Whether our set-up on GitHub works: what can be asked is asked, each thing after those that it needs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from bot.adapters.github import findings
from bot.adapters.github.client import PAGE, Client, Credentials
from bot.adapters.github.failures import GitHubError
from bot.adapters.github.findings import AppSeen, DeliverySeen, Finding, HookSeen
from bot.adapters.github.manifest import WEBHOOK_PATH, web_url

T = TypeVar("T")

# Of installations and their repositories; who has more looks at GitHub's pages.
MOST_PAGES: Final = 5


@dataclass(frozen=True, slots=True)
class Account:
    """Whose account the App is installed on."""

    login: str


@dataclass(frozen=True, slots=True)
class InstallationSeen:
    """The App on one account."""

    id: int
    account: Account
    html_url: str
    permissions: dict[str, str]
    suspended_at: str | None = None


@dataclass(frozen=True, slots=True)
class RepositorySeen:
    full_name: str
    archived: bool = False


@dataclass(frozen=True, slots=True)
class RepositoryHook:
    config: HookSeen


class Check:
    """`indexed` are the names, in lower case, of the repositories that can answer; `only` is the one to look at."""

    def __init__(
        self, client: Client, credentials: Credentials, handle: str, indexed: Collection[str], only: str | None = None
    ) -> None:
        self._client = client
        self._credentials = credentials
        self._web = web_url(credentials.url)
        self._handle = handle
        self._indexed = indexed
        self._only = only

    async def findings(self) -> AsyncIterator[Finding]:
        """One after the other; ends early where nothing more can be found out. Raises nothing of GitHub's."""
        clock = await self._tried("GitHub", self._clock)
        yield clock
        if clock.check == "GitHub":
            return
        async for finding in self._of_app() if self._credentials.app_id else self._of_token():
            yield finding

    async def _clock(self) -> Finding:
        return findings.clock_finding(await self._client.clock_ahead_s())

    # An App

    async def _of_app(self) -> AsyncIterator[Finding]:
        app = await self._tried("App", self._app)
        if isinstance(app, Finding):
            yield app
            return
        where = f"{app.html_url}, “App settings”"
        yield Finding("App", True, f"GitHub accepts the key of {app.slug}")
        yield findings.handle_finding(app.slug, self._handle)
        yield findings.permissions_finding("permissions", app.permissions, where)
        yield findings.events_finding(app.events, where)
        yield await self._tried("webhook", self._hook, where)
        yield await self._tried("deliveries", self._deliveries, where)
        async for finding in self._installed(app):
            yield finding

    async def _app(self) -> AppSeen | Finding:
        try:
            return _read(AppSeen, (await self._client.look("/app"))[0])
        except GitHubError as error:
            if error.kind != "unauthorized":
                raise
            do = "is REPOPILOT_GITHUB_APP_ID the App's id, and the private key one of this App's?"
            return Finding("App", False, f"{error.message}: {do}")

    async def _hook(self, where: str) -> Finding:
        return findings.hook_finding(_read(HookSeen, (await self._client.look("/app/hook/config"))[0]), where)

    async def _deliveries(self, where: str) -> Finding:
        told, _ = await self._client.look(f"/app/hook/deliveries?per_page={PAGE}")
        return findings.deliveries_finding(_read(list[DeliverySeen], told), datetime.now(UTC), f"{where}, “Advanced”")

    async def _installed(self, app: AppSeen) -> AsyncIterator[Finding]:
        """Each installation, what it was granted, and the index of what it holds."""
        found = await self._tried("installation", self._installations)
        if isinstance(found, Finding):
            yield found
            return
        if not found:
            where = f"on {self._only}" if self._only else "anywhere"
            yield Finding("installation", False, f"the App is not installed {where}: install it at {app.html_url}")
            return
        names: list[str] = []
        for installation in found:
            async for finding in self._installation(installation, names):
                yield finding
        if names:
            yield findings.indexed_finding(names, self._indexed, self._web)

    async def _installations(self) -> list[InstallationSeen]:
        if not self._only:
            return await self._listed(InstallationSeen, "/app/installations")
        try:
            return [_read(InstallationSeen, (await self._client.look(f"/repos/{self._only}/installation"))[0])]
        except GitHubError as error:
            if error.kind != "gone":
                raise
            return []

    async def _installation(self, seen: InstallationSeen, names: list[str]) -> AsyncIterator[Finding]:
        """What one installation was granted; `names` gets the repositories that it holds."""
        name = f"installation on {seen.account.login}"
        if seen.suspended_at:
            yield Finding(name, False, f"it is suspended: unsuspend it at {seen.html_url}")
            return
        granted = findings.permissions_finding(name, seen.permissions, seen.html_url)
        if not granted.ok:
            yield granted
        repositories = await self._tried(name, self._repositories, seen.id)
        if isinstance(repositories, Finding):
            yield repositories
            return
        held = [self._only] if self._only else [one.full_name for one in repositories]
        names += held
        if granted.ok:
            nothing = f"it holds no repository: choose some at {seen.html_url}"
            yield Finding(name, bool(held), findings.named(held) or nothing)

    async def _repositories(self, installation: int) -> list[RepositorySeen]:
        return await self._listed(RepositorySeen, "/installation/repositories", installation, "repositories")

    # A token

    async def _of_token(self) -> AsyncIterator[Finding]:
        login = await self._tried("token", self._login)
        if isinstance(login, Finding):
            yield login
            return
        yield Finding("token", True, f"GitHub accepts it; answers come from @{login}, to who mentions @{self._handle}")
        yield await self._tried("scopes", self._scopes)
        names = [self._only] if self._only else sorted(name for name in self._indexed if name.count("/") == 1)
        for name in names:
            yield await self._tried(f"repository {name}", self._repository, name)
            yield await self._tried(f"webhook of {name}", self._own_hook, name)
        yield findings.indexed_finding(names, self._indexed, self._web)

    async def _login(self) -> str:
        return await self._client.viewer()

    async def _scopes(self) -> Finding:
        _, headers = await self._client.look("/rate_limit")
        return findings.scopes_finding(headers.get("x-oauth-scopes"))

    async def _repository(self, name: str) -> Finding:
        check = f"repository {name}"
        try:
            seen = _read(RepositorySeen, (await self._client.look(f"/repos/{name}"))[0])
        except GitHubError as error:
            if error.kind != "gone":
                raise
            return Finding(check, False, "the token does not see it: give it access, or correct the name")
        if seen.archived:
            return Finding(check, False, "it is archived: nobody can comment there")
        return Finding(check, True, "the token sees it")

    async def _own_hook(self, name: str) -> Finding:
        """The repository's own webhook, which only who administers it may see."""
        check, where = f"webhook of {name}", f"{self._web}/{name}/settings/hooks"
        try:
            told, _ = await self._client.look(f"/repos/{name}/hooks?per_page={PAGE}")
        except GitHubError as error:
            if error.kind not in ("gone", "forbidden"):
                raise
            return Finding(check, True, f"the token may not see the webhooks; look yourself at {where}")
        hooks = [hook.config for hook in _read(list[RepositoryHook], told)]
        ours = [hook for hook in hooks if (hook.url or "").endswith(WEBHOOK_PATH)]
        return replace(findings.hook_finding(ours[0] if ours else HookSeen(), where), check=check)

    # Asking

    async def _listed(
        self, kind: type[T], path: str, installation: int | None = None, holder: str | None = None
    ) -> list[T]:
        """What the pages of a list hold."""
        found: list[T] = []
        for page in range(1, MOST_PAGES + 1):
            told, _ = await self._client.look(f"{path}?per_page={PAGE}&page={page}", installation)
            listed = _read(list[kind], told.get(holder) if holder and isinstance(told, dict) else told)  # type: ignore[valid-type]
            found += listed
            if len(listed) < PAGE:
                break
        return found

    async def _tried(self, check: str, ask: Callable[..., Awaitable[T]], *arguments: Any) -> T | Finding:
        """What was asked for, or a finding that says why it was not had."""
        try:
            return await ask(*arguments)
        except GitHubError as error:
            return Finding(check, False, findings.advice(error, self._credentials.url))
        except ValidationError:
            return Finding(check, False, f"what answered is not GitHub's API: is {self._credentials.url} right?")


def _read(kind: type[T], told: Any) -> T:
    """A document as what we know of it. Raises ValidationError."""
    return TypeAdapter(kind).validate_python(told)
