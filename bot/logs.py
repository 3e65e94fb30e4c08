"""The log of a service: each line tells the id of what it is about, and no line holds a secret.

The standard library's, with two formatters. Every library here writes to it, so that structlog would only stand beside
it; what python-json-logger adds is a dozen lines of `JsonLines`, which has to mask each value before it becomes JSON.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from types import TracebackType
from typing import Final, Literal

from bot.events import current_event
from bot.history import Record
from indexer.masking import MASK, mask

Format = Literal["text", "json"]

log = logging.getLogger("repopilot")
questions = logging.getLogger("repopilot.questions")

# What is shorter is no secret, and stands in half of all lines.
SHORTEST: Final = 4
# What each record has, and uvicorn's second copy of the message; all else that a record has was given by its writer.
_OWN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message", "taskName"}
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# In a repository's files `mask` spares what documentation gives as an example. Nobody's log needs examples.
_TOKEN: Final = re.compile(
    r"(?i:\b(?:bearer|basic)\s++)(?=[\w.~+/-]*[\d_.~+/-]|[\w]{20})([\w.~+/-]{8,}+=*+)"
    r"|\b(?:rp|gh[oprsu]|github_pat)_([\w-]{8,}+)"
    r"|(?<![\w.-])([\w-]{18,40}\.[\w-]{6,7}\.[\w-]{27,}+)"  # a Discord bot's
    r"|(?<=://)([^\s/@:\"']*+:[^\s/@\"']++)(?=@)"
)


class Fields(dict[str, object]):
    """A line that says values by name; `what` they are of is its message where each has a field of its own."""

    def __init__(self, what: str, /, **fields: object) -> None:
        super().__init__(fields)
        self.what = what

    def __str__(self) -> str:
        return json.dumps(self)


class Masker:
    """Makes `•••` of secrets: those that are known, and whatever has the form of one."""

    def __init__(self, secrets: Collection[str]) -> None:
        long = [secret for secret in secrets if len(secret) >= SHORTEST]
        spelled = {spelling for secret in long for spelling in (secret, json.dumps(secret)[1:-1])}
        longest_first = sorted(map(re.escape, spelled), key=len, reverse=True)
        self._known = re.compile("|".join(longest_first)) if longest_first else None

    def __call__(self, text: str) -> str:
        known = self._known.sub(MASK, text) if self._known else text
        return _TOKEN.sub(_without_secret, mask(known).text)

    def value(self, value: object) -> object:
        """The same for plain data; what is none becomes text."""
        match value:
            case None | bool() | int() | float():
                return value
            case dict():
                return {str(name): self.value(held) for name, held in value.items()}
            case list() | tuple():
                return [self.value(held) for held in value]
            case _:
                return self(str(value))


class TextLines(logging.Formatter):
    """A line for people: time, level, logger, `[event]` where there is one, message; a traceback goes on below."""

    def __init__(self, masker: Masker) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")
        self._masker = masker

    def format(self, record: logging.LogRecord) -> str:
        return self._masker(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the library's name
        event = current_event()
        line = _CONTROL.sub(_escaped, record.message)  # what somebody wrote must not look like a line of ours
        record.message = f"[{event}] {line}" if event else line
        return super().formatMessage(record)


class JsonLines(logging.Formatter):
    """A JSON object a line: `time`, `level`, `logger`, `message`, `event` where there is one, and what else is said."""

    def __init__(self, masker: Masker) -> None:
        super().__init__()
        self._masker = masker

    def format(self, record: logging.LogRecord) -> str:
        said = record.msg if isinstance(record.msg, Fields) else Fields(record.getMessage())
        own: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": self._masker(said.what),
        }
        if event := current_event():
            own["event"] = self._masker(event)
        if record.exc_info:
            own["traceback"] = self._masker(self.formatException(record.exc_info))
        given = {name: value for name, value in vars(record).items() if name not in _OWN} | said
        return json.dumps(own | {name: self._masker.value(value) for name, value in given.items() if name not in own})


def configure(form: Format, secrets: Collection[str]) -> None:
    """Let this process log to stderr from now on, also what ends it. `secrets` are never shown."""
    handler = logging.StreamHandler()
    handler.setFormatter({"text": TextLines, "json": JsonLines}[form](Masker(secrets)))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.getLogger("httpx").setLevel(logging.WARNING)  # a line for each request, with its address
    logging.getLogger("dbos").addHandler(logging.NullHandler())  # without one, DBOS brings its own, past all of this
    logging.captureWarnings(True)
    sys.excepthook = _uncaught
    threading.excepthook = lambda failed: _uncaught(
        failed.exc_type, failed.exc_value or failed.exc_type(), failed.exc_traceback
    )


def question_line(shows_questions: bool) -> Callable[[Record], None]:
    """An observer of questions that logs a line for each at its end; its words only where they may be shown."""

    def question_line(record: Record) -> None:
        given = record.answer
        line = Fields(
            "question",
            surface=record.surface,
            answer=given.id if given else None,
            outcome=record.outcome,
            reason=given.reason if given else record.failure,
            seconds=record.seconds.get("whole"),
            citations=len(given.citations) if given else 0,
        )
        questions.info(Fields(line.what, **line, question=record.question) if shows_questions else line)

    return question_line


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not issubclass(kind, SystemExit):  # that is how a thread ends itself
        log.critical("the process has failed", exc_info=(kind, error, trace))


def _without_secret(found: re.Match[str]) -> str:
    group = found.lastindex or 0
    return found[0].replace(found[group], MASK, 1)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
