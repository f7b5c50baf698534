"""The objects of Argo CD and Flux that apply the jobs of a repository.

`plan` makes all of them for one tool, as the content of one folder. They contain the name and the folder of each job,
and depend only on few values of a job (`DeliveredJob`), so that a new run does not change them. The settings of a tool
are a part of the schema of dsgen.yaml.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsgen import schema
from dsgen.catalogue import KINDS
from dsgen.errors import UsageError
from dsgen.language.environment import PACKAGE, make_environment
from dsgen.repository.settings import NAME, NAMESPACE, SCRIPTS, fill_job_folder
from dsgen.repository.settings import load_schema as repository_schema
from dsgen.values import Job
from dsgen.writer import Plan, RefusedError
from dsgen.writer.plan import KUSTOMIZATION, LISTS, write_empty_list

LONGEST = 53
"""Characters of an object's name: the limit for a HelmRelease in Flux; a label with the name is limited to 63."""
DIGEST = 8


@dataclass(frozen=True)
class DeliveredJob:
    """A job in Argo CD and Flux.

    folder: of its manifests or its chart, in the repository. queued: Kueue admits its Jobs. tolerates: Kueue admits
    them and may change their tolerations. volumes: the job has PersistentVolumes. is_shared: not a job, but the scripts
    that the jobs of a namespace share.
    """

    namespace: str
    name: str
    folder: str
    queued: bool = False
    tolerates: bool = False
    volumes: bool = False
    is_shared: bool = False

    @property
    def title(self) -> str:
        """The name of its Application, Kustomization or HelmRelease."""
        title = f"{self.namespace}-{self.name}"
        if len(title) <= LONGEST:
            return title
        digest = hashlib.sha256(title.encode()).hexdigest()[:DIGEST]
        return f"{title[: LONGEST - DIGEST - 1].rstrip('-.')}-{digest}"

    @property
    def record(self) -> str:
        """The name of the ConfigMap with its record."""
        return f"{self.name}-status"

    @property
    def path(self) -> str:
        """The folder in the notation of Flux."""
        return f"./{self.folder}"


def make_delivered(job: Job, pattern: str) -> DeliveredJob:
    """A job whose manifests or chart are in a folder of the repository. pattern: see `plan`."""
    values, release = job.data, job.release
    scheduling = values["scheduling"]
    queues = {
        "workers": "" if scheduling["gang"] == "volcano" else scheduling["queue"],
        "launcher": scheduling["launcherQueue"],
    }
    return DeliveredJob(
        release.namespace,
        release.name,
        fill_job_folder(pattern, release.namespace, release.name),
        queued=any(queues.values()),
        tolerates=any(queue and values[pod].get("tolerations") for pod, queue in queues.items()),
        volumes=any((each.get("create") or {}).get("persistentVolume") for each in values["storage"].values()),
    )


def list_shared(jobs: Iterable[Job], pattern: str) -> list[DeliveredJob]:
    """The scripts that these jobs share, in each namespace, with runtime.name. pattern: see `plan`."""
    names = {job.release.namespace: job.data["runtime"]["name"] for job in jobs if not job.data["runtime"]["create"]}
    folders = {space: fill_job_folder(pattern, space, SCRIPTS) for space in sorted(names)}
    return [DeliveredJob(space, names[space], folder, is_shared=True) for space, folder in folders.items()]


TOOLS = {"argocd": "Argo CD", "flux": "Flux"}
TEMPLATES = Path(__file__).parent / "templates"
OCI = "oci://"
HEALTH = "health.yaml"


def load_rules(tool: str) -> dict[str, dict[str, Any]]:
    """Setting -> its schema."""
    schemas: dict[str, dict[str, Any]] = repository_schema()["properties"][tool]["properties"]
    return schemas


def add_defaults(tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
    return {**schema.make_defaults({"properties": load_rules(tool)}), **given}


def uses_charts(given: Mapping[str, Any]) -> bool:
    """Whether the tool applies the charts of the jobs, and not their manifests."""
    return given["kind"] == "HelmRelease" or bool(given.get("chart"))


@dataclass(frozen=True)
class GitOpsFile:
    """A file: its template, and the variables of the template in addition to the settings."""

    path: str
    template: str
    context: Mapping[str, Any]


def plan(tool: str, settings: Mapping[str, Any], jobs: Sequence[DeliveredJob], pattern: str) -> Plan:
    """The folder of a tool. settings: complete, as in the schema.

    pattern: the folders of the jobs in the repository, a path with `{namespace}` and `{name}`.

    Raises UsageError for settings that contradict each other, and RefusedError for jobs whose objects have one name.
    """
    _refuse_twins(jobs)
    is_oci, is_argocd = settings["repository"].startswith(OCI), tool == "argocd"
    # Without a tag, Flux uses the newest version of a chart.
    usual = ("" if settings["kind"] == "HelmRelease" else "latest") if is_oci else "HEAD" if is_argocd else "main"
    service, _, recipient = settings.get("notify", "").partition(":")
    complete = {
        **settings,
        "revision": settings["revision"] or usual,
        "source": settings.get("source") or ("dsgen" if settings["repository"] else "flux-system"),
        "notify": {"service": service, "recipient": recipient} if service else {},
    }
    of_flux = _list_flux_entries(complete, jobs, is_oci)
    entries = [*(_list_argocd_entries(complete, jobs, pattern) if is_argocd else of_flux)]
    files = {entry.path: _render(tool, entry, complete) for entry in entries}
    if any(entry.template == HEALTH for entry in entries):
        files[f"health/{KUSTOMIZATION}"] = write_empty_list(settings["namespace"])
    return Plan(owner=f"{TOOLS[tool]}'s objects", files=files, lists=LISTS if settings["kustomization"] else {})


def _refuse_twins(jobs: Sequence[DeliveredJob]) -> None:
    titles: dict[str, DeliveredJob] = {}
    for job in jobs:
        other = titles.setdefault(job.title, job)
        if other is not job:
            first, second = (f"{each.namespace}/{each.name}" for each in (other, job))
            raise RefusedError(
                f"the objects of {first} and {second} would both be called {job.title}: rename one of the jobs"
            )


def _render(tool: str, entry: GitOpsFile, settings: Mapping[str, Any]) -> str:
    template = make_environment(TEMPLATES, PACKAGE).get_template(f"{tool}/{entry.template}")
    return template.render(settings=settings, **entry.context)


def _list_argocd_entries(
    settings: Mapping[str, Any], jobs: Sequence[DeliveredJob], pattern: str
) -> Iterator[GitOpsFile]:
    namespaces = sorted({job.namespace for job in jobs})
    if settings["appProject"]:
        if settings["project"] == "default":
            raise UsageError("--app-project writes a project for these jobs: name it with --project, and not default")
        volumes = any(job.volumes for job in jobs)
        context = {
            "namespaces": namespaces,
            "volumes": volumes,
            "kinds": sorted((kind.group, kind.name) for kind in KINDS),
        }
        yield GitOpsFile("appproject.yaml", "appproject.yaml", context)
    if settings["kind"] == "ApplicationSet":
        yield GitOpsFile("applicationset.yaml", "applicationset.yaml", _make_set_context(jobs, pattern, namespaces))
    else:
        for job in jobs:
            yield GitOpsFile(f"application-{job.title}.yaml", "application.yaml", {"job": job})
    queued = any(job.queued for job in jobs)
    names = ["argocd-notifications-cm", "argocd-cmd-params-cm"] if settings["notify"] else []
    for name in [*names, *(["argocd-cm"] if names or queued else [])]:
        yield GitOpsFile(f"patches/{name}.yaml", f"{name}.yaml", {"queued": queued})


def _make_set_context(jobs: Sequence[DeliveredJob], pattern: str, namespaces: Sequence[str]) -> dict[str, Any]:
    """The folders of all jobs as a glob, and their names as templates of Argo CD."""
    parts = pattern.split("/")

    def find_part(part: str, what: str, then: str = "") -> str:
        if part in parts:
            return f"{{{{index .path.segments {parts.index(part)}{then}}}}}"
        raise UsageError(
            f"an ApplicationSet takes the {what} of a job from its folder, but {pattern} has no folder {part}"
        )

    is_known = NAMESPACE not in parts and len(namespaces) == 1
    namespace = namespaces[0] if is_known else find_part(NAMESPACE, "namespace")
    # The folder of a name that Windows reserves ends in an underscore.
    name = find_part(NAME, "name", ' | trimSuffix "_"')
    return {
        "glob": "/".join("*" if part in (NAMESPACE, NAME) else part for part in parts),
        "namespace": namespace,
        "name": name,
        "title": f"{namespace}-{name}",
        "set_name": "dsgen-jobs",
        "tolerates": any(job.tolerates for job in jobs),
        "is_shared": any(job.is_shared for job in jobs),
    }


def _list_flux_entries(settings: Mapping[str, Any], jobs: Sequence[DeliveredJob], is_oci: bool) -> Iterator[GitOpsFile]:
    is_chart = settings["kind"] == "HelmRelease"
    kind = "OCIRepository" if is_oci else "GitRepository"
    if settings["repository"] and not (is_oci and is_chart):
        source = {"name": settings["source"], "url": settings["repository"], "chart": False}
        yield GitOpsFile(f"{kind.lower()}.yaml", f"{kind.lower()}.yaml", {"source": source})
    for job in jobs:
        if is_oci and is_chart:
            source = {"name": job.title, "url": f"{settings['repository'].rstrip('/')}/{job.name}", "chart": True}
            yield GitOpsFile(f"ocirepository-{job.title}.yaml", "ocirepository.yaml", {"source": source})
        context = {"job": job, "source_kind": kind, "is_oci": is_oci}
        template = settings["kind"].lower()
        yield GitOpsFile(f"{template}-{job.title}.yaml", f"{template}.yaml", context)
        if job.is_shared:
            continue
        has_health = is_chart and not is_oci and settings["readyWhen"] != "applied"
        if has_health:
            if settings["output"].startswith("/"):
                raise UsageError(
                    "the health of a HelmRelease needs a folder in the repository: give its path, as in "
                    "-d gitops/flux, or use --ready-when applied"
                )
            yield GitOpsFile(f"kustomization-{job.title}-health.yaml", HEALTH, {"job": job})
        if settings["alert"]:
            yield GitOpsFile(f"alert-{job.title}.yaml", "alert.yaml", {"job": job, "has_health": has_health})
