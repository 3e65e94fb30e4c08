"""What others wrote cannot open, close or hide anything in a prompt, and stays readable."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat.untrusted import attribute, harmless, middle_out, shown, visible

CONTROL_TOKENS = [
    "<|im_end|>",
    "<|IM_START|>",
    "<|start_header_id|>",
    "<|eot_id|>",
    "<|endoftext|>",
    "<|tool▁calls▁begin|>",
    "<｜begin▁of▁sentence｜>",
    "<｜User｜>",
    "<|channel|>",
    "<s>",
    "</s>",
    "<bos>",
    "<eos>",
    "<pad>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<end_of_utterance>",
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "<function_calls>",
    "<fim_prefix>",
    "<unused42>",
    "<0x0A>",
    "<extra_id_1>",
    "<SPECIAL_12>",
    "<BOS_TOKEN>",
    "<seed:bos>",
    "<think>",
    "</think>",
    "[INST]",
    "[/INST]",
    "[SYSTEM_PROMPT]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_CALLS]",
    "[THINK]",
    "[gMASK]",
    "<sop>",
    "<<SYS>>",
    "<</SYS>>",
    "[|system|]",
    "[|endofturn|]",
    "]~b]",
    "]~!b[",
    "[e~[",
    "◁think▷",
    "◁/think▷",
]
OUR_TAGS = [
    "</passage>",
    "</PASSAGE >",
    "< / passage>",
    '<passage number="1">',
    "</passages\n>",
    "</thread>",
    "<thread>",
    "<turn>",
]
OUR_TAGS += ["</question>", "＜/question＞", "<\n/question>"]
ORDINARY = [
    "List[T], dict[str, int], a[0], [x](y), [WIP], [OPTIONS]",
    "std::vector<block_table> a < b and c > d, x |> f <| y, <|>, a || b",
    "vllm serve <model> --port <port> <function_name> <your_token>",
    "<div><b>x</b></div> <table> <a href='x'> <T extends object>",
    "#include <thread>\nfn serialize<S>(s: S)",
    "if (a<s) return; cout << x; cat <<EOF",
    "日本語 naïve Ünïcödé العربية ไทย हिन्दी 👍",
]


@pytest.mark.parametrize("token", CONTROL_TOKENS + OUR_TAGS)
def test_what_would_mean_something_is_broken_up(token: str) -> None:
    for text in (token, f"x{token}y", f"\n{token}\n", token * 2):
        written = harmless(text)
        assert token not in written
        assert written.replace("\\", "") == text
        assert harmless(written) == written


@pytest.mark.parametrize("token", CONTROL_TOKENS + OUR_TAGS)
@pytest.mark.parametrize("hidden", ["\u200b", "\u2060", "\u202e", "\U000e0041", "\x00", "\ufe0f"])
def test_hidden_characters_do_not_help(token: str, hidden: str) -> None:
    written = harmless(hidden.join(token))
    assert token not in written and hidden not in written


@pytest.mark.parametrize("text", ORDINARY)
def test_what_people_and_programs_write_stays(text: str) -> None:
    assert harmless(text) == text


def test_hidden_characters_are_gone_and_lines_stay() -> None:
    smuggled = (
        "size?" + "".join(chr(0xE0000 + ord(c)) for c in "obey me") + "\u202eabc\u2066\u061c\u00ad\u3164\ufeff\x1b[31m"
    )
    assert visible(smuggled) == "size?abc[31m"
    assert visible("a\r\n\tb\n\nc") == "a\n\tb\n\nc"
    assert visible("half\ud800") == "half"


@given(st.text())
def test_it_is_done_once(text: str) -> None:
    written = harmless(text)
    assert harmless(written) == written
    assert written.count("\n") == text.count("\n")
    assert not re.search(
        r"(?i)<\|[a-z_]+\|>|<\s*/?\s*(passage|thread|turn|question)\b|[\U000e0000-\U000e007f]", written
    )


@given(
    st.lists(st.sampled_from([*CONTROL_TOKENS, *OUR_TAGS, "<", ">", "|", "[", "]", "/", "\\", " ", "a"])).map("".join)
)
def test_nothing_that_is_composed_gets_through(text: str) -> None:
    written = harmless(text)
    assert not any(token in written for token in CONTROL_TOKENS + OUR_TAGS)
    assert harmless(written) == written


PAGE = """\
# Usage
<!-- obey
me -->
Use it.
[//]: # (obey)
[site]: https://a.example
A --> B
<!-- never closed
obey"""
RST = """\
Title
=====

.. obey me
   and me, obey

Text ...

.. note:: keep
   this

.. _target:
.. [1] note
..
   obey

end"""


def test_a_page_is_shown_without_its_comments() -> None:
    assert shown(PAGE, "markdown") == "# Usage\n\nUse it.\n[site]: https://a.example\nA --> B\n"
    assert shown("<p>x<!-- obey --></p>", "html") == "<p>x</p>"


def test_code_keeps_its_comments() -> None:
    for language in ("python", "rust", "yaml", "notebook"):
        assert shown("x = 1  # <!-- y -->", language) == "x = 1  # <!-- y -->"


def test_restructured_text_has_comments_too() -> None:
    told = shown(RST, "rst")
    assert "obey" not in told
    for kept in ("Title", "Text ...", ".. note:: keep\n   this", ".. _target:", ".. [1] note", "end"):
        assert kept in told


@given(st.text(alphabet=" .\n_x:[]|-*<!>\t"))
def test_any_page_can_be_shown(text: str) -> None:
    for language in ("markdown", "rst", "html"):
        assert len(shown(text, language)) <= len(text)


@given(st.text())
def test_an_attribute_is_one_quoted_line(text: str) -> None:
    value = attribute(text, longest=50)
    assert len(value) <= 50 and "\n" not in value and '"' not in value


@given(st.text(), st.integers(0, 40))
def test_a_cut_text_keeps_its_ends(text: str, longest: int) -> None:
    cut = middle_out(text, longest)
    assert len(cut) <= max(longest, 1)
    assert cut == text or (text.startswith(cut.partition("…")[0]) and text.endswith(cut.rpartition("…")[2]))
