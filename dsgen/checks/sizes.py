"""The sizes of a run's ConfigMaps, and which tools can apply them."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dsgen.checks.row import Function, Names, Place, diagnostic, helpers
from dsgen.language.text import scalar, to_json
from dsgen.problems.diagnostics import Diagnostic, KeyPath, path_text

MAX_BYTES = 1024 * 1024
"""The limit of a ConfigMap; the API server counts keys and values."""
MAX_ANNOTATION = 256 * 1024
"""The limit of all annotations of an object; `kubectl apply` keeps the object in one of them, as JSON."""
OTHER_BYTES = 4608
"""The rest of the JSON of the run's ConfigMap: settings, configuration of sshd and ssh, labels; measured."""
SMALL = 8192
"""Smaller ConfigMaps are not measured further."""
WORKERS: KeyPath = ("workers", "replicas")
LOOKS_AT: tuple[KeyPath, ...] = (WORKERS, ("name",), ("training",), ("launch",), ("lifecycle",), ("code",))
TOO_MUCH = f"and kubectl apply keeps a copy in annotations, which are limited to {MAX_ANNOTATION}"
APPLY = "use kubectl apply --server-side, and in Argo CD the sync option ServerSideApply=true"
FEWER = "use shorter names or fewer workers"


def files_size(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Diagnostic]:
    """The size of training.files, which have their own ConfigMap."""
    files, path = values["training"]["files"], ("training", "files")
    size = sum(len(name) + _bytes(text) for name, text in files.items())
    as_json = sum(_json_bytes(name) + _json_bytes(text) for name, text in files.items()) if size > SMALL else 0
    if size > MAX_BYTES:
        message = f"training.files: all files together have {size} bytes, but a ConfigMap is limited to {MAX_BYTES}"
        yield diagnostic("DS253", path, message, "put large files into the image or onto a volume", place)
    elif as_json + 1024 > MAX_ANNOTATION:
        message = f"training.files: their ConfigMap has {as_json} bytes of JSON, {TOO_MUCH}"
        yield diagnostic("DS258", path, message, APPLY, place, "warning")


def config_size(values: Mapping[str, Any], release: Names, place: Place) -> Iterator[Diagnostic]:
    """The ConfigMap of the run; the message names its largest part."""
    job = values["name"] or release["name"]
    texts = texts_of(values, job)
    sizes = {path: _bytes(text) for path, text in texts.items()}
    total = sum(sizes.values()) + OTHER_BYTES
    if total <= SMALL:
        return
    path = max(sizes, key=lambda path: sizes[path])
    as_json = json_bytes(texts.values())
    smaller = FEWER if path == WORKERS else "put large parts into the image or onto a volume"
    if total > MAX_BYTES:
        message = (
            f"{path_text(path)}: {_what(path)} {sizes[path]} bytes; with the rest, the run's ConfigMap"
            f" would have {total}, but is limited to {MAX_BYTES}"
        )
        yield diagnostic("DS257", path, message, smaller, place)
    elif as_json > MAX_ANNOTATION:
        message = (
            f"{path_text(path)}: {_what(path)} {sizes[path]} bytes; with the rest, the run's ConfigMap"
            f" has about {as_json} bytes of JSON, {TOO_MUCH}"
        )
        yield diagnostic("DS258", path, message, f"{APPLY}; or {smaller}", place, "warning")


def json_bytes(texts: Iterable[str]) -> int:
    """An estimate, not too low, of the bytes that kubectl keeps of the run's ConfigMap with these texts."""
    return sum(map(_json_bytes, texts)) + OTHER_BYTES


def _what(path: KeyPath) -> str:
    return "the names of the workers have" if path == WORKERS else "it has"


def texts_of(values: Mapping[str, Any], job: str) -> dict[KeyPath, str]:
    """The texts of the ConfigMap, by the key that they come from."""
    training = values["training"]
    texts = (
        (("training", "setup"), training["setup"]),
        (("training", "args"), to_json(training["args"])),
        (("training", "exec"), to_json(training["exec"])),
        (("training", "deepspeed", "config"), to_json(training["deepspeed"]["config"])),
        (("training", "deepspeed", "args"), to_json(training["deepspeed"]["args"])),
        (("launch", "command"), to_json(values["launch"]["command"])),
        (("lifecycle", "debug", "command"), to_json(values["lifecycle"]["debug"]["command"])),
        (("code", "git", "knownHosts"), values["code"]["git"]["knownHosts"]),
        (WORKERS, _hostfile(values, job)),
    )
    return dict(texts)


def _hostfile(values: Mapping[str, Any], job: str) -> str:
    run, slots = f"{job}-{scalar(values['run']['id'])}", scalar(values["workers"]["slots"])
    before, after = f"{run}-worker-", f".{run} slots={slots}\n"
    return before + f"{after}{before}".join(map(str, range(int(helpers().worker_pods(values))))) + after


def _bytes(text: str) -> int:
    return len(text.encode(errors="replace"))


@functools.lru_cache(maxsize=256)
def _json_bytes(text: str) -> int:
    """The size as kubectl writes it: JSON in Go also escapes <, > and &."""
    return _bytes(to_json(text)) + 5 * sum(map(text.count, "<>&"))


FUNCTIONS = (
    Function(files_size, {"DS253": (), "DS258": LOOKS_AT}),
    Function(config_size, {"DS257": LOOKS_AT, "DS258": LOOKS_AT}),
)
