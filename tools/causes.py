"""docs/causes.md, from the tables of the commands on a cluster."""

from dsgen.cluster.reasons import PHASES_OF, RECORDED, RULES, CauseRule, capitalize_placeholders

HEAD = """# Why a run waits or has failed

## Reasons in the record

| reason | phase | meaning, what to do |
|---|---|---|
"""
CAUSES = """
## Causes

`dsgen why` reports these. A cause explains those below it: if there are several, the first one is the root cause.
Words in capitals are placeholders for names and numbers.

"""
PLACES = {
    "scripts": "the ConfigMaps of shared scripts",
    "creation": "events of the Job (FailedCreate)",
    "job": "the Jobs of the run",
    "queue": "the Workload of Kueue",
    "gang": "the PodGroup and the pods' scheduler",
    "claim": "the job's claims and their events",
    "scheduling": "the condition PodScheduled of pods, nodes",
    "container": "waiting containers",
    "mount": "events of pods (FailedMount and the like)",
    "exit": "ended containers",
    "node": "nodes of the run's pods",
    "wait": "the record, for minutes",
    "phase": "the record, the lease",
    "held": "pods of both Jobs",
}


def page() -> str:
    """The text of docs/causes.md."""
    reasons: dict[str, list[tuple[str, CauseRule]]] = {}
    for place, row in ((place, row) for place, rows in RULES.items() for row in rows):
        reasons.setdefault(row.reason, []).append((place, row))
    rows = ((name, ", ".join(PHASES_OF.get(name, ("Failed",))), text) for name, text in RECORDED.items())
    recorded = (f"| `{name}` | {phases} | {text} |\n" for name, phases, text in rows)
    return "".join([HEAD, *recorded, CAUSES, "\n".join(_section(reason, rows) for reason, rows in reasons.items())])


def _section(reason: str, rows: list[tuple[str, CauseRule]]) -> str:
    lines = [f"- {_capitals(row.message)}" for _, row in rows]
    places = dict.fromkeys(PLACES[place] for place, _ in rows)
    keys = dict.fromkeys(f"`{key}`" for _, row in rows for key in row.keys)
    said = f"Seen in: {', '.join(places)}." + (f" In the values file: {', '.join(keys)}." if keys else "")
    return "\n".join([f"### {reason}", "", *lines, "", said, ""])


def _capitals(sentence: str) -> str:
    text = capitalize_placeholders(sentence)
    return text[0].upper() + text[1:]
