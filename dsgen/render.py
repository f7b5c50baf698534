"""Renders values to flat manifests with the generated Python functions of the templates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from dsgen.catalogue import TEMPLATES, Scope
from dsgen.generated import manifests
from dsgen.values import Release

# A text from values cannot contain such a line: it is always quoted, and blocks are indented.
SEPARATOR = "\n---\n"


class Document(NamedTuple):
    """One Kubernetes object: its template, its scope, and its YAML text without `---`."""

    template: str
    scope: Scope
    text: str


def render(values: Mapping[str, Any], release: Release) -> list[Document]:
    """The objects of one job, in the order in which they are applied.

    `values` is the complete tree (Job.data): the user's values merged over the schema's defaults, checked.
    """
    functions: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, str]], str]] = manifests.TEMPLATES
    names, documents = release._asdict(), list[Document]()
    for template in TEMPLATES:
        text = functions[template.path](values, names)
        # A template of several objects begins each with `---`. Searching in other texts, such as that of the scripts,
        # would take a tenth of the time of a job.
        for document in f"\n{text}".split(SEPARATOR) if text.startswith("---\n") else [text]:
            if document and not document.isspace():
                documents.append(Document(template.path, template.scope, document.strip("\n") + "\n"))
    return documents
