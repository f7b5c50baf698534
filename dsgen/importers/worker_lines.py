"""Command lines that every worker runs as they are, with dsgen's variables for what differs between workers."""

from __future__ import annotations

from dsgen.importers.launcher_options import Rule
from dsgen.importers.launchers import Launcher, Note, Started, apply_rule, take_port
from dsgen.importers.texts import Atlas, Text, Unknown, join, place_at

VARIABLES: dict[str, str] = {
    "WORLD_SIZE": "$((NNODES * NPROC_PER_NODE))",
    "BASE_RANK": "$((NODE_RANK * NPROC_PER_NODE))",
    "ENDPOINT": "$MASTER_ADDR:$MASTER_PORT",
    "RUN": "$DSGEN_RUN",
}


FACTS = {"NNODES": "nodes", "NPROC_PER_NODE": "slots", "WORLD_SIZE": "processes", "MASTER_PORT": "port"}


def read_worker_line(words: list[Text], count: int, launcher: Launcher, started: Started, atlas: Atlas) -> None:
    """The same command line, with dsgen's variables for what differs between workers."""
    started.command = words[:count]
    rest = words[count:]
    if launcher.keeps_program:
        cut = next((index for index, word in enumerate(rest) if word.chars == "--"), len(rest) - 1)
        started.command += rest[: cut + 1]
        rest = rest[cut + 1 :]
    while rest and rest[0].chars.startswith("-") and rest[0].chars != "--":
        word = rest.pop(0)
        name, has_value, value = word.partition("=")
        rule = launcher.table.get(name.chars) or launcher.table.get(name.chars.replace("_", "-"))
        rule = rule or Rule("keep", 0 if not rest or rest[0].chars.startswith("-") else 1)
        values = [value] if has_value and rule.values else []
        while len(values) < rule.values and rest:
            values.append(rest.pop(0))
        if rule.action == "replace":
            _replace_value(rule.field, word, name, values, bool(has_value), started, atlas)
        elif rule.action == "keep":
            started.command += [word, *([] if has_value else values)]
        else:
            apply_rule(rule, word, values, started)
    started.command += rest


def _replace_value(
    name: str, word: Text, option: Text, values: list[Text], is_joined: bool, started: Started, atlas: Atlas
) -> None:
    """An option with dsgen's variable as its value."""
    places = word.places
    variable = atlas.add_unknown(Unknown("runtime", name, VARIABLES.get(name, f"${name}")), places)
    if name in FACTS and values:
        started.facts[FACTS[name]] = values[0]
    if name == "ENDPOINT" and values:
        take_port(values[0], started)
    if is_joined:
        started.command.append(join([option, place_at("=", word), variable]))
    else:
        started.command += [option, variable]
        started.notes += [
            Note(value, "dropped", why=f"each worker has {VARIABLES.get(name, f'${name}')}") for value in values
        ]


def find_given_variables(started: Started, atlas: Atlas) -> set[str]:
    """Which of dsgen's variables a command line uses."""
    return {one.name for word in started.command for one in atlas.list_unknowns(word) if one.kind == "runtime"}
