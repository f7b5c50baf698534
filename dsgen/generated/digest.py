"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "7b496c6d7a480c40946430cdf3cca2c2a08f4a188ae56dcad55188f7385749a1"
