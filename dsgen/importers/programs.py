"""The program of a training and its arguments: training.python, module, exec and args, or launch.command."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dsgen.importers.conversion import Conversion
from dsgen.importers.draft import SECRET_HOLE, make_secret_reference
from dsgen.importers.environment import write_value
from dsgen.importers.files import Files
from dsgen.importers.launchers import Started
from dsgen.importers.secrets import holds_secret, is_secret_option
from dsgen.importers.shell_text import RANK_METHODS_SHELL, WORKER_SHELL, format_script
from dsgen.importers.texts import Text, Unknown, join, place_at
from dsgen.importers.worker_lines import find_given_variables
from dsgen.importers.world import World


def write_program(conversion: Conversion, started: Started, world: World, files: Files) -> None:
    """training.python, module or exec with the arguments; through bash if a shell must expand a part."""
    words = files.write_used(conversion, _replace_secrets(conversion, started.program))
    words = [_fill_counts(conversion, word) for word in words]
    if not words:
        conversion.draft.set_hole("training.python", "", "the source names no program: the image starts it by itself")
        return
    if started.interpreter is not None and not world.is_batch and started.interpreter.chars != "python3":
        conversion.map(
            started.interpreter, conversion.draft.set("training.pythonCommand", started.interpreter.chars), is_part=True
        )
    elif started.interpreter is not None:
        conversion.drop(started.interpreter, "dsgen starts training.pythonCommand, which is python3", is_part=True)
    conversion.facts.command = _list_command_words(conversion, started, words)
    words = _lose_given_arguments(conversion, words)
    if all(word.is_known for word in words) and not world.prefix:
        _write_plain(conversion, started, words)
    else:
        _write_through_shell(conversion, started, words, world)


def _list_command_words(conversion: Conversion, started: Started, words: Sequence[Text]) -> list[str]:
    shown = [conversion.atlas.format_text(word) for word in words]
    if started.form == "exec":
        return shown
    interpreter = started.interpreter.chars if started.interpreter is not None else "python3"
    return [interpreter, *(["-m"] if started.form == "module" else []), *shown]


def _lose_given_arguments(conversion: Conversion, words: Sequence[Text]) -> list[Text]:
    """Without `"$@"`, the arguments that a person gave to the script."""
    kept = []
    for word in words:
        if any(one.name == "@" and one.kind == "positional" for one in conversion.atlas.list_unknowns(word)):
            conversion.lose(word, "the arguments that were given to the script are not in the source",
                            "add them to training.args", is_part=True)  # fmt: skip
        else:
            kept.append(word)
    return kept


def _write_plain(conversion: Conversion, started: Started, words: Sequence[Text]) -> None:
    draft = conversion.draft
    if started.form == "exec":
        for word in words:
            conversion.map(word, draft.add("training.exec", word.chars), is_part=True)
        return
    key = "training.python" if started.form == "python" else "training.module"
    conversion.map(words[0], draft.set(key, words[0].chars), is_part=True)
    for word in words[1:]:
        to = draft.add("training.args", word.chars)
        conversion.map(word, to, is_part=True)


def _write_through_shell(conversion: Conversion, started: Started, words: Sequence[Text], world: World) -> None:
    """`training.exec: [bash, -c, ...]`: bash expands what is only known in the pod."""
    start = [] if started.form == "exec" else ["python3", "-u", *(["-m"] if started.form == "module" else [])]
    text = format_script(conversion, words, RANK_METHODS_SHELL, ["exec", *start], world.prefix)
    conversion.draft.set("training.exec", ["bash", "-c", text])
    for word in words:
        conversion.map(word, "training.exec[2]", is_part=True)


def write_worker_command(conversion: Conversion, started: Started, world: World, files: Files) -> None:
    """launch.command for worker-command, through bash if it has variables."""
    for name, value, words_of in started.variables:
        write_value(conversion, name, value, words_of, is_part=True)
    words = files.write_used(conversion, _replace_secrets(conversion, started.command))
    words = _lose_given_arguments(conversion, [_fill_counts(conversion, word, keep=True) for word in words])
    if started.launcher.startswith("accelerate"):
        words = _add_machines(conversion, started, words)
    conversion.facts.command = [conversion.atlas.format_text(word) for word in words]
    if all(word.is_known for word in words) and not world.prefix:
        for word in words:
            conversion.map(word, conversion.draft.add("launch.command", word.chars), is_part=True)
        return
    text = format_script(conversion, words, WORKER_SHELL, ["exec"], world.prefix)
    conversion.draft.set("launch.command", ["bash", "-c", text])
    for word in words:
        conversion.map(word, "launch.command[2]", is_part=True)


MACHINES = (
    ("NNODES", "--num_machines"),
    ("NODE_RANK", "--machine_rank"),
    ("WORLD_SIZE", "--num_processes"),
    ("MASTER_ADDR", "--main_process_ip"),
    ("MASTER_PORT", "--main_process_port"),
)


def _add_machines(conversion: Conversion, started: Started, words: list[Text]) -> list[Text]:
    """With all options that Accelerate needs on several machines; a configuration file cannot number the workers."""
    if conversion.draft.get("workers.replicas", 1) == 1 and not find_given_variables(started, conversion.atlas):
        return words
    has = find_given_variables(started, conversion.atlas)
    count = 1 if words[0].chars == "accelerate-launch" else 2
    count = 3 if words[1:2] and words[1].chars == "-m" else count
    places, added = words[0].places[:1], list[Text]()
    for name, option in MACHINES:
        if name not in has:
            variable = conversion.atlas.add_unknown(Unknown("runtime", name, WORKER_SHELL[name]), places)
            added += [place_at(option, words[0]), variable]
    return [*words[:count], *added, *words[count:]]


def _fill_counts(conversion: Conversion, word: Text, keep: bool = False) -> Text:
    """A word with the numbers of nodes and processes, unless the command has variables for them."""
    if keep or word.is_known:
        return word
    draft = conversion.draft
    known = {"NNODES": draft.get("workers.replicas"), "NPROC_PER_NODE": draft.get("workers.slots")}
    parts = []
    for index in range(len(word.chars)):
        part = word[index : index + 1]
        unknown = conversion.atlas.list_unknowns(part)
        if unknown and unknown[0].kind == "runtime" and known.get(unknown[0].name):
            digits = str(known[unknown[0].name])
            part = place_at(digits, part)
        parts.append(part)
    return join(parts)


def _replace_secrets(conversion: Conversion, words: Sequence[Text]) -> list[Text]:
    """Words in which variables of a Secret replace secrets."""
    kept, before = list[Text](), ""
    for word in words:
        option, has_value, value = word.partition("=")
        if has_value and is_secret_option(option.chars) and value.is_known and value:
            word = join([option, place_at("=", word), _replace_secret(conversion, option.chars, value)])
        elif word.is_known and _follows_login(conversion, kept, word):
            word = _replace_secret(conversion, "TRAINING_SECRET", word)
        elif (is_secret_option(before) and not word.chars.startswith("-") and word.is_known) or (
            word.is_known and holds_secret(word.chars)
        ):
            word = _replace_secret(conversion, before or "TRAINING_SECRET", word)
        kept.append(word)
        before = option.chars if not has_value else ""
    return kept


def _follows_login(conversion: Conversion, before: Sequence[Text], word: Text) -> bool:
    """Whether a word is a secret because of the words before it, as in `wandb login KEY`."""
    words = " ".join(conversion.atlas.format_text(one) for one in before[-3:])
    return holds_secret(f"{words} {word.chars}") and not holds_secret(words) and not holds_secret(word.chars)


def _replace_secret(conversion: Conversion, option: str, value: Text) -> Text:
    name = re.sub(r"\W", "_", option.lstrip("-")).upper().strip("_")
    name = name if re.match("[A-Z_]", name) and len(name) < 60 else "TRAINING_SECRET"
    key = ("training", "env", name)
    if not conversion.draft.get(key):
        conversion.draft.set_hole(key, make_secret_reference(name), SECRET_HOLE)
    return conversion.atlas.add_unknown(Unknown("secret", name, f"${name}"), value.places)
