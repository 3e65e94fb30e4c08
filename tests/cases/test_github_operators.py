"""Each operator of sections A and B accepts a good observation and refuses a bad one."""

from __future__ import annotations

import json
import time
from typing import Any

import jwt
import pytest

from cases.examples import Example, example, judged, number_examples, text_examples
from cases.github_observation import GitHubObservation, Signed, mutations, question_in
from cases.github_operators import OPERATORS
from cases.github_section import OPERATORS as ALL
from cases.http_observation import Exchange, ModelCall
from fakes.github.calls import Call, Hub
from fakes.github.deliveries import Deliveries, signature
from fakes.github.documents import Documents
from fakes.github.limits import Limits
from fakes.github.people import App, User
from fakes.github.world import Change, World

PATH = "/repos/example-org/engine/issues/17/comments"
KEY = "k" * 32
OWNER = User("example-org", 1, "Organization")
BOT = User("repopilot[bot]", 2, "Bot")
WORLD = World(App(424_242, "repopilot", "RepoPilot", OWNER, BOT, "no key"))
HUB = Hub(WORLD, Documents("http://127.0.0.1"), Limits(), Deliveries(WORLD))
ISSUE = WORLD.issue("T", home=WORLD.repository("example-org/engine"))


def called(
    method: str = "POST", path: str = PATH, at: float = 0.0, body: Any = None, status: int = 201, **headers: str
) -> Call:
    data = json.dumps({"body": "16 [1]."} if body is None else body).encode()
    made = Call(method, path, {}, headers, data, HUB, at=at or time.monotonic())
    made.status = status
    return made


def seen(*api: Call, **more: Any) -> GitHubObservation:
    return GitHubObservation(api=api, **more)


def changed(deed: Any, *texts: str) -> list[Change]:
    return [Change(deed, ISSUE, BOT, text) for text in texts]


def replied(*texts: str, **more: Any) -> GitHubObservation:
    return GitHubObservation(created=changed("created", *texts), **more)


def answered(status: int, replies: int = 0, body: str = "") -> GitHubObservation:
    return replied(*["x"] * replies, exchanges=[Exchange(status, body=body)])


def mutating(query: str, **variables: Any) -> GitHubObservation:
    return seen(called(path="/graphql", body={"query": query, "variables": variables}))


def signing(scheme: str = "Bearer", **claims: Any) -> GitHubObservation:
    now = int(time.time())
    token = jwt.encode({"iss": "424242", "iat": now - 60, "exp": now + 540} | claims, KEY, algorithm="HS256")
    return seen(called(path="/app/installations/1/access_tokens", authorization=f"{scheme} {token}"))


def signed(header: str) -> GitHubObservation:
    return GitHubObservation(signed=Signed("secret", b"body", header))


INLINE = 'mutation { addDiscussionComment(input: {discussionId: "D_1", body: "x"}) { comment { id } } }'
WHOLE = "mutation($input: AddDiscussionCommentInput!) { addDiscussionComment(input: $input) { comment { id } } }"
WANTED = {"method": "POST", "path": "/graphql"}
TO_D_1 = {"mutation": "addDiscussionComment", "input": {"discussionId": "D_1"}, "absent": ["replyToId"]}
RULE = "2xx iff replies==1; otherwise the response body names content type application/json"

EXAMPLES: list[Example[GitHubObservation]] = [
    *number_examples("replies", lambda n: replied(*["x"] * n)),
    *number_examples("answers", lambda n: replied(*["x"] * n)),
    *number_examples("edits", lambda n: GitHubObservation(edited=changed("edited", *["x"] * n))),
    *number_examples("deletes", lambda n: GitHubObservation(deleted=changed("deleted", *["x"] * n))),
    *number_examples("index_jobs", lambda n: GitHubObservation(index_jobs=n)),
    *number_examples("rss_growth_mb", lambda n: GitHubObservation(peak_growth_mb=n)),
    *text_examples("reply", replied),
    *text_examples("question", lambda text: GitHubObservation(questions=[text])),
    example("http", answered(202), answered(500), value={"status_in": [200, 202]}),
    example("http", answered(202), answered(401), value={"status_not_in": [401]}),
    example("http", answered(202), answered(200), value={"status": 202}),
    example(
        "http",
        GitHubObservation([Exchange(200, seconds=1)]),
        GitHubObservation([Exchange(200, seconds=3)]),
        value={"max_seconds": 2},
    ),
    example("calls", seen(called()), seen(called(path="/other")), value=[{"method": "POST", "path": PATH}]),
    example("calls", seen(called()), seen(called(), called()), value=[{"path": PATH, "count": 1}]),
    example("calls", seen(called()), seen(), value=[{"path_in": ["/x", PATH], "count_in": [1, 2]}]),
    example("calls", seen(called()), seen(), value=[{"path_regex": "/issues/", "count_min": 1}]),
    example("calls", seen(), seen(called()), value=[{"path": PATH, "count_max": 0}]),
    example("calls", seen(called(accept="a+json")), seen(called()), value=[{"headers": {"Accept": r"a\+json"}}]),
    example("calls", seen(called()), seen(called(body={"b": 1})), value=[{"path": PATH, "json_keys": ["body"]}]),
    example("calls", seen(called(body={"n": 1})), seen(called(body={"n": 2})), value=[{"json": {"n": 1}}]),
    example("calls", seen(called()), seen(called(body={"body": "8"})), value=[{"body_contains": "16"}]),
    example("calls", seen(called(body={"body": "8"})), seen(called()), value=[{"body_not_contains": "16"}]),
    example("calls", seen(called()), seen(called(status=500)), value=[{"status_in": [201]}]),
    example("calls", mutating(INLINE), mutating(INLINE.replace("D_1", "D_2")), value=[WANTED | {"graphql": TO_D_1}]),
    example(
        "calls",
        mutating(WHOLE, input={"discussionId": "D_1", "replyToId": None}),
        mutating(WHOLE, input={"discussionId": "D_1", "replyToId": "DC_1"}),
        value=[WANTED | {"graphql": TO_D_1}],
    ),
    example("max_calls", seen(called()), seen(called(), called()), path="/issues/17/comments", n=1),
    example("min_calls", seen(called(), called()), seen(called()), path="/issues/17/comments", n=2),
    example("no_calls", seen(called("GET")), seen(called()), path="/issues/17/comments"),
    example("no_calls", seen(called()), seen(called("DELETE")), path="/comments", method="DELETE"),
    example(
        "gap_between_calls_s", seen(called(at=1), called(at=5)), seen(called(at=1), called(at=2)), path=PATH, min=3
    ),
    example(
        "gap_between_calls_s", seen(called(at=1), called(at=5)), seen(called(at=1), called(at=99)), path=PATH, max=9
    ),
    example("gap_between_calls_s", seen(called(at=1), called(at=5)), seen(called()), path=PATH, min=0),
    example("jwt", signing(), signing(exp=int(time.time()) + 900), value={"exp_minus_now_max_s": 600}),
    example("jwt", signing(), signing(iat=int(time.time()) + 90), value={"iat_max": "now"}),
    example("jwt", signing(), signing(iss="1"), value={"iss": "app id or client id as string or int"}),
    example("jwt", signing(), signing(scheme="token"), value={"scheme": "Bearer"}),
    example("jwt", signing(), seen(), value={"alg": "HS256"}),
    example(
        "unit",
        signed(signature("secret", b"body")["X-Hub-Signature-256"]),
        signed("sha256=0"),
        value={"verify(secret, body, header)": True},
    ),
    example("consistent", answered(202, 1), answered(202), value=RULE),
    example("consistent", answered(415, 0, "use application/json"), answered(415), value=RULE),
    example("worker", GitHubObservation(worker_alive=True), GitHubObservation(worker_alive=False), value="alive"),
    example("mentioned", replied("x"), seen(), value=True),
    example("mentioned", seen(), GitHubObservation(reacted=changed("reacted", "eyes")), value=False),
    example("mentioned", seen(), GitHubObservation(calls=[ModelCall("p")]), value=False),
    example("question", GitHubObservation(questions=["a?"]), GitHubObservation(questions=["b?"]), value="a?"),
    example("question", GitHubObservation(questions=["a?"]), seen(), value="a?"),
    example("max_len_codepoints", replied("x" * 5), replied("x" * 6), n=5),
    example("no_citations", replied("You are welcome."), replied("16 [[1]](https://h/o/r/blob/abcdef0/a.py#L1)")),
    example("exit_nonzero", GitHubObservation(exit_code=2), GitHubObservation(exit_code=0)),
    example(
        "stderr_names_setting",
        GitHubObservation(log="SECRET is missing", settings_missing=["SECRET"]),
        GitHubObservation(log="no", settings_missing=["SECRET"]),
    ),
    example("stderr_names_setting", GitHubObservation(log="KEY?"), GitHubObservation(log="no"), name="KEY"),
    example("one_of", replied("x"), seen(), value=[{"replies": 1}, {"replies": 2}]),
]


@pytest.mark.parametrize("tried", EXAMPLES, ids=str)
def test_an_operator_accepts_the_good_and_refuses_the_bad(tried: Example[GitHubObservation]) -> None:
    good, bad = judged(OPERATORS, tried)
    assert good is None
    assert bad and not bad.startswith("cannot be read")


@pytest.mark.parametrize("tried", EXAMPLES, ids=str)
def test_an_operator_reads_its_check_even_when_there_is_nothing_to_see(tried: Example[GitHubObservation]) -> None:
    assert not str(OPERATORS.difference(GitHubObservation(), tried.check)).startswith("unknown field")


def test_every_operator_has_an_example() -> None:
    assert {tried.op for tried in EXAMPLES} == OPERATORS.names


@pytest.mark.parametrize(
    "check",
    [
        {"op": "http", "value": {"tune": 1}},
        {"op": "calls", "value": [{"tune": 1}]},
        {"op": "jwt", "value": {"tune": 1}},
        {"op": "unit", "value": {"tune()": 1}},
        {"op": "worker", "value": "asleep"},
        {"op": "consistent", "value": "somehow"},
        {"op": "sing", "value": 1},
    ],
)
def test_words_it_does_not_know_fail(check: dict[str, Any]) -> None:
    observed = GitHubObservation(signed=Signed("s", b"", ""))
    assert str(ALL.difference(observed, check)).startswith("unknown")


def test_unknown_fields_of_a_mutation_fail() -> None:
    wanted = {"op": "calls", "value": [WANTED | {"graphql": {"mutation": "addDiscussionComment", "tune": 1}}]}
    assert "unknown graphql field tune" in str(OPERATORS.difference(mutating(INLINE), wanted))


def test_what_section_d_asks_of_an_answer_is_asked_of_the_replies() -> None:
    check = {"op": "no_live_mention"}
    assert ALL.difference(replied("`@bob` asks"), check) is None and ALL.difference(replied("@bob asks"), check)


def test_a_query_mutates_nothing() -> None:
    query = called(path="/graphql", body={"query": "{ viewer { login } }"})
    broken = called(path="/graphql", body={"query": "{"})
    assert not mutations(query) and not mutations(broken) and not mutations(called())


def test_the_question_is_the_one_of_the_last_message() -> None:
    first = {"role": "user", "content": "<question>\nold?\n</question>"}
    last = {"role": "user", "content": "<thread>x</thread>\n<question>\nnew?\n</question>"}
    assert question_in([first, last]) == "new?" and question_in([{"role": "system", "content": "x"}]) is None
