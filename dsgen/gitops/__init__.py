"""The objects of Argo CD and Flux that apply the jobs of a repository.

`plan` makes all of them for one tool, as the content of one folder. They contain the name and the folder of each job,
and depend only on few values of a job (`Delivered`), so that a new run does not change them.
"""

from dsgen.gitops.jobs import Delivered, Pattern, delivered
from dsgen.gitops.plans import TOOLS, complete, plan, rules, uses_charts

__all__ = ["TOOLS", "Delivered", "Pattern", "complete", "delivered", "plan", "rules", "uses_charts"]
