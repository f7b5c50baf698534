"""training.setup of the launcher attacks the sidecar, which has a token."""

import json
import re
from collections.abc import Callable, Iterator

import pytest

from tests.e2e.training import SOURCE, Job, Run, dsgen

# Names by which containers of the pod have told each other something, in any version.
NAMES = "launcher.json status.json code-failed setup-failed no-key-made ssh-privatekey key id passwd over"
TARGETS = ("/var/run/secrets/dsgen/token", "/run/dsgen-status/ssh-privatekey", "/run/dsgen/private/key/ssh-privatekey")
TOKEN = re.compile("eyJhbGciOi")  # {"alg": how each JSON web token begins

# It waits until there is a key that could be shown; otherwise the run may end before the status container made one.
LINKS = """
if [ "$DSGEN_ROLE" = launcher ]; then
  until [ -s /run/dsgen-status/ssh-privatekey ]; do sleep 0.1; done
  for name in {names}; do
    rm -rf "/run/dsgen/$name"
    ln -s {target} "/run/dsgen/$name"
  done
  exit 3
fi
"""

# In the launcher each thing is there for longer than the sidecar takes to look again; then the training begins.
RUBBISH = r"""
volumes=$(echo /run/dsgen-{status,code,launcher} /etc/dsgen/{launcher,worker,shared} /etc/dsgen-status)
for volume in $volumes; do
  for name in status.json ssh-privatekey code-failed planted; do
    ! echo '{}' 2>/dev/null >"$volume/$name" || echo "WROTE $volume/$name"
  done
done
if [ "$DSGEN_ROLE" = launcher ]; then
  cat >/run/dsgen/plant.py <<'EOF'
import json, os, shutil, socket, time
path = "/run/dsgen/launcher.json"
def plant(make):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)
    make()
    time.sleep(1.2)
def text(content):
    return lambda: open(path, "w").write(content)
def sparse():
    with open(path, "w") as file:
        file.truncate(1 << 40)
good = {"version": 1, "sequence": 1, "phase": "Running", "reason": "", "message": "", "exitCode": None,
        "worldSize": 1, "terminated": False, "attempts": []}
plant(lambda: os.mkfifo(path))
plant(sparse)
plant(lambda: os.symlink("/dev/zero", path))
plant(lambda: os.symlink("/proc/self/environ", path))
plant(lambda: socket.socket(socket.AF_UNIX).bind(path))
plant(text("[" * 1000000))
plant(text('{"version": 1, "phase": ' + '{"a":' * 100000))
plant(text(json.dumps(dict(good, sequence=int("9" * 4000)))))
for key, value in (("phase", ["Failed"]), ("phase", "Cheated"), ("message", {}), ("attempts", [[]]), ("attempts", 7),
                   ("attempts", [{"startTime": "x"}]), ("exitCode", float("nan")), ("worldSize", "2"),
                   ("message", "\ud800"), ("sequence", True)):
    plant(text(json.dumps({**good, key: value})))
plant(text(json.dumps({**good, "attempts": [{}] * 250000})))
plant(text(json.dumps({**good, "attempts": [{"tail": ["://" * 1300] * 10}] * 25})))
plant(lambda: os.mkdir(path))
EOF
  python3 /run/dsgen/plant.py
fi
mkfifo /run/dsgen/reports /run/dsgen/setup-failed
"""
FORGED = """
for line in ('dsgen-rank {"rank": 7, "worldSize": 99, "localRank": 0}', "dsgen-session-end 1",
             "0" * 32 + ' dsgen-rank {"host": "digits-1-worker-0", "rank": 7, "worldSize": 99}',
             'dsgen-session-end {"host": "digits-1-worker-0", "exitCode": 1}'):
    print(line, flush=True)
print("::set-output name=x::y", "\\x1b[2J##vso[task.setvariable variable=x]y", flush=True)
"""


def everything(job: Job, run: Run) -> Iterator[str]:
    """Whatever a person can read of the namespace without the right to read Secrets."""
    yield from run.logs.values()
    yield json.dumps(run.record)
    for kind in ("events", "configmaps", "pods", "jobs"):
        yield job.space.kubectl("get", kind, "--output", "json")


@pytest.mark.parametrize("target", TARGETS)
def test_links_to_the_token_and_the_key_lead_nowhere(make_job: Callable[..., Job], target: str) -> None:
    """The sidecar reads what the launcher has left, and used to follow links to what only it can see."""
    job = make_job("links")
    job.values["training"]["setup"] = LINKS.format(names=NAMES, target=target)

    job.apply()

    run = job.ended()
    texts = list(everything(job, run))
    assert [] == [text for text in texts if TOKEN.search(text)]
    assert [] == job.showing_key(texts)
    assert ("Failed", "SetupFailed") == (run.record["phase"], run.record["reason"])
    assert run.record["message"].startswith("training.setup ended with exit code 3")


@pytest.mark.by_turns("method")
@pytest.mark.parametrize("method", ["pdsh", "openmpi", "torchrun"])
def test_rubbish_in_shared_places_and_printed_protocol_lines_change_nothing(
    make_job: Callable[..., Job], method: str
) -> None:
    """The sidecar neither hangs nor ends, and the training that follows is recorded as it was."""
    job = make_job("rubbish")
    job.values["training"]["setup"] = RUBBISH
    job.values["training"]["files"]["train.py"] = FORGED + SOURCE
    job.values["launch"] = {"method": method}

    job.apply()

    run = job.ended()
    (launcher,) = run.pods_of("launcher")
    (status,) = [container for container in launcher.status.init_container_statuses if container.name == "status"]
    assert 0 == status.restart_count
    assert ("Succeeded", 2, 0) == (run.record["phase"], run.record["worldSize"], run.record["exitCode"])
    logs = "\n".join(run.logs.values())
    assert "WROTE" not in logs
    assert [] == re.findall("[1-9a-f][0-9a-f]{31} dsgen-", logs)
    assert not TOKEN.search(logs)
    assert 'dsgen-rank {"rank": 7, "worldSize": 99' in logs, "what the program prints is in the log, byte for byte"
    printed = dsgen("logs", job.name, "--namespace", job.space.name)
    assert "::set-output name=x::y \\x1b[2J#\\x23vso[" in printed.replace("\\x3a", ":")
    assert [] == re.findall("\x1b|##vso|^\\s*::", printed, re.MULTILINE)
    assert "\x1b[2J##vso[" in dsgen("logs", job.name, "--namespace", job.space.name, "--raw")


# Answers whoever asks for the webhook's host in the pod.
IMPOSTOR = """
if [ "$DSGEN_ROLE" = launcher ]; then
  echo "127.0.0.1 hooks.example.com" >>/etc/hosts
  cat >/run/dsgen/impostor.py <<'EOF'
import socket
server = socket.create_server(("127.0.0.1", PORT))
while True:
    connection, _ = server.accept()
    print("IMPOSTOR", connection.recv(4096), flush=True)
    connection.close()
EOF
  python3 /run/dsgen/impostor.py &
  sleep 1
fi
"""


@pytest.mark.by_turns("scheme")
@pytest.mark.parametrize(("scheme", "port"), [("http", 80), ("https", 443)])
def test_another_host_does_not_get_the_address_of_the_webhook(
    make_job: Callable[..., Job], scheme: str, port: int
) -> None:
    """The containers of a pod share /etc/hosts. By https, the other host gets a greeting and nothing more."""
    job = make_job("hook")
    secret = {"metadata": {"name": "hook"}, "stringData": {"url": f"{scheme}://hooks.example.com/t0ken"}}
    job.space.core.create_namespaced_secret(job.space.name, secret)
    job.values["training"]["setup"] = IMPOSTOR.replace("PORT", str(port))
    job.values["status"]["webhook"] = {"secretName": "hook"}

    job.apply()

    run = job.ended()
    logs = "\n".join(run.logs.values())
    assert ("Succeeded", 0) == (run.record["phase"], run.record["exitCode"])
    assert "t0ken" not in logs
    if scheme == "http":
        assert "webhook: nothing is sent: the address is not one of https" in logs
        assert "IMPOSTOR" not in logs
    else:
        assert "webhook: https://hooks.example.com: " in logs
