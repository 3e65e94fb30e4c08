"""The JSON documents of the REST API, as webhooks carry them too: every field that GitHub's own schema requires.

https://docs.github.com/rest
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from fakes.github.moments import iso
from fakes.github.people import App, Installation, Repository, Token, User
from fakes.github.posts import (
    Discussion,
    DiscussionComment,
    Issue,
    IssueComment,
    Post,
    Reaction,
    Review,
    ReviewComment,
)

Document = dict[str, Any]
WEB = "https://github.com"
BORN = "2026-01-05T10:00:00Z"
CONTENTS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "eyes", "rocket")
_USER_LINKS = ("followers following gists starred subscriptions organizations repos events received_events").split()
_REPOSITORY_LINKS = (
    "archive assignees blobs branches collaborators comments commits compare contents contributors deployments"
    " downloads events forks git_commits git_refs git_tags issue_comment issue_events issues keys labels languages"
    " merges milestones notifications pulls releases stargazers statuses subscribers subscription tags teams trees"
    " hooks"
).split()
_NOT_OF_REVIEWS = ("url", "created_at", "reactions")
_COUNTS = (
    "forks_count stargazers_count watchers_count size open_issues_count forks open_issues watchers subscribers_count"
    " network_count"
).split()


class Documents:
    """What the fake at this address says about things."""

    def __init__(self, api: str) -> None:
        self.api = api

    def user(self, user: User) -> Document:
        url = f"{self.api}/users/{user.login}"
        links = {f"{name}_url": f"{url}/{name}" for name in _USER_LINKS}
        head = {"login": user.login, "id": user.id, "node_id": user.node_id, "type": user.type, "site_admin": False}
        return (
            head
            | {"avatar_url": f"{WEB}/{user.login}.png", "gravatar_id": "", "url": url}
            | links
            | {"html_url": self.page(user)}
        )

    def page(self, user: User) -> str:
        """Where people look at the account; a bot's is its App's."""
        bot = user.type == "Bot"
        return f"{WEB}/apps/{user.login.removesuffix('[bot]')}" if bot else f"{WEB}/{user.login}"

    def account(self, user: User) -> Document:
        """The user with what `GET /user` says beyond it."""
        empty = dict.fromkeys(("name", "company", "blog", "location", "email", "hireable", "bio"))
        counts = dict.fromkeys(("public_repos", "public_gists", "followers", "following"), 0)
        return self.user(user) | empty | counts | {"created_at": BORN, "updated_at": BORN}

    def repository(self, repository: Repository) -> Document:
        url, page = f"{self.api}/repos/{repository.full_name}", f"{WEB}/{repository.full_name}"
        head = {"id": repository.id, "node_id": repository.node_id, "name": repository.name}
        more = {
            "full_name": repository.full_name,
            "owner": self.user(repository.owner),
            "private": repository.private,
            "visibility": "private" if repository.private else "public",
            "default_branch": repository.default_branch,
            "html_url": page,
            "url": url,
            "clone_url": f"{page}.git",
            "git_url": f"git://github.com/{repository.full_name}.git",
            "ssh_url": f"git@github.com:{repository.full_name}.git",
            "svn_url": page,
        }
        links = {f"{name}_url": f"{url}/{name}" for name in _REPOSITORY_LINKS}
        empty = dict.fromkeys(("description", "mirror_url", "homepage", "language", "license"))
        flags = dict.fromkeys(("fork", "has_projects", "has_wiki", "has_pages", "archived", "disabled"), False)
        has = {"has_issues": True, "has_discussions": True, "topics": []}
        times = {"pushed_at": BORN, "created_at": BORN, "updated_at": BORN}
        return head | more | links | empty | flags | has | times | dict.fromkeys(_COUNTS, 0)

    def issue(self, issue: Issue, comments: int = 0) -> Document:
        url = f"{self.api}/repos/{issue.repository.full_name}/issues/{issue.number}"
        kind = "pull" if issue.pull_request else "issues"
        page = f"{WEB}/{issue.repository.full_name}/{kind}/{issue.number}"
        links = {f"{name}_url": f"{url}/{name}" for name in ("labels", "comments", "events")}
        more = {
            "number": issue.number,
            "title": issue.title,
            "state": issue.state,
            "locked": issue.locked,
            "labels": [self._label(issue.repository, name) for name in issue.labels],
            "repository_url": f"{self.api}/repos/{issue.repository.full_name}",
            "comments": comments,
            "active_lock_reason": None,
        }
        empty = dict.fromkeys(("milestone", "closed_at", "assignee", "performed_via_github_app")) | {"assignees": []}
        pull = {
            "url": url.replace("/issues/", "/pulls/"),
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
        }
        return (
            self._post(issue, url, page) | more | links | empty | ({"pull_request": pull} if issue.pull_request else {})
        )

    def comment(self, comment: IssueComment) -> Document:
        issue = comment.issue
        url = f"{self.api}/repos/{issue.repository.full_name}/issues/comments/{comment.id}"
        kind = "pull" if issue.pull_request else "issues"
        page = f"{WEB}/{issue.repository.full_name}/{kind}/{issue.number}#issuecomment-{comment.id}"
        above = {"issue_url": f"{self.api}/repos/{issue.repository.full_name}/issues/{issue.number}"}
        return self._post(comment, url, page) | above | {"performed_via_github_app": None}

    def review_comment(self, comment: ReviewComment) -> Document:
        pull, repository = comment.pull, comment.repository.full_name
        url = f"{self.api}/repos/{repository}/pulls/comments/{comment.id}"
        page = f"{WEB}/{repository}/pull/{pull.number}#discussion_r{comment.id}"
        above = f"{self.api}/repos/{repository}/pulls/{pull.number}"
        links = {"self": {"href": url}, "html": {"href": page}, "pull_request": {"href": above}}
        lines = {"line": comment.line, "start_line": comment.start_line}
        original = {f"original_{name}": line for name, line in lines.items()}
        place = {"path": comment.path, "diff_hunk": comment.diff_hunk, "side": "RIGHT", "start_side": None}
        commits = {"commit_id": comment.commit_id, "original_commit_id": comment.commit_id}
        thread = {"in_reply_to_id": comment.in_reply_to.id} if comment.in_reply_to else {}
        more = {"pull_request_url": above, "pull_request_review_id": pull.id, "_links": links, "subject_type": "line"}
        return self._post(comment, url, page) | place | lines | original | commits | more | thread

    def review(self, review: Review) -> Document:
        """As webhooks carry it."""
        repository, number = review.repository.full_name, review.pull.number
        page = f"{WEB}/{repository}/pull/{number}#pullrequestreview-{review.id}"
        above = f"{self.api}/repos/{repository}/pulls/{number}"
        told = {name: value for name, value in self._post(review, "", page).items() if name not in _NOT_OF_REVIEWS}
        more = {"commit_id": "c" * 40, "state": "commented", "submitted_at": iso(review.created_at)}
        return told | more | {"pull_request_url": above}

    def pull_request(self, pull: Issue) -> Document:
        """The part of a pull request that a webhook about a review comment carries and that is about the text."""
        url = f"{self.api}/repos/{pull.repository.full_name}/pulls/{pull.number}"
        page = f"{WEB}/{pull.repository.full_name}/pull/{pull.number}"
        branch = {"ref": pull.repository.default_branch, "sha": "b" * 40, "repo": self.repository(pull.repository)}
        head = {"ref": "topic", "sha": "c" * 40, "repo": self.repository(pull.repository)}
        labels = [self._label(pull.repository, name) for name in pull.labels]
        more = {"number": pull.number, "title": pull.title, "state": pull.state, "locked": pull.locked, "draft": False}
        return self._post(pull, url, page) | more | {"labels": labels, "base": branch, "head": head}

    def discussion(self, discussion: Discussion, comments: int = 0) -> Document:
        """As webhooks carry it; REST has no discussions."""
        page = f"{WEB}/{discussion.repository.full_name}/discussions/{discussion.number}"
        category = {
            "id": 32_809_314,
            "node_id": "DIC_1",
            "name": discussion.category,
            "slug": "q-a",
            "is_answerable": True,
        }
        more = {
            "number": discussion.number,
            "title": discussion.title,
            "state": discussion.state,
            "locked": discussion.locked,
            "comments": comments,
            "category": category,
            "answer_html_url": None,
            "answer_chosen_at": None,
            "labels": [self._label(discussion.repository, name) for name in discussion.labels],
        }
        return self._without_url(self._post(discussion, "", page)) | more

    def discussion_comment(self, comment: DiscussionComment) -> Document:
        """As webhooks carry it."""
        above = f"{WEB}/{comment.repository.full_name}/discussions/{comment.discussion.number}"
        more = {
            "discussion_id": comment.discussion.id,
            "parent_id": comment.reply_to.id if comment.reply_to else None,
            "repository_url": f"{comment.repository.full_name}",
            "child_comment_count": 0,
        }
        return self._without_url(self._post(comment, "", f"{above}#discussioncomment-{comment.id}")) | more

    def reaction(self, reaction: Reaction) -> Document:
        head = {"id": reaction.id, "node_id": f"REA_{reaction.id}", "content": reaction.content}
        return head | {"user": self.user(reaction.user), "created_at": iso(reaction.created_at)}

    def app(self, app: App) -> Document:
        head = {"id": app.id, "slug": app.slug, "node_id": f"A_{app.id}", "client_id": app.client_id, "name": app.name}
        pages = {"external_url": "https://repopilot.example", "html_url": f"{WEB}/apps/{app.slug}"}
        scope = {"permissions": app.permissions, "events": app.events, "description": ""}
        return head | {"owner": self.user(app.owner)} | pages | scope | {"created_at": BORN, "updated_at": BORN}

    def installation(self, installation: Installation, app: App) -> Document:
        url, account = f"{self.api}/app/installations/{installation.id}", installation.account
        head = {"id": installation.id, "account": self.user(account), "repository_selection": "selected"}
        about = {"app_id": app.id, "app_slug": app.slug, "target_id": account.id, "target_type": account.type}
        suspended = {"suspended_at": BORN if installation.suspended else None, "suspended_by": None}
        links = {
            "access_tokens_url": f"{url}/access_tokens",
            "repositories_url": f"{self.api}/installation/repositories",
            "html_url": f"{WEB}/organizations/{account.login}/settings/installations/{installation.id}",
        }
        scope = {"permissions": installation.permissions, "events": app.events, "single_file_name": None}
        return head | about | links | scope | suspended | {"created_at": BORN, "updated_at": BORN}

    def token(self, token: Token) -> Document:
        head = {"token": token.value, "expires_at": iso(token.expires_at or 0), "permissions": token.permissions}
        repositories = [self.repository(each) for each in token.repositories]
        return head | {"repository_selection": "selected", "repositories": repositories}

    def _post(self, post: Post, url: str, page: str) -> Document:
        """What every text has."""
        return {
            "id": post.id,
            "node_id": post.node_id,
            "url": url,
            "html_url": page,
            "user": self.user(post.author),
            "body": post.body,
            "author_association": post.association,
            "created_at": iso(post.created_at),
            "updated_at": iso(post.updated_at),
            "reactions": self._rollup(post.reactions, url),
        }

    def _without_url(self, document: Document) -> Document:
        return {name: value for name, value in document.items() if name != "url"}

    def _rollup(self, reactions: Sequence[Reaction], url: str) -> Document:
        counted = Counter(reaction.content for reaction in reactions)
        return {"url": f"{url}/reactions", "total_count": len(reactions)} | {c: counted[c] for c in CONTENTS}

    def _label(self, repository: Repository, name: str) -> Document:
        url = f"{self.api}/repos/{repository.full_name}/labels/{name}"
        id_ = sum(map(ord, name))
        head = {"id": id_, "node_id": f"LA_{id_}", "url": url, "name": name}
        return head | {"description": None, "color": "ededed", "default": False}
