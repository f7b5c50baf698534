"""The rules of all problems: what `dsgen explain ID` and the reports say. Imported only where one is shown."""

from __future__ import annotations

from dataclasses import dataclass

from dsgen.generated.rules import RULES as GENERATED


@dataclass(frozen=True)
class Rule:
    """What is true of every problem with this id.

    id: never reused. when: when the problem appears, and why it is a problem. remedy: what to do. example: a values
    file with this problem and no other; empty if one file alone cannot have it. settings: the same for dsgen.yaml.
    """

    id: str
    title: str
    when: str
    remedy: str
    example: str = ""
    settings: str = ""


RULES: dict[str, Rule] = {id_: Rule(id_, **fields) for id_, fields in GENERATED.items()}
"""The rules by their ids, in this order."""
