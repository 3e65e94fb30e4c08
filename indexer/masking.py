"""The text of a file passes through with its secrets masked: private keys, tokens, and passwords in URLs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

# Not `***`, which is a rule or bold italics in Markdown.
MASK = "•••"

_Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its secrets, how many there were, and the share (0.0 to 1.0) of its non-blank characters they
    took, each with what only serves it, such as the first and last line of a key.
    """

    text: str
    found: int = 0
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class _Family:
    """Rules for texts that hold one of `marks`, the only look that nearly all files get. Groups are the secrets."""

    marks: Sequence[str]
    rules: re.Pattern[str]
    harmless: Callable[[str], bool]


def mask(text: str) -> Masked:
    """Return `text` with `•••` for each secret in it; a text without any comes back as the same object.

    Every line keeps its number, since `\\n` and `\\r` stay. A secret within a line becomes one mask, whatever its
    length; a key over several lines, one a line. What is not secret stays: `ghp_•••`, `https://user:•••@host`. A
    second pass changes nothing. It never raises, and takes linear time.

    Only what is a secret by its form counts: private keys (PEM, OpenSSH, PGP, PuTTY, age; one without an end goes as
    far as it looks like base64), tokens with the prefix and length that their issuer documents, and passwords in URLs.
    The placeholders of documentation stay: `ghp_xxxx`, `AKIA…EXAMPLE`, `user:password@`, `{user}:{token}@`. So does
    `password = "hunter2"`: in source code nearly all such assignments are names, defaults and tests, and every wrong
    mask spoils a quotation.

    The formats are those of
    https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/,
    https://docs.gitlab.com/security/tokens/#token-prefixes,
    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids,
    https://docs.slack.dev/authentication/tokens, RFC 7468 (PEM), RFC 7519 (JWT) and RFC 3986 section 3.2.1 (URLs);
    where an issuer tells no length, the rules of https://github.com/gitleaks/gitleaks were the reference.
    """
    secrets = [secret for family in _FAMILIES for secret in _secrets(text, family)]
    if not secrets:
        return Masked(text)
    hidden = _merged(span for span, _ in secrets)
    taken = sum(_ink(text[start:end]) for start, end in _merged(whole for _, whole in secrets))
    return Masked(_hide(text, hidden), len(hidden), taken / _ink(text))


def _secrets(text: str, family: _Family) -> Iterator[tuple[_Span, _Span]]:
    """Yield where each secret of `family` is, and where it is with all that its rule matched."""
    if any(mark in text for mark in family.marks):
        for match in family.rules.finditer(text):
            for group, secret in enumerate(match.groups(), start=1):
                if secret and not family.harmless(secret):
                    yield match.span(group), match.span()


def _merged(spans: Iterable[_Span]) -> list[_Span]:
    """Return `spans` in order, with one for those that overlap: a token can be the password of a URL."""
    merged: list[_Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _hide(text: str, spans: Sequence[_Span]) -> str:
    pieces: list[str] = []
    kept = 0
    for start, end in spans:
        secret = text[start:end]
        pieces += text[kept:start], _IN_LINE.sub(MASK, secret) if _LINE_BREAK.search(secret) else MASK
        kept = end
    return "".join(pieces) + text[kept:]


def _ink(text: str) -> int:
    return len("".join(text.split()))


def _made_up(token: str) -> bool:
    # A random token of 20 characters has neither capitals nor digits once in ten million times.
    return len(set(token)) < 4 or not re.search(r"[A-Z0-9]", token)


def _placeholder(token: str) -> bool:
    return _made_up(token) or _PLACEHOLDER.search(token) is not None


def _made_up_key(block: str) -> bool:
    # Its first characters only: in a thousand random ones there is any word.
    return _made_up(block[:24])


def _placeholder_password(password: str) -> bool:
    return _PASSWORD_PLACEHOLDER.fullmatch(password) is not None


_LINE_BREAK = re.compile(r"[\r\n]")
# From the first to the last character of a key in its line: indentation, quotes and commas around it stay.
_IN_LINE = re.compile(r"[A-Za-z0-9](?![\"'])(?:[^\r\n]*[A-Za-z0-9=])?")
_PLACEHOLDER = re.compile(
    r"xxxx|XXXX|your|YOUR|example|EXAMPLE|placeholder|PLACEHOLDER|redacted|REDACTED|dummy|DUMMY|fake|FAKE"
    r"|123456|abcdef|ABCDEF"
)
_PASSWORD_PLACEHOLDER = re.compile(
    rf"\$.*|%[^0-9A-F].*|.*{MASK[0]}.*|\.+|\*+|_+|x+|X+|[A-Z]+(?:_[A-Z]+)+"
    r"|(?i:(?:(?:my|your|the|some|db|user|test|fake|dummy|aws|api|access|auth|private|personal|secret)[_.-]?){0,3}"
    r"(?:pass(?:word|wd|phrase)?|pwd|secret|token|key|credentials?|username|x-oauth-basic)(?:[_.-]?(?:here|value))?\d?"
    r"|change[_-]?(?:me|it)|foobar|.*(?:your[_.-]|example|placeholder|redacted|xxxx).*)"
)

# The characters of base64url, for a class.
_BASE64URL = r"\w-"
# A mask counts as the secret that it stands for, so that a second pass sees the same edges.
_END = r"(?![A-Za-z0-9•])"
_END_OF_RUN = r"(?![\w•-])"


def _any(*rules: str) -> re.Pattern[str]:
    return re.compile("|".join(rules), re.ASCII)


def _after(prefix: str, inside: str = "A-Za-z0-9") -> str:
    """Return a look back at `prefix`, which is not inside a word: the letter before it may be the end of an escape."""
    return rf"(?<={prefix})(?:(?<![•{inside}]{prefix})|(?<=\\[nrt]{prefix})|(?<=%[0-9A-F]{{2}}{prefix}))"


def _token(prefix: str, secret: str, inside: str = "A-Za-z0-9") -> str:
    return rf"{prefix}{_after(prefix, inside)}({secret})"


def _tokens(separator: str, run: str, rules: Sequence[tuple[str, str]]) -> re.Pattern[str]:
    """Return one pattern for tokens that are a prefix, `separator`, and a secret that begins with `run`.

    `rules` are prefixes with the secret that follows them. What is rarest is asked first, which is what makes it fast:
    the C library finds a single character, few of these have such a run behind them, and only then are the prefixes
    looked back at.
    """
    looks = (rf"(?<={prefix}{separator})({secret})" for prefixes, secret in rules for prefix in prefixes.split())
    return _any(rf"{separator}(?={run})(?:{'|'.join(looks)})")


# Between the lines of a key: line breaks, also escaped; the end of one string literal and the start of the next, so
# that `"-----BEGIN PRIVATE KEY-----" + name` is none; what begins the lines of comments and quotations.
_GAP = r"""(?:[ \t\r\n]|\\[nrt]?|["'`][ \t\r\n+,.\\&();|]*+[bBrRuU]{0,2}["'`]|[#*>|%]|//)"""
_HEADERS = rf"(?:[A-Z][A-Za-z-]{{2,20}}: [^\r\n\\\"']{{0,120}}{_GAP}*+){{0,6}}+"
# With its end in sight, a key is all before it that needs no character of a program; without, it is lines of base64
# (the first of which has a digit, or begins as a DER sequence does) and the short one behind them.
_TO_THE_END = r"(?=[A-Za-z0-9+/\\]{16})(?:[A-Za-z0-9+/=\\ \t\r\n:,.;#*>|\"'`()&_@]++|-(?!-))*+(?=-{4,5} ?END )"
_RUN = r"[A-Za-z0-9+/]{20,}+={0,2}"
_RUNS = rf"{_RUN}(?:{_GAP}*+{_RUN})*+(?:(?:\r?\n[ \t]*|\\n)[A-Za-z0-9+/]{{1,19}}={{0,2}}(?=[ \t]*[\r\n\\\"']|\Z))?"
_KEYS = _any(
    rf"-{{4,5}} ?BEGIN (?:[A-Z0-9]{{1,12}} ){{0,3}}PRIVATE KEY(?: BLOCK)? ?-{{4,5}}{_GAP}*+{_HEADERS}"
    rf"({_TO_THE_END}|(?=MI[A-Z]|[A-Za-z+/]*+[0-9]){_RUNS})(?:-{{4,5}} ?END [A-Z0-9 ]{{0,60}}-{{4,5}})?",
    rf"Private-Lines: ?\d{{1,3}}{_GAP}++({_RUNS})",  # PuTTY
    # "-----BEGIN " and how [RSA|EC|DSA|OPENSSH|ENCRYPTED] PRIVATE KEY begins, in base64: Kubernetes' files.
    rf"LS0tLS1CRUdJTiB(?:QUklWQVRF|SU0EgUFJJ|FQyBQUklW|EU0EgUFJJ|PUEVOU1NI|FTkNSWVBU)({_RUNS})",
)
# Of random letters nearly half are capitals; in the name of a class few are, and none in a chain of words.
_CAPITALS = r"(?=(?:[a-z0-9_-]{0,40}+[A-Z]){6})"
_SNAKE = _tokens(
    "_",
    r"[A-Za-z0-9]{20}|[po]at_[\w-]{27}",
    (
        ("ghp gho ghr ghs ghu", r"[A-Za-z0-9]{36,}+"),  # GitHub; the newer ghs_ is the id of an app, `_`, and a JWT
        ("github_pat", r"[A-Za-z0-9]{22}_[A-Za-z0-9]{59,}+"),
        ("hf api_org", rf"{_CAPITALS}[A-Za-z0-9]{{34,}}+"),  # Hugging Face
        ("npm", r"[A-Za-z0-9]{36,}+"),
        ("sk_live rk_live", r"[A-Za-z0-9]{20,}+"),  # Stripe
        ("whsec", r"[A-Za-z0-9+/]{32,}+={0,2}"),
        ("dop_v1 doo_v1 dor_v1", rf"[0-9a-f]{{64}}{_END}"),  # DigitalOcean
        ("dckr", r"[po]at_[\w-]{27,}+"),  # Docker Hub
        ("lin_api lin_oauth", r"[A-Za-z0-9]{40,}+"),  # Linear
        ("sntrys sntryu", r"[A-Za-z0-9+/=_]{60,}+"),  # Sentry
        ("glsa", rf"[A-Za-z0-9]{{32}}_[0-9A-Fa-f]{{8}}{_END}"),  # Grafana
        ("glc", r"[A-Za-z0-9+/]{40,}+={0,2}"),
        ("shpat shpca shppa shpss", rf"[0-9a-fA-F]{{32}}{_END}"),  # Shopify
        ("rubygems", rf"[0-9a-f]{{48}}{_END}"),
        ("ntn", rf"[0-9]{{11}}[A-Za-z0-9]{{35}}{_END}"),  # Notion
        ("gsk", rf"[A-Za-z0-9]{{52}}{_END}"),  # Groq
        ("r8", rf"[A-Za-z0-9]{{37}}{_END}"),  # Replicate
        ("lsv2_pt lsv2_sk", rf"[0-9a-f]{{32}}_[0-9a-f]{{10}}{_END}"),  # LangSmith
    ),
)
_KEBAB = _tokens(
    "-",
    r"[\w-]{17}",
    (
        # GitLab; its newer tokens end in where they belong to.
        (
            "glpat glptt gldt glrt glrtr glcbt glft glimt glagent glsoat glffct gloas glwt",
            r"[\w-]{20,}+(?:\.[0-9a-z]{2}(?:\.?[0-9a-z]{7,9})?)?",
        ),
        ("xoxa xoxb xoxc xoxe xoxo xoxp xoxr xoxs", r"(?:\d{1,14}-){1,4}[A-Za-z0-9-]{18,}+"),  # Slack
        ("xapp", r"\d-[A-Z0-9]{9,20}-\d{9,16}-[A-Za-z0-9]{40,}+"),
        ("sk", r"[\w-]{20,100}?T3BlbkFJ[\w-]{20,}+"),  # OpenAI, which writes its name into them, in base64
        ("sk-proj sk-svcacct sk-admin", rf"{_CAPITALS}[\w-]{{40,}}+"),
        ("sk-ant", r"[\w-]{80,}+"),  # Anthropic
        ("sk-or-v1", rf"[0-9a-f]{{64}}{_END}"),  # OpenRouter
        ("nvapi", r"[\w-]{60,}+"),  # NVIDIA
        ("xai", rf"[A-Za-z0-9]{{80}}{_END}"),
        ("pplx", rf"[A-Za-z0-9]{{48}}{_END}"),  # Perplexity
        ("pypi", r"AgE[IN][\w-]{50,}+"),
        ("GOCSPX", rf"[\w-]{{28}}{_END_OF_RUN}"),  # Google's OAuth clients
        ("AGE-SECRET-KEY", rf"1[0-9A-Z]{{58}}{_END}"),
    ),
)
# Mailchimp, then Mailgun: their mark comes behind the key.
_MAIL = _any(
    rf"-(?=us[1-9]\d?{_END_OF_RUN}|[0-9a-f]{{8}}-[0-9a-f]{{8}}{_END_OF_RUN})"
    rf"(?<=([0-9a-f]{{32}})-){_after('[0-9a-f]{32}-', inside=_BASE64URL)}"
)
# The id of a Discord bot has 17 to 19 digits, of which three make four letters, the first of these M, N or O.
_DIGITS = "[MNO][A-Za-z0-9]{3}"
_DOTTED = _any(
    rf"\.(?=[\w-]{{6}}\.?[\w-]{{27}})(?:(?<=hv[sbr]\.)([\w-]{{90,}}+)|"  # Vault
    rf"(?:(?<={_DIGITS * 5}[MNO][A-Za-z0-9]{{2}}\.)|(?<={_DIGITS * 6}\.)|(?<={_DIGITS * 6}[MNO][A-Za-z0-9]\.))"
    r"([\w-]{6}\.[\w-]{27,}+))"
)
# With a signature of at least HS256. Not the one of "John Doe" that everybody copies from jwt.io.
_JWT = _any(_token("eyJ", r"[\w-]{10,2000}+\.(?!eyJzdWIiOiIxMjM0NTY3ODkwI)eyJ[\w-]{8,}+\.[\w-]{43,}+"))
# 40 characters of base64 that are no hash: with capitals, small letters and digits.
_AWS_KEY = (
    r"((?=[a-z0-9+/]{0,39}[A-Z])(?=[A-Z0-9+/]{0,39}[a-z])(?=[A-Za-z+/]{0,39}[0-9])[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=•])"
)
_AWS = _any(rf"(?i:secret[_-]?access[_-]?key)[\"'\]\s=:>,(]{{1,12}}{_AWS_KEY}")
_CAPITAL_A = _any(
    # AWS: an id, with the key that stands near it.
    _token("A[KS]IA", rf"[A-Z2-7]{{16}}{_END}") + rf"(?:[^A-Za-z0-9][\s\S]{{0,120}}?(?<![A-Za-z0-9+/]){_AWS_KEY})?",
    _token("ABSK", r"[A-Za-z0-9+/]{109,}+={0,2}"),  # Bedrock
    _token("AIza", rf"[\w-]{{35}}{_END_OF_RUN}"),  # Google
    rf"A(?<=[0-9]{{8}}:A)(A[\w-]{{33}}){_END_OF_RUN}",  # Telegram
    # Azure. Not the key that the documentation of its emulator gives to everybody.
    r"AccountKey=((?!Eby8vdM0)[A-Za-z0-9+/]{86}==)",
    r"AccessKey=([A-Za-z0-9+/]{43}=)",
)
_CAPITAL_S = _any(
    _token("SK", rf"[0-9a-f]{{32}}{_END}"),  # Twilio
    _token(r"SG\.", rf"[\w-]{{22}}\.[\w-]{{43}}{_END_OF_RUN}"),  # SendGrid
)
_DATABRICKS = _any(_token("dapi", rf"[0-9a-f]{{32}}{_END}"))
_URLS = _any(
    # No password is one that repeats the user, a container's digest, or that of a host which only examples have.
    r"://(?!([^\s/?#@:]{1,100}):\1@)[^\s/?#@:]{0,100}+:([^\s,/?#@\"'`<>{}()\[\]|\\]{6,200}+)@"
    r"(?!sha\d|(?:[\w-]{1,63}\.){0,4}(?:example|test|invalid)(?:\.(?:com|org|net))?(?![\w.-]))(?=[^\s/?#:@\"'`>)])",
    r"://hooks\.slack\.com/(?:services|workflows|triggers)/([A-Z0-9]{8,}/[A-Z0-9]{8,}/[A-Za-z0-9/]{18,}+)",
    r"://(?:\w{1,9}\.)?discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,20}/([\w-]{60,}+)",
)

_FAMILIES = (
    _Family(("PRIVATE KEY", "Private-Lines", "LS0tLS1CRUdJTiB"), _KEYS, _made_up_key),
    _Family(("_",), _SNAKE, _placeholder),
    _Family(("-",), _KEBAB, _placeholder),
    _Family(("-",), _MAIL, _placeholder),
    _Family((".",), _DOTTED, _made_up),
    _Family(("eyJ",), _JWT, _made_up),
    _Family(("A",), _CAPITAL_A, _placeholder),
    _Family(("secret_access_key", "SECRET_ACCESS_KEY", "ecretAccessKey", "ecret-access-key"), _AWS, _placeholder),
    _Family(("S",), _CAPITAL_S, _placeholder),
    _Family(("dapi",), _DATABRICKS, _placeholder),
    _Family(("://",), _URLS, _placeholder_password),
)
