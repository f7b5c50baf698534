"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "2c5d6acbe1e73900d80c9f4307e12a9c56824036af637f118c0770c27627ad5b"
