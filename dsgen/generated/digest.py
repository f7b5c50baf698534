"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "45c1a64a7bbb5553bfbd163b96c1b17a1147824752f032a3380ca3c12998ffb0"
