"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "f9385ec665c565fe0b0ca33d0e4c33a0143a3eac0c3d586ce42935c2b6814eea"
