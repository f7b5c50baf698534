"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "3df11cacb0b30d1dea7266678cb630d4c31426ddfc731c3de45c939be28621ae"
