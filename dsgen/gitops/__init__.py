"""What Argo CD and Flux need beside the manifests: their own objects around the jobs of a repository.

`plan` makes all of them for one tool, as the content of one folder. They name the jobs and where each lies; of a job's
values they depend on little (`Delivered`), so a new run changes none of them.
"""

from dsgen.gitops.jobs import Delivered, delivered
from dsgen.gitops.patterns import Pattern
from dsgen.gitops.plans import plan
from dsgen.gitops.settings import TOOLS, complete, rules, uses_charts

__all__ = ["TOOLS", "Delivered", "Pattern", "complete", "delivered", "plan", "rules", "uses_charts"]
