"""The containers that have an API token: the sidecar that writes the record, and keygen."""
