"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "fa117ee921a301786ada8a060ba54c4fd20ec31b0930cf72da7c0dfb1e412b43"

SCRIPTS = "fcb3ee9e31"
"""Of the scripts alone, which is in the names of their objects."""
