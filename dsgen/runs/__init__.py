"""Jobs as plans of files, and what their values change of a run or a claim that was written before."""

from dsgen.runs.plans import chart_plan, job_plan

__all__ = ["chart_plan", "job_plan"]
