"""What the tools give: fields for programs, and the same as Markdown for a model to read. Pure functions.

Agents pay for every word that comes back, and cut what is too long where it happens to end: so results are kept short
here, at whole passages and whole lines, and say that they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Final

from pydantic import BaseModel, Field

from bot.lines import Excerpt
from bot.markdown import Node, markdown
from bot.rendering.appendix import appendix
from bot.retrieval import Found
from bot.types import Answer, Citation, Index, Passage
from indexer.decoding import without_lone_surrogates
from indexer.records import Snapshot

# About 8,000 tokens of code: agents warn of results over 10,000, and some cut at 25,000.
LONGEST: Final = 24_000


class SearchResult(BaseModel):
    """Passages, best first. Lines are 1-based and inclusive."""

    passages: list[Passage]
    index: Annotated[Index, Field(description="The version that was searched.")]
    unknown_names: Annotated[
        dict[str, list[str]],
        Field(description="Names in the query that are nowhere in this version, each with the nearest that are."),
    ]
    left_out: Annotated[int, Field(description="How many more passages were found, for which there was no room.")]


class LinesResult(BaseModel):
    """Lines of a file, 1-based and inclusive, with a permanent link to them."""

    path: str
    start_line: int
    end_line: int
    total_lines: Annotated[int, Field(description="How many lines the file has.")]
    text: str
    url: str
    index: Index


class AnswerResult(BaseModel):
    """A cited answer: `[n]` in it is the citation numbered n."""

    answer_id: str
    answer: Annotated[str, Field(description="Markdown.")]
    citations: list[Citation]
    declined: Annotated[bool, Field(description="Nothing was found that proves an answer.")]
    warnings: list[str]
    index: Annotated[Index, Field(description="The version that was read.")]


class Version(BaseModel):
    """One version of a repository that can be searched and asked."""

    repository: str
    ref: str
    commit: str
    indexed_at: Annotated[str, Field(description="ISO 8601, UTC.")]
    checked_at: Annotated[str, Field(description="When its source was last seen to be the same.")]
    stale: Annotated[bool, Field(description="Its source has moved on since.")]
    files: int


class VersionsResult(BaseModel):
    versions: Annotated[list[Version], Field(description="Latest indexed first.")]
    default: Annotated[Index | None, Field(description="The version that answers when none is named.")]


def search_result(found: Found) -> SearchResult:
    kept: list[Passage] = []
    room = LONGEST
    for passage in found.passages:
        room -= len(passage.text)
        if kept and room < 0:
            break
        kept.append(replace(passage, text=bounded(passage.text)))
    unknown = {name: list(nearest) for name, nearest in found.unknown_names.items()}
    return SearchResult(
        passages=kept, index=found.index, unknown_names=unknown, left_out=len(found.passages) - len(kept)
    )


def answer_result(answer: Answer) -> AnswerResult:
    return AnswerResult(
        answer_id=answer.id,
        answer=without_lone_surrogates(answer.answer),
        citations=list(answer.citations),
        declined=answer.declined,
        warnings=[without_lone_surrogates(warning) for warning in answer.warnings],
        index=answer.index,
    )


def versions_result(snapshots: Sequence[Snapshot], default: Index | None) -> VersionsResult:
    versions = [
        Version(
            repository=s.origin.repository,
            ref=s.origin.ref,
            commit=s.origin.commit,
            indexed_at=s.indexed_at,
            checked_at=s.checked_at,
            stale=s.stale,
            files=s.files,
        )
        for s in snapshots
    ]
    return VersionsResult(versions=versions, default=default)


def bounded(text: str) -> str:
    """The text; of a line that alone is longer than all that is given, its beginning."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def lines_that_fit(text: str) -> int:
    """How many of the text's lines, from the first, are within LONGEST; one at least."""
    room, count = LONGEST, 0
    for line in text.split("\n"):
        room -= len(line) + 1
        if count and room < 0:
            break
        count += 1
    return count


def passages_text(found: Found, result: SearchResult) -> str:
    """The passages for a model to read, each with its place above it."""
    unknown = [_unknown(name, nearest, found.index) for name, nearest in result.unknown_names.items()]
    if not result.passages:
        return "\n\n".join((f"Nothing was found in {_named(found.index)}.", *unknown))
    shown = [_shown(number, passage) for number, passage in enumerate(result.passages, 1)]
    more = [f"{result.left_out} more were left out for length."] if result.left_out else []
    return "\n\n".join((f"Found in {_named(found.index)}:", *shown, *more, *unknown))


def lines_text(excerpt: Excerpt) -> str:
    """The lines for a model to read, numbered as in the file."""
    width = len(str(excerpt.end_line))
    lines = enumerate(excerpt.text.split("\n"), excerpt.start_line)
    numbered = "\n".join(f"{number:>{width}}\t{line}" for number, line in lines)
    where = f"{excerpt.path} lines {excerpt.start_line}-{excerpt.end_line} of {excerpt.total_lines}"
    rest = excerpt.total_lines - excerpt.end_line
    more = [f"{rest} more lines follow, from start_line={excerpt.end_line + 1}."] if rest else []
    place = "\n".join((f"{where}, in {_named(excerpt.index)}", *_link(excerpt.url)))
    return "\n\n".join((place, numbered, *more))


def answer_text(answer: Answer) -> str:
    return without_lone_surrogates(answer.answer + appendix(answer))


def versions_text(result: VersionsResult) -> str:
    if not result.versions:
        return "Nothing is indexed yet."
    lines = (
        f"- {v.repository} at {v.ref} ({v.commit[:12]}), {v.files} files, indexed {v.indexed_at}"
        f"{', and its source has moved on' if v.stale else ''}"
        for v in result.versions
    )
    default = [f"Without a name, {_named(result.default)} answers."] if result.default else []
    return "\n".join((*lines, *default))


def _shown(number: int, passage: Passage) -> str:
    symbol = f" {passage.symbol}" if passage.symbol else ""
    where = f"{number}. {passage.path} lines {passage.start_line}-{passage.end_line}{symbol}"
    text = markdown(Node("fence", text=f"{passage.text}\n", info=passage.language))
    return "\n".join((where, *_link(passage.url), text))


def _link(url: str) -> list[str]:
    """A permanent link; none where it leads to a service of ours, for want of a code host."""
    return [url] if url.startswith("http") else []


def _unknown(name: str, nearest: Sequence[str], index: Index) -> str:
    hint = f"; the nearest names are {', '.join(nearest)}" if nearest else ""
    return f"{name} occurs nowhere in {_named(index)}{hint}."


def _named(index: Index) -> str:
    return f"{index.repository} at {index.ref}"
