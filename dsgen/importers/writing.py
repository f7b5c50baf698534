"""Writes a draft as a values file, in the style of the presets: short maps on one line, comments beside their keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from dsgen.importers.draft import Draft
from dsgen.language.text import ReadableWriter
from dsgen.problems import KeyPath
from dsgen.reading.scalars import resolve

WIDTH, LONGEST = 110, 124
"""Columns of a list, and of a line with its comment; a longer comment stands above its key."""
LONGEST_KEY = 1000
"""Characters of a key; YAML allows 1,024 before a colon, and more after a question mark."""
MOST_INLINE = 4
"""Values of a map that is written on one line."""
ONE_THING = ("image", "storage", "run")
"""Maps whose one comment is about all of it."""
_WORD = r"[\w./@=+^-]+(:[\w./@=+^-]+)*"
_PLAIN = re.compile(rf"(?=-{{0,2}}[A-Za-z_/.])-{{0,2}}{_WORD}( {_WORD})*|[0-9]+([KMGTPE]i|m)", re.ASCII)
ORDER: Mapping[KeyPath, Sequence[str]] = {
    (): (
        *("name", "namespace", "run", "image", "code", "labels", "annotations", "serviceAccount", "workers"),
        *("launcher", "network", "scheduling", "launch", "training", "storage", "ssh", "status", "monitoring"),
        *("lifecycle", "security"),
    ),
    ("image",): ("repository", "tag", "digest", "pullPolicy", "pullSecrets"),
    ("workers",): (
        *("replicas", "slots", "accelerator", "spread", "sharedMemory", "resources", "serviceAccountName"),
        *("schedulerName", "priorityClassName", "runtimeClassName", "nodeSelector", "excludeNodes", "affinity"),
        *("tolerations", "topologySpreadConstraints", "podLabels", "podAnnotations", "securityContext"),
        *("initContainers", "sidecars", "extraPodSpec", "extraContainerSpec"),
    ),
    ("launch",): ("method", "command", "mpirunArgs", "masterPort", "expectWorld", "preflight"),
    ("training",): (
        *("python", "module", "exec", "args", "pythonCommand", "workingDir", "setup", "env", "envFrom", "files"),
        *("rankLogs", "deepspeed"),
    ),
    ("lifecycle",): ("maxRestarts", "restartExitCodes", "activeDeadlineSeconds"),
    ("scheduling",): ("gang", "queue", "priorityClass", "topology"),
    ("network",): ("hostNetwork", "socketInterface", "policy", "rdma"),
    ("storage", "*"): ("mountPath", "subPath", "readOnly", "mountIn"),
}
"""The order of keys, as the presets have it; others follow in the order in which they were set."""


def format_values(draft: Draft, heading: Sequence[str] = ()) -> str:
    """The values file. heading: comments at its beginning."""
    writer = _Writer(draft)
    lines = [*(f"# {line}".rstrip() for line in heading), *writer.write_lines(draft.data)]
    return "\n".join(lines) + "\n"


def order_values(data: Any, path: KeyPath = ()) -> Any:
    """The same values, their keys in the order of the presets."""
    if not isinstance(data, dict):
        return data
    return {key: order_values(data[key], (*path, key)) for key in _order_keys(data, path)}


def _order_keys(data: Mapping[str, Any], path: KeyPath) -> list[str]:
    known = ORDER.get(("storage", "*") if path[:1] == ("storage",) and len(path) == 2 else path, ())
    return [*(key for key in known if key in data), *(key for key in data if key not in known)]


class _Writer(ReadableWriter):
    """Short maps and lists on one line, unless they have comments of their own inside."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft

    def write_lines(self, value: Any, path: KeyPath = ()) -> list[str]:
        if path and (line := self._format_inline(value, path)):
            return [line]
        if path and self._is_wrapped(value, path):
            return list(_wrap([self._format_short(item) for item in value]))
        if isinstance(value, dict) and value:
            return [
                line for key in self.order_keys(value, path) for line in self.write_entry(key, value[key], (*path, key))
            ]
        return super().write_lines(value, path)

    def order_keys(self, data: Mapping[str, Any], path: KeyPath) -> Iterable[str]:
        """The keys of a map in the order of the presets."""
        return _order_keys(data, path)

    def write_entry(self, key: str, value: Any, path: KeyPath = ()) -> list[str]:
        above = [f"# {line}".rstrip() for line in self.draft.above.get(path, ())]
        name = f"{self.write_text(key)}:"
        if len(name) > LONGEST_KEY:
            above, name = [*above, f"? {name[:-1]}"], ":"
        elif isinstance(value, str) and self.is_block(value):
            return [*above, *super().write_entry(key, value, path)]
        lines = self.write_lines(value, path)
        if isinstance(value, dict | list | tuple) and value and not self._is_flow(value, path):
            return [*above, f"{name}{self.write_comment(path)}", *(f"  {line}" if line else "" for line in lines)]
        comment = self._join_comments(path) if isinstance(value, dict | list) else self.write_comment(path)
        first, *rest = [f"{name} {lines[0]}", *(f"  {line}" for line in lines[1:])]
        if comment and len(first) + len(comment) + 2 * len(path) > LONGEST:
            return [*above, comment.strip(), first, *rest]
        return [*above, *([first + comment] if not rest else [first, *rest[:-1], rest[-1] + comment])]

    def _write_item(self, value: Any, path: KeyPath) -> list[str]:
        lines = super()._write_item(value, path)
        lines[:0] = [f"# {line}".rstrip() for line in self.draft.above.get(path, ())]
        if not isinstance(value, dict | list) and "\n" not in str(value):
            lines[-1] += self.write_comment(path)
        return lines

    def write_comment(self, path: KeyPath) -> str:
        text = self.draft.comments.get(path, "")
        return f"  # {text}" if text else ""

    def write_text(self, text: str) -> str:
        """Without quotes if no reader can take it for another type or for syntax."""
        lower = text.lower()
        try:
            is_text = resolve(lower) == lower
        except ValueError:
            is_text = False
        return text if is_text and text not in ("-", "--", "=") and _PLAIN.fullmatch(text) else super().write_text(text)

    # -- one line -----------------------------------------------------------------------------------------------------

    def _is_flow(self, value: Any, path: KeyPath) -> bool:
        return bool(self._format_inline(value, path)) or self._is_wrapped(value, path)

    def _is_wrapped(self, value: Any, path: KeyPath) -> bool:
        """Whether it is a list of arguments that is longer than a line and has no comments."""
        if not isinstance(value, list) or not all(isinstance(one, str) and "\n" not in one for one in value):
            return False
        has_notes = any((*path, index) in self.draft.above for index in range(len(value)))
        return len(value) > 3 and not has_notes and not self._is_commented(path)

    def _format_inline(self, value: Any, path: KeyPath) -> str:
        """The value on one line; "" if it is too long for one, or has several comments."""
        if not isinstance(value, dict | list) or not value or self._count_comments(path) > 1:
            return ""
        if any((*path, *key) in self.draft.above for key in _walk_keys(value)):
            return ""
        leaves = sum(1 for _ in _walk_leaves(value))
        if isinstance(value, dict) and (leaves > MOST_INLINE or _compute_depth(value) > 2):
            return ""
        if isinstance(value, dict) and leaves > 2 and path[0] not in ONE_THING and self._is_commented(path):
            return ""
        if any(isinstance(leaf, str) and "\n" in leaf for leaf in _walk_leaves(value)):
            return ""
        text = self._format_short(value, path)
        return text if len(text) + 2 * len(path) <= WIDTH - 10 else ""

    def _format_short(self, value: Any, path: KeyPath = ()) -> str:
        if isinstance(value, dict) and value:
            keys = _order_keys(value, path)
            return (
                "{"
                + ", ".join(f"{self.write_text(key)}: {self._format_short(value[key], (*path, key))}" for key in keys)
                + "}"
            )
        if isinstance(value, list | tuple) and value:
            return "[" + ", ".join(map(self._format_short, value)) + "]"
        return self.write_text(value) if isinstance(value, str) else self.write_scalar(value)

    def _join_comments(self, path: KeyPath) -> str:
        found = [text for key, text in self.draft.comments.items() if key[: len(path)] == path]
        return f"  # {'; '.join(dict.fromkeys(found))}" if found else ""

    def _count_comments(self, path: KeyPath) -> int:
        return sum(key[: len(path)] == path for key in self.draft.comments)

    def _is_commented(self, path: KeyPath) -> bool:
        return any(key[: len(path)] == path and len(key) > len(path) for key in self.draft.comments)


def _wrap(words: Sequence[str]) -> Iterator[str]:
    """A list of words over several lines; an option stays with its value."""
    pairs: list[str] = []
    for word in words:
        follows = pairs and pairs[-1].startswith("-") and " " not in pairs[-1] and "=" not in pairs[-1]
        if follows and not word.startswith("-"):
            pairs[-1] += f", {word}"
        else:
            pairs.append(word)
    line = "["
    for number, pair in enumerate(pairs):
        part = pair + ("]" if number == len(pairs) - 1 else ",")
        if len(line) + len(part) > WIDTH and len(line) > 1:
            yield line.rstrip()
            line = ""
        line += part + " "
    yield line.rstrip()


def _walk_leaves(value: Any) -> Iterator[Any]:
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else None
    if children is None:
        yield value
    else:
        for child in children:
            yield from _walk_leaves(child)


def _walk_keys(value: Any, path: KeyPath = ()) -> Iterator[KeyPath]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        yield (*path, key)
        yield from _walk_keys(child, (*path, key))


def _compute_depth(value: Any) -> int:
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_compute_depth, children), default=0) if isinstance(value, dict | list) else 0
