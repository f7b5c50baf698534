"""What a template may say: the environment, the table of builtins, and the text of scalars and objects."""
