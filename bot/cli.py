"""The command line: each verb imports what it needs, prints for people or, with `--json`, for programs.

Exit codes: 0 done, 1 failed with one line on stderr, 2 wrong usage.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec

import click

if TYPE_CHECKING:
    from bot.app import App

# Before NumPy is imported: a search multiplies small matrices, and a second thread for them only waits, at the price of
# a core. An answer took 180 ms of CPU with it and takes 90 without, in the same time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

P = ParamSpec("P")
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Words(click.ParamType[str]):
    """What a person asks: text that is not blank, whatever bytes the terminal gave."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value).encode("utf-8", "surrogateescape").decode("utf-8", "replace").strip()
        if not text:
            self.fail("must not be blank", param, ctx)
        return text


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")
repository_option = click.option(
    "--repository", metavar="OWNER/NAME", help="Which repository; default: the last indexed."
)
ref_option = click.option(
    "--ref", metavar="REF", help="Which indexed version; default: the newest release, else the last indexed."
)


class Verbs(click.Group):
    """The verbs of this module, and those of others, which are imported when they are called for."""

    elsewhere: ClassVar = {
        "backup": "bot.cli_archive",
        "github": "bot.cli_github",
        "jobs": "bot.cli_jobs",
        "keys": "bot.cli_keys",
        "mcp": "bot.cli_mcp",
        "report": "bot.cli_report",
        "restore": "bot.cli_archive",
        "settings": "bot.cli_settings",
        "upgrade": "bot.cli_archive",
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *self.elsewhere})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.elsewhere:
            return super().get_command(ctx, cmd_name)
        found: click.Command = getattr(import_module(self.elsewhere[cmd_name]), cmd_name)
        return found


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="repopilot")
def main() -> None:
    """Answers questions about a code repository with links to the exact lines that prove the answer.

    Settings are environment variables REPOPILOT_… (or a .env file); everything is stored below REPOPILOT_HOME.
    """
    gc.set_threshold(50_000)  # importing makes hundreds of thousands of objects that stay: 0.2 s of looking in vain


def verb(function: Callable[P, None]) -> Callable[P, None]:
    """A command whose expected failures become one line on stderr and exit code 1."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        from indexer.errors import RepoPilotError

        try:
            function(*args, **kwargs)
        except RepoPilotError as error:
            raise SystemExit(complain(str(error))) from error
        except BrokenPipeError:
            raise  # click ends quietly when whoever reads our output has left
        except OSError as error:
            raise SystemExit(complain(f"{error.strerror or error}: {error.filename or 'storage'}")) from error
        except KeyboardInterrupt:
            raise SystemExit(complain("stopped")) from None

    return run


@main.command()
@click.argument("source")
@click.option("--ref", metavar="REF", help="A branch, tag or commit of a git source; default: HEAD.")
@click.option("--repository", metavar="OWNER/NAME", help="What the repository is called, and where links lead.")
@click.option("--full", is_flag=True, help="Build anew, also what has not changed.")
@as_json
@verb
def index(source: str, ref: str | None, repository: str | None, full: bool, as_json: bool) -> None:
    """Make SOURCE searchable: a path, a git URL or pypi:NAME==VERSION.

    What has not changed since the last time is kept; the version before answers until the new one is whole.
    """
    from bot.console import index_report, progress_bar
    from indexer.types import Address

    app = open_app()
    with progress_bar(enabled=not as_json) as (say, progress):
        report = app.index(Address(source, ref, repository), full=full, say=say, progress=progress)
    print_out(report_fields(report) if as_json else index_report(report))


@main.command()
@click.argument("source", required=False)
@click.option("--ref", metavar="REF", help="A branch or tag of a git source; default: HEAD.")
@click.option("--repository", metavar="OWNER/NAME", help="What the repository is called, and where links lead.")
@click.option("--every", default=300, show_default=True, type=click.IntRange(1), help="Seconds between two looks.")
@click.option("--once", is_flag=True, help="Look once; exit code 1 when a source could not be indexed.")
@as_json
@verb
def watch(source: str | None, ref: str | None, repository: str | None, every: int, once: bool, as_json: bool) -> None:
    """Keep SOURCE current, or everything that was indexed from a repository or folder: what moves on is indexed again.

    A line for each change and each failure; with --json, one JSON object a line.
    """
    import time

    from bot.console import watch_line
    from indexer.errors import RepoPilotError
    from indexer.sources import storable
    from indexer.types import Address
    from indexer.watching import look, movable

    app = open_app()
    named = [Address(source, ref, repository)] if source else None
    if not named and not movable(app.stores.catalog.snapshots()):
        click.echo("Nothing to watch yet: no git repository or folder is indexed, and archives never change.", err=True)
    while True:
        failed = False
        for address, outcome in look(named or movable(app.stores.catalog.snapshots()), app.index):
            shown = storable(address).source
            failed |= isinstance(outcome, RepoPilotError)
            if as_json:
                fields = {"error": str(outcome)} if isinstance(outcome, RepoPilotError) else report_fields(outcome)
                click.echo(json.dumps({"source": shown, **fields}))
            elif line := watch_line(shown, outcome):
                click.echo(line, err=isinstance(outcome, RepoPilotError))
        if once:
            raise SystemExit(int(failed))
        time.sleep(every)


@main.command()
@click.argument("repository")
@click.option("--ref", metavar="REF", help="Which version; default: the only one.")
@click.option("--all", "every_version", is_flag=True, help="Every version of the repository.")
@as_json
@verb
def remove(repository: str, ref: str | None, every_version: bool, as_json: bool) -> None:
    """Delete an indexed version of REPOSITORY (OWNER/NAME), and what no other version needs."""
    from bot.console import removal_report
    from bot.versions import removable
    from indexer.sync import remove as run

    stores = open_app().stores
    found = removable(stores.catalog.snapshots(), repository, ref, every_version)
    run(stores, found)
    versions = [{"repository": s.origin.repository, "ref": s.origin.ref, "commit": s.origin.commit} for s in found]
    print_out({"removed": versions} if as_json else removal_report(found))


@main.command()
@as_json
@verb
def status(as_json: bool) -> None:
    """Show what is indexed: version, commit, age, counts and what was left out."""
    from bot.console import status_report

    app = open_app()
    catalog = app.stores.catalog
    versions = [(snapshot, [r.skipped for r in catalog.skipped(snapshot)]) for snapshot in catalog.snapshots()]
    fields = {
        "home": str(app.stores.home),
        "indexes": [
            {
                "repository": s.origin.repository,
                "ref": s.origin.ref,
                "commit": s.origin.commit,
                "indexed_at": s.indexed_at,
                "checked_at": s.checked_at,
                "stale": s.stale,
                "source": s.address.source if s.address else None,
                "embedder": s.collection.embedder,
                "files": s.files,
                "chunks": s.chunks,
                "skipped": [{"path": skip.path, "reason": skip.reason} for skip in skipped],
            }
            for s, skipped in versions
        ],
    }
    print_out(fields if as_json else status_report(app.stores.home, versions))


@main.command()
@click.argument("query", type=Words())
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 50))
@repository_option
@ref_option
@as_json
@verb
def search(query: str, limit: int, repository: str | None, ref: str | None, as_json: bool) -> None:
    """Find the passages that answer QUERY best."""
    from bot.types import Question

    found = open_app().retriever.search(Question(query, repository=repository, ref=ref), limit)
    if as_json:
        passages = [_fields(passage) for passage in found.passages]
        print_out({"passages": passages, "index": _fields(found.index), "unknown_names": found.unknown_names})
        return
    from bot.console import passages_report

    print_out(passages_report(query, found))


@main.command()
@click.argument("question", type=Words())
@repository_option
@ref_option
@as_json
@verb
def ask(question: str, repository: str | None, ref: str | None, as_json: bool) -> None:
    """Answer QUESTION with links to the lines that prove the answer."""
    import asyncio

    from bot.console import answer_report
    from bot.types import Question

    answer = asyncio.run(open_app().answerer.answer(Question(question, repository=repository, ref=ref)))
    print_out(_fields(answer) if as_json else answer_report(answer))


@main.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8080, show_default=True, type=click.IntRange(0, 65535))
@verb
def serve(host: str, port: int) -> None:
    """Serve the web page and the HTTP API, and answer on GitHub and Discord where these are set up."""
    import logging

    from bot.adapters.http.serving import open_many_files, server_of

    app = open_app()
    app.open_log()
    open_many_files()
    if host not in LOOPBACK and app.settings.api_token is None and not app.keyring.listed():
        click.echo(
            f"warning: serving unauthenticated on {host}: anyone who reaches it may ask; make a key with `repopilot"
            " keys add NAME`, or set the token REPOPILOT_API_TOKEN",
            err=True,
        )
    server = server_of(app.http(local=host in LOOPBACK), host, port)
    logging.getLogger("repopilot").info("serving at http://%s:%d/", f"[{host}]" if ":" in host else host, port)
    if app.worker:
        app.worker.on_failure = lambda: setattr(server, "should_exit", True)
    server.run()
    if app.worker and app.worker.failure:
        raise app.worker.failure
    if not server.started:
        raise SystemExit(1)  # uvicorn has said why


@main.command()
@verb
def discord() -> None:
    """Answer on Discord alone, without the HTTP API; `serve` does it beside, where REPOPILOT_DISCORD_TOKEN is set."""
    import anyio

    from bot.settings import SettingsError

    app = open_app()
    app.open_log()
    if not app.discord or not app.worker:
        raise SettingsError("REPOPILOT_DISCORD_TOKEN is not set: it is the token of the bot (docs/discord.md).")
    anyio.run(app.worker.run)


@main.command()
@click.argument("path", required=False)
@repository_option
@ref_option
@as_json
@verb
def chunks(path: str | None, repository: str | None, ref: str | None, as_json: bool) -> None:
    """List the stored chunks of a version, or of one of its files: what a search can find."""
    app = open_app()
    catalog, snapshot = app.stores.catalog, app.retriever.snapshot(repository, ref)
    if as_json:
        from bot.listing import chunk_rows

        print_out(list(chunk_rows(catalog, snapshot, path)))
        return
    from bot.console import chunk_line

    for stored in catalog.all_chunks(snapshot, path):
        click.echo(chunk_line(stored))


@main.command("eval")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--ask", "asking", is_flag=True, help="Score answers instead of retrieval.")
@click.option("--misses", type=click.Path(path_type=Path), help="Write the questions that missed, with what came back.")
@click.option("--save", type=click.Path(path_type=Path), help="Write what --json prints, for a later --baseline.")
@click.option(
    "--baseline",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What an earlier run saved or printed with --json: show how the figures differ.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1),
    help="Questions asked at once; default: REPOPILOT_LLM_CONCURRENCY, the most there can be; without a model one.",
)
@as_json
@verb
def evaluate(
    files: Sequence[Path],
    asking: bool,
    misses: Path | None,
    save: Path | None,
    baseline: Path | None,
    concurrency: int | None,
    as_json: bool,
) -> None:
    """Score retrieval (or answers) on question FILEs, one JSON object a line.

    Below the table stands what each figure means; behind ALL, where it lies with a probability of 95 %.
    """
    from bot.console import evaluation_report, progress_bar
    from bot.evaluation import earlier
    from bot.evaluation import evaluate as run

    before = earlier(baseline) if baseline else None
    with progress_bar(enabled=not as_json) as (say, progress):
        say("Asking" if asking else "Searching")
        evaluation = run(open_app(), files, asking=asking, concurrency=concurrency, progress=progress)
    if misses:
        rows = (json.dumps(miss, ensure_ascii=False) + "\n" for miss in evaluation.misses)
        misses.write_text("".join(rows), encoding="utf-8")
    differences = evaluation.since(before) if before is not None else None
    fields = evaluation.fields(differences)
    if save:
        save.write_text(json.dumps(fields) + "\n", encoding="utf-8")
    print_out(fields if as_json else evaluation_report(evaluation.figures, evaluation.intervals, differences))


def report_fields(report: Any) -> dict[str, Any]:
    """A sync report as `index --json` prints it."""
    origin = report.snapshot.origin
    return {
        "repository": origin.repository,
        "ref": origin.ref,
        "commit": origin.commit,
        "files": report.snapshot.files,
        "chunks": report.snapshot.chunks,
        "added": report.added,
        "updated": report.updated,
        "removed": report.removed,
        "unchanged": report.unchanged,
        "embedded": report.embedded,
        "skipped": [{"path": skip.path, "reason": skip.reason} for skip in report.skipped],
        "warnings": list(report.warnings),
        "seconds": round(report.seconds, 3),
    }


def open_app() -> App:
    import logging

    from bot.app import App
    from bot.settings import load

    logging.getLogger("bot").addHandler(logging.NullHandler())  # verbs print what there is to say; `serve` has a log
    return App(load())


def _fields(value: Any) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(value)


def print_out(output: Any) -> None:
    """JSON for plain data, else what the console module has made."""
    if isinstance(output, dict | list):
        click.echo(json.dumps(output))  # ASCII: any terminal and any path can be printed
        return
    from bot.console import show

    show(output)


def complain(message: str) -> int:
    """One line on stderr, whatever the message holds; the exit code."""
    click.echo("error: " + " ".join(message.split()), err=True)
    return 1


if __name__ == "__main__":
    sys.exit(main())
