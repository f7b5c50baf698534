"""The launcher: waits for its lease and its workers, runs the attempts, and exits with the result of the run."""
