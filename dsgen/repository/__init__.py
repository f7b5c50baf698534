"""A repository of jobs: a folder with the settings `dsgen.yaml` at its root, and values files below it.

    root = find(Path.cwd())                 # the folder of dsgen.yaml, here or above; None when there is none
    repository = load(root)                 # its settings; what is wrong with them: repository.diagnostics
    for entry in repository.entries:        # in the order of their paths
        job = repository.job(entry)         # as `values.load` gives it: problems(), data, release.name, .namespace
        member = repository.member(entry, job)
        member.file                         # its values file, such as "jobs/cifar/values.yaml"
        member.output, member.chart         # folders of its manifests and of its chart: "rendered/training/cifar"
        member.place, member.chart_place    # the same for `writer.compare` and `writer.write`

`repository.setting("argocd")` is what a key of dsgen.yaml has, or its default; `repository.position(path)` is where.
`orphans` finds the folders of jobs that have left. The schema of the file is `settings.json`. Paths of a repository are
relative to its root, with `/`. Only plain files below the root are read, never through a link: a pull request can bring
one.
"""

from pathlib import Path

from dsgen.repository.jobs import Entry, Member, Repository, collisions, load
from dsgen.repository.orphans import orphans
from dsgen.repository.settings import FILE, find

BEGIN = Path(__file__).with_name("begin.yaml")
"""A dsgen.yaml to begin with."""

__all__ = ["BEGIN", "FILE", "Entry", "Member", "Repository", "collisions", "find", "load", "orphans"]
