"""The state as Discord's JSON documents: https://discord.com/developers/docs/reference"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from fakes.discord.people import Application, Channel, ChannelType, Guild, Member, Role, User
from fakes.discord.posts import Interaction, InteractionType, Message, MessageType
from fakes.discord.world import World

Document = dict[str, Any]
JOINED = "2025-01-01T00:00:00.000000+00:00"
ARCHIVE_MINUTES = 1_440
# What a guild may have and the fake's have not.
NOTHING = """emojis features stickers voice_states presences stage_instances guild_scheduled_events
    soundboard_sounds""".split()


def iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="microseconds")


def user(each: User) -> Document:
    about = {"id": str(each.id), "username": each.username, "discriminator": "0", "global_name": each.global_name}
    return about | {"avatar": None, "public_flags": 0} | ({"bot": True} if each.bot else {})


def role(each: Role) -> Document:
    tags = {"tags": {"bot_id": str(each.bot_id)}} if each.bot_id else {}
    looks = {"color": 0, "colors": {"primary_color": 0}, "hoist": False, "icon": None, "unicode_emoji": None}
    about = {"id": str(each.id), "name": each.name, "permissions": str(each.permissions), "position": each.position}
    return about | looks | {"managed": bool(each.bot_id), "mentionable": False, "flags": 0} | tags


def member(each: Member, *, with_user: bool = True) -> Document:
    about = {"roles": [str(held.id) for held in each.roles], "joined_at": JOINED, "deaf": False, "mute": False}
    return about | {"nick": each.nick, "avatar": None, "flags": 0} | ({"user": user(each.user)} if with_user else {})


def application(each: Application) -> Document:
    named = {"id": str(each.id), "name": each.name, "description": "", "icon": None, "owner": user(each.owner)}
    about = {"bot_public": True, "bot_require_code_grant": False, "verify_key": "0" * 64, "flags": each.flags}
    return named | about | {"team": None, "bot": user(each.bot), "integration_types_config": {"0": {}}}


def channel(each: Channel) -> Document:
    if each.type is ChannelType.DM:
        recipients = [user(each.recipient)] if each.recipient else []
        return {"id": str(each.id), "type": 1, "recipients": recipients, "last_message_id": None, "flags": 0}
    if each.is_thread:
        return _thread(each)
    denies = {"id": str(each.guild.id if each.guild else 0), "type": 0, "allow": "0", "deny": str(each.denied)}
    about = {"id": str(each.id), "type": int(each.type), "name": each.name, "position": 0, "topic": None}
    more = {"nsfw": False, "parent_id": None, "flags": 0, "rate_limit_per_user": 0, "last_message_id": None}
    return about | more | _guild_id(each) | {"permission_overwrites": [denies] if each.denied else []}


def _thread(each: Channel) -> Document:
    metadata = {
        "archived": each.archived,
        "locked": each.locked,
        "auto_archive_duration": ARCHIVE_MINUTES,
        "archive_timestamp": JOINED,
        "create_timestamp": JOINED,
    }
    above = str(each.parent.id) if each.parent else None
    about = {"id": str(each.id), "type": int(each.type), "name": each.name, "parent_id": above, "flags": 0}
    counts = {"message_count": 0, "member_count": 1, "total_message_sent": 0, "rate_limit_per_user": 0}
    joined = {"join_timestamp": JOINED, "flags": 0, "id": str(each.id), "user_id": str(each.owner_id)}
    more = {"owner_id": str(each.owner_id), "thread_metadata": metadata, "last_message_id": None}
    return about | counts | more | _guild_id(each) | ({"member": joined} if each.joined else {})


def _guild_id(each: Channel) -> Document:
    return {"guild_id": str(each.guild.id)} if each.guild else {}


def guild(each: Guild, world: World) -> Document:
    """The whole guild, as GUILD_CREATE has it."""
    here = [held for held in world.channels.values() if held.guild is each]
    settings = {"verification_level": 0, "default_message_notifications": 0, "explicit_content_filter": 0}
    more = {"mfa_level": 0, "nsfw_level": 0, "premium_tier": 0, "system_channel_flags": 0, "preferred_locale": "en-US"}
    empty: Document = {name: [] for name in NOTHING}
    return (
        settings
        | more
        | empty
        | {
            "id": str(each.id),
            "name": each.name,
            "icon": None,
            "owner_id": str(each.owner.id),
            "afk_timeout": 300,
            "joined_at": JOINED,
            "large": False,
            "unavailable": False,
            "member_count": len(each.members),
            "roles": [role(held) for held in each.roles.values()],
            "members": [member(held) for held in each.members.values()],
            "channels": [channel(held) | _last(held, world) for held in here if not held.is_thread],
            "threads": [channel(held) | _last(held, world) for held in here if held.is_thread and not held.archived],
        }
    )


def _last(each: Channel, world: World) -> Document:
    """Which message was the last one in a channel."""
    found = world.history(each)
    return {"last_message_id": str(found[0].id)} if found else {}


def message(each: Message, world: World, *, referenced: bool = True) -> Document:
    """The message as REST gives it; one that replies has what it replies to, null when that was deleted."""
    embeds = [] if each.flags & 4 else list(each.embeds)
    document: Document = {
        "id": str(each.id),
        "channel_id": str(each.channel.id),
        "author": user(each.author),
        "content": each.content,
        "timestamp": iso(each.created_at),
        "edited_timestamp": iso(each.edited_at) if each.edited_at else None,
        "tts": False,
        "mention_everyone": each.mention_everyone,
        "mentions": [user(held) for held in each.mentions],
        "mention_roles": [str(held.id) for held in each.mention_roles],
        "attachments": list(each.attachments),
        "embeds": embeds,
        "components": list(each.components),
        "pinned": False,
        "type": int(each.type),
        "flags": each.flags,
    }
    if each.nonce is not None:
        document["nonce"] = each.nonce
    if each.webhook_id:
        document["webhook_id"] = str(each.webhook_id)
    if each.application_id:
        document["application_id"] = str(each.application_id)
    if each.thread:
        document["thread"] = channel(each.thread)
    if each.reactions:
        document["reactions"] = [_reaction(emoji, by, world) for emoji, by in each.reactions.items()]
    if each.interaction:
        document["interaction_metadata"] = _metadata(each.interaction)
    return document | (_reference(each, world, referenced) if each.reference else {})


def _reference(each: Message, world: World, referenced: bool) -> Document:
    where = {"channel_id": str(each.channel.id), **_guild_id(each.channel)}
    reference = {"message_reference": {"type": 0, "message_id": str(each.reference), **where}}
    if not referenced:
        return reference
    held = world.message(each.channel, each.reference or 0)
    return reference | {"referenced_message": message(held, world, referenced=False) if held else None}


def _reaction(emoji: str, by: list[User], world: World) -> Document:
    counts = {"count": len(by), "count_details": {"burst": 0, "normal": len(by)}, "me": world.bot in by}
    return counts | {"me_burst": False, "burst_colors": [], "emoji": {"id": None, "name": emoji}}


def dispatched(each: Message, world: World) -> Document:
    """The message as the gateway has it: with its guild and what the author is there."""
    document = message(each, world) | _guild_id(each.channel)
    if each.channel.guild and each.author.id in each.channel.guild.members:
        document["member"] = member(each.channel.guild.members[each.author.id], with_user=False)
    return document


def interaction(each: Interaction, world: World) -> Document:
    """https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object"""
    permissions = str(each.channel.permissions(each.user))
    document: Document = {
        "id": str(each.id),
        "application_id": str(world.application.id),
        "type": int(each.type),
        "token": each.token,
        "version": 1,
        "channel_id": str(each.channel.id),
        "channel": channel(each.channel) | {"permissions": permissions},
        "data": dict(each.data),
        "locale": "en-US",
        "app_permissions": str(each.channel.permissions(world.bot)),
        "entitlements": [],
        "authorizing_integration_owners": {},
        "context": 0 if each.channel.guild else 1,
        "attachment_size_limit": 10_485_760,
    }
    if each.message:
        document["message"] = message(each.message, world)
    if each.channel.guild is None:
        return document | {"user": user(each.user)}
    guild_id = str(each.channel.guild.id)
    about = {"guild_id": guild_id, "guild_locale": "en-US"}
    there = member(each.channel.guild.members[each.user.id]) | {"permissions": permissions}
    return document | about | {"guild": {"id": guild_id, "locale": "en-US", "features": []}, "member": there}


def _metadata(each: Interaction) -> Document:
    about = {"id": str(each.id), "type": int(each.type), "user": user(each.user)}
    return about | {"authorizing_integration_owners": {}}


def callback(each: Interaction, world: World) -> Document:
    """What `with_response` gives back."""
    made = each.original
    deferred = each.response in (5,)
    about = {"id": str(each.id), "type": int(each.type), "channel_id": str(each.channel.id)}
    state = {"response_message_loading": deferred, "response_message_ephemeral": bool(made and made.ephemeral)}
    resource: Document = {"type": each.response}
    if made:
        about["response_message_id"] = str(made.id)
        resource["message"] = message(made, world)
    return {"interaction": about | state, "resource": resource}


def message_type(each: Interaction) -> MessageType:
    """The type of the message that answers an interaction."""
    if each.type is InteractionType.APPLICATION_COMMAND:
        menu = each.data.get("type", 1) != 1
        return MessageType.CONTEXT_MENU_COMMAND if menu else MessageType.CHAT_INPUT_COMMAND
    return MessageType.REPLY
