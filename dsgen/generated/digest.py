"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "c4bd2a5d05539f0bcb8ffb2ffe29b4d20df1edf1efc434637742ceaf9fe5575f"
