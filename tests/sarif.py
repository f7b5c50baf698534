"""The parts of SARIF 2.1.0 that dsgen writes, as the standard has them: what must be there, and nothing that it does
not know. Written after the text of the standard (sections 3.13 to 3.33); its own schema is not ours to pass on."""

from typing import Any

from jsonschema import Draft7Validator

TEXT = {"type": "string", "minLength": 1}
COUNT = {"type": "integer", "minimum": 1}


def _object(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": required | optional,
        "required": list(required),
        "additionalProperties": False,
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items, "uniqueItems": True}


MESSAGE = _object({"text": TEXT})
RULE = _object({"id": TEXT}, shortDescription=MESSAGE, fullDescription=MESSAGE, help=MESSAGE)
URI = {"type": "string", "pattern": r"^[A-Za-z0-9._~/%-]+(://[A-Za-z0-9._~/%-]+)?$"}
LOCATION = _object(
    {},
    physicalLocation=_object(
        {"artifactLocation": _object({"uri": URI}), "region": _object({"startLine": COUNT, "startColumn": COUNT})}
    ),
    logicalLocations=_list(
        _object({"fullyQualifiedName": TEXT, "kind": {"enum": ["object", "array", "property", "value"]}})
    ),
)
RESULT = _object(
    {
        "message": MESSAGE,
        "ruleId": TEXT,
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": {"enum": ["none", "note", "warning", "error"]},
    },
    locations=_list(LOCATION),
)
RUN = _object(
    {"tool": _object({"driver": _object({"name": TEXT}, semanticVersion=TEXT, rules=_list(RULE))})},
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results={"type": "array", "items": RESULT},
)
LOG = _object({"version": {"const": "2.1.0"}, "runs": {"type": "array", "items": RUN}}, **{"$schema": TEXT})


def problems(log: Any) -> list[str]:
    """What is wrong with a SARIF log, beyond its form also results whose rule is another one."""
    found = [f"{error.json_path}: {error.message}" for error in Draft7Validator(LOG).iter_errors(log)]
    for run in log["runs"]:
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        found += [str(result) for result in run["results"] if rules[result["ruleIndex"]] != result["ruleId"]]
    return found
