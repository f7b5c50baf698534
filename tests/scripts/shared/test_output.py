"""Output of the ranks: what the launcher reads from it, and what it writes to the log."""

import json

import pytest

from shared import output
from tests.scripts.trainings import CLOSED, FAILED, HOSTS, LABEL, NONCE, PEER, RANK, RANK_0, SSH, process_line, read


@pytest.mark.parametrize(
    "line",
    [
        b"cifar-1-worker-1: step 1\n",
        b"cifar-1-worker-1: \x80\xff\x00\n",
        b"no label\n",
        b"\n",
        SSH,
    ],
)
def test_output_goes_to_the_log_unchanged(line: bytes) -> None:
    assert line == process_line(read(), line)


@pytest.mark.parametrize("line", [RANK, FAILED, CLOSED])
@pytest.mark.parametrize("nonce", [b"", b"0" * 32, NONCE[:-1].encode(), b"NONCE"])
def test_what_looks_like_a_protocol_line_is_output(line: bytes, nonce: bytes) -> None:
    """A program may print anything, a text about dsgen too."""
    seen = output.Output(HOSTS, pdsh=True)

    assert line.replace(b"NONCE", nonce) == seen.parse_line(line.replace(b"NONCE", nonce))
    assert not seen.has_started()


@pytest.mark.parametrize(
    "text",
    [
        b"dsgen-rank {broken",
        b'dsgen-rank {"host": "cifar-1-worker-1", "rank": 1}',
        b'dsgen-rank {"rank": 1, "worldSize": 2}',
        b'dsgen-rank {"host": "another", "rank": 1, "worldSize": 2}',
        b'dsgen-rank {"host": 7, "rank": 1, "worldSize": 2}',
        b'dsgen-rank {"host": "cifar-1-worker-1", "rank": Infinity, "worldSize": 2}',
        b'dsgen-rank {"host": "cifar-1-worker-1", "rank": ' + b"[" * 20000 + b"}",
        b'dsgen-session-end {"host": "cifar-1-worker-1", "exitCode": "now"}',
        b'dsgen-session-end {"host": "cifar-1-worker-1", "exitCode": []}',
        b"is the nonce",
    ],
)
def test_the_log_never_shows_the_nonce(text: bytes) -> None:
    """Not even where the line is none of the protocol's."""
    seen = read()

    assert LABEL + b" " + text + b"\n" == process_line(seen, LABEL + b"NONCE " + text + b"\n")
    assert not seen.has_started()


def test_pdshs_words_count_where_pdsh_says_them() -> None:
    """Not in the middle of a long line, and not where mpirun starts the ranks: there each may print them."""
    seen = read(b"x" * 10, SSH)
    others = output.Output(HOSTS)
    others.parse_line(SSH)

    assert ({}, {}) == (seen.ssh_ended, others.ssh_ended)


@pytest.mark.parametrize(
    ("line", "logged"),
    [
        (RANK, b"[dsgen] rank 1 of 2 started on cifar-1-worker-1.cifar-1\n"),
        (FAILED, b"[dsgen] rank 1 on cifar-1-worker-1.cifar-1 ended with 3\n"),
        (CLOSED, b"[dsgen] cifar-1-worker-1.cifar-1 ended with 3\n"),
        (CLOSED.removeprefix(LABEL), b"[dsgen] cifar-1-worker-1.cifar-1 ended with 3\n"),
        (
            CLOSED.replace(b": NONCE", b": 90%NONCE"),
            b"cifar-1-worker-1: 90%\n[dsgen] cifar-1-worker-1.cifar-1 ended with 3\n",
        ),
    ],
)
def test_protocol_lines_are_said_in_words(line: bytes, logged: bytes) -> None:
    """Also behind text that did not end its line."""
    assert logged == process_line(read(), line)


def test_ranks_and_world_sizes_are_collected() -> None:
    seen = read(RANK, RANK.replace(b'"rank": 1', b'"rank": 0'))

    assert (seen.ranks, seen.world_sizes) == ({0, 1}, {2})
    assert seen.has_started()


def test_the_first_rank_that_fails_is_kept() -> None:
    seen = read(FAILED, FAILED.replace(b'"rank": 1, "exitCode": 3', b'"rank": 0, "exitCode": 143'))

    assert seen.find_failure() == {"host": HOSTS[1], "rank": 1, "exitCode": 3, "tail": ["a", "b"]}
    assert seen.explain_failure() == f"rank 1 on {HOSTS[1]} ended with exit code 3"


def test_without_a_failed_rank_the_first_failed_host_is_to_blame() -> None:
    seen = read(CLOSED.replace(b"worker-1", b"worker-0").replace(b"3", b"0"), CLOSED)

    assert seen.find_failure() == {"host": HOSTS[1], "exitCode": 3}
    assert seen.explain_failure() == f"{HOSTS[1]} ended with exit code 3"
    assert read().find_failure() == {}


LOST_PEERS = [
    "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.7]:1044",
    "torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error",
    "RuntimeError: Broken pipe",
    "torch.distributed.DistNetworkError: failed to recv, got 0 bytes",
]


@pytest.mark.parametrize("last", LOST_PEERS)
def test_a_rank_that_lost_its_peer_is_not_to_blame(last: str) -> None:
    """Its report may be the first to arrive."""
    peer = FAILED.replace(b"worker-1", b"worker-0").replace(b'"rank": 1', b'"rank": 0')
    peer = peer.replace(b'["a", "b"]', f'["{last}"]'.encode())
    gone = CLOSED.replace(b"3", b"137")

    assert read(peer, FAILED).find_failure()["rank"] == 1
    assert read(peer).find_failure()["rank"] == 0, "nobody else has failed"
    assert read(peer, gone).explain_failure() == f"{HOSTS[1]} ended with exit code 137"


def test_a_host_that_ends_without_a_report_of_its_rank_is_to_blame() -> None:
    """Its rank.py or DeepSpeed's launch.py was killed; the rank that noticed may not say that it lost a peer."""
    lost = PEER.replace(b'["a", "b"]', b'["Connection closed by peer"]')
    killed = f"{HOSTS[1]} ended with exit code 3; no report of rank 1"

    assert read(RANK, lost, CLOSED).explain_failure() == killed
    assert read(RANK, CLOSED, PEER).explain_failure() == killed
    assert read(RANK, PEER, CLOSED).find_failure()["rank"] == 0


@pytest.mark.parametrize(
    "line",
    [
        "  Remote daemon: [[27407,0],1] on node cifar-1-worker-1.cifar-1\n",
        "Connection to cifar-1-worker-1.cifar-1 closed by remote host.\r\n",
        "Read from remote host cifar-1-worker-1.cifar-1: Connection reset by peer\r\n",
    ],
)
def test_a_worker_that_is_gone_is_named_by_mpirun_or_its_ssh(line: str) -> None:
    seen = output.Output(HOSTS)
    seen.parse_line(line.encode())
    assert (seen.list_lost_hosts(), seen.list_unclosed_hosts()) == ([], HOSTS[1:])


def test_a_host_whose_rank_has_reported_its_end_is_not_lost() -> None:
    """The rank noticed the loss before mpirun."""
    survivor = PEER.replace(b'["a", "b"]', b'["Connection closed by peer"]')
    assert read(RANK_0, RANK, survivor).list_unclosed_hosts() == HOSTS[1:]


def test_mpirun_names_a_rank_that_was_killed() -> None:
    """Its rank.py reports nothing."""
    seen = output.Output(HOSTS)
    said = b"mpirun noticed that process rank 1 with PID 22 on node cifar-1-worker-1 exited on signal 9 (Killed).\n"
    assert said == seen.parse_line(said)
    assert seen.explain_failure() == f"rank 1 on {HOSTS[1]} ended with exit code 137"


def test_a_host_that_the_launcher_ends_is_not_to_blame() -> None:
    seen = read(RANK, RANK_0)
    seen.ending = True
    process_line(seen, CLOSED)

    assert (seen.find_failure(), seen.closed) == ({}, {HOSTS[1]: 3})


def test_a_rank_that_left_before_the_others_is_named() -> None:
    left = FAILED.replace(b'"exitCode": 3, "tail": ["a", "b"]', b'"exitCode": 0, "tail": []')
    peer = FAILED.replace(b"worker-1", b"worker-0").replace(b'"rank": 1', b'"rank": 0')
    peer = peer.replace(b'["a", "b"]', b'["Connection closed by peer"]')

    said = f"rank 0 on {HOSTS[0]} ended with exit code 3 after rank 1 on {HOSTS[1]} had ended with exit code 0"
    assert read(left, peer).explain_failure() == said
    assert read(peer, left).explain_failure() == said, "the reports of two workers may arrive in another order"


def test_ranks_that_never_met_are_strangers() -> None:
    met = RANK.replace(b"dsgen-rank", b"dsgen-rank-met")
    other = RANK.replace(b'"rank": 1', b'"rank": 0')

    assert read(RANK, other).list_strangers() == [0, 1]
    assert read(RANK, other, met).list_strangers() == [0]


@pytest.mark.parametrize(
    ("lines", "lost", "unclosed", "wrong"),
    [
        ((), [], HOSTS, False),
        ((SSH,), [HOSTS[1]], HOSTS, True),
        ((CLOSED, SSH), [], [HOSTS[0]], True),
        ((CLOSED.replace(b"3}", b"0}"),), [], [HOSTS[0]], False),
        ((b"pdsh@l: cifar-1-worker-0: connect: timed out\n",), [HOSTS[0]], HOSTS, True),
        ((b"pdsh@l: something else: entirely\n",), [], HOSTS, False),
    ],
)
def test_a_session_without_its_closing_line_is_a_lost_worker(
    lines: tuple[bytes, ...], lost: list[str], unclosed: list[str], wrong: bool
) -> None:
    seen = read(*lines)

    assert (lost, unclosed, wrong) == (seen.list_lost_hosts(), seen.list_unclosed_hosts(), seen.has_failed_host())


def test_reports_without_end_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Training code can print them. They are in the log, and the first ones count."""
    monkeypatch.setattr(output, "NOTED_BYTES", 10_000)
    seen = output.Output(HOSTS)
    for rank in range(1000):
        end = {"host": HOSTS[0], "rank": rank, "exitCode": 1, "tail": ["x" * 100]}
        seen.parse_line(seen.nonce + b" dsgen-rank-end " + json.dumps(end).encode() + b"\n")
        seen.parse_line(
            f"noticed that process rank {rank} with PID 1 on node {HOSTS[0]} exited on signal 9.\n".encode()
        )

    assert 0 < len(seen.ends) < 100
    assert len(seen.failures) < 200
    assert 0 == seen.find_failure()["rank"]
