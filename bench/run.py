"""Runs processes one after the other and prints their costs as JSON: `run.py PROCESSORS '[["program", "argument"]]'`.

It is a separate, small process, because the kernel counts the memory of the starting process as that of the program.
"""

import json
import os
import sys
import time

SILENT = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]


def main() -> None:
    exits, cpu, memory = [], 0.0, 0
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(sys.argv[1])])
    start = time.perf_counter()
    for arguments in json.loads(sys.argv[2]):
        pid = os.posix_spawn(arguments[0], arguments, os.environ, file_actions=SILENT)
        _, status, usage = os.wait4(pid, 0)
        exits.append(os.waitstatus_to_exitcode(status))
        cpu += usage.ru_utime + usage.ru_stime
        memory = max(memory, usage.ru_maxrss)
    print(json.dumps({"exits": exits, "cost": [time.perf_counter() - start, cpu, memory]}))


if __name__ == "__main__":
    main()
