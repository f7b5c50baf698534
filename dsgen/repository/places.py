"""Where the values file of a new job belongs, by the patterns of dsgen.yaml."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from dsgen import roots
from dsgen.problems.diagnostics import has_errors
from dsgen.repository import globs, settings


def place_in(folder: Path, name: str) -> Path:
    """The file of a job in a folder: NAME.yaml, or NAME/values.yaml if only that is a job of the repository."""
    plain, own = folder / f"{name}.yaml", folder / name / "values.yaml"
    root, patterns = _patterns(folder)
    return own if _is_job(root, own, patterns) and not _is_job(root, plain, patterns) else plain


def new_place(name: str) -> Path | None:
    """The file of a job in the repository of the working folder.

    None without a dsgen.yaml, and if none of its patterns has exactly one name to choose, as `jobs/*/values.yaml` has.
    """
    root, patterns = _patterns(Path())
    for pattern in patterns:
        parts = [part for part in globs.split_pattern(pattern) if part != globs.ANY]
        joined = "/".join(parts)
        if joined.count("*") == 1 and "?" not in joined and "[" not in joined:
            return Path(os.path.relpath(root)) / joined.replace("*", name)
    return None


def _patterns(folder: Path) -> tuple[str, Sequence[str]]:
    """The root of the repository of a folder, and the patterns of its jobs; none without a repository."""
    root = roots.find(str(folder))
    if root is None:
        return "", ()
    found = settings.load(Path(root))
    return root, () if has_errors(found.diagnostics) else found.value("jobs")


def _is_job(root: str, file: Path, patterns: Sequence[str]) -> bool:
    path = os.path.relpath(os.path.realpath(file), root or None).replace(os.sep, "/")
    return any(globs.matches(path, pattern) for pattern in patterns)
