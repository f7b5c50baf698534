"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "5f7af051d3246efd2f15a6304c602ad408fd6e4b71839539f9aa416101b7993f"
