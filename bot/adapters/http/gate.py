"""Who may ask, how often, how much and in which form: decided from the headers, before a body is parsed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.adapters.http.bodies import limited, oversized, unreadable
from bot.adapters.http.budget import Budget, Charge, Quota, network_of
from bot.adapters.http.doorkeeper import Doorkeeper
from bot.adapters.http.options import HttpOptions
from bot.adapters.http.paths import Rule, rule_of
from bot.adapters.http.problem import Problem, Refused
from bot.adapters.http.rebinding import MISNAMED, is_misnamed
from bot.adapters.http.refusing import refused
from bot.keys import Key, KeysUnavailable

# A page that is open to everybody is never without a limit: a conversation's questions, and the lines of its sources.
OPEN_PAGE_PER_MINUTE: Final = 60
CLIENT: Final = "repopilot.client"
"""Where a request's scope holds its Client."""


@dataclass(frozen=True, slots=True)
class Client:
    """Who sends a request: a key by its name, or an address (with IPv6 its network) that shows none."""

    key: str | None
    address: str

    @property
    def name(self) -> str:
        return f"key {self.key}" if self.key else f"address {self.address}"


class Gate:
    """ASGI middleware that lets through what may be answered."""

    def __init__(self, app: ASGIApp, options: HttpOptions) -> None:
        self._app = app
        self._options = options
        self._doorkeeper = Doorkeeper(options.api_token, options.keys)
        self._budget = Budget()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        headers, rule = Headers(scope=scope), rule_of(scope["method"], scope["path"])
        charge = Charge()
        try:
            if rule.access in ("page", "keyed"):
                charge = await self._admit(scope, headers, rule)
            if problem := charge.refusal or _unfit(scope["method"], headers, rule):
                raise Refused(problem)
        except (Refused, KeysUnavailable) as error:
            return await refused(scope["path"], error)(scope, receive, _telling(send, charge))
        send = _telling(send, charge)
        return await self._app(scope, limited(receive, rule.largest, self._options.body_timeout_s), send)

    async def _admit(self, scope: Scope, headers: Headers, rule: Rule) -> Charge:
        """Note who asks, and charge for it. What shows no key that is valid is charged to its address, so that guessing
        takes for ever. Raises KeysUnavailable."""
        address = network_of((scope.get("client") or ("unknown",))[0])
        by_address = self._options.per_address_per_minute
        quotas = [Quota("address", address, by_address)] if by_address else []
        of_page = self._options.page_open and rule.access == "page" and _of_our_page(headers)
        key, refused = None, None
        try:
            key = None if of_page else await self._doorkeeper.admit(headers)
            local = self._options.local or rule.local
            if local and not (key or of_page) and is_misnamed(headers, self._options.hosts):
                raise Refused(MISNAMED)
        except Refused as error:
            refused = error
        client = Client(key.name if key else None, address)
        if amount := self._amount(key, of_page):
            quotas.append(Quota("client", client.name, amount))
        scope[CLIENT] = client
        charge = await self._budget.charge(quotas)
        return replace(charge, refusal=refused.problem) if refused and not charge.refusal else charge

    def _amount(self, key: Key | None, of_page: bool) -> int | None:
        """How many requests a minute a client may send; None: as many as it likes."""
        everybodys = self._options.per_client_per_minute
        return (key.per_minute if key else None) or everybodys or (OPEN_PAGE_PER_MINUTE if of_page else None)


def _unfit(method: str, headers: Headers, rule: Rule) -> Problem | None:
    as_it_comes = rule.access == "signed"
    return oversized(headers, rule.largest) or (None if as_it_comes else unreadable(method, headers))


def _of_our_page(headers: Headers) -> bool:
    """Whether a page of ours sent it without a key: browsers say so, and let no page say it falsely."""
    return headers.get("sec-fetch-site") == "same-origin" and "authorization" not in headers


def _telling(send: Send, charge: Charge) -> Send:
    """Sends with the headers that say what is left of a budget."""
    if not charge.headers:
        return send

    async def telling(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(charge.headers)
        await send(message)

    return telling
