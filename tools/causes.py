"""docs/causes.md, and the table of reasons in docs/running.md, from the tables of the commands on a cluster."""

import re

from dsgen.cluster.reasons import RECORDED, RULES, CauseRule, capitalize_placeholders

HEAD = """# Why a run waits or has failed

This page lists all causes that `dsgen why` reports. A cause explains those below it: if there are several, the first
one is the root cause. Words in capitals are placeholders for names and numbers.

"""
PLACES = {
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
REASONS = re.compile(r"^\| reason \| phase \|.*?\n\n", re.MULTILINE | re.DOTALL)


def page() -> str:
    """The text of docs/causes.md."""
    reasons: dict[str, list[CauseRule]] = {}
    for row in RULES:
        reasons.setdefault(row.reason, []).append(row)
    return HEAD + "\n".join(_section(reason, rows) for reason, rows in reasons.items())


def _section(reason: str, rows: list[CauseRule]) -> str:
    lines = [f"- {_capitals(row.message)}" for row in rows]
    places = dict.fromkeys(PLACES[row.place] for row in rows)
    keys = dict.fromkeys(f"`{key}`" for row in rows for key in row.keys)
    said = f"Seen in: {', '.join(places)}." + (f" In the values file: {', '.join(keys)}." if keys else "")
    return "\n".join([f"## {reason}", "", *lines, "", said, ""])


def _capitals(sentence: str) -> str:
    text = capitalize_placeholders(sentence)
    return text[0].upper() + text[1:]


def with_reasons(page: str) -> str:
    """The page; if it has the table of reasons, with the present one."""
    rows = (f"| `{name}` | {', '.join(reason.phases)} | {reason.text} |\n" for name, reason in RECORDED.items())
    table = "| reason | phase | meaning, what to do |\n|---|---|---|\n" + "".join(rows) + "\n"
    return REASONS.sub(lambda _: table, page)
