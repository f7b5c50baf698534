"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "a06962bef630f291d58d6f0ba56537a6cd91ca61c7d6cd9a01c40ad7dfbede78"
