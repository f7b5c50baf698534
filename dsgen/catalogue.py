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


class Kind(NamedTuple):
    """A kind of namespaced objects that dsgen writes, as its API names it."""

    group: str
    version: str
    name: str
    plural: str

    @property
    def api(self) -> str:
        """The path of its API, below which are the namespaces."""
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"


KINDS = (
    Kind("batch", "v1", "Job", "jobs"),
    Kind("apps", "v1", "Deployment", "deployments"),
    Kind("", "v1", "Service", "services"),
    Kind("", "v1", "ConfigMap", "configmaps"),
    Kind("", "v1", "Secret", "secrets"),
    Kind("", "v1", "ServiceAccount", "serviceaccounts"),
    Kind("rbac.authorization.k8s.io", "v1", "Role", "roles"),
    Kind("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings"),
    Kind("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies"),
    Kind("scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups"),
    Kind("scheduling.x-k8s.io", "v1alpha1", "PodGroup", "podgroups"),
    Kind("monitoring.coreos.com", "v1", "PodMonitor", "podmonitors"),
    Kind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
)
"""In the order of deletion: Jobs first, because their pods need the others until they end; claims last."""

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
    Template("scripts/configmaps.yaml", "run"),
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
