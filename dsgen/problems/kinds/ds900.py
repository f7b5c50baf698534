"""Problems of the command line and of runs that exist."""

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
        title="An existing run would change",
        when=(
            "The folder has a run with this id, and the values describe other objects for it. The objects of a run"
            " never change: Kubernetes refuses the change, and a rollback must find the same objects."
        ),
        remedy=(
            "Change run.id to train with the new values, or undo the change. If the run was never applied to a cluster,"
            " render with --replace."
        ),
    ),
    Kind(
        "DS904",
        title="An existing claim would change",
        when=(
            "Kubernetes refuses to change the storage class, the access modes or the volume of a claim, and to make a"
            " claim smaller. The other objects of the folder would be applied without the claim, or not at all."
        ),
        remedy=(
            "Undo the change, or give the volume another name. If the claim was never applied to a cluster, delete its"
            " file and render again."
        ),
    ),
    Kind(
        "DS905",
        title="A pattern without files",
        when="A pattern in `jobs` of dsgen.yaml matches no file, so it adds no job.",
        remedy=(
            "Correct the pattern, or remove it. `*` matches characters within one name, `**` any number of folders."
        ),
        settings="jobs: [jobs/*/values.yaml, old/*.yaml]\n",
    ),
    Kind(
        "DS906",
        title="An invalid setting of the repository",
        when=(
            "dsgen.yaml has a path that leads outside its folder, an unknown id of a problem, or two entries of the"
            " matrix for one values file."
        ),
        remedy="Correct the setting as the message says.",
        settings="output: ../manifests/{namespace}/{name}\n",
    ),
    Kind(
        "DS907",
        title="A file of the repository that is not read",
        when=(
            "dsgen.yaml names something that is not a regular file below its folder. Links are not followed, because a"
            " pull request could add a link to any file of the machine that renders."
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
        title="A value that --bump cannot write",
        when=(
            "`--bump` writes the next run id, and the values of --set flags, only into the values file of the job. This"
            " value comes from another file, an anchor or standard input, a file over the values file overrides it, or"
            " the file describes several jobs."
        ),
        remedy="Write the value into the place that the message names, and render again.",
        settings='overlays:\n- jobs: [jobs/**]\n  values: {run: {id: "1"}, workers: {replicas: 3}}\n',
    ),
    Kind(
        "DS910",
        title="A folder of a removed job",
        when=(
            "dsgen wrote this folder for a job that is no longer in dsgen.yaml. A GitOps tool that applies the folder"
            " still applies the job."
        ),
        remedy=(
            "Render with --prune, which removes the files that dsgen wrote there, or restore the job. Edited files are"
            " not removed."
        ),
        settings="jobs: [jobs/cifar/values.yaml]\n",
    ),
    Kind(
        "DS911",
        title="A file that is not a job of its repository",
        when=(
            "A FILE is below a dsgen.yaml, but no pattern of `jobs` matches it. It is used as it is: without the"
            " defaults and overlays of dsgen.yaml, and not by `dsgen render` without a FILE."
        ),
        remedy=(
            "Add a pattern to `jobs`. To use the file alone without this warning, pass it on standard input, or set"
            " DS911 to ignore in `checks`."
        ),
    ),
    Kind(
        "DS912",
        title="An overlay in place of a job",
        when=(
            "The file has settings, but no name, no image and no training, which every job has. It is most likely"
            " meant to be merged over the file of a job. Each FILE of the command line is a job of its own."
        ),
        remedy="Give it with -f after the file of the job: dsgen render cifar.yaml -f prod.yaml.",
        example="workers: {replicas: 4}\n",
    ),
    Kind(
        "DS913",
        title="An internal error of dsgen",
        when="dsgen failed on the values of this job. This is a bug of dsgen; the other jobs of the call were checked.",
        remedy="Report it with the output of the same command with DSGEN_DEBUG=1 in the environment.",
    ),
)
