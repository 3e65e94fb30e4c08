"""Text becomes lexical terms that know how code is written.

`QKVParallelLinear` gives `qkv parallel linear qkvparallellinear`; `--enable-chunked-prefill` and
`enable_chunked_prefill` both give `enable chunked prefill enable_chunked_prefill`, so that a flag meets the field it
sets; `vllm:num_requests_running` gives its parts and itself. Prose gives its words. Everything is lower case; stemming
is the lexical index's affair.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

COMPOUND = re.compile(r"\w+(?:[-:]{1,2}\w+)*")
JOINTS = re.compile(r"[-:_]+")
# Latin letters by case, accents included; a run of any other script is one part, also right beside Latin ones.
_UPPER, _LOWER = "[A-ZÀ-ÖØ-Þ]", "[a-zß-öø-ɏ]"
PART = re.compile(rf"{_UPPER}+(?={_UPPER}{_LOWER})|{_UPPER}?{_LOWER}+|{_UPPER}+|\d+|[^\W\d_a-zA-ZÀ-ɏ]+")
NAME = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]+|(?<![A-Za-z\d_])[A-Za-z_]\w*")
_CODE_LIKE = re.compile(r"[a-z\d]_[a-z\d]|[A-Z]_[A-Z\d]|[a-z\d][A-Z]|[A-Z]{2}[a-z]")
_BACKTICKED = re.compile(r"`(-{0,2}[A-Za-z_][\w-]*)`")
_STRING_NAME = re.compile(r"""["'](--[a-z][\w-]+|[A-Z][A-Z\d]*_[A-Z\d_]+|[a-z]\w*:[a-z]\w+)["']""")
_NAME_JOINT = re.compile(r"\.|::| > ")
# What Prometheus clients append to the name that the code declares.
_METRIC_SUFFIX = re.compile(r"_(total|count|sum|bucket|created)$")

# Hashes, base64 and other runs that nobody types: they would only fill the term dictionary.
LONGEST_COMPOUND = 80
# Shorter ones are as often a size (`8xH20`), a model or an abbreviation.
SHORTEST_NAME = 4


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


def joined_terms(text: str) -> str:
    """The same terms with blanks between them, as an index takes them."""
    return " ".join(map(_joined, COMPOUND.findall(text)))


@lru_cache(maxsize=1 << 18)
def _joined(compound: str) -> str:
    return " ".join(compound_terms(compound))


def written_names(text: str) -> list[str]:
    """What a question writes as code would: flags, `a_b`, `aB`, `A_B`, and single names in backticks."""
    found = (name for name in NAME.findall(text) if name.startswith("--") or _looks_like_code(name))
    return list(dict.fromkeys((*found, *_BACKTICKED.findall(text))))


def _looks_like_code(name: str) -> bool:
    return len(name) >= SHORTEST_NAME and _CODE_LIKE.search(name) is not None


def asked_names(text: str) -> list[str]:
    """The names that a question writes, in the form that `declared_names` gives."""
    plain = map(plain_name, written_names(text))
    return list(dict.fromkeys(form for name in plain for form in (name, without_metric_suffix(name))))


def without_metric_suffix(name: str) -> str:
    """A metric as the code declares it: clients append what kind of number it is."""
    return _METRIC_SUFFIX.sub("", name)


def declared_names(names: Iterable[str], text: str) -> list[str]:
    """The names by which a chunk's definitions are asked for: their last parts, and flags, environment variables and
    metrics that its code writes as strings."""
    return list(dict.fromkeys(map(plain_name, declared_spellings(names, text))))


def declared_spellings(names: Iterable[str], text: str) -> list[str]:
    """The same names as the code spells them."""
    return [*(_NAME_JOINT.split(name)[-1] for name in names), *_STRING_NAME.findall(text)]


def plain_name(name: str) -> str:
    """A flag as the field that it sets, a metric without its prefix, in lower case: `--Max-rank` as `max_rank`."""
    return name.rpartition(":")[2].strip("-_").replace("-", "_").lower()


def names(text: str) -> set[str]:
    """Identifiers and flags exactly as written, for asking whether a name exists at all."""
    return {name for name in NAME.findall(text) if len(name) <= LONGEST_COMPOUND}
