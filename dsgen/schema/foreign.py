"""Files and values in the forms of other programs: recognised, with hints how to write them as values.

Such files are those of Kubernetes or of other tools, overlays, and empty ones; such a value is an image as one text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from dsgen import schema
from dsgen.language.text import format_item, format_value
from dsgen.problems import Diagnostic, KeyPath
from dsgen.reading.nodes import Node
from dsgen.schema.suggestions import suggest_memory

OWN = frozenset(("training", "workers", "launcher", "launch", "run"))
"""A file with one of these keys is meant as a values file."""
HELM = (
    *("replicaCount", "nameOverride", "fullnameOverride", "service", "ingress", "autoscaling", "podAnnotations"),
    *("podLabels", "podSecurityContext", "livenessProbe", "readinessProbe", "startupProbe", "persistence", "rbac"),
    *("imagePullSecrets", "extraEnv", "extraVolumes", "volumeMounts", "httpRoute", "topologySpreadConstraints"),
)
"""Keys of the chart that `helm create` writes, and of many others."""
DEEPSPEED = (
    *("train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps", "zero_optimization"),
    *("fp16", "bf16", "gradient_clipping", "steps_per_print", "wall_clock_breakdown", "activation_checkpointing"),
)
ACCELERATE = ("compute_environment", "distributed_type", "deepspeed_config", "num_processes", "machine_rank")
VARIABLE = ("name", "value", "valueFrom")
"""The keys of a variable of Kubernetes."""
FACTORS = {"K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
"""Letters after numbers of parameters and tokens, as in 8B."""
PRESETS = "start from a preset: `dsgen init --list` lists them"
PROGRAMS = (
    (
        DEEPSPEED,
        "this is a configuration of DeepSpeed, not a values file",
        "in a values file, it belongs below training.deepspeed.config",
    ),
    (
        ACCELERATE,
        "this is a configuration of Accelerate, not a values file",
        "num_machines is workers.replicas, and launch.method: worker-command runs `accelerate launch`",
    ),
    (HELM, "these are the values of another Helm chart", "docs/options.md describes the keys of a values file"),
)
"""Keys, two of which are enough to recognize a file, with the message, and the hint after that at the presets."""


def find_foreign_file(root: Node) -> Diagnostic | None:
    """The one problem of a file of another program; None for any other file."""
    data = root.as_data()
    if not isinstance(data, dict):
        return None
    if isinstance(data.get("apiVersion"), str) and isinstance(data.get("kind"), str):
        kind = f"{format_value(data['kind'])} of {format_value(data['apiVersion'])}"
        message = f"the file is a {kind}, a Kubernetes object, not a values file"
        return _make_problem(root, "kind", message, f"convert a training: dsgen import {root.position.file}")
    if OWN & data.keys():
        return None
    services = data.get("services")
    if isinstance(services, dict) and any(isinstance(service, dict) for service in services.values()):
        message = "this is a file of Docker Compose, not a values file"
        hint = f"{PRESETS}; `dsgen help side-by-side` says what the keys of a service become"
        return _make_problem(root, "services", message, hint)
    for keys, message, hint in PROGRAMS:
        found = [key for key in data if key in keys]
        if len(found) > 1:
            return _make_problem(root, found[0], message, f"{PRESETS}; {hint}")
    return None


def _make_problem(root: Node, key: str, message: str, hint: str) -> Diagnostic:
    place = root.find_child(key) or root
    return Diagnostic("DS112", message, place.key or place.position, (key,), hint)


NEEDED = ("name", "image", "training")
"""What every job has; settings without all of them are an overlay."""
ABSENT = ("DS201", "DS202", "DS901")
"""The problems of values without them."""


def simplify_overlay(root: Node, found: list[Diagnostic]) -> list[Diagnostic]:
    """The problems of a job; if its values are only an overlay, one problem in place of those for what is absent."""
    keys = root.value.keys() if isinstance(root.value, dict) and not root.is_partial else ()
    if not keys or not set(keys) <= {*schema.list_keys(schema.load())}.difference(NEEDED):
        return found
    name = root.position.file
    message = f"{name} has no {', '.join(NEEDED[:-1])} or {NEEDED[-1]}, so it is not a whole job"
    overlay = Diagnostic(
        "DS912", message, root.position, hint=f"give an overlay after the file of its job: FILE -f {name}"
    )
    return [overlay, *(problem for problem in found if problem.id not in ABSENT)]


# -- values ------------------------------------------------------------------------------------------------------------


def hint_for_value(path: KeyPath, value: Any) -> str:
    """How to write a value of a wrong type; empty if its form is not known."""
    if path[:1] == ("estimate",):  # a number of parameters or tokens that is written with a letter
        number, letter = (value[:-1], value[-1:].upper()) if isinstance(value, str) else ("", "")
        is_number = letter in FACTORS and re.fullmatch(r"[0-9]{1,6}([.][0-9]{1,6})?", number)
        return f"write it as a number: {int(Decimal(number) * FACTORS[letter])}" if is_number else ""
    kind, words = SHAPES.get(path) or SHAPES.get((*path[:1], "*", *path[2:]), (type(None), str))
    return words(value) if isinstance(value, kind) else ""


def split_image(text: str) -> dict[str, str]:
    """The repository, the tag and the digest of an image; without what it lacks."""
    rest, _, digest = text.partition("@")
    folder, slash, last = rest.rpartition("/")
    name, _, tag = last.partition(":")
    parts = {"repository": f"{folder}{slash}{name}", "tag": tag, "digest": digest}
    return {key: part for key, part in parts.items() if part or key == "repository"}


def _as_reference(parts: dict[str, Any]) -> str:
    """The map of an image, as `image` takes it, as the one text that the key takes."""
    if not isinstance(parts.get("repository"), str):
        return ""
    version = f"@{parts['digest']}" if parts.get("digest") else f":{parts['tag']}" if parts.get("tag") else ""
    return f"write it as one text: {format_item(parts['repository'] + version)}"


def _as_map(parts: Mapping[str, str]) -> str:
    return f"write it as a map: {{{', '.join(f'{key}: {format_item(part)}' for key, part in parts.items())}}}"


def _hint_for_nfs(text: str) -> str:
    server, colon, path = text.partition(":")
    return _as_map({"server": server, "path": path}) if colon else ""


def _hint_for_variables(given: list[Any]) -> str:
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
    lines = (f"{format_item(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in variables.items())
    return f"write it as a map: {{{', '.join(lines)}}}"


IMAGES: tuple[KeyPath, ...] = (
    ("launcher", "image"),
    ("status", "image"),
    ("code", "git", "image"),
    ("monitoring", "tensorboard", "image"),
)
"""The keys of the schema's definition `optionalImage`."""
SHAPES: dict[KeyPath, tuple[type, Callable[[Any], str]]] = {
    ("image",): (str, lambda text: _as_map(split_image(text))),
    ("storage",): (
        list,
        lambda _: "write each volume as a name with a map, such as data: {mountPath: /data, create: {}}",
    ),
    ("training", "env"): (list, _hint_for_variables),
    ("workers", "sharedMemory"): (int, lambda number: suggest_memory(number) if 0 < number < 2**20 else ""),
    ("training", "deepspeed", "config"): (
        str,
        lambda text: (
            "write the JSON without quotes, as a map; configFile is the path of a file in the image"
            if text.lstrip().startswith("{")
            else f"write the configuration itself, or set training.deepspeed.configFile: {format_item(text)}"
        ),
    ),
    **{
        (role, "nodeSelector"): (list, lambda _: "write the labels as a map: nodeSelector: {LABEL: VALUE}")
        for role in ("workers", "launcher")
    },
    ("run",): (str, lambda _: "run has only the id of the run; the program belongs in training"),
    **dict.fromkeys(IMAGES, (dict, _as_reference)),
    ("storage", "*", "nfs"): (str, _hint_for_nfs),
    ("storage", "*", "existingClaim"): (
        dict,
        lambda claim: f"write only its name: {claim['claimName']}" if "claimName" in claim else "",
    ),
}
"""Hints for values of a form that other tools have."""
