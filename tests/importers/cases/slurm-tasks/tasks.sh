#!/bin/bash
#SBATCH --nodes=2 --ntasks-per-node=4 --gpus-per-task=1 --cpus-per-task=8
#SBATCH --time=90
#SBATCH --signal=SIGUSR1@120
#SBATCH --mail-type=END,FAIL

conda activate torch
python prepare_data.py
srun --cpu-bind=none python -u train.py --epochs 3 --data $SCRATCH/imagenet
rm -rf $SCRATCH/tmp
