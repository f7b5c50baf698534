"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "f3ea7d8dfbbc37f7c012efe0ef9b05114fbe3aef6cd3adb4d8c16f2bf3f18df3"
