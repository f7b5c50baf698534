"""What is wrong in the user's files, where, and what to do about it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]

COLORS = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "place": "\x1b[1m", "caret": "\x1b[1;32m"}
RESET = "\x1b[0m"
FRAME_WIDTH = 120
"""Columns of a source line that a frame shows; longer lines are cut around the caret."""


TITLES = {
    # reading a file
    "DS001": "The file is not YAML",
    "DS002": "A character that YAML does not allow, or bytes that are not UTF-8",
    "DS003": "The file is not a map of keys",
    "DS004": "A key is there twice",
    "DS005": "A merge (<<) that Helm reads differently from YAML, or of something that is no map",
    "DS006": "More than one document, or a directive",
    "DS007": "A tag",
    "DS008": "A number that Helm cannot hold",
    "DS009": "An alias that names nothing, or aliases that expand to too much",
    "DS010": "A key that is no text, or too long",
    "DS011": "Nested too deep",
    "DS012": "The file ends inside a text block, without a newline",
    "DS013": "An escape that Helm cannot read",
    "DS014": "A question mark without quotes inside brackets",
    "DS015": "A line that begins with --- and goes on",
    "DS050": "A spelling that Helm reads in a surprising way",
    # the schema
    "DS101": "An unknown key",
    "DS102": "A value of the wrong type",
    "DS103": "A value that is not one of those possible",
    "DS104": "A text of the wrong form",
    "DS105": "A number out of range",
    "DS106": "A key without a value",
    "DS107": "A key that is needed is missing",
    "DS108": "Too few, too many or excluding entries",
    "DS109": "A name of the wrong form",
    "DS110": "A run id that would be read as another one",
    "DS111": "A character or a key that Helm cannot read",
    # checks of the whole
    "DS201": "No image",
    "DS202": "Nothing to train",
    "DS203": "More than one thing to train",
    "DS204": "Names that are too long",
    "DS205": "A job name of the wrong form",
    "DS206": "More processes than GPUs",
    "DS207": "Several processes on MIG slices",
    "DS208": "The accelerator among the resources",
    "DS209": "Several processes on shares of GPUs",
    "DS210": "A volume without a source",
    "DS211": "A volume with several sources",
    "DS212": "A reserved mount path",
    "DS213": "A volume at /dev/shm",
    "DS214": "A path that leads out of its volume",
    "DS215": "A volume of one node for several workers",
    "DS216": "A volume of one pod for several pods",
    "DS217": "A claim for which nothing is provisioned",
    "DS218": "ReadWriteOncePod beside other access modes",
    "DS219": "A claim of nothing",
    "DS220": "A reserved environment variable",
    "DS221": "Two DeepSpeed configurations",
    "DS222": "A variable inside a value, which nothing replaces",
    "DS223": "A reserved prefix of variables",
    "DS224": "An argument that is passed already",
    "DS225": "Autotuning without a configuration",
    "DS226": "A device that is given twice, or is none",
    "DS227": "Networks of their own for pods on the host's network",
    "DS228": "An annotation that is written from another key",
    "DS229": "Memory that is not locked for RDMA",
    "DS230": "A reserved label or annotation",
    "DS231": "An annotation that is there twice",
    "DS232": "A field of the pod that dsgen writes",
    "DS233": "A field of the container that dsgen writes",
    "DS234": "A container with a name of dsgen's",
    "DS235": "Two containers of one name",
    "DS236": "A mount of an unknown volume",
    "DS237": "Two rules that keep workers apart",
    "DS238": "A claim of devices that the pod does not have",
    "DS239": "Workers that may look for each other on the loopback",
    "DS240": "A Secret's name that is not used",
    "DS241": "A Secret's name that is taken",
    "DS242": "Two services on one port",
    "DS243": "A port that only root may use",
    "DS244": "The port of the node's own sshd",
    "DS245": "A NetworkPolicy that binds nothing",
    "DS246": "Two addresses for one webhook",
    "DS247": "A record that is sent as plain text",
    "DS248": "A password in an address",
    "DS249": "A user that cannot log in",
    "DS250": "An image without a fixed version",
    "DS251": "Two volumes at one path",
    "DS252": "A PersistentVolume without a usable source",
    "DS253": "Files that are too large",
    "DS254": "A mount inside a volume that cannot hold it",
    "DS255": "A mount of a volume of other pods",
    "DS256": "A request above its limit",
    "DS257": "A configuration that is too large",
    "DS258": "An object that kubectl apply does not take",
    "DS259": "Devices or huge pages that Kubernetes refuses",
    # DeepSpeed's configuration
    "DS260": "A key that DeepSpeed does not know",
    "DS261": "A value of the wrong type for DeepSpeed",
    "DS262": "A value that DeepSpeed does not take",
    "DS263": "A key that not all versions of DeepSpeed have",
    "DS265": "Batch sizes that do not fit the number of processes",
    "DS266": "Two precisions at once",
    "DS267": "Settings of DeepSpeed that exclude or need one another",
    "DS268": "A setting of DeepSpeed without an effect",
    "DS269": "A scheduler without its parameters",
    # how the training is started
    "DS270": "No command for a method that starts one",
    "DS271": "A command for a method that starts none",
    "DS272": "A program beside the command",
    "DS273": "A setting that needs ssh",
    "DS274": "Autotuning without pdsh",
    "DS275": "A setting of a launcher that does not run",
    "DS276": "Too many workers for pdsh",
    "DS277": "Too little memory for the launcher",
    "DS278": "A small request of memory for the launcher",
    "DS279": "More shared memory than memory",
    "DS280": "An argument of DeepSpeed's launcher that conflicts with dsgen",
    "DS281": "An argument that DeepSpeed's launcher does not take",
    "DS282": "Workers or slots that are not in the hostfile",
    "DS283": "An argument that only some versions of DeepSpeed have",
    "DS284": "An argument that hides or loses something",
    "DS286": "A command for debugging that is not run",
    "DS287": "A size of the shared memory that means another one",
    # code from Git
    "DS290": "A setting of a repository that is not given",
    "DS291": "Code that may change under one run id",
    "DS292": "A repository over ssh without a key",
    "DS293": "A repository over ssh without known hosts",
    "DS294": "A password that is sent as plain text",
    "DS295": "An address or a revision that git does not take",
    # queues, gangs, topology
    "DS300": "One queue for workers and launcher",
    "DS301": "A queue for the launcher alone",
    "DS302": "A priority without a queue",
    "DS303": "Two topologies",
    "DS304": "Two rules that keep workers together",
    "DS305": "Rules for the nodes that exclude one another",
    "DS306": "A resource that the queue may not cover",
    "DS307": "Tolerations beside those of the queue",
    "DS308": "A choice of nodes that the queue may not see",
    "DS309": "Two that suspend one Job",
    "DS310": "A gang for a scheduler that knows none",
    # the Pod Security Standards
    "DS320": "Pod Security: capabilities",
    "DS321": "Pod Security: privileged containers",
    "DS322": "Pod Security: namespaces of the host",
    "DS323": "Pod Security: hostPath volumes",
    "DS324": "Pod Security: ports of the host",
    "DS325": "Pod Security: the mount of /proc",
    "DS326": "Pod Security: SELinux",
    "DS327": "Pod Security: seccomp",
    "DS328": "Pod Security: sysctls",
    "DS329": "Pod Security: AppArmor",
    "DS330": "Pod Security: processes of a Windows host",
    "DS331": "Pod Security: types of volumes",
    "DS332": "Pod Security: escalation of privileges",
    "DS333": "Pod Security: running as root",
    "DS334": "Pod Security: the user 0",
    "DS335": "Pod Security: capabilities that are kept",
    "DS336": "Pod Security: probes and hooks of other hosts",
    # what Kubernetes refuses at any level
    "DS337": "A setting of the node's network",
    "DS338": "A restart policy of an init container or a sidecar",
    "DS339": "A toleration that Kubernetes refuses",
    "DS344": "A pod that shows its containers each other's processes",
    # what is watched, how long it stays
    "DS340": "A name that is too long for a Service",
    "DS341": "TensorBoard without a folder",
    "DS342": "A folder that TensorBoard cannot see",
    "DS343": "A run with the name of TensorBoard",
    "DS350": "Jobs that are deleted under a GitOps tool",
    "DS351": "Exit codes for restarts that do not happen",
    # the command line
    "DS901": "No name or namespace for the manifests",
    "DS902": "Two jobs with the same name and namespace",
}
"""Every id that a diagnostic can have, for ever; a new kind of problem gets a new one."""


@dataclass(frozen=True)
class Position:
    """A place in a file, 1-based; a column counts characters. For `--set` the file is the flag's name, line is 1."""

    file: str
    line: int
    column: int


@dataclass(frozen=True)
class Diagnostic:
    """One problem.

    id: stable, such as DS101; path: the key it is about, dotted (`workers.slots`); hint: what to do, what is possible.
    """

    id: str
    message: str
    position: Position | None
    path: str = ""
    hint: str = ""
    severity: Severity = "error"


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Warnings alone do not stop anything."""
    return any(found.severity == "error" for found in diagnostics)


def ordered(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorted by file, line, column and id, without duplicates; those without a place come first."""
    return sorted(dict.fromkeys(diagnostics), key=_sort_key)


def _sort_key(found: Diagnostic) -> tuple[str, int, int, str, str, str]:
    place = found.position or Position("", 0, 0)
    return place.file, place.line, place.column, found.id, found.path, found.message


def as_text(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str], color: bool = False) -> str:
    """`file:line:col: error: message [DS012]`, the line with a caret under the place, then the hint.

    sources: the text of each file by the name that positions use; a file that is not there gets no frame.
    """
    lines = {name: _lines(text) for name, text in sources.items()}
    return "".join(_one(found, lines, color) for found in ordered(diagnostics))


def _lines(text: str) -> list[str]:
    # Only what YAML's reader counts as a line end: str.splitlines() also splits at form feeds and separators.
    for end in ("\r\n", "\r", "\x85", "\u2028", "\u2029"):
        text = text.replace(end, "\n")
    return text.split("\n")


def _one(found: Diagnostic, lines: Mapping[str, list[str]], color: bool) -> str:
    place = found.position
    where = f"{visible(place.file)}:{place.line}:{place.column}: " if place else ""
    severity = _paint(found.severity, found.severity, color)
    text = f"{_paint(where, 'place', color)}{severity}: {visible(found.message)} [{found.id}]\n"
    if place and place.line <= len(lines.get(place.file, ())):
        text += _frame(lines[place.file][place.line - 1], place.column, color)
    if found.hint:
        text += "".join(f"  hint: {visible(line)}\n" for line in found.hint.split("\n"))
    return text


def _frame(line: str, column: int, color: bool) -> str:
    shown, at = _cut(line, column - 1)
    before = "".join(" " * _width(char) for char in visible(shown[:at]))
    return f"    {visible(shown)}\n    {before}{_paint('^', 'caret', color)}\n"


def _cut(line: str, at: int) -> tuple[str, int]:
    if len(line) <= FRAME_WIDTH:
        return line, at
    start = max(0, min(at - FRAME_WIDTH // 2, len(line) - FRAME_WIDTH))
    return line[start : start + FRAME_WIDTH], at - start


def visible(text: str) -> str:
    """The text with control characters replaced, so that a file cannot write escape sequences to the terminal."""
    return "".join(_visible_char(char) for char in text)


def _visible_char(char: str) -> str:
    if char == "\t":
        return " "
    return char if char.isprintable() else "\ufffd"


def _width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _paint(text: str, role: str, color: bool) -> str:
    return f"{COLORS[role]}{text}{RESET}" if color and text else text
