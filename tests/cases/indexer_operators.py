"""Operators of section F on the runs of the indexer and on the chunks they left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from cases.expectations import Check, Operators, expected, operand
from cases.families import add_numbers, add_texts
from cases.indexer_observation import Chunk, IndexObservation, named_places, names

OPERATORS: Operators[IndexObservation] = Operators()
MESSAGE_LENGTH_MAX = 500  # one sentence, generously
TRACEBACK = "Traceback (most recent call last)"

add_numbers(OPERATORS, "exit_code", lambda seen: [seen.last.exit_code])
add_numbers(OPERATORS, "seconds", lambda seen: [run.seconds for run in seen.runs])
add_numbers(OPERATORS, "rss_mb", lambda seen: [seen.last.peak_rss_mb])
add_numbers(OPERATORS, "rss_growth_mb", lambda seen: [run.peak_rss_mb - seen.baseline_rss_mb() for run in seen.runs])
add_numbers(OPERATORS, "chunks_total", lambda seen: [seen.report.get("chunks")])
add_numbers(OPERATORS, "files_total", lambda seen: [seen.report.get("files")])
add_numbers(OPERATORS, "skipped_total", lambda seen: [len(seen.skipped)])
add_numbers(OPERATORS, "embeddings_computed", lambda seen: [seen.report.get("embedded")])
add_texts(OPERATORS, "message", lambda seen: [seen.last.stderr])
add_texts(OPERATORS, "chunk", lambda seen: ["\n\n".join(chunk["text"] for chunk in seen.chunks)])


@OPERATORS.operator
def run(seen: IndexObservation, check: Check) -> str | None:
    """`ok`: exit 0 and a usable index. `clear_error`: exit 1 or 2 and one sentence without a traceback."""
    code, words = seen.last.exit_code, seen.last.stderr.strip()
    if operand(check) == "ok":
        usable = code == 0 and {"commit", "files", "chunks", "skipped"} <= seen.report.keys()
        return None if usable else f"expected exit 0 and a report, got exit {code}: {words or seen.last.stdout}"
    if operand(check) == "clear_error":
        clear = code in (1, 2) and 0 < len(words) <= MESSAGE_LENGTH_MAX and "\n" not in words and TRACEBACK not in words
        return None if clear else f"expected exit 1 or 2 and one sentence, got exit {code}: {words}"
    return f"unknown run {operand(check)}"


@OPERATORS.operator
def files(seen: IndexObservation, check: Check) -> str | None:
    """Each path's status, and for a skipped one a reason that holds one of the words."""
    wrong = (_file_difference(seen, path, wanted) for path, wanted in check["value"].items())
    return "; ".join(filter(None, wrong)) or None


def _file_difference(seen: IndexObservation, path: str, wanted: Mapping[str, Any]) -> str | None:
    reason = seen.skipped.get(path)
    status = "skipped" if reason is not None else "indexed" if seen.of(path) else "absent"
    allowed = wanted.get("status_in") or [wanted.get("status", status)]
    if status not in allowed:
        return f"{path} expected {' or '.join(allowed)} got {status}" + (f" ({reason})" if reason else "")
    words = wanted.get("reason_any")
    if status == "skipped" and words and not any(word.lower() in str(reason).lower() for word in words):
        return f"{path} expected a reason with {' or '.join(words)} got {reason!r}"
    return None


@OPERATORS.operator
def process_alive(seen: IndexObservation, check: Check) -> str | None:
    """No run was ended by a signal or by an error that nobody caught."""
    for each in seen.runs:
        if each.exit_code < 0 or TRACEBACK in each.stderr:
            return f"exit {each.exit_code}: {each.stderr[-300:]}"
    return None


@OPERATORS.operator
def no_traceback(seen: IndexObservation, check: Check) -> str | None:
    shown = [each for each in seen.runs if TRACEBACK in each.stderr + each.stdout]
    return f"traceback: {shown[0].stderr[-300:]}" if shown else None


@OPERATORS.operator
def second_run_ok(seen: IndexObservation, check: Check) -> str | None:
    if not seen.killed and len(seen.runs) < 2:
        return "there was no second run"
    return run(seen, {"op": "run", "value": "ok"})


@OPERATORS.operator
def symbol_lines(seen: IndexObservation, check: Check) -> str | None:
    """What defines the symbol begins at its first line and ends at its last; of namesakes one is enough."""
    held = [place for chunk in seen.of(check["path"]) for place in named_places(chunk) if names(place, check["symbol"])]
    if not held:
        return f"{check['symbol']} is no chunk's symbol, only {[chunk['symbol'] for chunk in seen.of(check['path'])]}"
    spans = {symbol: _span([c for c in held if c["symbol"] == symbol]) for symbol in {c["symbol"] for c in held}}
    wanted = (check["start"], check["end"])
    return None if wanted in spans.values() else expected(wanted, spans)


def _span(chunks: Sequence[Chunk]) -> tuple[int, int]:
    return min(chunk["start_line"] for chunk in chunks), max(chunk["end_line"] for chunk in chunks)


@OPERATORS.operator
def each_chunk_names(seen: IndexObservation, check: Check) -> str | None:
    held = seen.of(check["path"])
    nameless = [chunk for chunk in held if not names(chunk, check["symbol"])]
    if not held:
        return f"{check['path']} has no chunk"
    return f"a chunk at line {nameless[0]['start_line']} names {nameless[0]['symbol']!r}" if nameless else None


@OPERATORS.operator
def no_empty_chunk(seen: IndexObservation, check: Check) -> str | None:
    empty = [chunk for chunk in seen.chunks if not chunk["text"].strip()]
    return f"empty chunk in {empty[0]['path']}:{empty[0]['start_line']}" if empty else None


@OPERATORS.operator
def no_chunk_longer_than(seen: IndexObservation, check: Check) -> str | None:
    """No chunk has more than `chars` characters, `lines` lines or `bytes` bytes of UTF-8."""
    sizes: dict[str, Callable[[str], int]] = {
        "chars": len,
        "lines": lambda text: text.count("\n") + 1,
        "bytes": lambda text: len(text.encode("utf-8", "replace")),
    }
    limits = {unit: check[unit] for unit in sizes if unit in check} or {"chars": operand(check)}
    for unit, limit in limits.items():
        longest = max((sizes[unit](chunk["text"]) for chunk in seen.chunks), default=0)
        if longest > limit:
            return f"expected at most {limit} {unit} got {longest}"
    return None


@OPERATORS.operator
def no_chunk_contains(seen: IndexObservation, check: Check) -> str | None:
    path, words = check.get("path"), operand(check)
    held = [chunk for chunk in seen.chunks if path in (None, chunk["path"]) and words in chunk["text"]]
    return f"{words!r} stands in {held[0]['path']}:{held[0]['start_line']}" if held else None


@OPERATORS.operator
def chunks_cover_file(seen: IndexObservation, check: Check) -> str | None:
    """Every line that is not blank lies in a chunk."""
    lines = seen.file_text(check["path"]).split("\n")
    wanted = {number for number, line in enumerate(lines, 1) if line.strip()}
    covered = {n for chunk in seen.of(check["path"]) for n in range(chunk["start_line"], chunk["end_line"] + 1)}
    missing = sorted(wanted - covered)
    return f"{len(missing)} lines in no chunk, the first is {missing[0]}" if missing else None


@OPERATORS.operator
def chunk_text_equals_file_lines(seen: IndexObservation, check: Check) -> str | None:
    """A chunk's text is the lines it names, split at `\\n` only; a carriage return may be dropped."""
    lines = seen.file_text(check["path"]).split("\n")
    held = seen.of(check["path"])
    for chunk in held:
        wanted = "\n".join(lines[chunk["start_line"] - 1 : chunk["end_line"]])
        if _plain(chunk["text"]) != _plain(wanted):
            return f"line {chunk['start_line']}: {expected(wanted, chunk['text'])}"
    return None if held else f"{check['path']} has no chunk"


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").removesuffix("\n").removesuffix("\r")


@OPERATORS.operator
def ids_unique(seen: IndexObservation, check: Check) -> str | None:
    ids = [chunk["id"] for chunk in seen.chunks]
    repeated = len(ids) - len(set(ids))
    return f"{repeated} ids are repeated" if repeated else None if ids else "there is no chunk"


@OPERATORS.operator
def path_indexed_once(seen: IndexObservation, check: Check) -> str | None:
    """The file's lines are stored once, and not a second time under another way to the same file."""
    held = seen.of(check["path"])
    overlap = [later for earlier, later in pairwise(held) if later["start_line"] <= earlier["start_line"]]
    name, texts = check["path"].rsplit("/", 1)[-1], {chunk["text"] for chunk in held}
    others = {c["path"] for c in seen.chunks if c["path"].rsplit("/", 1)[-1] == name and c["text"] in texts}
    if not held or overlap:
        return f"{check['path']} has {len(held)} chunks, {len(overlap)} of them repeated"
    return None if others == {check["path"]} else f"also indexed as {sorted(others - {check['path']})}"


@OPERATORS.operator
def path_absent(seen: IndexObservation, check: Check) -> str | None:
    path = check.get("path") or operand(check)
    return f"{path} still has {len(seen.of(path))} chunks" if seen.of(path) else None


@OPERATORS.operator
def path_present(seen: IndexObservation, check: Check) -> str | None:
    path = check.get("path") or operand(check)
    return None if seen.of(path) else f"{path} has no chunk"


@OPERATORS.operator
def files_indexed_or_reported(seen: IndexObservation, check: Check) -> str | None:
    known = {chunk["path"] for chunk in seen.chunks} | seen.skipped.keys()
    return None if len(known) == operand(check) else f"{expected(operand(check), len(known))}: {sorted(known)}"


@OPERATORS.operator
def chunks_total_unchanged(seen: IndexObservation, check: Check) -> str | None:
    totals = [(each.report or {}).get("chunks") for each in seen.runs]
    if len(totals) < 2 or None in totals:
        return f"cannot be compared: {totals}"
    return None if totals[-1] == totals[0] else expected(totals[0], totals[-1])


@OPERATORS.operator
def delete_one_keeps_other(seen: IndexObservation, check: Check) -> str | None:
    left = {chunk["path"] for chunk in seen.chunks_after_deleting(check["delete"])}
    if check["delete"] in left:
        return f"{check['delete']} is still indexed"
    return None if check["keep"] in left else f"{check['keep']} is gone as well"


@OPERATORS.operator
def old_index_served_meanwhile(seen: IndexObservation, check: Check) -> str | None:
    """While an update runs, and after it was killed, a search finds what it found before."""
    if not seen.chunks:
        return "there is no old index"
    query = seen.chunks[0]["symbol"] or seen.chunks[0]["path"]
    for answer in seen.searches_around_a_killed_update(query):
        if not answer.get("passages"):
            return f"a search for {query!r} found nothing during or after the update"
    return None
