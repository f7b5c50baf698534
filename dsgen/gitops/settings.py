"""The settings of a tool: their schema, and complete ones."""

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dsgen import schema

TOOLS = {"argocd": "Argo CD", "flux": "Flux"}


@functools.cache
def schemas() -> dict[str, schema.Schema]:
    """The schema of each tool's settings."""
    found: dict[str, schema.Schema] = json.loads(Path(__file__).with_name("settings.json").read_text(encoding="utf-8"))
    return found


def rules(tool: str) -> dict[str, dict[str, Any]]:
    """Setting -> its schema."""
    found: dict[str, dict[str, Any]] = schemas()[tool]["properties"]
    return found


def complete(tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a tool with its defaults."""
    return {**schema.defaults(schemas()[tool]), **given}


def uses_charts(settings: Mapping[str, Any]) -> bool:
    """Whether what is applied is a chart of each job, not its manifests."""
    return settings["kind"] == "HelmRelease" or bool(settings.get("chart"))


def folders(settings: Mapping[str, Any]) -> str:
    """Where the jobs are in a repository, if nobody says anything else."""
    return f"{'charts' if uses_charts(settings) else 'rendered'}/{{namespace}}/{{name}}"
