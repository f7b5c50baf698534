"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "d23bd341ca2aa3e091db03c1eeb14f7742cf31bbaac0de1e425ec97b28408612"
