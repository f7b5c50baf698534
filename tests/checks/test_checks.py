"""The rows of the checks: each reports its problem, in one line."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from dsgen import checks, schema, values
from dsgen.checks import CHECKS, FUNCTIONS, NULLABLE, Function, containers, memory, pods
from dsgen.compiler.rules import BASE, Case
from dsgen.language.environment import make_environment
from dsgen.language.functions import matching
from dsgen.problems import Diagnostic, path_text
from dsgen.reading.nodes import SourceText
from dsgen.render import render
from dsgen.values import Release
from tests.base import RIGHT, RULES, WRONG, job, parameters
from tests.parity import parsed

RELEASE = Release("cifar", "training")


def ids(*flags: str, case: Case | None = None, release: Release = RELEASE) -> list[str]:
    """The problems of the base job with these values."""
    return [problem.id for problem in values.check(job(case, *flags), release)]


def test_the_base_job_has_no_problem() -> None:
    assert [] == values.load([SourceText("v.yaml", BASE)]).problems()


@pytest.mark.parametrize(("id_", "case"), parameters(WRONG))
def test_a_wrong_case_has_its_problem_once(id_: str, case: Case) -> None:
    """Other problems are allowed: a new check breaks no case of another one."""
    assert 1 == ids(case=case).count(id_)


@pytest.mark.parametrize(("id_", "case"), parameters(RIGHT))
def test_a_right_case_does_not_have_the_problem(id_: str, case: Case) -> None:
    assert id_ not in ids(case=case)


@pytest.mark.parametrize("name", ["1cifar", "Cifar", "cifar-", "cifar.x", "a\nb"])
def test_the_releases_name_is_checked_too(name: str) -> None:
    assert ["DS205"] == ids('name=""', release=Release(name, "x"))


# A release that nobody has named yet, and a DeepSpeed configuration, which has tests of its own.
ELSEWHERE = {"DS372", "DS205", *(id_ for id_ in RULES if "DS260" < id_ < "DS270")}


def test_every_check_has_a_case() -> None:
    of_checks = {id_ for id_ in RULES if "DS200" < id_ < "DS900"}

    assert of_checks - ELSEWHERE <= {id_ for id_, _ in WRONG}
    assert {row.id for row in CHECKS} <= of_checks


def test_the_record_of_a_function_names_every_id_that_it_reports() -> None:
    reported = set()
    for _, case in WRONG:
        complete = job(case)
        for function in FUNCTIONS:
            problems = function.find(complete.data, {"name": "cifar", "namespace": "x"}, complete.position)
            reported |= {(function.find.__name__, problem.id) for problem in problems}

    assert set() == reported - {(function.find.__name__, id_) for function in FUNCTIONS for id_ in function.looks_at}
    assert len(reported) > 20


def test_the_keys_that_may_be_null_are_those_of_the_schema() -> None:
    """Those of an estimate are read by no row, and by functions as what may be absent."""
    paths = {path for path, rule in schema.walk_keys() if "null" in schema.list_types(rule) and "default" not in rule}
    paths = {path for path in paths if path[0] != "estimate"}

    assert paths == {(*above, key) for above, key in NULLABLE}


@pytest.mark.parametrize("flag", ["workers.slots=1", "workers.accelerator.count=null"])
def test_a_function_reads_null_where_a_row_does(monkeypatch: pytest.MonkeyPatch, flag: str) -> None:
    read: list[Any] = []

    def find(data: Mapping[str, Any], _: Any, __: Any) -> Iterator[Diagnostic]:
        read.append((data["workers"]["accelerator"]["count"], data["storage"]["a"]["create"]["storageClass"]))
        yield from ()

    monkeypatch.setattr(checks, "FUNCTIONS", (Function(find, {}),))
    ids(flag, 'storage={"a": {"mountPath": "/a", "create": {}}, "b": {"mountPath": "/b", "emptyDir": {}}}')

    assert [(None, None)] == read


@pytest.mark.parametrize(("id_", "expected"), [("DS204", True), ("DS340", True), ("DS343", False), ("DS221", False)])
def test_a_row_that_looks_at_names_of_objects_needs_the_name_of_the_job(id_: str, expected: bool) -> None:
    assert {expected} == {row.needs_name for row in CHECKS if row.id == id_}


def test_a_row_of_a_loop_names_and_points_at_the_entry() -> None:
    text = BASE + "storage:\n  a: {mountPath: /a, emptyDir: {}}\n  b: {mountPath: /data}\n"
    [problem] = values.check(values.load([SourceText("v.yaml", text)]), RELEASE)

    assert ("storage.b", 7, 3) == (path_text(problem.path), problem.position and problem.position.line, 3)


def test_a_row_about_a_key_points_at_the_key() -> None:
    text = BASE + 'labels: {team: x, "dsgen.dev/job": y2}\n'
    [problem] = values.check(values.load([SourceText("v.yaml", text)]), RELEASE)

    assert (("labels", "dsgen.dev/job"), 19) == (problem.path, problem.position and problem.position.column)


def test_what_stands_around_a_row_is_a_loop_a_condition_or_a_name() -> None:
    assert {"for", "if", "set"} == {tag.partition(" ")[0] for row in CHECKS for tag in row.list_tags()}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        *((path, True) for path in ("/job", "/etc/dsgen", "/run/dsgen", "/var/run/secrets/dsgen", "/etc/passwd")),
        *((path, True) for path in ("/job/x", "/etc/dsgen/x/y", "/etc", "/etc/ssh", "/var", "/proc")),
        *((path, False) for path in ("/jobs", "/etc/dsgen2", "/var/lib", "/data", "", "/run/other")),
    ],
)
def test_reserved_paths(path: str, expected: bool) -> None:
    assert expected == bool(make_environment().helpers["reserved_path"](path))


@pytest.mark.parametrize(("workers", "slots"), [(1, 1), (9, 2), (10, 8), (101, 11), (1000, 16), (11234, 1)])
def test_bytes_of_the_world(workers: int, slots: int) -> None:
    """As DeepSpeed writes it."""
    complete = job(None, f"workers.replicas={workers}", f"workers.slots={slots}", 'launch.method="torchrun"').values
    assert complete
    names = (f"cifar-1-worker-{number}.cifar-1" for number in range(workers))
    world = json.dumps({name: list(range(slots)) for name in names})

    assert len(world) == int(make_environment().helpers["world_bytes"](complete.data, {"name": "cifar"}).strip())


def test_memory_that_the_launcher_needs() -> None:
    complete = job(None, "workers.replicas=3").values
    assert complete

    expected = memory.LAUNCHER_BYTES + 3 * memory.BYTES_PER_WORKER
    assert expected == int(make_environment().helpers["launcher_bytes"](complete.data).strip())


NASTY = ['"', "\\", "\n", "\t", "\x1f", "<< 1 >>", "<% if %>", "{{ .Values }}", "\u2028", "é", "$(X)"]


@pytest.mark.parametrize("text", NASTY)
def test_text_of_the_user_cannot_break_a_message(text: str) -> None:
    loaded = job()
    assert loaded.values
    volume: dict[str, Any] = {"mountPath": f"/job/{text}", "subPath": "", "readOnly": False, "mountIn": "both"}
    loaded.values.data["storage"] = {"x": {**volume, "existingClaim": "", "emptyDir": {}}}

    problems = values.check(loaded, RELEASE)
    assert all("\n" not in one.message and one.id in ("DS212", "DS396") for one in problems)


@pytest.mark.parametrize("key", [*NASTY, "a.b", "[x]"])
def test_a_key_of_the_user_is_in_the_path_as_it_is(key: str) -> None:
    loaded = job(None, 'scheduling.queue="q"')
    assert loaded.values
    resources = {"requests": {key: 1}}
    loaded.values.data["workers"]["sidecars"] = [{"name": "mine", "image": "x:1", "resources": resources}]

    [problem] = values.check(loaded, RELEASE)
    assert ("workers", "sidecars", 0, "resources", "requests", key) == problem.path


def test_every_label_and_annotation_that_dsgen_writes_is_reserved() -> None:
    loaded = job(None, 'storage.data={"mountPath":"/data","create":{"persistentVolume":{"hostPath":{"path":"/x"}}}}')
    assert loaded.values
    objects = [parsed(document.text) for document in render(loaded.values.data, RELEASE)]
    theirs = schema.make_defaults()["workers"]["podAnnotations"].keys()
    written = {
        key for metadata in _metadata(objects) for kind in ("labels", "annotations") for key in metadata.get(kind) or ()
    }

    assert {"dsgen.dev/job", "helm.sh/resource-policy", "app.kubernetes.io/name"} <= written
    reserved = make_environment().helpers["reserved_key"]
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


# Values with all that dsgen can write into pods.
WHOLE = (
    "workers.replicas=2",
    'workers.spread="required"',
    'workers.topologySpreadConstraints=[{"maxSkew":1,"topologyKey":"a","whenUnsatisfiable":"DoNotSchedule"}]',
    'workers.schedulerName="a"',
    'workers.runtimeClassName="a"',
    'workers.priorityClassName="a"',
    'workers.serviceAccountName="a"',
    'workers.nodeSelector={"a":"b"}',
    'workers.tolerations=[{"operator":"Exists"}]',
    'image.pullSecrets=[{"name":"a"}]',
    'security.podSecurityLevel="restricted"',
    "network.hostNetwork=true",
    'training.envFrom=[{"secretRef":{"name":"y"}}]',
    'training.workingDir="/x"',
)


def test_every_field_that_dsgen_writes_into_a_pod_is_refused_among_the_extra_ones() -> None:
    data = job(None, *WHOLE).values
    assert data
    jobs = [parsed(one.text) for one in render(data.data, RELEASE)]
    specs = [job["spec"]["template"]["spec"] for job in jobs if job["kind"] == "Job"]

    assert {"hostNetwork", "affinity", "subdomain"} <= {field for spec in specs for field in spec}
    assert set() == {field for spec in specs for field in spec} - set(pods.POD_FIELDS)
    containers = [container for spec in specs for container in spec["containers"]]
    assert set() == {field for one in containers for field in one} - set(pods.CONTAINER_FIELDS)


def test_every_container_of_dsgens_has_a_reserved_name() -> None:
    data = job(None, 'code.git.repository="https://example.com/x.git"', *WHOLE).values
    assert data
    jobs = [parsed(one.text) for one in render(data.data, RELEASE)]
    specs = [job["spec"]["template"]["spec"] for job in jobs if job["kind"] == "Job"]
    names = {one["name"] for spec in specs for one in (*spec["containers"], *spec["initContainers"])}

    assert {"worker", "launcher", "code", "passwd"} <= names
    assert [] == [name for name in names if not matching(name, containers.OWN_CONTAINERS)]


def test_every_mount_of_dsgens_has_a_reserved_path() -> None:
    data = job(None, 'code.git.repository="https://example.com/x.git"', 'code.git.secretName="a"', *WHOLE).values
    assert data
    jobs = [parsed(one.text) for one in render(data.data, RELEASE)]
    specs = [job["spec"]["template"]["spec"] for job in jobs if job["kind"] == "Job"]
    containers = [one for spec in specs for one in (*spec["containers"], *spec["initContainers"])]
    paths = {mount["mountPath"] for one in containers for mount in one["volumeMounts"]} - {
        "/workspace/code",
        "/dev/shm",
    }

    assert {"/etc/dsgen/shared", "/etc/dsgen-git", "/job/hostfile"} <= paths
    assert [] == [path for path in paths if not make_environment().helpers["reserved_path"](path)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("launch: {method: worker-comand, command: [train]}\n", ["DS103"]),
        ("workers: {excludeNodes: [R.example.com]}\n", ["DS104"]),
        ("security: {podSecurityLevel: privilegd}\nnetwork: {hostNetwork: true, policy: false}\n", ["DS103"]),
        (
            "workers: {slots: 2, resources: {requests: {cpu: 2}}, accelerator: {count: one}}\n"
            "ssh: {secret: {name: x}}\n",
            ["DS102", "DS240"],
        ),
    ],
)
def test_nothing_is_said_that_hangs_on_a_value_that_is_wrong(text: str, expected: list[str]) -> None:
    loaded = values.load([SourceText("v.yaml", f"{BASE}{text}")])

    assert expected == [problem.id for problem in loaded.diagnostics]
