"""Renders the values of an import, and compares the objects with what the source says, by role."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import yaml

from dsgen import values
from dsgen.importers.draft import as_key_path
from dsgen.importers.environment import OWN
from dsgen.importers.facts import PLACES, Fact, Role, describe_volume
from dsgen.importers.fields import remove_nulls
from dsgen.importers.ledger import ImportedJob
from dsgen.importers.secrets import MASK, hide, is_secret
from dsgen.language.functions import TemplateError
from dsgen.render import render

WORKERS, LAUNCHER, CONFIG = "workers/job.yaml", "launcher/job.yaml", "config/configmap.yaml"
ADDED = re.compile(
    r"DSGEN_\w+|PYTHONUNBUFFERED|CUDA_CACHE_PATH|NEURON_COMPILE_CACHE_URL|TORCH_EXTENSIONS_DIR|\w+_CACHE_DIR|\w+_CACHE"
)
OWN_VARIABLES = "dsgen adds it to the environment of all pods"
NO_DEVICE = "the source requests no device, and DeepSpeed must not look for one"
DEVICE = "a device needs a request that is equal to its limit"
EACH_PROCESS = "dsgen requests a device for each process"
DEFAULT_REQUEST = "the source requests none, dsgen has a default"
SHARED_MEMORY = "the source has the small default of the container runtime; workers.sharedMemory is its size"
UNBUFFERED = "dsgen starts Python without buffers"
VARIABLE = "a variable has the value when the process starts"
HOLE = "it is a hole"
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
    try:
        objects = _render_objects(job)
    except TemplateError:
        return [Difference("job", "values", "", "", "something must be filled in before the values can be rendered")]
    if objects is None:
        return [Difference("job", "values", "", "", "")]
    workers, launcher, config = objects
    return [*_compare_job(job, workers, config), *_compare_role(job, "workers", job.facts.workers, _find_main(workers)),
            *_compare_role(job, "launcher", job.facts.launcher, _find_main(launcher))]  # fmt: skip


def _render_objects(job: ImportedJob) -> tuple[Any, Any, Any] | None:
    """The Jobs and the ConfigMap of the values, with holes filled in; None if they cannot be rendered."""
    loaded = values.load([values.SourceText("values.yaml", json.dumps(fill_holes(job)))])
    if loaded.values is None:
        return None
    found = {one.template: one.text for one in render(loaded.data, loaded.release)}
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    workers, launcher, config = (yaml.load(found[name], loader) for name in (WORKERS, LAUNCHER, CONFIG))
    return workers, launcher, config


def fill_holes(job: ImportedJob) -> dict[str, Any]:
    """The values of a job with something in each hole, so that they can be rendered."""
    data: dict[str, Any] = json.loads(json.dumps(job.data))
    for hole in job.holes:
        _fill_hole(data, as_key_path(hole.key), hole.key)
    return data


def _fill_hole(data: dict[str, Any], path: tuple[str | int, ...], key: str) -> None:
    node: Any = data
    if not path:
        return
    for part in path[:-1]:
        items: dict[Any, Any] = dict(enumerate(node)) if isinstance(node, list) else node
        node = items.get(part)
        if not isinstance(node, dict | list):
            return
    last = path[-1]
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


def _find_main(job: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    spec = job["spec"]["template"]["spec"]
    return spec, spec["containers"][0]


# -- the job ----------------------------------------------------------------------------------------------------------


def _compare_job(job: ImportedJob, workers: Any, config: Any) -> Iterator[Difference]:
    settings = json.loads(config["data"]["settings.json"])
    facts, holes = job.facts, {hole.key for hole in job.holes}
    if facts.replicas and facts.replicas != workers["spec"]["completions"]:
        yield Difference("job", "replicas", str(facts.replicas), str(workers["spec"]["completions"]), "")
    if facts.slots and facts.slots != settings["slots"]:
        yield Difference("job", "slots", str(facts.slots), str(settings["slots"]), "")
    if facts.command and not holes & {"training.python", "launch.command"}:
        words = json.loads(config["data"]["command.json"])
        yield from _compare_command(facts.command, [*words["program"], *words["arguments"]], job)


def _compare_command(source: Sequence[str], result: Sequence[str], job: ImportedJob) -> Iterator[Difference]:
    if list(result[:2]) == ["bash", "-c"] and list(source[:1]) != ["bash"]:
        script = result[2].partition("exec ")[2].replace("\\\n", " ")
        try:
            result = shlex.split(script)
        except ValueError:
            result = script.split()
    first, rest = list(source), [word for word in result if word != "-u"]
    if "-u" in result and "-u" not in source:
        yield Difference("job", "command", "", "-u", UNBUFFERED)
    first = [word for word in first if word != "-u"]
    if (
        first[:1]
        and rest[:1]
        and first[0] != rest[0]
        and re.search(r"python", first[0])
        and re.search("python", rest[0])
    ):
        yield Difference("job", "command", first[0], rest[0], _explain_words(job, first[0]))
        first, rest = first[1:], rest[1:]
    config = job.data.get("training", {}).get("deepspeed", {})
    if config.get("config") and config.get("passConfig", True):
        rest = [word for word in rest if word not in ("--deepspeed", "--deepspeed_config", "/job/ds_config.json")]
    yield from _compare_words(first, rest, job)


def _compare_words(source: Sequence[str], result: Sequence[str], job: ImportedJob) -> Iterator[Difference]:
    """Words that differ; the others keep their order."""
    import difflib  # imported late: few jobs differ from their source

    one, other = [_remove_braces(word) for word in source], [_remove_braces(word) for word in result]
    for kind, start, end, first, last in difflib.SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        before, after = hide(" ".join(source[start:end])), hide(" ".join(result[first:last]))
        has_variable = "$" in before or "$" in after or "/job/" in after
        why = VARIABLE if has_variable else _explain_words(job, *source[start:end])
        yield Difference("job", "command", before, after, why)


def _remove_braces(word: str) -> str:
    return re.sub(r"\$\{(\w+)\}", r"$\1", word)


def _explain_words(job: ImportedJob, *words: str) -> str:
    """Why words of the source are not in the result: what the report says about them."""
    found = [entry.why for word in words for entry in job.entries if entry.fate != "mapped" and entry.source == word]
    return found[0] if found and len(words) <= len(found) else ""


# -- the pods of a role -----------------------------------------------------------------------------------------------


def _compare_role(
    job: ImportedJob, role: str, facts: Role | None, result: tuple[dict[str, Any], dict[str, Any]]
) -> Iterator[Difference]:
    if facts is None:
        return
    source, found = _list_facts(facts), _list_results(*result)
    known = {name for one in (job.facts.workers, job.facts.launcher) if one for name in one.env}
    own = sorted(subject[4:] for subject in found if ADDED.fullmatch(subject[4:]) and subject[4:] not in known)
    yield Difference(role, "env", "", ", ".join(own), OWN_VARIABLES)
    for subject, fact in source.items():
        value = found.get(subject)
        is_memory = subject == "mounts./dev/shm" and "emptyDir" in str(value)
        if _normalize(fact.value) != _normalize(value) and not is_memory:
            yield _make_difference(job, role, subject, fact, value)
    for subject, value in found.items():
        if subject not in source and subject not in PLACES and not (subject.startswith("env.") and subject[4:] in own):
            why = _explain_addition(job, subject, known)
            yield Difference(role, subject, "", hide(_format_value(value)), why)


def _list_facts(facts: Role) -> dict[str, Fact]:
    """What the source says about a role, by subject. A limit is a request, too, and no value of a device is one."""
    kinds = {"env": facts.env, "requests": {**facts.limits, **facts.requests}, "limits": facts.limits}
    found = {f"{kind}.{name}": one for kind, known in {**kinds, "mounts": facts.mounts}.items()
             for name, one in known.items()}  # fmt: skip
    found = {subject: replace(one, value=1) if one.value is None else one for subject, one in found.items()}
    return found | ({"image": facts.image} if facts.image else {}) | facts.placement


def _list_results(spec: Mapping[str, Any], container: Mapping[str, Any]) -> dict[str, Any]:
    """The same of rendered pods."""
    volumes = {one["name"]: one for one in spec.get("volumes", ())}
    mounts = [one for one in container.get("volumeMounts", ()) if _is_of_user(one)]
    mounted = {one["mountPath"]: describe_volume(volumes.get(one["name"], {})) for one in mounts}
    variables = {one["name"]: one.get("valueFrom") or one.get("value", "") for one in container.get("env", ())}
    kinds = {"env": variables, **container.get("resources", {}), "mounts": mounted}
    found = {f"{kind}.{name}": value for kind in ("env", "requests", "limits", "mounts")
             for name, value in kinds.get(kind, {}).items()}  # fmt: skip
    return found | {"image": container["image"]} | {name: spec[name] for name in PLACES if name in spec}


def _is_of_user(mount: Mapping[str, Any]) -> bool:
    return not mount["name"].startswith("dsgen-") or mount["mountPath"] == "/dev/shm"


def _explain_addition(job: ImportedJob, subject: str, known: Collection[str]) -> str:
    """Why the result has something that the source does not have here."""
    kind, _, name = subject.partition(".")
    if kind == "env":
        if name in known:
            return "workers and launcher have the same environment"
        mapped = (_explain_mapped(job, f"{key}.env.{name}") for key in ("training", "launcher"))
        return NO_DEVICE if name == "DS_ACCELERATOR" else next(filter(None, mapped), "")
    if kind in ("requests", "limits"):
        has_other = job.facts.workers is not None and name in job.facts.workers.limits | job.facts.workers.requests
        is_default = kind == "requests" and name in ("cpu", "memory")
        return DEFAULT_REQUEST if is_default else DEVICE if has_other else EACH_PROCESS if "/" in name else ""
    is_hole = kind == "image" or any(hole.key.startswith("storage.") for hole in job.holes)
    return SHARED_MEMORY if name == "/dev/shm" else HOLE if is_hole else _explain_mapped(job, "storage.")


KEYS = {"env": "training.env", "requests": "resources", "limits": "resources", "mounts": "storage", "image": "image"}


def _make_difference(job: ImportedJob, role: str, subject: str, fact: Fact, result: Any) -> Difference:
    """A difference with its reason: a hole, or what the report says about the place in the source."""
    kind, _, name = subject.partition(".")
    key = "launcher.image" if subject == "image" and role == "launcher" else KEYS.get(kind, subject)
    key = f"{key}.{name}" if kind == "env" else key if kind in ("mounts", "image") else f"{role}.{key}"
    why = _explain_fact(job, fact)
    if not why and any(hole.key.startswith(key) for hole in job.holes):
        why = HOLE
    if not why and kind == "env":
        why = _explain_variable(job, role, name, fact)
    if not why and job.data.get("scheduling", {}).get("queue") and subject in ("nodeSelector", "affinity"):
        why = "in a queue of Kueue, the node selector is written as required affinity"
    is_hidden = kind == "env" and is_secret(name, _format_value(fact.value))
    source = MASK if is_hidden else hide(_format_value(fact.value))
    return Difference(role, subject, source, "" if result is None else hide(_format_value(result)), why)


def _explain_variable(job: ImportedJob, role: str, name: str, fact: Fact) -> str:
    """Why a variable has another value."""
    if role == "launcher" and isinstance(fact.value, dict) and name in job.data.get("training", {}).get("env", {}):
        return "the launcher has only the texts of training.env"
    if given := _explain_mapped(job, f"training.env.{name}"):
        is_option = job.data.get("launch", {}).get("method") == "openmpi" and re.search("(command|args)", given)
        return f"{'-x of mpirun sets it, ' if is_option else ''}{given}, which has another value"
    return "dsgen sets it when the process starts" if OWN.fullmatch(name) else ""


def _explain_fact(job: ImportedJob, fact: Fact) -> str:
    if not fact.source:
        return ""
    found = [
        one for one in job.entries if one.source.startswith(fact.source) or fact.source.startswith(f"{one.source}.")
    ]
    return next((one.why for one in found if one.fate != "mapped"), "")


def _explain_mapped(job: ImportedJob, key: str) -> str:
    """Why a result has something that the source has elsewhere: the report says from where it is."""
    found = next((one.source for one in job.entries if one.fate == "mapped" and one.to.startswith(key)), "")
    return f"from {found}" if found else HOLE if any(hole.key == key for hole in job.holes) else ""


def _format_value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _normalize(value: Any) -> str:
    """A value for comparisons: texts as they are, others as JSON without null."""
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, str | int | float):
        return str(value)
    return json.dumps(remove_nulls(value), sort_keys=True, default=str)
