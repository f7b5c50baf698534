"""Removes secrets from text that is shown: parts of URLs, tokens, and values of variables named like secrets.

Every message and every line of a file that is shown passes through `redacted`. It replaces single characters, so that
columns stay the same. In doubt it hides a text. Every pattern takes time in proportion to the length of the text.
"""

from __future__ import annotations

import re

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
    r"|sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,})"
)
"""Tokens of a known form."""
_NAMED = re.compile(
    r"(?<![A-Za-z0-9])(?:API_?KEY|ACCESS_KEY|SECRET(?:_ACCESS)?_KEY|SECRET|TOKEN|PASSWORD|PASSWD"
    r"|PRIVATE_KEY)[\"']?\s*[:=]\s*[\"']?([^\s\"'{$,}][^\s\"',}]*)"
)
"""The value of a variable whose name says that it is a secret, unless the value is a reference or a variable."""
_NAMED_IN_OUTPUT = re.compile(
    r"(?i)((?:key|secret|token|password|passwd|bearer)[\"']?(?:\s{0,3}[:=]\s{0,3}|\s)[\"']?)([^\s\"',}]+)"
)
_LONG_WORD = re.compile(r"[A-Za-z0-9_+=-]{16,}")


def redacted(text: str) -> str:
    """The text with a star for each character of a secret.

    Secrets are user, password, query, fragment and random-looking parts of the path of a URL, tokens, and values of
    variables named like secrets.
    """
    for pattern in (_KEYED_HOST, _BARE, _TOKEN, _NAMED):
        text = pattern.sub(lambda match: _star(match[0], match.start(1) - match.start(), _length(match)), text)
    first, *rest = _SCHEME.split(text)
    parts, before, hiding = [first], first, False
    for sign, part in zip(_SCHEME.findall(text), rest, strict=True):
        # A URL inside the query of another URL is part of that query.
        shown, hiding = _address(part, before[-3:].lower() == "ssh", hiding) if part else ("", hiding)
        parts += [sign, shown]
        before = part
    return "".join(parts)


def redacted_output(text: str) -> str:
    """The same for the output of another program, where also every word that looks random is hidden."""
    named = _NAMED_IN_OUTPUT.sub(lambda match: match[1] + STAR * len(match[2]), redacted(text))
    return _LONG_WORD.sub(lambda match: STAR * len(match[0]) if _is_random(match[0]) else match[0], named)


def _length(match: re.Match[str]) -> int:
    return match.end(1) - match.start(1)


def _address(text: str, is_ssh: bool, hiding: bool) -> tuple[str, bool]:
    """The redacted text after `://`, and whether its end is still inside a query."""
    word = _match(_WORD, text)
    at = 0 if hiding else _user(word)
    query = 0 if hiding else _query(word, at)
    hidden = len(_match(_HIDES, word[query:]))
    is_open = (hiding or query < len(word)) and query + hidden == len(text)
    text = _star(text, query, hidden)
    user = text[:at] if is_ssh and ":" not in text[:at] else STAR * at  # an ssh user name is not a secret
    return user + _host_and_path(text[at:]), is_open


def _query(word: str, start: int) -> int:
    """Where the query begins, or a fragment with parameters: a plain anchor is not a secret."""
    for part in _HIDES.finditer(word, start):
        text = part[0]
        sharp, ask = text.find("#"), text.find("?")
        found = [place for place in (sharp if text.rfind("=") > sharp else -1, ask) if place >= 0]
        if found:
            return part.start() + min(found) + 1
    return len(word)


def _user(word: str) -> int:
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


def _host_and_path(text: str) -> str:
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
