"""What may have been meant by a word that is not possible."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from dsgen import schema
from dsgen.problems.diagnostics import Path, path_text

MOST_SHOWN = 12
"""Possible words that a hint lists when none of them is close to what was written."""
ALMOST = 0.8
"""A likeness that is most likely a slip of the fingers; below it the same key in another place is more likely."""


def closest(word: str, known: Sequence[str], likeness: float = 0.6) -> str:
    """The possible word that is most like this one, whatever its capitals; empty when none is so much like it."""
    lower = {other.lower(): other for other in known}
    close = difflib.get_close_matches(word.lower(), lower, 1, likeness)
    return lower[close[0]] if close else ""


def did_you_mean(*words: str, where: str = "") -> str:
    """The question after a mistake, empty where there is no word to name; where: behind the words."""
    named = [word for word in words if word]
    return f"did you mean {' or '.join(named)}{where}?" if named else ""


def among(word: str, words: Sequence[str]) -> str:
    """A hint for a word that is none of these: the closest one, and all of them."""
    question, others = did_you_mean(closest(word, words)), possible(words)
    return f"{question} {others[:1].upper()}{others[1:]}".rstrip() if question else others


def possible(words: Sequence[str]) -> str:
    """All of them, empty when there are none or too many to read."""
    return "possible: " + ", ".join(word or '""' for word in words) if 0 < len(words) <= MOST_SHOWN else ""


ANYWHERE = {
    **dict.fromkeys(("gpu", "gpus", "numgpus", "gpucount", "gpuspernode"), "workers.accelerator.count"),
    **dict.fromkeys(("gputype", "gpuresource"), "workers.accelerator.resource"),
    **dict.fromkeys(("gpusperworker", "nprocpernode", "slotsperworker", "slotspernode"), "workers.slots"),
    **dict.fromkeys(("numworkers", "workercount", "nnodes", "numnodes"), "workers.replicas"),
    **dict.fromkeys(("shm", "shmsize", "sharememory", "devshm"), "workers.sharedMemory"),
    **dict.fromkeys(("volume", "volumes", "volumemounts", "volumeclaims", "pvc", "pvcs"), "storage"),
    **dict.fromkeys(("env", "envs", "environment"), "training.env"),
    **dict.fromkeys(("hostnetwork", "usehostnetwork"), "network.hostNetwork"),
    **dict.fromkeys(("pullsecret", "pullsecrets", "imagepullsecret", "imagepullsecrets"), "image.pullSecrets"),
    **dict.fromkeys(("script", "entrypoint"), "training.python"),
    **dict.fromkeys(("restartpolicy", "backofflimit"), "lifecycle.maxRestarts"),
    **dict.fromkeys(("rdma", "ib"), "network.rdma"),
    **dict.fromkeys(("gang", "gangscheduling"), "scheduling.gang"),
    **dict.fromkeys(("containers", "extracontainers"), "workers.sidecars"),
    **dict.fromkeys(("git", "gitrepo", "syncsource"), "code.git"),
    **dict.fromkeys(("serviceaccount", "serviceaccountname"), "serviceAccount.name"),
    "activedeadlineseconds": "lifecycle.activeDeadlineSeconds",
    "args": "training.args",
    "cleanpodpolicy": "lifecycle.keepWorkers",
    "command": "training.exec",
    "envfrom": "training.envFrom",
    "image": "image",
    "imagepullpolicy": "image.pullPolicy",
    "mpiimplementation": "launch.method",
    "priorityclass": "workers.priorityClassName",
    "queue": "scheduling.queue",
    "selector": "workers.nodeSelector",
    "sshport": "ssh.port",
    "ttlsecondsafterfinished": "lifecycle.ttlSecondsAfterFinished",
    "terminationgraceperiodseconds": "lifecycle.terminationGracePeriodSeconds",
    "workdir": "training.workingDir",
    "workingdir": "training.workingDir",
}
"""Words of Kubernetes, the MPI Operator and Arena, in small letters alone, and the keys that do the same here."""
ROLES = ("workers", "launcher")
SECTIONS = ("", "training", "launch", *ROLES)
"""Where these words are looked for; empty: at the top."""
IN_SECTION = {
    "image": {"name": "image.repository", "repo": "image.repository", "version": "image.tag"},
    "launch": {"port": "launch.masterPort", **dict.fromkeys(("launcher", "type", "backend"), "launch.method")},
    "lifecycle": {
        **dict.fromkeys(("backofflimit", "restarts", "restartpolicy"), "lifecycle.maxRestarts"),
        "cleanpodpolicy": "lifecycle.keepWorkers",
    },
    "run": {"name": "run.id"},
    "ssh": {"secretname": "ssh.secret.name"},
    "training": dict.fromkeys(("program", "file", "main"), "training.python"),
    "workers": {
        **dict.fromkeys(("count", "nodes", "number", "num", "size", "parallelism"), "workers.replicas"),
        **dict.fromkeys(("serviceaccount", "serviceaccountname"), "workers.serviceAccountName"),
    },
}
"""The same for words that mean it in one section only; these come first."""
NOWHERE = frozenset(
    (
        *("automountserviceaccounttoken", "dnspolicy", "enableservicelinks", "ephemeralcontainers", "hostname"),
        *("subdomain", "ports", "readinessprobe", "name"),
    )
)
"""Fields of a pod or a container that workers and launcher do not take at all."""


def for_key(key: str, path: Path, part: schema.Schema) -> str:
    """A hint for a key that does not exist in a part of the schema: what it may stand for, or all that may be there."""
    if path[:2] == ("training", "env") and key == "value":
        return f'write the text itself: {path_text(path[2:])}: "text"'
    found = meant(key, path, part)
    shown = [path_text(one[len(path) :]) if one[:-1] == path else path_text(one) for one in found]
    top = ", at the top of the file" if path and found and len(found[0]) == 1 else ""
    return did_you_mean(*shown, where=top) or possible(sorted(schema.keys(part)))


def meant(key: str, path: Path, part: schema.Schema) -> list[Path]:
    """The keys that an unknown one most likely stands for, by their whole paths: a like one, one that other tools call
    so, one of that name elsewhere.
    """
    known = sorted(schema.keys(part))
    if same := closest(key, known, ALMOST):
        return [(*path, same)]
    if word := _in_other_tools(key, path):
        return [tuple(word.split("."))]
    if len(path) == 1 and path[0] in ROLES and _plain(key) in NOWHERE:
        return []
    found = [(*path, *below) for below in _deeper(key, part)] or _elsewhere(key, path)
    if found:
        return found[:3]
    return [(*path, like)] if (like := closest(key, known)) else []


def _plain(key: str) -> str:
    return key.lower().replace("-", "").replace("_", "")


def _in_other_tools(key: str, path: Path) -> str:
    """The key for a word of another tool at the top or in a section; empty for any other word."""
    word, section = _plain(key), str(path[0]) if path else ""
    if len(path) > 1:
        return ""
    found = IN_SECTION.get(section, {}).get(word) or (ANYWHERE.get(word, "") if section in SECTIONS else "")
    top, _, below = found.partition(".")
    if section == "launcher" and top == "workers" and schema.type_at(("launcher", *below.split("."))):
        return f"launcher.{below}"
    return found


def _deeper(key: str, part: schema.Schema) -> list[Path]:
    """The keys of this name in what stands directly below, such as podAffinityTerm.topologyKey."""
    found: list[tuple[Path, schema.Schema | None]]
    found = [((name,), schema.child(part, name)) for name in schema.keys(part)]
    found += [((*path, 0), schema.child(one, 0)) for path, one in found if one and "items" in one]
    return [(*path, key) for path, one in found if one and key in schema.keys(one)]


def _elsewhere(key: str, path: Path) -> list[Path]:
    """dsgen's own keys of this name: those of the same section, or else all."""
    named = (other for other, _ in schema.records() if other[-1] == key and "*" not in other)
    found: list[Path] = [other for other in named if other[:-1] != path]
    return [other for other in found if other[0] == path[0]] if len(path) > 1 else found
