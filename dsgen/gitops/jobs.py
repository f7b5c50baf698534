"""The properties of a job on which the objects of Argo CD and Flux depend."""

import hashlib
from dataclasses import dataclass

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
