"""Reads and changes runs in a cluster.

`client` sends requests and returns plain dicts, and `reader` requests the objects of a run and makes the small objects
of `models`. From these, `phase` computes the phase of a run, and `diagnosis` the causes why it does not continue;
`report` and `format_text` format the result. Only `client` imports the library kubernetes.
"""
