"""The page's files, their headers, and what they ask the service for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import httpx_sse
import pytest

from bot import types as domain
from bot.adapters.http import PageOptions
from bot.adapters.http.page.quoted import Quoted
from bot.answering import Answerer
from bot.highlighting import coloured
from bot.lines import LineReader
from bot.model import Busy
from fakes.answerer import ScriptedAnswerer
from fakes.answers import answer
from fakes.library import FILES, GUIDE, REPOSITORY, Library

DOCS = "https://docs.example.org"
INDEX = domain.Index("acme/demo", "main", "c0ffee", "2026-11-29T12:00:00+00:00")
FOUND = domain.PassagesFound((), INDEX)
STATIC = Path(__file__).parents[3] / "bot/adapters/http/page/static"


def page(library: Library, answerer: Any = None, origins: tuple[str, ...] = ()) -> PageOptions:
    answering = answerer or Answerer(library.retriever)
    return PageOptions(answering, LineReader(library.stores, library.retriever), origins)


@pytest.fixture(scope="module")
def client(serve_long: Any, library: Library) -> httpx.Client:
    found: httpx.Client = serve_long(page=page(library, origins=(DOCS,)))
    return found


def asked(client: httpx.Client, question: str = "how many blocks hold the tokens") -> Iterator[tuple[str, Any]]:
    with httpx_sse.connect_sse(client, "POST", "/page/ask", json={"question": question}) as source:
        for event in source.iter_sse():
            yield event.event, json.loads(event.data)


def policy(response: httpx.Response) -> dict[str, str]:
    parts = (part.strip().partition(" ") for part in response.headers["Content-Security-Policy"].split(";"))
    return {name: value for name, _, value in parts}


def test_nothing_but_its_own_files_is_loaded(client: httpx.Client) -> None:
    response = client.get("/")
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    allowed = policy(response)
    assert allowed["default-src"] == allowed["base-uri"] == allowed["form-action"] == "'none'"
    assert {allowed[name] for name in ("script-src", "style-src", "connect-src", "img-src")} == {"'self'"}
    assert allowed["frame-ancestors"] == "'none'"
    assert allowed["require-trusted-types-for"] == "'script'"
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert response.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "camera=()" in response.headers["Permissions-Policy"]
    assert "style=" not in response.text and not re.search(r"<script(?![^>]*src=)", response.text)


def test_every_file_that_it_names_is_there_and_kept_for_ever(client: httpx.Client) -> None:
    named = set(re.findall(r'(?:src|href)="(assets/[^"]+)"', client.get("/").text))
    scripts = {match for file in STATIC.glob("*.js") for match in re.findall(r'from "\./([^"]+)"', file.read_text())}
    folder = next(iter(named)).rpartition("/")[0]
    for address in named | {f"{folder}/{script}" for script in scripts}:
        response = client.get(address)
        assert response.status_code == 200, address
        assert "immutable" in response.headers["Cache-Control"]
        assert response.headers["Content-Type"].split(";")[0] in ("text/css", "text/javascript", "image/svg+xml")


def test_a_file_under_the_version_of_another_server_is_not_kept(client: httpx.Client) -> None:
    assert client.get("/assets/0123456789abcdef/page.css").headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "path", ["/assets/x/index.html", "/assets/x/../site.py", "/assets/x/%2e%2e%2fsite.py", "/assets/x"]
)
def test_no_other_file_is_given(client: httpx.Client, path: str) -> None:
    assert client.get(path).status_code == 404


def test_only_origins_that_are_allowed_may_frame_it(client: httpx.Client) -> None:
    response = client.get("/embed?repository=acme/demo")
    assert policy(response)["frame-ancestors"] == DOCS
    assert f'content="{DOCS}"' in response.text
    assert DOCS not in client.get("/").text


def test_the_widget_is_a_script_for_other_sites(client: httpx.Client) -> None:
    response = client.get("/widget.js")
    assert response.headers["Content-Type"].startswith("text/javascript")
    assert response.headers["Cross-Origin-Resource-Policy"] == "cross-origin"


def test_without_origins_there_is_no_widget(serve: Any, library: Library) -> None:
    client = serve(page=page(library))
    assert client.get("/").status_code == 200
    assert {client.get(path).status_code for path in ("/embed", "/widget.js")} == {404}


def test_a_page_that_is_off_is_nowhere(serve: Any) -> None:
    client = serve()
    paths = ("/", "/embed", "/widget.js", "/assets/x/page.css", "/page/indexed", "/page/lines")
    assert {client.get(path).status_code for path in paths} == {404}


def test_the_page_is_shown_to_everybody_and_answers_those_with_a_key(serve: Any, library: Library) -> None:
    client = serve(page=page(library), api_token="sesame")
    asset = re.findall(r"assets/[^\"]+css", client.get("/").text)[0]
    assert client.get(asset).status_code == 200
    assert client.get("/page/indexed").status_code == 401
    assert client.post("/page/ask", json={"question": "x"}).status_code == 401
    assert client.get("/page/indexed", headers={"Authorization": "Bearer sesame"}).status_code == 200


def test_what_can_be_asked_about(client: httpx.Client) -> None:
    response = client.get("/page/indexed")
    assert response.headers["Cache-Control"] == "no-store"
    (index,) = response.json()["indexes"]
    assert response.json()["default"] == {"repository": REPOSITORY, "ref": index["ref"]}
    assert (index["repository"], index["files"], index["stale"]) == (REPOSITORY, 2, False)


def test_without_an_index_it_says_so(serve: Any, tmp_path: Path) -> None:
    empty = Library.empty(tmp_path)
    client = serve(over=empty, page=page(empty))
    for response in (client.get("/page/indexed"), client.post("/page/ask", json={"question": "x"})):
        assert (response.status_code, response.json()["error"]["code"]) == (503, "index_missing")
    empty.close()


def test_an_answer_comes_as_blocks_and_then_whole(client: httpx.Client) -> None:
    found, *blocks, (name, whole) = asked(client)
    assert found[0] == "passages" and found[1]["passages"] >= 1 and found[1]["index"]["repository"] == REPOSITORY
    shown: list[Any] = []
    for kind, block in blocks:
        assert kind == "block"
        shown = [*shown[: block["from"]], *block["nodes"]]
    assert name == "answer" and whole["nodes"] == shown
    assert whole["answer"]["citations"][0]["path"] == "cache/blocks.py"
    assert any(
        child["kind"] == "citation" for node in shown for child in node.get("children", []) if child != str(child)
    )


def test_a_question_is_passed_on_with_what_was_said_before(serve: Any, library: Library) -> None:
    answerer = ScriptedAnswerer(FOUND, answer("It is 16 [1].", 1))
    client = serve(page=page(library, answerer))
    history = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]
    body = {"question": "And?", "history": history, "repository": REPOSITORY, "ref": None}
    response = client.post("/page/ask", json=body)
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Content-Type"].startswith("text/event-stream")
    turns = (domain.Turn("user", "Hello"), domain.Turn("assistant", "Hi"))
    assert answerer.asked == [domain.Question("And?", turns, REPOSITORY, None)]


def test_warnings_are_blocks_too(serve: Any, library: Library) -> None:
    scripted = ScriptedAnswerer(FOUND, answer("Words.", warnings=("The `model` is <b>down</b>.",)))
    *_, (_, whole) = asked(serve(page=page(library, scripted)))
    assert whole["warnings"] == [
        [{"kind": "paragraph", "children": ["The ", {"kind": "mono", "text": "model"}, " is down."]}]
    ]


def test_what_fails_before_and_after_the_first_event(serve: Any, library: Library) -> None:
    refused = serve(page=page(library, ScriptedAnswerer(Busy()))).post("/page/ask", json={"question": "x"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "busy")
    assert int(refused.headers["Retry-After"]) > 0
    *_, (name, data) = asked(serve(page=page(library, ScriptedAnswerer(FOUND, RuntimeError("/home/x")))))
    assert (name, data["error"]["code"]) == ("error", "internal")


def test_a_client_that_leaves_stops_the_answer(serve: Any, library: Library) -> None:
    answerer = ScriptedAnswerer(FOUND, 60.0, answer("late"))
    with serve(page=page(library, answerer)).stream("POST", "/page/ask", json={"question": "x"}) as response:
        pieces = response.iter_bytes()
        next(pieces)
    assert answerer.closed.wait(5)


def test_code_that_is_quoted_has_the_colours_of_its_file() -> None:
    text = 'def f():\n    """Holds\n\n    for all.\n    """\n    return 1\n'
    passage = domain.Passage("a.py", 2, 6, "f", "code", "python", 1.0, text.partition("\n")[2].removesuffix("\n"), "")
    quoted = Quoted([passage], {"a.py": text}.get)
    assert quoted.coloured("Holds", "python") == coloured("Holds", "python")  # no whole line
    assert quoted.coloured("\nfor all.", "python") == [(), (("comment", "for all."),)]
    assert quoted.coloured('"""\nreturn 1', "python")[1] == (("keyword", "return"), ("", " "), ("number", "1"))
    assert Quoted([passage], {}.get).coloured("for all.", "python")[0][0] == ("keyword", "for")


def lines(client: httpx.Client, **changed: Any) -> httpx.Response:
    commit = client.get("/page/indexed").json()["indexes"][0]["commit"]
    where = {"repository": REPOSITORY, "ref": commit, "path": "cache/blocks.py", "start": 4, "end": 6} | changed
    return client.get("/page/lines", params=where)


def test_lines_are_those_of_the_file_with_colours(client: httpx.Client) -> None:
    response = lines(client)
    found = response.json()
    assert response.headers["Cache-Control"] == "no-store"
    assert (found["start"], found["end"], found["total"]) == (4, 6, 6)
    expected = FILES["cache/blocks.py"].split("\n")[3:6]
    assert ["".join(text for _, text in line) for line in found["lines"]] == expected
    assert found["lines"][0][0] == ["keyword", "def"]


def test_lines_of_any_name(client: httpx.Client) -> None:
    found = lines(client, path=GUIDE, start=1, end=99).json()
    assert (found["start"], found["end"], len(found["lines"])) == (1, 3, 3)
    assert "<script>" in json.dumps(found["lines"])


@pytest.mark.parametrize(
    "changed, status, code",
    [
        ({"path": "cache/none.py"}, 404, "not_found"),
        ({"path": "../../etc/passwd"}, 404, "not_found"),
        ({"start": 900, "end": 901}, 404, "not_found"),
        ({"start": 6, "end": 4}, 404, "not_found"),
        ({"ref": "v9"}, 404, "unknown_version"),
        ({"start": 0}, 422, "invalid"),
        ({"start": "x"}, 422, "invalid"),
        ({"end": 10**30}, 422, "invalid"),
        ({"path": "x" * 2_000}, 422, "invalid"),
    ],
)
def test_lines_that_are_not_there(client: httpx.Client, changed: dict[str, Any], status: int, code: str) -> None:
    response = lines(client, **changed)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)


def test_its_addresses_are_no_part_of_the_contract(client: httpx.Client) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    assert (
        not [path for path in paths if path.startswith(("/page", "/assets", "/embed", "/widget"))] and "/" not in paths
    )
