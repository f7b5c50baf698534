"""The program `dsgen`; also `python -m dsgen`."""

import sys

from dsgen.cli import dsgen
from dsgen.cli._shared import run


def main() -> None:
    """Run the command line of this process and end it with the command's exit code."""
    sys.exit(run(dsgen, sys.argv[1:]))


if __name__ == "__main__":
    main()
