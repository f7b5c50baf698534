"""What only launch methods with ssh need: sshd and the sessions of a worker, the key, and the side of the launcher."""
