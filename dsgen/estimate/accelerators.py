"""Accelerators: memory, peak of dense 16-bit matrix products, and bandwidth, from the makers' data sheets."""

from __future__ import annotations

from dataclasses import dataclass, replace

GB = 10**9
GIB = 2**30
TERA = 1e12


@dataclass(frozen=True)
class Accelerator:
    """One device.

    memory: bytes. flops: a second, for dense 16-bit matrix products. link: bytes a second that a device sends to the
    others of its node (half of what data sheets add up for both directions); None where they only share the host's
    bus. host: bytes a second from or to the memory of the node. processes: how many a device is made of, where each
    process drives a part (a core of Trainium, a die of MI250X): memory and flops are those of the whole device.
    labels: values of the label nvidia.com/gpu.product, or of amd.com/gpu.product-name.
    """

    name: str
    memory: int
    flops: float
    link: float | None
    host: float
    source: str
    labels: tuple[str, ...] = ()
    processes: int = 1


PCIE_3 = 16 * GB
PCIE_4 = 32 * GB
PCIE_5 = 64 * GB
"""Bytes a second in one direction, with 16 lanes."""
NVIDIA = "NVIDIA, data sheet of the"
AMD = "AMD, data sheet of the Instinct"

_A100 = Accelerator("A100-80GB", 80 * GIB, 312 * TERA, 300 * GB, PCIE_4, f"{NVIDIA} A100, 2022")
_H100 = Accelerator(
    "H100", 80 * GIB, 989.4 * TERA, 450 * GB, PCIE_5, f"{NVIDIA} H100, 2023 (half of the sparse figure)"
)
_V100 = Accelerator("V100-32GB", 32 * GIB, 125 * TERA, 150 * GB, PCIE_3, f"{NVIDIA} V100, 2020")

ROWS: tuple[Accelerator, ...] = (
    Accelerator("A10", 24 * GIB, 125 * TERA, None, PCIE_4, f"{NVIDIA} A10, 2021", ("NVIDIA-A10",)),
    Accelerator("A10G", 24 * GIB, 70 * TERA, None, PCIE_4, f"{NVIDIA} A10G, 2021", ("NVIDIA-A10G",)),
    Accelerator("L4", 24 * GIB, 121 * TERA, None, PCIE_4 / 2, f"{NVIDIA} L4, 2023; 8 lanes", ("NVIDIA-L4",)),
    Accelerator("L40S", 48 * GIB, 362 * TERA, None, PCIE_4, f"{NVIDIA} L40S, 2023", ("NVIDIA-L40S",)),
    Accelerator("T4", 16 * GIB, 65 * TERA, None, PCIE_3, f"{NVIDIA} T4, 2019", ("Tesla-T4", "NVIDIA-T4")),
    replace(_V100, labels=("Tesla-V100-SXM2-32GB", "Tesla-V100-SXM3-32GB")),
    replace(_V100, name="V100-16GB", memory=16 * GIB, labels=("Tesla-V100-SXM2-16GB",)),
    replace(
        _V100, name="V100-PCIe-16GB", memory=16 * GIB, flops=112 * TERA, link=None, labels=("Tesla-V100-PCIE-16GB",)
    ),
    replace(_V100, name="V100-PCIe-32GB", flops=112 * TERA, link=None, labels=("Tesla-V100-PCIE-32GB",)),
    replace(_A100, labels=("NVIDIA-A100-SXM4-80GB", "A100-SXM4-80GB")),
    replace(_A100, name="A100-40GB", memory=40 * GIB, labels=("NVIDIA-A100-SXM4-40GB", "A100-SXM4-40GB")),
    replace(_A100, name="A100-PCIe-80GB", link=None, labels=("NVIDIA-A100-80GB-PCIe", "NVIDIA-A100-PCIE-80GB")),
    replace(_A100, name="A100-PCIe-40GB", memory=40 * GIB, link=None, labels=("NVIDIA-A100-PCIE-40GB",)),
    replace(_H100, labels=("NVIDIA-H100-80GB-HBM3", "NVIDIA-H100-SXM5-80GB")),
    replace(_H100, name="H100-PCIe", flops=756 * TERA, link=None, labels=("NVIDIA-H100-PCIe",)),
    replace(_H100, name="H100-NVL", memory=94 * GIB, flops=835 * TERA, link=300 * GB, labels=("NVIDIA-H100-NVL",)),
    Accelerator("H200", 141 * GB, 989.4 * TERA, 450 * GB, PCIE_5, f"{NVIDIA} H200, 2024", ("NVIDIA-H200",)),
    Accelerator(
        "GH200", 96 * GB, 989.4 * TERA, 450 * GB, 450 * GB, f"{NVIDIA} GH200, 2023; NVLink-C2C", ("NVIDIA-GH200-480GB",)
    ),
    Accelerator("B200", 180 * GB, 2250 * TERA, 900 * GB, PCIE_5, f"{NVIDIA} HGX B200, 2024", ("NVIDIA-B200",)),
    Accelerator(
        "GB200", 186 * GB, 2500 * TERA, 900 * GB, 225 * GB, f"{NVIDIA} GB200 NVL72, 2024; NVLink-C2C", ("NVIDIA-GB200",)
    ),
    Accelerator("MI210", 64 * GIB, 181 * TERA, 150 * GB, PCIE_4, f"{AMD} MI210, 2022", ("AMD_Instinct_MI210",)),
    Accelerator("MI250X", 128 * GIB, 383 * TERA, 250 * GB, PCIE_4, f"{AMD} MI250X, 2021", ("AMD_Instinct_MI250X",), 2),
    Accelerator(
        "MI300X", 192 * GIB, 1307.4 * TERA, 448 * GB, PCIE_5, f"{AMD} MI300X, 2023", ("AMD_Instinct_MI300X_OAM",)
    ),
    Accelerator(
        "MI325X", 256 * GB, 1307.4 * TERA, 448 * GB, PCIE_5, f"{AMD} MI325X, 2024", ("AMD_Instinct_MI325X_OAM",)
    ),
    Accelerator(
        "MI355X", 288 * GB, 2516.6 * TERA, 538 * GB, PCIE_5, f"{AMD} MI355X, 2025", ("AMD_Instinct_MI355X_OAM",)
    ),
    Accelerator(
        "Gaudi2", 96 * GB, 432 * TERA, 262 * GB, PCIE_4, "Intel, white paper of Gaudi 3, 2024; 21 x 100 Gbit/s"
    ),
    Accelerator(
        "Gaudi3", 128 * GB, 1835 * TERA, 525 * GB, PCIE_5, "Intel, white paper of Gaudi 3, 2024; 21 x 200 Gbit/s"
    ),
    Accelerator("Trainium1", 32 * GIB, 190 * TERA, 384 * GB, PCIE_4, "AWS Neuron, Trainium Architecture", processes=2),
    Accelerator("Trainium2", 96 * GIB, 667 * TERA, 640 * GB, PCIE_5, "AWS Neuron, Trainium2 Architecture", processes=8),
    Accelerator("Ascend910B", 64 * GB, 320 * TERA, 196 * GB, PCIE_5, "Huawei has no public data sheet; press, 2024"),
)
BY_NAME = {name.lower(): one for one in ROWS for name in (one.name, *one.labels)}
SHARED = "-SHARED"
"""Ends a label if the device is shared by time slices."""


def find(name: str) -> Accelerator | None:
    """The accelerator of a product name or of a label of a node; None for an unknown one and for a slice (MIG)."""
    return BY_NAME.get(name.removesuffix(SHARED).lower().replace(" ", "-"))
