"""Hints for values in a form that other tools have, such as an image as one text."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from dsgen.language.readable import item
from dsgen.problems.diagnostics import KeyPath
from dsgen.reading.quantities import suggest_memory

VARIABLE = ("name", "value", "valueFrom")
"""The keys of a variable of Kubernetes."""


def hint(path: KeyPath, value: Any) -> str:
    """How to write a value of a wrong type; empty if its form is not known."""
    if path[:1] == ("estimate",):
        return _of_number(value)
    kind, words = SHAPES.get(path) or SHAPES.get((*path[:1], "*", *path[2:]), (type(None), str))
    return words(value) if isinstance(value, kind) else ""


FACTORS = {"K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
"""Letters after numbers of parameters and tokens, as in 8B."""


def _of_number(value: Any) -> str:
    """A number of parameters or tokens that is written with a letter."""
    number, letter = (value[:-1], value[-1:].upper()) if isinstance(value, str) else ("", "")
    if letter not in FACTORS or not re.fullmatch(r"[0-9]{1,6}([.][0-9]{1,6})?", number):
        return ""
    return f"write it as a number: {int(Decimal(number) * FACTORS[letter])}"


def _of_image(text: str) -> str:
    """An image reference as the map that the key takes."""
    rest, _, digest = text.partition("@")
    folder, slash, last = rest.rpartition("/")
    name, _, tag = last.partition(":")
    parts = {"repository": f"{folder}{slash}{name}", "tag": tag, "digest": digest}
    return "write it as a map: {" + ", ".join(f"{key}: {item(part)}" for key, part in parts.items() if part) + "}"


def _as_reference(parts: dict[str, Any]) -> str:
    """The map of an image, as `image` takes it, as the one text that the key takes."""
    if not isinstance(parts.get("repository"), str):
        return ""
    version = f"@{parts['digest']}" if parts.get("digest") else f":{parts['tag']}" if parts.get("tag") else ""
    return f"write it as one text: {item(parts['repository'] + version)}"


def _of_nfs(text: str) -> str:
    server, colon, path = text.partition(":")
    return f"write it as a map: {{server: {item(server)}, path: {item(path)}}}" if colon else ""


def _of_variables(given: list[Any]) -> str:
    """A list of variables, as in Kubernetes or Docker Compose, as the map that the key takes."""
    import json  # imported late: only problems need it

    variables: dict[str, Any] = {}
    for one in given:
        if isinstance(one, str) and "=" in one:
            name, _, variables[name] = one.partition("=")
            continue
        if not isinstance(one, dict) or not isinstance(one.get("name"), str) or one.keys() - {*VARIABLE}:
            return 'write each variable as a line of a map, NAME: "value"'
        value, source = one.get("value"), one.get("valueFrom")
        text = value if isinstance(value, str) else "" if value is None else json.dumps(value)
        variables[one["name"]] = {"valueFrom": source} if source else text
    lines = (f"{item(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in variables.items())
    return f"write it as a map: {{{', '.join(lines)}}}"


SHAPES: dict[KeyPath, tuple[type, Callable[[Any], str]]] = {
    ("image",): (str, _of_image),
    ("storage",): (
        list,
        lambda _: "write each volume as a name with a map, such as data: {mountPath: /data, create: {}}",
    ),
    ("training", "env"): (list, _of_variables),
    ("workers", "sharedMemory"): (int, lambda number: suggest_memory(number) if 0 < number < 2**20 else ""),
    ("training", "deepspeed", "config"): (
        str,
        lambda text: f"write the configuration itself, or set training.deepspeed.configFile: {item(text)}",
    ),
    ("run",): (str, lambda _: "run has only the id of the run; the program belongs in training"),
    ("launcher", "image"): (dict, _as_reference),
    ("status", "image"): (dict, _as_reference),
    ("code", "git", "image"): (dict, _as_reference),
    ("storage", "*", "nfs"): (str, _of_nfs),
    ("storage", "*", "existingClaim"): (
        dict,
        lambda claim: f"write only its name: {claim['claimName']}" if "claimName" in claim else "",
    ),
}
"""Hints for values of a form that other tools have."""
