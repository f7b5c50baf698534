"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "661f34d2df273885fe51ec0fde4a2ce94baeaa0b116136fd6f74dc74ebee329a"
