"""Questions that no repository answers, told by their words: what something costs, when it comes, small talk. Pure.

A sign is no verdict: it lowers the confidence in what was found (bot/evidence.py) by as much as it proved worth on
questions about other packages. English only; what is asked in other languages is told by what is found for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final


def _any(*phrases: str) -> re.Pattern[str]:
    """Any of the phrases, as whole words, in any case; a blank is any white space."""
    alternatives = "|".join(phrases).replace(" ", r"\s+")
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", re.IGNORECASE | re.DOTALL)


_MACHINE: Final = "|".join((
    r"rtx|gtx|geforce|tesla|jetson|raspberry|xeon|epyc|ryzen|macbook|laptop",
    r"[abhltv]\d{2,3}s?|gh?b?[23]00|mi\d{3}x?|tpu\w*|inf\d|trn\d",
))  # fmt: skip
_SPEED: Final = "|".join((
    r"tok(?:en)?s?\s?/\s?s\w*|tokens? (?:per|a) sec\w*|throughput|latency|qps|fps",
    r"how (?:fast|long)|speed-?up|numbers?|benchmark\w*|faster|slower",
))  # fmt: skip
_NEXT: Final = r"(?:the )?(?:next|new|version|v?\d+(?:\.\d+)*)"

SIGNS: Final[Mapping[str, re.Pattern[str]]] = {
    "money": _any(
        r"pric(?:es?|ing)|discounts?|dollars?|euros?|usd|salar(?:y|ies)|subscriptions?|invoices?|bounty",
        r"what does .{1,60} costs?|how much (?:does|do|would|will) .{1,60} cost",
        r"costs? (?:per|a|each) (?:month|year|user|seat|node|hour|day|tokens?|million|\d\w*)|who pays|do you pay",
        r"[$€£]\s?\d[\d.,]*",
    ),
    "offer": _any(
        r"hosted (?:version|offer\w*|service|plan|\w+ cloud)|(?:official|managed) (?:cloud|hosting|service|offer\w*)",
        r"enterprise (?:plan|edition|licen[sc]e|product|support|rollout)|sla|support contract|certified engineer",
        r"training course|webinar|meetup|hiring|job opening|mobile app|(?:iphone|android|phone) app|app for the phone",
    ),
    "dates": _any(
        r"release date|roadmap|end of life|eol",
        rf"(?:when|which month) (?:does|do|will|is|are) {_NEXT}.{{0,40}} (?:come|out|released?|available|planned|land)",
        r"(?:next|one after that).{0,20} (?:planned|due)",
    ),
    "measured": _any(
        rf"(?:{_SPEED})(?!\w).{{0,120}}(?<!\w)(?:{_MACHINE})",
        rf"(?:{_MACHINE})(?!\w).{{0,120}}(?<!\w)(?:{_SPEED})",
        r"official (?:numbers?|figures?|benchmarks?)|pros and cons",
        r"(?:faster|slower|better|versus|vs\.?) .{0,60}by how much",
    ),
    "talk": _any(
        r"\A\W*(?:hi|hello|hey|thanks?|thank you|great work|good (?:morning|evening|night|bot)|nice|ok(?:ay)?|ping)"
        r"(?:[\s,!.]+(?:there|all|again|bot|you|so much|a lot|everyone|great work|nice work|team))*\W*\Z|\A\W*\Z",
        r"tell me a joke|are you (?:an? )?(?:human|bot|ai|robot|real)|who (?:made|are) you|what(?:'s| is) your name",
        r"(?:write|compose) (?:me )?(?:an? |the |my )?(?:\w+ )?(?:poem|song|essay|story|haiku|homework)",
        r"(?:ignore|forget|disregard) (?:all )?(?:your|the|previous|prior|above) (?:\w+ )?(?:instructions?|rules?)",
        r"(?:repeat|print|reveal) (?:me )?(?:everything above|your (?:system )?(?:prompt|instructions))|lorem ipsum",
    ),
    "everyday": _any(
        r"weather|rain(?:ing|y)?|sunny|baked|baking|cook(?:ing)?|oven|pizza|restaurant|dinner|beer|coffee|fishing",
        r"football|soccer|world cup|olympics|movie|horoscope|holidays?|hotel|president of|capital of|homework|essay",
        r"headache|fever|ibuprofen|paracetamol|aspirin|medicine|doctor|blood pressure|pregnan\w*|lawyer|mortgage",
        r"bitcoin|btc|crypto ?coins?|lottery|girlfriend|boyfriend|birthday|iphone|ipad|center a div|flexbox",
    ),
}


def beyond(question: str) -> frozenset[str]:
    """The names of the signs in a question that no repository answers it."""
    return frozenset(name for name, sign in SIGNS.items() if sign.search(question))
