"""Problems in the user's files: all kinds with their explanations, the place of each, and the forms of output."""
