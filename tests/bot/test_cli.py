"""The installed program, as people and programs run it: every verb, every way in which it says no."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from filelock import FileLock

from fakes.checkout import BLOCKS, Checkout, Program
from fakes.openai_server import OpenAIServer

VERBS = ("index", "watch", "remove", "status", "search", "ask", "serve", "chunks", "eval")
URL = "https://github.com/acme/demo/blob/{commit}/{path}#L{start}-L{end}"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return Checkout.new(tmp_path_factory.mktemp("cli") / "demo")


@pytest.fixture(scope="module")
def program(checkout: Checkout) -> Program:
    """The program with the checkout indexed; tests only read from it."""
    return Program.with_index(checkout.folder.parent / "home", checkout)


@pytest.fixture
def fresh(tmp_path: Path) -> Program:
    return Program(tmp_path / "home")


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    """The one line with which a verb failed."""
    assert (done.returncode, done.stdout) == (1, ""), done
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_help_names_every_verb(fresh: Program) -> None:
    done = fresh.run("--help")
    assert done.returncode == 0 and done.stderr == ""
    assert all(f"\n  {verb} " in done.stdout for verb in VERBS)
    assert not fresh.home.exists()


@pytest.mark.parametrize(
    "arguments", [["sing"], ["index"], ["search", "x", "--limit", "0"], ["ask"], ["eval", "/none"]]
)
def test_wrong_usage_is_exit_code_2(fresh: Program, arguments: list[str]) -> None:
    done = fresh.run(*arguments)
    assert done.returncode == 2 and done.stdout == "" and "Usage:" in done.stderr


@pytest.mark.parametrize("verb", ["ask", "search"])
def test_a_blank_question_is_wrong_usage(program: Program, verb: str) -> None:
    done = program.run(verb, "  ")
    assert done.returncode == 2 and "blank" in done.stderr


def test_index_reports_as_the_contract_says(checkout: Checkout, fresh: Program) -> None:
    commit = checkout.git("rev-parse", "HEAD")
    report = fresh.json("index", str(checkout.folder))
    assert {
        "repository": "acme/demo",
        "ref": "main",
        "commit": commit,
        "files": 2,
        "added": 2,
    }.items() <= report.items()
    assert [skip["path"] for skip in report["skipped"]] == ["logo.bin"] and report["seconds"] > 0
    again = fresh.json("index", str(checkout.folder))
    assert (again["added"], again["unchanged"], again["updated"], again["removed"]) == (0, 2, 0, 0)
    assert "2 files (0 added, 0 updated, 0 removed, 2 unchanged)" in fresh.run("index", str(checkout.folder)).stdout


def test_status_says_what_is_indexed(program: Program, checkout: Checkout) -> None:
    [index] = program.json("status")["indexes"]
    assert index["repository"] == "acme/demo" and index["commit"] == checkout.git("rev-parse", "HEAD")
    assert index["files"] == 2 and index["chunks"] >= 3 and index["embedder"]
    shown = program.run("status").stdout
    assert "acme/demo at main" in shown and index["commit"] in shown and "logo.bin" in shown


def test_search_finds_passages_with_permalinks(program: Program, checkout: Checkout) -> None:
    result = program.json("search", "how many blocks hold the tokens", "--limit", "2")
    commit = checkout.git("rev-parse", "HEAD")
    assert result["index"]["commit"] == commit and 1 <= len(result["passages"]) <= 2
    first = result["passages"][0]
    assert first["path"] == "src/blocks.py"
    assert first["url"] == URL.format(
        commit=commit, path="src/blocks.py", start=first["start_line"], end=first["end_line"]
    )
    assert first["text"] == "\n".join(BLOCKS.split("\n")[first["start_line"] - 1 : first["end_line"]])


def test_links_are_percent_encoded(program: Program, checkout: Checkout) -> None:
    urls = {p["path"]: p["url"] for p in program.json("search", "parrot on the sign")["passages"]}
    assert "/docs/Gr%C3%B6%C3%9Fe%20guide.md#L" in urls["docs/Größe guide.md"]


def test_ask_answers_with_citations(program: Program, checkout: Checkout) -> None:
    answer = program.json("ask", "What does allocate return?")
    assert not answer["declined"] and answer["model"] == "extractive" and "[1]" in answer["answer"]
    assert answer["citations"][0]["number"] == 1
    assert f"/blob/{checkout.git('rev-parse', 'HEAD')}/" in answer["citations"][0]["url"]
    done = program.run("ask", "What does allocate return?")
    assert (done.returncode, done.stderr) == (0, "")
    assert answer["answer"] in done.stdout and answer["citations"][0]["url"] in done.stdout


def test_ask_goes_to_the_model_and_survives_its_failure(program: Program) -> None:
    with OpenAIServer({"answer": "It returns blocks [1], not tokens [77]."}) as llm:
        settings = {"REPOPILOT_LLM_URL": llm.url, "REPOPILOT_LLM_MODEL": llm.model}
        answer = program.json("ask", "What does allocate return?", **settings)
        assert answer["answer"] == "It returns blocks [1], not tokens."
        assert (answer["model"], len(answer["citations"]), answer["warnings"]) == ("fake", 1, [])
        llm.play({"answer": "It returns how many blocks hold the tokens [1]. And it", "finish_reason": "length"})
        answer = program.json("ask", "What does allocate return?", **settings)
        assert (answer["answer"], answer["model"]) == ("It returns how many blocks hold the tokens [1].", "fake")
        assert "cut off" in answer["warnings"][0]
        llm.play("disconnect")
        answer = program.json("ask", "What does allocate return?", **settings)
    assert answer["model"] == "extractive" and "own words" in answer["warnings"][0] and answer["citations"]


def test_chunks_lists_every_stored_chunk(program: Program) -> None:
    chunks = program.json("chunks")
    assert {chunk["path"] for chunk in chunks} == {"src/blocks.py", "docs/Größe guide.md"}
    assert "allocate" in {d["name"] for chunk in chunks for d in chunk["definitions"]}
    only = program.json("chunks", "src/blocks.py")
    assert only == [chunk for chunk in chunks if chunk["path"] == "src/blocks.py"]
    assert program.run("chunks").stdout.count("\n") == len(chunks)


def test_eval_scores_question_files(program: Program, tmp_path: Path) -> None:
    gold = [{"path": "src/blocks.py", "start_line": 6, "end_line": 8, "primary": True}]
    question = {"id": "q1", "kind": "fact", "question": "What does allocate return?", "answerable": True, "gold": gold}
    beside = question | {"id": "q2", "question": "Who won the cup?", "answerable": False, "gold": [], "kind": "out"}
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(case) + "\n" for case in (question, beside)))
    figures = program.json("eval", str(file))
    assert figures["ALL"]["n"] == 1 and figures["ALL"]["span_hit@10"] == figures["fact"]["ndcg@10"] == 1
    figures = program.json("eval", str(file), "--ask")
    assert figures["ALL"]["n"] == 2 and figures["ALL"]["broken_citations"] == 0
    assert "span_hit@10" in program.run("eval", str(file)).stdout


def test_a_broken_question_file_is_named_with_its_line(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "broken.jsonl"
    file.write_text('\n{"id": 1}\n')
    assert f"{file}:2" in complaint(program.run("eval", str(file)))


@pytest.mark.parametrize("verb", [["search", "x"], ["ask", "x"], ["chunks"]])
def test_a_missing_index_says_what_to_do(fresh: Program, verb: list[str]) -> None:
    assert "repopilot index" in complaint(fresh.run(*verb))


def test_an_unknown_version_names_those_that_are_there(program: Program) -> None:
    assert "acme/demo at main" in complaint(program.run("ask", "x", "--ref", "v9"))


def test_a_wrong_source_is_said(fresh: Program, tmp_path: Path) -> None:
    assert str(tmp_path / "nowhere") in complaint(fresh.run("index", str(tmp_path / "nowhere")))


def test_an_unknown_ref_is_said(fresh: Program, checkout: Checkout) -> None:
    assert "v9.9" in complaint(fresh.run("index", str(checkout.folder), "--ref", "v9.9"))


@pytest.mark.parametrize("verb", [["index", "."], ["status"], ["ask", "x"]])
def test_a_home_that_cannot_be_used_is_said(tmp_path: Path, verb: list[str]) -> None:
    (tmp_path / "file").write_text("")
    message = complaint(Program(tmp_path / "home").run(*verb, REPOPILOT_HOME=str(tmp_path / "file" / "home")))
    assert "REPOPILOT_HOME" in message and "file/home" in message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_home_without_permission_is_said(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    assert "REPOPILOT_HOME" in complaint(Program(tmp_path / "closed" / "home").run("status"))


def test_wrong_settings_are_named_together(fresh: Program) -> None:
    settings = {"REPOPILOT_LLM_TIMEOUT_S": "soon", "REPOPILOT_LLM_QUEUE": "-1", "REPOPILOT_LLM_MODEL": "m"}
    message = complaint(fresh.run("status", **settings))
    assert all(name in message for name in settings)


def test_two_cannot_index_at_once(checkout: Checkout, fresh: Program) -> None:
    fresh.home.mkdir()
    with FileLock(fresh.home / "index.lock"):
        assert "another process" in complaint(fresh.run("index", str(checkout.folder)))


def test_another_embedder_is_refused(program: Program) -> None:
    with OpenAIServer() as server:
        settings = {"REPOPILOT_EMBEDDER_URL": server.url, "REPOPILOT_EMBEDDER": "other"}
        assert "REPOPILOT_EMBEDDER" in complaint(program.run("search", "x", **settings))


@pytest.mark.parametrize("verb", [["chunks"], ["search", "tokens"], ["status"]])
def test_a_reader_that_leaves_is_no_error(program: Program, verb: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [program.executable, *verb],
        env=program.environment({}),
        cwd=program.home.parent,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert done.stderr == ""


@pytest.mark.parametrize("query", ["[bold]x[/nope]", "\x1b[31mred", "'\"(* AND -", "ünï 💥", "--- OR"])
def test_any_query_is_taken_literally(program: Program, query: str) -> None:
    done = program.run("search", "--", query)
    assert (done.returncode, done.stderr) == (0, "") and "\x1b" not in done.stdout


def test_bytes_that_are_no_text_are_taken(program: Program) -> None:
    done = subprocess.run(
        [os.fsencode(program.executable), b"search", b"to\xffkens", b"--json"],
        env=program.environment({}),
        cwd=program.home.parent,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"") and json.loads(done.stdout)
