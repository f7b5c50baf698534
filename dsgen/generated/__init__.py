"""Templates as Python, written by `make generate` from dsgen/templates."""
