"""How expectations become checks, and what is never passed over in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from cases.builders import UnknownBuilderError, body_bytes, built
from cases.case import cases_of
from cases.expectations import Check, Operators, checks
from cases.report import Report, Result, known_failures, shortened
from cases.sse import events, stray_lines


def registry() -> Operators[int]:
    operators: Operators[int] = Operators()

    @operators.operator
    def equals(seen: int, check: Check) -> str | None:
        return None if seen == check["value"] else f"got {seen}"

    return operators


def test_an_unknown_operator_is_a_difference() -> None:
    found = registry().differences(1, {"checks": [{"op": "sings"}], "hums": 1})
    assert [str(difference) for difference in found] == ["hums: unknown operator hums", "sings: unknown operator sings"]


def test_null_and_reasons_demand_nothing() -> None:
    assert list(checks({"status": None, "why": "because", "note": "x", "checks": None})) == []


@pytest.mark.parametrize("severity", ["should", "may"])
def test_a_soft_difference_fails_nothing(severity: str) -> None:
    found = registry().differences(1, {"checks": [{"op": "equals", "value": 2, "severity": severity}]})
    assert Result("F-001", "t", found).passed
    assert list(Report([Result("F-001", "t", found)]).lines()) == [
        f"note F-001 t: equals: got 1 ({severity})",
        "1 passed, 0 failed",
    ]


def test_an_operator_that_cannot_read_the_observation_fails() -> None:
    assert registry().difference(1, {"op": "equals"}) == "cannot be read: KeyError: 'value'"


def test_a_field_that_its_operator_never_reads_fails() -> None:
    assert registry().difference(1, {"op": "equals", "value": 1, "within": 2}) == "unknown field within"
    assert registry().difference(1, {"op": "equals", "value": 1, "note": "x", "severity": "may"}) is None


def test_one_alternative_is_enough() -> None:
    either = {"one_of": [{"equals": 2}, {"equals": 1}]}
    assert registry().differences(1, either) == []
    assert "got 3 / equals: got 3" in str(registry().differences(3, either)[0])


def test_an_operator_is_defined_once() -> None:
    operators = registry()
    with pytest.raises(ValueError, match="twice"):
        operators.add("equals", lambda seen, check: None)


def test_builders_nest_and_unknown_ones_are_refused() -> None:
    assert built({"q": {"$concat": ["a", {"$repeat": ["b", 3]}]}, "n": [1, None]}) == {"q": "abbb", "n": [1, None]}
    with pytest.raises(UnknownBuilderError, match=r"\$shuffle"):
        built({"$shuffle": []})


@pytest.mark.parametrize(
    ("request_fields", "data"),
    [
        ({"body_b64": "iVBORw=="}, b"\x89PNG"),
        ({"body_text": "{"}, b"{"),
        ({"body": "é"}, "é".encode()),
        ({"payload": {"a": "é"}}, '{"a":"é"}'.encode()),
        ({"json": {"a": 1}}, b'{"a": 1}'),
        ({}, None),
    ],
)
def test_a_body_is_its_exact_bytes(request_fields: dict[str, object], data: bytes | None) -> None:
    assert body_bytes(request_fields) == data


def test_a_folder_is_read_by_section_and_id() -> None:
    own = Path(__file__).parent / "own"
    assert {case.section for case in cases_of(own, ["F"])} == {"F"}
    assert [case.id for case in cases_of(own, only=["G-901", "F-901"])] == ["F-901", "G-901"]


def test_the_list_of_known_failures_only_shrinks(tmp_path: Path) -> None:
    file = tmp_path / "known.txt"
    file.write_text("# ids\nF-001  # slow\nF-002\n")
    failing = Result("F-002", "b", registry().differences(1, {"hums": 1}))
    report = Report([Result("F-001", "a"), failing], known_failures(file), "known.txt")
    assert list(report.lines()) == [
        "known F-002 b: hums: unknown operator hums",
        "F-001 passes now: remove it from known.txt",
        "1 passed, 1 failed",
    ]
    assert not report.good


def test_what_the_program_said_stays_on_one_short_line() -> None:
    difference = registry().differences(1, {"checks": [{"op": "a\nb" * 200}]})[0]
    assert len(shortened(difference)) == 200 and "\n" not in shortened(difference)


def test_an_event_stream_is_read_as_a_browser_does() -> None:
    stream = '\ufeffevent: token\r\ndata: "a\\n"\r\n\r\n: ping\rdata:x\rdata: y\r\rdata: never closed\n'
    assert [(e.name, e.data, e.text) for e in events(stream)] == [
        ("token", '"a\\n"', "a\n"),
        ("message", "x\ny", "x\ny"),
    ]
    assert stray_lines("data: x\nlost\n\n: fine\n") == ["lost"]
