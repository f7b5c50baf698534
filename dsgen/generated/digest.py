"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "0d8e98c5133a50f187a9ed735a06617c27660952ccd34e1a1adc5874e20effde"
