"""What is wrong in the user's files: every kind of problem, its place, and the reports of it."""
