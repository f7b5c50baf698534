"""The objects of Argo CD and Flux that apply the jobs of a repository.

`plan` makes all of them for one tool, as the content of one folder. They contain the name and the folder of each job,
and depend only on few values of a job (`Delivered`), so that a new run does not change them. The settings of a tool are
a part of the schema of dsgen.yaml.
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsgen import schema
from dsgen.errors import UsageError
from dsgen.language.environment import PACKAGE, make_environment
from dsgen.repository.settings import NAME, NAMESPACE, fill_job_folder
from dsgen.repository.settings import load_schema as repository_schema
from dsgen.values import Job
from dsgen.writer import Plan, RefusedError
from dsgen.writer.plan import KUSTOMIZATION, LISTS, write_empty_list

LONGEST = 53
"""Characters of an object's name: the limit for a HelmRelease in Flux; a label with the name is limited to 63."""
DIGEST = 8


@dataclass(frozen=True)
class Delivered:
    """A job in Argo CD and Flux.

    folder: of its manifests or its chart, in the repository. queued: Kueue admits its Jobs. tolerates: Kueue admits
    them and may change their tolerations. volumes: the job has PersistentVolumes.
    """

    namespace: str
    name: str
    folder: str
    queued: bool = False
    tolerates: bool = False
    volumes: bool = False

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


def make_delivered(job: Job, folder: str) -> Delivered:
    """A job whose manifests or chart are in a folder of the repository."""
    values, release = job.data, job.release
    scheduling = values["scheduling"]
    queues = {
        "workers": "" if scheduling["gang"] == "volcano" else scheduling["queue"],
        "launcher": scheduling["launcherQueue"],
    }
    return Delivered(
        release.namespace,
        release.name,
        folder,
        queued=any(queues.values()),
        tolerates=any(queue and values[pod].get("tolerations") for pod, queue in queues.items()),
        volumes=any((each.get("create") or {}).get("persistentVolume") for each in values["storage"].values()),
    )


@dataclass(frozen=True)
class Pattern:
    """The folders of the jobs in a repository: a path with `{namespace}` and `{name}`.

    For an ApplicationSet, it has its `glob`, and `name` and `namespace` as templates of Argo CD.
    """

    text: str

    def fill_folder(self, namespace: str, name: str) -> str:
        """The folder of a job."""
        return fill_job_folder(self.text, namespace, name)

    @property
    def parts(self) -> list[str]:
        return self.text.split("/")

    @property
    def glob(self) -> str:
        """The folders of all jobs."""
        return "/".join("*" if part in (NAMESPACE, NAME) else part for part in self.parts)

    def choose_namespace(self, namespaces: Collection[str]) -> str:
        """The namespace of a folder's job. Raises UsageError if the folder does not contain it."""
        if NAMESPACE in self.parts:
            return self._format_part(NAMESPACE)
        if len(namespaces) == 1:
            return next(iter(namespaces))
        raise UsageError(
            f"an ApplicationSet takes the namespace of a job from its folder, but {self.text} has no folder {NAMESPACE}"
        )

    @property
    def name(self) -> str:
        """The name of a folder's job. Raises UsageError if the folder does not contain it."""
        if NAME in self.parts:
            # The folder of a name that Windows reserves ends in an underscore.
            return self._format_part(NAME, ' | trimSuffix "_"')
        raise UsageError(
            f"an ApplicationSet takes the name of a job from its folder, but {self.text} has no folder {NAME}"
        )

    def _format_part(self, part: str, then: str = "") -> str:
        return f"{{{{index .path.segments {self.parts.index(part)}{then}}}}}"


TOOLS = {"argocd": "Argo CD", "flux": "Flux"}
TEMPLATES = Path(__file__).parent / "templates"
OCI = "oci://"
HEALTH = "health.yaml"
KINDS = (
    ("", "ConfigMap"),
    ("", "PersistentVolumeClaim"),
    ("", "Secret"),
    ("", "Service"),
    ("", "ServiceAccount"),
    ("apps", "Deployment"),
    ("batch", "Job"),
    ("monitoring.coreos.com", "PodMonitor"),
    ("networking.k8s.io", "NetworkPolicy"),
    ("rbac.authorization.k8s.io", "Role"),
    ("rbac.authorization.k8s.io", "RoleBinding"),
    ("scheduling.volcano.sh", "PodGroup"),
    ("scheduling.x-k8s.io", "PodGroup"),
)
"""Group and kind of all namespaced objects that dsgen writes."""


def load_rules(tool: str) -> dict[str, dict[str, Any]]:
    """Setting -> its schema."""
    schemas: dict[str, dict[str, Any]] = repository_schema()["properties"][tool]["properties"]
    return schemas


def add_defaults(tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a tool with its defaults."""
    return {**schema.make_defaults({"properties": load_rules(tool)}), **given}


def uses_charts(given: Mapping[str, Any]) -> bool:
    """Whether the tool applies the charts of the jobs, and not their manifests."""
    return given["kind"] == "HelmRelease" or bool(given.get("chart"))


@dataclass(frozen=True)
class Entry:
    """A file: its template, and the variables of the template in addition to the settings."""

    path: str
    template: str
    context: Mapping[str, Any]


def plan(tool: str, settings: Mapping[str, Any], jobs: Sequence[Delivered], pattern: Pattern) -> Plan:
    """The folder of a tool. settings: complete, as in the schema; pattern: the folders of the jobs.

    Raises UsageError for settings that contradict each other, and RefusedError for jobs whose objects have one name.
    """
    _refuse_twins(jobs)
    is_oci = settings["repository"].startswith(OCI)
    revision = settings["revision"] or _choose_revision(tool, is_oci, settings["kind"])
    source = settings.get("source") or ("dsgen" if settings["repository"] else "flux-system")
    complete = {
        **settings,
        "revision": revision,
        "source": source,
        "notify": _make_subscription(settings.get("notify", "")),
    }
    entries = [
        *(
            _list_argocd_entries(complete, jobs, pattern)
            if tool == "argocd"
            else _list_flux_entries(complete, jobs, is_oci)
        )
    ]
    files = {entry.path: _render(tool, entry, complete) for entry in entries}
    if any(entry.template == HEALTH for entry in entries):
        files[f"health/{KUSTOMIZATION}"] = write_empty_list(settings["namespace"])
    return Plan(owner=f"{TOOLS[tool]}'s objects", files=files, lists=LISTS if settings["kustomization"] else {})


def _refuse_twins(jobs: Sequence[Delivered]) -> None:
    titles: dict[str, Delivered] = {}
    for job in jobs:
        other = titles.setdefault(job.title, job)
        if other is not job:
            first, second = (f"{each.namespace}/{each.name}" for each in (other, job))
            raise RefusedError(
                f"the objects of {first} and {second} would both be called {job.title}: rename one of the jobs"
            )


def _choose_revision(tool: str, is_oci: bool, kind: str) -> str:
    if is_oci:
        return "" if kind == "HelmRelease" else "latest"  # without a tag, Flux uses the newest version of a chart
    return "HEAD" if tool == "argocd" else "main"


def _make_subscription(notify: str) -> dict[str, str]:
    """The annotation that subscribes to notifications; empty without them."""
    service, _, recipient = notify.partition(":")
    return {"service": service, "recipient": recipient} if service else {}


def _render(tool: str, entry: Entry, settings: Mapping[str, Any]) -> str:
    template = make_environment(TEMPLATES, PACKAGE).get_template(f"{tool}/{entry.template}")
    return template.render(settings=settings, **entry.context)


def _list_argocd_entries(settings: Mapping[str, Any], jobs: Sequence[Delivered], pattern: Pattern) -> Iterator[Entry]:
    namespaces = sorted({job.namespace for job in jobs})
    if settings["appProject"]:
        if settings["project"] == "default":
            raise UsageError("--app-project writes a project for these jobs: name it with --project, and not default")
        volumes = any(job.volumes for job in jobs)
        context = {"namespaces": namespaces, "volumes": volumes, "kinds": KINDS}
        yield Entry("appproject.yaml", "appproject.yaml", context)
    if settings["kind"] == "ApplicationSet":
        yield Entry("applicationset.yaml", "applicationset.yaml", _make_set_context(jobs, pattern, namespaces))
    else:
        for job in jobs:
            yield Entry(f"application-{job.title}.yaml", "application.yaml", {"job": job})
    queued = any(job.queued for job in jobs)
    names = ["argocd-notifications-cm", "argocd-cmd-params-cm"] if settings["notify"] else []
    for name in [*names, *(["argocd-cm"] if names or queued else [])]:
        yield Entry(f"patches/{name}.yaml", f"{name}.yaml", {"queued": queued})


def _make_set_context(jobs: Sequence[Delivered], pattern: Pattern, namespaces: Sequence[str]) -> dict[str, Any]:
    namespace, name = pattern.choose_namespace(namespaces), pattern.name
    tolerates = any(job.tolerates for job in jobs)
    return {
        "glob": pattern.glob,
        "namespace": namespace,
        "name": name,
        "title": f"{namespace}-{name}",
        "set_name": "dsgen-jobs",
        "tolerates": tolerates,
    }


def _list_flux_entries(settings: Mapping[str, Any], jobs: Sequence[Delivered], is_oci: bool) -> Iterator[Entry]:
    is_chart = settings["kind"] == "HelmRelease"
    kind = "OCIRepository" if is_oci else "GitRepository"
    if settings["repository"] and not (is_oci and is_chart):
        source = {"name": settings["source"], "url": settings["repository"], "chart": False}
        yield Entry(f"{kind.lower()}.yaml", f"{kind.lower()}.yaml", {"source": source})
    for job in jobs:
        if is_oci and is_chart:
            source = {"name": job.title, "url": f"{settings['repository'].rstrip('/')}/{job.name}", "chart": True}
            yield Entry(f"ocirepository-{job.title}.yaml", "ocirepository.yaml", {"source": source})
        context = {"job": job, "source_kind": kind, "is_oci": is_oci}
        template = settings["kind"].lower()
        yield Entry(f"{template}-{job.title}.yaml", f"{template}.yaml", context)
        has_health = is_chart and not is_oci and settings["readyWhen"] != "applied"
        if has_health:
            if settings["output"].startswith("/"):
                raise UsageError(
                    "the health of a HelmRelease needs a folder in the repository: give its path, as in "
                    "-o gitops/flux, or use --ready-when applied"
                )
            yield Entry(f"kustomization-{job.title}-health.yaml", HEALTH, {"job": job})
        if settings["alert"]:
            yield Entry(f"alert-{job.title}.yaml", "alert.yaml", {"job": job, "has_health": has_health})
