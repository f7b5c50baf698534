"""The index of a folder: a record of what dsgen wrote there, so that no other file is lost and no run changes.

It is the JSON file `.dsgen-index`; without an extension, so that kubectl, Argo CD and Flux ignore it. Its content is
not trusted: it may be damaged, merged by Git, written by another version of dsgen, or malicious.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dsgen import __version__
from dsgen.errors import DsgenError
from dsgen.writer.folder import Folder, RefusedError, is_path

INDEX = ".dsgen-index"
INDEX_VERSION = 2  # version 1 had a checksum for each run, but no version of dsgen
DEEPEST = 200  # levels of values; a values file has fewer
LARGEST = 8 * 2**20

_CHECKSUM = re.compile(r"[0-9a-f]{64}")
_RUNTIME = re.compile(r"[a-z0-9-]+/[0-9a-f]+")
_MERGE_MARKS = re.compile(rb"^(?:<{7} .*|={7}|>{7} .*)\r?$", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    """A run that was written. sha256: of its objects; dsgen: the version that wrote it, empty if unknown."""

    sha256: str
    dsgen: str = ""


@dataclass(frozen=True)
class Index:
    """The content of an index.

    files: path -> checksum; frozen: the paths of the run's files; runs: id -> run. values: the user's values of the run
    in the folder, canonical JSON, "" if unknown. made_of: a checksum of all inputs of the files, "" if unknown. dsgen:
    the version that last changed the folder. runtime: NAME/DIGEST of the shared scripts of the run, "" for its own.
    """

    owner: str = ""
    run: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    frozen: frozenset[str] = frozenset()
    runs: Mapping[str, Run] = field(default_factory=dict)
    dsgen: str = __version__
    version: int = INDEX_VERSION
    values: str = ""
    made_of: str = ""
    runtime: str = ""

    def as_text(self) -> str:
        """The text of the index file. All facts that change with a run share a line, so that its diff is short."""
        facts = {"version": INDEX_VERSION, "dsgen": self.dsgen, "owner": self.owner}
        others = {"run": self.run, "runtime": self.runtime, "madeOf": self.made_of}
        facts |= {key: text for key, text in others.items() if text}
        runs = {name: {"sha256": run.sha256, "dsgen": run.dsgen} for name, run in self.runs.items()}
        files = {
            path: {**({"run": self.run} if path in self.frozen else {}), "sha256": self.files[path]}
            for path in sorted(self.files)
        }
        parts = [json.dumps(facts)[1:-1]]
        parts += [_format_table("runs", runs)] if self.run else []
        parts += [_format_table("values", json.loads(self.values))] if self.values else []
        return "{\n  " + ",\n  ".join([*parts, _format_table("files", files)]) + "\n}\n"


def _format_table(name: str, table: Mapping[str, Any]) -> str:
    """A map of an index; each file, run and value has one line."""
    return f'"{name}": {{\n' + ",\n".join(f"    {json.dumps(key)}: {json.dumps(table[key])}" for key in table) + "\n  }"


def as_canonical_json(values: Any) -> str:
    """Values as JSON, the same for equal values."""
    return json.dumps(values, sort_keys=True)


def compute_checksum(content: bytes) -> str:
    """A checksum that ignores Windows line ends, which Git may write into a working copy."""
    return hashlib.sha256(use_unix_line_ends(content)).hexdigest()


def use_unix_line_ends(content: bytes) -> bytes:
    """The content with Unix line ends, which dsgen writes."""
    return content.replace(b"\r\n", b"\n") if b"\r" in content else content


def read_index(folder: Folder, name: str = INDEX) -> Index | None:
    """The index of a folder, or None.

    Raises RefusedError if a newer dsgen wrote it, and DsgenError if it is invalid.
    """
    content = folder.read(name, LARGEST)
    if content is None:
        return None
    try:
        data = json.loads(content, parse_constant=_refuse_number)
        version = data["version"]
        if isinstance(version, int) and version > INDEX_VERSION:
            raise RefusedError(_explain_newer(folder, data.get("dsgen")))
        return _parse(data, version)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DsgenError(*_find_damage(folder, content, error)) from error


def _explain_newer(folder: Folder, writer: Any) -> str:
    known = isinstance(writer, str) and writer.isprintable() and len(writer) <= 40
    version = f"dsgen {writer}" if known else "a newer dsgen"
    return f"{folder.place.path} was written by {version}, this is {__version__}: use that version or a later one"


def _find_damage(folder: Folder, content: bytes, error: Exception) -> tuple[str, ...]:
    where = str(folder.place.path / INDEX)
    if _MERGE_MARKS.search(content):
        path = shlex.quote(str(folder.place.path))
        return (
            f"{where} has the conflict markers of a Git merge: two branches rendered into this folder. "
            "Restore the folder of your branch:",
            f"  git rm -rfq {path} && git checkout HEAD -- {path}",
            "Then render again, with a run.id that neither branch has used",
        )
    why = str(error) if isinstance(error, ValueError) else "it is not an index"
    return (
        f"{where} is invalid ({why}). "
        "Restore it from version control, or delete it together with the files that dsgen wrote, and render again",
    )


def _parse(data: Any, version: Any) -> Index:
    """Raises ValueError, KeyError, TypeError or AttributeError for data that dsgen did not write."""
    if version is True or version not in (1, INDEX_VERSION):
        raise ValueError("its version is invalid")
    files = {_check_path(path): _check_checksum(entry["sha256"]) for path, entry in data["files"].items()}
    frozen = frozenset(path for path, entry in data["files"].items() if "run" in entry)
    runs = {}
    for name, entry in data.get("runs", {}).items():
        sha256, by = (entry, "") if version == 1 else (entry["sha256"], entry["dsgen"])
        runs[_check_word(name)] = Run(_check_checksum(sha256), _check_word(by))
    writer = _check_word(data["dsgen"]) if version > 1 else ""
    values = _check_values(data["values"]) if "values" in data else ""
    made_of = _check_checksum(data["madeOf"]) if "madeOf" in data else ""
    run = _check_word(data.get("run", ""))
    runtime = _check_word(data.get("runtime", ""))
    if runtime and not _RUNTIME.fullmatch(runtime):
        raise ValueError("its runtime is invalid")
    return Index(_check_word(data["owner"]), run, files, frozen, runs, writer, version, values, made_of, runtime)


def _check_values(data: Any, depth: int = 0) -> str:
    """Raises ValueError for data that cannot be values."""
    parts = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    if depth > DEEPEST or (depth == 0 and not isinstance(data, dict)):
        raise ValueError("its values are invalid")
    for part in parts:
        _check_values(part, depth + 1)
    return as_canonical_json(data) if depth == 0 else ""


def _refuse_number(text: str) -> float:
    raise ValueError(f"it has the number {text}")


def _check_path(path: str) -> str:
    if not is_path(path):
        raise ValueError(f"it names {path[:200]!a}, which is not a path inside the folder")
    return path


def _check_checksum(text: Any) -> str:
    if not (isinstance(text, str) and _CHECKSUM.fullmatch(text)):
        raise ValueError("it has an invalid checksum")
    return text


def _check_word(text: Any) -> str:
    """Text that is safe to print: no lone surrogates and no control characters."""
    if not (isinstance(text, str) and text.isprintable()):
        raise ValueError("it has an invalid name")
    return text
