"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "efacb01ef22cc10187c9ea09e1f9564ff9be6eddf3bfdd4ba4b7bf02a9017c35"
