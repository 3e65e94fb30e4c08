"""What a model was shown of an invented repository, and its reply as it is checked: cut into pieces, block by block."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from textwrap import dedent

from bot.grounding import Grounder, Knowledge
from bot.markdown import Blocks
from bot.types import Passage
from fakes.found import ORIGIN, passage

SECRET = "CANARY-7f3a91"
# Names that the index has beside those of the passages.
INDEXED = frozenset({"reservoir", "tidepool_home", "tidepool/cli.py", "spill_bytes_total"})


def _passage(number: int, text: str, path: str, symbol: str, start_line: int, **rest: str) -> Passage:
    return passage(number, dedent(text).strip("\n"), path, symbol, start_line=start_line, **rest)  # type: ignore[arg-type]


CONFIG = _passage(
    1,
    '''
    @dataclass
    class PoolConfig:
        """How the worker pool is sized."""

        max_workers: int = 8
        """Threads that serve requests at the same time."""
        queue_limit: int = 4_096
        """Requests that wait at most; more are refused with status 429."""
        idle_timeout_s: float = 0.90
        """Seconds until an idle worker is stopped."""
        policy: str = "fifo"
        """Order in which waiting requests are served: `fifo` or `priority`."""
    ''',
    "tidepool/config.py",
    "PoolConfig",
    40,
)
TUNING = _passage(
    2,
    """
    ## Spilling to disk

    When the memory share is used up, the oldest pages are spilled to disk. Set `--spill-dir` to a fast local disk;
    without it spilling is off and requests are refused.

    The share of memory is set by `--memory-share` and is 0.85 by default. Start the server with:

    ```bash
    tidepool serve --spill-dir /mnt/nvme --memory-share 0.7
    ```

    Spilled pages are read back when a request needs them, which takes about 2 ms a page.
    """,
    "docs/tuning.md",
    "Tuning › Spilling to disk",
    12,
    kind="docs",
    language="markdown",
)
SERVER = _passage(
    3,
    """
    def add_arguments(parser):
        parser.add_argument("--queue-limit", type=int, default=4096, help="Requests that wait at most.")
        parser.add_argument("--spill-dir", default=None, help="Folder for spilled pages; none turns spilling off.")
        parser.add_argument("--memory-share", type=float, default=0.85, help="Share of memory for pages.")
        parser.add_argument("--log-level", default="info", choices=["debug", "info", "warning"])


    @app.get("/v1/pools/{name}")
    def pool(name: str):
        \"\"\"Statistics of one pool; 404 for a pool that does not exist.\"\"\"
        return pools[name].statistics()
    """,
    "tidepool/server.py",
    "add_arguments",
    88,
)
RING = _passage(
    4,
    """
    impl Ring {
        /// Appends a page. Returns the page that had to make room for it, if the ring was full.
        pub fn push_back(&mut self, page: Page) -> Option<Page> {
            let evicted = if self.len == self.capacity { self.pop_front() } else { None };
            self.pages[self.tail] = page;
            self.tail = (self.tail + 1) % self.capacity;
            evicted
        }
    }
    """,
    "src/ring.rs",
    "Ring::push_back",
    210,
    language="rust",
)
VALUES = _passage(
    5,
    """
    replicaCount: 3
    resources:
      limits:
        memory: 16Gi
    env:
      TIDEPOOL_MAX_WORKERS: "12"
    """,
    "deploy/values.yaml",
    "resources",
    1,
    kind="config",
    language="yaml",
)
NOTEBOOK = _passage(
    6,
    """
    from tidepool import Client

    client = Client("http://localhost:7070")
    client.submit("resize", {"width": 640})
    """,
    "examples/quickstart.ipynb",
    "cell 3",
    31,
    kind="example",
    language="notebook",
)
LONG = _passage(
    7,
    "\n".join(
        [
            "class Pool:",
            '    """Serves requests from worker threads."""',
            *(f"\n    def step_{n}(self):\n        self.counter_{n} += {n}" for n in range(20)),
            "\n    def drain(self):",
            '        """Finish what is running, refuse what is new, then stop the workers."""',
            "        self.accepting = False",
            "        self.finished.wait()",
        ]
    ),
    "tidepool/pool.py",
    "Pool",
    300,
)
PASSAGES = (CONFIG, TUNING, SERVER, RING, VALUES, NOTEBOOK, LONG)
QUESTION = "How does tidepool limit waiting requests, and what happens when memory runs out?"


@dataclass(frozen=True)
class Grounded:
    """The text that is shown, and the lines that `[n]` in it refers to."""

    text: str
    cited: tuple[Passage, ...]

    @property
    def paths(self) -> list[str]:
        return [found.path for found in self.cited]


def knowledge(
    question: str = QUESTION, passages: Sequence[Passage] = PASSAGES, missing: Collection[str] = ()
) -> Knowledge:
    return Knowledge(passages, ORIGIN, question, missing, unknown, lambda text: SECRET in text)


def unknown(names: Iterable[str]) -> set[str]:
    """As the index says it: by whole names, however flags are spelled."""
    return {name for name in names if name.lower().strip("-/").replace("-", "_") not in INDEXED}


def ground(*pieces: str, known: Knowledge | None = None) -> Grounded:
    """What of a reply in pieces is shown."""
    grounder, blocks = Grounder(known or knowledge()), Blocks()
    fed = (block for piece in pieces for block in blocks.feed(piece))
    shown = [grounder.grounded(block) for block in fed]
    shown += [grounder.grounded(block) for block in blocks.finish()]
    return Grounded("".join(shown), grounder.citing.passages())
