"""The back end for Helm: the typed tree as Go templates."""
