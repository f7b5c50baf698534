"""The language of templates: the environment, the table of builtins, and the text of scalars and objects."""
