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
)
