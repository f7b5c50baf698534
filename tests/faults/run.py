"""One case of the table on a cluster: starts the training, causes the fault, and compares the result with the table."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.cluster import HOST, Namespace, live
from tests.e2e.queues import api_version, delete, queue_objects
from tests.e2e.sampler import lies, sampling
from tests.e2e.training import Job, merged, said
from tests.faults import harm
from tests.faults.table import Case, End
from tests.faults.trial import POWER, Trial, base_values, method_values

ACCELERATE_IMAGE = "DSGEN_E2E_ACCELERATE_IMAGE"
PATIENCE = float(os.environ.get("DSGEN_E2E_PATIENCE", "1"))
AWAY = {"nodeSelector": {"kubernetes.io/hostname": "SECOND"}, "tolerations": [{"operator": "Exists"}]}


@dataclass
class Seen:
    """The result of one training; `problems`: the differences from the expected result."""

    case: str
    record: dict[str, Any] = field(default_factory=dict)
    code: int | None = None
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)
    logs: dict[str, str] = field(default_factory=dict)  # "logs of POD/CONTAINER" -> text, as in Trial.texts

    @property
    def summary(self) -> str:
        said = [self.record.get("phase", "no record"), self.record.get("reason", "")]
        return f"{' '.join(filter(None, said))}, exit code {self.code}, {self.seconds:.0f} s"


def missing(case: Case) -> str:
    """The reason why the case cannot be run here; "" if it can."""
    if case.row.needs == "power" and not (os.environ.get(POWER) and os.environ.get("DSGEN_E2E_SECOND_NODE")):
        return f"it needs {POWER} and DSGEN_E2E_SECOND_NODE (tests/e2e/README.md)"
    if case.method == "accelerate" and not os.environ.get(ACCELERATE_IMAGE):
        return f"it needs {ACCELERATE_IMAGE}: an image with accelerate"
    if case.row.needs == "host" and not os.environ.get(HOST):
        return f"it needs {HOST} (tests/e2e/README.md)"
    if case.row.needs == "kueue" and not api_version():
        return "it needs Kueue"
    return ""


def values(case: Case, image: str) -> dict[str, Any]:
    """The values of the case's job."""
    row = case.row
    hold = ["--hold"] if row.fault and not row.arguments else []
    if case.method == "accelerate":
        image = os.environ.get(ACCELERATE_IMAGE, image)
    made = merged(base_values(image), method_values(case.method, [*row.arguments, *hold]))
    made = merged(made, row.values)
    if row.needs == "power":  # no pods of other trials are on a node with a fault
        node = os.environ["DSGEN_E2E_SECOND_NODE"]
        made = merged(made, {row.on_second: {**AWAY, "nodeSelector": {"kubernetes.io/hostname": node}}})
    if row.needs == "kueue":
        made = merged(made, {"scheduling": {"queue": "queue"}})
    return made


def run(case: Case, folder: Path, image: str) -> Seen:
    """Run the case once."""
    level = values(case, image).get("security", {}).get("podSecurityLevel", "baseline")
    space = Namespace(f"f-{case.row.name}", level)
    trial, good = Trial(Job(space, folder, values(case, image)), case.method), False
    try:
        if case.row.needs == "kueue":
            harm.enter_queue(trial)
        seen = observed(case, trial)
        good = not seen.problems
        return seen
    finally:
        trial.restore()
        live.remove(space)
        keep = os.environ.get("DSGEN_E2E_KEEP")
        if not keep or (keep == "failed" and good):
            space.delete()
            if case.row.needs == "kueue":
                delete(queue_objects(space.name, api_version()))


def observed(case: Case, trial: Trial) -> Seen:
    """What became of it, and of what `dsgen status` showed meanwhile."""
    trial.begin({})
    with sampling(trial.job) as samples:
        if case.row.fault:
            case.row.fault(trial)
            trial.continue_training()
        else:
            trial.starts()
        began = time.monotonic()
        record = trial.wait_for_end(PATIENCE * (case.row.within + (0 if case.row.fault else 120)))
        seen = Seen(case.name, record, seconds=time.monotonic() - began)
        trial.restore()
        time.sleep(2)
        trial.look_at_the_end()
        seen.code = trial.exit_code()
        seen.logs = {where: text for where, text in trial.texts.items() if where.startswith("logs")}
    end = case.end
    if not any(line.get("first") == end.first for text in trial.texts.values() for line in begun(text)) and end.first:
        seen.problems.append(f"no rank began at step {end.first}")
    seen.problems += [*wrong(end, seen), *trial.left(), *trial.shown(), *lies(samples)]
    if len(samples) < seen.seconds / 10:
        seen.problems.append(f"{len(samples)} samples of what is shown")
    causes = [f"dsgen why: {cause.message}" for sample in samples for cause in sample.causes]
    seen.problems += list(dict.fromkeys(causes)) if case.row.healthy else []
    return seen


def begun(text: str) -> list[dict[str, Any]]:
    """The lines of a log that ranks print when they start."""
    return [line for line in said(text) if "first" in line] if '"first"' in text else []


def wrong(end: End, seen: Seen) -> list[str]:
    """The differences of record and exit code from the table."""
    record = seen.record
    differences = []
    if record["phase"] != end.phase or record["reason"] not in end.reasons:
        differences.append(f"the record says {record['phase']} {record['reason']} ({record['message']})")
    if seen.code not in end.codes:
        differences.append(f"the launcher ended with {seen.code}")
    text = str([record["message"], record["attempts"]])
    differences += [f"the record does not say {word!r}: {text}" for word in end.words if word not in text]
    differences += [f"the record says {word!r}: {text}" for word in end.never if word in text]
    if len(record["attempts"]) < end.attempts:
        differences.append(f"{len(record['attempts'])} attempts")
    return differences
