"""Texts are rewritten and cut outside code only."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from bot.markdown import Node, joined, markdown, parse, plain, rewritten, sentences, walk
from bot.markdown.sentences import cut, cut_places
from bot.markdown.tree import parse_inline
from fakes.markdown import markdown_texts


@pytest.mark.parametrize(
    "cut_text",
    [
        "It is 16 [1]. |A page holds 4.[2] |See `a.b. C`, e.g. here. |`x` is y.",
        'Really? |Yes! |(Never.) |"Perhaps." |vLLM starts it. |16 is it.',
        "**Bold. Inside.** |After [a link. Of two](u). |End",
        "答案是十六[1]。|好。",
        "No end here, v0.8.5 and a.b.c are names",
        "One line.\n|Another one.",
    ],
)
def test_a_paragraph_is_cut_after_its_sentences(cut_text: str) -> None:
    (paragraph,) = parse(cut_text.replace("|", "")).children
    shown = [plain(sentence) for sentence in sentences(paragraph.children)]
    assert shown == [re.sub(r"[`*]|\[(a link[^]]*)\]\(u\)", r"\1", part) for part in cut_text.split("|")]


@given(markdown_texts)
def test_the_sentences_joined_are_the_paragraph(source: str) -> None:
    nodes = parse_inline(source)
    assert joined(node for sentence in sentences(nodes) for node in sentence) == nodes


@given(markdown_texts)
def test_a_cut_loses_nothing(source: str) -> None:
    nodes = parse_inline(source)
    for at in [*cut_places(nodes, re.compile(r"\s+"))][:5]:
        head, tail = cut(nodes, at)
        assert joined((*head, *tail)) == nodes
        assert plain(head) == plain(nodes)[:at] or "html_inline" in {node.kind for node in nodes}


def test_only_text_is_rewritten() -> None:
    tree = parse("# x [x](u)\n\n- `x` x\n\n| x |\n|---|\n| **x** |\n\n```\nx\n```")
    changed = rewritten(tree, lambda text: [Node("code_inline", text=text.strip().replace("x", "y") or "-")])
    assert markdown(changed) == "# `y`[`y`](u)\n\n- `x` `y`\n\n| `y` |\n|---|\n| **`y`** |\n\n```\nx\n```"


@given(markdown_texts)
def test_rewriting_into_itself_changes_nothing(source: str) -> None:
    tree = parse(source)
    assert rewritten(tree, lambda text: [Node("text", text=text)]) == tree
    assert sum(node.kind == "text" for node in walk(tree)) == len([*walk(tree)]) - sum(
        node.kind != "text" for node in walk(tree)
    )
