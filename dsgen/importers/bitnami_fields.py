"""What becomes of the fields of Bitnami's charts that need more than a key."""

from __future__ import annotations

from dsgen.importers.chosen import read_script
from dsgen.importers.container_commands import account_for_words
from dsgen.importers.errors import ImportRefusedError
from dsgen.importers.fields import Action, Fields, as_count, as_list, as_text, format_scalar, to
from dsgen.importers.objects import write_name
from dsgen.importers.scripts import write_script
from dsgen.importers.secrets import holds_secret
from dsgen.importers.world import World
from dsgen.problems import KeyPath
from dsgen.reading.nodes import Node

OVER_SSH = ("deepspeed", "mpirun", "mpiexec")
"""Launchers that the client starts once, for all workers."""


def drop_empty(action: Action) -> Action:
    """The action for a value; an empty one is the default of the chart."""
    return lambda fields, path, node: (
        action(fields, path, node) if node.as_data() else fields.drop(path, node, "it is empty")
    )


def write_entry(key: str) -> Action:
    """An entry of a map."""
    return lambda fields, path, node: fields.set(
        path, node, (*key.split("."), str(path[-1])), format_scalar(node.value)
    )


def map_number(key: str) -> Action:
    """A number that a fact of the job needs."""

    def act(fields: Fields, path: KeyPath, node: Node) -> None:
        if as_count(node.value):
            fields.map(path, node, key)
        else:
            fields.lose(path, node, "its value is no number", f"set {key}")

    return act


def write_release_name(fields: Fields, path: KeyPath, node: Node) -> None:
    """The name of the release."""
    if node.value:
        write_name(fields, path, node)
    else:
        fields.drop(path, node, "it is empty")


def write_pull_secrets(fields: Fields, path: KeyPath, node: Node) -> None:
    """Secrets of a registry: names, or maps with a name."""
    data = [{"name": one} if isinstance(one, str) else one for one in as_list(node.as_data()) or []]
    fields.set(path, node, "image.pullSecrets", data)


def write_program(fields: Fields, path: KeyPath, node: Node) -> None:
    """The script."""
    fields.set(path, node, "training.python", format_scalar(node.value))
    fields.conversion.facts.command = ["python3", format_scalar(node.value)]


def add_argument(fields: Fields, path: KeyPath, node: Node) -> None:
    """One argument of the script."""
    fields.map(path, node, fields.conversion.draft.add("training.args", format_scalar(node.value)))
    fields.conversion.facts.command.append(format_scalar(node.value))


def write_file(fields: Fields, path: KeyPath, node: Node) -> None:
    """One file of the code."""
    fields.set(path, node, ("training", "files", str(path[-1])), format_scalar(node.value))


def write_launch_command(fields: Fields, path: KeyPath, world: World) -> None:
    """The command of the client: a line that starts ranks, or else a script for the launcher."""
    node = fields.find_node(*path)
    if node is None:
        return
    text, conversion = fields.read_text(node), fields.conversion
    if not text.chars.strip() or holds_secret(text.chars):
        fields.lose(path, node, "it names no command", "set launch.command")
        return
    start = len(conversion.ledger.entries)
    conversion.is_container = True
    try:
        script = read_script(conversion, text)
        if script.started.launcher not in OVER_SSH:
            raise ImportRefusedError("it does not start the ranks of all workers", node.position)
        write_script(conversion, script, world, text)
        account_for_words(fields, [(path, node)], start)
    except ImportRefusedError:
        del conversion.ledger.entries[start:]
        conversion.draft.set("launch.method", "launcher-command")
        fields.set(path, node, "launch.command", ["bash", "-c", text.chars])


def add_env_from(kind: str) -> Action:
    """A ConfigMap or a Secret with variables."""

    def act(fields: Fields, path: KeyPath, node: Node) -> None:
        if node.value:
            fields.map(
                path, node, fields.conversion.draft.add("training.envFrom", {kind: {"name": format_scalar(node.value)}})
            )
        else:
            fields.drop(path, node, "it is empty")

    return act


def write_git_image(fields: Fields, path: KeyPath, node: Node) -> None:
    """The image with git."""
    if fields.conversion.draft.get("code.git.repository") and isinstance(node.value, dict):
        data = node.as_data()
        parts = [format_scalar(data.get("registry")), format_scalar(data.get("repository"))]
        image = "/".join(part for part in parts if part) + (f":{data['tag']}" if data.get("tag") else "")
        fields.set(path, node, "code.git.image", image)
    else:
        fields.drop(path, node, "no code is cloned")


def write_context() -> Action:
    """A security context with the switch `enabled`; the defaults of the chart are for its own image."""

    def act(fields: Fields, path: KeyPath, node: Node) -> None:
        data = node.as_data() if isinstance(node.value, dict) else {}
        users = {
            name: data[name]
            for name in ("runAsUser", "runAsGroup", "fsGroup", "runAsNonRoot")
            if data.get(name) is not None
        }
        if not data.get("enabled", True) or not users:
            fields.drop(path, node, "dsgen has security contexts of its own")
            return
        draft = fields.conversion.draft
        draft.set("security.podSecurityContext", {**(draft.get("security.podSecurityContext") or {}), **users})
        for name, child in node.value.items() if isinstance(node.value, dict) else ():
            if name in users:
                fields.map((*path, name), child, f"security.podSecurityContext.{name}")
            else:
                fields.drop((*path, name), child, "dsgen has security contexts of its own")

    return act


def lose_resources_preset(fields: Fields, path: KeyPath, node: Node) -> None:
    """A preset of amounts, which the chart knows."""
    if node.value in ("none", "", None):
        fields.drop(path, node, "it is empty")
    else:
        fields.lose(path, node, "the chart has the amounts of this preset", "set workers.resources")


def write_service_account(fields: Fields, path: KeyPath, node: Node) -> None:
    """A ServiceAccount: only its name has a key."""
    child = node.find_child("name")
    if child is not None and child.value:
        to("workers.serviceAccountName", as_text)(fields, (*path, "name"), child)
    fields.drop(path, node, "dsgen has a ServiceAccount of its own")
