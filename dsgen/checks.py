"""What the schema cannot say: one table of expressions, evaluated here and compiled into the chart.

A row of both worlds uses only what a chart has (`values`, `release`, the helpers of dsgen/templates/_names.j2), so
that `helm install` refuses the same values with the same words. Text of the user stands in quotes. Rows that need more
than templates have are functions at the end.
"""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import jinja2

from dsgen import deepspeed
from dsgen.diagnostics import Diagnostic, Position, Severity
from dsgen.language.environment import environment
from dsgen.nodes import Path, path_text
from dsgen.validate import Problem

Worlds = Literal["both", "flat"]
Place = Callable[[Path, bool], Position | None]
"""The place of a key, of its name (true) or its value (false)."""


@dataclass(frozen=True)
class Check:
    """One row. It finds a problem for each turn of `loop` (or once) in which `when` is true.

    path: the key in question, dotted, each part a template. loop: `NAMES in EXPRESSION`, or empty. when: an expression.
    message: a template, one line. hint: plain text. at_key: the name of the key is wrong rather than its value.
    """

    id: str
    path: str
    when: str
    message: str
    hint: str = ""
    loop: str = ""
    worlds: Worlds = "both"
    at_key: bool = False


VOLUMES = "name, volume in values.storage | items"
GPUS = "^((nvidia|amd)[.]com/gpu|nvidia[.]com/mig-.*|gpu[.]intel[.]com/.*)$"
RESERVED_ENV = "^(DSGEN_.*|RANK|LOCAL_RANK|WORLD_SIZE|MASTER_.*)$"
RESERVED_PATHS = (
    "^(/(job|etc/(dsgen|dsgen-keys|dsgen-status|mpi)|(var/)?run/dsgen|var/run/secrets/dsgen|run/secrets/dsgen)(/.*)?"
    "|/(etc/ssh/ssh_config|etc/passwd)(/.*)?|/(etc|etc/ssh|run|var|var/run|var/run/secrets|dev|proc|sys))$"
)
OF_NAMES = ("DS204", "DS205", "DS241")
LOOKS_AT: dict[str, tuple[Path, ...]] = {"DS265": deepspeed.PROCESSES}
"""What a problem depends on beyond its own key, where it would be wrong to tell it while that is not known."""
MAX_FILES_BYTES = 1024 * 1024
SEPARATOR = "\x1f"
"""Between the parts of a rendered path; no text that is printed there holds a control character."""
SHARED_MEMORY = "^/dev/shm(/.*)?$"


def _reserved_keys(id_: str, path: str) -> Check:
    return Check(
        id_,
        f"{path}.<< key >>",
        "reserved_key(key)",
        f"{path}: << key | quote >> is written by dsgen or Kubernetes",
        "choose a key of a domain of your own",
        f"key, value in values.{path} | items",
        at_key=True,
    )


def _own_resource(id_: str, path: str) -> Check:
    return Check(
        id_,
        f"{path}.<< values.workers.accelerator.resource >>",
        f"values.workers.accelerator.resource in values.{path}",
        f"{path}: << values.workers.accelerator.resource | quote >> is written from workers.accelerator",
        "set workers.accelerator.count instead",
        at_key=True,
    )


CHECKS = (
    Check(
        "DS201",
        "image.repository",
        "not values.image.repository",
        "image.repository must be given",
        "the image in which the training runs, such as registry.example.com/team/cifar",
    ),
    Check(
        "DS202",
        "training",
        "not (values.training.python or values.training.module or values.training.exec)",
        "training: one of python, module and exec must be given",
        "a script: python: train.py; a module: module: team.train; any other program: exec: [bash, -c, ...]",
    ),
    Check(
        "DS203",
        "training",
        "values.training.python and (values.training.module or values.training.exec)"
        " or values.training.module and values.training.exec",
        "training: python, module and exec exclude one another",
        "keep one of them",
    ),
    Check(
        "DS204",
        "name",
        "run_name(values, release) | length + (values.workers.replicas - 1) | string | length + 8 > 63",
        "the names of the pods are too long: << run_name(values, release) | quote >> has"
        " << run_name(values, release) | length >> characters and -worker-<< values.workers.replicas - 1 >> has"
        " << (values.workers.replicas - 1) | string | length + 8 >>, together they may have 63",
        "shorten the name of the job or run.id",
    ),
    Check(
        "DS205",
        "name",
        'job_name(values, release) and not job_name(values, release) is matching("^[a-z]([-a-z0-9]*[a-z0-9])?$")',
        "the job cannot be named << job_name(values, release) | quote >>",
        "lower-case letters, digits and -, a letter first, no - at the end",
    ),
    Check(
        "DS206",
        "workers.slots",
        "values.workers.accelerator.count is not none and values.workers.accelerator.count > 0"
        " and values.workers.slots > values.workers.accelerator.count"
        f' and values.workers.accelerator.resource is matching("{GPUS}")',
        "workers.slots: << values.workers.slots >> processes would share << values.workers.accelerator.count >> GPUs",
        "each process needs a GPU of its own; count: 0 trains on CPUs",
    ),
    Check(
        "DS207",
        "workers.slots",
        "values.workers.slots > 1"
        ' and values.workers.accelerator.resource is matching("^nvidia[.]com/mig-.*$")'
        " and (values.workers.accelerator.count is none or values.workers.accelerator.count > 0)",
        "workers.slots: a process sees one MIG slice of its pod, so << values.workers.slots >> cannot each have one",
        "use slots: 1 and more replicas",
    ),
    _own_resource("DS208", "workers.resources.requests"),
    _own_resource("DS208", "workers.resources.limits"),
    Check(
        "DS210",
        "storage.<< name >>",
        "volume.create is none and not volume.existingClaim and volume.nfs is none and volume.emptyDir is none",
        "storage.<< name >>: the volume has no source",
        "give it one of create, existingClaim, nfs and emptyDir, such as create: {}",
        VOLUMES,
    ),
    Check(
        "DS211",
        "storage.<< name >>",
        "volume.create is not none and (volume.existingClaim or volume.nfs is not none or volume.emptyDir is not none)"
        " or volume.existingClaim and (volume.nfs is not none or volume.emptyDir is not none)"
        " or volume.nfs is not none and volume.emptyDir is not none",
        "storage.<< name >>: create, existingClaim, nfs and emptyDir exclude one another",
        "keep one of them",
        VOLUMES,
    ),
    Check(
        "DS212",
        "storage.<< name >>.mountPath",
        f'volume.mountPath is matching("{RESERVED_PATHS}")',
        "storage.<< name >>.mountPath: << volume.mountPath | quote >> is reserved, dsgen or the system has files there",
        "mount it elsewhere, such as /data",
        VOLUMES,
    ),
    Check(
        "DS213",
        "storage.<< name >>.mountPath",
        f'volume.mountPath is matching("{SHARED_MEMORY}")',
        "storage.<< name >>.mountPath: /dev/shm is the shared memory of the pod",
        "set its size with workers.sharedMemory",
        VOLUMES,
    ),
    Check(
        "DS220",
        "training.env.<< key >>",
        f'key is matching("{RESERVED_ENV}")',
        "training.env: << key | quote >> is set by dsgen or DeepSpeed",
        "choose another name; a program reads it as it is",
        "key, value in values.training.env | items",
        at_key=True,
    ),
    Check(
        "DS221",
        "training.deepspeed.configFile",
        "values.training.deepspeed.config and values.training.deepspeed.configFile",
        "training.deepspeed: config and configFile exclude one another",
        "keep one of them",
    ),
    _reserved_keys("DS230", "labels"),
    _reserved_keys("DS230", "annotations"),
    _reserved_keys("DS230", "workers.podLabels"),
    _reserved_keys("DS230", "workers.podAnnotations"),
    _reserved_keys("DS230", "launcher.podLabels"),
    _reserved_keys("DS230", "launcher.podAnnotations"),
    _reserved_keys("DS230", "serviceAccount.annotations"),
    Check(
        "DS231",
        "serviceAccount.annotations.<< key >>",
        "key in values.annotations",
        "serviceAccount.annotations: << key | quote >> is among annotations already",
        "keep one of them",
        "key, value in values.serviceAccount.annotations | items",
        at_key=True,
    ),
    Check(
        "DS240",
        "ssh.secret.name",
        'values.ssh.secret.name and values.ssh.secret.mode != "existing"',
        "ssh.secret.name names a Secret of yours, which only the mode existing uses",
        "set ssh.secret.mode: existing, or remove the name",
    ),
    Check(
        "DS241",
        "ssh.secret.name",
        'values.ssh.secret.mode == "existing" and values.ssh.secret.name == job_name(values, release) ~ "-ssh"',
        "ssh.secret.name: << values.ssh.secret.name | quote >> is the name of the Secret that is filled in the cluster",
        "give your Secret another name",
    ),
    Check(
        "DS242",
        "launch.masterPort",
        "values.launch.masterPort == values.ssh.port",
        "launch.masterPort and ssh.port are both << values.ssh.port >>",
        "give one of them another port",
    ),
)


def run(values: Mapping[str, Any], release: Mapping[str, str], place: Place) -> list[Problem]:
    """All problems of complete values (checked by the schema, filled), for a release's `name` and `namespace`.

    Where the name is not known yet, the rows about names are left out.
    """
    found = [
        (path, Diagnostic(row.id, text, place(path, row.at_key), path_text(path), row.hint))
        for row, path, text in _findings(values, release)
        if release["name"] or row.id not in OF_NAMES
    ]
    for function in FUNCTIONS:
        found.extend(function(values, place))
    return found


def _findings(values: Mapping[str, Any], release: Mapping[str, str]) -> Iterator[tuple[Check, Path, str]]:
    for line in _template().render(values=values, release=release).split("\n"):
        if line:
            number, path, message = line.split("\t")
            yield CHECKS[int(number)], tuple(path.split(SEPARATOR)), message


@functools.cache
def _template() -> jinja2.Template:
    """One template for all rows: a line with the row's number, its path and its message for each problem."""
    lines: list[str] = []
    for number, row in enumerate(CHECKS):
        path = re.sub(r"<<.*?>>|[.]", lambda part: part[0] if part[0] != "." else SEPARATOR, row.path)
        report = f"{number}\t{path}\t{row.message}"
        block = [f"<% if {row.when} %>", report, "<% endif %>"]
        lines += [f"<% for {row.loop} %>", *block, "<% endfor %>"] if row.loop else block
    return environment().from_string("\n".join(lines) + "\n")


# -- what templates cannot do -----------------------------------------------------------------------------------------


def _image_tag(values: Mapping[str, Any], place: Place) -> Iterator[Problem]:
    image = values["image"]
    if image["repository"] and not image["digest"] and image["tag"] in ("", "latest"):
        hint = "give a tag that is never moved, or a digest: the same run id should always mean the same code"
        yield _at("DS250", ("image", "tag"), "the image has no fixed version", hint, place, severity="warning")


def _same_mount_path(values: Mapping[str, Any], place: Place) -> Iterator[Problem]:
    seen: dict[tuple[str, str], str] = {}
    for name, volume in sorted(values["storage"].items()):
        where = posixpath.normpath(volume["mountPath"]) if volume["mountPath"] else ""
        pods = ("workers", "launcher") if volume["mountIn"] == "both" else (volume["mountIn"],)
        taken = [seen[pod, where] for pod in pods if (pod, where) in seen]
        if where and taken:
            message = f"storage.{taken[0]} is mounted at {where} too"
            yield _at("DS251", ("storage", name, "mountPath"), message, "mount one of them elsewhere", place)
        seen |= {(pod, where): name for pod in pods}


def _persistent_volume(values: Mapping[str, Any], place: Place) -> Iterator[Problem]:
    for name, volume in sorted(values["storage"].items()):
        given = volume.get("create", {}).get("persistentVolume")
        if not given:
            continue
        path = ("storage", name, "create", "persistentVolume")
        if len(given.keys() & {"nfs", "hostPath", "csi", "local"}) != 1:
            message = f"storage.{name}.create.persistentVolume needs exactly one source"
            yield _at("DS252", path, message, "one of nfs, hostPath, csi and local", place)
        elif "local" in given and "nodeAffinity" not in given:
            message = f"storage.{name}.create.persistentVolume: a local volume needs nodeAffinity"
            yield _at("DS252", path, message, "it says on which node the folder is", place)


def _files_size(values: Mapping[str, Any], place: Place) -> Iterator[Problem]:
    size = sum(len(name) + len(text.encode(errors="replace")) for name, text in values["training"]["files"].items())
    if size > MAX_FILES_BYTES:
        message = f"training.files: all files together have {size} bytes, a ConfigMap holds {MAX_FILES_BYTES}"
        yield _at("DS253", ("training", "files"), message, "put large files into the image or a volume", place)


FUNCTIONS = (_image_tag, _same_mount_path, _persistent_volume, _files_size, deepspeed.problems)


def _at(id_: str, path: Path, message: str, hint: str, place: Place, severity: Severity = "error") -> Problem:
    return path, Diagnostic(id_, message, place(path, False), path_text(path), hint, severity)
