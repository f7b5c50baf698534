"""The command of a container: words of a list, or a script after `bash -c`; and what its launcher passes on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from dsgen.importers.environment import OWN
from dsgen.importers.facts import JobSize, list_variables
from dsgen.importers.fields import Field, read_name
from dsgen.importers.launch import passes_on, write_counts
from dsgen.importers.launchers import WORKERS, find_launcher
from dsgen.importers.ledger import ConvertedPart, ImportRefusedError
from dsgen.importers.pods import VARIABLE, Pod, write_variable
from dsgen.importers.scripts import SHELL, ChosenScript, choose_launch, report_lone_nodes, write_kept, write_script
from dsgen.importers.shell.reader import ScriptReader
from dsgen.importers.shell.words import ShellScope
from dsgen.importers.texts import Text, UnknownPart, join, place_at
from dsgen.problems.safe_text import holds_secret, is_secret

REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_]\w*)\)")
ENTRYPOINT = "the source names no command, the image starts the program by itself: write its script"
WAITS_HINT = "give the script that calls deepspeed, torchrun or srun"
HAS_SECRET = "it holds a secret, which is not copied"
NO_TRAINING = "the source starts no training by itself: write the script that people start by hand"
ITSELF = "dsgen starts the program itself"
RUNS = re.compile(r"(\S*/)?((ba|da|z)?sh|python[\d.]*)")
"""The first word of arguments that are a command line."""
IMAGE_RUNS = "the entrypoint of the image ran it, and dsgen starts it without the entrypoint"
ENTRYPOINT_HINT = "put what it prepares into training.setup"
JOINS = "only the rank in the launcher had it; all workers of dsgen are equal"
WAITS = re.compile(
    r"\s*(.*(&&|[;\n])\s*)?(while\s+(true|:|\[ 1 \])\s*;?\s*do\s+)?(exec\s+)?"
    r"(sleep|tail\s+-f|cat|(/usr/sbin/)?sshd|jupyter\S*|code-server)\b[^&;|\n]*(;\s*done)?(\s*&\s*wait\b[^&;|\n]*)?\s*;?",
    re.DOTALL,
)
"""A command that ends in waiting: people start the training by hand, or another pod does."""
WAITS_WHY = "it only waits, and starts no training"
MEETS = re.compile(
    r"\b(import|from)\s+(torch|deepspeed|accelerate|transformers|trl|lightning|pytorch_lightning|ray)\b|\bexec\("
)
"""What a program text imports if its ranks connect to each other."""
Runtime = Mapping[str, Text]


def write_command(pod: Pod, world: JobSize, runtime: Runtime) -> None:
    """Fill launch and training from the command of the main container, and account for its words."""
    conversion, source_map = pod.template.conversion, pod.template.conversion.source_map
    conversion.is_container, conversion.has_other_variables = True, pod.takes_others
    start = len(conversion.ledger.entries)
    words = [_expand(pod, one.read_text(), runtime) for one in pod.command]
    shown = source_map.format_words(words)
    if not pod.has_command and not (shown and (find_launcher(shown) or RUNS.fullmatch(shown[0]))):
        _write_without_command(pod, world, shown)
        return
    after = (word for option, word in pairwise(words) if re.fullmatch(r"-[a-z]*c[a-z]*", option.chars))
    script_text = next(after, Text()) if SHELL.search(words[0].chars) else Text()
    statement = join(words, " ")
    script: ChosenScript | None = None
    try:
        with conversion.undo_if_refused():
            reader = ScriptReader(source_map, _make_scope(pod, runtime), conversion.mounted)
            reader.read_words(words, statement, {})
            script = choose_launch(conversion, reader, statement)
            if world.is_launcher and script.started.launcher in ("", "python"):
                raise conversion.refuse(statement, "it starts the ranks by itself")
            write_script(conversion, script, world, script_text)
            if not world.is_launcher:
                report_lone_nodes(conversion, script, world.nodes, runtime)
    except ImportRefusedError:
        script = None
        _write_verbatim(pod, world, shown, runtime)
    else:
        if not pod.has_command:
            conversion.lose(words[0], IMAGE_RUNS, ENTRYPOINT_HINT)
        account_for_words(pod.command, start)
    if pod.role == "launcher":
        write_launcher_environment(pod, script, world)


def _make_scope(pod: Pod, runtime: Runtime) -> ShellScope:
    """The variables of the container, all of them exported."""
    conversion = pod.template.conversion
    scope = ShellScope(conversion.source_map, runtime, conversion.read_variables())
    for name, value in list_variables(pod.facts).items():
        if name not in runtime:
            part = UnknownPart("secret", name, f"${name}")
            is_known = isinstance(value, str) and not is_secret(name, value) and not VARIABLE.search(value)
            scope.assign(name, Text(value) if is_known else conversion.source_map.add_unknown(part, ()))
            scope.export(name)
    return scope


def write_launcher_environment(pod: Pod, script: ChosenScript | None, world: JobSize) -> None:
    """The environment of a launcher: only what it passes on reaches the ranks, all else is its own."""
    for one in pod.container.list_items("env") if pod.container else ():
        name = read_name(one)
        passes = script is not None and passes_on(script.started, world, name)
        if not passes and world.joins and not OWN.fullmatch(name):
            one.lose(JOINS, f"set training.env.{name} if all ranks need it")
        else:
            write_variable(one, "training" if passes else "launcher")


def _expand(pod: Pod, text: Text, runtime: Runtime) -> Text:
    """`$(NAME)` of a variable of the container as Kubernetes expands it; others are commands of a shell."""
    parts, end, variables = list[Text](), 0, list_variables(pod.facts)
    for match in REFERENCE.finditer(text.chars):
        of, name = text[match.start() : match.end()], match[1]
        parts.append(text[end : match.start()])
        end = match.end()
        if name is None:
            parts.append(of[:1])
        elif name in runtime:
            parts.append(place_at(runtime[name].chars, of))
        elif name in variables or (pod.takes_others and name.isupper()):
            part = UnknownPart("secret", name, f"${name}")
            parts.append(pod.template.conversion.source_map.add_unknown(part, of.places))
        else:
            parts.append(of)
    return join([*parts, text[end:]])


def account_for_words(words: Sequence[Field], start: int) -> None:
    """One entry for each word of the command; statements of a script are parts of their word."""
    if not words:
        return
    conversion, ledger = words[0].conversion, words[0].conversion.ledger
    entries = ledger.entries[start:]
    del ledger.entries[start:]
    for word in words:
        at, value = word.node.position, str(word.node.value)
        is_one_word = not re.search(r"\s", value.strip()) or word.node.text
        same_place = [
            one for one in entries if one.position.line == at.line and 0 <= one.position.column - at.column <= 1
        ]
        word.fields.done.add(word.path)
        if same_place and is_one_word:
            first = same_place[0]
            entries.remove(first)
            whole = f"{word} = {first.source}" if first.fate == "lost" else ""
            ledger.entries.append(replace(first, source=str(word), position=at, whole=whole))
        elif same_place or any(at.line <= one.position.line <= at.line + value.count("\n") + 1 for one in entries):
            to = "launch.command" if conversion.draft.get("launch.command") else "training"
            ledger.entries.append(ConvertedPart("mapped", str(word), at, to=to))
        else:
            ledger.entries.append(ConvertedPart("dropped", str(word), at, why=ITSELF))
    ledger.entries += entries


def _write_without_command(pod: Pod, world: JobSize, shown: Sequence[str]) -> None:
    """The image starts its program; arguments may be there."""
    conversion, draft = pod.template.conversion, pod.template.draft
    write_counts(conversion, world.nodes, world.slots or world.devices or 1, world)
    draft.set("launch.method", "openmpi" if world.is_launcher else "torchrun")
    draft.set_hole("training.python", "", ENTRYPOINT)
    for one, word in zip(pod.command, shown, strict=True):
        one.map(draft.add("training.args", word))


def _write_verbatim(pod: Pod, world: JobSize, words: Sequence[str], runtime: Runtime) -> None:
    """The command as it is, on each worker, with the variables that the operator would set."""
    conversion, draft, shown = pod.template.conversion, pod.template.draft, [*words]
    draft.set("launch.method", "launcher-command" if world.is_launcher else WORKERS)
    write_counts(conversion, world.nodes, world.slots or world.devices or 1, world)
    is_secret = any(map(holds_secret, shown))
    if is_secret or WAITS.fullmatch(" ".join(shown[2:] if shown[0].endswith("sh") else shown)):
        draft.remove("launch.method")
        draft.set_hole("training.python", "", NO_TRAINING)
        for one in pod.command:
            one.lose(*((HAS_SECRET,) if is_secret else (WAITS_WHY, WAITS_HINT)))
        return
    conversion.decided = pod.command[0].node.position
    texts = [one.read_text() for one in pod.command]
    before = write_kept(conversion, shown, texts, runtime, world.is_launcher)
    if re.search(r"\bpython[\d.]*\s+(-\w+\s+)*-c\s", " ".join(shown)) and not MEETS.search(" ".join(shown)):
        draft.set("launch.expectWorld", False)
        draft.add_comment("launch.expectWorld", "the program does not use torch.distributed")
    for index, one in enumerate(pod.command, before):
        one.map(f"launch.command[{index}]")
