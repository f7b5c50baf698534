"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "cf6ba40362be0db9172fbc518d833983458f9a379dc08799690b6c0d0b1045ff"
