"""Templates and rows of the checks as Python, written by `make generate`."""
