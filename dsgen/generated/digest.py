"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "b0fc6ab8eb62dc2bbe8acd6a986b1ef52b35c946210d115886b352ccbdb71236"
