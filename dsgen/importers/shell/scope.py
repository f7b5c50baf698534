"""The variables of a shell script while it is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from dsgen.importers.texts import OF_OPERATION, SourceMap, Text, UnknownPart, spend

Value = Text | list[Text]
"""A variable: a text, or the items of an array."""
OWN_HOST = ("HOSTNAME", "SLURMD_NODENAME")
"""Variables with the name of the node on which a shell runs."""
OF_TASK = ("SLURM_PROCID", "SLURM_NODEID", "SLURM_LOCALID")
"""Numbers of a task, which are 0 in the shell of a batch script."""


@dataclass
class ShellScope:
    """Variables, and what is known about those that the script does not set.

    runtime: variables of the system that started the script, such as SLURM_NNODES: numbers that are known, or parts
    that only the cluster knows. given: values from the user, which also replace assignments. arguments: of the script;
    None if they are not known. is_shifted: the script may have changed them. defaults: those that were used, each with
    its value. own_host: what the name of the own node is, MASTER_ADDR or HOSTNAME. globs: the places of words that may
    be names of files.
    """

    atlas: SourceMap
    runtime: Mapping[str, Text] = field(default_factory=dict)
    given: Mapping[str, Text] = field(default_factory=dict)
    variables: dict[str, Value] = field(default_factory=dict)
    exported: dict[str, None] = field(default_factory=dict)
    arguments: list[Text] | None = None
    name: str = ""
    defaults: list[tuple[Text, Text]] = field(default_factory=list)
    is_shifted: bool = False
    own_host: str = "HOSTNAME"
    globs: set[int] = field(default_factory=set)

    def fork(self) -> ShellScope:
        """The scope of a subshell: what it sets does not come back."""
        spend(OF_OPERATION * len(self.variables))
        return replace(self, variables=dict(self.variables), exported=dict(self.exported))

    def make_inner(self) -> ShellScope:
        """The scope of another shell that this one starts: it sees only exported variables."""
        seen = {*self.exported, "PWD", *filter(self._is_unclear, self.variables)}
        kept = {name: value if name in seen else Text() for name, value in self.variables.items()}
        return replace(self, variables=kept, exported=dict(self.exported), arguments=None)

    def _is_unclear(self, name: str) -> bool:
        """Whether a statement that is not followed may change a variable, or export it."""
        value = self.variables[name]
        return isinstance(value, Text) and any(one.kind == "unclear" for one in self.atlas.list_unknowns(value))

    def assign(self, name: str, value: Value) -> None:
        """Set a variable, unless the user gave its value."""
        if name not in self.given:
            self.variables[name] = value

    def export(self, name: str) -> None:
        """Mark a variable as exported; the last one is the last."""
        self.exported.pop(name, None)
        self.exported[name] = None

    def unset(self, name: str) -> None:
        """Remove a variable."""
        self.variables.pop(name, None)
        self.exported.pop(name, None)

    def blur(self, names: Iterable[str], cause: int) -> None:
        """Make variables unknown, which a statement at this place may change."""
        for name in names:
            part = UnknownPart("unclear", name, f"${{{name}}}", cause)
            self.assign(name, self.atlas.add_unknown(part, [cause]))

    def find(self, name: str) -> Value | None:
        """The value of a variable; None if the script does not set it and nothing else is known."""
        for known in (self.given, self.variables):
            if name in known:
                return known[name]
        if name in OWN_HOST:
            return self.atlas.add_unknown(UnknownPart("hosts", self.own_host, f"${name}"), ())
        value = self.runtime.get(name)
        if value and name in OF_TASK and self.own_host == "MASTER_ADDR":
            part = self.atlas.resolve_part(value.chars)
            return self.atlas.add_unknown(replace(part, source=f"${name}"), value.places)
        return value

    def resolve_text(self, name: str, places: Iterable[int], source: str = "") -> Text:
        """The value of a variable as one text; an unknown part if it is not set."""
        value = self.find(name)
        if isinstance(value, list):
            return value[0] if value else Text()
        if value is not None:
            first = [*places][:1] or [0]
            return value if value.places or not value.chars else Text(value.chars, first * len(value.chars))
        return self.atlas.add_unknown(UnknownPart("variable", name, source or f"${{{name}}}"), [*places][:1])
