"""Which problems are errors and which are warnings, from the cases of the rules."""

import json

from dsgen import values
from dsgen.compiler.chart import conditions
from dsgen.compiler.programs import find_refused_ids
from dsgen.compiler.rules import BASE, RuleBlock, read_rule_blocks
from dsgen.reading.nodes import SourceText


def list_severities() -> dict[str, tuple[str, bool]]:
    """Id of a check -> its severities in words, and whether the chart has it, too."""
    in_chart = conditions.IDS | find_refused_ids()
    found = {id_: " or ".join(sorted(severities(id_, rule))) for id_, rule in read_rule_blocks().items()}
    return {id_: (words, id_ in in_chart) for id_, words in found.items() if "DS200" < id_ < "DS900" and words}


def severities(id_: str, rule: RuleBlock) -> set[str]:
    """What problems with this id are in the cases and the example of their rule."""
    sources = [[SourceText("values.yaml", rule.values)]] if rule.values else []
    for case in rule.wrong:
        sources.append([SourceText("values.yaml", BASE), SourceText("case.yaml", json.dumps(case, ensure_ascii=False))])
    problems = [one for files in sources for one in values.load(files).problems()]
    return {one.severity for one in problems if one.id == id_}
