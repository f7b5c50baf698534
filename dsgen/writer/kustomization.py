"""The kustomization.yaml of a folder."""

from collections.abc import Iterable

from dsgen.language.text import quote

KUSTOMIZATION = "kustomization.yaml"
HEAD = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"


def listing(paths: Iterable[str]) -> str:
    """A list of the objects in the folder, without those in folders below, and without transformations."""
    resources = sorted(path for path in paths if "/" not in path and path != KUSTOMIZATION)
    return f"{HEAD}resources:\n" + "".join(f"  - {quote(path)}\n" for path in resources)


def write_empty_list(namespace: str) -> str:
    """A kustomization without objects."""
    return f"{HEAD}namespace: {quote(namespace)}\n"


LISTS = {KUSTOMIZATION: listing}
"""`Plan.lists` of a folder with a kustomization.yaml."""
