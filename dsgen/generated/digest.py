"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "707dc5d73cd7c66ea2c0cc1fff84fedf7606051caa344e1ee19315a457880ab4"
