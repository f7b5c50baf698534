"""The command line."""

from __future__ import annotations

from dsgen.problems.kinds.kind import Kind, job

KINDS = (
    Kind(
        "DS901",
        title="No name or namespace for the manifests",
        when="Manifests need a name and a namespace. In a chart, the release provides those that the values leave out.",
        remedy="Set name and namespace in the file, or use --name and -n.",
        example=job(namespace=""),
    ),
    Kind(
        "DS902",
        title="Two jobs with the same name and namespace",
        when=(
            "Two FILEs of one call describe the same job. Their objects would have the same names, and the later ones"
            " would overwrite the earlier ones."
        ),
        remedy=(
            "Change the name or namespace of one of them. To change a job for one environment, overlay a file with -f."
        ),
    ),
    Kind(
        "DS903",
        title="A run that is there would change",
        when=(
            "The folder holds a run with this id, and the values would give other objects of it. A run keeps what it"
            " began with: Kubernetes refuses the change, and a rollback must find what was there."
        ),
        remedy=(
            "Change run.id to train with the new values, or take the change back. If the run was never applied to a"
            " cluster, render with --replace."
        ),
    ),
    Kind(
        "DS904",
        title="A claim that is there would change",
        when=(
            "Kubernetes does not change the storage class, the access modes or the volume of a claim, and a claim does"
            " not shrink. The rest of the folder would be applied without it, or not at all."
        ),
        remedy=(
            "Take the change back, or give the volume another name. If the claim was never applied to a cluster, delete"
            " its file and render again."
        ),
    ),
    Kind(
        "DS905",
        title="A pattern without files",
        when="A pattern in `jobs` of dsgen.yaml means no file below its folder, so it adds no job.",
        remedy=(
            "Correct the pattern, or remove it. `*` stands for characters of one name, `**` for any number of folders."
        ),
        settings="jobs: [jobs/*/values.yaml, old/*.yaml]\n",
    ),
    Kind(
        "DS906",
        title="A setting of the repository that cannot be",
        when=(
            "dsgen.yaml has a path that leads outside its folder, an id that no problem has, or a values file that two"
            " entries of the matrix want."
        ),
        remedy="Correct the setting as the message says.",
        settings="output: ../manifests/{namespace}/{name}\n",
    ),
    Kind(
        "DS907",
        title="A file of the repository that is not read",
        when=(
            "dsgen.yaml names something that is not a plain file below its folder. Links are not followed: a pull"
            " request could bring one that leads to a file of the machine that renders."
        ),
        remedy="Put a file in its place, or correct the pattern.",
        settings="overlays:\n- jobs: [jobs/**]\n  files: [no-such-file.yaml]\n",
    ),
    Kind(
        "DS908",
        title="Two jobs in one folder",
        when="`output` or `charts` of dsgen.yaml gives two jobs the same folder.",
        remedy="Write both {namespace} and {name} into the path.",
        settings="output: manifests/{namespace}\n",
    ),
    Kind(
        "DS909",
        title="A run id that cannot be bumped",
        when=(
            "`--bump` writes the next run id into the values file of the job and nowhere else. The id of this job comes"
            " from another file, a flag, an anchor or standard input, or several jobs are made of the file."
        ),
        remedy="Write the next id where the message says, and render again.",
        settings='overlays:\n- jobs: [jobs/**]\n  values: {run: {id: "1"}, workers: {replicas: 3}}\n',
    ),
    Kind(
        "DS910",
        title="A folder of a job that has left",
        when=(
            "dsgen wrote this folder for a job that dsgen.yaml does not name any more. Whoever applies the folder goes"
            " on to apply the job."
        ),
        remedy=(
            "Render with --prune, which removes what dsgen wrote there, or bring the job back. Files that were edited"
            " are not removed."
        ),
        settings="jobs: [jobs/cifar/values.yaml]\n",
    ),
)
