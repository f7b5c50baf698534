"""The ways to apply the folder of a job, and to observe it: Argo CD, Flux, kubectl and Helm."""

import os
import shlex
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from kubernetes import client

from dsgen.repository.settings import SCRIPTS
from tests.e2e.cluster import answered, kubectl, soon
from tests.e2e.gitops.checkout import CONTROL, Checkout
from tests.e2e.training import dsgen
from tests.helm import helm

SECONDS = 400
"""In which a controller has taken up a commit."""
REQUESTS = ("reconcile.fluxcd.io/requestedAt", "reconcile.fluxcd.io/forceAt")
RUN_SECONDS = 900
"""In which a run of a few steps has ended, also where others use the processors."""


@dataclass
class Way:
    """A channel of one job. `commit` is the one that was pushed last."""

    checkout: Checkout
    SPACE: ClassVar[str] = ""
    is_chart: ClassVar[bool] = False
    controllers: ClassVar[tuple[str, ...]] = ()
    label: ClassVar[str] = ""  # whose value is the name of a controller
    stops_removed: ClassVar[bool] = True
    commit: str = field(default="", init=False)

    @property
    def space(self) -> str:
        return str(self.checkout.values["namespace"])

    @property
    def title(self) -> str:
        return f"{self.space}-{self.checkout.values['name']}"

    def start(self) -> None:
        """What is done once, after the first commit."""

    def deliver(self) -> str:
        """The commit is in the cluster, or refused: what was said then."""
        raise NotImplementedError

    def delete(self) -> None:
        """Remove what the channel has in the cluster, apart from the namespace."""
        raise NotImplementedError

    def force(self) -> None:
        """Apply everything again."""
        raise NotImplementedError

    def health(self) -> str:
        """As the channel sees it, in its own word; empty for one that looks only once."""
        return ""

    def remove(self) -> None:
        """Take the job away, as its owner would."""
        raise NotImplementedError

    def restart(self) -> None:
        """End the controllers, in the middle of what they do; others take their place."""
        for controller in self.controllers:
            if command := shlex.split(os.environ.get("DSGEN_E2E_RESTART", "")):
                subprocess.run([*command, controller], check=True, capture_output=True)
            else:
                selector = ("--selector", f"{self.label}={controller}", "--output", "name")
                assert kubectl("--namespace", self.SPACE, "delete", "pod", *selector), f"no pod of {controller}"


APIS = {
    "application": ("argoproj.io", "v1alpha1", "applications"),
    "applicationset": ("argoproj.io", "v1alpha1", "applicationsets"),
    "gitrepository": ("source.toolkit.fluxcd.io", "v1", "gitrepositories"),
    "ocirepository": ("source.toolkit.fluxcd.io", "v1", "ocirepositories"),
    "kustomization": ("kustomize.toolkit.fluxcd.io", "v1", "kustomizations"),
    "helmrelease": ("helm.toolkit.fluxcd.io", "v2", "helmreleases"),
}
"""Group, version and plural of a kind: kubectl would cost ten times as much, hundreds of times."""


def looked_at(kind: str, name: str, space: str) -> dict[str, Any]:
    group, version, plural = APIS[kind]
    thing: dict[str, Any] = client.CustomObjectsApi().get_namespaced_custom_object(group, version, space, plural, name)
    return thing


def patch(kind: str, name: str, space: str, change: dict[str, Any]) -> None:
    """Lay a change over an object of a controller."""
    group, version, plural = APIS[kind]
    client.CustomObjectsApi().patch_namespaced_custom_object(
        *(group, version, space, plural, name, change), _content_type="application/merge-patch+json"
    )


def annotate(space: str, kind: str, name: str, **marks: str) -> None:
    patch(kind, name, space, {"metadata": {"annotations": marks}})


class ArgoCD(Way):
    """An Application, healed and pruned."""

    SPACE = "argocd"
    options: ClassVar[tuple[str, ...]] = ("--kind", "Application", "--self-heal")
    controllers = ("argocd-repo-server", "argocd-application-controller")
    label = "app.kubernetes.io/name"

    def start(self) -> None:
        self.checkout.control(*self.options, "--repository", self.checkout.url, "--revision", self.checkout.branch)
        kubectl("apply", "--server-side", "--validate=strict", "--filename", str(self.checkout.folder / CONTROL))
        patches = self.checkout.folder / CONTROL / "patches"
        for path in sorted(patches.glob("*.yaml")) if patches.exists() else ():
            kubectl("--namespace", self.SPACE, "patch", "configmap", path.stem, f"--patch-file={path}")

    def _application(self) -> dict[str, Any]:
        return looked_at("application", self.title, self.SPACE)

    def deliver(self) -> str:
        there = ["-n", self.SPACE, "get", "application", self.title, "--ignore-not-found"]
        soon("Application", lambda: kubectl(*there), SECONDS)  # an ApplicationSet looks every three minutes
        annotate(self.SPACE, "application", self.title, **{"argocd.argoproj.io/refresh": "hard"})
        return str(soon(f"sync of {self.title}", self._ended, SECONDS)[0])

    def _ended(self) -> tuple[str] | None:
        status = self._application().get("status", {})
        operation = status.get("operationState", {})
        result = operation.get("syncResult", {})
        if status.get("sync", {}).get("revision") == self.commit and status["sync"]["status"] == "Synced":
            return ("",)
        if result.get("revision") != self.commit:
            return None
        # While Argo CD tries again, the operation goes on.
        failed = [entry["message"] for entry in result.get("resources", ()) if entry.get("status") == "SyncFailed"]
        return ("\n".join([operation["message"], *failed]),) if failed else None

    def force(self) -> None:
        # A controller that has just started may not know the project yet, and ends the first one with an error.
        soon("a forced sync that succeeds", lambda: self._forced() == "Succeeded", SECONDS)

    def _forced(self) -> str:
        """Ask for a sync; how it ended."""
        before = self._application()["status"].get("operationState", {}).get("startedAt")
        time.sleep(1)  # its times have whole seconds
        sync = {"revision": self.commit, "syncStrategy": {"apply": {}}, "syncOptions": ["ServerSideApply=true"]}
        operation = {"operation": {"initiatedBy": {"username": "test"}, "sync": sync}}
        patch("application", self.title, self.SPACE, operation)
        return str(soon("end of the forced sync", lambda: self._end_after(before), SECONDS))

    def _end_after(self, before: str | None) -> str:
        application = self._application()
        state = application["status"].get("operationState", {})
        is_new = "operation" not in application and state.get("startedAt") != before
        return str(state.get("phase", "")) if is_new and state.get("phase") != "Running" else ""

    def health(self) -> str:
        return str(self._application().get("status", {}).get("health", {}).get("status", ""))

    def remove(self) -> None:
        self.checkout.remove_job()
        # Without its folder the Application has nothing to compare with, so it goes too, and takes the run along.
        finalizers = {"metadata": {"finalizers": ["resources-finalizer.argocd.argoproj.io"]}}
        patch("application", self.title, self.SPACE, finalizers)
        kubectl("-n", self.SPACE, "delete", "application", self.title, "--wait=false")

    def delete(self) -> None:
        names = (self.title, f"{self.space}-{SCRIPTS}")
        kubectl("-n", self.SPACE, "delete", "application", *names, "--ignore-not-found", "--wait=false")


class ArgoCDChart(ArgoCD):
    """An Application of the job's chart."""

    is_chart = True
    options = (*ArgoCD.options, "--chart")


class ApplicationSet(ArgoCD):
    """An ApplicationSet over the folders."""

    options = ("--kind", "ApplicationSet", "--self-heal")
    controllers = (*ArgoCD.controllers, "argocd-applicationset-controller")
    stops_removed = False

    def remove(self) -> None:
        self.checkout.remove_job()
        self.commit = self.checkout.push("No job")
        refresh = {"argocd.argoproj.io/application-set-refresh": "true"}
        annotate(self.SPACE, "applicationset", "dsgen-jobs", **refresh)
        there = ["-n", self.SPACE, "get", "application", self.title, "--ignore-not-found"]
        soon("end of the Application", lambda: not kubectl(*there), SECONDS)

    def delete(self) -> None:
        kubectl("-n", self.SPACE, "delete", "applicationset", "dsgen-jobs", "--ignore-not-found", "--wait=false")


class Flux(Way):
    """A Kustomization, which is ready until a run fails."""

    SPACE = "flux-system"
    kind: ClassVar[str] = "kustomization"
    options: ClassVar[tuple[str, ...]] = ("--kind", "Kustomization")
    controllers = ("source-controller", "kustomize-controller")
    label = "app"

    @property
    def source(self) -> str:
        return self.space

    def start(self) -> None:
        self.checkout.control(
            *(*self.options, "--repository", self.checkout.url, "--revision", self.checkout.branch),
            *("--source", self.source, "--interval", "20s"),
        )
        self.commit = self.checkout.push("Flux")
        kubectl("apply", "--server-side", "--validate=strict", "--filename", str(self.checkout.folder / CONTROL))

    def deliver(self) -> str:
        now = str(time.time())
        annotate(self.SPACE, "gitrepository", self.source, **{"reconcile.fluxcd.io/requestedAt": now})
        return str(soon(f"end of {self.title}", lambda: self._ended(self.kind, self.title), SECONDS)[0])

    def _ended(self, kind: str, name: str) -> tuple[str] | None:
        thing = looked_at(kind, name, self.SPACE)
        ready = _condition(thing, "Ready")
        status = thing.get("status", {})
        if self.commit in status.get("lastAppliedRevision", ""):
            return ("",)
        attempted = self.commit in status.get("lastAttemptedRevision", "")
        if attempted and ready.get("status") == "False" and ready["reason"] == "ReconciliationFailed":
            return (str(ready["message"]),)
        # A health that fails is not a refusal: the commit is applied.
        if attempted and ready.get("reason") == "HealthCheckFailed":
            return ("",)
        return None

    def force(self) -> None:
        self._ask(self.kind, self.title)

    def _ask(self, kind: str, name: str) -> None:
        now = str(time.time())
        annotate(self.SPACE, kind, name, **dict.fromkeys(REQUESTS, now))
        soon(
            "answer to a request",
            lambda: looked_at(kind, name, self.SPACE).get("status", {}).get("lastHandledReconcileAt") == now,
            SECONDS,
        )

    def health(self) -> str:
        return f"Ready={_condition(looked_at(self.kind, self.title, self.SPACE), 'Ready').get('status', '')}"

    def remove(self) -> None:
        # As it is done by Flux itself, where the folder of these objects is under its control.
        self.checkout.remove_job()
        for path in sorted((self.checkout.folder / CONTROL).glob(f"*-{self.title}*.yaml")):
            kubectl("delete", "--filename", str(path), "--wait=false")

    def delete(self) -> None:
        kubectl("delete", "--filename", str(self.checkout.folder / CONTROL), "--ignore-not-found", "--wait=false")


class FluxComplete(Flux):
    """A Kustomization, which is ready only when a run has succeeded."""

    options = (*Flux.options, "--ready-when", "complete")

    def _ended(self, kind: str, name: str) -> tuple[str] | None:
        """Flux names an applied commit only after the health check, which lasts as long as the run."""
        said = _condition(looked_at(kind, name, self.SPACE), "Reconciling").get("message", "")
        return ("",) if "health checks" in said and self.commit in said else super()._ended(kind, name)


class HelmRelease(Flux):
    """A HelmRelease of the job's chart, with its health beside it."""

    kind = "helmrelease"
    is_chart = True
    options = ("--kind", "HelmRelease")
    controllers = ("source-controller", "helm-controller")

    def _ended(self, kind: str, name: str) -> tuple[str] | None:
        thing = looked_at(kind, name, self.SPACE)
        ready = _condition(thing, "Ready")
        if self.commit[:12] not in str(thing.get("status", {}).get("lastAttemptedRevision", "")):
            return None
        if ready.get("status") == "True":
            return ("",)
        return (str(ready["message"]),) if str(ready.get("reason")).endswith("Failed") else None

    def health(self) -> str:
        thing = looked_at("kustomization", f"{self.title}-health", self.SPACE)
        return f"Ready={_condition(thing, 'Ready').get('status', '')}"


def _condition(thing: dict[str, Any], kind: str) -> dict[str, Any]:
    return next((each for each in thing.get("status", {}).get("conditions", []) if each["type"] == kind), {})


def _say_refusal(commands: Iterable[list[str]]) -> str:
    """What those commands said that failed."""
    ended = [answered(command) for command in commands]
    return "".join(done.stdout + done.stderr for done in ended if done.returncode)


class Kubectl(Way):
    """`kubectl apply` of the folder."""

    arguments: ClassVar[tuple[str, ...]] = ("--filename",)

    def deliver(self) -> str:
        return _say_refusal(["kubectl", "apply", *self.arguments, str(folder)] for folder in self.checkout.folders)

    def force(self) -> None:
        assert self.deliver() == ""

    def remove(self) -> None:
        dsgen("delete", f"{self.space}/{self.checkout.values['name']}", "--job", "--yes")

    def delete(self) -> None:
        pass


class KubectlServerSide(Kubectl):
    """The same on the server's side."""

    arguments = ("--server-side", "--filename")


class Helm(Way):
    """`helm upgrade --install` of the job's chart."""

    is_chart = True
    major: ClassVar[int] = 4

    def deliver(self) -> str:
        command, where = [helm(self.major), "upgrade", "--install"], ["--namespace", self.space]
        return _say_refusal([*command, chart.name, str(chart), *where] for chart in self.checkout.folders)

    def force(self) -> None:
        assert self.deliver() == ""

    def remove(self) -> None:
        command = [helm(self.major), "uninstall", self.checkout.values["name"], "--namespace", self.space]
        subprocess.run(command, check=True, capture_output=True)

    def delete(self) -> None:
        pass


class Helm3(Helm):
    """The same with Helm 3."""

    major = 3
