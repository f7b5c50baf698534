#!/bin/bash
# Trains on the hosts of a file.
cat > hosts <<EOF
node-1 slots=8
node-2 slots=8
EOF
OUTPUT=${1:-./output}
if [ "$OUTPUT" == "" ]; then
    OUTPUT=./output
fi
mkdir -p $OUTPUT
deepspeed --hostfile hosts --master_port 12346 --bind_cores_to_rank main.py \
   --data_split 2,4,4 \
   --lr 5e-6 \
   --deepspeed --seed 1234 \
   --output_dir $OUTPUT &> $OUTPUT/training.log
