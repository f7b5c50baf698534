"""`make faults`: runs rows of the table on the cluster of KUBECONFIG, and writes results.json and docs/faults.md."""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from kubernetes import config

from tests.e2e.cluster import kubectl, live
from tests.faults import page
from tests.faults.run import Seen, missing, run
from tests.faults.table import CASES, Case

QUIET = threading.Lock()
LOG_LINES = 80  # the last ones of each container of a trial that failed


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make faults", description=__doc__)
    parser.add_argument("--row", action="append", default=[], metavar="NAME", help="a row, or ROW/METHOD; repeatable")
    parser.add_argument("--times", type=int, default=1, help="how often each row is run")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="N trainings with random faults instead")
    parser.add_argument("--seed", type=int, default=1, help="seed of --random")
    parser.add_argument("--at-once", type=int, default=1, metavar="N", help="trainings at a time")
    parser.add_argument("--list", action="store_true", help="show the rows")
    parser.add_argument("--page", action="store_true", help="write the rows to the page, and run none")
    parser.add_argument("--anew", action="store_true", help="with --page: delete all results")
    parser.add_argument(
        "--turn", metavar="K/N", help="only every N-th of the rows that can be run here, from the K-th on"
    )
    parser.add_argument("--until", type=int, default=0, metavar="N", help="only rows with fewer than N passes")
    return parser.parse_args()


def chosen(given: argparse.Namespace) -> list[Case]:
    wanted = [case for case in CASES.values() if not given.row or {case.name, case.row.name} & set(given.row)]
    if given.until:
        known = page.read()
        times = {case.name: known[case.name]["times"] if case.name in known else 0 for case in wanted}
        return [case for number in range(given.until) for case in wanted if times[case.name] <= number]
    if given.random:
        able = [case for case in wanted if not case.row.needs and not missing(case)]
        return random.Random(given.seed).choices(able, k=given.random)
    if given.turn:
        turn, turns = map(int, given.turn.split("/"))
        wanted = [case for case in wanted if not missing(case)][turn % turns :: turns]
    return [case for case in wanted for _ in range(given.times)]


def trial(case: Case) -> Seen:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        try:
            seen = run(case, Path(folder), os.environ["DSGEN_E2E_IMAGE"])
        except Exception as error:  # a trial that could not be run has failed
            traceback.print_exc()
            seen = Seen(case.name, problems=[f"{type(error).__name__}: {error}"[:600]])
    with QUIET:
        verdict = "; ".join(seen.problems) or "ok"
        print(f"{case.name}: {seen.summary}, {time.monotonic() - began:.0f} s in all: {verdict}", flush=True)
        for where, text in seen.logs.items() if seen.problems else ():
            print(f"--- {where}", *text.splitlines()[-LOG_LINES:], sep="\n", flush=True)
    return seen


def trials(cases: list[Case], at_once: int) -> Iterator[Seen]:
    """Run them; of those that hurt the second node, on which no others run, one at a time."""
    with ThreadPoolExecutor(at_once) as pool, ThreadPoolExecutor(1) as hurting:
        for done in as_completed(
            [(hurting if case.row.needs == "power" else pool).submit(trial, case) for case in cases]
        ):
            yield done.result()


def main() -> int:
    given = options()
    rows = "\n".join(f"{case.name:32}{case.row.what}" for case in CASES.values())
    if given.list:
        print(rows)
        return 0
    if given.page:
        page.write([], given.anew)
        return 0
    config.load_kube_config()
    cases = chosen(given)
    if not cases:
        print(rows, "\nno row is chosen", file=sys.stderr)
        return 2
    able = [case for case in cases if not missing(case)]
    for case in {case.name: case for case in cases if case not in able}.values():
        print(f"{case.name}: not run, {missing(case)}")
    seen = []
    for one in trials(able, given.at_once):
        seen.append(one)
        page.write([one])
    for space in live:
        kubectl("delete", "namespace", space.name, "--wait=false", "--ignore-not-found")
    bad = [one for one in seen if one.problems]
    print(f"{len(seen)} trainings, {len(bad)} failed, {len(cases) - len(able)} not run")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
