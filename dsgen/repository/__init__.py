"""A repository of jobs: a folder with the settings `dsgen.yaml` at its root, and values files below it.

    repository = load(root)                 # its settings; repository.diagnostics has their problems
    for entry in repository.entries:        # in the order of their paths
        job = repository.job(entry)         # the result of `values.load`: problems(), data, release.name, .namespace
        member = repository.member(entry, job.release)
        member.file                         # its values file, such as "jobs/cifar/values.yaml"
        member.output, member.chart         # folders of its manifests and of its chart: "rendered/training/cifar"
        member.place, member.chart_place    # the same for `writer.compare` and `writer.write`

`dsgen.roots` finds the root. `Repositories` finds the jobs of which a file is a part. `repository.setting("argocd")` is
the value of a key of dsgen.yaml, or its default; `repository.position(path)` is its place. `orphans` finds the folders
of removed jobs, `new_place` and `place_in` the file of a new one. The schema of the file is `settings.json`. Paths are
relative to the root, with `/`. Only regular files below the root are read, and links are not followed, because a pull
request can add one.
"""

from pathlib import Path

from dsgen.repository.jobs import Entry, Member, Repository, collisions, load, orphans
from dsgen.repository.parts import Part, Repositories, new_place, place_in
from dsgen.roots import FILE

BEGIN = Path(__file__).with_name("begin.yaml")
"""The dsgen.yaml that `dsgen init --repository` writes."""

__all__ = [
    "BEGIN",
    "FILE",
    "Entry",
    "Member",
    "Part",
    "Repositories",
    "Repository",
    "collisions",
    "load",
    "new_place",
    "orphans",
    "place_in",
]
