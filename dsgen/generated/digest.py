"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "f66c026fbfd5748b86cace987473f3ff059fc0330c31287beaa0915b627d004e"
