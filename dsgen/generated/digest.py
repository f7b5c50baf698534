"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "10ae75745a5cfc13c2495a21aa20f3b119ac36a54d6b67604af87004ab90a650"
