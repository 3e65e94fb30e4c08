"""Who asks: the App by its JSON Web Token, an installation or a person by a token, or nobody in particular.

https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from fakes.github import problems
from fakes.github.people import App, Level, Repository, Token, User
from fakes.github.problems import Problem
from fakes.github.world import World

LIFETIME_MAX_S = 600  # exp: "no more than 10 minutes into the future"
DRIFT_S = 60  # "set this 60 seconds in the past"; a clock may be as much ahead
NO_JWT = "A JSON web token could not be decoded"


@cache
def key_pair(name: str = "app") -> tuple[str, str]:
    """A private and a public RSA key in PEM, made once a process and name."""
    key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private.decode(), public.decode()


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever sends a request; without a token a stranger, who may read what is public."""

    token: Token | None = None

    @property
    def user(self) -> User:
        if self.token is None:
            raise problems.needs_credentials()
        return self.token.user

    def sees(self, repository: Repository) -> bool:
        mine = self.token is not None and repository in self.token.repositories
        return mine or not repository.private

    def demand(self, repository: Repository, level: Level, *permissions: str) -> None:
        """Raise the Problem with which GitHub refuses this; any one of the permissions is enough."""
        token = self.token
        if not self.sees(repository):
            raise problems.not_found()
        if level == "read" and not repository.private and (token is None or token.installation is None):
            return
        if token is None:
            raise problems.needs_credentials()
        if repository not in token.repositories or not any(token.allows(each, level) for each in permissions):
            raise problems.not_accessible(permissions[0], level)


def bearer(headers: Mapping[str, str]) -> str:
    """What the client shows, whichever of the two words it uses; empty when it shows nothing."""
    kind, _, value = headers.get("authorization", "").partition(" ")
    return value.strip() if kind.lower() in ("bearer", "token") else ""


def demand_app(world: World, headers: Mapping[str, str]) -> None:
    """Raise a 401 in GitHub's words unless the App itself asks, by a JSON Web Token that its key has signed."""
    kind, _, value = headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or value.count(".") != 2:
        raise Problem(401, NO_JWT)
    _demand_claims(world.app, value)


def _demand_claims(app: App, token: str) -> None:
    unchecked = {"verify_exp": False, "verify_iat": False, "verify_nbf": False, "verify_iss": False}
    try:
        claims = jwt.decode(token, app.public_key, algorithms=["RS256"], options=unchecked)  # type: ignore[arg-type]
    except jwt.PyJWTError as error:
        raise Problem(401, NO_JWT) from error
    now = time.time()
    if str(claims.get("iss")) not in (str(app.id), app.client_id):
        raise Problem(401, "'Issuer' claim ('iss') must be an Integer")
    if not isinstance(claims.get("iat"), int | float) or claims["iat"] > now + DRIFT_S:
        raise Problem(
            401, "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
        )
    if not isinstance(claims.get("exp"), int | float) or claims["exp"] <= now:
        raise Problem(
            401,
            "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the"
            " assertion expires",
        )
    if claims["exp"] > now + LIFETIME_MAX_S:
        raise Problem(401, "'Expiration time' claim ('exp') is too far in the future")


def caller(world: World, headers: Mapping[str, str]) -> Caller:
    """Who asks with a token. Raises a 401 for one that is unknown or expired, 403 where the App is suspended."""
    shown = bearer(headers)
    if not shown:
        return Caller()
    token = world.tokens.get(shown)
    if token and token.installation and token.installation.suspended:
        raise Problem(403, "This installation has been suspended")
    if token is None or not token.valid:
        raise problems.bad_credentials()
    return Caller(token)
