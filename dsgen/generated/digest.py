"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "4324f3dbc287eb0189d4703fd933c191911fc8177c5ef66df9e5ca95085b4805"
