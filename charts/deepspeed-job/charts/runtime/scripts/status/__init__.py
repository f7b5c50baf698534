"""The container that has an API token: it writes the record, and makes the key."""
