"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "6f3a95f8033c95beafabcab4511f7027332a75331466736ed5e7952069756f78"
