"""Templates, rows of the checks and data as Python, written by `make generate`."""
