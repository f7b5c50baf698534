"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "5b60327ea342a43a15789038c41e5657ad0a76bb145dda69f3d4a53d09300c76"

SCRIPTS = "7bbde4e1eb"
"""Of the scripts alone, which is in the names of their objects."""
