"""Sources that dsgen does not convert, each with what it is."""

from __future__ import annotations

from collections.abc import Mapping

RAY = "a Ray program starts its own processes on a Ray cluster; start its training with torchrun or deepspeed instead"
KINDS: Mapping[str, str] = {
    "RayJob": RAY,
    "RayCluster": RAY,
    "RayService": RAY,
    "TFJob": "TensorFlow starts its processes from TF_CONFIG, which dsgen does not set",
    "XGBoostJob": "XGBoost has a tracker of its own, which dsgen does not run",
    "PaddleJob": "PaddlePaddle has a launcher of its own, which dsgen does not run",
    "JAXJob": "JAX has a coordinator of its own, which dsgen does not set up",
    "Workflow": "an Argo Workflow runs steps one after the other; import the job of the step that trains",
    "CronWorkflow": "an Argo Workflow runs steps one after the other; import the job of the step that trains",
    "PipelineRun": "a pipeline runs steps one after the other; import the job of the step that trains",
    "SparkApplication": "Spark starts its own processes",
}
"""Kinds of Kubernetes objects that are known and not supported, with the reason."""
OTHER_SYSTEMS = (
    ("#PBS", "PBS: write its resources as #SBATCH lines, or import the command line that starts the training"),
    ("#BSUB", "LSF: write its resources as #SBATCH lines, or import the command line that starts the training"),
    ("#$ -", "Grid Engine: write its resources as #SBATCH lines, or import the command line that starts the training"),
    ("#COBALT", "Cobalt: write its resources as #SBATCH lines, or import the command line that starts the training"),
    ("#PJM", "PJM: write its resources as #SBATCH lines, or import the command line that starts the training"),
)
"""Marks of other queues, with their name and what to do."""
COMPOSE = "it describes containers on one node"
DSGEN = "this is a values file of dsgen already"
