"""Files that a source writes before the training: DeepSpeed's configuration, and others that the program reads."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from dsgen.deepspeed import FILES
from dsgen.editing import compare_text
from dsgen.importers.conversion import Conversion
from dsgen.importers.secrets import holds_secret
from dsgen.importers.texts import Text, place_at

CONFIG = "/job/ds_config.json"
OF_CONFIG = ("--deepspeed", "--deepspeed_config", "--deepspeed_config_file", "--ds_config", "--deepspeed-config")
"""Options of programs with the configuration of DeepSpeed."""
NAME = re.compile(r"[.]?[A-Za-z0-9_-][A-Za-z0-9_.-]{0,250}")
MOST_BYTES, LARGEST_CONFIG = 200_000, 20_000
UNUSED = "the command line does not name this file"
UNUSED_HINT = "add it to training.files if the program reads it"
UNKNOWN = "its content is only known on the cluster"


@dataclass
class WrittenFiles:
    """Files by name, each with the statement that writes it, and its content."""

    written: dict[str, tuple[Text, Text]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def write_used(self, conversion: Conversion, words: Sequence[Text]) -> list[Text]:
        """Words of a command line, with the place of each file in a pod."""
        result = list(words)
        for name, (statement, content) in self.written.items():
            found = [index for index, word in enumerate(result) if self._names_file(conversion, word, name)]
            if not found:
                continue
            self.used.add(name)
            if not content.is_known or holds_secret(content.chars) or len(content.chars) > MOST_BYTES:
                conversion.doubt(statement, UNKNOWN, "write it into training.files")
                continue
            config = parse_deepspeed_config(name, content.chars)
            if config is not None and _is_config(result, found):
                conversion.map(statement, conversion.draft.set("training.deepspeed.config", config))
                if conversion.draft.get("launch.method") not in ("worker-command", "launcher-command"):
                    conversion.draft.set("training.deepspeed.passConfig", False)
                result = _replace_paths(result, found, CONFIG)
            else:
                result = self._write_file(conversion, result, found, name, content.chars, statement)
        return result

    def lose_unused(self, conversion: Conversion, mounted: Collection[str] = ()) -> None:
        """Name files that no command line uses, but for those that the pods mount."""
        for name, (statement, _) in self.written.items():
            if name not in self.used and name not in mounted:
                conversion.lose(statement, UNUSED, UNUSED_HINT)

    def _names_file(self, conversion: Conversion, word: Text, name: str) -> bool:
        shown = conversion.atlas.format_text(word)
        shown = shown.partition("=")[2] or shown
        return shown.removeprefix("./") == name.removeprefix("./")

    def _write_file(
        self, conversion: Conversion, words: list[Text], found: Sequence[int], name: str, content: str, statement: Text
    ) -> list[Text]:
        base = posixpath.basename(name)
        if not NAME.fullmatch(base):
            conversion.lose(statement, "its name is no name of a file in training.files", UNUSED_HINT)
            return words
        content = content if content.endswith("\n") else content + "\n"
        conversion.map(statement, conversion.draft.set(("training", "files", base), content))
        return _replace_paths(words, found, f"{FILES}/{base}")


def parse_deepspeed_config(name: str, content: str) -> dict[str, Any] | None:
    """The configuration of DeepSpeed in a JSON file; None if it is another file."""
    if not name.endswith(".json") or len(content) > LARGEST_CONFIG:
        return None
    try:
        data = json.loads(content)
        values = {"training": {"deepspeed": {"config": data}}}
        compare_text(json.dumps(values), values)  # a number or a nesting that a values file cannot have
    except (ValueError, RecursionError, RuntimeError):
        return None
    return data if isinstance(data, dict) and not _has_null(data) else None


def _has_null(data: Any) -> bool:
    if isinstance(data, dict):
        return any(map(_has_null, data.values()))
    return any(map(_has_null, data)) if isinstance(data, list) else data is None


def _is_config(words: Sequence[Text], found: Sequence[int]) -> bool:
    """Whether a file is given as DeepSpeed's configuration."""
    options = (words[at] if "=" in words[at].chars else words[max(at - 1, 0)] for at in found)
    return any(option.chars.partition("=")[0] in OF_CONFIG for option in options)


def _replace_paths(words: Sequence[Text], found: Sequence[int], path: str) -> list[Text]:
    """The words with another path in some of them."""
    parts = [word.partition("=") for word in words]
    return [place_at(f"{option.chars}={path}" if is_joined else path, word) if at in found else word
            for at, (word, (option, is_joined, _)) in enumerate(zip(words, parts, strict=True))]  # fmt: skip
