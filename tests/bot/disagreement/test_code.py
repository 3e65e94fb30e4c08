"""Defaults that code gives: invented code in several languages."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.disagreement.code import coded
from bot.disagreement.statement import Statement
from fakes.found import passage

LANGUAGES = ["python", "rust", "go", "cpp", "typescript", "java", "yaml", "json", "bash", "notebook"]


def found(text: str, language: str = "python", symbol: str = "", path: str = "") -> list[Statement]:
    return coded(passage(text=dedent(text).strip("\n"), language=language, symbol=symbol, path=path), 0)


def given_by(text: str, language: str = "python", symbol: str = "", path: str = "") -> list[tuple[str, str, str]]:
    return [(s.name, s.literal, s.owner) for s in found(text, language, symbol, path)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("QUEUE_SIZE = 8", ("QUEUE_SIZE", "8", "")),
        ("QUEUE_SIZE: Final = 1_000  # enough", ("QUEUE_SIZE", "1_000", "")),
        ("class Queue:\n    queue_size: int = 8", ("queue_size", "8", "Queue")),
        (
            "@dataclass\nclass Queue(Base):\n    spill_mode: str = field(default='lazy')",
            ("spill_mode", "'lazy'", "Queue"),
        ),
        ("class Queue:\n    queue_size: int = Field(default=8, gt=0)", ("queue_size", "8", "Queue")),
        ("class Queue:\n    queue_size: int = Field(8, description='many, or (few)')", ("queue_size", "8", "Queue")),
        ("class Queue:\n    queue_size: int = Field(\n        default=8,\n    )", ("queue_size", "8", "Queue")),
        (
            "class Queue:\n    MOST_JOBS: ClassVar[int] = 8\n    queue_size: int = MOST_JOBS",
            ("queue_size", "8", "Queue"),
        ),
        ('parser.add_argument("-q", "--queue-size", type=int, default=8)', ("--queue-size", "8", "")),
        ('@click.option(\n    "--queue-size",\n    default=8,\n    help="how (many)",\n)', ("--queue-size", "8", "")),
        ('x = int(os.getenv("QUEUE_SIZE", "8"))', ("QUEUE_SIZE", '"8"', "")),
        ('x = os.environ.get("QUEUE_MODE", "lazy").lower()', ("QUEUE_MODE", '"lazy"', "")),
        ('x = get_bool("QUEUE_SPILLS", False)', ("QUEUE_SPILLS", "False", "")),
        ('x = env_with_choices("QUEUE_MODE", "lazy", ["lazy", "now"])', ("QUEUE_MODE", '"lazy"', "")),
        (
            'DEFAULT_OPTIONS = {\n    "queue_size": 8,\n    "x": {"spill_mode": 1},\n}',
            ("queue_size", "8", "DEFAULT_OPTIONS"),
        ),
    ],
)
def test_python(text: str, expected: tuple[str, str, str]) -> None:
    assert expected in given_by(text)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("cpp", "struct Queue {\n  int queue_size = 8;\n};", ("queue_size", "8", "Queue")),
        ("cpp", "static constexpr int QUEUE_SIZE = 8;", ("QUEUE_SIZE", "8", "")),
        ("c", "#define QUEUE_SIZE 8", ("QUEUE_SIZE", "8", "")),
        ("cpp", 'DEFINE_int32(queue_size, 8, "how many");', ("queue_size", "8", "")),
        ("rust", "pub const QUEUE_SIZE: usize = 8;", ("QUEUE_SIZE", "8", "")),
        (
            "rust",
            "struct Args {\n    /// How many.\n    #[arg(long, default_value_t = 8)]\n    pub queue_size: usize,\n}",
            ("queue_size", "8", ""),
        ),
        ("rust", '#[arg(long = "queue-size", default_value = "8")]\nsize: usize,', ("queue-size", '"8"', "")),
        ("rust", 'let x = env::var("QUEUE_SIZE").unwrap_or("8".into());', ("QUEUE_SIZE", "", "")),
        ("go", 'flags.IntVarP(&size, "queue-size", "q", 8, "how many")', ("queue-size", "8", "")),
        ("go", 'size := flag.Int("queue-size", 8, "how many")', ("queue-size", "8", "")),
        ("java", "class Queue {\n    private int queue_size = 8;\n}", ("queue_size", "8", "Queue")),
        ("typescript", "const size = options.queue_size ?? 8;", ("queue_size", "8", "")),
        ("javascript", 'const size = process.env.QUEUE_SIZE || "8";', ("QUEUE_SIZE", '"8"', "")),
        ("kotlin", "class Queue {\n    val queue_size: Int = 8\n}", ("queue_size", "8", "Queue")),
    ],
)
def test_other_languages(language: str, text: str, expected: tuple[str, str, str]) -> None:
    assert given_by(text, language) == [expected]


def test_files_of_defaults_and_schemas() -> None:
    values = "queue_size: 8  # enough\nspill:\n  spill_mode: lazy\n  spill_dirs: [a]\n"
    expected = [("queue_size", "8", ""), ("spill_mode", "lazy", ""), ("spill_dirs", "", "")]
    assert given_by(values, "yaml", path="chart/values.yaml") == expected
    assert given_by(values, "yaml", path=".ci/jobs.yaml") == []
    schema = '{\n  "queue_size": {\n    "type": "integer",\n    "default": 8\n  }\n}'
    assert given_by(schema, "json", path="schema.json") == [("queue_size", "8", "")]


@pytest.mark.parametrize(
    "text",
    [
        "class Queue:\n    queue_size: int = 8 * CORES",
        "class Queue:\n    queue_size: int = 8 if SMALL else 16",
        "class Queue:\n    queue_size: int | None = None",
        "class Queue:\n    queue_size: int = field(default_factory=cores)",
        "class Queue:\n    queue_size: int = MOST_JOBS",
        'parser.add_argument("--queue-size", default=cores())',
        'x = os.getenv("QUEUE_SIZE")',
        'x = os.getenv("QUEUE_SIZE", str(8 * 2))',
    ],
)
def test_what_has_to_be_computed_leaves_a_name_without_a_value(text: str) -> None:
    (only,) = found(text)
    assert (only.value, only.name.strip("-").replace("-", "_").lower()) == (None, "queue_size")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "def run():\n    queue_size: int = 8\n    queue_size = 8"),
        ("python", "run(queue_size=8)"),
        ("python", "class Queue:\n    queue_size: int = Config.queue_size"),
        ("python", 'os.environ.setdefault("QUEUE_SIZE", "8")\nmonkeypatch.setenv("QUEUE_SIZE", "8")'),
        ("python", 'parser.add_argument("--queue-size", type=int)'),
        ("python", "class Queue:\n    size: int = 8"),
        ("python", 'OPTIONS = {\n    "queue_size": 8,\n}\nTESTDEFAULTS = {\n    "queue_size": 8,\n}'),
        ("cpp", "int run() {\n  int queue_size = 8;\n}"),
        ("bash", "QUEUE_SIZE=8\nQUEUE_SIZE = 8"),
        ("notebook", "QUEUE_SIZE = 8"),
    ],
)
def test_what_is_set_on_the_way_is_no_default(language: str, text: str) -> None:
    assert found(text, language) == []


def test_parameters_have_their_function_and_keys_are_a_fallback_only() -> None:
    (parameter,) = found("async def run(\n    jobs,\n    queue_size: int = 8,\n) -> None: ...")
    assert (parameter.literal, parameter.owner, parameter.argument, parameter.start_line) == ("8", "run", True, 3)
    (own,) = found("def __init__(self, queue_size=8):\n    pass", symbol="Queue.__init__")
    assert (own.owner, own.argument) == ("Queue", True)
    (fallback,) = found('x = options.get("queue_size", 8)')
    assert (fallback.literal, fallback.fallback) == ("8", True)


def test_a_passage_out_of_the_middle_of_a_class_or_table() -> None:
    member = "    # of the class above\n    queue_size: int = 8"
    assert [s.owner for s in coded(passage(text=member, symbol="Queue"), 0)] == ["Queue"]
    assert coded(passage(text=member, symbol="Queue.run"), 0) == []
    entries = '    "queue_size": 8,\n    "spill": {\n        "spill_mode": 1,\n    },'
    assert [s.name for s in coded(passage(text=entries, symbol="DEFAULT_OPTS"), 0)] == ["queue_size"]
    assert coded(passage(text=entries, symbol="OPTS"), 0) == []


PIECES = st.sampled_from(
    'queue_size|QUEUE_SIZE|--queue-size|: int| = |8|"|\'|(|)|{|}|,|\n|    |#|field(default=|getenv("QUEUE_SIZE", '
    '|add_argument("--queue-size", default=|class Queue:\n|def run(|#[arg(default_value_t = |??|process.env.QUEUE_SIZE'
    "|DEFAULT_X = {|struct X {|default:|[|é".split("|")
)


@settings(deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=6)), max_size=40).map("".join), st.sampled_from(LANGUAGES))
def test_lines_lie_in_the_passage(text: str, language: str) -> None:
    shown = passage(text=text, language=language, symbol="Queue", start_line=7, path="x/defaults.yaml")
    for said in coded(shown, 0):
        assert 7 <= said.start_line <= said.end_line <= shown.end_line
