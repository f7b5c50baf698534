"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "08320a15a8b09ae3687b778b651ed7ef5415911d474e24e40d01cb6385f58afb"
