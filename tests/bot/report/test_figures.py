from __future__ import annotations

from bot.history import Feedback, Record
from bot.report.figures import Tally
from fakes.answers import answer

AT = "2026-11-30T10:00:00+00:00"


def vote(which: str, voter: str = "github:ada") -> Feedback:
    return Feedback("a", voter, which, AT)  # type: ignore[arg-type]


def test_outcomes_surfaces_failures_votes_and_versions() -> None:
    tally = Tally()
    tally.add(Record("1", AT, "github", None, "why?", answer("It is.", 1), None, {"whole": 0.2}), [vote("up")])
    against = [vote("down"), vote("down", "github:bob"), vote("up", "github:kim")]
    tally.add(Record("2", AT, "github", None, "why?", answer("It is.", 1), None, {"whole": 0.4}), against)
    tally.add(Record("3", AT, "discord", None, "why?", answer("No.", declined=True), None, {"whole": 0.6}), [])
    tally.add(Record("4", AT, "http", None, "why?", None, "Busy"), [])
    tally.add(Record("5", AT, "http", None, "why?", None, "abandoned"), [])
    figures = tally.figures()
    assert (figures.questions, figures.answered, figures.declined, figures.failed, figures.abandoned) == (5, 2, 1, 1, 1)
    assert figures.surfaces == {"github": 2, "http": 2, "discord": 1}
    assert figures.failures == {"Busy": 1}
    assert (figures.votes_up, figures.votes_down, figures.voted_down) == (2, 2, 1)
    assert figures.versions == {"example-org/boat v1.2.0": 3}
    assert figures.median_s == 0.4 and figures.p95_s is None
    assert figures.share(figures.declined) == 0.2


def test_the_slowest_of_many() -> None:
    tally = Tally()
    for number in range(100):
        record = Record(str(number), AT, "http", None, "why?", answer("It is.", 1), None, {"whole": float(number)})
        tally.add(record, [])
    assert tally.figures().p95_s is not None and 93 < (tally.figures().p95_s or 0) < 97


def test_nothing_has_figures_too() -> None:
    figures = Tally().figures()
    assert (figures.questions, figures.median_s, figures.share(0)) == (0, None, 0.0)
