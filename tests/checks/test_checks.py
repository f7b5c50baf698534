"""The rules: each reports its problem, in one line, also beside values that are wrong."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from dsgen import schema, values
from dsgen.checks import RULES as FUNCTIONS
from dsgen.checks import quantities, rule
from dsgen.compiler.rules import BASE, Case
from dsgen.generated import helpers
from dsgen.language.environment import make_environment
from dsgen.problems import path_text
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
    assert {one.id for one in FUNCTIONS} <= of_checks


@pytest.mark.parametrize("id_", ["DS204", "DS340", "DS205"])
def test_a_rule_about_names_of_objects_needs_the_name_of_the_job(id_: str) -> None:
    unnamed = rule.Values(job(None, 'name=""').data, {"name": "", "namespace": ""})

    with pytest.raises(rule.UnknownValueError):
        list(next(one for one in FUNCTIONS if one.id == id_).find(unnamed))


NO_NAMES = {"name": "", "namespace": ""}


def test_an_absent_key_is_none_and_an_unknown_one_is_not_read() -> None:
    view = rule.Values({"a": {"b": 1}, "list": ["x", None]}, NO_NAMES, [("a", "c"), ("list", 1)])
    reads: list[Callable[[], object]] = [lambda: view.a.c, lambda: view.a["c"], lambda: "c" in view.a]

    assert (1, None, ["b"], True) == (view.a.b, view.a.d, [key for key, _ in view.a.items()], "x" in view.list)
    for read in (*reads, lambda: len(view.a), lambda: "y" in view.list):
        with pytest.raises(rule.UnknownValueError):
            read()


def test_a_map_with_an_unknown_key_is_only_empty_if_it_is_known_to_be() -> None:
    view = rule.Values({"a": {}, "b": {}}, NO_NAMES, [("a", "c")])

    assert not view.b
    with pytest.raises(rule.UnknownValueError):
        bool(view.a)


def test_a_rule_of_several_entries_names_and_points_at_one() -> None:
    text = BASE + "storage:\n  a: {mountPath: /a, emptyDir: {}}\n  b: {mountPath: /data}\n"
    [problem] = values.check(values.load([SourceText("v.yaml", text)]), RELEASE)

    assert ("storage.b", 7, 3) == (path_text(problem.path), problem.position and problem.position.line, 3)


def test_a_rule_about_a_key_points_at_the_key() -> None:
    text = BASE + 'labels: {team: x, "dsgen.dev/job": y2}\n'
    [problem] = values.check(values.load([SourceText("v.yaml", text)]), RELEASE)

    assert (("labels", "dsgen.dev/job"), 19) == (problem.path, problem.position and problem.position.column)


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
    data = job(None, f"workers.replicas={workers}", f"workers.slots={slots}", 'launch.method="torchrun"').data
    names = (f"cifar-1-worker-{number}.cifar-1" for number in range(workers))
    world = json.dumps({name: list(range(slots)) for name in names})

    assert len(world) == int(make_environment().helpers["world_bytes"](data, {"name": "cifar"}).strip())


def test_memory_that_the_launcher_needs() -> None:
    data = job(None, "workers.replicas=3").data

    assert 1024**3 + 3 * 1468006 == quantities.compute_launcher_bytes(rule.Values(data, NO_NAMES))


NASTY = ['"', "\\", "\n", "\t", "\x1f", "<< 1 >>", "<% if %>", "{{ .Values }}", "\u2028", "é", "$(X)"]


@pytest.mark.parametrize("text", NASTY)
def test_text_of_the_user_cannot_break_a_message(text: str) -> None:
    loaded = job()
    volume: dict[str, Any] = {"mountPath": f"/job/{text}", "subPath": "", "readOnly": False, "mountIn": "both"}
    loaded.data["storage"] = {"x": {**volume, "existingClaim": "", "emptyDir": {}}}

    problems = values.check(loaded, RELEASE)
    assert all("\n" not in one.message and one.id in ("DS212", "DS396") for one in problems)


@pytest.mark.parametrize("key", [*NASTY, "a.b", "[x]"])
def test_a_key_of_the_user_is_in_the_path_as_it_is(key: str) -> None:
    loaded = job(None, 'scheduling.queue="q"')
    resources = {"requests": {key: 1}}
    loaded.data["workers"]["sidecars"] = [{"name": "mine", "image": "x:1", "resources": resources}]

    [problem] = [one for one in values.check(loaded, RELEASE) if one.id != "DS432"]
    assert ("workers", "sidecars", 0, "resources", "requests", key) == problem.path


def test_every_label_and_annotation_that_dsgen_writes_is_reserved() -> None:
    data = job(None, 'storage.data={"mountPath":"/data","create":{"persistentVolume":{"hostPath":{"path":"/x"}}}}').data
    objects = [parsed(document.text) for document in render(data, RELEASE)]
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


def test_every_container_and_mount_of_dsgens_is_reserved() -> None:
    git = 'code.git={"repository":"https://example.com/x.git","secretName":"a"}'
    data = job(None, git, 'security.podSecurityLevel="restricted"').data
    jobs = [parsed(one.text) for one in render(data, RELEASE)]
    specs = [job["spec"]["template"]["spec"] for job in jobs if job["kind"] == "Job"]
    containers = [one for spec in specs for one in (*spec["containers"], *spec["initContainers"])]
    names = {one["name"] for one in containers}
    paths = {mount["mountPath"] for one in containers for mount in one["volumeMounts"]}

    assert {"worker", "launcher", "code", "passwd"} <= names
    assert [] == [name for name in names if not helpers.own_container("workers.sidecars", {"name": name})]
    assert {"/etc/dsgen/shared", "/etc/dsgen-git", "/job/hostfile"} <= paths
    reserved = make_environment().helpers["reserved_path"]
    assert {"/workspace/code", "/dev/shm"} == {path for path in paths if not reserved(path)}
