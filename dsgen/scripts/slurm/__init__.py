"""What stands for Slurm in a worker, for launch.method slurm-script."""
