"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "be657283ebd9c05e2c37dd8f1874c86ddcf59ec5a10287292934986b9ce9d925"
