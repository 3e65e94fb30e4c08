"""Who may ask what, seen through githubkit and through hand-made tokens."""

from __future__ import annotations

import time
from typing import Any

import httpx
import jwt
import pytest
from githubkit import GitHub
from githubkit.exception import RequestFailed

from fakes.github.clients import as_app, as_installation, plain, token_of
from fakes.github.credentials import key_pair
from fakes.github.people import User
from fakes.github.server import APP_ID, INSTALLATION_ID, GitHubServer


def shown(github: GitHubServer, key: str = "", algorithm: str = "RS256", **claims: Any) -> httpx.Response:
    """What `GET /app` says to a token with these claims."""
    now = int(time.time())
    told = {"iss": str(APP_ID), "iat": now - 60, "exp": now + 540} | claims
    token = jwt.encode(told, key or github.private_key, algorithm=algorithm)
    return httpx.get(f"{github.url}/app", headers={"Authorization": f"Bearer {token}"})


def test_the_app_is_known_by_its_key(github: GitHubServer) -> None:
    assert as_app(github).rest.apps.get_authenticated().parsed_data.slug == "repopilot"
    assert shown(github, iss=github.world.app.client_id).status_code == 200


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"iss": "1"}, "iss"),
        ({"iat": 600}, "iat"),
        ({"exp": -10}, "must be a numeric value"),
        ({"exp": 3_600}, "too far in the future"),
    ],
)
def test_wrong_claims_are_refused_in_github_s_words(github: GitHubServer, claims: dict[str, Any], words: str) -> None:
    """Times are seconds from now."""
    told = {name: value if name == "iss" else int(time.time()) + value for name, value in claims.items()}
    response = shown(github, **told)
    assert response.status_code == 401 and words in response.json()["message"]


def test_another_key_or_algorithm_is_no_token(github: GitHubServer) -> None:
    stranger, _ = key_pair("stranger")
    for response in (shown(github, key=stranger), shown(github, key="k" * 64, algorithm="HS256")):
        assert response.status_code == 401 and "could not be decoded" in response.json()["message"]
    with plain(github) as client:
        assert client.get("/app").status_code == 401


def test_an_installation_s_token_expires_and_is_fetched_anew(github: GitHubServer) -> None:
    issue = github.world.issue("T")
    github.installation.token_lifetime_s = 60.5  # githubkit renews a minute before the end
    client = as_installation(github)
    client.rest.issues.get("example-org", "engine", issue.number)
    time.sleep(1.1)
    client.rest.issues.get("example-org", "engine", issue.number)
    assert len(github.called("POST", f"/app/installations/{INSTALLATION_ID}/access_tokens")) == 2
    token = next(iter(github.world.tokens.values()))
    token.expires_at = time.time() - 1
    with plain(github, token) as http:
        refused = http.get("/repos/example-org/engine")
    assert (refused.status_code, refused.json()["message"]) == (401, "Bad credentials")


def test_a_token_may_only_what_it_was_asked_for(github: GitHubServer) -> None:
    issue = github.world.issue("T")
    app = as_app(github)
    made = app.rest.apps.create_installation_access_token(INSTALLATION_ID, permissions={"issues": "read"}).parsed_data
    with plain(github, github.world.tokens[made.token]) as client:
        refused = client.post(f"/repos/example-org/engine/issues/{issue.number}/comments", json={"body": "x"})
        assert client.get(f"/repos/example-org/engine/issues/{issue.number}").status_code == 200
    assert (refused.status_code, refused.json()["message"]) == (403, "Resource not accessible by integration")
    assert refused.headers["X-Accepted-GitHub-Permissions"] == "issues=write"
    with pytest.raises(RequestFailed):
        app.rest.apps.create_installation_access_token(INSTALLATION_ID, permissions={"administration": "write"})


def test_a_suspended_installation_gets_no_token_and_its_tokens_end(github: GitHubServer) -> None:
    token = token_of(github)
    github.installation.suspended = True
    with plain(github, token) as client:
        assert client.get("/repos/example-org/engine").status_code == 403
    with pytest.raises(RequestFailed) as refused:
        as_app(github).rest.apps.create_installation_access_token(INSTALLATION_ID)
    assert refused.value.response.status_code == 403


def test_what_is_private_is_not_there_for_others(github: GitHubServer) -> None:
    github.world.repository("example-org/secret", private=True)
    with plain(github) as client:
        assert client.get("/repos/example-org/secret").status_code == 404
        assert client.get("/repos/example-org/nothing").status_code == 404


def test_a_person_s_token_is_a_person(github: GitHubServer) -> None:
    issue = github.world.issue("T")
    token = github.world.personal_token("maintainer", github.repository, prefix="github_pat_")
    with plain(github, token) as client:
        assert client.get("/user").json()["login"] == "maintainer"
        made = client.post(f"/repos/example-org/engine/issues/{issue.number}/comments", json={"body": "x"})
    assert made.json()["user"]["login"] == "maintainer" and not github.replies
    with plain(github) as client:
        assert client.get("/user").status_code == 403


def test_strangers_read_what_is_public(github: GitHubServer) -> None:
    issue = github.world.issue("T")
    where = f"{github.url}/repos/example-org/engine/issues/{issue.number}"
    assert httpx.get(where).status_code == 200
    assert httpx.post(f"{where}/comments", json={"body": "x"}).status_code == 401
    assert httpx.post(f"{github.url}/graphql", json={"query": "{viewer{login}}"}).status_code == 401


def test_the_installation_of_a_repository_is_found(github: GitHubServer) -> None:
    rest = as_app(github).rest.apps
    assert rest.get_repo_installation("example-org", "engine").parsed_data.id == INSTALLATION_ID
    assert [each.id for each in rest.list_installations().parsed_data] == [INSTALLATION_ID]
    assert rest.get_installation(INSTALLATION_ID).parsed_data.app_slug == "repopilot"
    assert as_installation(github).rest.apps.list_repos_accessible_to_installation().parsed_data.total_count == 1


def test_a_manifest_s_code_works_once(github: GitHubServer) -> None:
    private, _ = key_pair()
    secrets = {"client_secret": "c", "webhook_secret": "w", "pem": private}
    github.world.manifests["the-code"] = secrets
    client = GitHub(base_url=github.url)
    made = client.rest.apps.create_from_manifest("the-code").parsed_data
    assert (made.id, made.pem, made.webhook_secret) == (APP_ID, private, "w")
    assert httpx.post(f"{github.url}/app-manifests/the-code/conversions").status_code == 404


def test_accounts_are_made_as_they_are_named(github: GitHubServer) -> None:
    assert github.world.user("tidy[bot]").type == "Bot"
    assert isinstance(github.world.user("bob-dev"), User) and github.world.user("bob-dev").type == "User"
