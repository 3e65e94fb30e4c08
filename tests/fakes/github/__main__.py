"""`python -m fakes.github --port 9000 --key app.pem`: the fake for people who try the program by hand."""

from __future__ import annotations

import argparse
import threading
from pathlib import Path

from fakes.github.server import GitHubServer


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m fakes.github", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--key", type=Path, help="where to write the App's private key")
    parser.add_argument("--hook", default="", help="where the App's webhooks go")
    options = parser.parse_args()
    with GitHubServer(options.port) as github:
        github.world.app.hook_url = options.hook
        if options.key:
            options.key.write_text(github.private_key)
        print(f"{github.url} (App {github.world.app.id}, secret {github.world.app.hook_secret})", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
