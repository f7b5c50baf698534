"""Renders the values of an import, and compares the objects with what the source says, by role."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from dsgen import values
from dsgen.importers.draft import as_key_path
from dsgen.importers.environment import OWN
from dsgen.importers.facts import PLACES, Fact, Facts, list_variables, read_facts
from dsgen.importers.fields import remove_nulls
from dsgen.importers.ledger import ImportedJob
from dsgen.language.functions import TemplateError
from dsgen.problems import KeyPath
from dsgen.problems.safe_text import MASK, hide, is_secret
from dsgen.render import render

WORKERS, LAUNCHER, CONFIG = "workers/job.yaml", "launcher/job.yaml", "config/configmap.yaml"
ADDED = re.compile(
    r"DSGEN_\w+|PYTHONUNBUFFERED|CUDA_CACHE_PATH|NEURON_COMPILE_CACHE_URL|TORCH_EXTENSIONS_DIR|\w+_CACHE_DIR|\w+_CACHE"
)
OWN_VARIABLES = "dsgen adds it to the environment of all pods"
UNBUFFERED = "dsgen starts Python without buffers"
VARIABLE = "a variable has the value when the process starts"
HOLE = "it is a hole"
EVERYWHERE = "workers and launcher have the same environment"
ADDITIONS = (
    (r"env\.DS_ACCELERATOR", "the source requests no device, and DeepSpeed must not look for one"),
    (r"requests\.(cpu|memory)", "the source requests none, dsgen has a default"),
    (r"(requests|limits)\..+/.+", "dsgen requests a device for each process"),
    (
        r"mounts\./dev/shm",
        "the container runtime has a small default; workers.sharedMemory is its size",
    ),
    ("image", HOLE),
)
"""Why the result has something that the source does not have, by subject."""
FILLED: Mapping[str, Any] = {"name": "job", "namespace": "default", "image.repository": "image", "workers.replicas": 1,
                             "workers.slots": 1, "training.python": "program.py"}  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """Something that the rendered objects have in another way than the source.

    role: workers, launcher or job. subject: `image`, `env.NAME`, `requests.cpu`, `mounts./data`, `command`, ... source
    and result: the two values as texts, "" for none. why: the reason; "" if there is none, which is a mistake of dsgen.
    """

    role: str
    subject: str
    source: str
    result: str
    why: str


def compare(job: ImportedJob) -> list[Difference]:
    """All differences between the source of a job and the objects that its values render, each with its reason."""
    loaded = values.load([values.SourceText("values.yaml", json.dumps(fill_holes(job)))])
    if loaded.values is None:
        return [Difference("job", "values", "", "", "")]
    try:
        found = {one.template: one.text for one in render(loaded.data, loaded.release)}
    except TemplateError:
        return [Difference("job", "values", "", "", "something must be filled in before the values can be rendered")]
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    workers, launcher, config = (yaml.load(found[name], loader) for name in (WORKERS, LAUNCHER, CONFIG))
    return [*_compare_job(job, workers, config), *_compare_role(job, "workers", job.facts.workers, _read_pods(workers)),
            *_compare_role(job, "launcher", job.facts.launcher, _read_pods(launcher))]  # fmt: skip


def fill_holes(job: ImportedJob) -> dict[str, Any]:
    """The values of a job with something in each hole, so that they can be rendered."""
    data: dict[str, Any] = json.loads(json.dumps(job.data))
    for hole in job.holes:
        node: Any = data
        *above, last = as_key_path(hole.key) or ("",)
        for part in above:
            items = dict(enumerate(node)) if isinstance(node, list) else node
            node = items.get(part) if isinstance(items, dict) else None
        if isinstance(node, dict | list):
            _fill_hole(node, last, (*above, last), hole.key)
    return data


def _fill_hole(node: Any, last: Any, path: KeyPath, key: str) -> None:
    if key in FILLED:
        node[last] = FILLED[key]
    elif last == "secretKeyRef":
        node[last] = {"name": "secret", **node[last]}
    elif path[0] == "storage" and len(path) == 2:
        node[last] = {"mountPath": "/root", **{k: v for k, v in node[last].items() if v}, "existingClaim": "claim"}
    elif path[:2] == ("training", "env"):
        reference = isinstance(node[last], dict) and "valueFrom" in node[last]
        node[last] = {"valueFrom": {"secretKeyRef": {"name": "secret", "key": last}}} if reference else "value"
    elif isinstance(node, list) or (len(path) > 1 and node.get(last) in ({}, "")):
        node[last] = "1"
    else:
        node.pop(last, None)


def _read_pods(job: Any) -> Facts:
    """What rendered pods have, without the mounts of dsgen itself."""
    spec = job["spec"]["template"]["spec"]
    container = spec["containers"][0]
    mounts = [mount for mount in container.get("volumeMounts", ())
              if not mount["name"].startswith("dsgen-") or mount["mountPath"] == "/dev/shm"]  # fmt: skip
    return read_facts(spec, {**container, "volumeMounts": mounts})


# -- the job ----------------------------------------------------------------------------------------------------------


def _compare_job(job: ImportedJob, workers: Any, config: Any) -> Iterator[Difference]:
    settings, facts = json.loads(config["data"]["settings.json"]), job.facts
    for subject, number, result in (("replicas", facts.replicas, workers["spec"]["completions"]),
                                    ("slots", facts.slots, settings["slots"])):  # fmt: skip
        if number and number != result:
            yield Difference("job", subject, str(number), str(result), "")
    if facts.command and not {hole.key for hole in job.holes} & {"training.python", "launch.command"}:
        words = json.loads(config["data"]["command.json"])
        yield from _compare_command(facts.command, [*words["program"], *words["arguments"]], job)


def _compare_command(source: Sequence[str], result: Sequence[str], job: ImportedJob) -> Iterator[Difference]:
    """Words that differ; the others keep their order."""
    import difflib  # imported late: only this needs it

    if list(result[:2]) == ["bash", "-c"] and list(source[:1]) != ["bash"]:
        script = result[2].partition("exec ")[2].replace("\\\n", " ")
        try:
            result = shlex.split(script)
        except ValueError:
            result = script.split()
    if "-u" in result and "-u" not in source:
        yield Difference("job", "command", "", "-u", UNBUFFERED)
    source, result = ([word for word in words if word != "-u"] for words in (source, result))
    if source and result and source[0] != result[0] and "python" in source[0] and "python" in result[0]:
        yield Difference("job", "command", source[0], result[0], _explain_words(job, source[0]))
        source, result = source[1:], result[1:]
    config = job.data.get("training", {}).get("deepspeed", {})
    if config.get("config") and config.get("passConfig", True):
        result = [word for word in result if word not in ("--deepspeed", "--deepspeed_config", "/job/ds_config.json")]
    one, other = ([re.sub(r"\$\{(\w+)\}", r"$\1", word) for word in words] for words in (source, result))
    for kind, start, end, first, last in difflib.SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind != "equal":
            before, after = hide(" ".join(source[start:end])), hide(" ".join(result[first:last]))
            has_variable = "$" in before + after or "/job/" in after
            why = VARIABLE if has_variable else _explain_words(job, *source[start:end])
            yield Difference("job", "command", before, after, why)


def _explain_words(job: ImportedJob, *words: str) -> str:
    """Why words of the source are not in the result: what the report says about them."""
    found = [entry.why for word in words for entry in job.entries if entry.fate != "mapped" and entry.source == word]
    return found[0] if found and len(words) <= len(found) else ""


# -- the pods of a role -----------------------------------------------------------------------------------------------


def _compare_role(job: ImportedJob, role: str, facts: Facts | None, result: Facts) -> Iterator[Difference]:
    if facts is None:
        return
    found = {subject: one.value for subject, one in result.items()}
    known = {name for one in (job.facts.workers, job.facts.launcher) for name in list_variables(one or {})}
    own = sorted(subject for subject in found if ADDED.fullmatch(subject[4:]) and subject[4:] not in known)
    yield Difference(role, "env", "", ", ".join(subject[4:] for subject in own), OWN_VARIABLES)
    for subject, fact in facts.items():
        value = found.get(subject)
        is_memory = subject == "mounts./dev/shm" and "emptyDir" in str(value)
        if _normalize(fact.value) != _normalize(value) and not is_memory:
            is_hidden = subject.startswith("env.") and is_secret(subject[4:], _format_value(fact.value))
            shown = MASK if is_hidden else _format_value(fact.value)
            why = _explain_change(job, role, subject, fact)
            yield Difference(role, subject, hide(shown), "" if value is None else hide(_format_value(value)), why)
    for subject in [one for one in found if one not in facts and one not in PLACES and one not in own]:
        yield Difference(role, subject, "", hide(_format_value(found[subject])), _explain_addition(job, subject, known))


def _explain_addition(job: ImportedJob, subject: str, known: Collection[str]) -> str:
    """Why the result has something that the source does not have here."""
    kind, _, name = subject.partition(".")
    if kind == "env" and name in known:
        return EVERYWHERE
    given = next((why for pattern, why in ADDITIONS if re.fullmatch(pattern, subject)), "")
    keys = {"env": [f"training.env.{name}", f"launcher.env.{name}"], "mounts": ["storage."]}.get(kind, [])
    return given or next(filter(None, (_find_origin(job, key) for key in keys)), "")


KEYS = {"env": "training.env.", "requests": "resources", "limits": "resources", "mounts": "storage", "image": "image"}


def _explain_change(job: ImportedJob, role: str, subject: str, fact: Fact) -> str:
    """Why the result differs from the source: what the report says about the place in the source, or a hole."""
    entries = (entry for entry in job.entries if fact.source and entry.fate != "mapped")
    reported = (one.why for one in entries
                if one.source.startswith(fact.source) or fact.source.startswith(f"{one.source}."))  # fmt: skip
    if why := next(reported, ""):
        return why
    kind, _, name = subject.partition(".")
    key = "launcher.image" if (subject, role) == ("image", "launcher") else KEYS.get(kind, f"{role}.{subject}")
    key += name if kind == "env" else ""
    if any(hole.key.startswith(f"{role}.{key}" if key == "resources" else key) for hole in job.holes):
        return HOLE
    training = job.data.get("training", {})
    if kind == "env" and role == "launcher" and isinstance(fact.value, dict) and name in training.get("env", {}):
        return "the launcher has only the texts of training.env"
    if kind == "env" and (given := _find_origin(job, key)):
        is_option = job.data.get("launch", {}).get("method") == "openmpi" and re.search("(command|args)", given)
        return f"{'-x of mpirun sets it, ' if is_option else ''}{given}, which has another value"
    if kind == "env" and OWN.fullmatch(name):
        return "dsgen sets it when the process starts"
    is_queued = job.data.get("scheduling", {}).get("queue") and subject in ("nodeSelector", "affinity")
    return "in a queue of Kueue, the node selector is written as required affinity" if is_queued else ""


def _find_origin(job: ImportedJob, key: str) -> str:
    """Why a result has something that the source has elsewhere: the report says from where it is."""
    found = next((entry.source for entry in job.entries if entry.fate == "mapped" and entry.to.startswith(key)), "")
    is_hole = any(hole.key == key or (key.endswith(".") and hole.key.startswith(key)) for hole in job.holes)
    return HOLE if is_hole else f"from {found}" if found else ""


def _format_value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _normalize(value: Any) -> str:
    """A value for comparisons: texts as they are, others as JSON without null."""
    is_text = isinstance(value, str | int | float) and not isinstance(value, bool)
    return str(value) if is_text else json.dumps(remove_nulls(value), sort_keys=True, default=str)
