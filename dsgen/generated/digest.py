"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "0762076a5bf24a9434c73d347e5e894443abe45f820dce87b2df9648b9a4ceeb"
