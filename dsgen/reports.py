"""Problems for other programs: JSON, SARIF for code scanning, and annotations of GitHub Actions; and their rules.

Imported only where an explanation or a report is shown: a usual file has no problem.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dsgen import __version__
from dsgen.language.functions import read_json
from dsgen.problems import Diagnostic, Position, path_text
from dsgen.problems.framing import make_printable
from dsgen.problems.safe_text import escape_text


@dataclass(frozen=True)
class Rule:
    """What is true of every problem with this id.

    id: never reused. when: when the problem appears, and why it is a problem. remedy: what to do. example: a values
    file with this problem and no other; empty if one file alone cannot have it. settings: the same for dsgen.yaml.
    """

    id: str
    title: str
    when: str
    remedy: str
    example: str = ""
    settings: str = ""


RULES = {id_: Rule(id_, **fields) for id_, fields in read_json("generated/rules.json").items()}
"""The rules by their ids, in this order."""

JSON_VERSION = 1
"""Increased if a field of the JSON report is removed or gets another meaning, but not for a new field."""
SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def as_json(diagnostics: Iterable[Diagnostic]) -> dict[str, Any]:
    """An object with `version`, and `diagnostics` in the order of the text form; absent values are null or empty."""
    rows = [
        {
            **{field: getattr(one, field) for field in ("id", "severity", "message")},
            **{field: one.position and getattr(one.position, field) for field in ("file", "line", "column")},
            "path": path_text(one.path),
            "hint": one.hint,
        }
        for one in make_printable(diagnostics)
    ]
    return {"version": JSON_VERSION, "diagnostics": rows}


def as_sarif(diagnostics: Iterable[Diagnostic]) -> dict[str, Any]:
    """A log of SARIF 2.1.0 with one run, with the rules of these problems."""
    problems = make_printable(diagnostics)
    ids = sorted({problem.id for problem in problems})
    driver = {"name": "dsgen", "semanticVersion": __version__, "rules": [_dump_rule(id_) for id_ in ids]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_dump_result(problem, ids.index(problem.id)) for problem in problems],
    }
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _dump_rule(id_: str) -> dict[str, Any]:
    rule = RULES[id_]
    return {
        "id": id_,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.when},
        "help": {"text": rule.remedy},
    }


def _dump_result(problem: Diagnostic, rule: int) -> dict[str, Any]:
    result = {
        "ruleId": problem.id,
        "ruleIndex": rule,
        "level": problem.severity,
        "message": {"text": "\n".join(filter(None, [problem.message, problem.hint]))},
    }
    location = _dump_location(problem)
    return {**result, "locations": [location]} if location else result


def _dump_location(problem: Diagnostic) -> dict[str, Any]:
    location: dict[str, Any] = {}
    if problem.position and _is_file(problem.position):
        region = {"startLine": problem.position.line, "startColumn": problem.position.column}
        location["physicalLocation"] = {"artifactLocation": {"uri": _make_uri(problem.position.file)}, "region": region}
    if problem.path:
        location["logicalLocations"] = [{"fullyQualifiedName": path_text(problem.path), "kind": "property"}]
    return location


def _is_file(place: Position) -> bool:
    """Whether the problem is in a file, and not in standard input or a flag."""
    return place.file not in ("<stdin>", "--name", "-n") and not place.file.startswith("--set")


def _make_uri(file: str) -> str:
    path = Path(file)
    text = quote(os.fsencode(path.as_posix()))
    return f"file://{text}" if path.is_absolute() else text


def as_github(diagnostics: Iterable[Diagnostic]) -> str:
    """One workflow command per problem; GitHub shows it at the line of the file."""
    return "".join(_format_annotation(problem) for problem in make_printable(diagnostics))


def _format_annotation(problem: Diagnostic) -> str:
    place = problem.position
    fields = {"title": f"{RULES[problem.id].title} [{problem.id}]"}
    if place and _is_file(place):
        fields = {"file": escape_text(place.file), "line": str(place.line), "col": str(place.column), **fields}
    escaped = {key: _escape_github(value).replace(":", "%3A").replace(",", "%2C") for key, value in fields.items()}
    parameters = ",".join(f"{key}={value}" for key, value in escaped.items())
    hint = [f"hint: {line}" for line in problem.hint.split("\n") if line]
    message = "\n".join(escape_text(line) for line in [problem.message, *hint])
    return f"::{problem.severity} {parameters}::{_escape_github(message)}\n"


def _escape_github(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
