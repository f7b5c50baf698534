"""What a training needs: memory, time, traffic and disk, computed from numbers alone. Nothing is guessed."""
