"""A branch of the Git repository that the controllers read, with the output of dsgen."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from dsgen.repository.settings import SCRIPTS
from tests.e2e.training import dsgen, merged

GIT = ("DSGEN_E2E_GIT_PUSH", "DSGEN_E2E_GIT_PULL")
AUTHOR = ("-c", "user.name=dsgen", "-c", "user.email=dsgen@example.com")
CONTROL = "gitops"
"""The folder of what `dsgen gitops` writes."""


@dataclass
class Checkout:
    """A working copy with one job, whose values may change from commit to commit.

    is_shared: the jobs of its namespace have dsgen's scripts together, in a folder of their own.
    """

    folder: Path
    branch: str
    values: dict[str, Any]
    is_chart: bool
    is_shared: bool = False

    def __post_init__(self) -> None:
        if self.is_shared:
            folders = {"output": "rendered/{namespace}/{name}", "charts": "charts/{namespace}/{name}"}
            settings = {"jobs": ["values.yaml"], **folders, "defaults": {"runtime": {"create": False}}}
            (self.folder / "dsgen.yaml").write_text(yaml.safe_dump(settings))
        self.git("init", "--quiet", "--initial-branch", self.branch)

    def git(self, *arguments: str) -> str:
        command = ["git", *AUTHOR, *arguments]
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout.strip()

    @property
    def url(self) -> str:
        return os.environ["DSGEN_E2E_GIT_PULL"]

    @property
    def job_folder(self) -> str:
        return f"{self._folder}/{self.values['name']}"

    @property
    def folders(self) -> list[Path]:
        """What is applied where no controller does it: the scripts of the namespace, if it has them, and the job."""
        scripts = [self.folder / self._folder / SCRIPTS] if self.is_shared else []
        return [*scripts, self.folder / self.job_folder]

    @property
    def _folder(self) -> str:
        return f"{'charts' if self.is_chart else 'rendered'}/{self.values['namespace']}"

    def file(self, **other: Any) -> str:
        """The job's values file."""
        path = self.folder / "values.yaml"
        path.write_text(yaml.safe_dump(merged(self.values, other), allow_unicode=True))
        return str(path)

    def write(self, run: str, *options: str, **other: Any) -> None:
        """Render the job, as its owner would."""
        command = "chart" if self.is_chart else "render"
        dsgen(command, self.file(run={"id": run}, **other), "-d", str(self.folder / self.job_folder), *options)

    def control(self, *options: str) -> None:
        """Write the objects of Argo CD or Flux."""
        here = Path.cwd()
        os.chdir(self.folder)
        try:
            dsgen("gitops", self.file(), "-d", CONTROL, *options)
        finally:
            os.chdir(here)

    def push(self, message: str) -> str:
        """Commit everything and push it; the commit."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        self.git("push", "--quiet", os.environ["DSGEN_E2E_GIT_PUSH"], f"HEAD:{self.branch}")
        return self.git("rev-parse", "HEAD")

    def remove_job(self) -> None:
        """The job's folder goes."""
        shutil.rmtree(self.folder / self.job_folder)
