"""Databases for what is kept in SQLite or in PostgreSQL: the same tests run on both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from fakes import postgres


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    if not postgres.available():
        pytest.skip("PostgreSQL is not installed")
    with postgres.postgres() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, as SQLAlchemy writes it."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'jobs.sqlite'}"
    server: str = request.getfixturevalue("postgres_server")
    name = f"d{uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')  # type: ignore[call-overload]
    return f"postgresql+psycopg://{server.partition('://')[2].rpartition('/')[0]}/{name}"
