"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "25e54fb5580f305503bce2aed3cfbd161ab586e42a22ecd2c5d1e906af3a1153"
