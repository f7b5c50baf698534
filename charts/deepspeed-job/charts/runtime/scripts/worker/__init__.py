"""A worker: sshd or its own part of the training, and the supervisor of each rank."""
