"""The program from a Git repository."""

from __future__ import annotations

from dsgen.checks.row import Check

GIT = ("code.git.repository",)
REPOSITORY = "values.code.git.repository"
HOST_AND_PATH = "^[^/:]+:([^/].*|/[^/].*)$"
IS_SSH = f"git_over_ssh({REPOSITORY})"


def _needs_repository(key: str) -> Check:
    return Check(
        "DS290",
        f"code.git.{key}",
        f"not {REPOSITORY}",
        f"code.git.{key} is given, and code.git.repository is not",
        "name the repository, or remove it",
        given=(f"code.git.{key}",),
    )


ROWS = (
    *map(_needs_repository, ("revision", "secretName", "knownHosts", "image")),
    Check(
        "DS295",
        "code.git.repository",
        f'not {REPOSITORY} is matching("^(https?|ssh|git)://[^/]+/.+$")'
        f' and not {REPOSITORY} is matching("{HOST_AND_PATH}")',
        # Not repeated: it may hold a password, and Helm shows a chart's message as it is.
        "code.git.repository is no address of https, http, ssh or git",
        "such as https://example.com/team/cifar.git or git@example.com:team/cifar.git",
        given=GIT,
    ),
    Check(
        "DS295",
        "code.git.revision",
        'values.code.git.revision is matching("^.*[:*].*$")',
        "code.git.revision: << values.code.git.revision | quote >> is no commit, branch or tag",
        "the id of a commit, as git rev-parse HEAD prints it",
        given=GIT,
    ),
    Check(
        "DS291",
        "code.git.revision",
        'not values.code.git.revision is matching("^([0-9a-f]{40}|[0-9a-f]{64}|.*[:*].*)$")',
        "code.git.revision: a branch or a tag may move, so the same run id may mean another program",
        "give the whole id of a commit, as git rev-parse HEAD prints it",
        given=GIT,
        severity="warning",
    ),
    Check(
        "DS248",
        "code.git.repository",
        f'{REPOSITORY} is matching("^([A-Za-z+.-]+://)?[^/@]*:[^/@]*@.*$")'
        f' or {REPOSITORY} is matching("^[Hh][Tt][Tt][Pp][Ss]?://[^/]*@.*$")',
        "code.git.repository holds a user name or a password, and the values are kept in Git",
        "put username and password into a Secret and name it in code.git.secretName",
        given=GIT,
    ),
    Check(
        "DS360",
        "code.git.repository",
        f'{REPOSITORY} is matching("^[^?]*[?].+$")',
        "code.git.repository seems to hold a key behind the ?, and the values are kept in Git",
        "put username and password into a Secret and name it in code.git.secretName",
        given=GIT,
        severity="warning",
    ),
    Check(
        "DS292",
        "code.git.repository",
        f"{IS_SSH} and not values.code.git.secretName",
        "code.git.repository is reached over ssh, which needs a key",
        "name a Secret with the key ssh-privatekey in code.git.secretName, or use an https address",
        given=GIT,
    ),
    Check(
        "DS293",
        "code.git.repository",
        f"{IS_SSH} and not values.code.git.knownHosts",
        "code.git.repository is reached over ssh, and code.git.knownHosts does not say which key the host has",
        "give the lines that ssh-keyscan prints, compared with what the host publishes, or known_hosts in the Secret",
        given=GIT,
        severity="warning",
    ),
    Check(
        "DS294",
        "code.git.repository",
        f'{REPOSITORY} is matching("^http://.*$") and values.code.git.secretName',
        "code.git.repository: the password goes over the network as plain text",
        "use https",
        given=GIT,
        severity="warning",
    ),
)
