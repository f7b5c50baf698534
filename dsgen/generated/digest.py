"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "39691bcd97c3330e907bad3106a573c62ca1394c3e3834a4853f4bdd0349117b"
