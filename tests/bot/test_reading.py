"""What the extractive reader says: examples of each kind of question, and what holds whatever a repository contains."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.reading import ROOMS, Reading, read
from bot.types import Passage
from fakes.found import evidence

PARSER = MarkdownIt("commonmark", {"linkify": False}).enable(["table", "strikethrough"])


def passage(text: str, path: str = "pkg/a.py", language: str = "python", **changes: object) -> Passage:
    text = dedent(text).strip("\n")
    given = {"start_line": 1, "symbol": "", "kind": "docs" if language == "markdown" else "code", "score": 0.03}
    given |= changes
    start = int(str(given["start_line"]))
    end = start + text.count("\n")
    return Passage(path=path, end_line=end, language=language, text=text, url=f"https://x/{path}#L{start}", **given)  # type: ignore[arg-type]


def answered(question: str, *passages: Passage) -> Reading:
    reading = read(question, evidence(question, passages))
    assert reading is not None
    return reading


def tokens(text: str) -> Iterator[Token]:
    for token in PARSER.parse(text):
        yield token
        yield from token.children or ()


def code_blocks(text: str) -> list[tuple[str, list[str]]]:
    return [(t.info, t.content.removesuffix("\n").split("\n")) for t in tokens(text) if t.type == "fence"]


def numbers(text: str) -> list[int]:
    prose = "".join(t.content for t in tokens(text) if t.type == "text")
    return list(dict.fromkeys(int(n) for n in re.findall(r"\[(\d+)\]", prose)))


CONFIG = passage(
    '''
    @dataclass
    class SchedulerConfig:
        """Scheduler configuration."""

        max_num_seqs: int = 128
        """Maximum number of sequences to be processed in a single iteration."""

        prefill_threshold: int = Field(default=0, ge=0)
        """A request is long if its prompt has more than this number of tokens.

        0 disables the limit."""

        policy: str = "fcfs"
        """The scheduling policy to use."""

        send_delta_data: bool = False
        """Whether deltas are sent."""

        chunked: bool = True
        # Set by the engine.
        inner: int | None = None
    ''',
    "pkg/config.py",
    symbol="SchedulerConfig",
    start_line=40,
)


def test_the_default_of_a_field_is_its_line_with_its_docstring() -> None:
    reading = answered("What's the default of prefill_threshold?", CONFIG)
    (info, lines), *_ = code_blocks(reading.text)
    assert info == "python"
    assert lines == [
        "prefill_threshold: int = Field(default=0, ge=0)",
        '"""A request is long if its prompt has more than this number of tokens.',
        "",
        '0 disables the limit."""',
    ] or (lines[0].startswith("prefill_threshold") and '0 disables the limit."""' in lines)
    assert reading.text.startswith("`SchedulerConfig` in `pkg/config.py` [1]:")
    assert reading.text.count("[1]") == 1


def test_a_flag_meets_the_field_that_it_sets() -> None:
    assert "policy: str" in answered("does --policy exist, and what does it do?", CONFIG).text
    assert "prefill_threshold: int" in answered("what is --prefill-threshold for", CONFIG).text


def test_a_flag_definition_is_shown_with_its_help() -> None:
    text = """
    def add_arguments(parser):
        parser.add_argument(
            "--block-size",
            type=int,
            default=16,
            help="Tokens in a block.",
        )
        parser.add_argument(
            "--swap-size",
            type=float,
            default=4,
            help="GiB of swap space.",
        )
        parser.add_argument("--seed", type=int, default=0, help="Seed.")
        parser.add_argument("--quiet", action="store_true")
        return parser
    """
    ((_, lines), *_) = code_blocks(answered("default of --swap-size", passage(text)).text)
    assert [line.strip() for line in lines[:5]] == [
        "parser.add_argument(",
        '"--swap-size",',
        "type=float,",
        "default=4,",
        'help="GiB of swap space.",',
    ]


def test_what_is_named_comes_before_what_mentions_it() -> None:
    mention = passage("def run():\n    pool = BlockPool(1)\n    return pool", "pkg/run.py", symbol="run", score=0.033)
    defined = passage(
        'class BlockPool:\n    """Keeps the blocks."""', "pkg/pool.py", symbol="engine.BlockPool", score=0.03
    )
    reading = answered("What does BlockPool do?", mention, defined)
    assert [p.path for p in reading.passages] == ["pkg/pool.py", "pkg/run.py"]
    assert reading.text.startswith("`engine.BlockPool` in `pkg/pool.py` [1]:\n\n```python\nclass BlockPool:")


def test_of_a_long_function_the_lines_that_answer_are_shown() -> None:
    body = [f"    step_{n} = compute({n})" for n in range(80)]
    body[50:54] = [
        "    # A preempted request goes to the front of the waiting queue.",
        "    if request.preempted:",
        "        self.waiting.prepend_request(request)",
        "        metrics.preemptions += 1",
    ]
    text = "\n".join(["def schedule(self):", *body, "    return None"])
    reading = answered("Where in the queue does a preempted request end up?", passage(text, symbol="schedule"))
    ((_, lines),) = code_blocks(reading.text)
    assert len(lines) <= ROOMS[0].lines
    assert "# A preempted request goes to the front of the waiting queue." in lines
    assert "    self.waiting.prepend_request(request)" in lines
    assert reading.text.startswith("`schedule` in `pkg/a.py` [1]:")


def test_documented_steps_come_whole_and_in_order() -> None:
    text = """
    ## Adding a model

    To register a plugin, follow these steps:

    1. Write a function that registers the model.
    2. Declare it as an *entry point* of your package.
    3. Install the package:

    ```bash
    pip install my-plugin
    ```

    Unrelated closing words about something else.
    """
    reading = answered(
        "how do I register a model with a plugin?", passage(text, "docs/p.md", "markdown", symbol="Guide > Adding")
    )
    assert (
        reading.text
        == dedent(
            """
        From *Guide › Adding* (`docs/p.md`) [1]:

        > To register a plugin, follow these steps:
        >
        > 1. Write a function that registers the model.
        > 2. Declare it as an *entry point* of your package.
        > 3. Install the package:

        ```bash
        pip install my-plugin
        ```
        """
        ).strip()
    )


def test_documentation_is_cleaned_of_its_site() -> None:
    text = """
    # Title { #anchor }

    [![badge](https://img.example/b.svg)](https://ci.example) <img src="x.png">

    --8<-- "docs/snippet.md"

    !!! warning "Careful"
        Prefix caching needs [the scheduler](../design/scheduler.md#top), see [`Cache`][pkg.Cache]. Ask @octocat
        or read https://evil.example/page; it fixes #12 <b>now</b>.

    ??? note
        Other words.
    """
    reading = answered("what needs prefix caching, and what is now fixed?", passage(text, "docs/c.md", "markdown"))
    assert (
        "> Prefix caching needs the scheduler, see `Cache`. Ask `@octocat` or read `https://evil.example/page`;"
        " it fixes `#12` now." in reading.text
    )
    for noise in ("badge", "img", "8<", "!!!", "Careful", "design/scheduler", "<b>", "anchor"):
        assert noise not in reading.text


def test_a_fence_that_is_an_admonition_is_prose() -> None:
    text = "```note\nOnly `/v1/chat` works. Scores come\nlater.\n```\n"
    reading = answered("does /v1/chat work", passage(text, "docs/n.md", "markdown"))
    assert reading.text.endswith("> Only `/v1/chat` works. Scores come later.")


def test_code_in_prose_is_left_as_it_is() -> None:
    text = "The scheduler reads `blocks[i][j]` and [`Pool`][x.Pool] and m[1][2], see ``a ` [b][c]``."
    reading = answered("what does the scheduler read", passage(text, "docs/n.md", "markdown"))
    assert reading.text.endswith("> The scheduler reads `blocks[i][j]` and `Pool` and `m[1][2]`, see ``a ` [b][c]``.")


def test_a_notebook_is_read_by_its_cells() -> None:
    code = passage("%pip install x\nllm = LLM('m')\nllm.generate()", "n.ipynb", "notebook", symbol="Start")
    prose = passage("To generate text, make an `LLM` first.", "n.ipynb", "notebook", symbol="Start", start_line=9)
    reading = answered("how to generate with LLM", code, prose)
    assert "```python\n%pip install x\nllm = LLM('m')\nllm.generate()\n```" in reading.text
    assert "> To generate text, make an `LLM` first." in reading.text


def test_restructuredtext_is_quoted_without_its_directives() -> None:
    text = """
    Caching
    =======

    .. image:: x.png

    .. note::

       Caching needs the :class:`~pkg.Cache` object.

    Start it like this::

        serve --cache

    .. code-block:: python
       :linenos:

       cache.start()
    """
    reading = answered("how to start the caching object?", passage(text, "docs/c.rst", "rst", symbol="Caching"))
    assert "> Caching needs the `Cache` object." in reading.text
    assert code_blocks(reading.text) == [("", ["serve --cache"]), ("python", ["cache.start()"])]


def test_a_table_is_shown_by_the_rows_that_answer_under_its_header() -> None:
    rows = "\n".join(f"| `--flag-{n}` | {n} | Meaning number {n} of many words to fill the room. |" for n in range(20))
    text = (
        f"Flags:\n\n| Flag | Default | Meaning |\n| --- | --: | --- |\n{rows}\n| `--seed` | 7 | The seed a \\| b. |\n"
    )
    reading = answered("default of --seed", passage(text, "docs/t.md", "markdown"))
    assert "> | Flag | Default | Meaning |\n> | --- | --- | --- |\n" in reading.text
    assert "> | `--seed` | 7 | The seed a \\| b. |" in reading.text
    assert "--flag-3" not in reading.text


def test_sentences_are_whole_and_start_with_their_paragraph() -> None:
    text = (
        "Each engine has one scheduler, e.g. the one of v1. It keeps `x. Y` in the\nwaiting queue. Requests leave it"
        " when they are preempted.\n\n" + "Filler sentence with no meaning at all. " * 40
    )
    reading = answered("what leaves the waiting queue when preempted", passage(text, "docs/s.md", "markdown"))
    assert reading.text.endswith(
        "> Each engine has one scheduler, e.g. the one of v1. It keeps `x. Y` in the waiting queue. Requests leave it"
        " when they are preempted."
    )


def test_a_fence_holds_code_that_has_fences() -> None:
    text = 'PROMPT = """\n```bash\nserve --model x\n```\n"""\n'
    reading = answered("which PROMPT has serve --model", passage(text))
    assert "````python\nPROMPT" in reading.text
    assert [lines for _, lines in code_blocks(reading.text)] == [text.rstrip("\n").split("\n")]


@pytest.mark.parametrize(("language", "info"), [("cuda", "cpp"), ("bash", "bash"), ("rust", "rust"), ("```x", "")])
def test_the_info_string_is_one_that_highlights(language: str, info: str) -> None:
    assert code_blocks(answered("swap_blocks", passage("swap_blocks(1)", language=language)).text)[0][0] == info


def test_comments_above_belong_to_what_they_explain() -> None:
    filler = "\n\n".join(f"pub fn other_{n}() {{\n    call({n});\n}}" for n in range(9))
    text = (
        f"{filler}\n\n/// Evicts the oldest adapter.\n#[inline]\npub fn evict_oldest() {{\n    pop();\n}}\n\n{filler}"
    )
    reading = answered("what does evict_oldest do", passage(text, "src/a.rs", "rust"))
    assert "```rust\n/// Evicts the oldest adapter.\n#[inline]\npub fn evict_oldest() {" in reading.text


def test_a_question_in_another_language_is_answered_by_its_names() -> None:
    reading = answered("Какое значение prefill_threshold по умолчанию?", CONFIG)
    assert "prefill_threshold: int = Field(default=0, ge=0)" in reading.text
    assert "policy: str" in answered("policy 默认值是什么?", CONFIG).text


def test_nothing_relevant_is_no_answer() -> None:
    assert read("Will it rain in Berlin tomorrow?", evidence("Will it rain in Berlin tomorrow?", [CONFIG])) is None
    assert read("What about it?", evidence("What about it?", [CONFIG])) is None
    assert read("", evidence("", [CONFIG])) is None
    assert read("prefill_threshold", evidence("prefill_threshold", [])) is None


def test_what_repeats_or_overlaps_is_shown_once() -> None:
    again = passage(CONFIG.text, "other/config.py", symbol="SchedulerConfig", start_line=7)
    overlapping = passage("policy: str = 'fcfs'", "pkg/config.py", start_line=50)
    assert len(answered("what is policy", CONFIG, again, overlapping).passages) == 1


def test_at_most_five_places_are_cited() -> None:
    many = [passage(f"def swap_{n}(block):\n    return block.swap({n})", f"pkg/m{n}.py") for n in range(10)]
    reading = answered("how are blocks swapped", *many)
    assert 1 <= len(reading.passages) <= 5
    assert numbers(reading.text) == list(range(1, len(reading.passages) + 1))


WORDS = st.sampled_from(
    "alpha beta_gamma --delta-flag def class : ( ) [ ] { } [1] [2] ``` ```` ` ~~~ @octocat #12 <b> <!-- --> | --- "
    "![x](y) [t](u) https://e.example/x . .. ! 1. - * ** _ __ \\ & &lt; !!! === --8<-- \"\"\" ''' /* */ // # é 漢字。 "
    "\t".split(" ")
)
LINES = st.lists(st.one_of(WORDS, st.sampled_from(["    ", "\n", "\n\n", "\n    "])), max_size=60).map(" ".join)
TEXTS = st.one_of(LINES, st.text(max_size=300))
LANGUAGES = st.sampled_from(["python", "rust", "cuda", "bash", "yaml", "markdown", "rst", "text", ""])


@st.composite
def passages(draw: st.DrawFn) -> list[Passage]:
    found = []
    for n in range(draw(st.integers(0, 4))):
        text = draw(TEXTS)
        found.append(
            Passage(
                path=draw(st.sampled_from([f"a/{n}.py", "docs/`x`.md", "b c[1].txt"])),
                start_line=1 + 1000 * n,
                end_line=1 + 1000 * n + text.count("\n"),
                symbol=draw(st.one_of(st.just(""), st.just("Alpha.beta_gamma"), TEXTS)),
                kind="code",
                language=draw(LANGUAGES),
                score=draw(st.floats(0, 1)),
                text=text,
                url="https://x/",
            )
        )
    return found


QUESTIONS = st.one_of(st.just("what is alpha beta_gamma and --delta-flag in class e.example?"), TEXTS)


def verbatim(line: str, given: Passage) -> bool:
    """Whether a shown line is one of the passage's, but for the white space it starts with."""
    return not line.strip() or any(
        source.rstrip("\r").endswith(line) and not source.removesuffix("\r").removesuffix(line).strip()
        for source in given.text.split("\n")
    )


@settings(max_examples=150, deadline=None)
@given(QUESTIONS, passages())
def test_whatever_a_repository_holds_the_answer_is_whole_and_cited(question: str, given: list[Passage]) -> None:
    reading = read(question, evidence(question, given))
    if reading is None:
        return
    assert reading.text.strip()
    assert 1 <= len(reading.passages) <= 5
    assert all(cited in given for cited in reading.passages)
    assert len({(p.path, p.start_line) for p in reading.passages}) == len(reading.passages)
    assert numbers(reading.text) == list(range(1, len(reading.passages) + 1))


@settings(max_examples=150, deadline=None)
@given(QUESTIONS, passages())
def test_whatever_a_repository_holds_nothing_in_the_answer_is_live(question: str, given: list[Passage]) -> None:
    reading = read(question, evidence(question, given))
    if reading is None:
        return
    for token in tokens(reading.text):
        assert token.type not in ("html_block", "html_inline", "image", "link_open", "heading_open", "code_block")
        if token.type == "text":
            assert not re.search(r"(?<!\w)@\w|#\d|https?://", token.content)


@settings(max_examples=150, deadline=None)
@given(QUESTIONS, passages(), LANGUAGES.filter(lambda name: name not in ("markdown", "rst")))
def test_code_is_shown_verbatim_in_fences_that_close(question: str, given: list[Passage], language: str) -> None:
    given = [
        Passage(p.path, p.start_line, p.end_line, "", p.kind, language, p.score, p.text.replace("\r", ""), p.url)
        for p in given
    ]
    reading = read(question, evidence(question, given))
    if reading is None:
        return
    shown = [token for token in PARSER.parse(reading.text) if token.type == "fence"]
    source = reading.text.split("\n")
    for fence in shown:
        assert fence.map is not None
        assert re.fullmatch(r"`{3,}", source[fence.map[1] - 1])
        lines = source[fence.map[0] + 1 : fence.map[1] - 1]
        assert all(any(verbatim(line, p) for p in reading.passages) for line in lines)
    assert len(shown) >= len(reading.passages)
