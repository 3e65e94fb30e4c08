"""One case of section C while it is played: what happens, one thing after the other, and what it left."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cases.bench import _call as model_call
from cases.bench import _playable as playable
from cases.case import Case
from cases.discord_bench import DiscordBench, demand_connected
from cases.discord_observation import DiscordObservation
from cases.discord_steps import Step
from cases.github_observation import question_in
from cases.program import CannotRunError
from fakes.discord.adopting import adopt
from fakes.discord.people import Permission
from fakes.discord.posts import Interaction, Message
from fakes.discord.world import Deed


@dataclass(slots=True)
class Play:
    """A case while it is played: `later` is how many changes there were when something was waited for."""

    made: DiscordBench
    said: str
    interactions: list[Interaction] = field(default_factory=list)
    later: int = 0

    def observed(self, case: Case, planned: Sequence[Step]) -> DiscordObservation:
        """Let everything happen, wait until it is done, and collect what it left."""
        self.made.llm.play(playable(case.given.get("llm")))
        demand_connected(self.made)
        for step in planned:
            time.sleep(step.delay_s)
            if step.settled:
                self.made.wait_until_idle()
                self.later = len(self.made.discord.world.changes)
            self._act(step)
        if self.made.discord.gateway.refuse:
            self.made.wait_for_exit()
        elif not self.made.wait_until_idle() and "process" not in case.expect:
            demand_connected(self.made)
            raise CannotRunError(f"the bot is never done: {self.made.log.strip()[-300:]}")
        return self._gathered()

    def _act(self, step: Step) -> None:
        discord, fields = self.made.discord, dict(step.fields or {})
        if step.event:
            made = adopt(discord, step.event)
            self.interactions += [made] if made else []
            return
        match step.action:
            case "gateway_close" if not discord.gateway.refuse:
                # 1006 is what a client makes of a connection that ends without a word
                discord.gateway.drop() if fields["code"] == 1006 else discord.gateway.close(fields["code"])
            case "gateway_drop":
                discord.gateway.drop()
            case "gateway_reconnect":
                discord.gateway.reconnect()
            case "gateway_invalid_session":
                discord.gateway.invalidate(resumable=bool(fields.get("resumable")))
            case "restart" | "kill":
                self.made.start_again(by_force=step.action == "kill")
            case "wait" | "gateway_close":
                pass
            case _:
                self._deed(step.action, fields)

    def _deed(self, action: str, fields: Mapping[str, Any]) -> None:
        """What somebody does about the bot's last message, or about the last one that somebody wrote."""
        people, by = self.made.discord.people, fields.get("by", "alice")
        match action:
            case "ask" | "say":
                (people.ask if action == "ask" else people.say)(fields["content"], by)
            case "follow_up":
                self._follow_up(fields["content"], by, ping=fields.get("ping"))
            case "edit":
                people.edit(self._last(own=False), fields["content"])
            case "delete":
                people.delete(self._last(own=False))
            case "react":
                people.react(self._last(own=True), fields["emoji"], by)
            case "press":
                self.interactions.append(people.press(self._with_button(fields["label"]), fields["label"], by))
            case "menu":
                self.interactions.append(people.context_menu(fields["name"], self._last(own=False), by))
            case "command":
                self._promote(by) if fields.get("admin") else None
                self.interactions.append(people.command(fields["name"], fields.get("options"), by))

    def _follow_up(self, content: str, by: str, ping: bool | None) -> None:
        """Write below the bot's last message: a reply (`ping` says of which kind), or where it stands in a thread."""
        last = self._last(own=True)
        reply = {} if ping is None else {"reply_to": last, "ping": ping}
        self.made.discord.people.say(content, by, last.channel, **reply)  # type: ignore[arg-type]

    def _promote(self, name: str) -> None:
        """Make a member an administrator."""
        world, guild = self.made.discord.world, self.made.discord.guild
        role = world.role(guild, "admins", permissions=int(Permission.ADMINISTRATOR))
        world.join(guild, world.user(name), role)

    def _last(self, own: bool) -> Message:
        """The newest message of the bot, or of anybody else. Raises CannotRunError."""
        world = self.made.discord.world
        held = [m for m in world.messages.values() if (m.author is world.bot) is own and not m.deleted]
        if not held:
            raise CannotRunError("there is no message to do this with")
        return list(held)[-1]

    def _with_button(self, label: str) -> Message:
        world = self.made.discord.world
        for message in reversed(list(world.messages.values())):
            if any(label in (b.get("label"), (b.get("emoji") or {}).get("name")) for b in message.buttons):
                return message
        raise CannotRunError(f"there is no button {label!r}")

    def _gathered(self) -> DiscordObservation:
        discord, world = self.made.discord, self.made.discord.world
        records = list(self.made.llm.records)
        asked = [text for record in records if (text := question_in(record.body.get("messages", ())))]
        with world.lock:
            own = [m for m in world.messages.values() if m.author is world.bot and not m.deleted and m.body]
            changes = list(world.changes)
        done: dict[Deed, list[Any]] = {
            deed: [change for change in changes if change.deed == deed]
            for deed in ("sent", "edited", "deleted", "reacted")
        }
        return DiscordObservation(
            log=self.made.log,
            calls=[model_call(record, 0.0) for record in records],
            llm_concurrency=self.made.llm.concurrency_max,
            exit_code=self.made.server.exit_code,
            status_of=self.made.status_of,
            api=list(discord.calls),
            sent=done["sent"],
            edited=done["edited"],
            later_edits=[change for change in changes[self.later :] if change.deed == "edited"],
            deleted=done["deleted"],
            reacted=done["reacted"],
            messages=own,
            interactions=self.interactions,
            questions=asked,
            said=self.said,
            connections=discord.gateway.connections,
        )
