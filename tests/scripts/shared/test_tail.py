"""The end of the output of a program."""

from shared.tail import Tail


def test_a_tail_begins_with_the_report_of_a_lost_connection() -> None:
    """torchrun and accelerate print a long summary after it."""
    tail = Tail()
    for line in ("ConnectionError: Connection closed by peer", *map(str, range(500))):
        tail.add(f"{line}\n".encode())

    assert ["ConnectionError: Connection closed by peer", *map(str, range(481, 500))] == tail.lines()
