"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "54254d0f4c2cc23e6b9b7680be437fee629d6ca15bcc4e23e63398787093fe22"

SCRIPTS = "322ad50def"
"""Of the scripts alone, which is in the names of their objects."""
