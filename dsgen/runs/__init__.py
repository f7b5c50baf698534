"""Plans the files of jobs and charts, and finds changes of existing runs and claims."""

from dsgen.runs.plans import format_owner, made_of, plan_job_folder

__all__ = ["format_owner", "made_of", "plan_job_folder"]
