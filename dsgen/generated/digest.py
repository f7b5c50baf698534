"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "9861dfa2fa6d9a6dd9969f170eea13ee4a79236f866afb1cb88871319ee09d92"
