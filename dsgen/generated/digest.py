"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "c7772c3fe8bff7174bfe1986b56bd482a9d920027df770a4287d1cc4bcad718a"

SCRIPTS = "3005f4fbbc"
"""Of the scripts alone, which is in the names of their objects."""
