"""The settings of a tool: their schema, which is a part of the schema of dsgen.yaml, and their defaults."""

from collections.abc import Mapping
from typing import Any

from dsgen import schema
from dsgen.repository import settings

TOOLS = {"argocd": "Argo CD", "flux": "Flux"}


def rules(tool: str) -> dict[str, dict[str, Any]]:
    """Setting -> its schema."""
    schemas: dict[str, dict[str, Any]] = settings.schema()["properties"][tool]["properties"]
    return schemas


def complete(tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a tool with its defaults."""
    return {**schema.defaults({"properties": rules(tool)}), **given}


def uses_charts(given: Mapping[str, Any]) -> bool:
    """Whether the tool applies the charts of the jobs, and not their manifests."""
    return given["kind"] == "HelmRelease" or bool(given.get("chart"))
