"""What only launch methods without ssh need: each worker starts its own ranks when the launcher says so."""
