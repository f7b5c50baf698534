"""Redirections of a script: files that it writes, here documents, hostfiles, logs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dsgen.importers.shell.commands import OF_SSH, SSH
from dsgen.importers.shell.reader import Reader, arguments
from dsgen.importers.shell.substitutions import HOSTS
from dsgen.importers.shell.syntax import Script
from dsgen.importers.texts import Text, join, same

if TYPE_CHECKING:
    from tree_sitter import Node

HOSTFILE = "dsgen writes the hostfile"
LOG = "the log of the pods has the output"
INPUT = "the training would read it, and pods have no standard input"
INPUT_HINT = "put the text into a file of the image or of training.files, and read that file in the program"


def read_pipeline(reader: Reader, script: Script, node: Node) -> None:
    if is_hostfile(reader, script, node):
        return
    for child in node.children:
        if child.is_named:
            reader.statement(script, child)


def read_redirected(reader: Reader, script: Script, node: Node) -> None:
    body = node.child_by_field_name("body")
    redirects = [child for child in node.children if child.type.endswith("_redirect")]
    heredoc = next((one for one in redirects if one.type == "heredoc_redirect"), None)
    if heredoc is None and is_hostfile(reader, script, node):
        return
    target = _target(reader, script, [*redirects, *(heredoc.children if heredoc else ())])
    if heredoc is not None:
        _heredoc(reader, script, node, body, heredoc, target)
    elif body is not None and target and body.type == "command" and _is_written(reader, script, node, body, target):
        return
    elif body is not None:
        before = len(reader.launches)
        reader.statement(script, body)
        if len(reader.launches) > before:
            note_redirects(reader, script, redirects)


def note_redirects(reader: Reader, script: Script, redirects: Sequence[Node]) -> None:
    """The output of a training is in the log of its pods; nothing is its input."""
    for one in redirects:
        is_input = script.of(one).chars.startswith("<") and "/dev/null" not in script.of(one).chars
        if is_input:
            reader.event("lost", script.of(one), INPUT, INPUT_HINT)
        else:
            reader.event("dropped", script.of(one), LOG)


def _target(reader: Reader, script: Script, redirects: Sequence[Node]) -> Text:
    """The file to which a command writes."""
    for one in redirects:
        sign = script.of(one).chars
        if one.type == "file_redirect" and one.named_children and sign[0] == ">" and not sign.startswith(">&"):
            return reader.expansion(script).text(one.named_children[-1])
    return Text()


def _heredoc(reader: Reader, script: Script, node: Node, body: Node | None, heredoc: Node, target: Text) -> None:
    start = next((one for one in heredoc.children if one.type == "heredoc_start"), None)
    inner = next((one for one in heredoc.children if one.type == "heredoc_body"), None)
    name = reader.expansion(script).text(body).chars.split(" ")[0] if body is not None else ""
    content = Text()
    if start is not None and inner is not None:
        is_quoted = script.of(start).chars[:1] in ("'", '"', "\\")
        content = reader.expansion(script).heredoc(inner, _line_after(script, start), is_quoted)
    if target and name.startswith(("cat", "tee")):
        _written(reader, script.of(node), target, content)
    elif posixpath.basename(name) in ("bash", "sh", "srun"):
        reader.words(reader.expansion(script).words(arguments(body)) if body else [], script.of(node), {}, content)
    elif body is not None:
        before = len(reader.launches)
        reader.statement(script, body)
        if len(reader.launches) > before:
            reader.event("lost", script.of(node)[len(script.of(body).chars) :].strip(), INPUT, INPUT_HINT)


def _is_written(reader: Reader, script: Script, node: Node, body: Node, target: Text) -> bool:
    """`echo TEXT > FILE`."""
    words = reader.expansion(script).words(arguments(body))
    if not words or words[0].chars not in ("echo", "printf"):
        return False
    is_more = any(script.of(one).chars.startswith(">>") for one in node.children)
    content = join([word for word in words[1:] if word.chars not in ("-e", "-n", "-en")], " ")
    before = reader.files.get(reader.atlas.shown(target))
    if is_more and before:
        content = join([before[1], content], "\n")
    _written(reader, script.of(node), target, content)
    return True


def _written(reader: Reader, statement: Text, target: Text, content: Text) -> None:
    hosts = re.findall(r"(?m)^\S+[ \t]+slots=(\d{1,4})\s*$", content.chars)
    if hosts:
        reader.event("slots", statement, HOSTFILE, name=str(len(hosts)), value=same(hosts[0], statement))
        return
    name = reader.atlas.shown(target)
    if any(folder in name for folder in OF_SSH):
        reader.event("dropped", statement, SSH.why)
        return
    reader.files[name] = (statement, content)
    reader.event("file", statement, name=name, value=content)


def is_hostfile(reader: Reader, script: Script, node: Node) -> bool:
    """Whether a statement writes a hostfile from the names of the nodes."""
    text = script.of(node).chars
    asks = any(re.search(rf"\b{name}\b", text) for name in HOSTS) or "NODELIST" in text or "hosts" in text
    if "slots=" not in text or not asks or len(text) > 2000:
        return False
    match = re.search(r"slots=\\?[\"']?(\$\{?(\w+)\}?|\d{1,4})", text)
    value = Text()
    if match and match[2]:
        value = reader.scope.text(match[2], script.of(node).places[:1])
    elif match:
        value = same(match[1], script.of(node))
    reader.event("slots", script.of(node), HOSTFILE, value=value)
    return True


def _line_after(script: Script, node: Node) -> int:
    end = script.text.chars.find("\n", node.end_byte)
    return end + 1 if end >= 0 else node.end_byte
