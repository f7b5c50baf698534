"""Delays between tries."""

import itertools

from shared import backoff


def test_a_delay_grows_from_the_first_to_the_longest() -> None:
    delays = itertools.accumulate(range(20), lambda delay, _: backoff.lengthen(delay, 0.2, 2.0), initial=0.0)

    first, second, *_, last = [*delays][1:]

    assert (0.2, 0.26, 2.0) == (first, second, last)
