"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "ff9f826949918bce616d867c2b44d8270785da06c6751a1dc54a908bbe344011"
