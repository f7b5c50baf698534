"""Ranks that run as ssh.user attack the key of their job, and sshd of their workers."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.training import SOURCE, Job, Run

pytestmark = pytest.mark.by_turns

# What each rank does before it trains; it prints what it could do.
ATTACK = """
import glob, json, os, subprocess
KEYS = ("/run/dsgen/private/key/ssh-privatekey", "/etc/dsgen-keys/ssh-privatekey", "/run/dsgen/id", *glob.glob(
    "/proc/[0-9]*/root/run/dsgen/id"))
HERE = "digits-1-worker-" + os.environ.get("JOB_COMPLETION_INDEX", "0")
OWN = "/tmp/own"
def readable(path):
    try:
        return b"PRIVATE KEY" in open(path, "rb").read()
    except OSError:
        return False
def shell(command):
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, stdin=subprocess.DEVNULL)
shell(f"rm -f {OWN}*; ssh-keygen -q -t ed25519 -N '' -f {OWN}")
wrote = [name for name in ("authorized_keys", "known_hosts", "env") if not shell(
    f"cat {OWN}.pub >>/run/dsgen/{name} || mv -f {OWN}.pub /run/dsgen/{name}").returncode]
login = "ssh -F /etc/dsgen/shared/ssh_config -o User={user} -o IdentityFile={key} {host} id -un"
logins = {key: shell(login.format(user="root", key=key, host=HERE)).stdout for key in (OWN, "/run/dsgen/id")}
print(json.dumps({
    "attacker": os.getuid(), "groups": sorted(os.getgroups()), "read": sorted(filter(readable, KEYS)), "wrote": wrote,
    "root": [key for key, said in logins.items() if "root" in said],
    "trainer": "trainer" in shell(login.format(user="trainer", key="/run/dsgen/id", host=HERE)).stdout,
}), flush=True)
"""


def attacking(make_job: Callable[..., Job], purpose: str, **launch: Any) -> Job:
    """A job whose ranks run as the image's user `trainer`; the files of its volumes are of the group of this user."""
    job = make_job(purpose)
    job.values["ssh"] = {"user": "trainer"}
    job.values["security"] = {"podSecurityContext": {"fsGroup": 1234}}
    job.values["launch"] = launch
    job.values["training"]["files"]["train.py"] = ATTACK + SOURCE
    return job


def tried(run: Run) -> list[dict[str, Any]]:
    """What the ranks printed."""
    logs = "\n".join(run.logs.values())
    return [json.loads(text) for text in re.findall(r'^(?:\S+: )?(\{"attacker".*\})$', logs, re.MULTILINE)]


@pytest.mark.parametrize("method", ["pdsh", "openmpi"])
def test_a_rank_gets_neither_the_key_nor_root(make_job: Callable[..., Job], method: str) -> None:
    job = attacking(make_job, f"rank-{method}", method=method)

    job.apply()

    run = job.ended()
    nothing = {"attacker": 1234, "groups": [1234], "read": [], "wrote": [], "root": [], "trainer": False}
    assert [nothing] * 2 == tried(run)
    assert ("Succeeded", 2) == (run.record["phase"], run.record["worldSize"])
    assert [] == job.showing_key(run.logs.values())


def test_a_command_of_the_launcher_has_the_key_and_no_root(make_job: Callable[..., Job]) -> None:
    """It may go from worker to worker, so the sessions have a copy of the key. It opens nothing but their own user."""
    hosts = "$(cut -d ' ' -f 1 /job/hostfile | paste -sd ,)"
    job = attacking(make_job, "command", method="launcher-command", expectWorld=False)
    job.values["launch"]["command"] = ["bash", "-c", f"pdsh -R ssh -w {hosts} python3 /job/files/attack.py"]
    job.values["training"] |= {"python": "", "args": [], "files": {"attack.py": ATTACK}}
    del job.values["storage"]

    job.apply()

    run = job.ended()
    own = {"attacker": 1234, "groups": [1234], "read": ["/run/dsgen/id"], "wrote": [], "root": [], "trainer": True}
    assert [own] * 2 == [{**one, "read": sorted(set(one["read"]) & {*own["read"]})} for one in tried(run)]
    assert not [path for one in tried(run) for path in one["read"] if path.endswith("ssh-privatekey")]
    assert "Succeeded" == run.record["phase"]
