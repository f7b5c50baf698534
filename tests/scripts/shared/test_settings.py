"""shared/settings.py reads the settings that the template writes."""

import ast
import subprocess
import typing
from typing import Any

from shared import settings


def ask(pod: Any, expression: str) -> str:
    """What Python prints for an expression inside the pod."""
    code = f"import sys; sys.path.insert(0, {str(pod.scripts)!r}); from shared import settings"
    command = ["python3", "-ESs", "-c", f"{code}; print({expression})"]
    return subprocess.run(command, env=pod.environment, capture_output=True, text=True, check=True).stdout.strip()


def test_settings_are_read_with_their_types(pod: Any) -> None:
    pod.settings(runName="a-1", restartExitCodes=[3, 4], localRank=False)
    expression = "[getattr(settings.load(), name) for name in ('run_name', 'restart_exit_codes', 'local_rank')]"
    assert ask(pod, expression) == "['a-1', [3, 4], False]"


def test_paths_begin_at_the_root_of_a_pod_without_dsgen_root(pod: Any) -> None:
    pod.environment["DSGEN_ROOT"] = ""
    assert (
        ask(pod, "settings.CONFIG, settings.RUN, settings.TERMINATION_LOG")
        == "/etc/dsgen/shared /run/dsgen /dev/termination-log"
    )


def test_the_template_writes_exactly_the_settings_that_are_read(pod: Any) -> None:
    """A missing or unknown key would be a TypeError; each value has the type that is declared."""
    hints = typing.get_type_hints(settings.Settings)  # Python 3.8 cannot evaluate list[str]
    declared = {name: getattr(kind, "__origin__", kind).__name__ for name, kind in hints.items()}
    program = "{name: type(value).__name__ for name, value in settings.load()._asdict().items()}"

    assert len(declared) > 30
    assert declared == ast.literal_eval(ask(pod, program))
