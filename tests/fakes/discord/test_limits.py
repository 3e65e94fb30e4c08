"""Rate limits and failures as discord.py meets them, and scripts that cause them."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import discord
import httpx
import pytest

from fakes.discord.clients import Listener, intents, plain, running
from fakes.discord.script import condition
from fakes.discord.server import CHANNEL_ID, DiscordServer
from fakes.openai_script import ScriptError

HERE = f"/channels/{CHANNEL_ID}/messages"
CREATE, EDIT = "POST /channels/{channel_id}/messages", "PATCH /channels/{channel_id}/messages/{message_id}"


def posted(server: DiscordServer, content: str = "x", **body: Any) -> httpx.Response:
    with plain(server) as http:
        return http.post(HERE, json={"content": content, **body})


async def several(channel: Any, count: int) -> None:
    await asyncio.gather(*(channel.send(str(number)) for number in range(count)))


def test_the_client_waits_for_its_bucket(server: DiscordServer) -> None:
    server.limits.rates[CREATE] = (3, 0.4)
    with running(server, Listener(intents())) as client:
        started = time.monotonic()
        client.do(several(client.get_channel(CHANNEL_ID), 7))
        assert len(server.sends) == 7 and time.monotonic() - started > 0.7
        assert server.limits.ignored == 0


def test_who_does_not_wait_is_told_to(server: DiscordServer) -> None:
    server.limits.rates[CREATE] = (1, 0.5)
    first, second, third = posted(server), posted(server), posted(server)
    assert (first.status_code, first.headers["X-RateLimit-Remaining"]) == (200, "0")
    assert second.status_code == 429 and 0 < second.json()["retry_after"] <= 0.5
    assert (second.headers["Retry-After"], second.headers["X-RateLimit-Scope"]) == ("1", "user")
    assert second.headers["X-RateLimit-Bucket"] == first.headers["X-RateLimit-Bucket"] and "Via" in second.headers
    assert third.status_code == 429 and (server.limits.refused, server.limits.ignored, server.limits.invalid) == (
        2,
        1,
        2,
    )
    other = server.world.channel("other", server.guild)
    with plain(server) as http:
        assert http.post(f"/channels/{other.id}/messages", json={"content": "x"}).status_code == 200


def test_the_global_limit_holds_for_all_routes(server: DiscordServer) -> None:
    server.limits.global_per_s = 2
    with plain(server) as http:
        said = [http.get(path) for path in ("/users/@me", "/gateway/bot", "/applications/@me")]
    assert [each.status_code for each in said] == [200, 200, 429]
    assert said[2].json()["global"] is True and said[2].headers["X-RateLimit-Global"] == "true"


def test_too_many_invalid_requests_are_banned(server: DiscordServer) -> None:
    server.limits.invalid_max = 3
    with plain(server, "wrong") as http:
        said = [http.get("/users/@me") for _ in range(4)]
    assert [each.status_code for each in said] == [401, 401, 401, 429]
    assert "Via" not in said[3].headers and said[3].headers["Content-Type"].startswith("text/html")


def test_a_scripted_429_is_waited_for(server: DiscordServer) -> None:
    limited = {"status": 429, "headers": {"Retry-After": "1"}, "json": {"retry_after": 0.3, "global": False}}
    server.play({CREATE: {"sequence": [limited, "ok"]}})
    with running(server, Listener(intents())) as client:
        client.do(several(client.get_channel(CHANNEL_ID), 1))
        first, second = server.called(CREATE)
        assert (first.status, second.status, len(server.sends)) == (429, 200, 1) and second.at - first.at > 0.3


def test_a_scripted_5xx_is_tried_again(server: DiscordServer) -> None:
    server.play({CREATE: {"sequence": [502]}})
    with running(server, Listener(intents())) as client:
        client.do(several(client.get_channel(CHANNEL_ID), 1))
        assert [call.status for call in server.called(CREATE)] == [502, 200]


def test_an_error_for_ever(server: DiscordServer) -> None:
    server.play({CREATE: {"status": 403, "json": {"code": 50_013, "message": "Missing Permissions"}}})
    with running(server, Listener(intents())) as client, pytest.raises(discord.Forbidden) as refused:
        client.do(several(client.get_channel(CHANNEL_ID), 1))
    assert refused.value.code == 50_013
    server.faults.clear()
    assert posted(server).status_code == 200


@pytest.mark.parametrize(("behaviour", "made"), [("cut_before", 0), ("cut_after", 1), ("connection_reset", 0)])
def test_a_connection_is_cut_before_or_after_the_effect(server: DiscordServer, behaviour: str, made: int) -> None:
    server.play({CREATE: {"sequence": [behaviour]}})
    with pytest.raises(httpx.TransportError):
        posted(server)
    assert len(server.sends) == made and server.calls[-1].status == 0


@pytest.mark.parametrize(("behaviour", "made"), [("timeout", 0), ("timeout_after", 1)])
def test_an_answer_never_comes(server: DiscordServer, behaviour: str, made: int) -> None:
    server.play({CREATE: behaviour})
    with plain(server) as http, pytest.raises(httpx.ReadTimeout):
        http.post(HERE, json={"content": "x"}, timeout=0.2)
    assert len(server.sends) == made


def test_an_answer_comes_late_or_is_no_json(server: DiscordServer) -> None:
    server.play({CREATE: {"sequence": [{"delay_s": 0.2}, "html"]}})
    started = time.monotonic()
    assert posted(server).status_code == 200 and time.monotonic() - started > 0.2
    assert (posted(server).text[:6], posted(server).status_code) == ("<html>", 200)


def test_a_script_looks_at_the_body(server: DiscordServer) -> None:
    gone = {"if": "message_reference.fail_if_not_exists != false", "status": 400, "json": {"code": 50_035}}
    server.play({CREATE: gone})
    reference = {"message_id": str(server.people.say("one").id)}
    assert posted(server, message_reference=reference).json()["code"] == 50_035
    assert posted(server, message_reference=reference | {"fail_if_not_exists": False}).status_code == 200
    assert posted(server).status_code == 200


@pytest.mark.parametrize(
    ("text", "body", "met"),
    [
        ("a.b != false", {"a": {}}, True),
        ("a.b != false", {"a": {"b": False}}, False),
        ("a.b != false", {}, False),
        ("len(content) > 2", {"content": "abc"}, True),
        ("len(content) > 2 and not nonce", {"content": "abc", "nonce": "n"}, False),
        ("flags == 4 && embeds", {"flags": 4, "embeds": [1]}, True),
        ("name == 'x'", {"name": "x"}, True),
    ],
)
def test_conditions(text: str, body: dict[str, Any], met: bool) -> None:
    assert condition(text)(body) is met


@pytest.mark.parametrize(
    "script",
    [{"POST": 1}, {CREATE: "sing"}, {CREATE: {"song": 1}}, {CREATE: {"if": "a ~ b"}}, {CREATE: {"if": "a == b"}}],
)
def test_a_script_that_cannot_be_played_is_refused(server: DiscordServer, script: dict[str, Any]) -> None:
    with pytest.raises(ScriptError):
        server.play(script)
