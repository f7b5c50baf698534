"""The catalogue of what is rendered: one row for each template, in the order in which the objects are applied."""

from dataclasses import dataclass
from typing import Literal

Scope = Literal["name", "run"]


@dataclass(frozen=True)
class Template:
    """A template below dsgen/templates and what its objects belong to.

    Scope "name" is the job, whose objects outlive a run (storage, key, record, identity); scope "run" is one run, whose
    objects never change once they are applied.
    """

    path: str
    scope: Scope


TEMPLATES = (
    Template("storage/persistentvolumes.yaml", "name"),
    Template("storage/persistentvolumeclaims.yaml", "name"),
    Template("ssh/secret.yaml", "name"),
    Template("status/configmap.yaml", "name"),
    Template("rbac/serviceaccount.yaml", "name"),
    Template("rbac/role.yaml", "name"),
    Template("rbac/rolebinding.yaml", "name"),
    Template("rbac/watch-role.yaml", "run"),
    Template("rbac/watch-rolebinding.yaml", "run"),
    Template("config/configmap.yaml", "run"),
    Template("config/files.yaml", "run"),
    Template("config/scripts.yaml", "run"),
    Template("network/service.yaml", "run"),
    Template("network/networkpolicy.yaml", "run"),
    Template("scheduling/podgroup.yaml", "run"),
    Template("workers/job.yaml", "run"),
    Template("launcher/job.yaml", "run"),
    Template("monitoring/tensorboard-networkpolicy.yaml", "name"),
    Template("monitoring/tensorboard-service.yaml", "name"),
    Template("monitoring/tensorboard.yaml", "name"),
    Template("monitoring/podmonitor.yaml", "name"),
)
