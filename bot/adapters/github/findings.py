"""What GitHub tells of our set-up becomes findings: what is well, and what is not, with what to do. Pure functions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from bot.adapters.github.failures import GitHubError
from bot.adapters.github.manifest import EVENTS, WEBHOOK_PATH, missing_permissions

# Our signatures are dated a minute back and last for ten, the most that GitHub takes: it refuses those of a clock that
# is a minute ahead, or nine minutes behind.
# https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
MOST_AHEAD_S: Final = 55.0
MOST_BEHIND_S: Final = 8 * 60.0
# Repositories that are named; of more, their number.
MOST_NAMED: Final = 10
# The least of a classic token's scopes that lets it comment: https://docs.github.com/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
SCOPES: Final = frozenset({"repo", "public_repo"})


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether one thing is as it must be; the message says what was found, or what to do."""

    check: str
    ok: bool
    message: str


@dataclass(frozen=True, slots=True)
class AppSeen:
    """The App as GitHub shows it."""

    slug: str
    html_url: str
    permissions: Mapping[str, str]
    events: Sequence[str]


@dataclass(frozen=True, slots=True)
class HookSeen:
    """The configuration of a webhook. `insecure_ssl` is "0" or "1", or the number."""

    url: str | None = None
    content_type: str | None = None
    secret: str | None = None
    insecure_ssl: str | int | None = None


@dataclass(frozen=True, slots=True)
class DeliverySeen:
    """A delivery that was tried; `status_code` 0 when nobody answered."""

    event: str
    delivered_at: datetime
    status_code: int
    status: str


def key_finding(pem: str) -> Finding:
    """Whether a text is an RSA private key, as GitHub makes them."""
    name = "private key"
    try:
        if isinstance(load_pem_private_key(pem.strip().encode(), None), RSAPrivateKey):
            return Finding(name, True, "it can be read")
    except (ValueError, TypeError, UnsupportedAlgorithm):
        pass
    hint = " (its line ends are written as \\n: give the file instead)" if "\\n" in pem else ""
    message = (
        f"it is no RSA key in PEM form{hint}: make one on the App's page, and set REPOPILOT_GITHUB_PRIVATE_KEY_FILE"
    )
    return Finding(name, False, message)


def clock_finding(ahead_s: float | None) -> Finding:
    if ahead_s is None:
        return Finding("clock", True, "GitHub's time is not known; signatures need ours to be right to a minute")
    if -MOST_BEHIND_S <= ahead_s <= MOST_AHEAD_S:
        return Finding("clock", True, f"within {max(1, round(abs(ahead_s)))} s of GitHub's")
    way = "ahead of" if ahead_s > 0 else "behind"
    message = f"this machine's is {abs(ahead_s):.0f} s {way} GitHub's, which refuses the App's signatures: set it (NTP)"
    return Finding("clock", False, message)


def handle_finding(slug: str, handle: str) -> Finding:
    """Whether people mention the App by the name that GitHub knows it by."""
    if slug.lower() == handle.lower():
        return Finding("handle", True, f"people mention @{slug}")
    message = f"the App is @{slug} and we listen for @{handle}: set REPOPILOT_GITHUB_HANDLE={slug}"
    return Finding("handle", False, message)


def permissions_finding(name: str, granted: Mapping[str, str], where: str) -> Finding:
    """Whether what we need is granted; `where` is the page on which it is."""
    if missing := missing_permissions(granted):
        return Finding(name, False, f"not granted: {', '.join(missing)}; grant it at {where}")
    return Finding(name, True, "all that is needed is granted")


def events_finding(events: Collection[str], where: str) -> Finding:
    if missing := [event for event in EVENTS if event not in events]:
        return Finding("events", False, f"not subscribed to {', '.join(missing)}; subscribe at {where}")
    return Finding("events", True, "subscribed to all that are needed")


def hook_finding(hook: HookSeen, where: str) -> Finding:
    """Whether a webhook leads to us, with a secret, over a connection that is verified."""
    problems = []
    if not hook.url or not urlsplit(hook.url).path.endswith(WEBHOOK_PATH):
        problems.append(f"its URL is {hook.url or 'missing'}, and should be this service's, ending in {WEBHOOK_PATH}")
    if not hook.secret:
        problems.append("it has no secret: set the one of REPOPILOT_GITHUB_WEBHOOK_SECRET")
    if str(hook.insecure_ssl or "0") != "0":
        problems.append("it does not verify the certificate: switch SSL verification on")
    if hook.content_type not in ("json", "form"):
        problems.append(f"its content type is {hook.content_type or 'unknown'}: choose application/json")
    if problems:
        return Finding("webhook", False, f"{'; '.join(problems)} (at {where})")
    return Finding("webhook", True, f"deliveries go to {hook.url} as {hook.content_type}")


def deliveries_finding(deliveries: Sequence[DeliverySeen], now: datetime, where: str) -> Finding:
    """Whether the latest deliveries arrived, newest first. GitHub keeps them for three days."""
    name = "deliveries"
    if not deliveries:
        return Finding(name, True, "none in the last days, so whether they arrive is not known: write a comment to see")
    latest, failed = deliveries[0], [one for one in deliveries if not _arrived(one)]
    when = f"{latest.event}, {_ago(latest.delivered_at, now)}"
    if not _arrived(latest):
        many = f"{len(failed)} of the last {len(deliveries)} failed, the latest too"
        count = many if len(deliveries) > 1 else "the only one failed"
        return Finding(name, False, f"{count} ({when}): {_why(latest)}; see {where}")
    if failed:
        message = (
            f"the latest arrived ({when}); {len(failed)} of the last {len(deliveries)} did not, last"
            f" {_ago(failed[0].delivered_at, now)} ({failed[0].status_code or failed[0].status}): GitHub does not send"
            f" them again by itself, you can at {where}"
        )
        return Finding(name, True, message)
    return Finding(name, True, f"the last {len(deliveries)} arrived, the latest ({when})")


def _arrived(delivery: DeliverySeen) -> bool:
    return 200 <= delivery.status_code < 300


def _why(delivery: DeliverySeen) -> str:
    status = delivery.status_code
    if not status:
        return f"{delivery.status}: is `repopilot serve` running, and can GitHub reach it?"
    advice = {
        400: "the webhook's content type should be application/json",
        401: "the webhook's secret is not REPOPILOT_GITHUB_WEBHOOK_SECRET",
        404: f"the webhook's URL should end in {WEBHOOK_PATH}, and GitHub be set up where `repopilot serve` runs",
    }
    server = "what stands before `repopilot serve` does not reach it, or it is failing: see its log"
    return f"it was answered {status}: {advice.get(status, server)}"


def indexed_finding(repositories: Sequence[str], indexed: Collection[str], web: str) -> Finding:
    """Whether there is an index of each repository; `indexed` are names in lower case."""
    missing = [name for name in repositories if name.lower() not in indexed]
    if not repositories:
        return Finding("index", False, "there is no repository to answer for")
    if missing:
        message = f"not indexed: {named(missing)}; run `repopilot index {web}/{missing[0]}`"
        return Finding("index", False, message)
    return Finding("index", True, f"{named(repositories)}: indexed")


def scopes_finding(header: str | None) -> Finding:
    """Whether a token may comment, by `X-OAuth-Scopes`, which only classic tokens have."""
    if header is None:
        needs = "issues, pull requests and discussions (read and write), contents (read)"
        return Finding("scopes", True, f"a fine-grained token's permissions cannot be listed; it needs {needs}")
    scopes = {scope.strip() for scope in header.split(",")}
    if scopes & SCOPES:
        return Finding("scopes", True, ", ".join(sorted(filter(None, scopes))))
    return Finding(
        "scopes", False, "the token may not comment: give it the scope public_repo, or repo for private ones"
    )


def named(names: Sequence[str]) -> str:
    """Some names, and how many more there are."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def advice(error: GitHubError, url: str) -> str:
    """What a failed request says, with what to do about it."""
    if error.kind == "unavailable" and not error.status:
        return f"{error.message} Is {url} right, and may this machine reach it (proxy, firewall)?"
    if error.kind == "unavailable":
        return f"{error.message}; try again in a while, and see https://www.githubstatus.com"
    if error.kind == "limited":
        return f"{error.message}; try again in {error.retry_after_s or 60:.0f} s"
    if error.kind == "unauthorized":
        return f"{error.message}: is the token right, and not expired or revoked?"
    return error.message


def _ago(moment: datetime, now: datetime) -> str:
    minutes = max(0, round((now - moment).total_seconds() / 60))
    if minutes < 120:
        return f"{minutes} min ago"
    return f"{minutes // 60} h ago" if minutes < 48 * 60 else f"{minutes // (24 * 60)} days ago"
