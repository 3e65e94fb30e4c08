"""No secret stands in this file: each is put together when the tests run, so that no scanner finds one here."""

from __future__ import annotations

import base64
import string
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from indexer.masking import MASK, Masked, mask

LETTERS = string.ascii_letters + string.digits
URL_SAFE = LETTERS + "-_"
HEX = "0123456789abcdef"
BASE64 = LETTERS + "+/"
CAPITALS = string.ascii_uppercase + "234567"


def noise(length: int, alphabet: str = LETTERS) -> str:
    """The same at every call, with all kinds of characters that the alphabet has."""
    return "".join(Random(f"{length} {alphabet}").choices(alphabet, k=length))


def jwt() -> str:
    parts = (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"42","scope":"all"}')
    return ".".join([*(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts), noise(43, URL_SAFE)])


def discord_bot(digits: int) -> str:
    name = base64.b64encode(noise(digits, string.digits).encode()).decode().rstrip("=")
    return f"{name}.{noise(6, URL_SAFE)}.{noise(38, URL_SAFE)}"


# What stays visible, and what must not.
TOKENS = [
    *((prefix, noise(36)) for prefix in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    ("ghp_", noise(200)),
    ("ghp_", "A1b2" * 9),
    ("ghs_12345_eyJ", jwt().removeprefix("eyJ")),
    ("github_pat_", f"{noise(22)}_{noise(59)}"),
    *((f"{prefix}-", noise(20, URL_SAFE)) for prefix in ("glpat", "gldt", "glrt", "glft", "glsoat", "glffct")),
    ("glptt-", noise(40, HEX)),
    ("glpat-", f"{noise(40, URL_SAFE)}.01.{noise(9, HEX)}"),
    ("AKIA", noise(16, CAPITALS)),
    ("ASIA", noise(16, CAPITALS)),
    ("ABSK", noise(124, BASE64) + "=="),
    ("aws_secret_access_key = ", noise(40, BASE64)),
    ("AWS_SECRET_ACCESS_KEY=", noise(40, BASE64)),
    ('{"SecretAccessKey": "', noise(40, BASE64)),
    ("AIza", noise(35, URL_SAFE)),
    ("GOCSPX-", noise(28, URL_SAFE)),
    ("xoxb-", f"{noise(12, string.digits)}-{noise(13, string.digits)}-{noise(24)}"),
    ("xoxp-", f"{noise(12, string.digits)}-{noise(11, string.digits)}-{noise(13, string.digits)}-{noise(32, HEX)}"),
    ("xapp-", f"1-A{noise(10, CAPITALS)}-{noise(13, string.digits)}-{noise(64, HEX)}"),
    ("https://hooks.slack.com/services/", f"T{noise(9, CAPITALS)}/B{noise(10, CAPITALS)}/{noise(24)}"),
    ("sk_live_", noise(24)),
    ("rk_live_", noise(99)),
    ("whsec_", noise(32)),
    ("sk-", f"{noise(20)}T3BlbkFJ{noise(21)}"),
    ("sk-", f"proj-{noise(74, URL_SAFE)}T3BlbkFJ{noise(75, URL_SAFE)}"),
    ("sk-proj-", noise(48, URL_SAFE)),
    ("sk-ant-", f"api03-{noise(93, URL_SAFE)}AA"),
    ("sk-or-v1-", noise(64, HEX)),
    ("hf_", noise(34, string.ascii_letters)),
    ("npm_", noise(36)),
    ("pypi-", f"AgEIcHlwaS5vcmc{noise(150, URL_SAFE)}"),
    ("", discord_bot(17)),
    ("", discord_bot(18)),
    ("", discord_bot(19)),
    (f"https://discord.com/api/webhooks/{noise(19, string.digits)}/", noise(68, URL_SAFE)),
    (f"{noise(10, string.digits)}:A", f"A{noise(33, URL_SAFE)}"),
    ("SG.", f"{noise(22, URL_SAFE)}.{noise(43, URL_SAFE)}"),
    ("SK", noise(32, HEX)),
    ("", f"{noise(32, HEX)}-us12"),
    ("", f"{noise(32, HEX)}-{noise(8, HEX)}-{noise(8, HEX)}"),
    ("AccountKey=", f"{noise(86, BASE64)}=="),
    ("SharedAccessKey=", f"{noise(43, BASE64)}="),
    ("eyJ", jwt().removeprefix("eyJ")),
    ("dop_v1_", noise(64, HEX)),
    ("dapi", noise(32, HEX)),
    ("dckr_", f"pat_{noise(27, URL_SAFE)}"),
    ("lin_api_", noise(40)),
    ("sntryu_", noise(64, HEX)),
    ("sntrys_", f"eyJ{noise(120)}_{noise(43, BASE64)}"),
    ("hvs.", noise(95, URL_SAFE)),
    ("AGE-SECRET-KEY-", f"1{noise(58, string.ascii_uppercase + string.digits)}"),
    *((prefix, noise(length)) for prefix, length in (("gsk_", 52), ("r8_", 37), ("xai-", 80), ("pplx-", 48))),
    ("nvapi-", noise(64, URL_SAFE)),
    ("lsv2_pt_", f"{noise(32, HEX)}_{noise(10, HEX)}"),
    ("glsa_", f"{noise(32)}_{noise(8, HEX)}"),
    ("shpat_", noise(32, HEX)),
    ("ntn_", noise(11, string.digits) + noise(35)),
    ("rubygems_", noise(48, HEX)),
]
# A few tokens end in what is no secret, or begin with it.
KEPT_PARTS = (MASK, "-us12", f"-{noise(8, HEX)}-{noise(8, HEX)}")

HEADER = "-----BEGIN {}PRIVATE KEY{}-----"
BODY = [noise(64, BASE64), noise(63, BASE64) + "0", noise(21, BASE64) + "=="]
PUTTY = f"PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 3\n{MASK}\n{MASK}\n{MASK}\nPrivate-MAC: 0\n"


def key(kind: str = "", block: str = "", end: str = "\n", body: list[str] = BODY) -> str:
    header = HEADER.format(kind, block)
    return end.join([header, *body, header.replace("BEGIN", "END")])


@pytest.mark.parametrize(("prefix", "secret"), TOKENS)
def test_a_token_is_masked_and_its_prefix_stays(prefix: str, secret: str) -> None:
    masked = mask(f"\tx = '{prefix}{secret}'  # é\n")
    assert secret not in masked.text
    assert masked.text.startswith(f"\tx = '{prefix}")
    assert masked.text.endswith("'  # é\n")
    assert MASK in masked.text
    assert masked.found == 1


def test_the_mask_tells_no_length() -> None:
    assert mask(f"a ghp_{noise(36)} b") == Masked(f"a ghp_{MASK} b", 1, pytest.approx(37 / 42))
    assert mask(f"a ghp_{noise(99)} b").text == f"a ghp_{MASK} b"


@pytest.mark.parametrize("before", ["", "\n", '"', "`", "=", ": ", "(", ">", "token:", r"\n", r"a\t", "%20", "//x:y@"])
@pytest.mark.parametrize("after", ["", "\n", '"', "'", ")", ", ", ";", "&b=1", r"\n", "</a>"])
def test_a_token_is_found_wherever_it_stands(before: str, after: str) -> None:
    for prefix, secret in TOKENS:
        masked = mask(f"{before}{prefix}{secret}{after}").text
        assert secret not in masked
        assert masked.startswith(before)
        assert masked.endswith(after)


def test_several_secrets() -> None:
    token, other = f"ghp_{noise(36)}", f"glpat-{noise(20)}"
    assert mask(f"{token} {other}\n{token}").text == f"ghp_{MASK} glpat-{MASK}\nghp_{MASK}"
    assert mask(f"{token} {other}\n{token}").found == 3
    assert (
        mask(f"https://x-access-token:{token}@github.com/o/r").text == f"https://x-access-token:{MASK}@github.com/o/r"
    )
    assert mask(f"https://x-access-token:{token}@github.com/o/r").found == 1


def test_the_key_beside_the_id_of_an_aws_account() -> None:
    user, secret = f"AKIA{noise(16, CAPITALS)}", noise(40, BASE64)
    assert mask(f'S3("{user}", "{secret}")') == Masked(f'S3("AKIA{MASK}", "{MASK}")', 2, pytest.approx(0.88, abs=0.05))
    assert mask(f"AKIAIOSFODNN7EXAMPLE,{secret}").text == f"AKIAIOSFODNN7EXAMPLE,{MASK}"
    assert mask(f"{user} {noise(40, HEX)}").text == f"AKIA{MASK} {noise(40, HEX)}"


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", "SSH2 ENCRYPTED "])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n    ", "\n# ", "\n// ", "\n> "])
def test_a_private_key_loses_its_lines_but_not_their_numbers(kind: str, end: str) -> None:
    masked = mask(f"a\n{key(kind, end=end)}\nb")
    header = HEADER.format(kind, "")
    assert masked.text == end.join([f"a\n{header}", *[MASK] * 3, f"{header.replace('BEGIN', 'END')}\nb"])
    assert masked.found == 1


def test_pgp_putty_and_headers_of_keys() -> None:
    pgp = key(block=" BLOCK", body=["Version: GnuPG v2", "", *BODY, "=aB3d"])
    assert mask(pgp).text == key(block=" BLOCK", body=["Version: GnuPG v2", "", *[MASK] * 3, f"={MASK}"])
    locked = ["Proc-Type: 4,ENCRYPTED", f"DEK-Info: AES-128-CBC,{noise(32, HEX)}", ""]
    assert mask(key("RSA ", body=locked + BODY)).text == key("RSA ", body=locked + [MASK] * 3)
    assert mask(PUTTY.replace(MASK, noise(64, BASE64))).text == PUTTY


def test_keys_in_literals_and_in_json() -> None:
    header, end = HEADER.format("", ""), HEADER.format("", "").replace("BEGIN", "END")
    escaped = r"\n".join([header, *BODY, end])
    assert mask(f'{{"private_key": "{escaped}\\n"}}').text == f'{{"private_key": "{header}\\n{MASK}{end}\\n"}}'
    assert mask(escaped.replace("\\", "\\\\")).found == 1
    lines = [rf'    b"{line}\n"' for line in [header, *BODY, end]]
    hidden = [lines[0], *[f'    b"{MASK}"'] * 3, lines[-1]]
    assert mask("\n".join(lines)).text == "\n".join(hidden)
    joined = " +\n".join(rf"'{line}\n'" for line in [header, *BODY, end])
    assert mask(joined).text.count(MASK) == 3
    assert not any(line in mask(joined).text for line in BODY)


def test_a_key_in_base64() -> None:
    for kind in ("", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "):
        secret = base64.b64encode(key(kind).encode()).decode()
        assert secret[40:] not in mask(f"client-key-data: {secret}\n").text
        assert mask(f"client-key-data: {secret}\n").found == 1
    certificate = base64.b64encode(b"-----BEGIN CERTIFICATE-----\n" + BODY[0].encode()).decode()
    assert mask(certificate).found == 0


def test_a_key_without_an_end_goes_as_far_as_it_looks_like_one() -> None:
    text = "\n".join([HEADER.format("RSA ", ""), *BODY[:2], "def connect(host: str) -> None:", "    pass"])
    assert mask(text).text == text.replace(BODY[0], MASK).replace(BODY[1], MASK)
    assert mask("\n".join([HEADER.format("", ""), *BODY])).text == "\n".join([HEADER.format("", ""), *[MASK] * 3])


@pytest.mark.parametrize(
    "text",
    [
        'if "{}" in text:\n    raise ValueError("a private key")\n',
        'PEM = "{}\\n" + privateKeyWithoutItsHeader + "\\n-----END PRIVATE KEY-----"',
        'f"{}\\n{{body}}\\n-----END PRIVATE KEY-----"',
        'HEADERS = ["{}", "-----END PRIVATE KEY-----"]',
        "{}\n...\n-----END PRIVATE KEY-----\n",
        "{}\nyourprivatekeygoesinhere\n-----END PRIVATE KEY-----\n",
        "| {} | PrivateKeyInformationSyntax |",
        "A key begins with {}. Implementations understand that internationalization is hard.",
    ],
)
def test_who_only_mentions_a_key_has_none(text: str) -> None:
    text = text.format(HEADER.format("", ""))
    assert mask(text).text is text


@pytest.mark.parametrize(
    "password",
    ["realpass", "s3cr3t", "hunter2!", "p%40ssw0rd", "a:b:c:d", "xK9-f_3", "Tr0ub4dor&3", noise(24), "pa$$word1"],
)
@pytest.mark.parametrize(
    "url",
    ["https://user:{}@host/x.git", "postgresql+psycopg://app:{}@10.0.0.1:5432/db", "redis://:{}@cache", "a://u:{}@ü"],
)
def test_a_password_in_a_url(url: str, password: str) -> None:
    assert mask(f"<{url.format(password)}>").text == f"<{url.format(MASK)}>"


@pytest.mark.parametrize(
    "url",
    [
        *("https://user:password@host", "https://USER:PASSWORD@host", "https://user:your_password@host"),
        *("https://<user>:<password>@host", "https://${USER}:${PASSWORD}@host", "https://{user}:{password}@host"),
        *("https://$USER:$PASSWORD@host", "https://%s:%s@host", "https://%(user)s:%(password)s@host"),
        *("https://[user]:[password]@host", "https://user:********@host", "https://user:......@host"),
        *("amqp://guest:guest@localhost", "postgres://postgres:postgres@db", "mysql://scott:tiger@localhost"),
        *("https://user:s3cr3t@example.com", "https://user:s3cr3t@api.example.org:8080/", "http://u:s3cr3t@a.test/"),
        *("https://token:x-oauth-basic@github.com", "https://user:DB_PASSWORD@host", "redis://:mypassword@host"),
        *("docker://alpine:3.18.4-r0@sha256:0123", "https://host:8080/a@b", "https://host:8080?mail=me@host"),
        *("git+ssh://git@github.com/o/r@v1.0", "https://[::1]:8080/@me", "https://a.com:123,foo:bar@b.com"),
        *('"https://" + user + ":" + password + "@" + host', "dynamodb://aws_access_key_id:aws_secret_access_key@eu"),
    ],
)
def test_a_url_without_a_password_of_its_own(url: str) -> None:
    assert mask(url).text is url


@pytest.mark.parametrize(
    "text",
    [
        *("", "\n", "x = 1\n", 'password = "hunter2-and-more"', "token: abcdefghijklmnopqrstuvwxyz"),
        *("ghp_" + "x" * 36, "ghp_...", "ghp_your_token_here", "ghp_" + "0" * 36, "export GITHUB_TOKEN=ghp_"),
        *("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "sk-1234567890abcdef"),
        *("hf_your_token_here", "hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "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"),
        *("AKIAIOSFODNN7EXAMPLE", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        *(
            "glpat-your-access-token-here",
            "glpat-xxxxxxxxxxxxxxxxxxxx",
            "xoxb-your-token",
            "xoxb-0-0-xxxxxxxxxxxxxxxxxxxxxxxx",
        ),
        *(
            "sk-admin-panels-of-the-dashboard-of-a-very-long-name",
            "https://hooks.slack.com/services/T00000000/B00000000/XXXX",
        ),
        *("da39a3ee5e6b4b0d3255bfef95601890afd80709", "sha256:" + noise(64, HEX), "key-" + noise(32, HEX)),
        *(
            "123e4567-e89b-12d3-a456-426614174000",
            "SK_MAX_LENGTH",
            "MASK" + noise(32, HEX),
            "self.hf_config.num_hidden",
        ),
        *("data:image/png;base64," + noise(4000, BASE64), "sha512-" + noise(86, BASE64) + "=="),
        *("test_a_very_long_name_of_a_test_that_tells_everything", "-" * 200, "=" * 200, "_" * 200, "." * 200),
        *("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.signature", "AccountKey=<key>", "secret_access_key: str"),
        *("discord.com/api/webhooks/1/token", "NVIDIA.module.Name", "AGE-SECRET-KEY-1...", "hvs.CAES...", "•••"),
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask(text) == Masked(text)
    assert mask(text).text is text


def test_the_share_tells_whether_anything_else_is_left() -> None:
    assert mask(key() + "\n").share == 1.0
    assert mask(PUTTY.replace(MASK, noise(64, BASE64))).share > 0.7
    assert 0 < mask(f"{key()}\n" + "x = 1\n" * 1000).share < 0.1
    assert mask("x = 1").share == 0.0


MARKS = [
    *("ghp_", "github_pat_", "glpat-", "sk-", "sk-proj-", "T3BlbkFJ", "eyJ", "AKIA", "AIza", "SG.", "hvs.", "://", ":"),
    *("@", "host", "\n", "\r\n", "\r", " ", '"', "'", "\\n", "\\", "=", "/", "-----", "END ", "Private-Lines: 2", MASK),
    *(HEADER.format("", ""), HEADER.format("RSA ", ""), HEADER.format("", "").replace("BEGIN", "END"), "Proc-Type: 4"),
    *("LS0tLS1CRUdJTiBQUklWQVRF", "secret_access_key", "user", "x", "A", "•", "é", "\x0c", "\u2028", ".", "-", "_"),
    *(noise(40), noise(64, HEX), noise(20), noise(16, CAPITALS), noise(64, BASE64), noise(43, URL_SAFE)),
    *(prefix + secret for prefix, secret in TOKENS),
]
TEXTS = st.text() | st.lists(st.sampled_from(MARKS), max_size=40).map("".join)


@given(TEXTS)
def test_lines_stay_and_a_second_pass_changes_nothing(text: str) -> None:
    masked = mask(text)
    assert [c for c in masked.text if c in "\r\n"] == [c for c in text if c in "\r\n"]
    assert mask(masked.text) == Masked(masked.text)
    assert (masked.found == 0) == (masked.text is text)
    assert 0 <= masked.share <= 1
    assert (masked.share > 0) == (masked.found > 0)


@given(st.text(alphabet="abc xyz019\n\r\t(){}[]<>#,;!?é漢\U0001f600"))
def test_text_without_any_mark_is_the_same_object(text: str) -> None:
    assert mask(text).text is text


@given(TEXTS, st.sampled_from(TOKENS), TEXTS)
def test_a_planted_token_is_gone(before: str, token: tuple[str, str], after: str) -> None:
    assume(token[1] not in before and token[1] not in after)
    assert token[1] not in mask(f"{before} {''.join(token)} {after}").text


@given(TEXTS, TEXTS)
def test_a_planted_key_is_gone(before: str, after: str) -> None:
    assume(not any(line in before or line in after for line in BODY))
    masked = mask(f"{before}\n{key()}\n{after}").text
    assert not any(line in masked for line in BODY)


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "eyJ",
            "\\neyJ",
            ".eyJaaaaaaaaaaa",
            "://",
            "://a:",
            ":@",
            "://abcdef:ghijkl@",
            "sk-",
            "sk-proj-",
            "hf_",
            "ghp_",
        ),
        *(
            "-",
            "_",
            ".",
            "A",
            "\\",
            '" ',
            "'",
            " ",
            "\n",
            "xoxb-1-",
            "xapp-1-A",
            "glpat-",
            "MTAx",
            "Private-Lines: 1\n",
        ),
        *(f"AKIA{'B' * 16} ", "sk-aaaaaaaaaaaaaaaaaaaaT3BlbkFJ", "secret_access_key  ", "LS0tLS1CRUdJTiBQUklWQVRF"),
        *(
            HEADER.format("", ""),
            HEADER.format("", "") + "\nProc-Type: 4",
            HEADER.format("", "") + '" "' * 3,
            "-----END ",
        ),
        HEADER.format("", "") + "\n" + noise(64, BASE64) + "\n",
    ],
)
def test_the_worst_of_texts_come_to_an_end(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    assert mask(text).text.count("\n") == text.count("\n")
    assert mask(HEADER.format("", "") + text).text.count("\n") == text.count("\n")
