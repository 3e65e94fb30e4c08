"""Clients of the fake for its own tests: the plain one, and the library that a program would use."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import httpx
from githubkit import GitHub
from githubkit.auth import AppAuthStrategy
from githubkit.cache import MemCacheStrategy

from fakes.github.people import Token
from fakes.github.server import APP_ID, INSTALLATION_ID, GitHubServer

_KEPT: WeakKeyDictionary[GitHubServer, list[GitHub[Any]]] = (
    WeakKeyDictionary()
)  # what `client.rest` is, holds no client


def as_app(server: GitHubServer, key: str = "", base_url: str = "") -> GitHub[Any]:
    """A client that is the App; its tokens are kept for it alone."""
    auth = AppAuthStrategy(APP_ID, key or server.private_key)
    address = base_url or server.url
    return _kept(server, GitHub(auth, base_url=address, cache_strategy=MemCacheStrategy(), auto_retry=False))


def as_installation(server: GitHubServer, base_url: str = "") -> GitHub[Any]:
    app = as_app(server, base_url=base_url)
    return _kept(server, app.with_auth(app.auth.as_installation(INSTALLATION_ID)))


def _kept(server: GitHubServer, client: GitHub[Any]) -> GitHub[Any]:
    _KEPT.setdefault(server, []).append(client)
    return client


def token_of(server: GitHubServer) -> Token:
    installation = server.installation
    return server.world.installation_token(installation, installation.permissions, installation.repositories)


def plain(server: GitHubServer, token: Token | None = None) -> httpx.Client:
    """httpx with a token, one of the installation unless another is given."""
    shown = {"Authorization": f"Bearer {(token or token_of(server)).value}"}
    return httpx.Client(base_url=server.url, headers=shown, timeout=10)
