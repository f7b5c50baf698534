"""What is not converted, each with what it is."""

from __future__ import annotations

import contextlib

import pytest

from dsgen.importers import ImportOptions, ImportRefusedError, SourceText, import_jobs
from tests import hostile
from tests.importers.imports import refused

SERVERS = "{distributionStrategy: ParameterServerStrategy}"
SBATCH = "#!/bin/bash\n#SBATCH -N 2\n"


def an_object(kind: str, api: str = "v1", spec: str = "{}") -> str:
    return f"apiVersion: {api}\nkind: {kind}\nmetadata: {{name: a}}\nspec: {spec}\n"


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (an_object("RayJob", "ray.io/v1"), "a.yaml", "1:1: this is a RayJob: a Ray program starts its own processes"),
        (an_object("TFJob", "kubeflow.org/v1"), "a.yaml", "this is a TFJob: TensorFlow starts"),
        (an_object("XGBoostJob", "kubeflow.org/v1"), "a.yaml", "this is an XGBoostJob: XGBoost has a tracker"),
        (an_object("Workflow", "argoproj.io/v1alpha1"), "a.yaml", "this is a Workflow: an Argo Workflow runs steps"),
        (an_object("Service"), "a.yaml", "no object of the file describes a training: Service"),
        (an_object("ClusterTrainingRuntime", "trainer.kubeflow.org/v1alpha1"), "a.yaml", "ClusterTrainingRuntime"),
        (
            "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\nname: a\nspec:\nreplicas: 2\n",
            "a.yaml",
            "describes no pods",
        ),
        (
            "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: ps}\nspec:\n  template:\n    spec:\n"
            "      containers: [{command: [python, t.py]}]\n",
            "a.yaml",
            "pods named ps",
        ),
        (an_object("ElasticJob", "elastic.iml.github.io/v1", SERVERS), "a.yaml", "the job has parameter servers"),
        (an_object("MSJob", "mindspore.gitee.com/v1", "{msReplicaSpecs: {PS: {}}}"), "a.yaml", "pods named PS"),
        ("kind: DeepSpeedJob\nspec: {runMode: {pause: {enabled: true}}}\n", "a.yaml", "the job is paused"),
        *(
            (f"#!/bin/bash\n{line}\n", "a.sh", "a.sh:2:")
            for line in (
                "python3 -m verl.trainer.main_ppo a=b",
                "ray job submit -- python3 -m openrlhf.cli.train_ppo_ray",
            )
        ),
        ("services: {a: {image: x}}\n", "compose.yaml", "docker compose"),
        ("name: a\nimage: {repository: x}\nworkers: {slots: 1}\n", "a.yaml", "a values file of dsgen already"),
        ("a: 1\n", "a.yaml", "dsgen does not know this kind of file"),
        ("image: {tag: v1}\nclient: {}\nworker: {}\nsource: {}\n", "values.yaml", "does not know this kind of file"),
        ("hyp create hyp-pytorch-job --job-name bert", "run.sh", "dsgen finds no command in the script that starts"),
        ("", "a.yaml", "the file is empty"),
        ("\n  \n", "a.sh", "the file is empty"),
        ("# only\n# comments\n", "a.yaml", "only comments"),
        ("a: [1\n", "a.yaml", "a.yaml:"),
        ("kind: PyTorchJob\nmetadata: {{ include x }}\n", "a.yaml", "a template, which dsgen does not interpret"),
        ("{{- if .Values.x }}\nkind: PyTorchJob\n{{- end }}\n", "a.yaml", "render it first"),
        ("<% if x %>\nkind: PyTorchJob\n", "a.yaml", "a template, which dsgen does not interpret"),
        ("#!/bin/bash\n#SBATCH -N {{ nodes }}\ntorchrun x.py\n", "a.sbatch", "a.sbatch:2:12: this is a template"),
        ("#!/bin/bash\n#PBS -l select=2\nmpirun x\n", "a.pbs", "a.pbs:2:1: dsgen reads no scripts for PBS"),
        ("#!/bin/bash\n#BSUB -n 2\nmpirun x\n", "a.sh", "dsgen reads no scripts for LSF"),
        ("#!/usr/bin/env python3\nprint(1)\n", "a.py", "this one begins with #!/usr/bin/env python3"),
        ("mpirun -np 1 python a.py : -np 3 python b.py\n", "a.sh", "mpirun: it starts several programs"),
        ("#!/bin/bash\necho hello\n", "a.sh", "dsgen finds no command in the script that starts"),
        ("#!/bin/bash\nfi\n", "a.sh", "a.sh:2:1: bash cannot read the script"),
        ("a\0b", "a.sh", "a.sh:1:2: the file has a character that no text has"),
        ("#!/bin/bash\n#SBATCH -N 2\nsrun --multi-prog tasks.conf\n", "a.sbatch", "a.sbatch:"),
        (f"{SBATCH}srun bash -c 'python a.py; python b.py'\n", "a.sbatch", "the line starts several programs"),
        (f"{SBATCH}for lr in 1 2; do torchrun t.py --lr $lr; done\n", "a.sbatch", "does not follow loops"),
        ("mpirun -np 2 -npernode 1 bash -c 'torchrun train.py'\n", "a.sh", "mpirun starts torchrun on each node"),
        (f"{SBATCH}A=(1 2)\ntorchrun t.py ${{A[$I]}}\n", "a.sbatch", "dsgen does not compute ${A[$I]}"),
        ("for h in a b; do ssh $h torchrun t.py & done\nssh a b\n", "a.sh", "does not follow loops"),
        ("ssh a torchrun t.py &\nssh b torchrun t.py\n", "a.sh", "it runs on another host"),
        ("num_nodes: 2\nrun: for i in 1; do deepspeed --hostfile h t.py; done\n", "a.yaml", "does not follow loops"),
        (f'{SBATCH}torchrun t.py $1 "$2"\n', "a.sbatch", "the command line needs arguments of the script: $1, $2"),
        (f"{SBATCH}srun torchrun t.py\nsrun torchrun t.py\n", "a.sbatch", "programs, on lines 3, 4"),
        (f"{SBATCH}#SBATCH --export=NONE\nsrun torchrun t.py\n", "a.sbatch", "only a part of the environment"),
        (f"{SBATCH}torchrun t.py --m $1\n", "a.sbatch", "--set 1=VALUE"),
    ],
)
def test_refused(text: str, name: str, expected: str) -> None:
    assert expected in refused(text, name)


@pytest.mark.parametrize("line", ["export A=1\n", "A+=' --x 1'\n", "if [ $X ]; then A=1; fi\n"])
def test_the_work_grows_with_the_script(line: str) -> None:
    def make(lines: int) -> SourceText:
        return SourceText("run.sh", f"#!/bin/bash\n{line * lines}torchrun --nproc-per-node 4 train.py $A\n")

    assert not hostile.grows(make, lambda source: import_jobs([source], ImportOptions()), 100)


@pytest.mark.parametrize(
    "text",
    [
        "A=x\n" + "".join(f"A=$A$A$A$A{number}\n" for number in range(40)) + "torchrun train.py $A\n",
        "torchrun train.py " + "$((" * 300 + "1" + "))" * 300 + "\n",
        "torchrun train.py " + "$(echo " * 300 + ")" * 300 + "\n",
        "bash -c '" + 'eval "' * 50 + "torchrun train.py" + '"' * 50 + "'\n",
    ],
)
def test_a_script_that_grows_without_end_is_refused_or_read(text: str) -> None:
    with contextlib.suppress(ImportRefusedError):
        import_jobs([SourceText("run.sh", f"#!/bin/bash\n{text}")], ImportOptions())


@pytest.mark.parametrize(
    "text",
    ["---\na: b\n" * 1001, "---\napiVersion: kubeflow.org/v1\nkind: PyTorchJob\n" * 201],
    ids=["documents", "jobs"],
)
def test_too_many_documents_are_refused_at_once(text: str) -> None:
    assert "the file has more than " in refused(text, "a.yaml")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"#!/bin/bash\n# caf\xe9\ntorchrun --nproc_per_node 2 train.py\n", ""),
        (b"\xef\xbb\xbf#!/bin/bash\ntorchrun --nproc_per_node 2 train.py\n", ""),
        (b"#!/bin/bash\r\ntorchrun train.py\r\n", "its lines end with a carriage return"),
        (b"#!/bin/bash\ntorchrun --nproc_per_node 2 train.py caf\xe9\n", "a.sh:2:41: byte 0xe9 is not UTF-8"),
        (b"#!/bin/bash\n#SBATCH -J caf\xe9\ntorchrun train.py\n", "a.sh:2:15: byte 0xe9 is not UTF-8"),
    ],
)
def test_other_encodings(data: bytes, expected: str) -> None:
    """They may be in comments; a mark of the encoding changes nothing."""
    source = SourceText.from_bytes("a.sh", data)
    if expected:
        with pytest.raises(ImportRefusedError, match=expected):
            import_jobs([source])
    else:
        assert "train.py" == import_jobs([source])[0].data["training"]["python"]
