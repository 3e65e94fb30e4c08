"""What requests and responses look like, in the OpenAPI document: an invented repository, the real models."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel

from bot.adapters.http import wire
from bot.adapters.http.stream import frame
from bot.types import Answer, Citation, Index, Passage, PassagesFound, Token

_PATH: Final = "engine/cache/blocks.py"
_URL: Final = f"https://github.com/acme/engine/blob/v2.4.0/{_PATH}"
_INDEX: Final = Index("acme/engine", "v2.4.0", "v2.4.0", "2026-11-29T12:00:00+00:00")
_PASSAGE: Final = Passage(
    path=_PATH,
    start_line=12,
    end_line=14,
    symbol="BlockPool.allocate",
    kind="code",
    language="python",
    score=0.0312,
    text='    def allocate(self, tokens: int) -> int:\n        """How many blocks of 16 tokens hold so many."""\n'
    "        return -(-tokens // 16)",
    url=f"{_URL}#L12-L14",
)
_FOUND: Final = PassagesFound((_PASSAGE,), _INDEX, {"--block-sise": ("--block-size",)})
_ANSWER: Final = Answer(
    id=wire.ID,
    answer="A block holds 16 tokens, and `allocate` rounds up to whole blocks [1].",
    citations=(Citation(1, _PATH, 12, 14, "BlockPool.allocate", f"{_URL}#L12-L14"),),
    declined=False,
    reason=None,
    model="extractive",
    index=_INDEX,
)


def _shown(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(mode="json")


FOUND: Final = _shown(wire.SearchResponse.model_validate(_FOUND))
ANSWER: Final = _shown(wire.Answer.model_validate(_ANSWER))
EVENT: Final = {"event": "token", "data": wire.Token(text=_ANSWER.answer).model_dump_json()}
STREAM: Final = b"".join(frame(event) for event in (_FOUND, Token(_ANSWER.answer), _ANSWER)).decode()
FEEDBACK: Final = _shown(wire.Feedback(answer_id=_ANSWER.id, vote="up"))
SOURCE: Final = "BLOCK_SIZE = 16\n"
STATUS: Final = _shown(
    wire.Status(
        version="0.1.0",
        embedder="static-code-256",
        model=None,
        indexes=[
            wire.IndexStatus(
                **_shown(wire.Index.model_validate(_INDEX)),
                checked_at="2026-11-30T12:00:00+00:00",
                files=412,
                chunks=5_120,
                embedder="static-code-256",
                skipped=2,
                skipped_by_reason={"it is binary": 2},
            )
        ],
        jobs=wire.JobCounts(queued=0, running=1, set_aside=0),
    )
)
DELIVERY: Final = {
    "action": "created",
    "issue": {"number": 7, "title": "How large is a block?"},
    "comment": {"id": 42, "body": "@RepoPilot how large is a block?", "user": {"login": "ada"}},
    "repository": {"full_name": "acme/engine"},
}
WHOLE: Final = {
    ("/search", "post"): FOUND,
    ("/ask", "post"): ANSWER,
    ("/feedback", "post"): FEEDBACK,
    ("/status", "get"): STATUS,
    ("/healthz", "get"): {"status": "alive"},
    ("/readyz", "get"): {"status": "ready"},
}
