"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "11d3934eb3c8a40856067b5976005d6907e294f68be32a217b302320dd209ae2"
