"""What the objects of Argo CD and Flux depend on: some properties of each job, and the folders of the jobs."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass

from dsgen.errors import UsageError
from dsgen.repository.settings import NAME, NAMESPACE, job_folder
from dsgen.values import Job

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


def delivered(job: Job, folder: str) -> Delivered:
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

    def folder(self, namespace: str, name: str) -> str:
        """The folder of a job."""
        return job_folder(self.text, namespace, name)

    @property
    def parts(self) -> list[str]:
        return self.text.split("/")

    @property
    def glob(self) -> str:
        """The folders of all jobs."""
        return "/".join("*" if part in (NAMESPACE, NAME) else part for part in self.parts)

    def namespace(self, namespaces: Collection[str]) -> str:
        """The namespace of a folder's job. Raises UsageError if the folder does not contain it."""
        if NAMESPACE in self.parts:
            return self._part(NAMESPACE)
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
            return self._part(NAME, ' | trimSuffix "_"')
        raise UsageError(
            f"an ApplicationSet takes the name of a job from its folder, but {self.text} has no folder {NAME}"
        )

    def _part(self, part: str, then: str = "") -> str:
        return f"{{{{index .path.segments {self.parts.index(part)}{then}}}}}"
