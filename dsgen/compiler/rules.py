"""The rules of all problems, from the YAML files that stand beside the modules that report them.

`dsgen/checks/SUBJECT.yaml` has the rules of `SUBJECT.py`; `rules.yaml` in a package those of several of its modules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsgen.checks import RULES
from dsgen.compiler.frontend import CompileError
from dsgen.reading import read
from dsgen.reading.nodes import SourceText

PACKAGE = Path(__file__).parent.parent
HINTS = {rule.id: rule.hint for rule in reversed(RULES)}
"""The first hint of each check, which is the remedy of its block unless the block has another."""
BASE = (PACKAGE / "checks" / "base-job.yaml").read_text(encoding="utf-8")
"""A values file without problems; examples and cases change it."""
Case = dict[str, Any]
"""Values that are merged over the base job. `{repeat: TEXT, times: N}` is a long text."""

_TOP = re.compile(r"^(?=[A-Za-z]\w*:)", re.MULTILINE)
"""Where a key at the top of a file begins."""


@dataclass(frozen=True)
class RuleBlock:
    """A block of such a file.

    title, when, remedy: what `dsgen explain` says. example: keys of a values file that has this problem and no other,
    which is the first case; they replace those of the base job, or follow them. file: the same as a whole file.
    settings: the same as a dsgen.yaml, in a repository with jobs/cifar/values.yaml and jobs/mnist/values.yaml. wrong:
    further cases that have the problem once. right: similar cases that do not have it.
    """

    title: str
    when: str
    remedy: str
    example: str = ""
    file: str = ""
    settings: str = ""
    wrong: tuple[Case, ...] = ()
    right: tuple[Case, ...] = ()

    @property
    def values(self) -> str:
        """The text of a values file with this problem; empty if one file alone cannot have it."""
        return merge_over_base(self.example) if self.example else self.file


def merge_over_base(text: str) -> str:
    """The base job with these lines: keys at the top replace those of the base job, others follow."""
    base, given = _TOP.split(BASE), _TOP.split(text)
    names = [part.partition(":")[0] for part in base]
    replaced = {name: part for part in given if (name := part.partition(":")[0]) in names}
    return "".join(replaced.get(name, part) for name, part in zip(names, base, strict=True)) + "".join(
        part for part in given if part.partition(":")[0] not in names
    )


def list_rule_files() -> list[Path]:
    files = sorted([*PACKAGE.glob("*.yaml"), *PACKAGE.glob("*/*.yaml")])
    return [path for path in files if path.name == "rules.yaml" or path.with_suffix(".py").exists()]


def read_rule_blocks() -> dict[str, RuleBlock]:
    """All rules by their ids, in this order. Raises CompileError with the place of a mistake."""
    blocks: dict[str, RuleBlock] = {}
    for path in list_rule_files():
        name = path.relative_to(PACKAGE.parent).as_posix()
        tree = read(SourceText(name, path.read_text(encoding="utf-8")))
        for problem in tree.diagnostics:
            raise CompileError(f"{name}:{problem.position and problem.position.line}: {problem.message}")
        assert isinstance(tree.root.value, dict)  # a file with anything else has a problem
        for id_, node in tree.root.value.items():
            place = f"{name}:{(node.key or node.position).line}"
            if id_ in blocks:
                raise CompileError(f"{place}: there is another rule {id_}")
            blocks[id_] = _make_block(f"{place}: {id_}", node.as_data(), HINTS.get(id_, ""))
    return dict(sorted(blocks.items()))


def _make_block(place: str, fields: Any, hint: str) -> RuleBlock:
    if not isinstance(fields, dict):
        raise CompileError(f"{place}: a rule is a map")
    lists = {key: fields.get(key, []) for key in ("wrong", "right")}
    for key, items in lists.items():
        if not isinstance(items, list):
            raise CompileError(f"{place}: {key} is not a list of cases")
    cases: dict[str, Any] = {key: tuple(map(_expand_long_texts, items)) for key, items in lists.items()}
    remedy = {"remedy": f"{hint[0].upper()}{hint[1:]}."} if hint else {}
    try:
        return RuleBlock(**{**remedy, **fields, **cases})
    except TypeError as error:
        raise CompileError(f"{place}: {str(error).partition('() ')[2]}") from None


def _expand_long_texts(part: Any) -> Any:
    if isinstance(part, dict):
        if part.keys() == {"repeat", "times"}:
            return part["repeat"] * part["times"]
        return {key: _expand_long_texts(value) for key, value in part.items()}
    return list(map(_expand_long_texts, part)) if isinstance(part, list) else part
