"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "88a031fc9472228886cda63a6fc5da4cc10370d51924d99dfc671508324e322d"
