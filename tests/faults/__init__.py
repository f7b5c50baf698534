"""The table of faults: the expected end of a training after each."""
