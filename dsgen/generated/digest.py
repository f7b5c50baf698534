"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "d94296d9c9ce66028043c57f186bd7ded640a34ff504ca87e3ad5bb2fb37e8b3"
