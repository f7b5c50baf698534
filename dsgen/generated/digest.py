"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "6ff3b8d433e650a9b68bbbf788dba61dafbe4a0515ade54fd6a9fdc0948f1693"
