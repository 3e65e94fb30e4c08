"""A stand-in for the program, only as good as the driver's own tests need: `python stand_in.py VERB …`.

Each file of HEAD is one chunk. `STAND_IN_FLAW` makes it misbehave, so that the tests can see the driver notice.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HOME = Path(os.environ.get("REPOPILOT_HOME", "."))
FLAW = os.environ.get("STAND_IN_FLAW", "")
STORE = HOME / "index.json"


def git(repository: str, *arguments: str) -> bytes:
    command = ["git", "-C", repository, "-c", f"safe.directory={repository}", *arguments]
    return subprocess.run(command, check=True, capture_output=True).stdout


def chunk(repository: str, commit: str, path: str) -> dict[str, Any]:
    text = git(repository, "show", f"HEAD:{path}").decode("utf-8", "replace").removesuffix("\n")
    lines = text.count("\n") + 1
    name = text.partition("def ")[2].partition("(")[0]
    url = f"https://github.com/acme/demo/blob/{commit}/{path}#L1-L{lines}"
    return {"id": path, "path": path, "start_line": 1, "end_line": lines, "symbol": name, "text": text, "url": url}


def index(repository: str) -> int:
    if FLAW == "slow":
        time.sleep(1)
    if FLAW == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    try:
        commit = git(repository, "rev-parse", "--verify", "-q", "HEAD").decode().strip()
    except subprocess.CalledProcessError:
        print("The repository has no commit yet; commit something first.", file=sys.stderr)
        return 1
    paths = git(repository, "ls-tree", "-r", "-z", "--name-only", "HEAD").decode().split("\0")[:-1]
    chunks = [chunk(repository, commit, path) for path in paths]
    skipped = [{"path": c["path"], "reason": "empty file"} for c in chunks if not c["text"]]
    chunks = [c for c in chunks if c["text"]]
    STORE.write_text(json.dumps({"commit": commit, "chunks": chunks}))
    report = {"commit": commit, "files": len(paths), "chunks": len(chunks), "embedded": len(chunks), "skipped": skipped}
    print(json.dumps(report))
    return 0


def stored() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(STORE.read_text())
    return document


def passages(query: str) -> list[dict[str, Any]]:
    words = query.lower().replace("?", "").split()
    held = [(sum(word in c["text"].lower() for word in words), c) for c in stored()["chunks"]]
    return [c for score, c in sorted(held, key=lambda pair: -pair[0]) if score]


def ask_model(prompt: str) -> str:
    body = json.dumps({"model": "fake", "messages": [{"role": "user", "content": prompt}]}).encode()
    request = urllib.request.Request(f"{os.environ['REPOPILOT_LLM_URL']}/chat/completions", body)
    with urllib.request.urlopen(request, timeout=30) as response:
        return str(json.load(response)["choices"][0]["message"]["content"])


def answer(question: str) -> dict[str, Any]:
    found, commit, warnings = passages(question)[:1], stored()["commit"], list[str]()
    text = found[0]["text"] + " [1]"
    if "REPOPILOT_LLM_URL" in os.environ:
        try:
            text = ask_model(question + "\n" + found[0]["text"])
        except (OSError, ValueError, TypeError):
            warnings = ["No model answered; these are the passages' own words."]
    citations = [{"number": 1, "path": found[0]["path"], "url": found[0]["url"]}]
    identity = {"id": "a1", "declined": False, "reason": None, "model": "fake", "index": {"commit": commit}}
    return identity | {"answer": text, "citations": citations, "warnings": warnings}


class Handler(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        print(format % args, file=sys.stderr)

    def do_GET(self) -> None:
        missing = self.path == "/readyz" and not STORE.exists()
        self.send(503 if missing else 200 if self.path in ("/healthz", "/readyz") else 405, {})

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Authorization") != f"Bearer {os.environ.get('REPOPILOT_API_TOKEN')}":
            return self.fail(401, "a bearer token is needed", {"WWW-Authenticate": "Bearer"})
        if FLAW == "traceback":
            return self.fail(500, "Traceback (most recent call last)")
        if not STORE.exists():
            return self.fail(503, "there is no index yet", {"Retry-After": "30"})
        try:
            body = json.loads(data)
            said = answer(body["question"])
            return self.stream(said) if body.get("stream") else self.send(200, said)
        except (ValueError, TypeError, AttributeError, KeyError):
            return self.fail(422, "the body is not a question")

    def stream(self, document: dict[str, Any]) -> None:
        events = [("passages", []), ("token", {"text": document["answer"]}), ("answer", document)]
        text = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
        self.send(200, text, {"Content-Type": "text/event-stream", "Cache-Control": "no-store"})

    def fail(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        self.send(status, {"error": {"code": str(status), "message": message}}, headers or {})

    def send(self, status: int, document: Any, headers: dict[str, str] | None = None) -> None:
        data = (document if isinstance(document, str) else json.dumps(document)).encode()
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def main(verb: str, *arguments: str) -> int:
    if verb == "index":
        return index(arguments[0])
    if verb == "chunks":
        print(json.dumps(stored()["chunks"]))
    if verb == "search":
        print(json.dumps({"passages": passages(arguments[-1]), "index": {"commit": stored()["commit"]}}))
    if verb == "serve":
        host, port = arguments[1], int(arguments[3])
        if host == "0.0.0.0" and "REPOPILOT_API_TOKEN" not in os.environ:
            print("Set REPOPILOT_API_TOKEN: an open address needs a token.", file=sys.stderr)
            return 2
        ThreadingHTTPServer.request_queue_size = 512
        ThreadingHTTPServer((host, port), Handler).serve_forever()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
