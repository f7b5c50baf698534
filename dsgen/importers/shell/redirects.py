"""Redirections of a script: files that it writes, here documents, hostfiles, logs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dsgen.importers.shell.commands import OF_SSH, SSH
from dsgen.importers.shell.reader import Reader, list_arguments
from dsgen.importers.shell.substitutions import HOSTS
from dsgen.importers.shell.syntax import Script
from dsgen.importers.texts import Text, join, place_at

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
            reader.read_statement(script, child)


def read_redirected(reader: Reader, script: Script, node: Node) -> None:
    body = node.child_by_field_name("body")
    redirects = [child for child in node.children if child.type.endswith("_redirect")]
    heredoc = next((one for one in redirects if one.type == "heredoc_redirect"), None)
    if heredoc is None and is_hostfile(reader, script, node):
        return
    target = _find_target(reader, script, [*redirects, *(heredoc.children if heredoc else ())])
    if heredoc is not None:
        _read_heredoc(reader, script, node, body, heredoc, target)
    elif body is not None and target and body.type == "command" and _read_echo(reader, script, node, body, target):
        return
    elif body is not None:
        before = len(reader.launches)
        reader.read_statement(script, body)
        if len(reader.launches) > before:
            note_redirects(reader, script, redirects)


def note_redirects(reader: Reader, script: Script, redirects: Sequence[Node]) -> None:
    """The output of a training is in the log of its pods; nothing is its input."""
    for one in redirects:
        is_input = script.read_text(one).chars.startswith("<") and "/dev/null" not in script.read_text(one).chars
        if is_input:
            reader.add_event("lost", script.read_text(one), INPUT, INPUT_HINT)
        else:
            reader.add_event("dropped", script.read_text(one), LOG)


def _find_target(reader: Reader, script: Script, redirects: Sequence[Node]) -> Text:
    """The file to which a command writes."""
    for one in redirects:
        sign = script.read_text(one).chars
        if one.type == "file_redirect" and one.named_children and sign[0] == ">" and not sign.startswith(">&"):
            return reader.make_expansion(script).expand_text(one.named_children[-1])
    return Text()


def _read_heredoc(reader: Reader, script: Script, node: Node, body: Node | None, heredoc: Node, target: Text) -> None:
    start = next((one for one in heredoc.children if one.type == "heredoc_start"), None)
    inner = next((one for one in heredoc.children if one.type == "heredoc_body"), None)
    name = reader.make_expansion(script).expand_text(body).chars.split(" ")[0] if body is not None else ""
    content = Text()
    if start is not None and inner is not None:
        is_quoted = script.read_text(start).chars[:1] in ("'", '"', "\\")
        content = reader.make_expansion(script).expand_heredoc(inner, _find_next_line(script, start), is_quoted)
    if target and name.startswith(("cat", "tee")):
        _note_file(reader, script.read_text(node), target, content)
    elif posixpath.basename(name) in ("bash", "sh", "srun"):
        reader.read_words(
            reader.make_expansion(script).expand_words(list_arguments(body)) if body else [],
            script.read_text(node),
            {},
            content,
        )
    elif body is not None:
        before = len(reader.launches)
        reader.read_statement(script, body)
        if len(reader.launches) > before:
            reader.add_event(
                "lost", script.read_text(node)[len(script.read_text(body).chars) :].strip(), INPUT, INPUT_HINT
            )


def _read_echo(reader: Reader, script: Script, node: Node, body: Node, target: Text) -> bool:
    """`echo TEXT > FILE`."""
    words = reader.make_expansion(script).expand_words(list_arguments(body))
    if not words or words[0].chars not in ("echo", "printf"):
        return False
    is_more = any(script.read_text(one).chars.startswith(">>") for one in node.children)
    content = join([word for word in words[1:] if word.chars not in ("-e", "-n", "-en")], " ")
    before = reader.files.get(reader.atlas.format_text(target))
    if is_more and before:
        content = join([before[1], content], "\n")
    _note_file(reader, script.read_text(node), target, content)
    return True


def _note_file(reader: Reader, statement: Text, target: Text, content: Text) -> None:
    hosts = re.findall(r"(?m)^\S+[ \t]+slots=(\d{1,4})\s*$", content.chars)
    if hosts:
        reader.add_event("slots", statement, HOSTFILE, name=str(len(hosts)), value=place_at(hosts[0], statement))
        return
    name = reader.atlas.format_text(target)
    if any(folder in name for folder in OF_SSH):
        reader.add_event("dropped", statement, SSH.why)
        return
    reader.files[name] = (statement, content)
    reader.add_event("file", statement, name=name, value=content)


def is_hostfile(reader: Reader, script: Script, node: Node) -> bool:
    """Whether a statement writes a hostfile from the names of the nodes."""
    text = script.read_text(node).chars
    asks = any(re.search(rf"\b{name}\b", text) for name in HOSTS) or "NODELIST" in text or "hosts" in text
    if "slots=" not in text or not asks or len(text) > 2000:
        return False
    match = re.search(r"slots=\\?[\"']?(\$\{?(\w+)\}?|\d{1,4})", text)
    value = Text()
    if match and match[2]:
        value = reader.scope.resolve_text(match[2], script.read_text(node).places[:1])
    elif match:
        value = place_at(match[1], script.read_text(node))
    reader.add_event("slots", script.read_text(node), HOSTFILE, value=value)
    return True


def _find_next_line(script: Script, node: Node) -> int:
    end = script.text.chars.find("\n", node.end_byte)
    return end + 1 if end >= 0 else node.end_byte
