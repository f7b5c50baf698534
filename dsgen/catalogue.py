"""The catalogue of templates: one row each, in the order in which the objects are applied."""

from __future__ import annotations

from typing import Literal, NamedTuple

Scope = Literal["name", "run"]


class Template(NamedTuple):
    """A template in dsgen/templates, and whether its objects belong to the job or to a run.

    Objects with the scope "name" belong to the job and are kept from run to run (storage, key, record, identity).
    Objects with the scope "run" belong to one run and never change after they are applied.
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
    Template("scripts/launcher.yaml", "run"),
    Template("scripts/shared.yaml", "run"),
    Template("scripts/status.yaml", "run"),
    Template("scripts/worker.yaml", "run"),
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
