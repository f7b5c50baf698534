"""Plans the files of jobs and charts, and finds changes of existing runs and claims."""

from dsgen.runs.plans import job_plan, made_of, owner_of

__all__ = ["job_plan", "made_of", "owner_of"]
