"""Suggestions for unknown words."""

import pytest

from dsgen import schema
from dsgen.checks.pods import CONTAINER_FIELDS, POD_FIELDS
from dsgen.problems import KeyPath
from dsgen.schema import suggestions


@pytest.mark.parametrize(
    ("key", "path", "expected"),
    [
        ("slot", ("workers",), "did you mean slots?"),
        ("Replicas", ("workers",), "did you mean replicas?"),
        ("runtimeClassName", ("workers",), "did you mean workers.extraPodSpec.runtimeClassName?"),
        ("runtimeClassName", ("launcher",), "did you mean launcher.extraPodSpec.runtimeClassName?"),
        ("masterPort", (), "did you mean launch.masterPort?"),
        ("tolerations", (), "did you mean workers.tolerations or launcher.tolerations?"),
        ("tolerations", ("workers", "affinity"), "did you mean workers.tolerations?"),
        ("required", ("scheduling",), "did you mean scheduling.topology.required?"),
        ("stopSignal", ("workers", "sidecars", 0), "did you mean workers.sidecars[0].lifecycle.stopSignal?"),
        ("mountPath", ("workers", "sidecars", 0), "did you mean workers.sidecars[0].volumeMounts[0].mountPath?"),
        ("name", ("storage", "a", "secret"), "possible keys: defaultMode, items, optional, secretName"),
        ("xyzzy", ("workers",), ""),
        ("port", ("launch",), "did you mean masterPort?"),
        ("launcher", ("launch",), "did you mean method?"),
        ("gpus", ("workers",), "did you mean slots?"),
        ("shm", ("workers",), "did you mean sharedMemory?"),
        ("volumes", (), "did you mean storage?"),
        ("nodes", (), "did you mean workers.replicas?"),
        ("pause", (), "did you mean lifecycle.suspend?"),
        ("autotune", (), "did you mean training.deepspeed.autotuning?"),
        ("priorityClassName", ("scheduling",), "did you mean workers.priorityClassName?"),
        ("env", ("workers",), "did you mean training.env?"),
        ("hostNetwork", ("launcher",), "did you mean network.hostNetwork?"),
        ("volumes", ("workers",), "did you mean storage, at the top of the file?"),
        ("storage", ("workers",), "did you mean storage, at the top of the file?"),
        ("hostname", ("workers",), ""),
        ("hostPID", ("workers",), "did you mean workers.extraPodSpec.hostPID?"),
        ("value", ("training", "env", "A"), 'write the value directly: A: "value"'),
    ],
)
def test_a_key_that_does_not_exist(key: str, path: KeyPath, expected: str) -> None:
    part = schema.find_part(path)

    assert part is not None
    assert expected == suggestions.suggest_key(key, path, part)


@pytest.mark.parametrize("role", ["workers", "launcher"])
def test_no_hint_names_what_a_check_refuses(role: str) -> None:
    part = schema.find_part((role,))
    assert part is not None

    hints = {key: suggestions.suggest_key(key, (role,), part) for key in (*POD_FIELDS, *CONTAINER_FIELDS)}

    assert [] == [(key, hint) for key, hint in hints.items() if "extra" in hint]


def test_every_word_of_another_tool_leads_to_a_key() -> None:
    keys = {*suggestions.ANYWHERE.values()}.union(*(words.values() for words in suggestions.IN_SECTION.values()))

    keys = {key for some in keys for key in some.split()}

    assert [] == [key for key in sorted(keys) if schema.find_part(key.split(".")) is None]


def test_words_are_listed_unless_they_are_too_many() -> None:
    assert 'possible values: "", a' == suggestions.list_possible(["", "a"])
    assert "" == suggestions.list_possible([])
    assert "" == suggestions.list_possible(["a"] * (suggestions.MOST_SHOWN + 1))
