"""The words of the training texts become a tokenizer: identifiers split, punctuation dropped, code words whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

SIZE = 32_768
"""Tokens: at 256 bytes each the table stays under 8.5 MB."""

UNKNOWN = "[UNK]"
LONGEST_WORD = 24

SEPARATORS = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z](?!s\b)[a-z])|[\W_]+"
"""camelCase | HTTPServer, but not GPUs | all that is no letter or digit. A mean has no use for punctuation."""


def build(texts: Iterable[str], base: Sequence[str]) -> tuple[Tokenizer, Counter[str]]:
    """Returns a WordPiece tokenizer of at most SIZE tokens and how often each occurs in `texts`.

    The pieces and words of `base` that occur stay (they spell whatever else comes); the most frequent words of the
    texts that `base` would cut into pieces fill the rest.
    """
    splitter = tokenizer([UNKNOWN])
    counted: Counter[str] = Counter()
    for text in texts:
        counted.update(splitter.normalizer.normalize_str(text).split())
    pieces = [token for token in base if token.isascii() and _spells(token)]
    used = token_counts(counted, tokenizer([UNKNOWN, *pieces]))
    kept = [token for token in pieces if used[token] or len(token.removeprefix("##")) == 1]
    known = set(kept)
    added = (
        w for w, n in counted.most_common() if w not in known and n >= 20 and 2 < len(w) <= LONGEST_WORD and _spells(w)
    )
    vocabulary = [UNKNOWN, *kept, *(w for w, _ in zip(added, range(SIZE - 1 - len(kept)), strict=False))]
    made = tokenizer(vocabulary)
    return made, token_counts(counted, made)


def tokenizer(vocabulary: Sequence[str]) -> Tokenizer:
    """Returns the tokenizer of a vocabulary, whose first token is the unknown one."""
    made = Tokenizer(
        models.WordPiece({t: n for n, t in enumerate(vocabulary)}, unk_token=UNKNOWN, max_input_chars_per_word=64)
    )
    made.normalizer = normalizers.Sequence(
        [normalizers.Replace(Regex(SEPARATORS), " "), normalizers.BertNormalizer(lowercase=True)]
    )
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return made


def token_counts(words: Counter[str], by: Tokenizer) -> Counter[str]:
    """Returns how often each token occurs when `by` spells the counted words."""
    counts: Counter[str] = Counter()
    spelt = by.encode_batch(list(words), add_special_tokens=False)
    for encoding, times in zip(spelt, words.values(), strict=True):
        for token in encoding.tokens:
            counts[token] += times
    return counts


def _spells(token: str) -> bool:
    return token.removeprefix("##").isalnum() and not token.startswith("[")
