"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "549c15e1a28865b7b3f59157ad70f06f1a021d6a8dd12218142a1d53d916f42f"
