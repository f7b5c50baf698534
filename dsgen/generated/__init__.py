"""Templates, rows of the checks and the schema as Python, written by `make generate`."""
