"""Errors whose messages are shown to the user, and the exit codes of the program."""

EXIT_OK, EXIT_FINDINGS, EXIT_USAGE, EXIT_FAILED = 0, 1, 2, 3
EXIT_TIMEOUT = 124  # as for the program `timeout`
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as in a shell
EXIT_TERMINATED = 143  # 128 + SIGTERM


class DsgenError(Exception):
    """The program could not do its task; the message says what failed and why.

    Each argument is one line of the message. Line breaks inside of an argument are escaped when it is printed.
    exit_code: another one than that of the class.
    """

    exit_code = EXIT_FAILED

    def __init__(self, *lines: str, exit_code: int | None = None) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines
        if exit_code is not None:
            self.exit_code = exit_code


class UsageError(DsgenError):
    """The command line itself is wrong: an unknown flag, mutually exclusive flags, a missing name."""

    exit_code = EXIT_USAGE


class ApiError(DsgenError):
    """The API server could not be reached, or refused the request. `status`: the HTTP status, 0 without an answer."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class NotFoundError(DsgenError):
    """The cluster has no such object."""

    exit_code = EXIT_FINDINGS


class RevertedError(DsgenError):
    """The change is refused, because a GitOps tool or Helm would undo it."""

    exit_code = EXIT_FINDINGS


class ApplyError(DsgenError):
    """The objects cannot be applied to the cluster; none was changed."""

    exit_code = EXIT_FINDINGS


class IncompleteApplyError(DsgenError):
    """Some objects were changed before a request failed."""


class WaitTimeoutError(DsgenError):
    """The run has not reached the state in time."""

    exit_code = EXIT_TIMEOUT
