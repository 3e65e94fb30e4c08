"""Text becomes lexical terms that know how code is written.

`QKVParallelLinear` gives `qkv parallel linear qkvparallellinear`; `--enable-chunked-prefill` and
`enable_chunked_prefill` both give `enable chunked prefill enable_chunked_prefill`, so that a flag meets the field it
sets; `vllm:num_requests_running` gives its parts and itself. Prose gives its words. Everything is lower case; stemming
is the lexical index's affair.
"""

from __future__ import annotations

import re
from functools import lru_cache

COMPOUND = re.compile(r"\w+(?:[-:]{1,2}\w+)*")
JOINTS = re.compile(r"[-:_]+")
# Latin letters by case, accents included; a run of any other script is one part, also right beside Latin ones.
_UPPER, _LOWER = "[A-ZÀ-ÖØ-Þ]", "[a-zß-öø-ɏ]"
PART = re.compile(rf"{_UPPER}+(?={_UPPER}{_LOWER})|{_UPPER}?{_LOWER}+|{_UPPER}+|\d+|[^\W\d_a-zA-ZÀ-ɏ]+")
NAME = re.compile(r"--?[A-Za-z][\w-]+|[A-Za-z_]\w*")

# Hashes, base64 and other runs that nobody types: they would only fill the term dictionary.
LONGEST_COMPOUND = 80


@lru_cache(maxsize=1 << 18)
def compound_terms(compound: str) -> tuple[str, ...]:
    """The parts of one compound, then the compound itself when it has more than one part."""
    if len(compound) > LONGEST_COMPOUND:
        return ()
    parts = [part.lower() for part in PART.findall(compound)]
    if len(parts) < 2:
        return tuple(parts)
    return (*parts, JOINTS.sub("_", compound).strip("_").lower())


def terms(text: str) -> list[str]:
    """All terms of a text in order, repeated as often as they occur."""
    return [term for compound in COMPOUND.findall(text) for term in compound_terms(compound)]


def names(text: str) -> set[str]:
    """Identifiers and flags exactly as written, for asking whether a name exists at all."""
    return {name for name in NAME.findall(text) if len(name) <= LONGEST_COMPOUND}
