"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "0ef56cd07215fe71b3fe0096d26acfe3fb8bc5e1f959116789bb8c4e0b325884"
