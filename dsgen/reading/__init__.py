"""From the text of a values file, or of a `--set` flag, to data that knows where it stands, as Helm reads it."""
