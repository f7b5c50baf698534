"""Converts Jinja2 trees to one typed tree for all back ends, with names and types resolved."""
