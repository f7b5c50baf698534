"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "b06b061fe48651adc40f7dc3c01db59ddbc1a491db3a3c6b70f8c7699225748a"
