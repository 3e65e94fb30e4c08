"""The slash commands, and the one in a message's menu."""

from __future__ import annotations

import time
from collections.abc import Callable

from bot.adapters.discord.buttons import NO_SOURCES
from bot.adapters.discord.commands import ADMINISTRATORS, NO_ANSWER_YET, NOT_HERE, NOT_YOU, NOTHING_SAID
from bot.adapters.discord.limits import SLOW_DOWN, Limits
from bot.adapters.discord.work import FAILED
from fakes.answers import answer
from fakes.discord.people import Permission
from fakes.discord.posts import Interaction
from fakes.discord.server import DiscordServer
from fakes.discord_desk import Desk, promote
from fakes.steps import RememberedSteps
from indexer.errors import IndexMissing

ASK = {"question": "what is the block size?"}
LONG = "\n\n".join(f"Paragraph {at}: " + "blocks hold tokens " * 40 + "[1]." for at in range(6))
REGISTER = "PUT /applications/{application_id}/commands"


def asked(discord: DiscordServer, desk: Desk, **how: object) -> Interaction:
    """`/ask`, acknowledged and answered."""
    used: list[Interaction] = []
    desk.ask(lambda: used.append(discord.people.command("ask", ASK, **how)))  # type: ignore[arg-type]
    return used[0]


def told(discord: DiscordServer, interaction: Interaction) -> str:
    """What the user of a command alone reads."""
    assert discord.wait_until(lambda _: interaction.original and interaction.original.content, 5)
    assert interaction.original and interaction.original.ephemeral
    return interaction.original.content


def test_ask(discord: DiscordServer, desk: Desk) -> None:
    used = asked(discord, desk)
    assert used.response == 5 and used.waited_s is not None and used.waited_s < 3
    assert used.original and "Blocks hold 16 tokens" in used.original.content and not used.original.ephemeral
    assert used.original.buttons and used.followups == [] and not used.original.pings
    assert desk.asked[0].text == ASK["question"] and desk.subject().state == "settled"


def test_ask_about_a_version(discord: DiscordServer, desk: Desk) -> None:
    desk.ask(lambda: discord.people.command("ask", ASK | {"version": "v1.2.0"}))
    assert desk.asked[0].ref == "v1.2.0"


def test_a_long_answer_goes_on_in_follow_ups(discord: DiscordServer, desk: Desk) -> None:
    desk.says = [answer(LONG, 2)]
    used = asked(discord, desk)
    assert used.original and "Paragraph 0" in used.original.content and not used.original.buttons
    assert len(used.followups) >= 2 and used.followups[-1].buttons
    assert all(message.flags & 4 for message in used.followups)


def test_crashed_at_any_step_a_command_is_answered(discord: DiscordServer, desk: Desk) -> None:
    steps = desk.ask(lambda: discord.people.command("ask", ASK))
    for crash_at in range(1, len(steps.names) + 1):
        used: list[Interaction] = []
        key = desk.hears(lambda used=used: used.append(discord.people.command("ask", ASK)))  # type: ignore[misc]
        crashing = RememberedSteps()
        crashing.crash_at = crash_at
        desk.do(key, crashing)
        assert used[0].original and "16 tokens" in used[0].original.content and used[0].followups == []
    assert len(discord.world.history(discord.channel)) == len(steps.names) + 1


def test_a_token_that_runs_out_before_there_is_an_answer(discord: DiscordServer, desk: Desk) -> None:
    """After fifteen minutes the answer goes to the channel, as a reply to what said that we think."""
    used: list[Interaction] = []
    key = desk.hears(lambda: used.append(discord.people.command("ask", ASK)))
    used[0].at -= 901
    desk.says = [answer(LONG, 2)]
    desk.do(key)
    first, *others = [change.message for change in discord.sends if change.message]
    assert used[0].original and first.reference == used[0].original.id and "Paragraph 0" in first.content
    assert others[-1].buttons and desk.subject().state == "settled"


def test_a_token_that_runs_out_while_the_answer_grows(discord: DiscordServer, make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(streaming=True)
    desk.says = [["Blocks hold ", 1.6, "16 ", 0.1, "tokens [1]."]]
    used: list[Interaction] = []
    key = desk.hears(lambda: used.append(discord.people.command("ask", ASK)))
    steps = RememberedSteps()
    steps.crash_at = 5  # the answer has grown, and the program ends
    ran_out = lambda: setattr(used[0], "at", used[0].at - 901) if len(desk.asked) == 2 else None  # noqa: E731
    desk.meanwhile = ran_out
    desk.do(key, steps)
    assert len(desk.asked) == 2 and desk.subject().state == "settled"
    (whole,) = [m for m in discord.world.history(discord.channel) if "tokens [[1]]" in m.content]
    assert whole.buttons


def test_a_message_is_asked_about_from_its_menu(discord: DiscordServer, desk: Desk) -> None:
    message = discord.people.say("Why is the cache so large?", "bob")
    desk.ask(lambda: discord.people.context_menu("Ask RepoPilot about this", message, "ada"))
    assert desk.asked[0].text == "Why is the cache so large?"


def test_a_message_without_words_has_nothing_to_answer(discord: DiscordServer, desk: Desk) -> None:
    picture = discord.people.say("", embeds=[{"title": "a picture"}])
    used = desk.use(discord.people.context_menu("Ask RepoPilot about this", picture))
    assert told(discord, used) == NOTHING_SAID and desk.jobs.added == []


def test_status(discord: DiscordServer, desk: Desk) -> None:
    used = desk.use(discord.people.command("status"))
    assert "example-org/boat" in told(discord, used) and used.waited_s is not None and used.waited_s < 3


def test_sources_are_those_of_the_latest_answer_here(discord: DiscordServer, desk: Desk) -> None:
    assert told(discord, desk.use(discord.people.command("sources"))) == NO_ANSWER_YET
    desk.ask()
    assert "lines of hull/part1.py" in told(discord, desk.use(discord.people.command("sources")))
    elsewhere = discord.world.channel("elsewhere", discord.guild)
    assert told(discord, desk.use(discord.people.command("sources", channel=elsewhere))) == NO_ANSWER_YET
    desk.says = [answer("I do not know.", declined=True)]
    desk.ask()
    assert told(discord, desk.use(discord.people.command("sources"))) == NO_SOURCES


def test_where_we_do_not_answer(discord: DiscordServer, make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(channels=frozenset({1}))
    assert told(discord, desk.use(discord.people.command("ask", ASK))) == NOT_HERE and desk.jobs.added == []


def test_whom_we_do_not_answer(discord: DiscordServer, make_desk: Callable[..., Desk]) -> None:
    role = discord.world.role(discord.guild, "members")
    desk = make_desk()
    desk.configure(role=role)
    assert told(discord, desk.use(discord.people.command("ask", ASK, "bob"))) == NOT_YOU
    discord.world.join(discord.guild, discord.people.person("ada"), role)
    asked(discord, desk, by="ada")
    desk.configure(role=discord.guild.roles[discord.guild.id])  # @everyone
    asked(discord, desk, by="bob")
    assert len(desk.asked) == 2


def test_who_asks_too_much_alone_is_told_so(discord: DiscordServer, make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(Limits(per_user=1, settling_s=0))
    asked(discord, desk, by="ada")
    assert told(discord, desk.use(discord.people.command("ask", ASK, "ada"))) == SLOW_DOWN.format(limit=1)
    asked(discord, desk, by="bob")
    assert len(desk.asked) == 2


def test_an_answer_that_cannot_be_made_does_not_leave_one_waiting(discord: DiscordServer, desk: Desk) -> None:
    desk.says = [IndexMissing("not indexed")]
    used = asked(discord, desk)
    assert used.original and used.original.content == FAILED and desk.subject().state == "set_aside"


# `/config`


def test_only_who_manages_a_server_may_configure(discord: DiscordServer, desk: Desk) -> None:
    command = discord.world.command("config", discord.guild)
    assert command and int(command["default_member_permissions"]) == Permission.MANAGE_GUILD
    refused = desk.configure("mallory", repository="evil/repo")
    assert told(discord, refused) == ADMINISTRATORS
    asked(discord, desk)
    assert desk.asked[0].repository is None


def test_configuring(discord: DiscordServer, make_desk: Callable[..., Desk]) -> None:
    promote(discord, "ada", Permission.ADMINISTRATOR)
    desk = make_desk()
    assert told(discord, desk.configure("ada", repository="example-org/engine", version="v1")).startswith("Set here: ")
    asked(discord, desk)
    desk.configure("ada", version="-")
    desk.restart()
    asked(discord, desk)
    found = [(question.repository, question.ref) for question in desk.asked]
    assert found == [("example-org/engine", "v1"), ("example-org/engine", None)]
    assert "defaults" in told(discord, desk.configure("ada", repository="-"))


# Registering.


def test_commands_are_registered_when_they_changed(discord: DiscordServer, desk: Desk) -> None:
    names = {command["name"] for command in discord.world.commands[None]}
    assert names == {"ask", "sources", "status", "config", "Ask RepoPilot about this"}
    desk.restart()
    desk.restart()
    assert len(discord.called(REGISTER)) == 1
    discord.world.commands[None].pop()
    desk.restart()
    assert len(discord.called(REGISTER)) == 2 and len(discord.world.commands[None]) == 5
    desk.ledger.keep(f"discord:commands:{discord.world.bot.id}", "of another version")
    desk.restart()
    assert len(discord.called(REGISTER)) == 3


def test_a_slow_model_does_not_hold_up_the_acknowledgement(discord: DiscordServer, desk: Desk) -> None:
    desk.says = [["It is ", 0.5, "16 [1]."]]
    began = time.monotonic()
    asked(discord, desk)
    used = discord.people.command("ask", ASK)
    desk.use(used)
    assert used.waited_s is not None and used.waited_s < 1 < 10 > time.monotonic() - began
