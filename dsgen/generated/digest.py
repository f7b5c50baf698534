"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "133f95cebf0db391af9464601bf28eb2711d16c79f6f3c621cbda704c0df2532"
