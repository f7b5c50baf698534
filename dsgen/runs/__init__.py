"""Jobs and charts as plans of files, and what their values change of a run or a claim that was written before."""

from dsgen.runs.plans import job_plan, made_of, owner_of

__all__ = ["job_plan", "made_of", "owner_of"]
