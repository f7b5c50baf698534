"""Recognizes YAML files that are no values files: those of other programs, overlays, empty files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dsgen import schema
from dsgen.language.readable import format_value
from dsgen.problems.diagnostics import Diagnostic, Position
from dsgen.reading.nodes import Node

OWN = frozenset(("training", "workers", "launcher", "launch", "run"))
"""A file with one of these keys is meant as a values file."""
HELM = frozenset(
    (
        *("replicaCount", "nameOverride", "fullnameOverride", "service", "ingress", "autoscaling", "podAnnotations"),
        *("podLabels", "podSecurityContext", "livenessProbe", "readinessProbe", "startupProbe", "persistence", "rbac"),
        *("imagePullSecrets", "extraEnv", "extraVolumes", "volumeMounts", "httpRoute", "topologySpreadConstraints"),
    )
)
"""Keys of the chart that `helm create` writes, and of many others; two of them are enough."""
DEEPSPEED = frozenset(
    (
        *("train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps", "zero_optimization"),
        *("fp16", "bf16", "gradient_clipping", "steps_per_print", "wall_clock_breakdown", "activation_checkpointing"),
    )
)
ACCELERATE = frozenset(("compute_environment", "distributed_type", "deepspeed_config", "num_processes", "machine_rank"))
PRESETS = "start from a preset: `dsgen init --list` lists them"


@dataclass(frozen=True)
class Program:
    """A program whose files are known. key: the key by which a file is recognized, "" if it is not one of them."""

    message: str
    key: Callable[[Mapping[str, Any]], str]
    hint: str


def _several(keys: frozenset[str]) -> Callable[[Mapping[str, Any]], str]:
    def first(data: Mapping[str, Any]) -> str:
        found = [key for key in data if key in keys]
        return found[0] if len(found) > 1 and not OWN & data.keys() else ""

    return first


def _compose(data: Mapping[str, Any]) -> str:
    services = data.get("services")
    is_map = isinstance(services, dict) and any(isinstance(one, dict) for one in services.values())
    return "services" if is_map and not OWN & data.keys() else ""


PROGRAMS = (
    Program(
        "this is a file of Docker Compose, not a values file",
        _compose,
        f"{PRESETS}; `dsgen help side-by-side` says what the keys of a service become",
    ),
    Program(
        "this is a configuration of DeepSpeed, not a values file",
        _several(DEEPSPEED),
        f"{PRESETS}; in a values file, it belongs below training.deepspeed.config",
    ),
    Program(
        "this is a configuration of Accelerate, not a values file",
        _several(ACCELERATE),
        f"{PRESETS}; num_machines is workers.replicas, and launch.method: worker-command runs `accelerate launch`",
    ),
    Program(
        "these are the values of another Helm chart",
        _several(HELM),
        f"{PRESETS}; docs/options.md describes the keys of a values file",
    ),
)


def find_foreign_file(root: Node) -> Diagnostic | None:
    """The one problem of a file of another program; None for any other file."""
    data = root.data()
    if not isinstance(data, dict):
        return None
    if isinstance(data.get("apiVersion"), str) and isinstance(data.get("kind"), str):
        kind = f"{format_value(data['kind'])} of {format_value(data['apiVersion'])}"
        message = f"the file is a {kind}, a Kubernetes object, not a values file"
        return _problem(root, "kind", message, f"convert a training: dsgen import {root.position.file}")
    for program in PROGRAMS:
        if key := program.key(data):
            return _problem(root, key, program.message, program.hint)
    return None


def _problem(root: Node, key: str, message: str, hint: str) -> Diagnostic:
    place = root.child(key) or root
    return Diagnostic("DS112", message, place.key or place.position, (key,), hint)


NEEDED = ("name", "image", "training")
"""What every job has; settings without all of them are an overlay."""
ABSENT = ("DS201", "DS202", "DS901")
"""The problems of values without them."""


def simplify_overlay(root: Node, found: list[Diagnostic]) -> list[Diagnostic]:
    """The problems of a job; if its values are only an overlay, one problem in place of those for what is absent."""
    keys = root.value.keys() if isinstance(root.value, dict) and not root.is_partial else ()
    if not keys or not set(keys) <= {*schema.keys(schema.load())}.difference(NEEDED):
        return found
    name = root.position.file
    message = f"{name} has no {', '.join(NEEDED[:-1])} or {NEEDED[-1]}, so it is not a whole job"
    overlay = Diagnostic(
        "DS912", message, root.position, hint=f"give an overlay after the file of its job: FILE -f {name}"
    )
    return [overlay, *(problem for problem in found if problem.id not in ABSENT)]


def report_empty(file: str) -> Diagnostic:
    """The problem of a file without values."""
    hint = "write the values of a job into it; `dsgen init FILE` writes a new file to start from"
    return Diagnostic("DS113", "the file is empty: it has no values", Position(file, 1, 1), hint=hint)
