$ arena submit pytorchjob
    --name=mnist \
    --gpus=2 --workers=2 \
    --image=registry.example.com/team/mnist:v1 \
    --data=datasets:/data -e LR=0.1 --selector pool=gpu \
    --toleration gpu=true:NoSchedule --gang --share-memory=16Gi --min-workers 1 \
    "torchrun --nproc_per_node=2
       /code/main.py --lr '0.1'"
