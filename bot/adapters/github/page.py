"""The page on which an operator registers the App: a form that posts the manifest to GitHub, and what is next. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from html import escape
from string import Template
from typing import Any, Final

from bot.adapters.github.manifest import EVENTS, PERMISSIONS

_PAGE: Final = Template("""\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Register $name on GitHub</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1f2328 }
table { border-collapse: collapse; width: 100% }
td, th { border-bottom: 1px solid #d1d9e0; padding: .3rem; text-align: left }
button { font: inherit; padding: .5rem 1rem } code { background: #eff2f5; padding: .1rem .3rem }
</style>
<h1>Register $name on GitHub</h1>
<ol>
<li><form action="$action" method="post"><input type="hidden" name="manifest" value="$manifest">
<button>Register the App</button></form>
GitHub asks for the App's name, which must be free on GitHub. People will mention it by that name, in small letters and
with hyphens for blanks.</li>
$steps
</ol>
<p>Deliveries will go to <code>$hook</code>, which GitHub must be able to reach.</p>
<h2>What it may do</h2>
<table><tr><th>permission</th><th></th><th>to</th></tr>$permissions</table>
<h2>What it is told of</h2>
<table><tr><th>event</th><th>when</th></tr>$events</table>
</html>
""")
_RECEIVED: Final = Template("""\
<!doctype html>
<html lang="en"><meta charset="utf-8"><title>RepoPilot</title>
<body style="font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto"><p>$message</p></body></html>
""")
INSTALL: Final = "Install the App on the repositories that it is to answer for."
COPY: Final = (
    "GitHub leads you to {redirect}?code=…; whatever is shown there, copy the code from the address bar and run, within"
    " the hour, <code>repopilot github setup --code CODE</code>."
)
GO_BACK: Final = "GitHub leads you back to this program, which fetches the App's key and says what comes next."


def registration_page(manifest: Mapping[str, Any], action: str, waits: bool) -> str:
    """The page; `waits` when this program receives the code itself."""
    copy = COPY.format(redirect=escape(manifest["redirect_url"]))
    return _PAGE.substitute(
        name=escape(manifest["name"]),
        action=escape(action),
        manifest=escape(json.dumps(manifest)),
        hook=escape(manifest["hook_attributes"]["url"]),
        steps="\n".join(f"<li>{step}</li>" for step in (GO_BACK if waits else copy, INSTALL)),
        permissions=_rows((name, one.level, one.reason) for name, one in PERMISSIONS.items()),
        events=_rows(EVENTS.items()),
    )


def received_page(message: str) -> str:
    """What the browser shows when it has come back."""
    return _RECEIVED.substitute(message=escape(message))


def _rows(rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
