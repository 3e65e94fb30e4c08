"""Commands, menus, buttons and fields that complete themselves, with discord.py at the other end."""

from __future__ import annotations

import asyncio
from typing import Any

import discord
import pytest
from discord import app_commands

from fakes.discord.clients import Listener, intents, plain, running
from fakes.discord.posts import Interaction, InteractionType
from fakes.discord.server import BOT_ID, DiscordServer

LATE_S = 900


class Vote(discord.ui.View):
    """Buttons that survive a restart, since their ids are known beforehand."""

    def __init__(self) -> None:
        super().__init__(timeout=None)

    @discord.ui.button(label="Sources", custom_id="sources:1")
    async def sources(self, interaction: discord.Interaction, _: Any) -> None:
        await interaction.response.send_message("a.py", ephemeral=True)

    @discord.ui.button(emoji="👍", custom_id="up:1")
    async def up(self, interaction: discord.Interaction, _: Any) -> None:
        await interaction.response.edit_message(content="Thank you.", view=None)


class Answering(Listener):
    """Registers its commands when it starts; `delay_s` is how long it takes before it says anything."""

    delay_s = 0.0

    async def setup_hook(self) -> None:
        self.add_view(Vote())

        @self.tree.command(name="ask", description="Ask about the code")
        async def ask(interaction: discord.Interaction, question: str) -> None:
            await asyncio.sleep(self.delay_s)
            await interaction.response.defer(thinking=True)
            await interaction.edit_original_response(content=f"About {question}.", view=Vote())
            await interaction.followup.send("And more.")

        @ask.autocomplete("question")
        async def complete(_: discord.Interaction, typed: str) -> list[app_commands.Choice[str]]:
            return [app_commands.Choice(name=typed * 2, value=typed)]

        @self.tree.command(name="secret", description="For your eyes only")
        async def secret(interaction: discord.Interaction) -> None:
            await interaction.response.send_message("psst", ephemeral=True)

        @self.tree.context_menu(name="Ask about this")
        async def about(interaction: discord.Interaction, message: discord.Message) -> None:
            await interaction.response.send_message(f"About: {message.content}")

        await self.tree.sync()


def answered(server: DiscordServer, interaction: Interaction, followups: int = 0, seconds: float = 5.0) -> Interaction:
    server.wait_until(lambda _: interaction.answered_at and len(interaction.followups) >= followups, seconds)
    return interaction


def test_a_deferred_command_is_edited_and_followed_up(server: DiscordServer) -> None:
    with running(server, Answering(intents())):
        asked = answered(server, server.people.command("ask", {"question": "blocks"}), followups=1)
        assert asked.response == 5 and asked.waited_s is not None and asked.waited_s < 3
        assert asked.original and asked.original.content == "About blocks." and not asked.original.flags
        assert [message.content for message in asked.followups] == ["And more."]
        assert [change.deed for change in server.world.changes] == ["responded", "edited", "sent"]


def test_an_answer_after_three_seconds_is_none(server: DiscordServer) -> None:
    client = Answering(intents())
    client.delay_s = 0.3
    with running(server, client):
        asked = server.people.command("ask", {"question": "blocks"})
        asked.at -= 3.0
        assert server.wait_until(lambda each: each.calls[-1].path.endswith("/callback"), 5)
        assert server.wait_until(lambda each: each.calls[-1].said, 5)
        assert server.calls[-1].said["code"] == 10_062 and asked.answered_at is None


def test_only_the_asker_sees_an_ephemeral_answer(server: DiscordServer) -> None:
    with running(server, Answering(intents())):
        asked = answered(server, server.people.command("secret"))
        assert asked.original and asked.original.ephemeral and server.world.history(server.channel) == []
        assert "MESSAGE_CREATE" not in [event["t"] for event in server.gateway.sessions[0].events]


def test_a_message_is_asked_about_from_its_menu(server: DiscordServer) -> None:
    with running(server, Answering(intents())):
        asked = answered(server, server.people.context_menu("Ask about this", server.people.say("blocks")))
        assert asked.original and asked.original.content == "About: blocks"


def test_buttons_answer_after_a_restart(server: DiscordServer) -> None:
    with running(server, Answering(intents())):
        asked = answered(server, server.people.command("ask", {"question": "blocks"}), followups=1)
    with running(server, Answering(intents())):
        assert asked.original
        shown = answered(server, server.people.press(asked.original, "Sources", "bo"))
        assert shown.response == 4 and shown.original and shown.original.ephemeral
        voted = answered(server, server.people.press(asked.original, "👍", "bo"))
        assert voted.response == 7 and asked.original.content == "Thank you." and not asked.original.buttons
        with pytest.raises(LookupError):
            server.people.press(asked.original, "👍", "bo")


def test_a_field_completes_itself(server: DiscordServer) -> None:
    with running(server, Answering(intents())):
        typed = answered(server, server.people.complete("ask", "question", "ab"))
        assert typed.choices == [{"name": "abab", "value": "ab"}]


def test_a_command_that_is_not_registered_cannot_be_used(server: DiscordServer) -> None:
    with pytest.raises(LookupError):
        server.people.command("ask", {"question": "blocks"})


def begun(server: DiscordServer, kind: InteractionType = InteractionType.APPLICATION_COMMAND) -> Interaction:
    user = server.people.person("alice", server.guild)
    data = {"id": "1", "name": "ask", "type": 1}
    return server.people.begin(
        Interaction(id=server.world.new_id(), type=kind, token="tok", user=user, channel=server.channel, data=data)
    )


def test_an_interaction_is_answered_once_and_for_a_quarter_of_an_hour(server: DiscordServer) -> None:
    asked = begun(server)
    path, hook = f"/interactions/{asked.id}/tok/callback", f"/webhooks/{BOT_ID}/tok"
    with plain(server, "") as http:
        assert http.post(hook, json={"content": "early"}).json()["code"] == 10_015
        assert http.post(path, json={"type": 7}).json()["code"] == 50_035
        assert http.post(path, json={"type": 5, "data": {"flags": 64}}).status_code == 204
        assert http.post(path, json={"type": 5}).json()["code"] == 40_060
        assert http.patch(f"{hook}/messages/@original", json={"content": "x" * 2_001}).json()["code"] == 50_035
        assert http.post(hook, json={"content": "first"}).status_code == 200
        assert asked.original and asked.original.content == "first" and asked.original.ephemeral
        made = http.post(hook, json={"content": "second"}).json()
        assert http.patch(f"{hook}/messages/{made['id']}", json={"content": "2nd"}).json()["content"] == "2nd"
        assert http.get(f"{hook}/messages/@original").json()["content"] == "first"
        assert http.delete(f"{hook}/messages/{made['id']}").status_code == 204
        assert http.get(f"{hook}/messages/{made['id']}").status_code == 404
        asked.at -= LATE_S
        assert http.post(hook, json={"content": "late"}).json()["code"] == 50_027


@pytest.mark.parametrize(
    "command",
    [
        {"name": "Ask", "description": "x"},
        {"name": "ask", "description": ""},
        {"name": "ask", "description": "x" * 101},
        {"name": "About this", "type": 3, "description": "x"},
        {
            "name": "ask",
            "description": "x",
            "options": [
                {"name": "a", "description": "x", "type": 3},
                {"name": "b", "description": "x", "type": 3, "required": True},
            ],
        },
    ],
)
def test_commands_that_are_refused(server: DiscordServer, command: dict[str, Any]) -> None:
    with plain(server) as http:
        assert http.put(f"/applications/{BOT_ID}/commands", json=[command]).json()["code"] == 50_035


def test_commands_are_overwritten_and_keep_their_ids(server: DiscordServer) -> None:
    one, two = ({"name": name, "description": "x"} for name in ("one", "two"))
    where = f"/applications/{BOT_ID}/guilds/{server.guild.id}/commands"
    with plain(server) as http:
        first = http.put(where, json=[one, two]).json()
        again = http.put(where, json=[one]).json()
        assert [each["id"] for each in again] == [first[0]["id"]] and http.get(where).json() == again
        assert http.post(where, json=two).status_code == 201 and len(http.get(where).json()) == 2
        assert http.get(f"/applications/{BOT_ID}/commands").json() == []
        assert http.put(f"/applications/1{where[13:]}", json=[]).status_code in (403, 404)
