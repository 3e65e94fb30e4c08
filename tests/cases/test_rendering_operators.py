"""Each operator of section D accepts a good observation and refuses a bad one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cases.case import cases_of
from cases.examples import Example, example, judged, number_examples
from cases.rendering_observation import RenderingObservation
from cases.rendering_section import OPERATORS, RenderingSection, checked

URL = "https://h/o/r/blob/abc/a.py#L1-L2"
MARKER = "<!-- repopilot:answer id=1 -->"
ABOUT = "*This answer is automated, read from `main`.*"
FOOTER = f"**Sources**\n\n1. [`a.py`]({URL})\n\n{ABOUT}\n\n{MARKER}"
FENCE = "```py\nx = 1\ny = 2\n```"


def seen(*messages: str, **more: Any) -> RenderingObservation:
    return RenderingObservation(messages, allowed=frozenset({URL}), **more)


def said(text: str, *messages: str) -> RenderingObservation:
    return seen(*messages, said=text)


def wide(text: str) -> RenderingObservation:
    return seen(text, surface="discord")


def lengths(name: str, char: str = "x") -> list[Example[RenderingObservation]]:
    return [*number_examples(name, lambda n: seen(char * n))]


EXAMPLES: list[Example[RenderingObservation]] = [
    *number_examples("messages", lambda n: seen(*["x"] * n)),
    *(
        tried
        for prefix in ("", "each_")
        for name in ("codepoints", "utf16", "utf8")
        for tried in lengths(f"{prefix}len_{name}")
    ),
    example("len_utf16", seen("😀"), seen("x"), n=2),
    example("len_utf8", seen("😀"), seen("x"), n=4),
    example("messages_between", seen("x", "y"), seen("x"), min=2, max=3),
    example("messages_between", seen("x"), seen("x", "y"), n=1),
    example("max_len_codepoints", seen("xx"), seen("xxx"), n=2),
    example("non_empty", seen("x"), seen("x", " \n")),
    example("non_empty", seen("x"), seen(MARKER)),
    example("non_empty", seen("x"), seen()),
    example("contains", seen("One"), seen("two"), value="one"),
    example("contains_all", seen("one", "two"), seen("one"), values=["one", "two"]),
    example("contains_any", seen("two"), seen("three"), values=["one", "two"]),
    example("not_contains", seen("one"), seen("Two"), value="two"),
    example("not_contains_any", seen("one"), seen("two"), values=["two", "three"]),
    example("matches", seen("a1"), seen("a"), pattern=r"\d"),
    example("not_regex", seen("a"), seen("a1"), pattern=r"\d"),
    example("not_regex", seen("`1` a\n```\n2\n```"), seen("`1` 2"), pattern=r"\d", outside_code=True),
    example("says_no_answer", seen("I could not find an answer."), seen("It is 16.")),
    example("says_truncated", said("x", "*Shortened: the rest was cut off.*"), said("x", "x")),
    example("says_truncated", said("x", "Shortened"), said("Shortened", "Shortened")),
    example("says_truncated", said("x", "Shortened"), said("x", "`shortened`")),
    example("text_preserved", said("a **b** c", "a *b*", "c [1]"), said("a b c", "a", "c")),
    example("concat_preserves_text", said("a b", "a\n", "b"), said("a b", "b")),
    example("code_preserved", said(FENCE, "```py\nx = 1\n```", "```py\ny = 2\n```"), said(FENCE, "```py\nx = 1\n```")),
    example(
        "code_preserved",
        said(f"```\n{'x' * 3000}\n```", f"```\n{'x' * 1500}\n```", f"```\n{'x' * 1500}\n```"),
        said("    x", "x"),
    ),
    example("code_preserved_modulo", said("```\n`` `\n```", "```\n`\u200b`\u200b `\n```"), said(FENCE, "x = 1")),
    example("no_line_torn", said(FENCE, FENCE), said(FENCE, "```\nx = 1\ny =\n```", "```\n2\n```")),
    example("cut_at_line_boundary", said("- a b\n- c", "- a b", "- c"), said("- a b\n- c", "- a", "b\n- c")),
    example("indent_preserved", said("- a\n  - b", "- a\n  - b"), said("- a\n  - b", "- a\n- b")),
    example("no_grapheme_torn", said("e\u0301x", "e\u0301", "x"), said("e\u0301x", "e", "\u0301x")),
    example("no_grapheme_torn", said("👩\u200d👧", "👩\u200d👧"), said("👩\u200d👧", "👩", "\u200d👧")),
    example("heading_level_max", seen("### a"), seen("#### a"), n=3),
    example("allowed_mentions_parse", seen(allowed_mentions={"parse": []}), seen(), value=[]),
    example("no_live_mention", seen("`@bob` a@b, [@bob](u) <!-- @bob -->"), seen("(@bob)")),
    example("no_live_mention", seen("`@bob`"), seen("&#64;bob")),
    example("no_live_mention", wide("@bob `<@1>`"), wide("<@&1>")),
    example("no_live_mention", wide("everyone"), wide("@everyone")),
    example("no_live_reference", seen("`#1` a#b"), seen("see o/r#1")),
    example("no_live_reference", seen("step 1"), seen("(GH-1)")),
    example("no_closing_keyword", seen("fixes issue `#1`"), seen("Fixes: o/r#1"), keywords=["fixes"]),
    example("no_closing_keyword", seen("fixes it"), seen("closes https://h/o/r/issues/1")),
    example("no_line_starts_with_slash_command", seen("`/close`\na /close\n/a/b"), seen("x\n  /close now")),
    example("no_line_starts_with_slash_command", seen("```\n/close\n```"), seen("/close")),
    example("links_subset_of_evidence", seen(f"[x]({URL}) {URL} `https://h`"), seen("https://h")),
    example("links_subset_of_evidence", seen("h.example"), seen("www.h.example")),
    example("links_subset_of_evidence", seen("a at b"), seen("a@b.example")),
    example("link_schemes_subset", seen(f"<{URL}>"), seen("[x](javascript:y)"), values=["https"]),
    example("all_links_pinned_to", seen(URL), seen("https://h/o/r/blob/main/a.py"), sha="abc"),
    example("url_intact", seen("x", f"[x](<{URL}>)"), seen(URL[:9], URL[9:]), value=URL),
    example("no_images", seen("[x](u)"), seen("![x](u)")),
    example("no_html_tags", seen(f"&lt;b> `<b>`\n\n{MARKER}"), seen("a <b>")),
    example("no_html_comments_but_own_marker", seen(MARKER), seen(f"<!-- x -->\n\n{MARKER}")),
    example("own_marker_count", seen(MARKER), seen(MARKER, MARKER), n=1),
    example("fences_balanced", seen(FENCE), seen("```\nx")),
    example("fences_balanced", seen("> ```\n> x\n> ```"), seen("````\nx\n```")),
    example("fences_balanced_each", seen(FENCE, "x"), seen("```\nx", "```")),
    example("last_fence_closed", seen(FENCE), seen("```\nx")),
    example("last_fence_closed", seen(FENCE), seen("x")),
    example(
        "fence_lang_kept",
        said(FENCE, "```py\nx = 1\n```", "```py\ny = 2\n```"),
        said(FENCE, "```py\nx = 1\n```", "```\ny = 2\n```"),
        lang="py",
        each=True,
    ),
    example("fence_lang_kept", said(FENCE, FENCE), said(FENCE, "x = 1"), lang="py"),
    example("table_intact", said("|a|\n|-|\n|`b`|", "| a |\n|---|\n| `b` |"), said("|a|\n|-|\n|b|", "| a |\n|---|")),
    example("footer_present", seen("x", FOOTER), seen(FOOTER, "x")),
    example("footer_outside_code", seen(FOOTER), seen(f"```\n{FOOTER}")),
    example("footer_outside_code", seen(FOOTER), seen(f"```\nSources\n```\n\n{ABOUT}")),
    example("sources_not_alone", seen(f"x\n\n{FOOTER}"), seen("x", FOOTER)),
    example("one_of", seen("no answer"), seen("It is 16."), options=["says_no_answer", "unheard_of"]),
]


@pytest.mark.parametrize("tried", EXAMPLES, ids=str)
def test_an_operator_accepts_the_good_and_refuses_the_bad(tried: Example[RenderingObservation]) -> None:
    good, bad = judged(OPERATORS, tried)
    assert good is None
    assert bad and not bad.startswith("cannot be read")


def test_every_operator_has_an_example() -> None:
    assert {tried.op for tried in EXAMPLES} == OPERATORS.names


@pytest.mark.parametrize(
    ("short", "check"),
    [
        ("len_utf8<=9", {"op": "len_utf8_max", "value": 9}),
        ("messages>=2", {"op": "messages_min", "value": 2}),
        ("allowed_mentions_parse==[]", {"op": "allowed_mentions_parse", "value": []}),
        ("not_contains:a b", {"op": "not_contains", "value": "a b"}),
        ("non_empty", {"op": "non_empty"}),
        ({"op": "messages", "n": 1}, {"op": "messages_between", "n": 1}),
        ({"op": "regex", "pattern": "x"}, {"op": "matches", "pattern": "x"}),
        ({"op": "each_len_utf16<=5", "severity": "may"}, {"op": "each_len_utf16_max", "severity": "may", "value": 5}),
    ],
)
def test_short_forms(short: Any, check: dict[str, Any]) -> None:
    assert checked(short) == check


def test_the_projects_own_cases_pass() -> None:
    section = RenderingSection([], Path())
    results = [
        result for job in section.jobs(cases_of(Path(__file__).parent / "own", ["D"])) for result in section.run(job)
    ]
    assert len(results) > 5
    assert [(result.id, list(map(str, result.failures))) for result in results if result.failures] == []


def test_what_it_does_not_know_fails(tmp_path: Path) -> None:
    given = '{"answer": "x", "evidence": [], "repo": "o/r", "sha": "abc", "tune": 1}'
    (tmp_path / "D.json").write_text(
        f'[{{"id": "D-001", "title": "t", "given": {given}, "expect": {{"slack": ["hums"], "discord": ["hums"]}}}}]'
    )
    (result,) = RenderingSection([], tmp_path).run(cases_of(tmp_path))
    assert [str(difference) for difference in result.failures] == [
        "run: unknown slack",
        "run: unknown tune",
        "discord hums: unknown operator hums",
    ]
