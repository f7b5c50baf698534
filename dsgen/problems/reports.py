"""Diagnostics for other programs: JSON, SARIF for code scanning, and the annotations of GitHub Actions."""

from __future__ import annotations

import json
import os
from pathlib import Path
from urllib.parse import quote

from dsgen import __version__
from dsgen.problems.diagnostics import path_text
from dsgen.problems.escaping import visible
from dsgen.problems.framing import told
from dsgen.problems.kinds import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from dsgen.problems.diagnostics import Diagnostic, Position

JSON_VERSION = 1
"""Counts up when a field of the JSON report goes away or means something else; new fields do not change it."""
SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def as_json(diagnostics: Iterable[Diagnostic]) -> str:
    """One object: `version`, and `diagnostics` in the order of the text form; what does not apply is null or empty."""
    found = [_json_one(problem) for problem in told(diagnostics)]
    return _dump({"version": JSON_VERSION, "diagnostics": found})


def _json_one(found: Diagnostic) -> dict[str, Any]:
    place = found.position
    return {
        "id": found.id,
        "severity": found.severity,
        "message": found.message,
        "file": place and place.file,
        "line": place and place.line,
        "column": place and place.column,
        "path": path_text(found.path),
        "hint": found.hint,
    }


def _dump(data: Any) -> str:
    # ASCII: names of files may be any bytes, and JSON must be UTF-8. CI systems look for ##[ anywhere in a log.
    return json.dumps(data, indent=2).replace("##", "#\\u0023") + "\n"


# -- SARIF 2.1.0 ------------------------------------------------------------------------------------------------------


def as_sarif(diagnostics: Iterable[Diagnostic]) -> str:
    """A SARIF log with one run, whose rules are the kinds of problems that were found."""
    found = told(diagnostics)
    ids = sorted({problem.id for problem in found})
    driver = {"name": "dsgen", "semanticVersion": __version__, "rules": [_rule(id_) for id_ in ids]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(problem, ids.index(problem.id)) for problem in found],
    }
    return _dump({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(id_: str) -> dict[str, Any]:
    kind = KINDS[id_]
    return {
        "id": id_,
        "shortDescription": {"text": kind.title},
        "fullDescription": {"text": kind.when},
        "help": {"text": kind.remedy},
    }


def _result(found: Diagnostic, rule: int) -> dict[str, Any]:
    result = {
        "ruleId": found.id,
        "ruleIndex": rule,
        "level": found.severity,
        "message": {"text": "\n".join(filter(None, [found.message, found.hint]))},
    }
    location = _location(found)
    return {**result, "locations": [location]} if location else result


def _location(found: Diagnostic) -> dict[str, Any]:
    location: dict[str, Any] = {}
    if found.position and _is_file(found.position):
        region = {"startLine": found.position.line, "startColumn": found.position.column}
        location["physicalLocation"] = {"artifactLocation": {"uri": _uri(found.position.file)}, "region": region}
    if found.path:
        location["logicalLocations"] = [{"fullyQualifiedName": path_text(found.path), "kind": "property"}]
    return location


def _is_file(place: Position) -> bool:
    """Whether others can open it: standard input and flags are no files."""
    return place.file not in ("<stdin>", "--name", "-n") and not place.file.startswith("--set")


def _uri(file: str) -> str:
    path = Path(file)
    text = quote(os.fsencode(path.as_posix()))
    return f"file://{text}" if path.is_absolute() else text


# -- GitHub Actions ---------------------------------------------------------------------------------------------------


def as_github(diagnostics: Iterable[Diagnostic]) -> str:
    """One workflow command per problem, which GitHub shows at the line of the file."""
    return "".join(_annotation(found) for found in told(diagnostics))


def _annotation(found: Diagnostic) -> str:
    place = found.position
    fields = {"title": f"{KINDS[found.id].title} [{found.id}]"}
    if place and _is_file(place):
        fields = {"file": visible(place.file), "line": str(place.line), "col": str(place.column), **fields}
    parameters = ",".join(f"{key}={_github_property(value)}" for key, value in fields.items())
    hint = [f"hint: {line}" for line in found.hint.split("\n") if line]
    message = "\n".join(visible(line) for line in [found.message, *hint])
    return f"::{found.severity} {parameters}::{_github_data(message)}\n"


def _github_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _github_property(text: str) -> str:
    return _github_data(text).replace(":", "%3A").replace(",", "%2C")
