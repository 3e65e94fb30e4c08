from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from indexer.errors import SourceError
from indexer.sources import archive as archives
from indexer.sources import open_source
from indexer.sources.blob import blob_id
from indexer.sources.pypi import PackageIndex, package_index, parse_pip_settings
from indexer.types import Entry, Skipped, Source

PKG_INFO = b"""Metadata-Version: 2.4
Name: Demo_Engine
Version: 1.2.0
Project-URL: Documentation, https://docs.example.org/a/b
Project-URL: Homepage, https://github.com/demo/engine

Long description
"""
FILES = {"PKG-INFO": PKG_INFO, "z/late.py": b"z = 1\n", "a.py": b"a = 1\n", "z/empty.py": b""}


def member(name: str, data: bytes = b"", **changes: object) -> tuple[tarfile.TarInfo, io.BytesIO]:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for attribute, value in changes.items():
        setattr(info, attribute, value)
    return info, io.BytesIO(data)


def write_tar(path: Path, *members: tuple[tarfile.TarInfo, io.BytesIO]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as tar:
        for info, data in members:
            tar.addfile(info, data)
    return path


def demo_members(version: str = "1.2.0") -> list[tuple[tarfile.TarInfo, io.BytesIO]]:
    return [member(f"demo_engine-{version}/{name}", data) for name, data in FILES.items()]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def cached(cache: Path) -> Path:
    """Where a download of demo-engine 1.2.0 lies."""
    return cache / "sdists" / "demo-engine-1.2.0" / "demo_engine-1.2.0.tar.gz"


def opened(cache: Path, spec: str = "pypi:demo-engine==1.2.0", ref: str | None = None) -> Source:
    return open_source(spec, ref=ref, repository=None, cache=cache)


def contents(source: Source, *, backwards: bool = False) -> list[tuple[str, bytes]]:
    files = [entry for entry in source.entries() if isinstance(entry, Entry)]
    return [(file.path, file.data) for file in source.read(reversed(files) if backwards else files)]


def test_a_cached_version_needs_no_network(cache: Path, cached: Path) -> None:
    write_tar(cached, *demo_members())
    source = opened(cache)
    origin = source.origin
    assert (origin.repository, origin.ref, origin.commit) == ("demo/engine", "v1.2.0", "v1.2.0")
    assert origin.web == "https://github.com/demo/engine"
    assert origin.fingerprint == hashlib.sha256(cached.read_bytes()).hexdigest()
    assert source.entries() == tuple(Entry(path, blob_id(FILES[path]), len(FILES[path])) for path in sorted(FILES))
    assert opened(cache, ref="release-1.2").origin.commit == "release-1.2"


def test_files_come_in_the_order_asked(cache: Path, cached: Path) -> None:
    write_tar(cached, *demo_members())
    assert contents(opened(cache)) == sorted(FILES.items())
    assert contents(opened(cache), backwards=True) == sorted(FILES.items(), reverse=True)
    with pytest.raises(SourceError, match="holds no gone"):
        list(opened(cache).read([Entry("gone", "1", 1)]))


def test_the_scan_is_kept_for_these_very_bytes(cache: Path, cached: Path) -> None:
    write_tar(cached, *demo_members(), member("demo_engine-1.2.0/link", type=tarfile.SYMTYPE, linkname="/etc"))
    first = opened(cache)
    scan = cached.with_name(cached.name + ".scan.json")
    record = json.loads(scan.read_text())
    record["listing"] = record["listing"][:1]
    scan.write_text(json.dumps(record))
    assert len(opened(cache).entries()) == 1
    scan.write_text("{torn")
    assert opened(cache).entries() == first.entries()
    write_tar(cached, *demo_members()[:2])
    assert len(opened(cache).entries()) == 2


def test_a_hostile_archive_is_disarmed(cache: Path, cached: Path) -> None:
    write_tar(
        cached,
        *demo_members(),
        member("demo_engine-1.2.0/a.py", b"second copy"),
        member("demo_engine-1.2.0/../../evil.py", b"x"),
        member("/etc/evil.py", b"x"),
        member("other/evil.py", b"x"),
        member("stray.py", b"x"),
        member("demo_engine-1.2.0/link.py", type=tarfile.SYMTYPE, linkname="/etc/passwd"),
        member("demo_engine-1.2.0/hard.py", type=tarfile.LNKTYPE, linkname="demo_engine-1.2.0/a.py"),
        member("demo_engine-1.2.0/device", type=tarfile.CHRTYPE),
        member("demo_engine-1.2.0/caf\udce9.py", b"x"),
    )
    source = opened(cache)
    skipped = {entry.path: entry.reason for entry in source.entries() if isinstance(entry, Skipped)}
    words = {
        "a.py": "twice",
        "demo_engine-1.2.0/../../evil.py": "leaves the archive",
        "/etc/evil.py": "leaves the archive",
        "other/evil.py": "top folder",
        "stray.py": "top folder",
        "link.py": "symlink",
        "hard.py": "link",
        "device": "device",
        "demo_engine-1.2.0/caf\\xe9.py": "not UTF-8",
    }
    assert skipped.keys() == words.keys()
    assert all(word in skipped[path] for path, word in words.items())
    assert contents(source) == sorted(FILES.items())
    assert not list(cache.parent.rglob("evil*"))


def test_a_bomb_is_refused(cache: Path, cached: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tar(cached, *demo_members(), member("demo_engine-1.2.0/zeros", bytes(1 << 20)))
    monkeypatch.setattr(archives, "UNPACKED_LIMIT", 1 << 20)
    with pytest.raises(SourceError, match="unpacks to more than"):
        opened(cache)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.99])
def test_a_truncated_archive(cache: Path, cached: Path, share: float) -> None:
    whole = write_tar(cached, *demo_members()).read_bytes()
    cached.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(SourceError, match="truncated or damaged"):
        opened(cache)


def test_a_flipped_bit(cache: Path, cached: Path) -> None:
    unpacked = gzip.decompress(write_tar(cached, *demo_members()).read_bytes())
    data = bytearray(gzip.compress(unpacked))
    data[-6] ^= 1
    cached.write_bytes(data)
    with pytest.raises(SourceError, match="truncated or damaged"):
        opened(cache)


def test_a_zip_is_read_too(cache: Path, cached: Path) -> None:
    cached.parent.mkdir(parents=True)
    with zipfile.ZipFile(cached.with_name("demo_engine-1.2.0.zip"), "w") as zipped:
        for name, data in FILES.items():
            zipped.writestr(f"demo_engine-1.2.0/{name}", data)
        link = zipfile.ZipInfo("demo_engine-1.2.0/link")
        link.external_attr = 0o120777 << 16
        zipped.writestr(link, "/etc/passwd")
    source = opened(cache)
    assert contents(source, backwards=True) == sorted(FILES.items(), reverse=True)
    assert [entry.path for entry in source.entries() if isinstance(entry, Skipped)] == ["link"]


@pytest.mark.parametrize(
    "spec", ["pypi:vllm", "pypi:", "pypi:vllm>=0.1", "pypi:vllm==0.*", "pypi:../x==1", "pypi:a==../b"]
)
def test_a_version_must_be_pinned(cache: Path, spec: str) -> None:
    with pytest.raises(SourceError, match="pin one"):
        opened(cache, spec)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass

    def send_head(self) -> io.BytesIO | io.BufferedReader | None:
        if self.path.startswith("/simple/broken/"):
            self.send_error(503)
            return None
        return super().send_head()  # type: ignore[return-value]


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package index on loopback (PEP 503) that pip's settings name, with demo-engine 1.2.0 and 1.1.0."""
    root = tmp_path / "index"
    links = []
    for version in ("1.1.0", "1.2.0"):
        path = write_tar(root / "files" / f"demo_engine-{version}.tar.gz", *demo_members(version))
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        links.append(f'<a href="/files/{path.name}#sha256={digest}" data-requires-python="&lt;3">{path.name}</a>')
    page = root / "simple" / "demo-engine" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text("<!DOCTYPE html><html><body>" + "".join(links) + "</body></html>")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple")
    yield root
    server.shutdown()
    server.server_close()


def test_a_version_is_downloaded_once(cache: Path, cached: Path, index: Path) -> None:
    source = opened(cache, "pypi:Demo.Engine==1.2.0")
    assert contents(source) == sorted(FILES.items())
    assert sorted(path.name for path in cached.parent.iterdir()) == [cached.name, cached.name + ".scan.json"]
    (index / "files" / cached.name).unlink()
    assert opened(cache).origin == source.origin


def test_no_such_version_names_the_nearest(cache: Path, index: Path) -> None:
    with pytest.raises(SourceError, match=r"no source archive of demo-engine 1\.2\.9.*1\.2\.0"):
        opened(cache, "pypi:demo-engine==1.2.9")
    with pytest.raises(SourceError, match="check the name"):
        opened(cache, "pypi:nobody==1.0")


def test_a_download_that_is_not_what_the_index_promised_leaves_nothing(cache: Path, cached: Path, index: Path) -> None:
    (index / "files" / cached.name).write_bytes(b"something else")
    with pytest.raises(SourceError, match="cannot download"):
        opened(cache)
    assert not list((cache / "sdists").iterdir())


def test_an_index_that_fails_or_is_not_there(cache: Path, index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SourceError, match="cannot download broken"):
        opened(cache, "pypi:broken==1.0")
    monkeypatch.setenv("PIP_INDEX_URL", "http://me:hunter2@127.0.0.1:9/simple")
    with pytest.raises(SourceError, match="check the network") as caught:
        opened(cache)
    assert "hunter2" not in str(caught.value)


def test_pips_settings() -> None:
    listing = "global.extra-index-url='\\nfile:///a b'\ndownload.cert='/d'\nglobal.cert='/c'\ninstall.cert='/no'\nnoise"
    settings = parse_pip_settings(listing)
    assert settings == {"extra-index-url": "\nfile:///a b", "cert": "/d"}
    assert package_index(settings) == PackageIndex(index_urls=("file:///a", "b"), certificates="/d")
    own = package_index(settings | {"index-url": "https://i/simple"})
    assert own == PackageIndex(False, ("https://i/simple", "file:///a", "b"), certificates="/d")
    offline = {"no-index": "1", "index-url": "https://i/simple", "find-links": "/wheels"}
    assert package_index(offline) == PackageIndex(default=False, find_links=("/wheels",))
