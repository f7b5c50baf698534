"""Jinja2 trees to one typed tree, which every back end reads: names resolved, types known, surprises refused."""
