"""The back end for flat manifests: converts the typed tree to Python."""
