"""Which language a path is."""

from __future__ import annotations

import pytest

from indexer.chunking import grammar, language_of
from indexer.chunking.languages import LANGUAGES


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("vllm/envs.py", "python"),
        ("csrc/a.cu", "cuda"),
        ("csrc/a.CUH", "cuda"),
        ("csrc/a.h", "cpp"),
        ("docker/Dockerfile.cpu", "dockerfile"),
        ("CMakeLists.txt", "cmake"),
        ("requirements.txt", "text"),
        (".gitignore", "text"),
        ("Makefile", "makefile"),
        ("a.b/LICENSE", "text"),
        ("src/App.tsx", "tsx"),
        ("x.ipynb", "notebook"),
        ("", "text"),
    ],
)
def test_language_is_told_by_the_path(path: str, language: str) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize("language", [language.name for language in LANGUAGES if language.grammar])
def test_every_grammar_loads_and_fits_its_query(language: str) -> None:
    assert grammar.load(language).query.pattern_count > 0


def test_no_extension_is_claimed_twice() -> None:
    extensions = [extension for language in LANGUAGES for extension in language.extensions]
    assert len(extensions) == len(set(extensions))
