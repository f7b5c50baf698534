"""Problems in the user's files: the place of each, the text form, and what makes texts safe to print."""
