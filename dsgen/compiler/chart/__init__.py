"""What a chart has around its templates: its values with their schema, scripts, metadata."""
