"""Values of Bitnami's charts deepspeed and pytorch."""

from __future__ import annotations

from typing import Any

from dsgen.importers import bitnami_fields as of
from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import Document
from dsgen.importers.fields import (
    Fields,
    Table,
    as_count,
    as_list,
    as_map,
    as_text,
    as_texts,
    drop,
    format_scalar,
    lose,
    to,
)
from dsgen.importers.launch import write_counts
from dsgen.importers.pod_fields import Pod, add_extra_container, write_variable
from dsgen.importers.pod_resources import write_resources
from dsgen.importers.world import World
from dsgen.problems import KeyPath

CHART = "it configures the chart, which dsgen replaces"
SERVICE = "dsgen has a Service and a NetworkPolicy of its own"
PROBES = "dsgen has probes of its own"
GRACE = lose("dsgen needs at least 30 seconds", "set lifecycle.terminationGracePeriodSeconds")
SECRET = lose("dsgen clones with a Secret", "set code.git.secretName")
REPOSITORY, REVISION = to("code.git.repository", as_text), to("code.git.revision", as_text)
PRESET = "it is a preset of the chart"
DEPLOYMENT = "dsgen runs a training as Jobs, which end"


def convert(document: Document, conversion: Conversion) -> None:
    """One values file."""
    fields = Fields(conversion, document)
    pod = Pod((), "workers")
    is_deepspeed = fields.find_node("client") is not None or fields.find_node("worker") is not None
    fields.apply(_make_deepspeed_table(pod) if is_deepspeed else _make_pytorch_table(pod))
    draft = conversion.draft
    each = fields.find_node("worker", "slotsPerNode") if is_deepspeed else None
    replicas = fields.find_node("worker", "replicaCount") if is_deepspeed else fields.find_node("worldSize")
    nodes = as_count(replicas.value) if replicas is not None else 1
    slots = as_count(each.value) if each is not None else None
    if not is_deepspeed:
        draft.set("launch.method", "torchrun")
    world = World(nodes, slots or pod.devices or 1, pod.devices)
    if is_deepspeed:
        of.write_launch_command(fields, ("source", "launchCommand"), world)
    write_counts(conversion, world.nodes, world.slots, world)
    conversion.facts.replicas, conversion.facts.slots = nodes or 0, slots or pod.devices or 1
    _write_claim(fields, ("worker", "persistence") if is_deepspeed else ("persistence",))
    client = fields.find_node("client", "persistence")
    if client is not None:
        fields.drop(("client", "persistence"), client, "workers and launcher mount the same volumes")
    _write_image(fields)
    if not (draft.get("training.python") or draft.get("launch.command")):
        draft.set_hole("training.python", "", "the source names no program")
    fields.finish()


def _make_role_table(prefix: str, pod: Pod) -> dict[str, Table]:
    """Keys of a role, which the chart pytorch has at the top."""
    workers = "launcher" if prefix == "client" else "workers"
    probes = ("livenessProbe", "readinessProbe", "startupProbe", "customLivenessProbe", "customReadinessProbe",
              "customStartupProbe")  # fmt: skip
    services = ("service", "networkPolicy", "headlessServiceAnnotations", "containerPorts", "hostAliases")
    return {
        "resources": write_resources(workers, pod),  # type: ignore[arg-type]  # one of two words
        "resourcesPreset": of.lose_resources_preset,
        "nodeSelector": of.drop_empty(to(f"{workers}.nodeSelector", as_texts)),
        "affinity": of.drop_empty(to(f"{workers}.affinity", as_map)),
        "tolerations": of.drop_empty(to(f"{workers}.tolerations", as_list)),
        "topologySpreadConstraints": of.drop_empty(to(f"{workers}.topologySpreadConstraints", as_list)),
        "priorityClassName": of.drop_empty(to(f"{workers}.priorityClassName", as_text)),
        "schedulerName": of.drop_empty(to(f"{workers}.schedulerName", as_text)),
        "runtimeClassName": of.drop_empty(to(f"{workers}.runtimeClassName", as_text)),
        "podLabels": {"*": of.write_entry(f"{workers}.podLabels")},
        "podAnnotations": {"*": of.write_entry(f"{workers}.podAnnotations")},
        "sidecars": {"*": add_extra_container(f"{workers}.sidecars")},
        "initContainers": {"*": add_extra_container(f"{workers}.initContainers")},
        "extraEnvVars": {"*": write_variable},
        "extraEnvVarsCM": of.add_env_from("configMapRef"),
        "extraEnvVarsSecret": of.add_env_from("secretRef"),
        "terminationGracePeriodSeconds": of.drop_empty(GRACE),
        "podSecurityContext": of.write_context(),
        "containerSecurityContext": of.write_context(),
        "persistence": {},
        "extraVolumes": of.drop_empty(lose("dsgen names volumes and mounts together", "set storage")),
        "extraVolumeMounts": of.drop_empty(lose("dsgen names volumes and mounts together", "set storage")),
        "serviceAccount": of.write_service_account,
        "hostNetwork": of.drop_empty(to("network.hostNetwork", bool)),
        **dict.fromkeys(("podAffinityPreset", "podAntiAffinityPreset", "nodeAffinityPreset"), drop(PRESET)),
        **dict.fromkeys(probes, drop(PROBES)),
        **dict.fromkeys(services, drop(SERVICE)),
        **dict.fromkeys(("updateStrategy", "podManagementPolicy", "autoscaling", "pdb", "automountServiceAccountToken",
                         "lifecycleHooks", "volumePermissions", "podRestartPolicy", "backoffLimit", "podSeccompProfile",
                         "defaultInitContainers", "annotations", "hostIPC"), drop(DEPLOYMENT)),
    }  # fmt: skip


def _make_head_table() -> dict[str, Table]:
    return {
        "image": {"registry": {}, "repository": {}, "tag": {}, "digest": {},
                  "pullPolicy": to("image.pullPolicy", as_text), "pullSecrets": of.drop_empty(of.write_pull_secrets),
                  "*": drop(CHART)},
        "commonLabels": {"*": of.write_entry("labels")},
        "commonAnnotations": {"*": of.write_entry("annotations")},
        "fullnameOverride": of.write_release_name,
        "nameOverride": of.write_release_name,
        "namespaceOverride": of.drop_empty(to("namespace", as_text)),
        "extraDeploy": of.drop_empty(lose("it is another object", "apply it beside the job")),
        **dict.fromkeys(("global", "kubeVersion", "clusterDomain", "diagnosticMode", "apiVersions"), drop(CHART)),
    }  # fmt: skip


def _make_deepspeed_table(pod: Pod) -> Table:
    """The chart deepspeed: a client that runs deepspeed, and workers with sshd."""
    return {
        **_make_head_table(),
        "source": {
            "type": drop("code.git or training.files say where the code is from"),
            "launchCommand": {},
            "configMap": {"*": of.write_file},
            "existingConfigMap": of.drop_empty(lose("dsgen mounts a ConfigMap by storage", "set storage")),
            "git": {"repository": of.drop_empty(REPOSITORY), "revision": of.drop_empty(REVISION),
                    "extraVolumeMounts": of.drop_empty(SECRET)},
        },
        "config": {
            "defaultHostFile": of.drop_empty(lose("dsgen writes the hostfile")),
            "overrideHostFile": of.drop_empty(lose("dsgen writes the hostfile")),
            "existingHostFileConfigMap": of.drop_empty(lose("dsgen writes the hostfile")),
            "defaultSSHClient": drop("dsgen configures ssh"),
            "overrideSSHClient": of.drop_empty(drop("dsgen configures ssh")),
            "existingSSHClientConfigMap": of.drop_empty(drop("dsgen configures ssh")),
            "defaultSSHServer": drop("dsgen configures sshd"),
            "overrideSSHServer": of.drop_empty(drop("dsgen configures sshd")),
            "existingSSHServerConfigMap": of.drop_empty(drop("dsgen configures sshd")),
            "sshPrivateKey": drop("dsgen generates the ssh key in the cluster"),
            "existingSSHKeySecret": of.drop_empty(lose("dsgen generates the ssh key in the cluster", "set ssh.secret")),
        },
        "client": {"enabled": drop("a job has one launcher"), "useJob": drop(DEPLOYMENT),
                   **_make_role_table("client", pod)},
        "worker": {"enabled": drop("a job has workers"), "slotsPerNode": of.map_number("workers.slots"),
                   "replicaCount": of.map_number("workers.replicas"), "replicas": of.map_number("workers.replicas"),
                   "externalAccess": drop(SERVICE), **_make_role_table("worker", pod)},
        "gitImage": of.write_git_image,
        "volumePermissions": drop(CHART),
        "*": drop(CHART),
    }  # fmt: skip


def _make_pytorch_table(pod: Pod) -> Table:
    """The chart pytorch: a StatefulSet of equal pods."""
    return {
        **_make_head_table(),
        **_make_role_table("", pod),
        "worldSize": of.map_number("workers.replicas"),
        "architecture": drop("workers.replicas is the number of pods"),
        "entrypoint": {"file": of.drop_empty(of.write_program), "args": {"*": of.add_argument}},
        "command": of.drop_empty(lose("dsgen starts the program itself", "set training.exec")),
        "args": of.drop_empty(lose("dsgen starts the program itself", "set training.args")),
        "existingConfigmap": of.drop_empty(lose("dsgen mounts a ConfigMap by storage", "set storage")),
        "configMap": {"*": of.write_file},
        "cloneFilesFromGit": {"enabled": drop("code.git.repository says it"), "repository": of.drop_empty(REPOSITORY),
                              "revision": of.drop_empty(REVISION),
                              "extraVolumeMounts": of.drop_empty(SECRET)},
        "git": of.write_git_image,
        "*": drop(CHART),
    }  # fmt: skip


def _write_image(fields: Fields) -> None:
    """image.registry, repository, tag and digest."""
    node = fields.find_node("image")
    if node is None:
        fields.conversion.draft.set_hole(
            "image.repository", "", "the values have the image of the chart: write an image"
        )
        return
    data: dict[str, Any] = node.as_data() if isinstance(node.value, dict) else {}
    registry = format_scalar(data.get("registry"))
    repository = "/".join(part for part in (registry, format_scalar(data.get("repository"))) if part)
    for key, value in (("repository", repository), ("tag", data.get("tag")), ("digest", data.get("digest"))):
        if value:
            fields.conversion.draft.set(f"image.{key}", format_scalar(value))
    for key in ("registry", "repository", "tag", "digest"):
        child = node.find_child(key)
        if child is not None:
            to_key = "image.repository" if key in ("registry", "repository") else f"image.{key}"
            if child.value:
                fields.map(("image", key), child, to_key)
            else:
                fields.drop(("image", key), child, "it is empty")


def _write_claim(fields: Fields, path: KeyPath) -> None:
    """persistence: a claim for the data of the training."""
    node = fields.find_node(*path)
    if node is None or not isinstance(node.value, dict):
        return
    data = node.as_data()
    if not data.get("enabled", True):
        fields.drop(path, node, "the values have no volume")
        return
    entry: dict[str, Any] = {"mountPath": format_scalar(data.get("mountPath") or "/bitnami/deepspeed/data")}
    if data.get("subPath"):
        entry["subPath"] = data["subPath"]
    if data.get("existingClaim"):
        entry["existingClaim"] = format_scalar(data["existingClaim"])
    else:
        entry["create"] = {"size": format_scalar(data.get("size") or "8Gi")}
        if data.get("storageClass"):
            entry["create"]["storageClass"] = data["storageClass"]
    key: KeyPath = ("storage", "data")
    fields.conversion.draft.set(key, entry)
    for name, child in node.value.items():
        if name == "accessModes" and not data.get("existingClaim"):
            fields.drop((*path, name), child, "all workers mount one claim, which needs ReadWriteMany")
        elif child.as_data() and name in ("mountPath", "subPath", "existingClaim", "size", "storageClass", "enabled"):
            fields.map((*path, name), child, "storage.data")
        elif child.as_data():
            fields.lose(
                (*path, name), child, "dsgen has no key for it in a claim", "create the claim, and set existingClaim"
            )
        else:
            fields.drop((*path, name), child, "it is empty")
