"""Routes of the App itself: https://docs.github.com/rest/apps"""

from __future__ import annotations

from fakes.github import problems
from fakes.github.calls import Call, Reply, Routes, cursor_paged, paged
from fakes.github.credentials import demand_app
from fakes.github.people import Installation
from fakes.github.problems import Problem

ROUTES = Routes()


def _installation(call: Call, id_: int) -> Installation:
    demand_app(call.hub.world, call.headers)
    if found := call.hub.world.installations.get(id_):
        return found
    raise problems.not_found()


@ROUTES.add("GET", "/app")
def app(call: Call) -> Reply:
    demand_app(call.hub.world, call.headers)
    count = {"installations_count": len(call.hub.world.installations)}
    return Reply(200, call.hub.documents.app(call.hub.world.app) | count)


@ROUTES.add("GET", "/app/installations")
def installations(call: Call) -> Reply:
    world = call.hub.world
    demand_app(world, call.headers)
    found = list(world.installations.values())
    return paged(call, found, lambda each: call.hub.documents.installation(each, world.app))


@ROUTES.add("GET", "/app/installations/{id_:int}")
def installation(call: Call, id_: int) -> Reply:
    return Reply(200, call.hub.documents.installation(_installation(call, id_), call.hub.world.app))


@ROUTES.add("GET", "/repos/{owner}/{name}/installation")
def installation_of(call: Call, owner: str, name: str) -> Reply:
    world = call.hub.world
    demand_app(world, call.headers)
    repository = world.find_repository(f"{owner}/{name}")
    found = repository and world.installation_of(repository)
    if not found:
        raise problems.not_found()
    return Reply(200, call.hub.documents.installation(found, world.app))


@ROUTES.add("POST", "/app/installations/{id_:int}/access_tokens")
def access_token(call: Call, id_: int) -> Reply:
    """A token for what the installation may, or for the part of it that is asked for."""
    found = _installation(call, id_)
    if found.suspended:
        raise Problem(403, "This installation has been suspended")
    asked = call.json or {}
    permissions = asked.get("permissions") or found.permissions
    names, ids = asked.get("repositories"), asked.get("repository_ids")
    chosen = [r for r in found.repositories if (not names or r.name in names) and (not ids or r.id in ids)]
    over = [name for name, level in permissions.items() if not _within(found, name, level)]
    if over or (names and len(chosen) < len(names)):
        raise Problem(422, "The permissions requested are not granted to this installation.")
    token = call.hub.world.installation_token(found, permissions, chosen)
    return Reply(201, call.hub.documents.token(token))


def _within(installation: Installation, name: str, level: str) -> bool:
    granted = installation.permissions.get(name)
    return granted is not None and (granted == level or level == "read")


@ROUTES.add("GET", "/app/hook/config")
def hook_config(call: Call) -> Reply:
    demand_app(call.hub.world, call.headers)
    app = call.hub.world.app
    hidden = {"secret": "********"} if app.hook_secret else {}
    return Reply(200, {"content_type": "json", "insecure_ssl": "0", "url": app.hook_url} | hidden)


@ROUTES.add("GET", "/app/hook/deliveries")
def deliveries(call: Call) -> Reply:
    """The newest first."""
    demand_app(call.hub.world, call.headers)
    return cursor_paged(call, call.hub.deliveries.made[::-1], lambda delivery: delivery.item)


@ROUTES.add("GET", "/app/hook/deliveries/{id_:int}")
def delivery(call: Call, id_: int) -> Reply:
    demand_app(call.hub.world, call.headers)
    if found := call.hub.deliveries.find(id_):
        return Reply(200, found.document)
    raise problems.not_found()


@ROUTES.add("POST", "/app/hook/deliveries/{id_:int}/attempts")
def redeliver(call: Call, id_: int) -> Reply:
    demand_app(call.hub.world, call.headers)
    if found := call.hub.deliveries.find(id_):
        call.hub.deliveries.redeliver_later(found)
        return Reply(202, {})
    raise problems.not_found()


@ROUTES.add("POST", "/app-manifests/{code}/conversions")
def convert_manifest(call: Call, code: str) -> Reply:
    """What a new App got from its manifest; a code works once."""
    secrets = call.hub.world.manifests.pop(code, None)
    if secrets is None:
        raise problems.not_found()
    return Reply(201, call.hub.documents.app(call.hub.world.app) | secrets)
