from __future__ import annotations

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.permalink import file_link, is_code_host, permalink
from indexer.types import Origin

SHA = "0123456789abcdef0123456789abcdef01234567"


def origin(web: str | None, commit: str = SHA) -> Origin:
    return Origin("owner/name", "main", commit, web, commit)


@pytest.mark.parametrize(
    ("web", "file", "line", "lines"),
    [
        ("https://github.com/o/n", f"/blob/{SHA}/a/b.py", "#L3", "#L3-L9"),
        ("https://github.example.com/o/n", f"/blob/{SHA}/a/b.py", "#L3", "#L3-L9"),
        ("https://gitlab.com/g/sub/n", f"/-/blob/{SHA}/a/b.py", "#L3", "#L3-9"),
        ("https://gitlab.company.net/g/n", f"/-/blob/{SHA}/a/b.py", "#L3", "#L3-9"),
        ("https://codeberg.org/o/n", f"/src/commit/{SHA}/a/b.py", "#L3", "#L3-L9"),
        ("https://gitea.example.org:3000/o/n", f"/src/commit/{SHA}/a/b.py", "#L3", "#L3-L9"),
        ("https://bitbucket.org/o/n", f"/src/{SHA}/a/b.py", "#lines-3", "#lines-3:9"),
        ("https://code.example.org/o/n", f"/blob/{SHA}/a/b.py", "#L3", "#L3-L9"),
    ],
)
def test_each_host_has_its_own_form(web: str, file: str, line: str, lines: str) -> None:
    assert file_link(origin(web), "a/b.py") == web + file
    assert permalink(origin(web), "a/b.py", 3, 3) == web + file + line
    assert permalink(origin(web), "a/b.py", 3, 9) == web + file + lines


def test_without_a_host_the_link_leads_to_our_own_server() -> None:
    link = permalink(Origin("local/my repo", "x", "worktree-1a2b", None, "x"), "a b.py", 1, 2)
    assert link == "/source/local/my%20repo/worktree-1a2b/a%20b.py#L1-L2"


def test_a_tag_stands_in_the_link_and_keeps_its_slash() -> None:
    assert "/blob/v0.33.0/" in file_link(origin("https://github.com/o/n", "v0.33.0"), "a.py")
    assert "/blob/release/1%2B2/" in file_link(origin("https://github.com/o/n", "release/1+2"), "a.py")
    assert "/src/tag/v1/" in file_link(origin("https://codeberg.org/o/n", "v1"), "a.py")


def test_odd_names_are_percent_encoded() -> None:
    link = file_link(origin("https://github.com/o/n"), "my docs/a b#c?d%20e+f&g.md")
    assert link.endswith("/my%20docs/a%20b%23c%3Fd%2520e%2Bf%26g.md")
    assert file_link(origin("https://github.com/o/n"), "a\nb.py").endswith("/a%0Ab.py")


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_link_decodes_to_its_path_and_breaks_no_markup(path: str) -> None:
    link = file_link(origin("https://github.com/o/n"), path)
    assert unquote(link.removeprefix(f"https://github.com/o/n/blob/{SHA}/")) == path
    assert link.isascii()
    assert not set(link) & set(" \n\t\"'<>()[]{}|\\^`#?")


def test_known_hosts() -> None:
    assert is_code_host("GitHub.com")
    assert not is_code_host("docs.vllm.ai")
    assert not is_code_host("notgithub.com")
