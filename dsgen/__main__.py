"""The program `dsgen`; also `python -m dsgen`."""

import signal
import sys

from dsgen import cli
from dsgen.errors import EXIT_TERMINATED


def main() -> None:
    """Run the command line of this process and end it with the command's exit code."""
    # An exception, as for Ctrl-C, so that `finally` blocks clean up.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(EXIT_TERMINATED))
    sys.exit(cli.main(sys.argv[1:]))


if __name__ == "__main__":
    main()
