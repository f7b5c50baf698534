"""settings.py reads what the template writes."""

import re
import subprocess
from pathlib import Path
from typing import Any

SCRIPTS = Path(__file__).parent.parent.parent / "dsgen/scripts"
TEMPLATE = SCRIPTS.parent / "templates/config/configmap.yaml"


def ask(pod: Any, expression: str) -> str:
    """What Python prints for an expression inside the pod."""
    command = [
        "python3",
        "-ESs",
        "-c",
        f"import sys; sys.path.insert(0, {str(pod.config)!r}); import settings; print({expression})",
    ]
    return subprocess.run(command, env=pod.environment, capture_output=True, text=True, check=True).stdout.strip()


def test_settings_are_read_with_their_types(pod: Any) -> None:
    pod.settings(runName="a-1", restartExitCodes=[3, 4], localRank=False)
    expression = "[getattr(settings.load(), name) for name in ('run_name', 'restart_exit_codes', 'local_rank')]"
    assert ask(pod, expression) == "['a-1', [3, 4], False]"


def test_paths_begin_at_the_root_of_a_pod_without_dsgen_root(pod: Any) -> None:
    pod.environment["DSGEN_ROOT"] = ""
    assert (
        ask(pod, "settings.CONFIG, settings.RUN, settings.TERMINATION_LOG")
        == "/etc/dsgen /run/dsgen /dev/termination-log"
    )


def test_the_template_writes_exactly_the_settings_that_are_read() -> None:
    written = re.findall(r'^      "(\w+)": ', TEMPLATE.read_text(), re.MULTILINE)
    fields = re.findall(r"^    (\w+): [a-z\[\]]+$", (SCRIPTS / "settings.py").read_text(), re.MULTILINE)
    assert [re.sub("[A-Z]", lambda found: "_" + found.group().lower(), name) for name in written] == fields
