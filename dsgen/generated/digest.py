"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "081f8ff7174fd494c48b5fc60999bcc7dc37b51356d58ca0f8284da30df7904b"
