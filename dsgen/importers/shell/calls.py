"""Commands of a script with their redirections: files that they write, and calls of functions and other scripts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from dsgen.importers.errors import ImportRefusedError
from dsgen.importers.launchers import rank_command
from dsgen.importers.shell.commands import (
    LOADS_CONDA,
    OF_SSH,
    PREPARES,
    SSH,
    WRAPPERS,
    count_wrapper_words,
    find_meaning,
)
from dsgen.importers.shell.reader import DEEPEST, ITSELF, EventKind, Launch, ScriptReader, list_arguments
from dsgen.importers.shell.substitutions import HOSTS
from dsgen.importers.shell.syntax import Script
from dsgen.importers.texts import Text, join, place_at

if TYPE_CHECKING:
    from tree_sitter import Node

HOSTFILE = "dsgen writes the hostfile"
LOG = "the log of the pods has the output"
INPUT = "the training would read it, and pods have no standard input"
INPUT_HINT = "put the text into a file of the image or of training.files, and read that file in the program"


def read_pipeline(reader: ScriptReader, script: Script, node: Node) -> None:
    if is_hostfile(reader, script, node):
        return
    for child in node.children:
        if child.is_named:
            reader.read_statement(script, child)


def read_redirected(reader: ScriptReader, script: Script, node: Node) -> None:
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


def note_redirects(reader: ScriptReader, script: Script, redirects: Sequence[Node]) -> None:
    """The output of a training is in the log of its pods; nothing is its input."""
    for one in redirects:
        is_input = script.read_text(one).chars.startswith("<") and "/dev/null" not in script.read_text(one).chars
        if is_input:
            reader.add_event("lost", script.read_text(one), INPUT, INPUT_HINT)
        else:
            reader.add_event("dropped", script.read_text(one), LOG)


def _find_target(reader: ScriptReader, script: Script, redirects: Sequence[Node]) -> Text:
    """The file to which a command writes."""
    for one in redirects:
        sign = script.read_text(one).chars
        if one.type == "file_redirect" and one.named_children and sign[0] == ">" and not sign.startswith(">&"):
            return reader.make_expansion(script).expand_text(one.named_children[-1])
    return Text()


def _read_heredoc(
    reader: ScriptReader, script: Script, node: Node, body: Node | None, heredoc: Node, target: Text
) -> None:
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


def _read_echo(reader: ScriptReader, script: Script, node: Node, body: Node, target: Text) -> bool:
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


def _note_file(reader: ScriptReader, statement: Text, target: Text, content: Text) -> None:
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


def is_hostfile(reader: ScriptReader, script: Script, node: Node) -> bool:
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


def read_command(reader: ScriptReader, script: Script, node: Node) -> None:
    expansion = reader.make_expansion(script)
    prefix = dict[str, Text]()
    for child in node.children:
        if child.type == "variable_assignment":
            value = child.child_by_field_name("value")
            prefix[script.read_text(child.children[0]).chars] = (
                expansion.expand_text(value) if value is not None else Text()
            )
    words = expansion.expand_words(list_arguments(node))
    if words and words[0].chars in ("perl", "awk", "python", "python3") and is_hostfile(reader, script, node):
        return
    before = len(reader.launches)
    read_words(reader, words, script.read_text(node), prefix)
    if len(reader.launches) > before:
        note_redirects(reader, script, [one for one in node.children if one.type == "herestring_redirect"])


def read_words(
    reader: ScriptReader, words: list[Text], statement: Text, prefix: dict[str, Text], stdin: Text | None = None
) -> None:
    """A command line whose words are expanded."""
    while words and (match := re.match(r"([A-Za-z_]\w*)=", words[0].chars)) and len(words) > 1:
        prefix = {**prefix, match[1]: words[0][match.end() :]}
        words = words[1:]
    if not words:
        for name, value in prefix.items():
            reader.scope.assign(name, value)
        reader.add_event("dropped", statement, "it runs nothing")
        return
    name = words[0].chars if words[0].chars in WRAPPERS else posixpath.basename(words[0].chars)
    handle = COMMANDS.get(name)
    if handle and handle(reader, words, statement, prefix, stdin):
        return
    if name in reader.functions:
        reader.add_event("dropped", statement, f"the commands of {name} were read")
        _call_function(reader, name, words[1:])
    elif _is_wrapper(name, words):
        _read_wrapped(reader, name, words, statement, prefix, stdin)
    else:
        _read_plain(reader, words, statement, prefix)


def _is_wrapper(name: str, words: Sequence[Text]) -> bool:
    if name not in WRAPPERS:
        return False
    verbs = WRAPPERS[name].verbs
    return not verbs or any(word.chars in verbs for word in words[1:4])


def _read_wrapped(
    reader: ScriptReader, name: str, words: list[Text], statement: Text, prefix: dict[str, Text], stdin: Text | None
) -> None:
    wrapper, start = WRAPPERS[name], 1
    if wrapper.verbs:
        start = next(index for index, word in enumerate(words) if word.chars in wrapper.verbs) + 1
    end = start + count_wrapper_words(wrapper, words[start:])
    rest = words[end:]
    was, reader.wrappers = reader.wrappers, [*reader.wrappers, (name, words[:end])]
    had = reader.has_nodes
    reader.has_nodes |= wrapper.is_remote
    if stdin and not rest:
        reader.read_inner(stdin)
    elif wrapper.is_remote and rest:
        reader.read_inner(join(rest, " "))
    elif rest:
        read_words(reader, rest, statement, prefix, stdin)
    else:
        reader.add_event("dropped", statement, "it runs nothing")
    reader.wrappers, reader.has_nodes = was, had


def _call_function(reader: ScriptReader, name: str, arguments: list[Text]) -> None:
    script, body = reader.functions[name]
    reader.depth += 1
    if reader.depth > DEEPEST:
        raise ImportRefusedError(
            "the functions call each other without end", reader.atlas.resolve_place(script.text.places[0])
        )
    was, reader.scope.arguments = reader.scope.arguments, arguments
    reader.read_statement(script, body)
    reader.scope.arguments = was
    reader.depth -= 1


def _read_shell(
    reader: ScriptReader, words: list[Text], statement: Text, prefix: dict[str, Text], stdin: Text | None
) -> bool:
    """`bash -c TEXT`, `bash FILE`, `bash <<EOF`."""
    for index, word in enumerate(words[1:], 1):
        if re.fullmatch(r"-[a-z]*c[a-z]*", word.chars) and index + 1 < len(words):
            was, reader.scope = reader.scope, reader.scope.make_inner()
            for name, value in prefix.items():
                reader.scope.assign(name, value)
                reader.scope.export(name, value.places[0] if value.places else 0)
            reader.scope.arguments = words[index + 3 :] if words[index + 2 :] else None
            reader.read_commands(words[index + 1])
            reader.scope = was
            return True
        if not word.chars.startswith("-"):
            return _read_file(reader, words[index:], statement)
    if stdin:
        reader.read_inner(stdin)
        return True
    return False


def _read_file(reader: ScriptReader, words: list[Text], statement: Text) -> bool:
    """A script that this one wrote, or that was given beside it."""
    name = reader.atlas.format_text(words[0])
    content = reader.files[name][1] if name in reader.files else _find_helper(reader, name)
    if content is None:
        return False
    was, reader.scope = reader.scope, reader.scope.make_inner()
    reader.scope.arguments, reader.scope.name = words[1:], posixpath.basename(name)
    reader.add_event("dropped", statement, f"the commands of {posixpath.basename(name)} were read")
    reader.read_commands(content)
    reader.scope = was
    return True


def _find_helper(reader: ScriptReader, name: str) -> Text | None:
    """A script that was given beside this one, by its path or its file name."""
    return reader.helpers.get(name, reader.helpers.get(posixpath.basename(name)))


def _read_source(reader: ScriptReader, words: list[Text], statement: Text, _: dict[str, Text], __: Text | None) -> bool:
    name = posixpath.basename(words[1].chars) if len(words) > 1 else ""
    if name not in reader.helpers:
        return False
    reader.add_event("dropped", statement, f"the commands of {name} were read")
    reader.read_commands(reader.helpers[name])
    return True


def _read_eval(reader: ScriptReader, words: list[Text], statement: Text, _: dict[str, Text], __: Text | None) -> bool:
    text = join(words[1:], " ")
    if any(one.kind == "command" for one in reader.atlas.list_unknowns(text)):
        reader.add_event("loaded", statement, "it prepares the shell")
    elif text:
        reader.read_commands(text)
    return True


def _read_cd(reader: ScriptReader, words: list[Text], statement: Text, _: dict[str, Text], __: Text | None) -> bool:
    if words[0].chars == "popd":
        reader.add_event("dropped", statement, ITSELF)
        return True
    target = words[-1] if len(words) > 1 else reader.scope.resolve_text("HOME", statement.places[:1], "$HOME")
    is_absolute = target.chars.startswith("/") or not target[:1].is_known
    if not is_absolute and reader.folder is not None:
        target = join([reader.folder, target], "/")
    reader.folder = target
    reader.add_event("folder", statement, value=target)
    return True


def _read_exit(reader: ScriptReader, words: list[Text], statement: Text, _: dict[str, Text], __: Text | None) -> bool:
    reader.is_over = words[0].chars == "exit" and reader.is_certain and not reader.wrappers
    reader.add_event("dropped", statement, "it ends the script")
    return True


def _read_set(reader: ScriptReader, words: list[Text], statement: Text, _: dict[str, Text], __: Text | None) -> bool:
    options = " ".join(word.chars for word in words[1:])
    if re.search(r"(^| )-[a-z]*a|allexport", options):
        reader.scope.exports_all = "+o allexport" not in options
    elif re.search(r"(^| )\+[a-z]*a", options):
        reader.scope.exports_all = False
    if words[1:2] and words[1].chars == "--":
        reader.scope.arguments = words[2:]
    ends = re.search(r"(^| )-[a-z]*e|errexit", options) is not None and not reader.wrappers
    reader.add_event("setup" if ends else "dropped", statement, ITSELF, name="set")
    return True


def _read_env(
    reader: ScriptReader, words: list[Text], statement: Text, prefix: dict[str, Text], stdin: Text | None
) -> bool:
    rest = words[1:]
    while rest and rest[0].chars.startswith("-"):
        rest = rest[2:] if rest[0].chars in ("-u", "--unset", "-C") else rest[1:]
    if not rest:
        return False
    read_words(reader, rest, statement, prefix, stdin)
    return True


def _read_plain(reader: ScriptReader, words: list[Text], statement: Text, prefix: dict[str, Text]) -> None:
    """A command that is no wrapper: it may start the training."""
    rank = _rank_words(reader, words)
    if rank > 0:
        exported = {
            name: (reader.scope.variables.get(name, Text()), place) for name, place in reader.scope.exported.items()
        }
        reader.launches.append(
            Launch(
                words, statement, reader.wrappers, exported, prefix, reader.folder, rank, len(reader.events),
                reader.is_certain, reader.is_repeated, reader.has_nodes,
            )
        )  # fmt: skip
        return
    found = find_meaning([word.chars for word in words])
    files = [posixpath.basename(word.chars) for word in words[1:] if not word.chars.startswith("-")]
    if words[0].chars == "rm" and files and all("host" in file for file in files):
        reader.add_event("dropped", statement, HOSTFILE)
        return
    kinds: dict[str, EventKind] = {"setup": "setup", "loader": "loaded", "never": "lost", "once": "lost"}
    is_loader = words[0].chars == "conda" and words[1:2] and words[1].chars not in LOADS_CONDA
    reader.add_event(kinds.get("once" if is_loader else found.role, "dropped"), statement, found.why, found.hint)


def _rank_words(reader: ScriptReader, words: Sequence[Text]) -> int:
    shown = [reader.atlas.format_text(word) for word in words]
    is_under = any(name in ("srun", "ssh", "pdsh") for name, _ in reader.wrappers)
    if find_meaning(shown) is not PREPARES and rank_command(shown, is_under) != 3:
        return 0
    return rank_command(shown, is_under)


CommandHandle = Callable[[ScriptReader, list[Text], Text, dict[str, Text], Text | None], bool]
COMMANDS: Mapping[str, CommandHandle] = {
    **dict.fromkeys(("bash", "sh", "dash", "zsh"), _read_shell),
    **dict.fromkeys(("cd", "pushd", "popd"), _read_cd),
    "eval": _read_eval,
    "exit": _read_exit,
    "set": _read_set,
    "env": _read_env,
    "source": _read_source,
    ".": _read_source,
}
