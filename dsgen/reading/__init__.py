"""Reads values files and `--set` flags as Helm does, and keeps the place of every value."""
