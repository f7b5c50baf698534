"""Hints for words that are not possible."""

import pytest

from dsgen import schema, suggestions
from dsgen.nodes import Path


@pytest.mark.parametrize(
    ("key", "path", "expected"),
    [
        ("slot", ("workers",), "did you mean slots?"),
        ("Replicas", ("workers",), "did you mean replicas?"),
        ("masterPort", (), "did you mean launch.masterPort?"),
        ("tolerations", (), "did you mean workers.tolerations or launcher.tolerations?"),
        ("tolerations", ("workers", "affinity"), "did you mean workers.tolerations?"),
        ("required", ("scheduling",), "did you mean scheduling.topology.required?"),
        ("stopSignal", ("workers", "sidecars", 0), "did you mean workers.sidecars[0].lifecycle.stopSignal?"),
        ("mountPath", ("workers", "sidecars", 0), "did you mean workers.sidecars[0].volumeMounts[0].mountPath?"),
        ("name", ("storage", "a", "secret"), "possible: defaultMode, items, optional, secretName"),
        ("xyzzy", ("workers",), ""),
    ],
)
def test_a_key_that_does_not_exist(key: str, path: Path, expected: str) -> None:
    part = schema.type_at(path)

    assert part is not None
    assert expected == suggestions.for_key(key, path, part)


def test_words_are_listed_unless_they_are_too_many() -> None:
    assert 'possible: "", a' == suggestions.possible(["", "a"])
    assert "" == suggestions.possible([])
    assert "" == suggestions.possible(["a"] * (suggestions.MOST_SHOWN + 1))
