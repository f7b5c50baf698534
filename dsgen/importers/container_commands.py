"""The command of a container: words of a list, or a script after `bash -c`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dsgen.importers.conversion import Conversion
from dsgen.importers.environment import WORKER_SHELL
from dsgen.importers.errors import ImportRefusedError
from dsgen.importers.facts import JobSize
from dsgen.importers.fields import Fields
from dsgen.importers.launch import write_counts
from dsgen.importers.launchers import WORKERS
from dsgen.importers.ledger import ConvertedPart
from dsgen.importers.pod_fields import VARIABLE, Pod
from dsgen.importers.scripts import write_script
from dsgen.importers.secrets import holds_secret, is_secret
from dsgen.importers.shell.reading import read_command_line
from dsgen.importers.shell.scope import ShellScope
from dsgen.importers.statements import choose_launch
from dsgen.importers.texts import Text, UnknownPart, join
from dsgen.problems import KeyPath
from dsgen.reading.nodes import Node

REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_]\w*)\)")
ENTRYPOINT = "the source names no command, the image starts the program by itself: write its script"
NO_TRAINING = "the source starts no training by itself: write the script that people start by hand"
ITSELF = "dsgen starts the program itself"
WAITS = re.compile(r"\s*(.*(&&|[;\n])\s*)?(sleep|tail -f|(/usr/sbin/)?sshd)\b[^&;|\n]*", re.DOTALL)
"""A command that ends in waiting: people start the training by hand, or another pod does."""

MEETS = re.compile(
    r"\b(import|from)\s+(torch|deepspeed|accelerate|transformers|trl|lightning|pytorch_lightning|ray)\b|\bexec\("
)
"""What a program text imports if its ranks connect to each other."""

Runtime = Mapping[str, Text]


def make_runtime(conversion: Conversion, names: Mapping[str, str]) -> dict[str, Text]:
    """Variables that an operator sets, by what dsgen has in their place: NODE_RANK, NNODES, MASTER_ADDR, ..."""
    found = {}
    for name, meaning in names.items():
        kind = "hosts" if meaning == "MASTER_ADDR" else "changing" if meaning == "RUN" else "runtime"
        source = f"${name}" if kind == "changing" else ""
        found[name] = conversion.atlas.add_unknown(UnknownPart(kind, meaning, source), ())  # type: ignore[arg-type]  # a Kind
    return found


def write_command(fields: Fields, pod: Pod, world: JobSize, runtime: Runtime) -> None:
    """Fill launch and training from the command of the main container, and account for its words."""
    conversion = fields.conversion
    conversion.is_container = True
    start = len(conversion.ledger.entries)
    words = [_expand(conversion, fields.read_text(node), runtime) for _, node in pod.command]
    if not pod.has_command:
        _write_without_command(fields, pod, world, words)
        return
    statement = join(words, " ")
    scope = ShellScope(conversion.atlas, runtime, conversion.read_variables())
    for name, fact in pod.facts.env.items():
        value = fact.value
        if name in runtime:
            continue
        is_known = isinstance(value, str) and not is_secret(name, value) and not VARIABLE.search(value)
        part = UnknownPart("secret", name, f"${name}")
        scope.assign(name, Text(value) if is_known else conversion.atlas.add_unknown(part, ()))
        scope.export(name, 0)
    try:
        reading = read_command_line(conversion.atlas, scope, words, statement, conversion.mounted)
        script = choose_launch(conversion, reading, statement)
        if world.is_launcher and script.started.launcher in ("", "python"):
            raise ImportRefusedError("it starts the ranks by itself", pod.command[0][1].position)
        conversion.note_remarks(_find_script(words))
        write_script(conversion, script, world, _find_script(words))
        account_for_words(fields, pod.command, start)
    except ImportRefusedError as error:
        del conversion.ledger.entries[start:]
        _write_verbatim(fields, pod, world, words, runtime, error)


def _expand(conversion: Conversion, text: Text, runtime: Runtime) -> Text:
    """`$(NAME)` as Kubernetes expands it."""
    parts, end = list[Text](), 0
    for match in REFERENCE.finditer(text.chars):
        parts.append(text[end : match.start()])
        end = match.end()
        of = text[match.start() : end]
        name = match[1]
        if name is None:
            parts.append(text[match.start() : match.start() + 1])
        elif name in runtime:
            parts.append(Text(runtime[name].chars, [of.places[0]] * len(runtime[name].chars)))
        else:
            parts.append(conversion.atlas.add_unknown(UnknownPart("secret", name, f"${name}"), of.places))
    return join([*parts, text[end:]])


def _find_script(words: Sequence[Text]) -> Text:
    """The script among the words, whose statements must all be accounted for."""
    shells = [index for index, word in enumerate(words) if re.fullmatch(r"-[a-z]*c[a-z]*", word.chars)]
    is_shell = words and re.search(r"(^|/)(ba|da|z)?sh$", words[0].chars)
    return words[shells[0] + 1] if is_shell and shells and shells[0] + 1 < len(words) else Text()


def account_for_words(fields: Fields, nodes: Sequence[tuple[KeyPath, Node]], start: int) -> None:
    """One entry for each word of the command; statements of a script are parts of their word."""
    ledger = fields.conversion.ledger
    entries = [replace(entry, is_part=True) for entry in ledger.entries[start:]]
    del ledger.entries[start:]
    last_words = {node.position.line: path for path, node in nodes}
    for path, node in nodes:
        at = node.position
        is_one_word = not re.search(r"\s", str(node.value).strip()) or node.text
        same_place = [
            one for one in entries if one.position.line == at.line and 0 <= one.position.column - at.column <= 1
        ]
        fields.done.add(path)
        name = fields.name_field(path)
        if same_place and is_one_word:
            first = same_place[0]
            entries.remove(first)
            ledger.entries.append(replace(first, source=name, position=at, is_part=False))
            if first.fate == "mapped" and last_words[at.line] == path:
                fields.take_comments(node, first.to)
        elif same_place or any(_is_inside(one, node) for one in entries):
            to = "launch.command" if fields.conversion.draft.get("launch.command") else "training"
            ledger.entries.append(ConvertedPart("mapped", name, at, to=to))
        else:
            ledger.entries.append(ConvertedPart("dropped", name, at, why=ITSELF))
    ledger.entries += entries


def _is_inside(entry: ConvertedPart, node: Node) -> bool:
    lines = str(node.value).count("\n") + 1
    return node.position.line <= entry.position.line <= node.position.line + lines


def _write_without_command(fields: Fields, pod: Pod, world: JobSize, words: Sequence[Text]) -> None:
    """The image starts its program; arguments may be there."""
    draft = fields.conversion.draft
    write_counts(fields.conversion, world.nodes, world.slots or world.devices or 1, world)
    draft.set("launch.method", "torchrun")
    draft.set_hole("training.python", "", ENTRYPOINT)
    for (path, node), word in zip(pod.command, words, strict=True):
        fields.map(path, node, draft.add("training.args", fields.conversion.atlas.format_text(word)))


def _write_verbatim(
    fields: Fields, pod: Pod, world: JobSize, words: Sequence[Text], runtime: Runtime, error: ImportRefusedError
) -> None:
    """The command as it is, on each worker, with the variables that the operator would set."""
    conversion, draft = fields.conversion, fields.conversion.draft
    shown = [conversion.atlas.format_text(word) for word in words]
    draft.set("launch.method", "launcher-command" if world.is_launcher else WORKERS)
    write_counts(conversion, world.nodes, world.slots or world.devices or 1, world)
    if any(map(holds_secret, shown)) or WAITS.fullmatch(" ".join(shown[2:] if shown[0].endswith("sh") else shown)):
        draft.remove("launch.method")
        draft.set_hole("training.python", "", NO_TRAINING)
        for path, node in pod.command:
            fields.lose(path, node, error.message, error.hint)
        return
    exports = (
        []
        if world.is_launcher
        else [
            f'export {name}="{WORKER_SHELL.get(part.name, f"${part.name}")}"'
            for name, text in runtime.items()
            for part in conversion.atlas.list_unknowns(text)
            if name not in (part.name, f"PET_{part.name}")
            and part.kind != "changing"
            and any(re.search(rf"\b{name}\b", one) for one in shown)
        ]
    )
    before = 0
    if exports and re.search(r"(^|/)(ba|da|z)?sh$", shown[0]) and len(shown) > 2:
        shown[2] = "\n".join([*exports, shown[2]])
    elif exports:
        shell = ["bash", "-c", "\n".join([*exports, 'exec "$0" "$@"'])]
        before, shown = len(shell), [*shell, *shown]
    draft.set("launch.command", shown)
    if re.search(r"\bpython[\d.]*\s+(-\w+\s+)*-c\s", " ".join(shown)) and not MEETS.search(" ".join(shown)):
        draft.set("launch.expectWorld", False)
        draft.add_comment("launch.expectWorld", "the program does not use torch.distributed")
    for index, (path, node) in enumerate(pod.command, before):
        fields.map(path, node, f"launch.command[{index}]")
