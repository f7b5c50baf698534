"""The program from a Git repository."""

from __future__ import annotations

from dsgen.checks.row import Check

GIT = ("if values.code.git.repository",)
REPOSITORY = "values.code.git.repository"
HOST_AND_PATH = "^[^/:]+:([^/].*|/[^/].*)$"
IS_SSH = f"git_over_ssh({REPOSITORY})"


def _needs_repository(key: str) -> Check:
    return Check(
        id="DS290",
        path=f"code.git.{key}",
        when=f"not {REPOSITORY}",
        message=f"code.git.{key} is given, and code.git.repository is not",
        hint="name the repository, or remove it",
        inside=(f"if values.code.git.{key}",),
    )


ROWS = (
    *map(_needs_repository, ("revision", "secretName", "knownHosts", "image")),
    Check(
        id="DS295",
        path="code.git.repository",
        when=(
            f'not {REPOSITORY} is matching("^(https?|ssh|git)://[^/]+/.+$")'
            f' and not {REPOSITORY} is matching("{HOST_AND_PATH}")'
        ),
        # Not repeated: it may hold a password, and Helm shows a chart's message as it is.
        message="code.git.repository is no address of https, http, ssh or git",
        hint="such as https://example.com/team/cifar.git or git@example.com:team/cifar.git",
        inside=GIT,
    ),
    Check(
        id="DS295",
        path="code.git.revision",
        when='values.code.git.revision is matching("^.*[:*].*$")',
        message="code.git.revision: << values.code.git.revision | quote >> is no commit, branch or tag",
        hint="the id of a commit, as git rev-parse HEAD prints it",
        inside=GIT,
    ),
    Check(
        id="DS291",
        path="code.git.revision",
        when='not values.code.git.revision is matching("^([0-9a-f]{40}|[0-9a-f]{64}|.*[:*].*)$")',
        message="code.git.revision: a branch or a tag may move, so the same run id may mean another program",
        hint="give the whole id of a commit, as git rev-parse HEAD prints it",
        inside=GIT,
        severity="warning",
    ),
    Check(
        id="DS248",
        path="code.git.repository",
        when=(
            f'{REPOSITORY} is matching("^([A-Za-z+.-]+://)?[^/@]*:[^/@]*@.*$")'
            f' or {REPOSITORY} is matching("^[Hh][Tt][Tt][Pp][Ss]?://[^/]*@.*$")'
        ),
        message="code.git.repository holds a user name or a password, and the values are kept in Git",
        hint="put username and password into a Secret and name it in code.git.secretName",
        inside=GIT,
    ),
    Check(
        id="DS360",
        path="code.git.repository",
        when=f'{REPOSITORY} is matching("^[^?]*[?].+$")',
        message="code.git.repository seems to hold a key behind the ?, and the values are kept in Git",
        hint="put username and password into a Secret and name it in code.git.secretName",
        inside=GIT,
        severity="warning",
    ),
    Check(
        id="DS292",
        path="code.git.repository",
        when=f"{IS_SSH} and not values.code.git.secretName",
        message="code.git.repository is reached over ssh, which needs a key",
        hint="name a Secret with the key ssh-privatekey in code.git.secretName, or use an https address",
        inside=GIT,
    ),
    Check(
        id="DS293",
        path="code.git.repository",
        when=f"{IS_SSH} and not values.code.git.knownHosts",
        message="code.git.repository is reached over ssh, and code.git.knownHosts does not say which key the host has",
        hint=(
            "give the lines that ssh-keyscan prints, compared with what the host publishes, or known_hosts in the"
            " Secret"
        ),
        inside=GIT,
        severity="warning",
    ),
    Check(
        id="DS294",
        path="code.git.repository",
        when=f'{REPOSITORY} is matching("^http://.*$") and values.code.git.secretName',
        message="code.git.repository: the password goes over the network as plain text",
        hint="use https",
        inside=GIT,
        severity="warning",
    ),
)
