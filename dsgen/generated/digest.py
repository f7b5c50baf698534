"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "0bda95eb9bfd850b8e9344716b6707611038c79ffd595a8d7eec40cf606d6e96"
