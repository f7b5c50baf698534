"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "02e575957cfe5fe8fd1ba795865af544c475130c89785d6ef8b13916db35c09f"
