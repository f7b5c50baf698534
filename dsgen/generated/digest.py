"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "14bcf01603be0580f03ec2eb478f8b9c65db06b639fd2abeb7ff470438aca7a8"
