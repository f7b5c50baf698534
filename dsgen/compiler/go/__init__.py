"""The back end for Helm: converts the typed tree to Go templates."""
