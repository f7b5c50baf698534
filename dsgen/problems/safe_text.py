"""Makes text safe to print: what is shown is escaped here, and secrets are replaced by stars.

A terminal executes control characters, invisible characters deceive a reader, and CI systems execute some lines of a
log as commands. Printable text of any language is unchanged.

Every message and every line of a file that is shown passes through `redact`, which hides parts of URLs, tokens, and
values of variables named like secrets. It replaces single characters, so that columns stay the same. In doubt it hides
a text. Every pattern takes time in proportion to the length of the text.
"""

from __future__ import annotations

import re
from typing import Any

REPLACEMENT = "\ufffd"
_SHORT = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that `str.isprintable` accepts although they are invisible."""
_COMMAND = re.compile(r"##(?=\w*\[)")
"""GitHub Actions, Azure Pipelines and TeamCity look for ##[...], ##vso[...] and ##teamcity[...] anywhere in a line."""
_FIRST_COMMAND = re.compile(r"^\s*:(?=:)")
"""GitHub Actions takes a line as a command if it begins with two colons, ignoring blanks before them."""
_COLOR = re.compile(r"(\x1b\[[0-9;:]*m)")
"""The only sequences of a terminal that change nothing but the look of the text after them."""
_NO_COLOR = "\x1b[m"


def escape_text(text: str) -> str:
    """A text inside a line: secrets are replaced by stars, invisible characters by escapes such as \\n or \\u202e."""
    return _disable_commands(_escape_hidden(redact(text)))


def escape_line(text: str) -> str:
    """A whole line; like `escape_text`, and the line is no command of GitHub Actions."""
    return _disable_first_command(escape_text(text))


def escape_output(text: str, colored: bool) -> str:
    """A line that a training has printed: secrets and tabs stay; a line with carriage returns is its last part.

    `colored`: the line keeps its colors, for a person at a terminal. Otherwise, it is no command of a CI system.
    """
    parts = _COLOR.split(text.rstrip("\r").rpartition("\r")[2])
    texts, colors = ["\t".join(map(_escape_hidden, part.split("\t"))) for part in parts[::2]], parts[1::2]
    if colored and colors:
        return "".join(map("".join, zip(texts, [*colors, _NO_COLOR], strict=True)))
    return "".join(texts) if colored else _disable_first_command(_disable_commands("".join(texts)))


def _disable_commands(text: str) -> str:
    return _COMMAND.sub(r"#\\x23", text)


def _disable_first_command(text: str) -> str:
    return _FIRST_COMMAND.sub(lambda match: match[0][:-1] + r"\x3a", text)


def replace_in_place(text: str) -> str:
    """A line in which every character keeps its column: U+FFFD replaces what cannot be shown.

    The caller removes secrets before, because the text may be only a part of a line.
    """
    text = "".join(" " if char == "\t" else char if _is_shown(char) else REPLACEMENT for char in text)
    text = _COMMAND.sub(f"#{REPLACEMENT}", text)
    return _FIRST_COMMAND.sub(lambda match: match[0][:-1] + REPLACEMENT, text)


def _escape_hidden(text: str) -> str:
    if text.isascii() and text.isprintable():  # most lines
        return text
    return "".join(char if _is_shown(char) else _escape(char) for char in text)


def _is_shown(char: str) -> bool:
    return char.isprintable() and char not in _BLANK


def _escape(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is not UTF-8
        code -= 0xDC00
    if code < 0x100:
        return _SHORT.get(char, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


STAR = "*"
_SCHEME = re.compile(r":(?:\\?/){1,2}")
_WORD = re.compile(r"\S*")
_PORT = re.compile(r"[0-9]*")
_HIDES = re.compile(r"[^\"'<>`]*")
"""Up to a character that may end the URL."""
_IPV6 = re.compile(r"\[[0-9A-Fa-f:.%]*\]")
_SEGMENT = re.compile(r"[^/\\?#\"'<>`]+")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_RUN = re.compile(r"[A-Za-z0-9]{16,}")
_BARE = re.compile(r"(?<![\w.%+:/-])([\w.%+~-]{1,256}:(?![0-9,]+@)[^\s/@\"']{1,256})@[\w-]{1,253}\.[\w.-]")
"""user:password@host.example.com without a scheme, but not TAG@DIGEST of an image, and not the hosts and slots of
DeepSpeed's --include."""
_KEYED_HOST = re.compile(
    r"(?i)(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks|\.webhook\.office\.com"
    r"|outlook\.office(?:365)?\.com/webhook|hooks\.zapier\.com/hooks|maker\.ifttt\.com/trigger"
    r"|api\.telegram\.org|chat\.googleapis\.com/v1)/([^\s\"'<>`]+)"
)
"""Webhooks of these services have the key in their path."""
_TOKEN = re.compile(
    r"(hf_[A-Za-z0-9]{20,}|gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}"
    r"|\bsk-(?:(?:proj|ant|or|svcacct|admin)-[A-Za-z0-9_-]{20}|[A-Za-z0-9]{20})[A-Za-z0-9_-]*|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,})"
)
"""Tokens of a known form."""
SECRET_WORDS = (
    "API_?KEY|ACCESS_KEY(?:_ID)?|SECRET(?:_ACCESS)?_KEY|SECRET|PRIVATE_KEY|TOKEN|PASSWORD|PASSWD|PASSPHRASE|PASS|PAT"
    "|(?:WANDB|COMET|NEPTUNE|CLEARML|OPENAI|ANTHROPIC|HF|HUGGINGFACE|KAGGLE|AZURE|STORAGE|ACCOUNT|LICENSE)_KEY"
    "|CONNECTION_STRING|JWT|(?:DB|PG|MYSQL|REDIS)_PWD"
)
"""What the name of a variable ends with that holds a secret, behind a `_`, or one of these systems."""
_SYSTEMS = "(?:DB|PG|MY|MYSQL|REDIS|SSH|SMTP|SUDO)?"
_NO_SECRET = re.compile(
    "(.*_)?(PAD|EOS|BOS|UNK|SEP|CLS|MASK|MAX|MIN|NUM|IMAGE|STOP|START|END|SPECIAL|PER|NEW|FIRST|LAST|NEXT)_TOKEN"
)
"""Tokens of a text."""
_SECRET_NAME = re.compile(f"(.*_)?{_SYSTEMS}({SECRET_WORDS})")
_NETRC = re.compile(r"(?i)\blogin\s{1,8}\S+\s{1,8}password\s{1,8}(\S+)")
_NAMED = re.compile(rf"(?<![A-Za-z0-9]){_SYSTEMS}(?:{SECRET_WORDS})[\"']?\s*[:=]\s*[\"']?([^\s\"'{{$,}}][^\s\"',}}]*)")
"""The value of a variable whose name says that it is a secret, unless the value is a reference or a variable."""
_NAMED_IN_OUTPUT = re.compile(
    r"(?i)((?:key|secret|token|password|passwd|bearer)[\"']?(?:\s{0,3}[:=]\s{0,3}|\s)[\"']?)([^\s\"',}]+)"
)
_LONG_WORD = re.compile(r"[A-Za-z0-9_+=-]{16,}")


def is_secret_name(name: str) -> bool:
    """Whether a variable of this name holds a secret: HF_TOKEN, AWS_ACCESS_KEY_ID, PGPASSWORD, and no PAD_TOKEN."""
    upper = name.upper()
    return _SECRET_NAME.fullmatch(upper) is not None and _NO_SECRET.fullmatch(upper) is None


def redact(text: str) -> str:
    """The text with a star for each character of a secret.

    Secrets are user, password, query, fragment and random-looking parts of the path of a URL, tokens, and values of
    variables named like secrets.
    """
    for pattern in (_KEYED_HOST, _BARE, _TOKEN, _NAMED, _NETRC):
        text = pattern.sub(lambda match: _star(match[0], match.start(1) - match.start(), len(match[1])), text)
    first, *rest = _SCHEME.split(text)
    parts, before, hiding = [first], first, False
    for sign, part in zip(_SCHEME.findall(text), rest, strict=True):
        # A URL inside the query of another URL is part of that query.
        shown, hiding = _redact_address(part, before[-3:].lower() == "ssh", hiding) if part else ("", hiding)
        parts += [sign, shown]
        before = part
    return "".join(parts)


def redact_output(text: str) -> str:
    """The same for the output of another program, where also every word that looks random is hidden."""
    named = _NAMED_IN_OUTPUT.sub(lambda match: match[1] + STAR * len(match[2]), redact(text))
    return _LONG_WORD.sub(lambda match: STAR * len(match[0]) if _is_random(match[0]) else match[0], named)


def _redact_address(text: str, is_ssh: bool, hiding: bool) -> tuple[str, bool]:
    """The redacted text after `://`, and whether its end is still inside a query."""
    word = _match(_WORD, text)
    at = 0 if hiding else _measure_user(word)
    query = 0 if hiding else _find_query(word, at)
    hidden = len(_match(_HIDES, word[query:]))
    is_open = (hiding or query < len(word)) and query + hidden == len(text)
    text = _star(text, query, hidden)
    user = text[:at] if is_ssh and ":" not in text[:at] else STAR * at  # an ssh user name is not a secret
    return user + _redact_host_and_path(text[at:]), is_open


def _find_query(word: str, start: int) -> int:
    """Where the query begins, or a fragment with parameters: a plain anchor is not a secret."""
    for part in _HIDES.finditer(word, start):
        text = part[0]
        sharp, ask = text.find("#"), text.find("?")
        found = [place for place in (sharp if text.rfind("=") > sharp else -1, ask) if place >= 0]
        if found:
            return part.start() + min(found) + 1
    return len(word)


def _measure_user(word: str) -> int:
    """The length of `user:password@`; a password may contain characters that end a host name."""
    authority = re.split(r"[/?#]", word, maxsplit=1)[0]
    at = authority.rfind("@")
    if at < 0 and ":" in (host := _IPV6.sub("", authority, count=1)):
        port = host.partition(":")[2]
        if _match(_PORT, port) == port.rstrip("\"'`<>,;)]}"):
            return 0
        at = word.find("@")
        return at if at > 0 else len(authority)
    return max(at, 0)


def _redact_host_and_path(text: str) -> str:
    """Host and path, with stars for segments that look random."""
    word = _match(_WORD, text)
    host, slash, path = word.partition("/")
    path = _SEGMENT.sub(lambda match: STAR * len(match[0]) if _is_random(match[0]) else match[0], path)
    return host + slash + path + text[len(word) :]


def _is_random(segment: str) -> bool:
    runs = _RUN.findall(segment)
    return any(any(char.isdigit() for char in run) for run in runs) or _UUID.search(segment) is not None


def _match(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.match(text)
    return match[0] if match else ""


def _star(text: str, start: int, length: int) -> str:
    return text[:start] + STAR * len(text[start : start + length]) + text[start + length :]


# -- secrets in a source, for the rules and for dsgen import -----------------------------------------------------------

MASK = "***"
# Not compiled at import: that takes 2 ms, and most words are too short to be compared with them.
_KEY_OR_TOKEN = f"{_TOKEN.pattern}|-----BEGIN [A-Z ]*PRIVATE KEY-----"
_NO_VALUE = r"(?is)\s*|true|false|none|null|yes|no|\d{1,4}|[$<].*|(/|\.{1,2}/|~/)[a-z_-]{2,20}(/.*)?"
"""A flag, a number, a variable, a place for a value, or the path of a file with it."""
_OPTION = (
    r"(?i)--?([a-z0-9]+[-_]){0,5}(api[-_]?keys?|access[-_]key([-_]id)?|secret([-_](access[-_])?key)?|passw(or)?d|pass(phrase)?|pat"
    r"|(hf|auth|access|hub|wandb|github)[-_]token|(wandb|comet|neptune|clearml|openai|kaggle)[-_]key)"
)
"""An option whose value is a secret. Not every name that ends with token: an `--eos_token` is none."""
_PASSWORD = r"://[^/\s:@]{0,256}:[^/\s@]{1,256}@"
_VALUE = (
    r"[\"']?\s{0,8}(?!=\n)[:=]\s{0,8}[\"']?"
    r"(?![$\s\"'{<(~]|\.{0,2}/[a-z_-]{2,20}(?:[/\s\"',}]|$)|[A-Za-z_.]+\()([^\s\"',}]+)"
)
_ASSIGNED = (
    r"(?<![A-Za-z0-9_])(?!(?:[A-Z0-9]+_)?(?:PAD|EOS|BOS|MAX|MASK)_TOKEN)"
    rf"(?:[A-Z0-9_]{{1,80}}_)?(?:{SECRET_WORDS}){_VALUE}"
)
"""An assignment to a variable that is named like a secret, unless the value is empty, a variable or a call."""
_LOWER_CASE = (
    r"(?i)(?<![A-Za-z0-9_])(?:[a-z0-9_]{1,80}_)?(?:api_?key|access_key|secret(?:_access)?_key|passw(?:or)?d"
    rf"|(?:hf|auth|access|hub|wandb|github)_token){_VALUE}"
)
"""The same in small letters, without names such as `eos_token`."""
_ITEM = r"name: ?[\"']?(?:[A-Z0-9_]{1,80}_)?(?:" + SECRET_WORDS + r")[\"']?, ?value: ?[\"']?([^\s\"',}]+)"
"""A variable of a container in one line of YAML."""
_LOGIN = r"(?i)(\blogin\b[ \t]+|[ \t]--?(?:token|password|passwd|key)[= ])(?![-$\"']?\$)([^\s-]\S*)"
_BEARER = (
    r"(?i)\b((?:authorization\b[:= ]{1,8})?(?:bearer|basic)\b|authorization\b|x-api-key\b)[:= ]{1,8}[^\s'\"$][^\s'\"]*"
)


def is_secret_argument(option: str, value: str) -> bool:
    """Whether the value of an option such as `--wandb_key` is a secret. An option of the next word is no value."""
    if len(value) < 5 or value.startswith("-") or not option.startswith("-"):
        return False
    return re.fullmatch(_OPTION, option) is not None and re.fullmatch(_NO_VALUE, value) is None


def holds_token(text: str) -> bool:
    """Whether a text contains a token of a known form, or a private key."""
    return re.search(_KEY_OR_TOKEN, text) is not None


def holds_secret(text: str) -> bool:
    """Whether a text contains a token, a password of a URL, a login, or an assignment of a secret to a variable."""
    if len(text) < 15 and not any(char in ":=" or char.isspace() for char in text):
        return False  # as most words
    if _NETRC.search(text):
        return True
    patterns = (_KEY_OR_TOKEN, _PASSWORD, _ASSIGNED, _LOWER_CASE, _ITEM, _LOGIN, _BEARER)
    return any(re.search(pattern, text) for pattern in patterns)


def is_secret(name: str, value: str) -> bool:
    """Whether the value of a variable must not be in a file of Git. A reference to another variable is no secret."""
    return (is_secret_name(name) or holds_secret(value)) and re.fullmatch(_NO_VALUE, value) is None


def has_secret(data: Any) -> bool:
    """Whether a text anywhere in data holds a secret."""
    if isinstance(data, dict):
        return any(map(has_secret, data.values()))
    return (
        any(map(has_secret, data)) if isinstance(data, list | tuple) else isinstance(data, str) and holds_secret(data)
    )


def hide(text: str) -> str:
    """A text for a report, without secrets. In doubt it hides a word."""
    text = re.sub(_LOGIN, lambda match: f"{match[1]}{MASK}", redact(text))
    for pattern in (_ASSIGNED, _LOWER_CASE, _ITEM):
        text = re.sub(pattern, lambda match: match[0].removesuffix(match[1]) + MASK, text)
    return re.sub(_BEARER, lambda match: f"{match[1]} {MASK}", text)
