"""Suggestions for unknown words."""

from __future__ import annotations

from collections.abc import Sequence

from dsgen import schema
from dsgen.language.functions import load_launch_methods
from dsgen.language.text import scalar
from dsgen.problems import KeyPath, path_text

ENV_SOURCES = ("secretKeyRef", "configMapKeyRef", "fieldRef", "resourceFieldRef")
MOST_SHOWN = 13
"""How many possible words a hint lists at most."""
SHORT, SURE, LONG = 6, 0.75, 200
"""The similarity that a short word needs; a long one is like none that is known."""
ALMOST = 0.8
"""A similarity from which a word is most likely a typing error; below it, a key of another section is more likely."""
MOST_GIBIBYTES = 1024
"""Up to this number, a size without a unit is most likely in Gi, above it in Mi."""


def find_closest(word: str, known: Sequence[str], similarity: float = 0.6) -> str:
    """The most similar possible word, ignoring case; empty if none is similar enough."""
    lower = {other.lower(): other for other in known}
    import difflib  # imported late: only problems need it

    if len(word) > LONG:
        return ""
    if len(word) < SHORT:
        similarity = max(similarity, SURE)
    close = difflib.get_close_matches(word.lower(), lower, 1, similarity)
    return lower[close[0]] if close else ""


def did_you_mean(*words: str, where: str = "") -> str:
    """A question with these words, empty if there are none; where: text after the words."""
    named = [word for word in words if word]
    return f"did you mean {' or '.join(named)}{where}?" if named else ""


def suggest_among(word: str, words: Sequence[str]) -> str:
    """A hint for a word that is not one of these: the closest one, and all of them."""
    rows = load_launch_methods().items()
    other = next((method for method, row in rows if word.lower() in row.get("words", ())), "")
    close = other if other and other in words else find_closest(word, words)
    question, others = did_you_mean(close), list_possible(words)
    return f"{question} {others[:1].upper()}{others[1:]}".rstrip() if question else others


def list_possible(words: Sequence[str], what: str = "values") -> str:
    """A list of these words; empty if there are none or too many."""
    listed = ", ".join(scalar(word) or '""' for word in words[: MOST_SHOWN + 1])
    return f"possible {what}: {listed}" if 0 < len(words) <= MOST_SHOWN else ""


ANYWHERE = {
    **dict.fromkeys(("gpu", "gpus", "numgpus", "gpucount", "gpuspernode", "slotspertrial"), "workers.slots"),
    **dict.fromkeys(("gpuresource", "acceleratorresource"), "workers.accelerator.resource"),
    **dict.fromkeys(
        ("gpusperworker", "nprocpernode", "numprocpernode", "slotsperworker", "slotspernode"), "workers.slots"
    ),
    **dict.fromkeys(("numworkers", "workercount", "nnodes", "nodes", "numnodes"), "workers.replicas"),
    **dict.fromkeys(("nummachines", "replicacount", "parallelism"), "workers.replicas"),
    **dict.fromkeys(("shm", "shmsize", "sharememory", "devshm"), "workers.sharedMemory"),
    **dict.fromkeys(("volume", "volumes", "volumemounts", "volumeclaims", "pvc", "pvcs"), "storage"),
    **dict.fromkeys(("env", "envs", "environment"), "training.env"),
    **dict.fromkeys(("hostnetwork", "usehostnetwork"), "network.hostNetwork"),
    **dict.fromkeys(("pullsecret", "pullsecrets", "imagepullsecret", "imagepullsecrets"), "image.pullSecrets"),
    **dict.fromkeys(("script", "entrypoint"), "training.python"),
    **dict.fromkeys(("time", "timelimit", "timeout", "walltime"), "lifecycle.activeDeadlineSeconds"),
    **dict.fromkeys(("fullnameoverride", "nameoverride"), "name"),
    **dict.fromkeys(("rdma", "ib"), "network.rdma.resources"),
    **dict.fromkeys(("gang", "gangscheduling"), "scheduling.gang"),
    **dict.fromkeys(("git", "gitrepo"), "code.git"),
    **dict.fromkeys(("serviceaccount", "serviceaccountname"), "workers.serviceAccountName"),
    **dict.fromkeys(("claim", "claims", "claimname", "storageclassname"), "storage"),
    **dict.fromkeys(("autotune", "autotuning"), "training.deepspeed.autotuning"),
    **dict.fromkeys(("pause", "paused", "suspended"), "lifecycle.suspend"),
    **dict.fromkeys(("workdir", "workingdir"), "training.workingDir"),
    **dict.fromkeys(("dsconfig", "deepspeedconfig"), "training.deepspeed.config"),
    "activedeadlineseconds": "lifecycle.activeDeadlineSeconds",
    "args": "training.args",
    "backofflimit": "lifecycle.maxRestarts",
    "command": "training.exec",
    "extracontainers": "workers.sidecars",
    "envfrom": "training.envFrom",
    "image": "image",
    "imagepullpolicy": "image.pullPolicy",
    "mainprocessport": "launch.masterPort",
    "priorityclass": "workers.priorityClassName",
    "queue": "scheduling.queue",
    "resourcespernode": "workers.resources",
    "runpolicy": "lifecycle",
    "runtimeclassname": "workers.extraPodSpec.runtimeClassName",
    "selector": "workers.nodeSelector",
    "sshport": "ssh.port",
    "syncsource": "code.git.repository",
    "ttlsecondsafterfinished": "lifecycle.ttlSecondsAfterFinished",
    "terminationgraceperiodseconds": "lifecycle.terminationGracePeriodSeconds",
}
"""Words of Kubernetes, the MPI Operator and Arena, as `_normalize` spells them, and the keys with the same meaning."""
ROLES = ("workers", "launcher")
SECTIONS = ("", "training", "launch", *ROLES)
"""The sections where these words are recognized; empty: at the top of the file."""
IN_SECTION = {
    "": {"serviceaccountname": "workers.serviceAccountName", "securitycontext": "security.podSecurityContext"},
    "image": {"name": "image.repository", "repo": "image.repository", "version": "image.tag"},
    "launch": {
        "port": "launch.masterPort",
        **dict.fromkeys(("launcher", "type", "backend"), "launch.method"),
        **dict.fromkeys(("args", "launcherargs"), "training.deepspeed.args launch.mpirunArgs"),
    },
    "lifecycle": dict.fromkeys(("backofflimit", "restarts"), "lifecycle.maxRestarts"),
    "run": {"name": "run.id"},
    "scheduling": {"priorityclassname": "workers.priorityClassName"},
    "ssh": {"secretname": "ssh.secret.name"},
    "training": {
        **dict.fromkeys(("program", "file", "main"), "training.python"),
        **dict.fromkeys(("otherargs", "launcherargs", "deepspeedargs"), "training.deepspeed.args"),
        "config": "training.deepspeed.config",
    },
    "workers": {
        **dict.fromkeys(("count", "nodes", "number", "num", "size", "parallelism"), "workers.replicas"),
        **dict.fromkeys(("serviceaccount", "serviceaccountname"), "workers.serviceAccountName"),
        "cpu": "workers.resources.requests.cpu",
        "memory": "workers.resources.requests.memory",
    },
}
"""The same for words that have a meaning in one section only; these take precedence. Several keys: one of them."""
OTHER_VALUES = {
    "cleanpodpolicy": "lifecycle.keepWorkers: none for Running and All, always for None",
    "cleanupworkers": "lifecycle.keepWorkers: none for true, always for false",
    "containers": "image and training for the training itself, workers.sidecars for containers that run alongside it",
    **dict.fromkeys(
        ("schedule", "cron", "cronjob"),
        "run.id with another value each time; dsgen has no cron: let a CronJob or CI call dsgen run --bump",
    ),
    **dict.fromkeys(
        ("gputype", "gpumodel", "acceleratortype", "accelerators", "instancetype", "machinetype", "nodetype"),
        "workers.nodeSelector with the label of these nodes, or a preset of dsgen init",
    ),
    **dict.fromkeys(("matrix", "sweep", "grid"), "a matrix in dsgen.yaml, which makes several jobs of one file"),
    **dict.fromkeys(
        ("onsuccess", "onfailure", "onexit", "notifications", "notify", "slack", "email", "webhook"),
        "status.webhook.url, which is told how a run ends",
    ),
    **dict.fromkeys(
        ("s3", "gcs", "bucket"),
        "training.args with the address, and workers.serviceAccountName for the rights, or a volume of storage",
    ),
    **dict.fromkeys(("vllm", "serving", "inference"), "training.exec for what ends; dsgen trains, and serves no model"),
    "hostfile": "workers.replicas; dsgen writes the hostfile",
    "mpiimplementation": "launch.method: openmpi",
    "numprocesses": "workers.slots: num_processes divided by the number of workers",
    "restartpolicy": "lifecycle.maxRestarts: 0 for Never, a number of restarts for OnFailure",
    "syncmode": "code.git.repository, or nothing if the code is in the image",
}
"""What to use for words of other tools whose value cannot stay the same."""
IN_VOLUME = {
    **dict.fromkeys(("claim", "claimname", "pvc", "persistentvolumeclaim", "s3", "gcs", "bucket"), "existingClaim"),
    **dict.fromkeys(("size", "storageclass", "storageclassname", "accessmodes"), "create"),
    "path": "mountPath",
}
"""The same for words in a volume of storage."""
NOWHERE = (
    *("automountserviceaccounttoken", "dnspolicy", "enableservicelinks", "ephemeralcontainers", "hostname", "ports"),
    *("hostnameoverride", "subdomain", "readinessprobe", "name", "restartpolicyrules", "terminationmessagepath"),
)
"""Fields of a pod or container for which workers and launcher have no key."""


def suggest_key(key: str, path: KeyPath, part: schema.Schema) -> str:
    """A hint for an unknown key in a part of the schema: keys that may be meant, or all possible keys."""
    if path[:2] == ("training", "env") and key == "value":
        return f'write the value directly: {path_text(path[2:])}: "value"'
    if path[:2] == ("training", "env") and key in ENV_SOURCES:
        return f"write it below valueFrom: {path_text(path[2:])}: {{valueFrom: {{{key}: ...}}}}"
    if text := _suggest_other_value(key, path):
        return f"use {text}"
    if not path and key.startswith("x-"):
        return "remove it, and write the anchor at its first use, such as env: &env {NAME: value} and later *env"
    others = guess_keys(key, path, part)
    is_beside = all(one[:-1] == path for one in others)
    shown = [path_text(other[len(path) :]) if is_beside else path_text(other) for other in others]
    top = ", at the top of the file" if path and others and len(others[0]) == 1 else ""
    return did_you_mean(*shown, where=top) or list_possible(sorted(schema.list_keys(part)), "keys")


OWN_KEYS = {
    ("extraPodSpec", "containers"): "{role}.sidecars",
    ("extraPodSpec", "securityContext"): "security.podSecurityContext",
    ("extraPodSpec", "serviceAccount"): "serviceAccount.name",
    ("extraPodSpec", "serviceAccountName"): "serviceAccount.name",
}
"""The keys for fields that are not those for the same word in a section of a role."""


def suggest_field(role: str, part: str, field: str) -> str:
    """A hint for a field of a pod or container that dsgen writes: its key; empty if there is none."""
    if own := OWN_KEYS.get((part, field)):
        of_worker = role == "workers" and own.startswith("serviceAccount")
        return "use workers.serviceAccountName" if of_worker else f"use {own.format(role=role)}"
    if text := _suggest_other_value(field, (role,)):
        return f"use {text}"
    keys = guess_keys(field, (role,), schema.find_part((role,)) or {})
    return f"use {path_text(keys[0])}" if len(keys) == 1 else ""


def guess_keys(key: str, path: KeyPath, part: schema.Schema) -> list[KeyPath]:
    """The full paths of the keys that an unknown key most likely means: the key for a word of another tool, a similar
    key, or keys with the same name elsewhere.
    """
    known = sorted(schema.list_keys(part))
    if spelt := next((other for other in known if _normalize(other) == _normalize(key)), ""):
        return [(*path, spelt)]
    if len(path) == 2 and path[0] == "storage" and (word := IN_VOLUME.get(_normalize(key))):
        # What belongs to a new claim is below `create`.
        keys = schema.list_keys(schema.find_part((*path, word)) or {}) if word == "create" else []
        return [(*path, word, find_closest(key, keys)) if keys else (*path, word)]
    if text := _suggest_other_value(key, path):
        return [tuple(text.split()[0].rstrip(":;,").split("."))]
    if names := _find_in_other_tools(key, path):
        return [tuple(name.split(".")) for name in names.split()]
    if similar := find_closest(key, known, ALMOST):
        return [(*path, similar)]
    if len(path) == 1 and path[0] in ROLES and _normalize(key) in NOWHERE:
        return []
    others = [(*path, *below) for below in _find_deeper(key, part)] or _find_elsewhere(key, path)
    if others:
        return others[:3]
    return [(*path, similar)] if (similar := find_closest(key, known)) else []


def _suggest_other_value(key: str, path: KeyPath) -> str:
    is_word = len(path) < 2 and (not path or path[0] in (*SECTIONS, "lifecycle", "run", "scheduling", "status"))
    return OTHER_VALUES.get(_normalize(key), "") if is_word else ""


def _normalize(key: str) -> str:
    return key.lower().replace("-", "").replace("_", "")


def _find_in_other_tools(key: str, path: KeyPath) -> str:
    """The key for a word of another tool, at the top or in a section; empty for any other word."""
    word, section = _normalize(key), str(path[0]) if path else ""
    if len(path) > 1:
        return ""
    name = IN_SECTION.get(section, {}).get(word) or (ANYWHERE.get(word, "") if section in SECTIONS else "")
    top, _, below = name.partition(".")
    if section == "launcher" and top == "workers" and schema.find_part(("launcher", *below.split("."))):
        return f"launcher.{below}"
    return name


def _find_deeper(key: str, part: schema.Schema) -> list[KeyPath]:
    """The keys with this name one level below, such as podAffinityTerm.topologyKey."""
    parts: list[tuple[KeyPath, schema.Schema | None]]
    parts = [((name,), schema.find_child(part, name)) for name in schema.list_keys(part)]
    parts += [((*path, 0), schema.find_child(one, 0)) for path, one in parts if one and "items" in one]
    return [(*path, key) for path, one in parts if one and key in schema.list_keys(one)]


def _find_elsewhere(key: str, path: KeyPath) -> list[KeyPath]:
    """dsgen's own keys with this name: those in the same section, otherwise all."""
    named = (other for other, _ in schema.walk_keys() if other[-1] == key and "*" not in other)
    others: list[KeyPath] = [other for other in named if other[:-1] != path]
    return [other for other in others if other[0] == path[0]] if len(path) > 1 else others


def suggest_memory(quantity: str | float) -> str:
    """A hint with the unit that was meant by a size below 1Mi; empty if nothing suggests one."""
    text = str(quantity)
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    unit = text.removeprefix(number)
    if unit == "m":
        return f"did you mean {number}Mi? The unit m is a thousandth of a byte"
    if unit or not number:
        return ""
    unit = "Gi" if float(number) <= MOST_GIBIBYTES else "Mi"
    return f"did you mean {number}{unit}? A number without a unit is in bytes"
