"""Commands of a script with their redirections: files that they write, and calls of functions and other scripts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from dsgen.importers.launchers import parse_launch_command, rank_command
from dsgen.importers.shell.commands import (
    LOADS_CONDA,
    OF_SSH,
    PREPARES,
    SSH,
    WRAPPERS,
    count_wrapper_words,
    find_meaning,
    is_loader,
)
from dsgen.importers.shell.conditions import Conditions
from dsgen.importers.shell.effects import READS, list_written
from dsgen.importers.shell.reader import ITSELF, SHELLS, EventKind, Launch, ScriptEvent, ScriptReader, list_arguments
from dsgen.importers.shell.substitutions import LISTS, LOOKS_UP, OF_HOST, echo
from dsgen.importers.shell.syntax import Script
from dsgen.importers.texts import Text, UnknownPart, join, place_at

if TYPE_CHECKING:
    from tree_sitter import Node

CALL = "dsgen does not follow functions"
SOURCED = "put the file beside the script, or write what it sets into the script"
HOSTFILE = "dsgen writes the hostfile"
LOG = "the log of the pods has the output"
INPUT = "the training would read it, and pods have no standard input"
INPUT_HINT = "put the text into a file of the image or of training.files, and read that file in the program"


def read_pipeline(reader: ScriptReader, script: Script, node: Node) -> None:
    if is_hostfile(reader, script, node):
        return
    for child in node.children:
        if child.is_named:
            with reader.fork():
                reader.read_statement(script, child)


def read_redirected(reader: ScriptReader, script: Script, node: Node) -> bool | None:
    body = node.child_by_field_name("body")
    redirects = [child for child in node.children if child.type.endswith("_redirect")]
    heredoc = next((one for one in redirects if one.type == "heredoc_redirect"), None)
    if heredoc is None and is_hostfile(reader, script, node):
        return None
    target = _find_target(reader, script, [*redirects, *(heredoc.children if heredoc else ())])
    truth: bool | None = None
    if heredoc is not None:
        _read_heredoc(reader, script, node, body, heredoc, target)
    elif body is not None and target and body.type == "command" and _read_echo(reader, script, node, body, target):
        return True
    elif body is not None:
        before = len(reader.launches)
        truth = reader.read_statement(script, body)
        if len(reader.launches) > before:
            note_redirects(reader, script, redirects)
        elif target:
            reader.blur_file(reader.atlas.format_text(target), script.read_text(node).places[0])
    return truth


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
        content = reader.make_expansion(script).expand_heredoc(
            inner, _find_next_line(script, start), is_quoted, heredoc.children[0].type == "<<-"
        )
    if target and name in ("cat", "tee"):
        _note_file(reader, script.read_text(node), target, _append(reader, script, heredoc, node, target, content))
    elif posixpath.basename(name) in ("bash", "sh", "srun") and not target:
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


def _append(reader: ScriptReader, script: Script, heredoc: Node, node: Node, target: Text, content: Text) -> Text:
    """The content of a file after `>`, or after `>>`."""
    redirects = [one for one in (*node.children, *heredoc.children) if one.type == "file_redirect"]
    is_more = any(script.read_text(one).chars.startswith(">>") for one in redirects)
    name = reader.atlas.format_text(target)
    if is_more and name not in reader.files:
        return reader.atlas.add_unknown(UnknownPart("unclear", "", name, content.places[0] if content else 0), [0])
    return reader.files[name][1] + content if is_more else content


def _read_echo(reader: ScriptReader, script: Script, node: Node, body: Node, target: Text) -> bool:
    """`echo TEXT > FILE`."""
    words = reader.make_expansion(script).expand_words(list_arguments(body))
    if not words or words[0].chars != "echo" or body.named_children[0].type == "variable_assignment":
        return False
    text = script.read_text(node)
    content = join(words[1:], " ")
    if echo([word.chars for word in words[1:]]) != content.chars:
        content = reader.atlas.add_unknown(UnknownPart("unclear", "", text.chars, text.places[0]), text.places)
    _note_file(reader, text, target, _append(reader, script, node, node, target, content + place_at("\n", text)))
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
    asks = any(re.search(rf"\b{name}\b", text) for name in (*LISTS, *LOOKS_UP, *OF_HOST))
    asks = asks or "NODELIST" in text or "hosts" in text
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


def read_command(reader: ScriptReader, script: Script, node: Node) -> bool | None:
    expansion = reader.make_expansion(script)
    of = script.read_text(node)
    prefix = dict[str, Text]()
    for child in node.children:
        if child.type == "variable_assignment":
            value = child.child_by_field_name("value")
            prefix[script.read_text(child.children[0]).chars] = (
                expansion.expand_text(value) if value is not None else Text()
            )
    words = expansion.expand_words(list_arguments(node))
    if words and words[0].chars in ("perl", "awk", "python", "python3") and is_hostfile(reader, script, node):
        return None
    if words and words[0].chars in ("test", "[", "true", "false", ":"):
        conditions = Conditions(expansion)
        truth = conditions.decide(node)
        reader.assumed = sorted({one.name for one in conditions.assumed})
        reader.add_event("dropped", of, ITSELF)
        return truth
    before = len(reader.launches)
    truth = read_words(reader, words, of, prefix)
    if len(reader.launches) > before:
        note_redirects(reader, script, [one for one in node.children if one.type == "herestring_redirect"])
    return truth


def read_words(
    reader: ScriptReader, words: list[Text], statement: Text, prefix: dict[str, Text], stdin: Text | None = None
) -> bool | None:
    """A command line whose words are expanded."""
    while words and (match := re.match(r"([A-Za-z_]\w*)=", words[0].chars)) and len(words) > 1:
        prefix = {**prefix, match[1]: words[0][match.end() :]}
        words = words[1:]
    if not words:
        for name, value in prefix.items():
            reader.scope.assign(name, value)
        reader.add_event("dropped", statement, "it runs nothing")
        return True
    name = words[0].chars if words[0].chars in WRAPPERS else posixpath.basename(words[0].chars)
    unclear = [one for one in reader.atlas.list_unknowns(words[0]) if one.kind == "unclear"]
    handle = COMMANDS.get(name)
    if unclear:
        reader.blocked.append((statement, unclear[0]))
        reader.add_event("lost", statement, "the program that it starts is not known")
    elif handle and handle(reader, words, statement, prefix, stdin):
        return True if name == "cd" else None
    elif name in reader.functions:
        script, body = reader.functions[name]
        if is_hostfile(reader, script, body):
            reader.add_event("dropped", statement, HOSTFILE)
        else:
            reader.read_outside(statement, script, [[body]], CALL, is_call=True)
    elif name in READS and (written := list_written([word.chars for word in words])):
        reader.scope.blur(written, statement.places[0])
        reader.events.append(ScriptEvent("outside", statement, "dsgen does not compute it", names=frozenset(written)))
    elif _is_wrapper(name, words):
        _read_wrapped(reader, name, words, statement, prefix, stdin)
    else:
        _read_plain(reader, words, statement, prefix)
    return None


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
            reader.scope.arguments, reader.scope.cause = words[index + 3 :], 0
            reader.scope.name = words[index + 2].chars if words[index + 2 :] else words[0].chars
            reader.scope.own_host = "HOSTNAME" if reader.wrappers else was.own_host
            outer, reader.prefix = (reader.is_over, reader.prefix), {**reader.prefix, **prefix}
            reader.read_commands(words[index + 1])
            reader.scope, (reader.is_over, reader.prefix) = was, outer
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
    was, is_over, reader.scope = reader.scope, reader.is_over, reader.scope.make_inner()
    reader.scope.arguments, reader.scope.cause, reader.scope.name = words[1:], 0, posixpath.basename(name)
    reader.scope.own_host = "HOSTNAME" if reader.wrappers else was.own_host
    reader.add_event("dropped", statement, f"the commands of {posixpath.basename(name)} were read")
    reader.read_commands(content)
    reader.scope, reader.is_over = was, is_over
    return True


def _find_helper(reader: ScriptReader, name: str) -> Text | None:
    """A script that was given beside this one, by its path or its file name."""
    return reader.helpers.get(name, reader.helpers.get(posixpath.basename(name)))


def _read_source(reader: ScriptReader, words: list[Text], statement: Text, _: dict[str, Text], __: Text | None) -> bool:
    content = _find_helper(reader, words[1].chars) if len(words) > 1 else None
    if content is not None:
        reader.add_event("dropped", statement, f"the commands of {posixpath.basename(words[1].chars)} were read")
        reader.read_commands(content)
        return True
    if not is_loader([word.chars for word in words]):
        reader.scope.blur(set(reader.scope.variables), statement.places[0])
        reader.add_event("sourced", statement, "the variables that this file sets are not known", SOURCED)
        return True
    return False


def _read_unknown(reader: ScriptReader, statement: Text, why: str, hint: str) -> bool:
    """A statement that may set all variables."""
    reader.scope.blur(set(reader.scope.variables), statement.places[0])
    reader.add_event("lost", statement, why, hint)
    return True


def _read_eval(reader: ScriptReader, words: list[Text], statement: Text, _: dict[str, Text], __: Text | None) -> bool:
    text = join(words[1:], " ")
    unknown = {one.kind for one in reader.atlas.list_unknowns(text)}
    if is_loader([word.chars if word.is_known else reader.atlas.format_text(word) for word in words]):
        reader.add_event("loaded", statement, "it prepares the shell")
    elif not text or unknown & {"command", "unclear", "variable"}:
        return _read_unknown(reader, statement, "the commands that it runs are not known", "write them into the script")
    else:
        reader.read_commands(text)
    return True


def _read_cd(reader: ScriptReader, words: list[Text], statement: Text, _: dict[str, Text], __: Text | None) -> bool:
    if words[0].chars == "popd":
        reader.add_event("dropped", statement, ITSELF)
        return True
    target = words[-1] if len(words) > 1 else reader.scope.resolve_text("HOME", statement.places[:1], "$HOME")
    is_absolute = target.chars.startswith("/") or not target[:1].is_known
    if target.chars == "-":
        target = reader.scope.resolve_text("OLDPWD", statement.places[:1], "$OLDPWD")
    elif not is_absolute and reader.folder is not None:
        target = join([reader.folder, target], "/")
    reader.folder = target
    if is_absolute and target.is_known:
        reader.scope.assign("PWD", target)
    else:
        reader.scope.unset("PWD")
    reader.add_event("folder", statement, value=target)
    return True


def _read_exit(reader: ScriptReader, words: list[Text], statement: Text, _: dict[str, Text], __: Text | None) -> bool:
    reader.is_over = not reader.wrappers
    reader.add_event("dropped", statement, "it ends the script" if words[0].chars == "exit" else ITSELF)
    return True


def _read_shift(reader: ScriptReader, _: list[Text], statement: Text, __: dict[str, Text], ___: Text | None) -> bool:
    reader.scope.arguments, reader.scope.cause = None, statement.places[0]
    reader.add_event("dropped", statement, ITSELF)
    return True


def _read_set(reader: ScriptReader, words: list[Text], statement: Text, _: dict[str, Text], __: Text | None) -> bool:
    options = " ".join(word.chars for word in words[1:])
    if re.search(r"(^| )-[a-z]*a|allexport", options):
        reader.scope.exports_all = "+o allexport" not in options
    elif re.search(r"(^| )\+[a-z]*a", options):
        reader.scope.exports_all = False
    if words[1:2] and words[1].chars == "--":
        is_known = not any(one.kind == "unclear" for word in words[2:] for one in reader.atlas.list_unknowns(word))
        reader.scope.arguments = words[2:] if is_known else None
        reader.scope.cause = 0 if is_known else statement.places[0]
    ends = re.search(r"(^| )-[a-z]*e|errexit", options) is not None and not reader.wrappers
    reader.add_event("setup" if ends else "dropped", statement, ITSELF, name="set")
    return True


def _read_env(
    reader: ScriptReader, words: list[Text], statement: Text, prefix: dict[str, Text], stdin: Text | None
) -> bool:
    rest = words[1:]
    while rest and rest[0].chars.startswith("-"):
        if rest[0].chars not in ("-0", "--"):
            reader.add_event("lost", rest[0], "dsgen does not change the environment or the folder of one command")
        rest = rest[2:] if rest[0].chars in ("-u", "--unset", "-C") else rest[1:]
    if not rest:
        return False
    read_words(reader, rest, statement, prefix, stdin)
    return True


def _read_plain(reader: ScriptReader, words: list[Text], statement: Text, prefix: dict[str, Text]) -> None:
    """A command that is no wrapper: it may start the training."""
    rank = _rank_words(reader, words)
    if rank == 3 and _read_inside_mpirun(reader, words, statement, prefix):
        return
    if rank > 0:
        exported = {
            name: (reader.scope.variables.get(name, Text()), place) for name, place in reader.scope.exported.items()
        }
        given = {name: one for name, one in reader.prefix.items() if reader.scope.variables.get(name) is one}
        prefix = {**given, **prefix}
        reader.launches.append(
            Launch(
                words, statement, reader.wrappers, exported, prefix, reader.folder, rank, len(reader.events),
                reader.is_certain, reader.loops, reader.has_nodes,
            )
        )  # fmt: skip
        return
    found = find_meaning([word.chars for word in words])
    files = [posixpath.basename(word.chars) for word in words[1:] if not word.chars.startswith("-")]
    if words[0].chars == "rm" and files and all("host" in file for file in files):
        reader.add_event("dropped", statement, HOSTFILE)
        return
    if found.role != "silent" or words[0].chars in ("sed", "awk"):
        for word in words[1:]:
            reader.blur_file(reader.atlas.format_text(word), statement.places[0])
    kinds: dict[str, EventKind] = {"setup": "setup", "loader": "loaded", "never": "lost", "once": "lost"}
    is_loading = words[0].chars == "conda" and words[1:2] and words[1].chars not in LOADS_CONDA
    kind = kinds.get("once" if is_loading else found.role, "dropped")
    reader.add_event(kind, statement, found.why, found.hint, name=words[0].chars, value=words)


def _read_inside_mpirun(reader: ScriptReader, words: list[Text], statement: Text, prefix: dict[str, Text]) -> bool:
    """mpirun that starts the launcher of each node: the commands of its shell, or another launcher."""
    started = parse_launch_command(words, reader.atlas)
    inner = started.program
    if started.method != "openmpi" or not inner:
        return False
    name = posixpath.basename(inner[0].chars)
    is_launcher = rank_command([one.chars for one in inner], False) == 3
    if not is_launcher and inner[0].chars not in SHELLS and name not in WRAPPERS:
        return False
    if is_launcher and parse_launch_command(inner, reader.atlas).method == "openmpi":
        return False
    before = len(reader.launches), len(reader.events)
    was, reader.wrappers = reader.wrappers, [*reader.wrappers, ("mpirun", words[: words.index(inner[0])])]
    given = {variable: value for variable, value, _ in started.variables}
    read_words(reader, list(inner), statement, {**prefix, **given})
    reader.wrappers = was
    if any(one.rank == 3 for one in reader.launches[before[0] :]):
        return True
    del reader.launches[before[0] :], reader.events[before[1] :]
    return False


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
    **dict.fromkeys(("exit", "return", "break", "continue"), _read_exit),
    "shift": _read_shift,
    "set": _read_set,
    "env": _read_env,
    "source": _read_source,
    ".": _read_source,
}
