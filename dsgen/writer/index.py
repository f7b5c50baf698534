"""The index of a folder: what dsgen wrote there, so that nothing of anybody else's is lost and no run changes.

It is the file `.dsgen-index`, JSON; without an extension, so that kubectl, Argo CD and Flux leave it alone. It may have
been damaged, merged by Git, written by another version of dsgen, or by somebody who wants dsgen to do harm.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex

from dsgen import __version__
from dsgen.errors import DsgenError
from dsgen.records import dataclass, field
from dsgen.writer.folder import Refused
from dsgen.writer.paths import is_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dsgen.writer.folder import Folder

INDEX = ".dsgen-index"
INDEX_VERSION = 2  # version 1 had a checksum for each run, and no version of dsgen
DEEPEST = 200  # levels of values; a values file has fewer
LARGEST = 8 * 2**20

_CHECKSUM = re.compile(r"[0-9a-f]{64}")
_MERGE_MARKS = re.compile(rb"^(?:<{7} .*|={7}|>{7} .*)\r?$", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    """A run that was written. sha256: of its objects; dsgen: the version that wrote it, empty where nobody knows."""

    sha256: str
    dsgen: str = ""


@dataclass(frozen=True)
class Index:
    """What a folder's index says. files: path -> checksum; frozen: the paths of the run's files; runs: id -> run;
    values: what the user gave for the run in the folder, canonical JSON, "" where nobody knows. made_of: a checksum of
    everything that the files were made of, "" where nobody knows.

    dsgen: the version that last changed something in the folder.
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

    def as_text(self) -> str:
        """The text of the file."""
        content: dict[str, Any] = {"version": INDEX_VERSION, "dsgen": self.dsgen, "owner": self.owner}
        if self.run:
            runs = {name: {"sha256": run.sha256, "dsgen": run.dsgen} for name, run in self.runs.items()}
            content |= {"run": self.run, "runs": runs}
        files = {
            path: {**({"run": self.run} if path in self.frozen else {}), "sha256": self.files[path]}
            for path in sorted(self.files)
        }
        content |= {"values": json.loads(self.values)} if self.values else {}
        content |= {"madeOf": self.made_of} if self.made_of else {}
        return json.dumps({**content, "files": files}, indent=2) + "\n"


def canonical(values: Any) -> str:
    """Values as JSON, the same for equal values."""
    return json.dumps(values, sort_keys=True)


def checksum(content: bytes) -> str:
    """The same with line ends of Windows, which Git may put into a working copy."""
    return hashlib.sha256(unix(content)).hexdigest()


def unix(content: bytes) -> bytes:
    """With line ends of Unix; dsgen writes no others."""
    return content.replace(b"\r\n", b"\n") if b"\r" in content else content


def read_index(folder: Folder, name: str = INDEX) -> Index | None:
    """The index of a folder; None when there is none.

    Raises Refused when a newer dsgen wrote it, and DsgenError when it cannot be understood.
    """
    content = folder.read(name, LARGEST)
    if content is None:
        return None
    try:
        found = json.loads(content, parse_constant=_no_number)
        version = found["version"]
        if isinstance(version, int) and version > INDEX_VERSION:
            raise Refused(_newer(folder, found.get("dsgen")))
        return _parsed(found, version)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DsgenError(*_damaged(folder, content, error)) from error


def _newer(folder: Folder, writer: Any) -> str:
    known = isinstance(writer, str) and writer.isprintable() and len(writer) <= 40
    version = f"dsgen {writer}" if known else "a newer dsgen"
    return f"{folder.place.path} was written by {version}, this is {__version__}: use that version or a later one"


def _damaged(folder: Folder, content: bytes, error: Exception) -> tuple[str, ...]:
    where = folder.shown(INDEX)
    if _MERGE_MARKS.search(content):
        path = shlex.quote(str(folder.place.path))
        return (
            f"{where} has the marks of a Git merge: two branches rendered into this folder. "
            "Take the folder as it is on the branch that you are on:",
            f"  git rm -rfq {path} && git checkout HEAD -- {path}",
            "Then render again, with a run.id that neither branch has used",
        )
    why = str(error) if isinstance(error, ValueError) else "it does not have the form of an index"
    return (
        f"{where} cannot be understood ({why}). "
        "Restore it from version control, or delete it together with what dsgen wrote beside it, and render again",
    )


def _parsed(found: Any, version: Any) -> Index:
    """Raises ValueError, KeyError, TypeError or AttributeError for what dsgen did not write."""
    if version is True or version not in (1, INDEX_VERSION):
        raise ValueError("its version is not one")
    files = {_path(path): _checksum(entry["sha256"]) for path, entry in found["files"].items()}
    frozen = frozenset(path for path, entry in found["files"].items() if "run" in entry)
    runs = {_word(name): _run(entry, version) for name, entry in found.get("runs", {}).items()}
    writer = _word(found["dsgen"]) if version > 1 else ""
    values = _values(found["values"]) if "values" in found else ""
    made_of = _checksum(found["madeOf"]) if "madeOf" in found else ""
    run = _word(found.get("run", ""))
    return Index(_word(found["owner"]), run, files, frozen, runs, writer, version, values, made_of)


def _run(entry: Any, version: int) -> Run:
    return Run(_checksum(entry)) if version == 1 else Run(_checksum(entry["sha256"]), _word(entry["dsgen"]))


def _values(found: Any, depth: int = 0) -> str:
    """Raises ValueError for what no values file can have."""
    parts = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    if depth > DEEPEST or (depth == 0 and not isinstance(found, dict)):
        raise ValueError("it has values that are none")
    for part in parts:
        _values(part, depth + 1)
    return canonical(found) if depth == 0 else ""


def _no_number(text: str) -> float:
    raise ValueError(f"it has the number {text}")


def _path(path: str) -> str:
    if not (is_path(path) and path.isprintable()):
        raise ValueError(f"it names {path[:200]!a}, which is not a path inside the folder")
    return path


def _checksum(text: Any) -> str:
    if not (isinstance(text, str) and _CHECKSUM.fullmatch(text)):
        raise ValueError("it has a checksum that is none")
    return text


def _word(text: Any) -> str:
    """Text that may be shown: no half characters, and nothing that a terminal obeys."""
    if not (isinstance(text, str) and text.isprintable()):
        raise ValueError("it has a name that is no text")
    return text
