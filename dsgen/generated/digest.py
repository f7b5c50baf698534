"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "b6bb3cdcac247422fc6007ca59774d7c0739cbe29225c61446b98cd56ff4a5b6"
