"""The program from a Git repository."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any

from dsgen.checks.row import Check
from dsgen.problems import KeyPath

GIT = ("if values.code.git.repository",)
REPOSITORY = "values.code.git.repository"
HOST_AND_PATH = "^[^/:]+:([^/].*|/[^/].*)$"
IS_SSH = f"git_over_ssh({REPOSITORY})"


def _require_repository(key: str) -> Check:
    return Check(
        id="DS290",
        path=f"code.git.{key}",
        when=f"not {REPOSITORY}",
        message=f"code.git.{key} is set, but code.git.repository is not",
        hint=f"set code.git.repository, or remove code.git.{key}",
        inside=(f"if values.code.git.{key}",),
    )


def _suggest_repository(values: Mapping[str, Any], _: KeyPath) -> str:
    """The repository of a page, and what the page shows."""
    git = values["code"]["git"]
    pattern = r"(https?://[^/]+/.+?)(?:/-)?/(?:tree|blob|commit|src/(?:branch|tag|commit))/([^/]+)(?:/(.*))?"
    page = re.fullmatch(pattern, git["repository"])
    if not page:
        return ""
    hint = f"set code.git.repository: {page[1].removesuffix('.git')}.git"
    if not git["revision"]:
        hint += f", and code.git.revision to the commit of {page[2]}"
    folder = posixpath.join(values["code"]["mountPath"], page[3] or "")
    return f"{hint}; the pods have the page's files in {folder}" if page[3] else hint


ROWS = (
    *map(_require_repository, ("revision", "secretName", "knownHosts", "image")),
    Check(
        id="DS295",
        path="code.git.repository",
        when=(
            f'not {REPOSITORY} is matching("^(https?|ssh|git)://[^/]+/.+$")'
            f' and not {REPOSITORY} is matching("{HOST_AND_PATH}")'
        ),
        # The message omits the address, which may contain a password: Helm prints messages of a chart unchanged.
        message="code.git.repository is not an https, http, ssh or git address",
        hint="for example https://example.com/team/cifar.git or git@example.com:team/cifar.git",
        inside=GIT,
    ),
    Check(
        id="DS295",
        path="code.git.revision",
        when='values.code.git.revision is matching("^.*[:*].*$")',
        message="code.git.revision: << values.code.git.revision | quote >> is not a commit, branch or tag",
        hint="use a commit id, as git rev-parse HEAD prints it",
        inside=GIT,
    ),
    Check(
        id="DS291",
        path="code.git.revision",
        when='not values.code.git.revision is matching("^([0-9a-f]{40}|[0-9a-f]{64}|.*[:*].*)$")',
        message="code.git.revision: a branch or tag can move, so the same run id may later mean a different program",
        hint="use the full commit id, as git rev-parse HEAD prints it",
        inside=GIT,
        severity="warning",
    ),
    Check(
        id="DS292",
        path="code.git.repository",
        when=f"{IS_SSH} and not values.code.git.secretName",
        message="code.git.repository uses ssh, which needs a key",
        hint="set code.git.secretName to a Secret with the key ssh-privatekey, or use an https address",
        inside=GIT,
    ),
    Check(
        id="DS293",
        path="code.git.repository",
        when=f"{IS_SSH} and not values.code.git.knownHosts",
        message="code.git.repository uses ssh, but code.git.knownHosts does not contain the key of the host",
        hint=(
            "add the output of ssh-keyscan after comparing it with the keys that the host publishes, or put known_hosts"
            " into the Secret"
        ),
        inside=GIT,
        severity="warning",
    ),
    Check(
        id="DS294",
        path="code.git.repository",
        when=f'{REPOSITORY} is matching("^http://.*$") and values.code.git.secretName',
        message="code.git.repository: the password would be sent unencrypted",
        hint="use an https address",
        inside=GIT,
        severity="warning",
    ),
    Check(
        id="DS295",
        path="code.git.repository",
        when=f'{REPOSITORY} is matching("^https?://[^/]+/.+/(tree|blob|commit|src/(branch|tag|commit))/.+$")',
        message="code.git.repository is the address of a page, not of the repository",
        hint="set code.git.repository to the part before it, and code.git.revision to the commit",
        exact_hint=_suggest_repository,
        inside=GIT,
    ),
)
