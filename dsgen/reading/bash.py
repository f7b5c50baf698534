"""The syntax of scripts for bash, as bash itself sees it."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess

SECONDS = 5
_STDIN = "/dev/stdin"
_LINE = re.compile(rf"^{_STDIN}: (line \d+: .*)$")


@functools.lru_cache(maxsize=64)
def find_syntax_error(script: str) -> str:
    """What is wrong with the syntax of a script, such as `line 2: syntax error: unexpected end of file`.

    Empty for a valid script, and on a machine without bash, where the pods are the first to check it. Nothing of the
    script is executed (`bash -n`).
    """
    program = shutil.which("bash")
    if not program:
        return ""
    command = [program, "--norc", "--noprofile", "-O", "extglob", "-n", _STDIN]
    try:
        done = subprocess.run(
            command, input=script.encode(errors="replace"), capture_output=True, timeout=SECONDS, env={"LC_ALL": "C"}
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = done.stderr.decode(errors="replace").splitlines() if done.returncode else []
    found = _LINE.match(lines[0]) if lines else None
    return found[1] if found else ""
