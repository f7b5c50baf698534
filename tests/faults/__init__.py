"""The table of faults: what happens to a training, and what must be known and left afterwards."""
