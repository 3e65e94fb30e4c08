"""What a verb does not need, it does not import: a person waits for every one of them."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fakes.checkout import Checkout, Program

ROOT = Path(__file__).parents[1]
HEAVY = {"torch", "transformers", "sentence_transformers", "langchain", "langchain_core", "langchain_openai", "openai"}
HEAVY |= {"fastapi", "starlette", "uvicorn", "discord", "sqlalchemy", "prometheus_client"}
EXTRAS = {"chromadb", "pydantic", "pydantic_settings", "numpy", "tantivy", "tree_sitter", "rich", "httpx"}

SPY = """
import atexit, json, os, sys
atexit.register(lambda: os.write(int(os.environ["SPY"]), json.dumps(sorted(sys.modules)).encode()))
from bot.cli import main
main(sys.argv[1:])
"""


def imported(program: Program, *arguments: str) -> set[str]:
    """The top-level modules that were imported when the verb ended."""
    with (program.home.parent / "modules").open("w+") as report:
        done = subprocess.run(
            [sys.executable, "-c", SPY, *arguments],
            env=program.environment({"SPY": str(report.fileno())}),
            cwd=program.home.parent,
            pass_fds=[report.fileno()],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        report.seek(0)
        return {name.partition(".")[0] for name in json.load(report)}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    checkout = Checkout.new(tmp_path_factory.mktemp("imports") / "demo")
    program = Program(checkout.folder.parent / "home")
    assert program.run("index", str(checkout.folder)).returncode == 0
    return program


def test_help_needs_next_to_nothing(program: Program) -> None:
    assert not imported(program, "--help") & (HEAVY | EXTRAS)


@pytest.mark.parametrize("verb", ["search", "ask"])
def test_a_question_needs_no_machine_learning_and_no_web_framework(program: Program, verb: str) -> None:
    assert not imported(program, verb, "What does allocate return?") & HEAVY


def test_status_opens_no_vectors(program: Program) -> None:
    assert not imported(program, "status") & (HEAVY | {"chromadb", "tree_sitter"})


def test_nothing_imports_vllm() -> None:
    for package in ("bot", "indexer", "prompts"):
        for file in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                assert not any(name.partition(".")[0] == "vllm" for name in names), os.fspath(file)
