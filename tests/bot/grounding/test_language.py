"""English and other languages are told apart by a few common words."""

from __future__ import annotations

import pytest

from bot.grounding.language import foreign


@pytest.mark.parametrize(
    "text",
    [
        "Der Standardwert ist 16 und wird beim Start gelesen.",
        "Die Seiten werden auf die Platte geschrieben.",
        "Le nombre de blocs est fixé par une option.",
        "El valor por defecto se lee al inicio.",
        "Il valore predefinito non è usato.",
        "O valor padrão não é usado.",
        "De waarde wordt niet gebruikt.",
        "Wartość nie jest używana.",
        "默认值是 16。",
        "既定値は16です。",
        "기본값은 16입니다.",
        "Значение по умолчанию 16.",
        "القيمة الافتراضية هي 16",
    ],
)
def test_other_languages(text: str) -> None:
    assert foreign(text)


@pytest.mark.parametrize(
    "text",
    [
        "The default is 16 and it is read at start.",
        "Processes die when they run out of memory.",
        "Pages are spilled to disk – the oldest first…",
        "It’s read from the “naïve” cache.",
        "Set 16",
        "yes",
        "",
        "4096",
        "max_num_seqs",
    ],
)
def test_english_and_what_has_no_language(text: str) -> None:
    assert not foreign(text)
