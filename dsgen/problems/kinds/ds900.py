"""The command line."""

from __future__ import annotations

from dsgen.problems.kinds.kind import Kind

KINDS = (
    Kind(
        "DS901",
        title="No name or namespace for the manifests",
        when="Manifests need a name and a namespace. In a chart the release gives what the values leave open.",
        remedy="Write name and namespace into the file, or give --name and -n.",
        example=(
            "name: cifar\nimage: {repository: registry.example.com/team/cifar, tag: v3}\ntraining: {python: train.py}\n"
        ),
    ),
    Kind(
        "DS902",
        title="Two jobs with the same name and namespace",
        when=(
            "Two FILEs of one call are the same job: their objects would have the same names, and the later ones would"
            " overwrite the others."
        ),
        remedy="Give one of them another name or namespace. To change a job for one place, lay a file over it with -f.",
    ),
)
