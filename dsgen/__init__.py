"""dsgen turns one values file into a distributed DeepSpeed training on Kubernetes."""

__version__ = "0.2.0"
