"""The table of checks: every row finds what it is for, and says it in one line."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from dsgen import schema, values
from dsgen.checks import CHECKS, FUNCTIONS
from dsgen.language.environment import environment
from dsgen.nodes import SourceText
from dsgen.render import render
from dsgen.set_values import Override
from dsgen.values import Loaded, Release

GOOD = """\
name: cifar
image: {repository: registry.example.com/team/cifar, tag: v3}
training: {python: train.py}
"""
RELEASE = Release("cifar", "training")


def load(text: str, *sets: str) -> Loaded:
    loaded = values.load([SourceText("v.yaml", text)], [Override("--set-json", one) for one in sets])
    assert loaded.values, loaded.diagnostics
    return loaded


def ids(*sets: str, release: Release = RELEASE) -> list[str]:
    """What is found when these keys are set in good values."""
    return [found.id for found in values.check(load(GOOD, *sets), release)]


def test_good_values_have_no_problem() -> None:
    assert [] == ids()


WRONG: list[tuple[str, tuple[str, ...]]] = [
    ("DS201", ('image.repository=""',)),
    ("DS202", ('training.python=""',)),
    ("DS203", ('training.module="x"',)),
    ("DS203", ('training.exec=["x"]',)),
    ("DS203", ('training={"python":"","module":"x","exec":["x"]}',)),
    ("DS204", (f'name="{"a" * 53}"',)),
    ("DS204", (f'name="{"a" * 52}"', "workers.replicas=11")),
    ("DS206", ("workers.slots=2", "workers.accelerator.count=1")),
    ("DS207", ("workers.slots=2", 'workers.accelerator.resource="nvidia.com/mig-1g.5gb"')),
    ("DS208", ('workers.resources.limits={"nvidia.com/gpu":1}',)),
    ("DS208", ('workers.resources.requests={"nvidia.com/gpu":1}',)),
    ("DS210", ('storage.data={"mountPath":"/data"}',)),
    ("DS211", ('storage.data={"create":{},"emptyDir":{}}',)),
    ("DS211", ('storage.data={"create":{},"existingClaim":"x"}',)),
    ("DS211", ('storage.data={"nfs":{"server":"a","path":"/"},"emptyDir":{}}',)),
    ("DS213", ('storage.data={"mountPath":"/dev/shm","emptyDir":{}}',)),
    ("DS221", ('training.deepspeed={"config":{"a":1},"configFile":"/x"}',)),
    ("DS231", ('annotations={"a":"x"}', 'serviceAccount.annotations={"a":"x"}')),
    ("DS240", ('ssh.secret.name="x"',)),
    ("DS241", ('ssh.secret={"mode":"existing","name":"cifar-ssh"}',)),
    ("DS242", ("ssh.port=29500",)),
    ("DS250", ('image.tag=""',)),
    ("DS250", ('image.tag="latest"',)),
    ("DS251", ('storage={"a":{"mountPath":"/x","emptyDir":{}},"b":{"mountPath":"/x","emptyDir":{}}}',)),
    ("DS252", ('storage.data.create={"persistentVolume":{"mountOptions":["ro"]}}',)),
    ("DS252", ('storage.data.create={"persistentVolume":{"local":{"path":"/x"}}}',)),
    ("DS260", ('training.deepspeed.config={"train_batch_size":1,"a":1}',)),
    ("DS253", (f'training.files={{"x":"{"x" * 1024 * 1024}"}}',)),
]
WRONG += [
    ("DS212", (f'storage.data={{"mountPath":"{path}","emptyDir":{{}}}}',))
    for path in (
        *("/job", "/job/x", "/etc", "/etc/dsgen", "/etc/dsgen-keys", "/etc/dsgen-status", "/run/dsgen", "/run"),
        *("/var/run/secrets/dsgen", "/etc/ssh/ssh_config", "/etc/mpi", "/etc/passwd", "/var/run/dsgen/x"),
    )
]
WRONG += [
    ("DS220", (f'training.env.{name}="x"',)) for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_X", "DSGEN_")
]
WRONG += [
    ("DS230", (f'{where}={{"{key}":"x"}}',))
    for where in ("labels", "annotations", "workers.podLabels", "launcher.podAnnotations", "serviceAccount.annotations")
    for key in ("dsgen.dev/job", "app.kubernetes.io/name", "batch.kubernetes.io/x", "kueue.x-k8s.io/queue-name")
]
FINE = [
    (f'name="{"a" * 52}"', "workers.replicas=10"),
    ("workers.slots=2", "workers.accelerator.count=0"),
    ("workers.slots=2", "workers.accelerator.count=2"),
    ("workers.slots=2", "workers.accelerator.count=1", 'workers.accelerator.resource="aws.amazon.com/neuron"'),
    ('storage.data={"mountPath":"/jobs","emptyDir":{}}',),
    ('storage.data={"mountPath":"/etc/dsgen2","nfs":{"server":"a","path":"/"}}',),
    (
        'storage={"a":{"mountPath":"/x","create":{},"mountIn":"workers"},"b":{"mountPath":"/x","create":{},"mountIn":"launcher"}}',
    ),
    ('training.env={"RANKS":"x","MY_RANK":"x"}',),
    ('labels={"app.kubernetes.io/version":"x","team":"x"}',),
    ('ssh.secret={"mode":"existing","name":"mine"}',),
    ('image.tag="latest"', f'image.digest="sha256:{"0" * 64}"'),
    ('storage.data.create={"persistentVolume":{"hostPath":{"path":"/x"}}}',),
]


@pytest.mark.parametrize(("expected", "sets"), WRONG)
def test_a_problem_is_found(expected: str, sets: tuple[str, ...]) -> None:
    assert [expected] == ids(*sets)


@pytest.mark.parametrize("sets", FINE)
def test_what_is_fine_is_let_through(sets: tuple[str, ...]) -> None:
    assert [] == ids(*sets)


@pytest.mark.parametrize("name", ["1cifar", "Cifar", "cifar-", "cifar.x", "a\nb"])
def test_the_releases_name_is_checked_too(name: str) -> None:
    assert ["DS205"] == ids('name=""', release=Release(name, "x"))


def test_every_row_has_a_case() -> None:
    assert {row.id for row in CHECKS} - {"DS205"} <= {expected for expected, _ in WRONG}


def test_every_function_has_a_case() -> None:
    found = {expected for expected, _ in WRONG} - {row.id for row in CHECKS}

    assert len(FUNCTIONS) == len(found)


def test_a_row_of_a_loop_names_and_points_at_the_entry() -> None:
    text = GOOD + "storage:\n  a: {emptyDir: {}}\n  b: {mountPath: /data}\n"
    [found] = values.check(load(text), RELEASE)

    assert ("storage.b", 6, 3) == (found.path, found.position and found.position.line, 3)


def test_a_row_about_a_key_points_at_the_key() -> None:
    text = GOOD + 'labels: {team: x, "dsgen.dev/job": y2}\n'
    [found] = values.check(load(text), RELEASE)

    assert ('labels["dsgen.dev/job"]', 19) == (found.path, found.position and found.position.column)


NASTY = ['"', "\\", "\n", "\t", "\x1f", "<< 1 >>", "<% if %>", "{{ .Values }}", "\u2028", "é", "$(X)"]


@pytest.mark.parametrize("text", NASTY)
def test_text_of_the_user_cannot_break_a_message(text: str) -> None:
    loaded = load(GOOD)
    assert loaded.values
    volume: dict[str, Any] = {"mountPath": f"/job/{text}", "subPath": "", "readOnly": False, "mountIn": "both"}
    loaded.values.data["storage"] = {"x": {**volume, "existingClaim": "", "emptyDir": {}}}

    found = values.check(loaded, RELEASE)
    assert all("\n" not in one.message and one.id in ("DS212",) for one in found)


def test_every_label_and_annotation_that_dsgen_writes_is_reserved() -> None:
    loaded = load(GOOD, 'storage.data={"mountPath":"/data","create":{"persistentVolume":{"hostPath":{"path":"/x"}}}}')
    assert loaded.values
    objects = [yaml.safe_load(document.text) for document in render(loaded.values.data, RELEASE)]
    theirs = schema.defaults()["workers"]["podAnnotations"].keys()
    written = {
        key for metadata in _metadata(objects) for kind in ("labels", "annotations") for key in metadata.get(kind) or ()
    }

    assert {"dsgen.dev/job", "helm.sh/resource-policy", "app.kubernetes.io/name"} <= written
    reserved = environment().helpers["reserved_key"]
    assert set() == {key for key in written - theirs if not reserved(key)}
    assert not reserved("example.com/team")


def _metadata(part: Any) -> Iterator[dict[str, Any]]:
    """The metadata of objects and of pod templates in them."""
    if isinstance(part, dict):
        yield from (part["metadata"],) if isinstance(part.get("metadata"), dict) else ()
        for value in part.values():
            yield from _metadata(value)
    elif isinstance(part, list):
        for value in part:
            yield from _metadata(value)
