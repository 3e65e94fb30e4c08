"""Thanks and calls that ask nothing."""

from __future__ import annotations

import pytest

from bot.adapters.github.courtesy import is_thanks, says_nothing


@pytest.mark.parametrize(
    "text",
    [
        "thanks, that worked!",
        "Thank you so much for the quick help 🎉",
        "Great answer",
        "good bot",
        "Perfect, it works now.",
        "thx 👍",
        "ok",
        "got it, thanks @cleo",
        "谢谢，解决了！",
        "merci beaucoup, ça marche !",
        "Vielen Dank!",
        "ありがとうございます",
    ],
)
def test_thanks(text: str) -> None:
    assert is_thanks(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "🎉",
        "thanks, but it still fails",
        "thanks for what?",
        "Thanks! Now show me the default",
        "great, and with two workers",
        "not helpful",
        "thanks, `Client.close` works",
        "worked on 0.8.5",
        "请问谢谢怎么说",
        "thanks " * 100,
    ],
)
def test_no_thanks(text: str) -> None:
    assert not is_thanks(text)


@pytest.mark.parametrize("text", ["", "please", "hi!", "can you help?", "any ideas?", "cc @cleo", "👀", "请看看", "^"])
def test_calls_say_nothing(text: str) -> None:
    assert says_nothing(text)


@pytest.mark.parametrize(
    "text", ["why?", "help with pages", "please explain paging", "16?", "ROCm", "为什么", "any ideas why?"]
)
def test_what_asks_says_something(text: str) -> None:
    assert not says_nothing(text)
