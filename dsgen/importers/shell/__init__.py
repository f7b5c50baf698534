"""Reads shell scripts and command lines without running them."""
