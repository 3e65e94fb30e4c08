"""The database that jobs and history share: opened, and brought to the shape that the tables say."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

import sqlalchemy as sa

# Connections that one engine keeps open, and opens at most when many ask at once. A process has four engines, and
# PostgreSQL by default 100 connections for all of its clients.
KEPT: Final = 2
MOST: Final = 5


def open_database(url: str, tables: sa.MetaData) -> sa.Engine:
    """An engine for SQLite or PostgreSQL, by an SQLAlchemy address, with these tables made where they are not there.

    A table of an earlier version gets the columns that it lacks, which therefore may be null.
    """
    # Asked before it is used: one that the server has closed meanwhile, in a restart, would cost somebody a question.
    on_server = {"pool_size": KEPT, "max_overflow": MOST - KEPT, "pool_pre_ping": True}
    engine = sa.create_engine(url, **({} if url.startswith("sqlite") else on_server))
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", _prepared)
        sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":  # two that create one table at once: one of them fails
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtext("repopilot tables"))))
        tables.create_all(connection)
        for table in tables.sorted_tables:
            _completed(connection, table)
    return engine


def now() -> str:
    """The time as it is stored: ISO 8601, UTC."""
    return datetime.now(UTC).isoformat()


def _completed(connection: sa.Connection, table: sa.Table) -> None:
    there = {column["name"] for column in sa.inspect(connection).get_columns(table.name)}
    for column in table.columns:
        if column.name not in there:
            kind = column.type.compile(connection.dialect)
            connection.exec_driver_sql(f'ALTER TABLE "{table.name}" ADD COLUMN "{column.name}" {kind}')


def _prepared(connection: Any, _: object) -> None:
    """Transactions are begun by us, not by the driver, and wait for the file as long as DBOS does beside us."""
    connection.isolation_level = None
    connection.execute("PRAGMA busy_timeout=30000")
    connection.execute("PRAGMA journal_mode=WAL")
