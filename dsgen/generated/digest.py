"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "c44f92f881fea58176e11fa9cec4ed24860961b663e2228b74a5428fe080b01e"
