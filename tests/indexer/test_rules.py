from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.repository import Repository
from indexer.rules import read_rules, rules_of


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("node_modules/x/i.js", "excluded: node_modules/ holds vendored or generated files"),
        ("a/b.egg-info/PKG-INFO", "excluded: b.egg-info/ holds vendored or generated files"),
        ("node_modules", None),
        ("third_party/y/v.c", None),
        (".github/workflows/ci.yml", None),
    ],
)
def test_tools_folders_are_left_out_by_default(path: str, reason: str | None) -> None:
    assert rules_of({}).ignored(path) == reason


def test_ignore_files_speak_gitignore() -> None:
    rules = rules_of({".repopilotignore": "# data\n*.csv\n!keep.csv\n/build/\ndocs/**/old/\n\\#odd\n"})
    left_out = ("a.csv", "x/a.csv", "build/x.py", "docs/a/b/old/x.md", "#odd")
    assert all(rules.ignored(path) for path in left_out)
    assert not any(rules.ignored(path) for path in ("keep.csv", "x/keep.csv", "src/build/x.py", "docs/a.md", "a.py"))
    assert rules.ignored("x/a.csv") == "excluded by the pattern *.csv in .repopilotignore"


def test_a_deeper_file_goes_before_a_higher_one_and_the_settings_before_all() -> None:
    files = {".repopilotignore": "*.txt\n", "docs/.repopilotignore": "!*.txt\nsecret.txt\n"}
    rules = rules_of(files, ["docs/draft.*"])
    assert rules.ignored("a.txt") and not rules.ignored("docs/a.txt")
    assert rules.ignored("docs/secret.txt") == "excluded by the pattern secret.txt in docs/.repopilotignore"
    assert rules.ignored("docs/draft.txt") == "excluded by the pattern docs/draft.* in REPOPILOT_EXCLUDE"
    assert not rules_of(files, ["!a.txt"]).ignored("a.txt")


def test_a_default_can_be_taken_back() -> None:
    rules = rules_of({".repopilotignore": "!node_modules/ours/\n"})
    assert not rules.ignored("node_modules/ours/a.js") and rules.ignored("node_modules/theirs/a.js")


def test_a_line_that_is_no_pattern_is_told_and_the_others_count() -> None:
    rules = rules_of({"a/.repopilotignore": "*.csv\n!\n*.log\n"})
    assert rules.problems == ["a/.repopilotignore: line 2 is no ignore pattern (Invalid git pattern: '!')"]
    assert rules.ignored("a/x.csv") and rules.ignored("a/x.log") and not rules.ignored("x.csv")


@pytest.mark.parametrize(
    ("line", "path", "aside"),
    [
        ("*.pb.go linguist-generated", "a/x.pb.go", True),
        ("*.pb.go linguist-generated=true", "x.pb.go", True),
        ("api/** linguist-vendored", "api/v1/x.go", True),
        ("api/* linguist-vendored", "api/v1/x.go", None),  # matches the folder, which says nothing of its files
        ("third_party/** -linguist-vendored", "third_party/x.c", False),
        ("*.c linguist-vendored=false", "x.c", False),
        ('"a b/*.c" linguist-generated', "a b/x.c", True),
        ("*.c linguist-language=C++ text eol=lf", "x.c", None),
        ("# *.c linguist-generated", "x.c", None),
        ("[attr]ours linguist-generated", "ours", None),
        ('"*.c linguist-generated', "x.c", None),
    ],
)
def test_attributes_tell_what_stands_aside(line: str, path: str, aside: bool | None) -> None:
    assert rules_of({".gitattributes": f"* text=auto\n{line}\n"}).aside(path) is aside


def test_the_last_line_and_the_deeper_file_decide() -> None:
    rules = rules_of(
        {
            ".gitattributes": "*.js linguist-vendored\nsrc/*.js -linguist-vendored\n",
            "src/.gitattributes": "dist.js linguist-generated\n",
        }
    )
    assert [rules.aside(path) for path in ("a.js", "src/a.js", "src/dist.js", "a.py")] == [True, False, True, None]


def test_rules_are_read_from_the_source_at_its_commit(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "repo")
    repo.commit({".repopilotignore": "*.csv\n", "docs/.gitattributes": "*.md linguist-generated\n", "a.py": "x = 1\n"})
    (repo.folder / ".repopilotignore").write_text("*\n")  # of the work tree, which nobody asked for
    source = repo.source()
    rules = read_rules(source, source.entries(), ())
    assert rules.ignored("a.csv") and not rules.ignored("a.py")
    assert (rules.aside("docs/a.md"), rules.aside("a.md")) == (True, None)


@given(st.text(), st.text(min_size=1), st.lists(st.text()))
def test_any_text_gives_rules(text: str, path: str, exclude: list[str]) -> None:
    rules = rules_of({".repopilotignore": text, "a/.gitattributes": text}, exclude)
    rules.ignored(path)
    rules.aside(path)
