"""The program `dsgen`; also `python -m dsgen`."""

import gc
import signal
import sys

gc.disable()  # before other imports; most commands end before a collection would free anything

from dsgen import cli  # noqa: E402 - after gc.disable
from dsgen.cli._console import exit_now  # noqa: E402 - after gc.disable
from dsgen.errors import EXIT_TERMINATED  # noqa: E402 - after gc.disable


def main() -> None:
    """Run the command line of this process and end it with the command's exit code."""
    # An exception, as for Ctrl-C, so that `finally` blocks clean up.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(EXIT_TERMINATED))
    code = cli.main(sys.argv[1:])
    if "kubernetes" in sys.modules:  # it has threads and temporary files
        sys.exit(code)
    exit_now(code)


if __name__ == "__main__":
    main()
