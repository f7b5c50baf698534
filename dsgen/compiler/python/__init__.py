"""The back end for flat manifests: the typed tree as Python."""
