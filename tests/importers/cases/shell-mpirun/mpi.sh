mpirun -np 16 -npernode 8 --hostfile hosts.txt -x NCCL_DEBUG=INFO -x PATH --mca btl ^openib -bind-to none -map-by slot \
  python -m bert.train --batch 64
