"""Defaults that documentation states: invented options of an invented queue."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.disagreement.documents import documented, entries
from fakes.found import passage


def stated(text: str, language: str = "markdown") -> list[tuple[str, str]]:
    text = dedent(text).strip("\n")
    return [(s.name, s.literal) for s in documented(passage(text=text, kind="docs", language=language), 0)]


@pytest.mark.parametrize(
    "text",
    [
        "`queue_size` defaults to `8`.",
        "The `queue_size` parameter defaults to 8, which is enough.",
        "`QueueConfig.queue_size` defaults to 8.",
        "The default of `queue_size` is 8.",
        "The default value for `queue_size` is `8`.",
        "Set `--queue-size` (default 8) to more.",
        "Set `--queue-size N` (default: `8`) or `--other-size` to more.",
        "`queue_size` (`int`, default `8`) - how many wait.",
        "`queue_size`, default 8, is how many wait.",
        "`queue_size` is 8 by default.",
        "- `--queue-size`: how many wait. Default: 8.",
        "- `--queue-size`: how many wait. Default value is 8.",
        "- **queue_size**: how many wait in `--all-queues` mode. (default 8)",
        "- `-q`, `--queue-size`: how many wait. The default is `8`.",
        "- `QUEUE_SIZE`: how many wait.\n    - Default: 8\n    - Range: 1 to 99",
        "### `--queue-size`\n\nHow many wait.\n\nDefault: `8`",
        "`--queue-size`\n:   Default: `8`",
        "| Option | Default | What |\n|---|---|---|\n| `--queue-size` | `8` | how many wait |",
        "| Option | What |\n|---|---|\n| `--queue-size` | how many wait (default 8) |",
        "| Option | What | **Default** |\n|:--|:--|--:|\n| `queue_size` | how many wait | 8 (enough) |",
        "```console\n$ queue --help\n  -q, --queue-size N   how many wait\n                       (default: 8)\n```",
        "!!! note\n    `queue_size` defaults to `8`.",
        "How many wait\nis `queue_size` (default:\n8).",
    ],
)
def test_one_plain_value_of_one_name_is_stated(text: str) -> None:
    assert [(name.strip("-").replace("-", "_").lower(), literal) for name, literal in stated(text)] == [
        ("queue_size", "8")
    ]


@pytest.mark.parametrize(
    "text",
    [
        ".. option:: --queue-size\n\n   How many wait. Default: ``8``.",
        ".. confval:: queue_size\n   :type: int\n   :default: 8",
        "``queue_size``\n~~~~~~~~~~~~~~\n\n.. versionadded:: 2.1\n\nDefault: 8.\n\nHow many wait.",
        "``queue_size``\n==============\n\nDefault: ``8`` (enough).",
        ":setting:`queue_size` defaults to :const:`8`.",
    ],
)
def test_restructuredtext_states_it_as_well(text: str) -> None:
    assert [(name.strip("-").replace("-", "_"), literal) for name, literal in stated(text, "rst")] == [
        ("queue_size", "8")
    ]


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("`spill_to_disk` is enabled by default.", "true"),
        ("`spill_to_disk` is **not enabled** by default.", "false"),
        ("`spill_to_disk` is off by default.", "false"),
        ("- `spill_to_disk`: where it goes. Default: Disabled.", "false"),
        ('`spill_mode` defaults to "lazy".', '"lazy"'),
        ("`spill_mode` defaults to `lazy`.", "lazy"),
        ("`spill_ratio` defaults to 0.95.", "0.95"),
        ("`spill_bytes` defaults to 1,000,000.", "1,000,000"),
    ],
)
def test_truths_texts_and_numbers_are_values(text: str, literal: str) -> None:
    assert [found for _, found in stated(text)] == [literal]


@pytest.mark.parametrize(
    "text",
    [
        # more than one case
        "If `lazy_mode` is set, `queue_size` defaults to 8.",
        "On small machines `queue_size` defaults to 8.",
        "`queue_size` defaults to 8 on small machines.",
        "`queue_size` defaults to 8, or 16 with a GPU.",
        "`queue_size` defaults to 8 unless it is set.",
        "Set `queue_size` (default 8 on small machines).",
        "Set `queue_size` (default 8) on small machines.",
        "| Option | Default |\n|---|---|\n| `queue_size` | `8` (16 on big machines) | ",
        # another time
        "`queue_size` was 4 before; it defaults to 8.",
        "Previously `queue_size` defaults to 8.",
        "`queue_size` will default to 8.",
        # a unit, or something to be computed
        "`queue_size` defaults to 8 MiB.",
        "`queue_size` defaults to 8 times the cores.",
        "`queue_size` defaults to the number of cores.",
        "`queue_size` defaults to auto.",
        # another name, or none
        "Set `max_retries`; the timeout defaults to 8.",
        "`queue_size` limits `batch_size`. The default is 8.",
        "- `port`: where `queue_size` is shown (default 8)",
        "The default is 8.",
        "The default port is 8, see `queue_size`.",
        "`--queue-size '{\"depth\": 3}'`; the default is `8`.",
        "- `--host-name`, `--port-number`: address (defaults: `x:8`).",
        # one word is the name of too many things
        "`size` defaults to 8.",
        # code shows use, not defaults
        "```python\nqueue_size = 8  # defaults to 8\n```",
    ],
)
def test_what_is_not_plain_is_not_stated(text: str) -> None:
    assert [(name, literal) for name, literal in stated(text) if literal] == []


def test_a_cell_that_says_more_leaves_its_name_without_a_value() -> None:
    table = "| Option | Default |\n|---|---|\n| `queue_size` | the cores |\n| `spill_mode` | `lazy` |"
    found = documented(passage(text=table, kind="docs", language="markdown"), 3)
    assert [(s.name, s.value, s.passage) for s in found] == [("queue_size", None, 3), ("spill_mode", "lazy", 3)]


def test_lines_are_those_that_say_it() -> None:
    text = "# Queue\n\nHow.\n\n- `queue_size`: how many\n  wait. Default: 8.\n\nThen `spill_mode`\ndefaults to\n`lazy`."
    found = documented(passage(text=text, kind="docs", language="markdown", start_line=100), 0)
    assert [(s.name, s.start_line, s.end_line) for s in found] == [("queue_size", 105, 105), ("spill_mode", 107, 109)]


def entered(text: str) -> list[str]:
    return [name for name, _ in entries(passage(text=dedent(text).strip("\n"), kind="docs", language="markdown"))]


def test_entries_are_flags_and_variables_that_something_is_said_of() -> None:
    assert entered(
        """
        ### `--queue-size`

        Not `--in-passing`, nor QUEUE_IN_PASSING.

        - `--spill-mode MODE`: how to spill
        - QUEUE_HOME: where
        - `a_field`: none of them

        | Variable | What |
        |---|---|
        | `QUEUE_PORT` | where |
        """
    ) == ["--queue-size", "--spill-mode", "QUEUE_HOME", "QUEUE_PORT"]


@pytest.mark.parametrize(
    "text",
    [
        "- `--queue-size`: removed in 2.0",
        "- `--queue-size`: no longer read",
        "## Deprecated options\n\n- `--queue-size`: how many wait",
        "- These are planned:\n    - `--queue-size`: how many wait",
        "```\n- `--queue-size`: how many wait\n```",
    ],
)
def test_what_is_gone_has_no_entry(text: str) -> None:
    assert entered(text) == []


PIECES = st.sampled_from(
    "`queue_size`;--queue-size;defaults to;default:;8;(;);.; ;\n;\n\n;- ;  ;|;#;```;~~~;====;|---|;.. option::"
    ";:default:;is enabled by default;é;\u2028;\r".split(";")
)


@settings(deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=6)), max_size=40).map("".join), st.sampled_from(["markdown", "rst"]))
def test_lines_lie_in_the_passage(text: str, language: str) -> None:
    shown = passage(text=text, kind="docs", language=language, start_line=7)
    for said in documented(shown, 0):
        assert 7 <= said.start_line <= said.end_line <= shown.end_line
    for _, (first, last) in entries(shown):
        assert 0 <= first <= last <= text.count("\n")


def test_data_in_one_line_and_other_languages_are_passed_over() -> None:
    assert stated("`queue_size` defaults to 8. " * 1000) == []
    assert stated("`queue_size` defaults to 8.", "notebook") == stated("`queue_size` defaults to 8.", "html") == []
