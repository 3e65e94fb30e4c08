"""What can be pressed below an answer, also in another life of the program."""

from __future__ import annotations

import pytest

from bot.adapters.discord.buttons import MOST_LINKS, NO_SOURCES, THANKS
from fakes.answers import answer
from fakes.discord.posts import Interaction, Message
from fakes.discord.server import DiscordServer
from fakes.discord_desk import Desk


def answered(discord: DiscordServer, desk: Desk) -> Message:
    desk.ask()
    message = discord.sends[-1].message
    assert message
    return message


def read(pressed: Interaction) -> list[str]:
    assert pressed.original and pressed.original.ephemeral
    return [pressed.original.content, *(message.content for message in pressed.followups)]


def test_a_vote_counts_once_for_each_person(discord: DiscordServer, desk: Desk) -> None:
    message = answered(discord, desk)
    for label, by in (("👍", "ada"), ("👎", "ada"), ("👍", "bob")):
        assert read(desk.use(discord.people.press(message, label, by))) == [THANKS]
    ada, bob = (discord.world.user(name).id for name in ("ada", "bob"))
    assert desk.history.votes("answer1") == {f"discord:{ada}": "down", f"discord:{bob}": "up"}


def test_buttons_outlive_a_restart(discord: DiscordServer, desk: Desk) -> None:
    message = answered(discord, desk)
    desk.restart()
    desk.use(discord.people.press(message, "👎", "ada"))
    assert list(desk.history.votes("answer1").values()) == ["down"]
    pressed = desk.use(discord.people.press(message, "Sources", "bob"))
    assert discord.wait_until(lambda _: pressed.original and pressed.original.content, 5)
    assert "hull/part1.py" in read(pressed)[0]


def test_sources_are_shown_to_who_pressed_alone(discord: DiscordServer, desk: Desk) -> None:
    desk.says = [answer("It is 16 [1][2].", 2)]
    message = answered(discord, desk)
    pressed = desk.use(discord.people.press(message, "Sources", "bob"))
    assert pressed.waited_s is not None and pressed.waited_s < 3
    assert discord.wait_until(lambda _: pressed.original and pressed.original.content, 5)
    (page,) = read(pressed)
    assert "```py\nlines of hull/part1.py\n```" in page and "lines of hull/part2.py" in page
    assert len(discord.world.history(discord.channel)) == 2


def test_sources_that_are_not_kept(discord: DiscordServer, desk: Desk) -> None:
    message = answered(discord, desk)
    assert desk.history.forget(0) == 1
    pressed = desk.use(discord.people.press(message, "Sources", "bob"))
    assert discord.wait_until(lambda _: pressed.original and pressed.original.content, 5)
    assert read(pressed) == [NO_SOURCES]


def test_an_answer_without_sources_has_no_button_for_them(discord: DiscordServer, desk: Desk) -> None:
    desk.says = [answer("I do not know.", declined=True)]
    names = [button.get("label") or button["emoji"]["name"] for button in answered(discord, desk).buttons]
    assert names == ["👍", "👎"]


@pytest.mark.parametrize("count", [1, MOST_LINKS, 12])
def test_as_many_links_as_fit(discord: DiscordServer, desk: Desk, count: int) -> None:
    desk.says = [answer("It is 16 [1].", count, folder="deep/" * 30)]
    links = [button for button in answered(discord, desk).buttons if button["style"] == 5]
    assert len(links) == min(count, MOST_LINKS) and all(len(button["label"]) <= 80 for button in links)
    assert links[0]["label"] == "[1] part1.py:1"
