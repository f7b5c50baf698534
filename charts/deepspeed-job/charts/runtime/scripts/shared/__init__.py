"""What several programs use. It imports no other package."""
