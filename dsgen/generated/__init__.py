"""Templates as Python, written by `make generate`."""
