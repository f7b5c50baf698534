"""Renders values to flat manifests with the generated Python functions of the templates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from dsgen.catalogue import TEMPLATES, Scope, Template
from dsgen.generated import manifests
from dsgen.values import Release

# A text from values cannot contain such a line: it is always quoted, and blocks are indented.
SEPARATOR = "\n---\n"
SCRIPTS = "scripts/"
"""The folder of the templates whose objects are shared without runtime.create."""


class Document(NamedTuple):
    """One Kubernetes object: its template, its scope, and its YAML text without `---`."""

    template: str
    scope: Scope
    text: str


def render(values: Mapping[str, Any], release: Release) -> list[Document]:
    """The objects of one job, in the order in which they are applied.

    `values` is the complete tree (Job.data): the user's values merged over the schema's defaults, checked.
    """
    own = values["runtime"]["create"]
    return _render((row for row in TEMPLATES if own or not row.path.startswith(SCRIPTS)), values, release)


def render_runtime(name: str, namespace: str) -> list[Document]:
    """The scripts that the jobs of a namespace share; name: runtime.name."""
    values = {"namespace": namespace, "runtime": {"create": False, "name": name}}
    return _render((row for row in TEMPLATES if row.path.startswith(SCRIPTS)), values, Release("", namespace))


def _render(rows: Iterable[Template], values: Mapping[str, Any], release: Release) -> list[Document]:
    functions: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, str]], str]] = manifests.TEMPLATES
    names, documents = release._asdict(), list[Document]()
    for template in rows:
        text = functions[template.path](values, names)
        for document in f"\n{text}".split(SEPARATOR):  # a template of several objects begins each with `---`
            if document and not document.isspace():
                documents.append(Document(template.path, template.scope, document.strip("\n") + "\n"))
    return documents
