"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "96375a51038677506f5852ae609ce7455f51e5cb06513994e5fb693f1e8f43b2"
