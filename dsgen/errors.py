"""Errors whose message is meant for the user, and the exit codes of the program."""

EXIT_OK, EXIT_FINDINGS, EXIT_USAGE, EXIT_FAILED = 0, 1, 2, 3
EXIT_INTERRUPTED = 130  # as a shell says it: 128 + SIGINT
EXIT_TERMINATED = 143  # 128 + SIGTERM


class DsgenError(Exception):
    """The program could not do what was asked; the message says what and why, in one or a few lines.

    Each argument is a line: what of the user's stands in it cannot begin another one.
    """

    exit_code = EXIT_FAILED

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class UsageProblem(DsgenError):  # noqa: N818 - its message is shown as it is, where "error" is said already
    """The command line itself is wrong: an unknown flag, two flags that exclude one another, a missing name."""

    exit_code = EXIT_USAGE


class ApiError(DsgenError):
    """The API server could not be asked, or it refused. `status` is that of HTTP, 0 without an answer."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status
