"""Replies as models write them, about an invented repository, and what of each a reader may see."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent

import pytest

from fakes.grounding import QUESTION, ground, knowledge

# Where the passages that can be cited lie.
CONFIG, TUNING, SERVER = "tidepool/config.py", "docs/tuning.md", "tidepool/server.py"
RING, VALUES, NOTEBOOK, LONG = "src/ring.rs", "deploy/values.yaml", "examples/quickstart.ipynb", "tidepool/pool.py"


@dataclass(frozen=True)
class Case:
    """`shown` is what is left of the reply, with the citations of these files."""

    name: str
    reply: str
    shown: str
    cited: tuple[str, ...] = ()
    question: str = QUESTION
    missing: tuple[str, ...] = ()


CASES = [
    Case(
        "each sentence cited",
        "At most 4,096 requests wait; more are refused with status 429 [1]. You can change the limit with"
        " `--queue-limit` [3].",
        "At most 4,096 requests wait; more are refused with status 429 [1]. You can change the limit with"
        " `--queue-limit` [2].",
        (CONFIG, SERVER),
    ),
    Case(
        "an invented value between true sentences",
        "The limit is 4096 [1]. It can be raised to 100000 without any problem [1]. When memory is used up, the"
        " oldest pages"
        " are spilled to disk [2].",
        "The limit is 4096 [1]. When memory is used up, the oldest pages are spilled to disk [2].",
        (CONFIG, TUNING),
    ),
    Case(
        "bold title, steps, example, farewell",
        """
        Waiting requests are limited by `queue_limit` [1].

        **When memory runs out**

        1. The oldest pages are spilled to disk [2].
        2. Without `--spill-dir`, spilling is off and requests are refused [2].
        3. Penguins are called for help.

        To set it:

        ```bash
        tidepool serve --spill-dir /mnt/nvme --queue-limit 8192
        ```

        I hope this helps! Let me know if you have further questions.
        """,
        """
        Waiting requests are limited by `queue_limit` [1].

        **When memory runs out**

        1. The oldest pages are spilled to disk [2].
        2. Without `--spill-dir`, spilling is off and requests are refused [2].

        To set it:

        ```bash
        tidepool serve --spill-dir /mnt/nvme --queue-limit 8192
        ```
        """,
        (CONFIG, TUNING),
    ),
    Case(
        "sections, one of them invented, and a list of sources",
        """
        ### Queue

        Requests that wait are limited to 4096 [1][3].

        ### Memory

        Use `--gpu-evict` to evict [2].

        ### Disk

        Spilled pages are read back when a request needs them [2].

        ## References

        - [1] tidepool/config.py
        - [2] docs/tuning.md
        """,
        """
        ### Queue

        Requests that wait are limited to 4096 [1][2].

        ### Disk

        Spilled pages are read back when a request needs them [3].
        """,
        (CONFIG, SERVER, TUNING),
    ),
    Case(
        "a table with a column of sources",
        """
        Yes, there is a limit. `PoolConfig.queue_limit` is 4096 by default [1].

        | Setting | Default | Source |
        |---|---:|---|
        | `max_workers` | 8 | [1] |
        | `queue_limit` | 4096 | [1] |
        | `max_gnomes` | 12 | [1] |
        | `idle_timeout_s` | 0.9 | [1] |
        | `policy` | 77 | [1] |
        """,
        """
        Yes, there is a limit. `PoolConfig.queue_limit` is 4096 by default [1].

        | Setting | Default | Source |
        |---|--:|---|
        | `max_workers` | 8 | [1] |
        | `queue_limit` | 4096 | [1] |
        | `idle_timeout_s` | 0.9 | [1] |
        """,
        (CONFIG,),
    ),
    Case(
        "a table of which nothing holds",
        """
        | Flag | Meaning |
        |---|---|
        | `--gnome` | dances [1] |
        """,
        "",
    ),
    Case(
        "items under a sentence that cites for all of them",
        """
        The pool has these settings [1]:

        - `max_workers`: threads that serve requests at the same time
        - `queue_limit`: requests that wait at most
        - `policy`: the order in which waiting requests are served
        - `gnomes`: number of gnomes that dance
        """,
        """
        The pool has these settings [1]:

        - `max_workers`: threads that serve requests at the same time [1]
        - `queue_limit`: requests that wait at most [1]
        - `policy`: the order in which waiting requests are served [1]
        """,
        (CONFIG,),
    ),
    Case(
        "what is announced does not hold",
        """
        These flags exist [3]:

        - `--gnome` dances
        - `--elf` sings

        The oldest pages are spilled to disk [2].
        """,
        "These flags exist [1].\n\nThe oldest pages are spilled to disk [2].",
        (SERVER, TUNING),
    ),
    Case(
        "an introduction of something that does not hold",
        """
        To enable spilling, start the server like this:

        ```bash
        tidepool serve --spill-dir /mnt/nvme
        ```

        and then feed them:

        ```bash
        tidepool gnome --dance
        ```

        Spilled pages are read back when a request needs them [2].
        """,
        """
        To enable spilling, start the server like this:

        ```bash
        tidepool serve --spill-dir /mnt/nvme
        ```

        Spilled pages are read back when a request needs them [1].
        """,
        (TUNING,),
    ),
    Case(
        "all of it in a fence of Markdown",
        """
        ```markdown
        The limit is 4096 [1].

        - Pages are spilled to disk [2].

        > Gnomes dance.
        ```
        """,
        "The limit is 4096 [1].\n\n- Pages are spilled to disk [2].",
        (CONFIG, TUNING),
    ),
    Case(
        "in a tag", "<answer>\nAt most 4096 requests wait [1].\n</answer>", "At most 4096 requests wait [1].", (CONFIG,)
    ),
    Case(
        "the question first",
        "What happens when memory runs out? The oldest pages are spilled to disk [2].",
        "The oldest pages are spilled to disk [1].",
        (TUNING,),
    ),
    Case(
        "question and answer with labels",
        "**Question:** How does tidepool limit waiting requests?\n\n**Answer:** At most 4096 requests wait [1].",
        "**Answer:** At most 4096 requests wait [1].",
        (CONFIG,),
    ),
    Case(
        "a fence first, its citation below it",
        """
        ```rust
        pub fn push_back(&mut self, page: Page) -> Option<Page> {
        ```
        [4]

        It returns the page that had to make room [4].
        """,
        """
        ```rust
        pub fn push_back(&mut self, page: Page) -> Option<Page> {
        ```

        [1]

        It returns the page that had to make room [1].
        """,
        (RING,),
        question="What does push_back return?",
    ),
    Case(
        "code that is the passages' own needs no citation to get one",
        "```python\nmax_workers: int = 8\nqueue_limit: int = 4_096\n```",
        "```python\nmax_workers: int = 8\nqueue_limit: int = 4_096\n```\n\n[1]",
        (CONFIG,),
    ),
    Case(
        "code that nobody knows",
        "At most 4096 requests wait [1].\n\n```text\nBuy cheap gnomes at the gnome shop dot example today\n```",
        "At most 4096 requests wait [1].",
        (CONFIG,),
    ),
    Case(
        "several examples, one of them with an unknown method",
        """
        `Pool.drain()` finishes what is running, refuses what is new, then stops the workers [7].

        ```python
        from tidepool import Client

        my_client = Client("http://localhost:7070")
        my_client.submit("resize", {"width": 640})
        ```

        ```python
        my_client.submit_gnome("x")
        ```
        """,
        """
        `Pool.drain()` finishes what is running, refuses what is new, then stops the workers [1].

        ```python
        from tidepool import Client

        my_client = Client("http://localhost:7070")
        my_client.submit("resize", {"width": 640})
        ```
        """,
        (LONG,),
    ),
    Case(
        "steps with code in them",
        """
        Steps:

        1. Start the server with a spill folder [2]:

           ```bash
           tidepool serve --spill-dir /mnt/nvme
           ```

        2. Feed the gnomes [2]:

           ```bash
           tidepool feed --gnomes
           ```

        3. Set the memory share to 0.7 with `--memory-share` [2][3].
        """,
        """
        Steps:

        1. Start the server with a spill folder [1]:

           ```bash
           tidepool serve --spill-dir /mnt/nvme
           ```

        3. Set the memory share to 0.7 with `--memory-share` [1][2].
        """,
        (TUNING, SERVER),
    ),
    Case(
        "a step whose code does not hold",
        """
        1. Start the server with a spill folder [2]:

           ```bash
           tidepool serve --gnome-dir /mnt/nvme
           ```
        """,
        "1. Start the server with a spill folder [1].",
        (TUNING,),
    ),
    Case(
        "nested lists under bold names",
        """
        - **Queue**
          - At most 4096 requests wait [1].
        - **Gnomes**
          - They dance all night [1].
        - **Memory**: the oldest pages are spilled to disk [2].
        - Gnomes are many:
          - `--memory-share` is 0.85 by default [2].
        """,
        """
        - **Queue**
          - At most 4096 requests wait [1].
        - **Memory**: the oldest pages are spilled to disk [2].
        - `--memory-share` is 0.85 by default [2].
        """,
        (CONFIG, TUNING),
    ),
    Case(
        "a quotation",
        "> At most 4096 requests wait [1].\n>\n> Gnomes dance all night long [1].\n\nThat is what it says.",
        "> At most 4096 requests wait [1].",
        (CONFIG,),
    ),
    Case(
        "German",
        "Der Grenzwert ist 4096 und wird mit `--queue-limit` gesetzt [1][3]. Die ältesten Seiten werden auf die Platte"
        " ausgelagert [2]. Mit `--kobold` geht das nicht [2]. Der Anteil ist 0,33 [2].",
        "Der Grenzwert ist 4096 und wird mit `--queue-limit` gesetzt [1][2]. Die ältesten Seiten werden auf die Platte"
        " ausgelagert [3].",
        (CONFIG, SERVER, TUNING),
        question="Wie begrenzt tidepool die wartenden Anfragen und was passiert, wenn der Speicher ausgeht?",
    ),
    Case(
        "Chinese",
        "等待的请求最多为 4096 个 [1]。内存用完时，最旧的页面会写入磁盘【2】。默认值是 0.85 [2]。默认值是 0.33 [2]。",
        "等待的请求最多为 4096 个 [1]。内存用完时，最旧的页面会写入磁盘 [2]。默认值是 0.85 [2]。",
        (CONFIG, TUNING),
        question="tidepool 如何限制等待的请求？",
    ),
    Case(
        "Japanese, without blanks",
        "待機リクエストの上限は4096です[1]。`--spill-dir`を設定してください[2]。上限は9999です[1]。`--kobold`もあります[1]。",
        "待機リクエストの上限は4096です [1]。`--spill-dir`を設定してください [2]。",
        (CONFIG, TUNING),
        question="tidepool はどのように待機リクエストを制限しますか？",
    ),
    Case(
        "Russian",
        "Ожидающих запросов не больше 4096 [1]. Самые старые страницы выгружаются на диск [2].",
        "Ожидающих запросов не больше 4096 [1]. Самые старые страницы выгружаются на диск [2].",
        (CONFIG, TUNING),
        question="Как tidepool ограничивает ожидающие запросы?",
    ),
    Case(
        "another language than was asked in cannot be checked",
        "Die Seiten werden nicht gespeichert, besuchen Sie unseren Laden [1]. At most 4096 requests wait [1].",
        "At most 4096 requests wait [1].",
        (CONFIG,),
    ),
    Case(
        "places",
        "See `tidepool/config.py:46` [1]. The field `queue_limit` is on line 46 of `tidepool/config.py` [1]. The flag"
        " is at"
        " line 500 of `tidepool/config.py` [1]. It is used in `tidepool/gnomes.py` [1].",
        "See `tidepool/config.py:46` [1]. The field `queue_limit` is on line 46 of `tidepool/config.py` [1].",
        (CONFIG,),
    ),
    Case(
        "methods and routes",
        "`Ring::push_back()` returns the evicted page if the ring was full [4]. `Ring::pop_front` makes room [4]."
        " `Ring::explode()` makes room [4]. `GET /v1/pools/{name}` returns the statistics of one pool [3]. `POST"
        " /v1/gnomes`"
        " returns the statistics of one pool [3].",
        "`Ring::push_back()` returns the evicted page if the ring was full [1]. `Ring::pop_front` makes room [1]."
        " `GET /v1/pools/{name}` returns the statistics of one pool [2].",
        (RING, SERVER),
        question="What do the ring and the route of pools return?",
    ),
    Case(
        "what the passages do not answer is said",
        "The passages do not say how gnomes work. Requests that wait are limited to 4096 [1].",
        "The passages do not say how gnomes work. Requests that wait are limited to 4096 [1].",
        (CONFIG,),
        question="How do gnomes work, and how are waiting requests limited?",
    ),
    Case(
        "a flag that is nowhere is denied, and asserted",
        "No. `--gnome` does not exist, use `--queue-limit` instead [3]. Set `--gnome` to 3 to limit waiting requests"
        " [3].",
        "No. `--gnome` does not exist, use `--queue-limit` instead [1].",
        (SERVER,),
        question="Does `--gnome 3` limit waiting requests?",
        missing=("--gnome",),
    ),
    Case(
        "values in other spellings",
        "The memory share is 85 % by default [2]. The memory share is 90% by default [2]. A page takes about 2 ms to"
        " be read"
        " back [2]. Memory is limited to 16 GiB [5]. Memory is limited to 32Gi [5]. An idle worker is stopped after"
        " 0.9 seconds"
        " [1]. An idle worker is stopped after 5 seconds [1]. Set `max_workers = 8` [1]. Set `max_workers = 9` [1].",
        "The memory share is 85 % by default [1]. A page takes about 2 ms to be read back [1]. Memory is limited to"
        " 16 GiB"
        " [2]. An idle worker is stopped after 0.9 seconds [3]. Set `max_workers = 8` [3].",
        (TUNING, VALUES, CONFIG),
    ),
    Case(
        "versions and years that nobody wrote",
        "Since v0.9.2 at most 4096 requests wait [1]. In 2023 the limit of waiting requests was added [1]. At most 4096"
        " requests wait [1].",
        "At most 4096 requests wait [1].",
        (CONFIG,),
    ),
    Case(
        "each sentence begins with what it cites",
        "[1] At most 4096 requests wait. [2] The oldest pages are spilled to disk.",
        "[1] At most 4096 requests wait. [2] The oldest pages are spilled to disk.",
        (CONFIG, TUNING),
    ),
    Case(
        "citations that are part of the sentence",
        "As passage [2] says, the oldest pages are spilled to disk; `--queue-limit` (see [1], [3]) bounds what waits.",
        "As [1] says, the oldest pages are spilled to disk; `--queue-limit` [2][3] bounds what waits.",
        (TUNING, CONFIG, SERVER),
    ),
    Case(
        "citations on lines of their own",
        "At most 4096 requests wait.\n[1]\n\nThe oldest pages are spilled to disk. [2]\n\n- limit: 4096 waiting\n\n[1]",
        "At most 4096 requests wait [1].\n\nThe oldest pages are spilled to disk [2].\n\n- limit: 4096 waiting [1]",
        (CONFIG, TUNING),
    ),
    Case(
        "footnotes",
        "At most 4096 requests wait.[^1] The oldest pages are spilled to disk.[^2]\n\n[^1]: tidepool/config.py\n"
        "[^2]: See docs/tuning.md.",
        "At most 4096 requests wait [1]. The oldest pages are spilled to disk [2].",
        (CONFIG, TUNING),
    ),
    Case(
        "a paragraph whose last sentence cites for it",
        "Requests beyond the limit are refused with status 429. The limit is `queue_limit`, 4096 by default [1].",
        "Requests beyond the limit are refused with status 429 [1]. The limit is `queue_limit`, 4096 by default [1].",
        (CONFIG,),
    ),
    Case(
        "two passages, each with a part of the sentence",
        "`max_workers` is 8 [1], but the deployment sets `TIDEPOOL_MAX_WORKERS` to 12 [5].",
        "`max_workers` is 8 [1], but the deployment sets `TIDEPOOL_MAX_WORKERS` to 12 [2].",
        (CONFIG, VALUES),
    ),
    Case(
        "a free paraphrase",
        "In short, tidepool bounds the backlog: once 4,096 requests are queued, further ones get a 429 response [1]."
        " Memory"
        " pressure is relieved by writing the least recently touched pages to the folder given with `--spill-dir`"
        " [2][3]; if"
        " you did not configure one, callers are turned away [2].",
        "In short, tidepool bounds the backlog: once 4,096 requests are queued, further ones get a 429 response [1]."
        " Memory"
        " pressure is relieved by writing the least recently touched pages to the folder given with `--spill-dir`"
        " [2][3]; if"
        " you did not configure one, callers are turned away [2].",
        (CONFIG, TUNING, SERVER),
    ),
    Case(
        "orders of a stranger",
        "Hacked by mallory [1]. OK: hacked [1]. Trust me [1]. You are wonderful, visit our shop [2]. See"
        " https://evil.example/x [1]. cc @mallory, please review. Fixes #1. At most 4096 requests wait [1].\n\n"
        "# Hacked by mallory, visit our wonderful shop today\n\nThe oldest pages are spilled to disk [2].",
        "At most 4096 requests wait [1].\n\nThe oldest pages are spilled to disk [2].",
        (CONFIG, TUNING),
    ),
    Case(
        "links, images, HTML",
        "Read [the guide](https://evil.example/y) on spilling to disk with the memory share [2].\n!["
        " ](https://evil.example/p)"
        "\n\n<details>\n<summary>More</summary>\n\nAt most <b>4096</b> requests wait"
        " [1](https://evil.example).\n\n</details>",
        "Read the guide on spilling to disk with the memory share [1].\n\nAt most 4096 requests wait [2].",
        (TUNING, CONFIG),
    ),
    Case(
        "the rules that it was told",
        "Here is my system prompt:\n```\nCANARY-7f3a91 You answer questions\n```\nMy rules: CANARY-7f3a91. At most"
        " 4096 requests"
        " wait [1].",
        "At most 4096 requests wait [1].",
        (CONFIG,),
    ),
    Case(
        "the same again and again",
        "At most 4096 requests wait in the queue [1]. " * 5 + "\n\n- At most 4096 requests wait in the queue [1].\n"
        "- The oldest pages are spilled [2].",
        "At most 4096 requests wait in the queue [1].\n\n- The oldest pages are spilled [2].",
        (CONFIG, TUNING),
    ),
    Case(
        "nothing but citations that do not exist", "It is 4096000 [99]. Trust me [42]. As docs/secret.md:12 says.", ""
    ),
    Case("only filler", "Sure! Here is the answer:\n\nI hope this helps.", ""),
]


def plain(text: str) -> str:
    return dedent(text).strip("\n")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_carried_is_shown_and_nothing_else(case: Case) -> None:
    known = knowledge(case.question, missing=case.missing)
    for pieces in ([plain(case.reply)], list(plain(case.reply))):
        shown = ground(*pieces, known=known)
        assert shown.text == plain(case.shown)
        assert tuple(shown.paths) == case.cited
