"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "9f92ce85b0c2765d925726c317c29c39071d2c27986a17d4ee9782a3bd42bcca"
