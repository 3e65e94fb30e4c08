"""`python -m evals index|mine|score|fit|calibrate|curve`: index pinned packages, mine questions, score a search, fit
weights."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import click

from bot.retrieval import PASSAGES, Retriever
from bot.settings import load as load_settings
from evals import calibrate, fit, questions, score
from evals.corpus import read_package
from evals.mine import MOST_OF_A_KIND, SEED, mine
from indexer.embedding import open_embedder
from indexer.errors import RepoPilotError
from indexer.stores import Stores

# There are five times as many mined questions, and they share more words with their gold than people's do.
MINED_WEIGHT = 0.2
# Every fifth mined question is also asked where nothing answers it.
CROSSED = 5
PACKAGES = Path(__file__).with_name("packages.toml")
home_option = click.option(
    "--home", required=True, type=click.Path(path_type=Path), help="Folder with one index folder a package."
)
split_option = click.option("--split", type=click.Choice(["fit", "held_out"]), help="Only the packages of this split.")


@click.group(help=__doc__)
def main() -> None:
    """Reached through `python -m evals`."""


@main.command("index")
@click.argument("packages", nargs=-1)
@home_option
@split_option
@click.option("--full", is_flag=True, help="Build anew, as after a change of the indexer.")
def index_packages(packages: Sequence[str], home: Path, split: str | None, full: bool) -> None:
    """Index the pinned sdists of PACKAGES (default: all), each below HOME in a folder of its own."""

    for name, version in pinned(split).items():
        if packages and name not in packages:
            continue
        command = [sys.executable, "-m", "bot.cli", "index", f"pypi:{name}=={version}", *(["--full"] if full else [])]
        subprocess.run(command, env=os.environ | {"REPOPILOT_HOME": str(home / name)}, check=True)


@main.command("mine")
@click.argument("packages", nargs=-1)
@home_option
@split_option
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder for one question file a package.")
@click.option("--seed", default=SEED, show_default=True)
@click.option("--most", default=MOST_OF_A_KIND, show_default=True, help="Questions of a kind and package.")
def mine_packages(packages: Sequence[str], home: Path, split: str | None, out: Path, seed: int, most: int) -> None:
    """Mine PACKAGES (default: all that are pinned) from their indexes below HOME."""
    for name in packages or pinned(split):
        catalog = Stores(home / name).catalog
        snapshots = catalog.snapshots()
        if not snapshots:
            raise click.ClickException(f"{home / name} holds no index; run `python -m evals index {name}` first.")
        found = mine(read_package(catalog, snapshots[0], name), seed, most)
        click.echo(f"{questions.write(out, name, found)}: {len(found)} questions")


@main.command("score")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@home_option
@split_option
@click.option("--misses", type=click.Path(path_type=Path), help="Write the questions whose span was not found.")
def score_packages(folder: Path, home: Path, split: str | None, misses: Path | None) -> None:
    """Search the questions of FOLDER in the indexes below HOME and print the figures."""
    names = pinned(split)
    asked = [one for one in questions.load(folder) if one[0] in names]
    try:
        found = score.search(asked, _retrievers(home))
    except RepoPilotError as error:
        raise click.ClickException(str(error)) from error
    if misses:
        misses.write_text("".join(_miss(one, found) for one in asked), encoding="utf-8")
    click.echo(score.table(score.figures(asked, found)))


@main.command("fit")
@click.argument("written", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("mined", type=click.Path(exists=True, file_okay=False, path_type=Path))
@home_option
def fit_weights(written: Path, mined: Path, home: Path) -> None:
    """Fit the weights of bot/ranking.py on the `fit` packages' questions in WRITTEN and MINED; prints them."""
    of_package, catalog, names = _retrievers(home), cache(lambda package: Stores(home / package).catalog), pinned("fit")
    asked = [
        (one, weight) for folder, weight in ((written, 1.0), (mined, MINED_WEIGHT)) for one in questions.load(folder)
    ]
    examples = [
        fit.example(one, of_package(one[0]), catalog(one[0]), weight) for one, weight in asked if one[0] in names
    ]
    weights = fit.fit([one for one in examples if one], lambda line: click.echo(line, err=True))
    click.echo(json.dumps(weights, indent=1))


@main.command("calibrate")
@click.argument("written", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("mined", type=click.Path(exists=True, file_okay=False, path_type=Path))
@home_option
def calibrate_evidence(written: Path, mined: Path, home: Path) -> None:
    """Fit the weights of bot/evidence.py on the `fit` packages' questions in WRITTEN and MINED; prints them, and how
    many questions of each split would be declined at which threshold."""
    of_package, names = _retrievers(home), pinned("fit")
    people = [
        (one[0], calibrate.example(one, of_package(one[0]))) for one in questions.load(written, unanswerable=True)
    ]
    ours = [one for package, one in people if package in names]
    made = list(_mined_examples([one for one in questions.load(mined) if one[0] in names], of_package))
    models = calibrate.fit([*ours, *made])
    for name, part in (("PROVES", models.proves), ("ANSWERABLE", models.answerable)):
        click.echo(f"{name} = Logistic({part.intercept}, {json.dumps(dict(part.weights))})")
    theirs = [one for package, one in people if package not in names]
    for split, examples, sure in (
        ("fit, cross-validated", ours, calibrate.cross_validated(ours, made)),
        ("held_out", theirs, [models.confidence(one.evidence) for one in theirs]),
    ):
        click.echo(f"\n{split}\n{calibrate.table(calibrate.curve([one.case for one in examples], sure))}")


@main.command("curve")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--index", required=True, type=click.Path(path_type=Path), help="The REPOPILOT_HOME they are asked of.")
def curve_of(folder: Path, index: Path) -> None:
    """How many questions of FOLDER would be declined at which threshold, by the weights that ship."""
    of_package = _retrievers(index.parent)
    asked = questions.load(folder, unanswerable=True)
    sure = [_confidence(one, of_package(index.name)) for one in asked]
    click.echo(calibrate.table(calibrate.curve([case for _, case, _ in asked], sure)))


def _mined_examples(
    asked: Sequence[questions.Asked], of_package: Callable[[str], Retriever]
) -> Iterator[calibrate.Example]:
    """Each question of its own package, and every CROSSED-th also of the next one, where nothing answers it."""
    packages = sorted({package for package, _, _ in asked})
    for number, one in enumerate(asked):
        yield calibrate.example(one, of_package(one[0]), MINED_WEIGHT)
        if number % CROSSED == 0:
            other = packages[(packages.index(one[0]) + 1) % len(packages)]
            yield calibrate.example(one, of_package(other), MINED_WEIGHT, elsewhere=True)


def _confidence(one: questions.Asked, retriever: Retriever) -> float:
    question = one[1].question
    return retriever.evidence(question, retriever.search(question, PASSAGES)).confidence


def pinned(split: str | None = None) -> dict[str, str]:
    """Versions by package, of one split or of both."""
    wanted = tomllib.loads(PACKAGES.read_text(encoding="utf-8"))
    splits = [split] if split else ["fit", "held_out"]
    return {name: version for part in splits for name, version in wanted[part].items()}


def _retrievers(home: Path) -> Callable[[str], Retriever]:
    settings = load_settings()
    key = settings.embedder_api_key.get_secret_value() if settings.embedder_api_key else None
    embedder = open_embedder(settings.embedder, settings.embedder_url, key)
    return cache(lambda package: score.retriever(home / package, embedder))


def _miss(one: questions.Asked, found: score.Rankings) -> str:
    _, case, _ = one
    if any(gold.hit_by(passage) for gold in case.gold for passage in found[case.id]):
        return ""
    gold = [f"{g.path}:{g.start_line}-{g.end_line}" for g in case.gold]
    got = [f"{p.path}:{p.start_line}-{p.end_line}" for p in found[case.id]]
    return json.dumps({"id": case.id, "question": case.question.text, "gold": gold, "got": got}) + "\n"


if __name__ == "__main__":
    main()
