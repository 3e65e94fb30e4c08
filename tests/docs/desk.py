"""A place to run the documents' commands in: a small indexed repository, and all that their words stand for."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from click.testing import CliRunner, Result

from bot.cli import main
from bot.ledger import Ledger
from docs.reading import ROOT
from fakes.repository import REPOSITORY, Repository
from fakes.running import FILES

JOB = "github:acme/engine:issue:7:123"
SOURCE = re.compile(r"pypi:\S+|https://(?:github\.com|HOST)/OWNER/NAME|SOURCE")
PLACEHOLDER = re.compile(r"[A-Z]{2,}(?:/[A-Z]{2,})*")
# Verbs that cannot be run here are read as the program itself would read them, and no further.
ONLY_READ = {
    ("serve",): "goes on until it is stopped; the fixture `served` starts it once",
    ("discord",): "needs Discord; tests/bot/adapters/discord has a stand-in",
    ("mcp",): "waits for an agent; tests/test_docs_programs.py is one",
    ("github", "check"): "asks GitHub; tests/bot/test_cli_github.py has a stand-in",
    ("github", "setup"): "asks GitHub, but for --url",
}
# An hour of looking again and again is not needed to see that it looks.
ADDED = {("watch",): ["--once"]}


@dataclass(frozen=True, slots=True)
class Desk:
    folder: Path

    @classmethod
    def new(cls, folder: Path) -> Desk:
        desk = cls(folder)
        repository = Repository(folder / "repository")
        repository.commit(FILES)
        question = {"id": "1", "kind": "fact", "question": "How large is a KV block?", "answerable": True}
        gold = [{"path": "docs/cache.md", "start_line": 3, "end_line": 5, "primary": True}]
        (folder / "questions").mkdir()
        (folder / "questions" / "engine.jsonl").write_text(json.dumps({**question, "gold": gold, "facts": []}) + "\n")
        assert desk.ran(["index", str(repository.folder), "--repository", REPOSITORY]).exit_code == 0
        ledger = Ledger(f"sqlite:///{desk.home / 'jobs.sqlite'}")
        revision = ledger.note(JOB, REPOSITORY, "ada", "2026-01-01T00:00:00Z", "How?", {"url": "https://example.org/7"})
        ledger.set_aside(JOB, revision or 0, "403")
        ledger.close()
        return desk

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def copy(self, folder: Path) -> Desk:
        """One like this as it is now, in a folder that does not exist yet."""
        for name in ("repository", "questions", "home"):
            shutil.copytree(self.folder / name, folder / name)
        return Desk(folder)

    def filled(self, words: Iterable[str]) -> list[str]:
        return [self._filled(word) for word in words]

    def _filled(self, word: str) -> str:
        """What a word of a document stands for here. Fails for a placeholder that is not known."""
        known = {
            "OWNER/NAME": REPOSITORY,
            "REF": "main",
            "N": "3",
            "QUESTION": "How large is a KV block?",
            "QUERY": "block_size",
            "FILE": str(self.folder / "questions" / "engine.jsonl"),
            "QUESTIONS": str(self.folder / "questions"),
            "FOLDER": str(self.folder),
            "HOME": str(self.home),
            "NAME": "a-reader",
            "CODE": "c0de",
            "KEY": JOB,
        }
        word = word.removesuffix("…") or "anything"
        if word in known:
            return known[word]
        if SOURCE.fullmatch(word):
            return str(self.folder / "repository")
        if word.startswith("/"):
            (self.folder / word[1:]).parent.mkdir(parents=True, exist_ok=True)
            return str(self.folder / word[1:])
        assert not PLACEHOLDER.fullmatch(word), f"what does {word} stand for? Say it in tests/docs/desk.py"
        return str(ROOT / word) if "/" in word and (ROOT / word).exists() else word

    def ran(self, words: Sequence[str], variables: Mapping[str, str] | None = None) -> Result:
        """`repopilot WORDS` in this process, with no settings but these, in the desk's folder."""
        kept = {name: None for name in os.environ if name.startswith("REPOPILOT_")}
        given = {"REPOPILOT_HOME": str(self.home), "REPOPILOT_WORKERS": "0", **(variables or {})}
        before = Path.cwd()
        os.chdir(self.folder)  # a .env file of the checkout must not be read
        try:
            return CliRunner().invoke(main, list(words), env={**kept, **given})
        finally:
            os.chdir(before)


def verbs_of(words: Sequence[str]) -> tuple[str, ...]:
    """The words that name a verb of the program, or of one of its groups. Fails for one that there is not."""
    return _command_of(words)[0]


def read(words: Sequence[str]) -> None:
    """Read as the program would read them. Raises click.UsageError."""
    verbs, command = _command_of(words)
    command.make_context(" ".join(verbs), list(words[len(verbs) :]))


def spoken_of(words: Sequence[str]) -> bool:
    """Whether a verb is only named, perhaps with options that it has, and not with what it needs to run."""
    verbs, command = _command_of(words)
    options = {option for parameter in command.params for option in parameter.opts}
    return set(words[len(verbs) :]) <= options and (not verbs or any(p.required for p in command.params))


def _command_of(words: Sequence[str]) -> tuple[tuple[str, ...], click.Command]:
    command: click.Command = main
    verbs = list[str]()
    for word in words:
        if not isinstance(command, click.Group) or word.startswith("-"):
            break
        found = command.get_command(click.Context(command), word)
        assert found, f"repopilot {' '.join(verbs)} has no verb {word}"
        command = found
        verbs.append(word)
    return tuple(verbs), command
