"""A digest of templates, defaults, checks and scripts. Written by `make generate`."""

DIGEST = "f637d5a49a4014111b48bcc4d49db30cfe56af9798434eb645b464455d9b578f"
