"""Reads and changes runs in a cluster.

`api` sends requests and returns plain dicts, `collect` requests the objects of a run, and `parse` converts them to the
small objects of `facts`. From the facts, `story` computes the phase of a run, and `causes` the reasons why it does not
continue; `report` and `views` format the result. Only `api` imports the library kubernetes.
"""
