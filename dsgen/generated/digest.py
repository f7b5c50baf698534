"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "68ebe641f5d67b3f73dc340879d9701f8541e0833a16ed5a1eca0cea98f429cd"
