"""What the commands that look at a cluster are made of.

`api` asks the API server and gives plain dicts, `parse` makes the small objects of `facts` of them, `collect` asks for
what belongs to a run. From the facts `story` says which phase a run is in, `causes` why it does not go on, `report` and
`views` how that is told. `api` alone knows the library kubernetes.
"""
