"""The folders of the jobs in a repository: a path with `{namespace}` and `{name}`."""

from collections.abc import Collection
from dataclasses import dataclass

from dsgen.errors import UsageError
from dsgen.repository.settings import NAME, NAMESPACE, job_folder


@dataclass(frozen=True)
class Pattern:
    """The pattern; for an ApplicationSet its `glob`, and `name` and `namespace` as templates of Argo CD."""

    text: str

    def folder(self, namespace: str, name: str) -> str:
        """The folder of a job."""
        return job_folder(self.text, namespace, name)

    @property
    def parts(self) -> list[str]:
        return self.text.split("/")

    @property
    def glob(self) -> str:
        """The folders of all jobs."""
        return "/".join("*" if part in (NAMESPACE, NAME) else part for part in self.parts)

    def namespace(self, namespaces: Collection[str]) -> str:
        """The namespace of a folder's job. Raises UsageError if the folder does not contain it."""
        if NAMESPACE in self.parts:
            return self._part(NAMESPACE)
        if len(namespaces) == 1:
            return next(iter(namespaces))
        raise UsageError(
            f"an ApplicationSet takes the namespace of a job from its folder, but {self.text} has no folder {NAMESPACE}"
        )

    @property
    def name(self) -> str:
        """The name of a folder's job. Raises UsageError if the folder does not contain it."""
        if NAME in self.parts:
            # The folder of a name that Windows reserves ends in an underscore.
            return self._part(NAME, ' | trimSuffix "_"')
        raise UsageError(
            f"an ApplicationSet takes the name of a job from its folder, but {self.text} has no folder {NAME}"
        )

    def _part(self, part: str, then: str = "") -> str:
        return f"{{{{index .path.segments {self.parts.index(part)}{then}}}}}"
