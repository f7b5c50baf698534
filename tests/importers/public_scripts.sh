#= directives
--time=24:00:00
#
--partition=gpu
#
--account=team
#
--output=logs/%x-%j.out
#
--cpus-per-task=16
#
--mem=0
#
--exclusive
#
--mail-type=END
#
--error=%j.err
#
--hint=nomultithread
#
--mem=200G
#= prepares
module purge
module load cuda/12.1 nccl
#
source ~/.bashrc
conda activate train
#
eval "$(conda shell.bash hook)"
conda activate train
#
source venv/bin/activate
#
echo "START TIME: $(date)"
set -eo pipefail
#
echo "nodes $SLURM_JOB_NODELIST, job $SLURM_JOB_ID"; nvidia-smi
#
mkdir -p logs results/$SLURM_JOB_ID
#
ulimit -s unlimited
#
pip install -q einops
#= exports
export NCCL_DEBUG=INFO
export NCCL_IB_HCA=mlx5_0,mlx5_1
#
export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK
#
export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-8} TOKENIZERS_PARALLELISM=false
#
export HF_HOME=/scratch/team/hf; export HF_DATASETS_CACHE=$HF_HOME/datasets
#
export WANDB_PROJECT="my project" WANDB_MODE=offline
#
export WANDB_NAME=run-$SLURM_JOB_ID
#
export PYTHONPATH=$PWD/src:$PYTHONPATH
#
NCCL_SOCKET_IFNAME=ib0
export NCCL_SOCKET_IFNAME
#
export CUDA_DEVICE_MAX_CONNECTIONS=1 \
    TORCH_NCCL_ASYNC_ERROR_HANDLING=1
#
export PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True"
#
export TRITON_CACHE_DIR=/tmp/triton_${USER}_$SLURM_JOB_ID
#= hosts
GPUS_PER_NODE=4
NNODES=$SLURM_NNODES
export WORLD_SIZE=$(($GPUS_PER_NODE * $NNODES))
export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export MASTER_PORT=29500
#
GPUS_PER_NODE=4
NNODES=$SLURM_NNODES
export WORLD_SIZE=$(($GPUS_PER_NODE * $NNODES))
nodes=( $( scontrol show hostnames $SLURM_JOB_NODELIST ) )
nodes_array=($nodes)
head_node=${nodes_array[0]}
head_node_ip=$(srun --nodes=1 --ntasks=1 -w "$head_node" hostname --ip-address)
export MASTER_ADDR=$head_node_ip MASTER_PORT=6000
#
GPUS_PER_NODE=4
NNODES=$SLURM_NNODES
export WORLD_SIZE=$(($GPUS_PER_NODE * $NNODES))
MASTER_ADDR=$(scontrol show hostname $SLURM_NODELIST | head -n1)
export MASTER_ADDR
export MASTER_PORT=$(expr 10000 + $(echo -n $SLURM_JOBID | tail -c 4))
echo "MASTER_ADDR=$MASTER_ADDR"
#
GPUS_PER_NODE=4
NNODES=$SLURM_NNODES
export WORLD_SIZE=$(($GPUS_PER_NODE * $NNODES))
export MASTER_PORT=$((RANDOM % 1000 + 20000))
export MASTER_ADDR=`scontrol show hostnames | head -n 1`
#= arguments
RUN --lr 3e-4 --epochs 10
#
RUN --config configs/base.yaml \
  --data /scratch/data --seed 42
#
MODEL=llama
LR=${LR:-1e-4}
RUN --model "$MODEL" --lr $LR
#
SIZE=7b
OUT=out/${MODEL_NAME:-gpt}-$SIZE
RUN --size ${SIZE} --output $OUT
#
ARGS="--layers 24 \
  --hidden 1024 \
  --bf16"
RUN $ARGS --name x
#
ARGS=(
  --layers 24  # deep
  --name 'a b'
)
ARGS+=(--fp16)
RUN "${ARGS[@]}"
#
BATCH=8
GLOBAL=$((BATCH * SLURM_NNODES * 4))
RUN --batch $BATCH --global_batch=$GLOBAL
#
RUN --save out-$SLURM_JOB_ID --nodes $SLURM_JOB_NUM_NODES
#
FILE=configs/a.b.yaml
NAME=$(basename $FILE .yaml)
RUN --config $FILE --name ${NAME%.*}-${FILE##*/}
#
DEBUG=0
if [ $DEBUG -eq 1 ]; then
  EXTRA=--debug
else
  EXTRA='--wandb --log 10'
fi
RUN $EXTRA
#
TAG=$(date +%Y%m%d)
RUN --run_name exp_$TAG
#
CKPT=
RESUME=${CKPT:+--resume $CKPT}
RUN --a 1 $RESUME
#
cat > ds_config.json <<EOF
{
  "train_batch_size": 32,
  "fp16": {"enabled": true}
}
EOF
RUN --x 1 --deepspeed ds_config.json
#
cat <<'EOT' > run.yaml
lr: 1
EOT
RUN --config run.yaml
#
RUN --lr $1 --model ${2:-small}
#
SEED=${1:-0}
RUN --seed $SEED
#
RUN "$@"
#
LAYERS=(12 24)
MODE=1
RUN --layers ${LAYERS[$MODE]} --n ${#LAYERS[@]}
#
DATA=/scratch/a
DATA=$DATA/b
RUN --data=$DATA/c --list 1,2,3 --json '{"a": [1, 2]}'
#
OPTS='--a 1'
[[ $SLURM_NNODES -gt 1 ]] && OPTS+=' --multi'
RUN $OPTS
#= unclear
for f in a b; do
  FILES+=" --file $f"
done
RUN $FILES
#
if [ -f last.ckpt ]; then RESUME="--resume last.ckpt"; fi
RUN $RESUME
#
case $SIZE in
  big) L=48 ;;
  *) L=12 ;;
esac
RUN --layers $L
#
log() { echo "[$(date)] $*"; }
log start
RUN --x 1
#
N=$(ls data | wc -l)
RUN --n $N
#
LINE=$(sed -n "${SLURM_ARRAY_TASK_ID:-1}p" grid.txt)
RUN $LINE
#
N=0
(( N += 4 ))
RUN --n $N
#
PORT=$(python -c 'print(1 + 2)')
RUN --port $PORT
#
while read -r k v; do export $k=$v; done < vars.txt
RUN --x 1
#
NAME=model_v2
if [[ $NAME == model_* ]]; then F=--new; fi
RUN $F
#
set -- x y z
R="${@:2}"
RUN --rest $R
#= nodes
srun torchrun --nnodes $SLURM_NNODES --nproc_per_node 4 --rdzv_id $SLURM_JOB_ID --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:29500 train.py @
#
srun --kill-on-bad-exit=1 torchrun --nnodes $SLURM_NNODES --nproc_per_node 4 --rdzv_id $SLURM_JOB_ID --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:29500 \
  train.py \
  @
#
srun python -m torch.distributed.run --nnodes=$NNODES --nproc_per_node=$GPUS_PER_NODE --rdzv_backend=c10d --rdzv_endpoint=$MASTER_ADDR:$MASTER_PORT train.py @
#
export LAUNCHER="torchrun --nnodes $SLURM_NNODES --nproc_per_node 4 --node_rank \$SLURM_PROCID --master_addr $MASTER_ADDR --master_port $MASTER_PORT"
CMD="train.py @"
srun --jobid $SLURM_JOB_ID bash -c "$LAUNCHER $CMD" 2>&1 | tee -a log.txt
#
LAUNCHER="torchrun --nnodes $SLURM_NNODES --nproc_per_node 4 --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:$MASTER_PORT --max_restarts 0 --tee 3"
CMD="train.py @"
echo $CMD
clear; srun $LAUNCHER $CMD
echo done
#
srun accelerate launch --multi_gpu --num_machines $SLURM_NNODES --num_processes $((SLURM_NNODES * 4)) --main_process_ip $MASTER_ADDR --main_process_port $MASTER_PORT --machine_rank $SLURM_NODEID train.py @
#
srun bash -c 'accelerate launch --num_machines $SLURM_NNODES --num_processes 8 --machine_rank $SLURM_PROCID --main_process_ip $MASTER_ADDR --main_process_port $MASTER_PORT train.py --x 1'
#
run_cmd="srun torchrun --nnodes=2 --nproc_per_node=4 --rdzv_backend=c10d --rdzv_endpoint=$MASTER_ADDR:1234 train.py @"
echo $run_cmd
eval $run_cmd
#
srun --container-image=nvcr.io#nvidia/pytorch:24.01-py3 --container-mounts=/scratch:/scratch torchrun --nnodes $SLURM_NNODES --nproc_per_node 4 --rdzv_id $SLURM_JOB_ID --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:29500 train.py @
#
srun singularity exec --nv -B /scratch:/scratch image.sif torchrun --nnodes $SLURM_NNODES --nproc_per_node 4 --rdzv_id $SLURM_JOB_ID --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:29500 train.py @
#
python prepare.py --n 1
srun torchrun --nnodes $SLURM_NNODES --nproc_per_node 4 --rdzv_id $SLURM_JOB_ID --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:29500 train.py @
python evaluate.py
#
scontrol show hostnames $SLURM_JOB_NODELIST | while read h; do echo "$h slots=4" >> hostfile; done
deepspeed --hostfile hostfile --num_nodes $SLURM_NNODES --num_gpus 4 train.py @
#
srun venv/bin/torchrun --nnodes 2 --nproc_per_node 4 --rdzv_endpoint $MASTER_ADDR:1 train.py @
#= tasks
srun python train.py @
#
srun python -u train.py @ --rank $SLURM_PROCID
#
srun --cpu-bind=none -l python3 train.py @ &
wait
#
srun bash -c 'export CUDA_VISIBLE_DEVICES=$SLURM_LOCALID; python train.py --local $SLURM_LOCALID'
#= single
torchrun --standalone --nproc_per_node=4 train.py @
#
torchrun --nproc_per_node $SLURM_GPUS_ON_NODE -m pkg.train @
#
deepspeed --num_gpus=4 train.py @ --deepspeed --deepspeed_config ds.json
#
accelerate launch --config_file acc.yaml --num_processes 4 train.py @
#
CUDA_VISIBLE_DEVICES=0,1,2,3 OMP_NUM_THREADS=4 torchrun --nproc_per_node=4 train.py @ > train.log 2>&1
#
python train.py @
#
srun python train.py @
#
cd $SLURM_SUBMIT_DIR
python -m torch.distributed.launch --use_env --nproc_per_node 4 train.py @
#
uv run torchrun --nproc_per_node=4 train.py @
#
apptainer exec --nv image.sif torchrun --nproc_per_node=4 train.py @
#= loops
for seed in 1 2; do
  srun python train.py @ --seed $seed
done
#
train() {
  torchrun --nproc_per_node=4 train.py "$@"
}
train @
#
srun python a.py @
srun python b.py --x 1
#
for LR in 1 2; do torchrun --nproc_per_node=4 train.py --lr $LR @; done
#
if [ -d out ]; then torchrun --nproc_per_node=4 train.py @ --resume; else torchrun train.py; fi
