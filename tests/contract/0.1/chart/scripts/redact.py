"""Takes passwords and keys in addresses out of what goes into records and logs. code.sh has the same in sed."""

from __future__ import annotations

import re
from typing import Any

PATTERNS = (
    r"(?i)(?<!ssh)(://)[^\s/?#]*@",  # user and password, or a token as the user; of ssh a user alone is no secret
    r"(?i)(://)[^\s/?#:@]*:(?![0-9]*(?:[/?#\s]|$))[^\s@]{0,256}@",  # also where the password has a slash
    r"(://[^\s?\"'<>]*\?)[^\s\"'<>]+",
    r"(?i)((?:hooks\.slack\.com/services|discord(?:app)?\.com/api/webhooks|api\.telegram\.org"
    r"|\.webhook\.office\.com|hooks\.zapier\.com/hooks|maker\.ifttt\.com/trigger)/)[^\s\"'<>]+",
)


def redacted(text: str) -> str:
    for pattern in PATTERNS:
        text = re.sub(pattern, lambda match: f"{match[1]}***{'@' if match[0].endswith('@') else ''}", text)
    return text


def everywhere(content: Any) -> Any:
    """The same of all texts in lists and maps."""
    if isinstance(content, str):
        return redacted(content)
    if isinstance(content, list):
        return [everywhere(item) for item in content]
    if isinstance(content, dict):
        return {key: everywhere(value) for key, value in content.items()}
    return content
