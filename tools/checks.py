"""The table in docs/checks.md: which problems are errors and which are warnings, from the cases of the rules."""

import json
import re
from collections.abc import Iterator

from dsgen import checks, values
from dsgen.compiler.rules import BASE, RuleBlock, read_rule_blocks
from dsgen.reading.nodes import SourceText

TABLE = re.compile(r"^\| id \| problem \|.*", re.MULTILINE | re.DOTALL)
"""The table at the end of docs/checks.md."""
HEAD = "| id | problem | | in the chart |\n|---|---|---|---|\n"


def with_checks(page: str) -> str:
    """The page; if it ends with the table of the checks, with the present one."""
    return TABLE.sub(lambda _: HEAD + "".join(_rows()), page)


def _rows() -> Iterator[str]:
    in_chart = {row.id for row in checks.CHECKS if row.worlds == "both"}
    for id_, rule in read_rule_blocks().items():
        found = " or ".join(sorted(severities(id_, rule)))
        if "DS200" < id_ < "DS900" and found:
            yield f"| {id_} | {rule.title} | {found} | {'yes' if id_ in in_chart else ''} |\n"


def severities(id_: str, rule: RuleBlock) -> set[str]:
    """What problems with this id are in the cases and the example of their rule."""
    sources = [[SourceText("values.yaml", rule.values)]] if rule.values else []
    for case in (*rule.wrong, *rule.flat):
        sources.append([SourceText("values.yaml", BASE), SourceText("case.yaml", json.dumps(case, ensure_ascii=False))])
    problems = [one for files in sources for one in values.load(files).problems()]
    return {one.severity for one in problems if one.id == id_}
