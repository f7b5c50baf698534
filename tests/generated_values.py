"""Random values files that the schema accepts, with texts, numbers and keys that often cause errors."""

import copy
import functools
import itertools
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st

from dsgen import schema, values
from dsgen.problems import KeyPath
from dsgen.reading.scalars import explain_key, explain_text
from dsgen.values import Job, Release
from tests.parity import RELEASE, dump

TEXTS = (
    *("{{ .Values.x }}", "{{- end }}", "<% if %>", "<< x >>", "${X}", "$$", "$(A)", "$", 'a"b', "it's", "`bt`"),
    *("a\nb", "a\n\n  b\n\n", "\n lead", "\tt", "a\tb", "a\r\nb", "😀 é", "a\u2028b\u2029c", " lead", "trail "),
    *("yes", "null", "~", "1e3", "007", "0x1F", "1:30", "true", "=", "1_000", "0o17", "2001-01-01", "+1", ".5", "-0"),
    *("- x", "---", "...", "a\n---\nb", "%YAML", "!t", "&a", "*a", "@x", "", "\\n", "\\", "a\\\nb", "[a", "{a", "a, b"),
    *("\u200b", "\ufeff", "\x1b[0m", "\x01\x08\x0c\x0b", "x" * 300, "word " * 40, "?", "| x", ">", "<>&", "#"),
    *("\u00a0", "é" * 60, "\u00ad", "\u0378", "\U0001fae8", "\ue000", "\ud7ff", "\U0010fffd", "/*", "*/"),
    *("a: b", "a #c", "<<", "a\x85b", "\x85", "\x00", "\x1f", "\uffef", "\ufffd", "\ufdd0", "\U0001fffe", "\u202e"),
)
WORDS = (
    *("a", "ab-c", "x1", "7", "12345678", "x.y/z", "items", "keys", "get", "values", "on", "n", "true", "A_B", "é"),
    *("/data", "/a b/c", "/é", "500m", "1Gi", "2", "64Gi", "1.5", "unlimited", "registry.example.com:5000/team/image"),
    *("sha256:" + "0a" * 32, "v1.2", "amd.com/gpu", "example.com/key", "spec.nodeName", "train.py", "1e3", "null"),
)
KEYS = tuple(text for text in WORDS + TEXTS if not explain_key(text))
NUMBERS = (
    *(0, 1, -1, 2, 7, 8, 60, 3600, 5e8, 1.0, 1e-5, 3e-7, 1e21, -0.0, 2**53, -(2**53), 1.5, 1e22, 123456789, 0.1, 1e-6),
    *(9.5e-7, 1e20, 123456789012345680000.0, 5e-324, 1.7976931348623157e308, 1 / 3, 2.5e-5, 4.35, 1e16, 12345678.9),
    *(1000000, 2592000, 10000000, 65535),
)
PROGRAMS = ("python", "module", "exec")
OWN_COMMANDS = ("worker-command", "launcher-command")
"""Launch methods whose whole command the user gives."""
VOLUMES: Mapping[str, Sequence[Any]] = {
    "storage.*.create.size": ["100Gi", 1e12, "1.5Ti"],
    "storage.*.create.accessModes": [["ReadWriteMany"], ["ReadWriteOncePod"], ["ReadWriteOnce", "ReadOnlyMany"]],
    "storage.*.create.storageClass": ["", "fast"],
    "storage.*.csi": [{"driver": "a.example.com"}, {"driver": "b", "readOnly": True, "volumeAttributes": {"1.5": "é"}}],
    "storage.*.ephemeral": [
        {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": 1}}}}}
    ],
    "storage.*.mountPath": [f"/{name}" for name in ("a", "data", "b/c", "é", "no", "1e3", "x y", "on")],
    "launcher.resources.limits": [{"cpu": 2}, {"memory": "3.5Gi", "cpu": "1500m"}, {}],
}
"""Of all texts and numbers few are a size, a list of access modes, a driver, an amount or an own path."""
MOST_OF_KUBERNETES = 4
"""Optional fields of one of Kubernetes' own objects, which are many and nested."""


class Generator:
    """One random tree; the same seed gives the same one, and hypothesis may give its own source of chance.

    samples: for some keys the values to choose from, by dotted path, `*` for a key that the user names.
    """

    def __init__(self, seed: int | random.Random, samples: Mapping[str, Sequence[Any]] = MappingProxyType({})) -> None:
        self._random = seed if isinstance(seed, random.Random) else random.Random(seed)
        self._rate = self._random.choice([0.1, 0.3, 0.6, 0.9])
        self._samples, self._path = {**VOLUMES, **samples}, [""]

    def tree(self) -> dict[str, Any]:
        """A job that is complete, and otherwise random."""
        root = schema.load()
        tree: dict[str, Any] = self._object(root)
        tree.setdefault("image", {})["repository"] = self._random.choice(["r/x", "registry.example.com:5000/team/x"])
        self._program(tree)
        sources = [key for key, part in volume_schema()["properties"].items() if is_source(part)]
        for volume in tree.get("storage", {}).values():
            self._one_source(volume, sources)
        return tree

    def _program(self, tree: dict[str, Any]) -> None:
        """Exactly one thing to run: the command of the launch methods that have one, else a program."""
        training, launch = tree.setdefault("training", {}), tree.get("launch", {})
        for key in PROGRAMS:
            training.pop(key, None)
        if launch.get("method") in OWN_COMMANDS:
            launch["command"] = [self._text() or "x", "y"]
            training.pop("args", None)
            return
        launch.pop("command", None)
        program = self._random.choice(PROGRAMS)
        training[program] = [self._text(), "x"] if program == "exec" else self._text() or "x"

    def _one_source(self, volume: dict[str, Any], sources: Sequence[str]) -> None:
        chosen = self._random.choice([key for key in sources if key in volume] or ["create"])
        for key in sources:
            if key != chosen:
                volume.pop(key, None)
        if not volume.setdefault(chosen, {}):
            volume.update({"existingClaim": "claim"} if chosen == "existingClaim" else {})

    def _value(self, part: Mapping[str, Any]) -> Any:
        if given := self._samples.get(".".join(self._path[1:])):
            return copy.deepcopy(self._random.choice(given))
        part = resolved(part)
        if "enum" in part:
            return self._random.choice(part["enum"])
        kinds = [kind for kind in schema.list_types(dict(part)) if kind != "null"] or ["json"]
        return getattr(self, "_" + self._random.choice(kinds))(part)

    def _below(self, key: str, part: Mapping[str, Any]) -> Any:
        self._path.append(key)
        value = self._value(part)
        self._path.pop()
        return value

    def _object(self, part: Mapping[str, Any]) -> Any:
        if "properties" in part:
            return {name: self._below(name, part["properties"][name]) for name in self._names(part)}
        inner = part.get("additionalProperties")
        if not isinstance(inner, Mapping):
            return {self._key(part): self._json(part) for _ in range(self._random.randint(0, 3))}
        return {self._key(part): self._below("*", inner) for _ in range(self._random.randint(0, 4))}

    def _names(self, part: Mapping[str, Any]) -> list[str]:
        """The keys that a record gets: those that it needs, and some of the others."""
        if part.get("maxProperties") == 1:
            return [self._random.choice(list(part["properties"]))]
        choices = [one["required"] for one in part.get("oneOf", ())]
        needed = {*part.get("required", ()), *(self._random.choice(choices) if choices else ())}
        others = [name for name in part["properties"] if name not in needed and not choices and self._is_chosen()]
        if not schema.is_record(dict(part)):
            others = self._random.sample(others, k=min(MOST_OF_KUBERNETES, len(others)))
        return [name for name in part["properties"] if name in needed or name in others]

    def _is_chosen(self) -> bool:
        return self._random.random() < self._rate

    def _key(self, part: Mapping[str, Any]) -> str:
        names = resolved(part.get("propertyNames", {}))
        return self._fitting(names, WORDS) if names else self._random.choice(KEYS)

    def _array(self, part: Mapping[str, Any]) -> list[Any]:
        items, least = part.get("items", {}), part.get("minItems", 0)
        most = max(least, 3 if "type" in items else 2)
        items_ = [self._below("#", items) for _ in range(self._random.randint(least, most))]
        # The API server warns of names that are listed twice.
        names = [json.dumps(one["name"]) if isinstance(one, dict) and "name" in one else "" for one in items_]
        return [one for at, one in enumerate(items_) if not names[at] or names[at] not in names[:at]]

    def _string(self, part: Mapping[str, Any]) -> str:
        return (
            self._fitting(part, WORDS + TEXTS) if "pattern" in part else self._text() or "x" * part.get("minLength", 0)
        )

    def _fitting(self, part: Mapping[str, Any], pool: tuple[str, ...]) -> str:
        own = [text for text in (*part.get("examples", ()), part.get("default")) if isinstance(text, str)]
        texts = fitting(part["pattern"], (*pool, *own))
        assert texts, f"no text for {part}: give the key an example, or WORDS a text"
        return self._random.choice(texts)

    def _text(self) -> str:
        text = self._random.choice(TEXTS)
        more = self._random.random()
        if more < 0.1:
            return text + self._character()
        return text + self._random.choice(TEXTS) if more < 0.3 else text

    def _character(self) -> str:
        """Any one that values may hold."""
        character = chr(self._random.randrange(self._random.choice([0x100, 0x3000, 0x10000, 0x110000])))
        return self._character() if explain_text(character) else character

    def _integer(self, part: Mapping[str, Any]) -> Any:
        return self._random.choice([one for one in self._numbers(part) if float(one).is_integer()])

    def _number(self, part: Mapping[str, Any]) -> Any:
        return self._random.choice(self._numbers(part))

    def _numbers(self, part: Mapping[str, Any]) -> list[Any]:
        least, most = part.get("minimum", -1e308), part.get("maximum", 2**53)
        return [one for one in NUMBERS if least <= one <= most]

    def _boolean(self, _: Mapping[str, Any]) -> bool:
        return self._random.random() < 0.5

    def _json(self, part: Mapping[str, Any], depth: int = 0) -> Any:
        kind = self._random.random()
        if depth > 3 or kind < 0.4:
            return self._text()
        if kind < 0.6:
            return self._random.choice(NUMBERS)
        if kind < 0.7:
            return self._boolean(part)
        if kind < 0.85:
            return {self._random.choice(WORDS): self._json(part, depth + 1) for _ in range(self._random.randint(0, 4))}
        return [self._json(part, depth + 1) for _ in range(self._random.randint(0, 3))]


@functools.cache
def fitting(pattern: str, texts: tuple[str, ...]) -> list[str]:
    """Those of the texts that a pattern accepts."""
    return [text for text in texts if re.fullmatch(pattern, text)]


def resolved(part: Mapping[str, Any]) -> dict[str, Any]:
    """A schema with what it refers to."""
    merged: dict[str, Any] = {}
    for other in part.get("allOf", ()):
        merged |= resolved(other)
    if "$ref" in part:
        merged |= resolved(schema.resolve(dict(part)))
    return merged | {key: value for key, value in part.items() if key not in ("allOf", "$ref")}


def volume_schema() -> schema.Schema:
    """Of one volume in `storage`."""
    return resolved(schema.find_part(("storage", "*")) or {})


def is_source(part: Mapping[str, Any]) -> bool:
    """Whether a key of a volume is one of those of which a volume has exactly one: their absence means something."""
    return part["description"].startswith("Source:")


def valid_texts(count: int, seed: int = 0) -> Iterator[str]:
    """Values files as text, all accepted by the schema."""
    valid = 0
    while valid < count:
        text = dump(Generator(seed).tree()) + "\n"
        seed += 1
        if values.load([values.SourceText("values.yaml", text)]).values:
            valid += 1
            yield text


def sound_texts(count: int, seed: int = 0) -> Iterator[str]:
    """Values files as text that neither schema nor checks have anything against."""
    return itertools.islice(filter(None, map(_sound_text, itertools.count(seed))), count)


@functools.lru_cache(1000)
def _sound_text(seed: int) -> str:
    tree = repaired(Generator(seed).tree())
    return dump(tree) + "\n" if tree else ""


def repaired(tree: dict[str, Any]) -> dict[str, Any] | None:
    """The tree without what dsgen has something against; None where nothing good is left."""
    before: list[KeyPath] = []
    # Plain data is checked in half the time, but only a text shows what YAML makes of it.
    while wrong := errors(values.make_job(tree)) or errors(loaded(tree)):
        if wrong == before or "repository" not in tree.get("image", {}):
            return None
        before = wrong
        for path in wrong:
            remove(tree, path)
    return tree


def loaded(tree: dict[str, Any]) -> Job:
    """The job of a values file with these values."""
    return values.load([values.SourceText("values.yaml", dump(tree) + "\n")])


def errors(job: Job) -> list[KeyPath]:
    """The paths of what is wrong in a job."""
    release = Release(job.release.name or RELEASE.name, job.release.namespace or RELEASE.namespace)
    problems = values.check(job, release) if job.values else job.diagnostics
    return [problem.path for problem in problems if problem.severity == "error"]


def remove(tree: Any, path: KeyPath) -> None:
    """Takes away what stands at a path, or above it when nothing does."""
    holders = [tree]
    for key in path:
        inside = holders[-1]
        if not (key in inside if isinstance(inside, dict) else isinstance(inside, list) and int(key) < len(inside)):
            break
        holders.append(inside[key])
    if len(holders) > 1:
        holders[-2].pop(path[len(holders) - 2])


@st.composite
def trees(draw: st.DrawFn) -> dict[str, Any]:
    """For hypothesis: jobs that are complete, and otherwise random."""
    return Generator(draw(st.randoms(use_true_random=False))).tree()
