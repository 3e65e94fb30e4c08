"""The page's files, with addresses that change when they do, and the headers that keep everything else out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Final

from fastapi.responses import HTMLResponse, Response

from bot.adapters.http.wire import LONGEST_QUESTION

PAGE: Final = "index.html"
WIDGET: Final = "widget.js"
_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_AN_HOUR: Final = "public, max-age=3600"

# Nothing but our own files is loaded, nothing is submitted, and no text can become a script:
# https://www.w3.org/TR/CSP3/, https://www.w3.org/TR/trusted-types/
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none';"
    " form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors {ancestors}"
)
_NEVER_NEEDED: Final = (
    "accelerometer camera display-capture geolocation gyroscope magnetometer microphone midi payment usb"
).split()
_HEADERS: Final = {
    "Cache-Control": "no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in _NEVER_NEEDED),
    # An address can hold a question (`/?q=…`).
    "Referrer-Policy": "no-referrer",
}


@dataclass(frozen=True, slots=True)
class File:
    body: bytes
    type: str


class Site:
    """The files that are shipped beside this module, and what is made of them; `origins` may show the page in a
    frame."""

    def __init__(self, origins: Iterable[str] = ()) -> None:
        self._origins = tuple(origins)

    def page(self) -> HTMLResponse:
        """The page by itself, which no other site may frame."""
        return self._page("page", "'none'")

    def frame(self) -> HTMLResponse:
        """The page as the widget shows it."""
        return self._page("frame", " ".join(self._origins))

    def asset(self, version: str, name: str) -> Response | None:
        """A file, to be kept for ever under its version; under another one (of a server that is not replaced yet) it is
        not kept at all."""
        file = self._assets.get(name)
        if file is None:
            return None
        kept = _FOR_EVER if version == self._version else "no-store"
        return Response(file.body, media_type=file.type, headers={"Cache-Control": kept})

    def widget(self) -> Response:
        """The script that other sites load."""
        headers = {"Cache-Control": _AN_HOUR, "Cross-Origin-Resource-Policy": "cross-origin"}
        return Response(self._files[WIDGET], media_type=_TYPES["js"], headers=headers)

    def _page(self, mode: str, ancestors: str) -> HTMLResponse:
        page = Template(self._files[PAGE].decode()).substitute(
            mode=mode,
            assets=f"assets/{self._version}",
            origins=escape(" ".join(self._origins)) if mode == "frame" else "",
            longest=LONGEST_QUESTION,
        )
        return HTMLResponse(page, headers={**_HEADERS, "Content-Security-Policy": _POLICY.format(ancestors=ancestors)})

    @cached_property
    def _files(self) -> Mapping[str, bytes]:
        folder = files(__package__) / "static"
        return {file.name: file.read_bytes() for file in sorted(folder.iterdir(), key=lambda file: file.name)}

    @cached_property
    def _assets(self) -> Mapping[str, File]:
        """What the page loads, by name."""
        named = ((name, name.rpartition(".")[2]) for name in self._files if name not in (PAGE, WIDGET))
        return {name: File(self._files[name], _TYPES[ending]) for name, ending in named}

    @cached_property
    def _version(self) -> str:
        """One for all files, so that scripts can name each other without knowing it."""
        digest = sha256()
        for name, file in self._assets.items():
            digest.update(f"{name}\0{len(file.body)}\0".encode() + file.body)
        return digest.hexdigest()[:16]
