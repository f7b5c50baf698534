"""Rules for the objects of every job: which containers have a token, permissions, and what belongs to a run."""

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from dsgen import values
from dsgen.catalogue import TEMPLATES as CATALOGUE
from dsgen.render import Document, render
from dsgen.values import Release, SourceText
from shared.methods import METHODS
from tests.base import BASE
from tests.parity import parsed, problems

ROOT = Path(__file__).parent.parent
SCRIPTS = ROOT / "dsgen" / "scripts"
TEMPLATES = ROOT / "dsgen" / "templates"
CASES = sorted([*(ROOT / "values-examples").glob("*.yaml"), *(ROOT / "tests" / "cases" / "valid").glob("*.yaml")])
OWN_CONTAINERS = {"passwd", "status", "code"}
COMPILED = {
    *("CUDA_CACHE_PATH", "NEURON_COMPILE_CACHE_URL", "TORCHINDUCTOR_CACHE_DIR", "TORCH_EXTENSIONS_DIR"),
    "TRITON_CACHE_DIR",
}
"""Variables of caches of compiled code, which a pod makes for itself."""
IMMUTABLE_FIELDS = {"completionMode", "podFailurePolicy", "template"}  # of a Job's spec, see ValidateJobSpecUpdate


@functools.cache
def documents(text: str, *more: str) -> list[Document]:
    """The rendered job of a values file with others laid over it; the values have no errors."""
    loaded = values.load([SourceText(f"{index}.yaml", part) for index, part in enumerate((text, *more))])
    assert loaded.values is not None, loaded.diagnostics
    data = loaded.data
    return render(data, Release(data["name"] or "job", data["namespace"] or "space"))


def objects(text: str, *more: str) -> dict[str, Any]:
    """Kind/name -> object."""
    things = [parsed(document.text) for document in documents(text, *more)]
    return {f"{thing['kind']}/{thing['metadata']['name']}": thing for thing in things}


def containers(job: Any) -> Iterator[Any]:
    pod = job["spec"]["template"]["spec"]
    yield from [*pod.get("initContainers", []), *pod["containers"]]


def environment(job: Any, container: str) -> dict[str, Any]:
    (only,) = [item for item in containers(job) if item["name"] == container]
    return {entry["name"]: entry.get("value", entry.get("valueFrom")) for entry in only["env"]}


@pytest.fixture(params=CASES, ids=lambda path: path.stem)
def case(request: pytest.FixtureRequest) -> dict[str, Any]:
    return objects(request.param.read_text())


def jobs(case: dict[str, Any]) -> list[Any]:
    return [thing for thing in case.values() if thing["kind"] == "Job"]


def test_no_container_with_the_users_code_has_a_token(case):
    """Only the status hook mounts the API token; nothing else asks for one."""
    for job in jobs(case):
        assert job["spec"]["template"]["spec"]["automountServiceAccountToken"] is False
        holders = {
            container["name"]
            for container in containers(job)
            if any(mount["name"] == "dsgen-token" for mount in container.get("volumeMounts", []))
        }
        assert holders <= {"status"}
    for thing in case.values():
        if thing["kind"] == "ServiceAccount":
            assert thing["automountServiceAccountToken"] is False


def test_roles_name_what_they_allow(case):
    """Every rule names its objects. Only pods are listed, because their names end at random."""
    allowed = {"secrets": {"get", "patch"}, "configmaps": {"get", "patch", "create"}, "jobs": {"get"}}
    for role in (thing for thing in case.values() if thing["kind"] == "Role"):
        for rule in role["rules"]:
            (kind,) = rule["resources"]
            if kind == "pods":
                assert {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]} == rule
                continue
            assert rule["resourceNames"]
            assert {"get"} <= set(rule["verbs"]) <= allowed[kind]


def test_secret_and_record_have_no_data(case):
    """What is filled in the cluster is never written, or the next apply would wipe it."""
    (record,) = [thing for key, thing in case.items() if key.startswith("ConfigMap/") and key.endswith("-status")]
    assert "data" not in record
    for thing in case.values():
        if thing["kind"] == "Secret":
            assert not {"data", "stringData"} & thing.keys()
            assert thing["type"] == "Opaque"


def test_mounts_and_volumes_agree(case):
    """Every mount has its volume, every volume is mounted, and no container mounts one path twice."""
    for job in jobs(case):
        names = [volume["name"] for volume in job["spec"]["template"]["spec"]["volumes"]]
        mounts = [mount for container in containers(job) for mount in container.get("volumeMounts", [])]
        assert len(names) == len(set(names))
        assert {mount["name"] for mount in mounts} <= set(names)
        for container in containers(job):
            paths = [mount["mountPath"] for mount in container.get("volumeMounts", [])]
            assert len(paths) == len(set(paths))


def test_no_two_containers_write_to_one_volume_of_dsgens(case):
    """What one leaves for another is read-only there: the user's code plants nothing in the way of who has a token.

    The code is the one thing that is handed over; of its volume the training sees a folder and not the root.
    """
    for job in jobs(case):
        writers: dict[str, list[tuple[str, str]]] = {}
        for container in containers(job):
            for mount in container.get("volumeMounts", []):
                if mount["name"].startswith("dsgen-") and not mount.get("readOnly"):
                    place = (container["name"], mount.get("subPath", ""))
                    writers.setdefault(mount["name"], []).append(place)
        role = job["metadata"]["name"].rpartition("-")[2]
        assert writers.pop("dsgen-code", None) in (None, [("code", ""), (role, "tree")])
        assert {1} == {len(places) for places in writers.values()}


def test_failure_policies_name_containers_that_exist(case):
    """The API server refuses a Job whose policy names an unknown container; disruptions come first."""
    for job in jobs(case):
        rules = job["spec"]["podFailurePolicy"]["rules"]
        assert rules[0]["action"] == "Ignore"
        known = {container["name"] for container in containers(job)}
        assert {rule["onExitCodes"]["containerName"] for rule in rules[1:]} <= known


def test_pod_templates_carry_only_stable_labels(case):
    """Labels of pods are immutable in a Job: none of them may change with a chart or an app."""
    for job in jobs(case):
        labels = job["spec"]["template"]["metadata"]["labels"]
        own = {key for key in labels if key.startswith("dsgen.dev/")}
        assert {"dsgen.dev/job", "dsgen.dev/run", "dsgen.dev/role"} == own
        assert not [key for key in labels if key.startswith(("app.kubernetes.io/", "helm.sh/"))]


def test_every_container_of_dsgens_own_is_without_privileges(case):
    """They pass the level `restricted` by themselves, and a quota on limits too."""
    for job in jobs(case):
        for container in containers(job):
            if container["name"] not in OWN_CONTAINERS:
                continue
            assert container["securityContext"]["allowPrivilegeEscalation"] is False
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            assert container["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
            assert container["resources"].keys() == {"requests", "limits"}


def test_what_kubernetes_would_change_on_a_live_job_is_in_its_pod_template(case: dict[str, Any]) -> None:
    """The template is immutable, so another number is refused with it; only `suspend` may change."""
    for job in jobs(case):
        role = job["metadata"]["labels"]["app.kubernetes.io/component"]
        mutable = {field: value for field, value in job["spec"].items() if field not in IMMUTABLE_FIELDS | {"suspend"}}

        assert mutable == yaml.safe_load(environment(job, role)["DSGEN_JOB_LIMITS"])


@pytest.mark.parametrize(
    ("env", "more", "order"),
    [
        ({"B": "1", "A": "x"}, {}, ["A", "B"]),
        ({"A": "$(B)", "B": "1"}, {}, ["B", "A"]),
        ({"A": "$(B)", "B": "$(C)", "C": "1", "D": "$(A)"}, {}, ["C", "B", "A", "D"]),
        ({"A": "$(C)$(B)", "B": "1", "C": "$(D)", "D": "$(E)"}, {}, ["B", "D", "C", "A"]),
        ({"A": "$(DSGEN_RUN)", "B": "$(A) $(HOSTNAME)"}, {}, ["A", "B"]),
        ({"A": "$$(B)", "B": "$$$(C)", "C": "$(A"}, {}, ["A", "C", "B"]),
        ({"A": "$(Z)", "B": "x"}, {"Z": "$(C)", "C": "$(B)"}, ["B", "C", "Z", "A"]),
        ({"A": "$(T)", "T": {"valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}}, {}, ["T", "A"]),
    ],
)
def test_a_variable_stands_after_those_that_it_names(
    env: dict[str, Any], more: dict[str, str], order: list[str]
) -> None:
    """The kubelet replaces $(NAME) only by a variable that stands before it."""
    data = {"launcher": {"env": more}, "launch": {"method": "launcher-command", "command": ["x"]}}
    things = objects(BASE.replace("{python: train.py}", json.dumps({"env": env})), json.dumps(data))
    written = environment(things["Job/cifar-1-launcher"], "launcher")

    assert order == [name for name in written if name in {**env, **more}]
    assert list(written)[:4] == ["DSGEN_ROLE", "DSGEN_JOB", "DSGEN_RUN", "DSGEN_JOB_LIMITS"]
    assert {name: value for name, value in {**env, **more}.items() if name != "T"}.items() <= written.items()


def test_only_caches_of_compiled_code_are_on_the_volume_for_caches(case: dict[str, Any]) -> None:
    """XDG_CACHE_HOME would move the cache of Hugging Face away from the user's volume."""
    for job in jobs(case):
        role = job["metadata"]["labels"]["app.kubernetes.io/component"]
        placed = {name for name, value in environment(job, role).items() if str(value).startswith("/run/dsgen/")}

        assert placed <= COMPILED
        assert not {"XDG_CACHE_HOME", "HF_HOME", "TORCH_HOME", "PIP_CACHE_DIR"} & placed


def test_volumes_of_dsgens_have_a_size(case: dict[str, Any]) -> None:
    """Without a limit, a program could fill the memory or the disk of its node."""
    for job in jobs(case):
        for volume in job["spec"]["template"]["spec"]["volumes"]:
            if volume["name"].startswith("dsgen-") and volume["name"] != "dsgen-shm" and "emptyDir" in volume:
                assert volume["emptyDir"]["sizeLimit"] == ("64Mi" if "medium" in volume["emptyDir"] else "50Gi")


def test_all_containers_have_fewer_privileges_by_default(case: dict[str, Any]) -> None:
    """What scanners ask for, unless the values ask for more."""
    for job in jobs(case):
        pod = job["spec"]["template"]["spec"]
        given = pod["containers"][0]["securityContext"]
        if given.get("privileged"):
            continue
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert given["allowPrivilegeEscalation"] is False
        assert given["capabilities"]["drop"] in (["NET_RAW"], ["ALL"])


SECRETS = """
training:
  python: train.py
  setup: pip install a
  env: {PLAIN: a, TOKEN: {valueFrom: {secretKeyRef: {name: tracker, key: token}}}}
  envFrom: [{secretRef: {name: tracker}}]
storage:
  data: {mountPath: /data, existingClaim: data}
  disk: {mountPath: /disk, hostPath: {path: /mnt}}
security: {podSecurityLevel: privileged}
"""


@pytest.mark.parametrize(("method", "expected"), [(name, not method.ranks) for name, method in METHODS.items()])
def test_the_launcher_has_secrets_and_volumes_only_where_it_runs_the_program(method: str, expected: bool) -> None:
    command = "launch: {command: [run]}\ntraining: {python: ''}" if method.endswith("command") else "{}"
    things = objects(BASE, SECRETS, f"launch: {{method: {method}}}", command)

    for role, has_them in (("worker", True), ("launcher", expected)):
        pod = things[f"Job/cifar-1-{role}"]["spec"]["template"]["spec"]
        (main,) = pod["containers"]
        named = {"data", "disk"} & {volume["name"] for volume in pod["volumes"]}
        mounted = {"data", "disk"} & {mount["name"] for mount in main["volumeMounts"]}
        assert named == mounted == ({"data", "disk"} if has_them else set())
        assert has_them == ("tracker" in json.dumps(pod))
        assert "a" == environment(things[f"Job/cifar-1-{role}"], role)["PLAIN"]


@pytest.mark.parametrize("name", ["default", "builder", "pipeline"])
def test_no_job_takes_over_the_service_account_of_others(name: str) -> None:
    """`default` is that of every pod of the namespace; OpenShift has a few more in each."""
    things = objects(BASE.replace("cifar", name))
    bound = {subject["name"] for thing in things.values() for subject in thing.get("subjects", [])}

    assert {f"{name}.launcher"} == bound
    assert [f"ServiceAccount/{name}.launcher"] == [each for each in things if each.startswith("ServiceAccount/")]


def test_a_gang_comes_before_its_pods_and_belongs_to_the_run() -> None:
    made = documents(BASE, "scheduling: {gang: volcano}")
    order = [document.template for document in made]

    assert order.index("scheduling/podgroup.yaml") < order.index("workers/job.yaml")
    assert ["run"] == [document.scope for document in made if document.template == "scheduling/podgroup.yaml"]


@pytest.mark.parametrize(
    "key", ["scheduling.k8s.io/group-name", "scheduling.x-k8s.io/pod-group", "kueue.x-k8s.io/queue-name"]
)
def test_keys_of_schedulers_are_not_the_users(key: str) -> None:
    """What dsgen writes for a gang or a queue is refused in maps of the user's."""
    for more in (f"labels: {{{key}: x}}", f"workers: {{podLabels: {{{key}: x}}}}"):
        assert ["DS230"] == [problem[-6:-1] for problem in problems(f"{BASE}\n{more}")]


def test_the_terms_of_topology_and_spread_match_the_workers_and_nobody_else() -> None:
    """Not the launcher, which may stand anywhere, and not the workers of another run, which may still be there."""
    more = "{scheduling: {topology: {required: zone}}, workers: {spread: required}}"
    first, second = objects(BASE, more), objects(BASE, "run: {id: '2'}")
    worker, launcher, other = (
        job["spec"]["template"]
        for job in (first["Job/cifar-1-worker"], first["Job/cifar-1-launcher"], second["Job/cifar-2-worker"])
    )

    for kind in ("podAffinity", "podAntiAffinity"):
        (term,) = worker["spec"]["affinity"][kind]["requiredDuringSchedulingIgnoredDuringExecution"]
        wanted = term["labelSelector"]["matchLabels"].items()
        assert [True, False, False] == [
            wanted <= pod["metadata"]["labels"].items() for pod in (worker, launcher, other)
        ]


def test_a_new_run_id_changes_the_runs_objects_and_no_others():
    """Storage, key, record and identity outlive a run, byte for byte; every other object is a new one."""
    first, second = documents(BASE), documents(BASE, "run: {id: b2}")

    def of(rendered: list[Document], scope: str) -> list[str]:
        return [document.text for document in rendered if document.scope == scope]

    assert of(first, "name") == of(second, "name")
    assert len(of(first, "run")) == len(of(second, "run"))
    for old, new in zip(of(first, "run"), of(second, "run"), strict=True):
        name = parsed(old)["metadata"]["name"]
        if name.startswith("cifar-scripts-"):
            assert old == new
            continue
        assert name.startswith("cifar-1")
        assert name.replace("cifar-1", "cifar-b2") == parsed(new)["metadata"]["name"]


def test_no_text_that_flux_would_replace():
    """Scripts hold no dollar sign with a brace, and every object tells Flux to leave it alone."""
    for path in sorted(SCRIPTS.glob("*/*.*")):
        if path.suffix in {".py", ".sh"}:
            assert "$" + "{" not in path.read_text(), path.name
    for name, thing in objects(BASE).items():
        assert "disabled" == thing["metadata"]["annotations"]["kustomize.toolkit.fluxcd.io/substitute"], name


def test_scripts_end_in_one_newline():
    """As a block of YAML needs it to come back byte for byte."""
    for path in sorted(SCRIPTS.glob("*/*.*")):
        if path.suffix in {".py", ".sh"}:
            text = path.read_text()
            assert text.endswith("\n")
            assert not text.endswith("\n\n"), path.name
            assert not [line for line in text.splitlines() if line != line.rstrip()], path.name


def test_every_template_of_objects_is_in_the_catalogue():
    shipped = {path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.rglob("*.yaml")}

    assert shipped == {template.path for template in CATALOGUE}
