"""Requests and limits of containers: devices, networks for RDMA, and the rest."""

from __future__ import annotations

import re

from dsgen.importers.fields import Action, Fields, as_list, as_whole, format_scalar, to
from dsgen.importers.pod_fields import ITSELF, Pod, RoleName
from dsgen.problems import KeyPath
from dsgen.reading.nodes import Node

DEVICES = re.compile(
    r"[a-z0-9.-]+/(gpu|pgpu|mig-[\w.]+|gaudi|Ascend\w+|neuron\w*|mlu\w*|dcu\w*|vgpu|gpu\.shared|npu|tpu|i915|xe|vcuda-core"
    r"|MLU|Ascend910\w*)"
)


RDMA = re.compile(
    r"rdma/.+|vpc\.amazonaws\.com/efa|[a-z0-9.-]+/(roce\w*|hca\w*|ib\w*|mlnx\w*|sriov\w*|mellanox\w*)|.*_mellanox"
)

EFA = re.compile(r"vpc\.amazonaws\.com/efa")
"""Its driver needs no IPC_LOCK, and dsgen adds none."""


def write_resources(role: RoleName, pod: Pod) -> Action:
    """Requests and limits: devices, networks, and the rest."""

    def act(fields: Fields, path: KeyPath, node: Node) -> None:
        for kind in ("requests", "limits"):
            amounts = node.find_child(kind)
            for name, one in (amounts.value if amounts is not None and isinstance(amounts.value, dict) else {}).items():
                _write_amount(fields, (*path, kind, name), one, role, pod)
        if (claims := node.find_child("claims")) is not None:
            to(f"{role}.resources.claims", as_list)(fields, (*path, "claims"), claims)

    return act


def _write_amount(fields: Fields, path: KeyPath, node: Node, role: RoleName, pod: Pod) -> None:
    kind, name = str(path[-2]), str(path[-1])
    value = (
        node.value
        if isinstance(node.value, int | float) and not isinstance(node.value, bool)
        else format_scalar(node.value)
    )
    draft = fields.conversion.draft
    if DEVICES.fullmatch(name):
        count = as_whole(node.value if node.value is not None else 1)
        if count is None:
            fields.lose(path, node, "its value is no whole number", "set workers.accelerator.count")
        elif role == "launcher":
            fields.lose(path, node, "the launcher of dsgen needs no device") if count else fields.drop(
                path, node, ITSELF
            )
        else:
            pod.devices = count
            draft.set("workers.accelerator.resource", name)
            fields.map(path, node, "workers.accelerator.count")
    elif RDMA.fullmatch(name) and role == "workers" and as_whole(node.value) is not None:
        fields.set(path, node, ("network", "rdma", "resources", name), as_whole(node.value))
        if not EFA.fullmatch(name):
            draft.set("network.rdma.ipcLock", "omit")  # the source says which capabilities its containers have
    elif isinstance(node.value, dict | list) or node.value is None:
        fields.lose(path, node, "its value is no amount")
    else:
        text = value if isinstance(value, str) else format_scalar(value)
        fields.set(path, node, (role, "resources", kind, name), text)
