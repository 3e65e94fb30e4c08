"""What the gateway says to clients that do not keep to its protocol, and how it compresses."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest

from fakes.discord.server import DiscordServer

Frame = dict[str, Any]
LIMIT_S = 10.0


def answered(server: DiscordServer, *frames: Frame | str, query: str = "v=10&encoding=json") -> tuple[list[Any], int]:
    """What is said to these frames until the gateway closes, and its code; a frame comes after the one before."""

    async def talk() -> tuple[list[Any], int]:
        async with aiohttp.ClientSession() as session, session.ws_connect(f"{server.gateway.url}?{query}") as socket:
            said: list[Any] = []
            waiting = [frame if isinstance(frame, str) else json.dumps(frame) for frame in frames]
            while (message := await socket.receive(LIMIT_S)).type in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
                said.append(message.data if isinstance(message.data, bytes) else json.loads(message.data))
                if waiting:
                    await socket.send_str(waiting.pop(0))
            return said, socket.close_code or 0

    return asyncio.run(talk())


def identify(server: DiscordServer, **over: Any) -> Frame:
    return {"op": 2, "d": {"token": server.token, "intents": 512, "properties": {}} | over}


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ({"op": 99}, 4001),
        ("no json", 4002),
        ({"d": 1}, 4002),
        ({"op": 3, "d": {}}, 4003),
        ({"op": 6, "d": {"token": "wrong", "session_id": "x", "seq": 1}}, 4004),
    ],
)
def test_frames_that_end_a_connection(server: DiscordServer, frame: Frame | str, code: int) -> None:
    assert answered(server, frame)[1] == code


@pytest.mark.parametrize(
    ("over", "code"),
    [({"token": "wrong"}, 4004), ({"shard": [2, 2]}, 4010), ({"intents": 1 << 40}, 4013), ({"intents": None}, 4013)],
)
def test_an_identify_that_ends_a_connection(server: DiscordServer, over: Frame, code: int) -> None:
    assert answered(server, identify(server, **over))[1] == code


def test_identifying_twice_ends_it(server: DiscordServer) -> None:
    said, code = answered(server, identify(server), identify(server))
    assert [frame["op"] for frame in said] == [10, 0] and code == 4005


def test_a_sequence_that_never_was(server: DiscordServer) -> None:
    server.gateway.keep(server.gateway.begin(identify(server)["d"]))
    (session,) = server.gateway.sessions
    resume = {"op": 6, "d": {"token": server.token, "session_id": session.id, "seq": 99}}
    assert answered(server, resume)[1] == 4007


def test_a_session_that_is_not_known_is_invalid(server: DiscordServer) -> None:
    resume = {"op": 6, "d": {"token": server.token, "session_id": "x", "seq": 0}}
    said, _ = answered(server, resume, {"op": 99})
    assert said[1] == {"op": 9, "t": None, "s": None, "d": False}


def test_a_client_without_a_heartbeat_is_let_go(server: DiscordServer) -> None:
    server.gateway.heartbeat_ms = 100
    said, code = answered(server, identify(server))
    assert said[1]["t"] == "READY" and code == 4000
    assert server.wait_until(lambda each: not each.gateway.ready, 5) and len(server.gateway.sessions) == 1


def test_too_many_frames(server: DiscordServer) -> None:
    beats = json.dumps({"op": 1, "d": None})
    assert answered(server, *([beats] * 121))[1] == 4008


@pytest.mark.parametrize(("query", "code"), [("v=6&encoding=json", 4012), ("v=10&encoding=etf", 4002)])
def test_a_version_and_an_encoding_that_are_not_spoken(server: DiscordServer, query: str, code: int) -> None:
    assert answered(server, query=query) == ([], code)


def _zlib() -> Callable[[bytes], bytes]:
    return zlib.decompressobj().decompress


def _zstd() -> Callable[[bytes], bytes]:
    zstandard = pytest.importorskip("zstandard")
    return zstandard.ZstdDecompressor().decompressobj().decompress  # type: ignore[no-any-return]


@pytest.mark.parametrize(("name", "made"), [("zlib-stream", _zlib), ("zstd-stream", _zstd)])
def test_one_compressed_stream(server: DiscordServer, name: str, made: Callable[[], Callable[[bytes], bytes]]) -> None:
    said, _ = answered(server, identify(server), {"op": 99}, query=f"v=10&encoding=json&compress={name}")
    read = made()
    assert [json.loads(read(data))["op"] for data in said] == [10, 0]
