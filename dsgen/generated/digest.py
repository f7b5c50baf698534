"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "7f8a80e20928a05fedd1e413c72ff7b2661c729aa83afb7d7b7fa6f21c39108d"
