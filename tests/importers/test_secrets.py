"""What is a secret and what is none, in every place where a source may have it."""

from __future__ import annotations

import pytest

from dsgen.problems.safe_text import hide, holds_secret, is_secret
from tests.importers.imports import holes, shell

HEX = "0123456789abcdef0123456789abcdef01234567"
MUST = (
    *("WANDB_KEY", "COMET_KEY", "WANDB_API_KEY", "PGPASSWORD", "MY_PASS", "DBPASS", "AWS_ACCESS_KEY_ID", "HF_TOKEN"),
    *("SSH_PASSPHRASE", "GIT_PAT", "AWS_SECRET_ACCESS_KEY"),
)
MUST_NOT = ("PAD_TOKEN", "MAX_TOKEN", "TOKENIZER_PATH", "BYPASS_CACHE", "CODE_REVISION", "SORT_KEY", "COMPASS")
WORDS = ("task-0123456789abcdefghij", "mask-0123456789abcdefghij", "--eos_token </s>", "HF_TOKEN=\nfor")


@pytest.mark.parametrize("name", MUST)
def test_a_secret_is_never_copied(name: str) -> None:
    job = shell(f"export {name}={HEX}\ntorchrun --nnodes 2 --nproc_per_node 8 train.py")

    assert {f"training.env.{name}"} == holes(job)
    assert HEX not in job.text + "".join(entry.source for entry in job.entries)
    assert HEX not in hide(f"{name}={HEX}")


@pytest.mark.parametrize("name", MUST_NOT)
def test_another_variable_is_copied(name: str) -> None:
    job = shell(f"export {name}={HEX}\ntorchrun --nnodes 2 --nproc_per_node 8 train.py")

    assert (set(), True) == (holes(job), HEX in job.text)


@pytest.mark.parametrize("word", WORDS)
def test_a_word_that_only_looks_like_a_token_is_none(word: str) -> None:
    assert not holds_secret(word)
    assert not is_secret("NAME", word)


def test_a_password_of_netrc_is_not_shown() -> None:
    job = shell(f"cat > .netrc <<E\nmachine a.b login user password {HEX}\nE\ntorchrun --nproc_per_node 8 train.py")

    assert HEX not in job.text + "".join(entry.source for entry in job.entries)
