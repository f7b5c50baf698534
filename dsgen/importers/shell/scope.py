"""The variables of a shell script while it is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from dsgen.importers.texts import SourceMap, Text, UnknownPart

Value = Text | list[Text]
"""A variable: a text, or the items of an array."""


@dataclass
class Default:
    """A default that was used, because the variable is not set in the script."""

    name: str
    value: Text
    place: int


@dataclass
class ShellScope:
    """Variables, and what is known about those that the script does not set.

    runtime: variables of the system that started the script, such as SLURM_NNODES: numbers that are known, or parts
    that only the cluster knows. given: values from the user, which also replace assignments. arguments: of the script
    or of the function that is being read; None if they are not known. defaults: those that were used.
    """

    atlas: SourceMap
    runtime: Mapping[str, Text] = field(default_factory=dict)
    given: Mapping[str, Text] = field(default_factory=dict)
    variables: dict[str, Value] = field(default_factory=dict)
    exported: dict[str, int] = field(default_factory=dict)
    arguments: list[Text] | None = None
    name: str = ""
    defaults: list[Default] = field(default_factory=list)
    exports_all: bool = False

    def make_inner(self) -> ShellScope:
        """The scope of another shell that this one starts: it sees only exported variables."""
        kept = {name: value for name, value in self.variables.items() if name in self.exported}
        known = {**self.list_unexported(), **kept}
        return ShellScope(
            self.atlas, self.runtime, self.given, known, dict(self.exported), None, self.name, self.defaults
        )

    def list_unexported(self) -> dict[str, Value]:
        """Variables that the script sets without exporting them: empty in another shell."""
        return {name: Text() for name in self.variables if name not in self.exported}

    def assign(self, name: str, value: Value, place: int = 0) -> None:
        """Set a variable, unless the user gave its value."""
        if name not in self.given:
            self.variables[name] = value
        if self.exports_all and name not in self.exported:
            self.exported[name] = place

    def export(self, name: str, place: int) -> None:
        """Mark a variable as exported; the last place counts."""
        self.exported.pop(name, None)
        self.exported[name] = place

    def unset(self, name: str) -> None:
        """Remove a variable."""
        self.variables.pop(name, None)
        self.exported.pop(name, None)

    def find(self, name: str) -> Value | None:
        """The value of a variable; None if the script does not set it and nothing else is known."""
        for known in (self.given, self.variables, self.runtime):
            if name in known:
                return known[name]
        return None

    def is_set(self, name: str) -> bool:
        """Whether anything is known about a variable."""
        return self.find(name) is not None

    def resolve_text(self, name: str, places: Iterable[int], source: str = "") -> Text:
        """The value of a variable as one text; an unknown part if it is not set."""
        value = self.find(name)
        if isinstance(value, list):
            return value[0] if value else Text()
        if value is not None:
            first = [*places][:1] or [0]
            return value if value.places or not value.chars else Text(value.chars, first * len(value.chars))
        return self.atlas.add_unknown(UnknownPart("variable", name, source or f"${{{name}}}"), [*places][:1])
