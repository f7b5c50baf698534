"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "fd151637f4abc38c8acbd7bc2f514b9686518dd5db43f89ec864b22e56ee7164"
