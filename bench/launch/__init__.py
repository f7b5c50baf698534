"""How long a job takes from `kubectl apply` to the meeting of its ranks: dsgen beside operators, on one cluster."""
