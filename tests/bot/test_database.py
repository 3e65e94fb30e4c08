"""What a server does to its connections costs nobody a question."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
import sqlalchemy as sa

from bot.database import MOST
from bot.ledger import Ledger

OURS = "datname = %s AND pid <> pg_backend_pid() AND backend_type = 'client backend'"


def noted(ledger: Ledger, number: int) -> int | None:
    return ledger.note(f"github:{number}", "acme/engine", "ada", "2026-01-05T10:00:00Z", "why?", {})


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_connections_are_few_and_one_that_the_server_closed_is_made_anew(
    database_url: str, postgres_server: str
) -> None:
    ledger, name = Ledger(database_url), sa.make_url(database_url).database
    with ThreadPoolExecutor(20) as threads:
        assert set(threads.map(lambda number: noted(ledger, number), range(200))) == {1}
    with psycopg.connect(postgres_server, autocommit=True) as server:
        (open_now,) = server.execute(f"SELECT count(*) FROM pg_stat_activity WHERE {OURS}", (name,)).fetchone() or (0,)
        assert 0 < open_now <= MOST
        server.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {OURS}", (name,))
    assert noted(ledger, 200) == 1
    ledger.close()
