"""Passwords, tokens and keys in values, which are kept in Git."""

from __future__ import annotations

from dsgen.checks.row import ANY_TEXT, Check

# What dsgen/problems/safe_text.py hides.
SECRET_NAME = "^(.*_)?(API_?KEY|ACCESS_KEY|SECRET(_ACCESS)?_KEY|SECRET|TOKEN|PASSWORD|PASSWD|PRIVATE_KEY|AUTH_TOKEN)$"
TOKEN = (
    "hf_[A-Za-z0-9]{20,}|gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}"
    "|sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
HAS_TOKEN = f"^{ANY_TEXT}({TOKEN}){ANY_TEXT}$"
ASSIGNS_SECRET = (
    f"^{ANY_TEXT}[A-Z]_?(API_KEY|ACCESS_KEY|SECRET|TOKEN|PASSWORD)=[^A-Za-z0-9$/({{~.<]?[A-Za-z0-9+_-]{{8,}}{ANY_TEXT}$"
)
IN_SECRET = "put it into a Secret, and set training.env.NAME: {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}"


REPOSITORY, WEBHOOK = "values.code.git.repository", "values.status.webhook.url"
GIT = ("if values.code.git.repository",)
ADDRESS_IN_SECRET = "put the address into a Secret, under the key url, and set status.webhook.secretName to its name"
# What dsgen/problems/safe_text.py treats as a key in a path.
SLACK_WEBHOOK = "^(?i:https?://([^/]*[.])?(hooks[.]slack[.]com|hooks[.]zapier[.]com|maker[.]ifttt[.]com/trigger)/.+)$"
CHAT_WEBHOOK = (
    "^(?i:https?://([^/]*[.])?(discord(app)?[.]com/api/webhooks|api[.]telegram[.]org|chat[.]googleapis[.]com)/.+)$"
)
OFFICE_WEBHOOK = "^(?i:https?://([^/]*[.])?(webhook[.]office[.]com|outlook[.]office(365)?[.]com/webhook)/.+)$"
KEYED = " or ".join(f'{WEBHOOK} is matching("{one}")' for one in (SLACK_WEBHOOK, CHAT_WEBHOOK, OFFICE_WEBHOOK))
RUN_IN_PATH = "^[A-Za-z]+://[^/]+/.*[A-Za-z0-9]{16}.*$"
DIGIT_IN_PATH = "^[A-Za-z]+://[^/]+/.*[0-9].*$"
UUID_IN_PATH = "^[A-Za-z]+://[^/]+/.*[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}.*$"


def _warn_of_secret(path: str, *inside: str) -> Check:
    return Check(
        id="DS369",
        path=f"{path}[word]",
        when=f'word is matching("{HAS_TOKEN}")',
        message=f"{path}: an item seems to contain a secret, and values files are kept in Git",
        hint=IN_SECRET,
        inside=inside,
        severity="warning",
    )


def _warn_of_secret_variable(path: str) -> Check:
    from_secret = "{valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}"
    return Check(
        id="DS369",
        path=f"{path}.<< key >>",
        when=(
            f'value is string and (key is matching("{SECRET_NAME}")'
            f' and value is matching("^{ANY_TEXT}[^ ]{ANY_TEXT}$") or value is matching("{HAS_TOKEN}"))'
        ),
        message=f"{path}: the value of << key | quote >> seems to be a secret, and values files are kept in Git",
        hint=f"put it into a Secret, and set {path}.NAME: {from_secret}",
        inside=(f"for key, value in values.{path} | items",),
        severity="warning",
    )


ROWS = (
    Check(
        id="DS248",
        path="code.git.repository",
        when=(
            f'{REPOSITORY} is matching("^([A-Za-z+.-]+://)?[^/@]*:[^/@]*@.*$")'
            f' or {REPOSITORY} is matching("^[Hh][Tt][Tt][Pp][Ss]?://[^/]*@.*$")'
        ),
        message="code.git.repository contains a user name or password, and values files are kept in Git",
        hint="put username and password into a Secret and set code.git.secretName to its name",
        inside=GIT,
    ),
    Check(
        id="DS360",
        path="code.git.repository",
        when=f'{REPOSITORY} is matching("^[^?]*[?].+$")',
        message="code.git.repository seems to contain a key after the ?, and values files are kept in Git",
        hint="put username and password into a Secret and set code.git.secretName to its name",
        inside=GIT,
        severity="warning",
    ),
    Check(
        id="DS248",
        path="status.webhook.url",
        when=f'{WEBHOOK} is matching("^[A-Za-z]+://[^/]*@.*$")',
        message="status.webhook.url contains a user name or password, and values files are kept in Git",
        hint=ADDRESS_IN_SECRET,
        inside=(f"if {WEBHOOK}",),
    ),
    Check(
        id="DS360",
        path="status.webhook.url",
        when=(
            f'{WEBHOOK} is matching("^[^?]*[?].+$") or {KEYED}'
            f' or {WEBHOOK} is matching("{UUID_IN_PATH}")'
            f' or {WEBHOOK} is matching("{RUN_IN_PATH}") and {WEBHOOK} is matching("{DIGIT_IN_PATH}")'
        ),
        message="status.webhook.url seems to contain a key, and anyone who can read the values could use it",
        hint=ADDRESS_IN_SECRET,
        inside=(f"if {WEBHOOK}",),
        severity="warning",
    ),
    _warn_of_secret_variable("training.env"),
    _warn_of_secret_variable("launcher.env"),
    *(
        _warn_of_secret(path, f"for word in values.{path}")
        for path in ("training.args", "training.exec", "launch.command")
    ),
    Check(
        id="DS369",
        path="training.files.<< name >>",
        when=f'word is matching("{HAS_TOKEN}")',
        message="training.files: << name | quote >> seems to contain a secret, and values files are kept in Git",
        hint="put it into a Secret, and mount the Secret as a volume of storage",
        inside=("for name, word in values.training.files | items",),
        severity="warning",
    ),
    Check(
        id="DS369",
        path="training.setup",
        when=f'word is matching("{HAS_TOKEN}") or word is matching("{ASSIGNS_SECRET}")',
        message="training.setup seems to contain a secret, and values files are kept in Git",
        hint=IN_SECRET,
        inside=("set word = values.training.setup",),
        severity="warning",
    ),
)
