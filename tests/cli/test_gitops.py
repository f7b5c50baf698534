"""`dsgen gitops` writes the objects of Argo CD and Flux; tests/e2e/gitops tests them with the controllers."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from dsgen.catalogue import KINDS
from dsgen.generated import helpers
from dsgen.gitops import DeliveredJob
from tests.cli.conftest import Cli
from tests.parity import documents
from tests.test_golden import FILES, manifests

ROOT = Path(__file__).parents[2]
SCHEMAS = {
    kind: jsonschema.Draft7Validator(schema)
    for kind, schema in json.loads((ROOT / "tests/data/gitops_schemas.json").read_text()).items()
}
HERE = ("--repository", "https://git.example.com/jobs.git")
QUEUED = ("--set", "scheduling.queue=team")
TOLERATING = (*QUEUED, "--set-json", 'workers.tolerations=[{"key":"gpu","operator":"Exists"}]')

EVERYTHING = {
    "application": ("--kind", "Application", *HERE),
    "application-chart": ("--kind", "Application", "--chart", *HERE),
    "application-project": (
        *("--kind", "Application", "--app-project", "--project", "team", "--self-heal"),
        *("--server", "https://c.example", "--notify", "slack:training", *HERE),
    ),
    "application-queue": ("--kind", "Application", *HERE, *TOLERATING),
    "applicationset": ("--kind", "ApplicationSet", "--revision", "live", "--notify", "slack:training", *HERE),
    "applicationset-queue": ("--kind", "ApplicationSet", *HERE, *TOLERATING),
    "oci-application": ("--kind", "Application", "--repository", "oci://registry.example.com/jobs"),
    "kustomization": ("--kind", "Kustomization", *HERE),
    "kustomization-all": (
        *("--kind", "Kustomization", "--secret", "git", "--service-account", "team", "--alert", "ops"),
        *("--interval", "1h30m", "--ready-when", "complete", *HERE),
    ),
    "kustomization-queue": ("--kind", "Kustomization", *HERE, *TOLERATING),
    "kustomization-there": ("--kind", "Kustomization", "--source", "fleet"),
    "oci-kustomization": ("--kind", "Kustomization", "--repository", "oci://registry.example.com/jobs"),
    "helmrelease": ("--kind", "HelmRelease", "--alert", "ops", "--service-account", "team", *HERE),
    "helmrelease-applied": ("--kind", "HelmRelease", "--ready-when", "applied", *HERE),
    "oci-helmrelease": ("--kind", "HelmRelease", "--repository", "oci://registry.example.com/charts"),
}


def written(cli: Cli, *arguments: str) -> dict[str, Any]:
    """`Kind name` -> object, of all that a call writes for the jobs cifar and mnist."""
    code, _, err = cli("gitops", "cifar.yaml", "mnist.yaml", "-d", "made", *arguments)
    assert 0 == code, err
    objects = [yaml.safe_load(path.read_text()) for path in sorted(Path("made").glob("*.yaml"))]
    return {f"{each['kind']} {each['metadata']['name']}": each for each in objects if "metadata" in each}


@pytest.mark.parametrize("arguments", EVERYTHING.values(), ids=EVERYTHING)
def test_the_controllers_know_every_field(cli: Cli, arguments: tuple[str, ...]) -> None:
    objects = written(cli, *arguments)

    assert len(objects) > 0
    for each in objects.values():
        SCHEMAS[f"{each['apiVersion']}/{each['kind']}"].validate(each)


@pytest.mark.parametrize("arguments", EVERYTHING.values(), ids=EVERYTHING)
def test_a_second_call_changes_nothing_and_no_new_run_does(cli: Cli, arguments: tuple[str, ...]) -> None:
    written(cli, *arguments)

    code, out, _ = cli(
        "gitops", "cifar.yaml", "mnist.yaml", "-d", "made", *arguments, "--set-string", "run.id=2", "--check"
    )

    assert (0, "") == (code, out)


def test_a_job_that_goes_takes_its_objects_with_it(cli: Cli) -> None:
    written(cli, *EVERYTHING["kustomization"], "--kustomization")

    code, out, _ = cli("gitops", "mnist.yaml", "-d", "made", *EVERYTHING["kustomization"], "--kustomization", "--check")
    assert 1 == code
    unwanted = "not wanted: made/kustomization-training-cifar.yaml"
    assert ["differs: made/kustomization.yaml", unwanted] == out.splitlines()

    assert 0 == cli("gitops", "mnist.yaml", "-d", "made", *EVERYTHING["kustomization"], "--kustomization")[0]
    assert ["gitrepository.yaml", "kustomization-training-mnist.yaml"] == yaml.safe_load(
        Path("made/kustomization.yaml").read_text()
    )["resources"]


# ---- what is written where nobody says anything ----


def test_an_application_is_automated_and_its_end_leaves_the_run_alone(cli: Cli) -> None:
    objects = written(cli, *EVERYTHING["application"])
    application = objects["Application training-cifar"]

    assert {"Application training-cifar", "Application training-mnist"} == set(objects)
    assert "finalizers" not in application["metadata"]
    assert "annotations" not in application["metadata"]
    assert "ignoreDifferences" not in application["spec"]
    source = application["spec"]["source"]
    assert {"repoURL": HERE[1], "targetRevision": "HEAD", "path": "rendered/training/cifar"} == source
    policy = application["spec"]["syncPolicy"]
    assert {"prune": True, "selfHeal": False} == policy["automated"]
    assert ["ServerSideApply=true", "CreateNamespace=false"] == policy["syncOptions"]
    assert (5, True) == (policy["retry"]["limit"], policy["retry"]["refresh"])


def test_an_applicationset_never_deletes_a_run(cli: Cli) -> None:
    spec = written(cli, *EVERYTHING["applicationset"])["ApplicationSet dsgen-jobs"]["spec"]

    assert {"preserveResourcesOnDeletion": True} == spec["syncPolicy"]
    assert (True, ["missingkey=error"]) == (spec["goTemplate"], spec["goTemplateOptions"])
    assert [{"path": "rendered/*/*"}] == spec["generators"][0]["git"]["directories"]
    assert "{{index .path.segments 1}}" == spec["template"]["spec"]["destination"]["namespace"]


def test_folders_of_jobs_in_one_namespace_need_not_name_it(cli: Cli) -> None:
    spec = written(cli, *EVERYTHING["applicationset"], "--path", "jobs/{name}")["ApplicationSet dsgen-jobs"]["spec"]

    assert [{"path": "jobs/*"}] == spec["generators"][0]["git"]["directories"]
    assert "training" == spec["template"]["spec"]["destination"]["namespace"]
    assert 'training-{{index .path.segments 1 | trimSuffix "_"}}' == spec["template"]["metadata"]["name"]


def test_what_kueue_adds_to_a_job_with_tolerations_is_no_difference(cli: Cli) -> None:
    application = written(cli, *EVERYTHING["application-queue"])["Application training-cifar"]["spec"]

    assert ["/spec/template/spec/tolerations", "/spec/template/spec/nodeSelector"] == (
        application["ignoreDifferences"][0]["jsonPointers"]
    )
    assert "RespectIgnoreDifferences=true" in application["syncPolicy"]["syncOptions"]


def test_a_queue_alone_needs_no_exception(cli: Cli) -> None:
    application = written(cli, *EVERYTHING["application"], *QUEUED)["Application training-cifar"]["spec"]

    assert "ignoreDifferences" not in application
    assert "batch_Job" in Path("made/patches/argocd-cm.yaml").read_text()


def test_a_project_has_what_the_jobs_need_and_no_more(cli: Cli) -> None:
    spec = written(cli, *EVERYTHING["application-project"])["AppProject team"]["spec"]

    assert [HERE[1]] == spec["sourceRepos"]
    assert [{"server": "https://c.example", "namespace": "training"}] == spec["destinations"]
    assert [] == spec["clusterResourceWhitelist"]
    made = [each for path in FILES.values() for each in documents(manifests(path))]
    kinds = {(each["apiVersion"].rpartition("/")[0], each["kind"]) for each in made}
    assert {("", "PersistentVolume"), *((kind.group, kind.name) for kind in KINDS)} >= kinds
    assert len(kinds) > 10


def test_a_kustomization_is_not_blocked_by_a_training(cli: Cli) -> None:
    objects = written(cli, *EVERYTHING["kustomization"])
    spec = objects["Kustomization training-cifar"]["spec"]

    assert (True, False, False) == (spec["prune"], spec["wait"], spec["force"])
    assert "./rendered/training/cifar" == spec["path"]
    assert {"kind": "GitRepository", "name": "dsgen"} == spec["sourceRef"]
    assert [("ConfigMap", "cifar-status", "training")] == [
        (each["kind"], each["name"], each["namespace"]) for each in spec["healthChecks"]
    ]
    assert "patches" not in spec
    assert "main" == objects["GitRepository dsgen"]["spec"]["ref"]["branch"]


def test_flux_leaves_a_queued_job_with_tolerations_as_it_is(cli: Cli) -> None:
    spec = written(cli, *EVERYTHING["kustomization-queue"])["Kustomization training-cifar"]["spec"]

    assert "kustomize.toolkit.fluxcd.io~1ssa" in spec["patches"][0]["patch"]
    assert {"group": "batch", "kind": "Job"} == spec["patches"][0]["target"]


def test_a_source_that_is_there_is_not_written(cli: Cli) -> None:
    objects = written(cli, *EVERYTHING["kustomization-there"])

    assert {"Kustomization training-cifar", "Kustomization training-mnist"} == set(objects)
    assert "fleet" == objects["Kustomization training-cifar"]["spec"]["sourceRef"]["name"]


def test_a_helmrelease_does_not_wait_and_has_its_health_apart(cli: Cli) -> None:
    objects = written(cli, *EVERYTHING["helmrelease"])
    spec = objects["HelmRelease training-cifar"]["spec"]

    retry = {"disableWait": True, "strategy": {"name": "RetryOnFailure", "retryInterval": "5m"}}
    assert (retry, retry, {"disableWait": True}) == (spec["install"], spec["upgrade"], spec["rollback"])
    assert ("cifar", "training", "training") == (spec["releaseName"], spec["targetNamespace"], spec["storageNamespace"])
    assert ("./charts/training/cifar", "Revision") == (
        spec["chart"]["spec"]["chart"],
        spec["chart"]["spec"]["reconcileStrategy"],
    )
    assert "./made/health" == objects["Kustomization training-cifar-health"]["spec"]["path"]
    assert Path("made/health/kustomization.yaml").exists()
    watched = objects["Alert training-cifar"]["spec"]["eventSources"]
    assert ["HelmRelease training-cifar", "Kustomization training-cifar-health"] == [
        f"{each['kind']} {each['name']}" for each in watched
    ]


def test_notifications_carry_what_the_record_says(cli: Cli) -> None:
    application = written(cli, *EVERYTHING["application-project"])["Application training-cifar"]

    told = application["metadata"]["annotations"]
    assert {"notifications.argoproj.io/subscribe.dsgen-failed.slack": "training"} == told
    patches = {path.stem: yaml.safe_load(path.read_text())["data"] for path in Path("made/patches").iterdir()}
    assert ["argocd-cm", "argocd-cmd-params-cm", "argocd-notifications-cm"] == sorted(patches)
    assert ".health.message" in patches["argocd-notifications-cm"]["template.dsgen-failed"]
    assert '"reason":"' in patches["argocd-cm"]["resource.customizations.health.ConfigMap"]
    assert "resource.customizations.health.batch_Job" not in patches["argocd-cm"]


# ---- a repository ----

REPOSITORY = """
jobs: ["*.yaml"]
output: out/{name}
argocd: {repository: "https://git.example.com/jobs.git", project: team, appProject: true, namespace: cd}
flux: {readyWhen: complete, output: fleet}
"""


def test_a_repository_says_what_is_written_where(cli: Cli) -> None:
    Path("prod.yaml").unlink()
    Path("dsgen.yaml").write_text(REPOSITORY)

    code, out, err = cli("gitops")

    assert (0, "") == (code, err)
    assert ["fleet: Flux's objects", "gitops/argocd: Argo CD's objects"] == sorted(
        line.partition(",")[0] for line in out.splitlines()
    )
    application = yaml.safe_load(Path("gitops/argocd/application-training-mnist.yaml").read_text())
    assert ("cd", "team") == (application["metadata"]["namespace"], application["spec"]["project"])
    assert "out/mnist" == application["spec"]["source"]["path"]
    kustomization = yaml.safe_load(Path("fleet/kustomization-training-mnist.yaml").read_text())
    assert "Succeeded" in kustomization["spec"]["healthCheckExprs"][0]["current"]
    assert (0, "") == cli("gitops", "--check")[:2]


def test_options_override_what_the_repository_says(cli: Cli) -> None:
    Path("prod.yaml").unlink()
    Path("dsgen.yaml").write_text(REPOSITORY)

    assert 0 == cli("gitops", "--kind", "HelmRelease", "--ready-when", "applied")[0]

    release = yaml.safe_load(Path("fleet/helmrelease-training-mnist.yaml").read_text())
    assert "./charts/training/mnist" == release["spec"]["chart"]["spec"]["chart"]
    assert not Path("gitops").exists()


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ("flux: {kind: Job}", "dsgen.yaml:2:14: error: flux.kind"),
        ("flux: {interval: often}", "dsgen.yaml:2:18: error: flux.interval"),
        ("flux: {output: ../x}", "dsgen.yaml:2:16: error: flux.output"),
        ("argocd: {}", 'dsgen.yaml:2:9: error: argocd needs the key "repository"'),
        ("argocd: {repositori: x, repository: y}", "dsgen.yaml:2:10: error"),
    ],
)
def test_wrong_settings_have_their_place(cli: Cli, wrong: str, problem: str) -> None:
    Path("dsgen.yaml").write_text(f"jobs: [cifar.yaml]\n{wrong}\n")

    code, out, err = cli("gitops")

    assert (1, "") == (code, out)
    assert problem in err


# ---- what is refused ----


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--kind is missing: Application, ApplicationSet, Kustomization or HelmRelease"),
        (("--kind", "Application"), "Argo CD needs the address of the repository: add --repository"),
        (("--kind", "Application", "--alert", "x", *HERE), "--alert: Argo CD has no such setting"),
        (("--kind", "Kustomization", "--self-heal"), "--self-heal: Flux has no such setting"),
        (
            ("--kind", "Kustomization", "--interval", "often"),
            "--interval 'often': it must be a duration such as 5m or 1h30m",
        ),
        (
            ("--kind", "Application", "--app-project", *HERE),
            "--app-project writes a project for these jobs: name it with --project, and not default",
        ),
        (
            ("--kind", "ApplicationSet", "--path", "{namespace}x/{name}", *HERE),
            "an ApplicationSet takes the namespace of a job from its folder",
        ),
        (
            ("--kind", "ApplicationSet", "--path", "jobs/{namespace}", *HERE),
            "an ApplicationSet takes the name of a job from its folder",
        ),
    ],
)
def test_contradictions_are_wrong_usage(cli: Cli, arguments: tuple[str, ...], message: str) -> None:
    text = Path("cifar.yaml").read_text()
    Path("other.yaml").write_text(text.replace("namespace: training", "namespace: other"))
    code, out, err = cli("gitops", "cifar.yaml", "other.yaml", "-d", "made", *arguments)

    assert (2, "") == (code, out)
    assert message in err
    assert not Path("made").exists()


def test_a_helmrelease_outside_of_the_repository_has_no_health(cli: Cli, tmp_path: Path) -> None:
    code, _, err = cli("gitops", "cifar.yaml", "-d", str(tmp_path / "made"), *EVERYTHING["helmrelease"])

    assert 2 == code
    assert "-d gitops/flux" in err


def test_two_jobs_never_share_an_object(cli: Cli) -> None:
    text = Path("cifar.yaml").read_text()
    Path("a.yaml").write_text(text.replace("name: cifar", "name: b-c").replace("training\n", "a\n"))
    Path("b.yaml").write_text(text.replace("name: cifar", "name: c").replace("training\n", "a-b\n"))

    code, _, err = cli("gitops", "a.yaml", "b.yaml", "-d", "made", *EVERYTHING["kustomization"])

    assert 1 == code
    assert "dsgen: the objects of a/b-c and a-b/c would both be called a-b-c: rename one of the jobs\n" == err


def test_scripts_of_two_repositories_never_share_an_object(cli: Cli) -> None:
    named = ("--set", "runtime.create=false,runtime.name=ours")
    spec = written(cli, *EVERYTHING["helmrelease"], *named)["HelmRelease training-ours"]["spec"]

    assert ("ours", "./charts/training/dsgen-runtime") == (spec["releaseName"], spec["chart"]["spec"]["chart"])
    assert "Kustomization training-ours" in written(cli, *EVERYTHING["kustomization"], *named)


def test_the_folder_of_a_job_is_the_one_that_render_writes(cli: Cli) -> None:
    """Windows has no folder of this name, and Flux stops at one."""
    Path("aux.yaml").write_text(Path("cifar.yaml").read_text().replace("name: cifar", "name: aux"))
    assert 0 == cli("render", "aux.yaml", "mnist.yaml", "-d", "rendered/training", "-q")[0]

    assert 0 == cli("gitops", "aux.yaml", "-d", "made", *EVERYTHING["application"])[0]

    application = yaml.safe_load(Path("made/application-training-aux.yaml").read_text())
    assert "rendered/training/aux_" == application["spec"]["source"]["path"]
    assert Path(application["spec"]["source"]["path"]).is_dir()


def test_the_name_of_an_object_has_room_in_a_label() -> None:
    long = DeliveredJob("n" * 63, "a" * 40, "x")
    other = DeliveredJob("n" * 63, "b" * 40, "x")

    assert 53 == len(long.title)
    assert long.title != other.title
    assert "training-cifar" == DeliveredJob("training", "cifar", "x").title


# ---- kustomization.yaml in a job's folder ----


def test_a_kustomization_lists_the_files_of_the_folder(cli: Cli) -> None:
    assert 0 == cli("render", "cifar.yaml", "-d", "made", "--kustomization")[0]

    listed = yaml.safe_load(Path("made/kustomization.yaml").read_text())["resources"]
    assert sorted(path.name for path in Path("made").glob("*.yaml") if path.name != "kustomization.yaml") == listed
    assert (0, "") == cli("render", "cifar.yaml", "-d", "made", "--kustomization", "--check")[:2]


def test_a_kustomization_lists_the_files_of_a_run_that_is_kept(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that another dsgen wrote keeps its files, whose names may be others."""
    assert 0 == cli("render", "cifar.yaml", "-d", "made", "--kustomization")[0]
    before = Path("made/kustomization.yaml").read_text()
    monkeypatch.setattr(helpers, "scripts_name", lambda _values, _release, folder: f"cifar-scripts-{folder}-0")
    monkeypatch.setattr("dsgen.runs.__version__", "another")

    code, out, _ = cli("render", "cifar.yaml", "-d", "made", "--kustomization")

    assert 0 == code
    assert "run 1 kept as" in out
    assert before == Path("made/kustomization.yaml").read_text()
