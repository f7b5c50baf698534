"""Finds secrets by the names of variables and options and by the form of tokens, for the rules and for dsgen import."""

from __future__ import annotations

import re
from typing import Any

from dsgen.problems.safe_text import SECRET_WORDS, TOKEN, is_secret_name, redact

MASK = "***"
_TOKEN = re.compile(f"{TOKEN}|-----BEGIN [A-Z ]*PRIVATE KEY-----")
_NO_VALUE = re.compile(
    r"(?i)\s*|true|false|none|null|yes|no|\d{1,4}|[$<].*|(/|\.{1,2}/|~/)[a-z_-]{2,20}(/.*)?", re.DOTALL
)
"""A flag, a number, a variable, a place for a value, or the path of a file with it."""
_OPTION = re.compile(
    r"(?i)--?([a-z0-9]+[-_]){0,5}(api[-_]?keys?|access[-_]key([-_]id)?|secret([-_](access[-_])?key)?|passw(or)?d|pass(phrase)?|pat"
    r"|(hf|auth|access|hub|wandb|github)[-_]token|(wandb|comet|neptune|clearml|openai|kaggle)[-_]key)"
)
"""An option whose value is a secret. Not every name that ends with token: an `--eos_token` is none."""
_NETRC = re.compile(r"(?i)\blogin\s{1,8}\S+\s{1,8}password\s{1,8}\S+")
_PASSWORD = re.compile(r"://[^/\s:@]{0,256}:[^/\s@]{1,256}@")
_VALUE = (
    r"[\"']?\s{0,8}[:=]\s{0,8}[\"']?(?![$\s\"'{<(~]|\.{0,2}/[a-z_-]{2,20}(?:[/\s\"',}]|$)|[A-Za-z_.]+\()([^\s\"',}]+)"
)
_ASSIGNED = re.compile(
    rf"(?<![A-Za-z0-9_])(?!(?:[A-Z0-9]+_)?(?:PAD|EOS|BOS|MAX|MASK)_TOKEN)(?:[A-Z0-9_]{{1,80}}_)?(?:{SECRET_WORDS}){_VALUE}"
)
"""An assignment to a variable that is named like a secret, unless the value is a variable or a call."""
_NAMED = re.compile(
    r"(?i)(?<![A-Za-z0-9_])(?:[a-z0-9_]{1,80}_)?(?:api_?key|access_key|secret(?:_access)?_key|passw(?:or)?d"
    rf"|(?:hf|auth|access|hub|wandb|github)_token){_VALUE}"
)
"""The same in small letters, without names such as `eos_token`."""
_ITEM = re.compile(
    r"name: ?[\"']?(?:[A-Z0-9_]{1,80}_)?(?:" + SECRET_WORDS + r")[\"']?, ?value: ?"
    r"[\"']?([^\s\"',}]+)"
)
"""A variable of a container in one line of YAML."""
_LOGIN = re.compile(r"(?i)(\blogin\b[ \t]+|[ \t]--?(?:token|password|passwd|key)[= ])(?![-$\"']?\$)([^\s-]\S*)")
_BEARER = re.compile(
    r"(?i)\b((?:authorization\b[:= ]{1,8})?(?:bearer|basic)\b|authorization\b|x-api-key\b)[:= ]{1,8}[^\s'\"$][^\s'\"]*"
)


def is_secret_argument(option: str, value: str) -> bool:
    """Whether the value of an option such as `--wandb_key` is a secret. An option of the next word is no value."""
    return not value.startswith("-") and not _NO_VALUE.fullmatch(value) and _OPTION.fullmatch(option) is not None


def holds_token(text: str) -> bool:
    """Whether a text contains a token of a known form, or a private key."""
    return _TOKEN.search(text) is not None


def holds_secret(text: str) -> bool:
    """Whether a text contains a token, a password of a URL, a login, or an assignment of a secret to a variable."""
    return any(
        pattern.search(text) for pattern in (_TOKEN, _PASSWORD, _NETRC, _ASSIGNED, _NAMED, _ITEM, _LOGIN, _BEARER)
    )


def is_secret(name: str, value: str) -> bool:
    """Whether the value of a variable must not be in a file of Git. A reference to another variable is no secret."""
    return not _NO_VALUE.fullmatch(value) and (is_secret_name(name) or holds_secret(value))


def has_secret(data: Any) -> bool:
    """Whether a text anywhere in data holds a secret."""
    if isinstance(data, dict):
        return any(map(has_secret, data.values()))
    return (
        any(map(has_secret, data)) if isinstance(data, list | tuple) else isinstance(data, str) and holds_secret(data)
    )


def hide(text: str) -> str:
    """A text for a report, without secrets. In doubt it hides a word."""
    text = _LOGIN.sub(lambda match: f"{match[1]}{MASK}", redact(text))
    for pattern in (_ASSIGNED, _NAMED, _ITEM):
        text = pattern.sub(lambda match: match[0].removesuffix(match[1]) + MASK, text)
    return _BEARER.sub(lambda match: f"{match[1]} {MASK}", text)
