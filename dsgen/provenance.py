"""Merged values as YAML, with the place that set each key."""

from __future__ import annotations

from dsgen.language.readable import ReadableWriter
from dsgen.problems.diagnostics import KeyPath
from dsgen.problems.escaping import visible
from dsgen.values import Job

DEFAULT = "default"


def as_yaml(job: Job) -> str:
    """The values of a job without errors; the comment after a key names the file and line, or the flag, that set it."""
    return "".join(f"{line}\n" for line in _Commented(job).lines(job.data))


class _Commented(ReadableWriter):
    def __init__(self, job: Job) -> None:
        self.root = job.root

    def comment(self, path: KeyPath) -> str:
        node, known = self.root.find(path)
        place = node.key or node.position
        if len(known) < len(path):
            return f" # {DEFAULT}"
        return f" # {visible(place.file)}" + ("" if place.file.startswith("-") else f":{place.line}")
