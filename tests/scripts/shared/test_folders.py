"""Notices of the kernel about the content of a folder."""

import subprocess
import sys
from pathlib import Path

from shared import exchange

SCRIPTS = Path(exchange.__file__).parents[1]


def test_what_is_replaced_in_a_folder_wakes_who_watches_it(tmp_path: Path) -> None:
    """As the kubelet brings new content: it renames a link in the folder."""
    program = "import signal, sys; from pathlib import Path; from shared import exchange;"
    program += " signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGIO]); exchange.watch(Path(sys.argv[1]));"
    program += " print('waits', flush=True); print(signal.sigtimedwait([signal.SIGIO], 20).si_signo == signal.SIGIO)"
    command = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={"PYTHONPATH": str(SCRIPTS)}) as process:
        assert process.stdout is not None
        assert b"waits\n" == process.stdout.readline()
        (tmp_path / "..data_tmp").symlink_to("..2026")
        (tmp_path / "..data_tmp").rename(tmp_path / "..data")
        assert b"True\n" == process.stdout.readline()


def test_a_folder_that_is_not_there_wakes_nobody(tmp_path: Path) -> None:
    exchange.watch(tmp_path / "absent")

    assert not (tmp_path / "absent").exists()
