"""The hooks of pre-commit, steps of the GitHub Action, jobs of GitLab and steps of a release run."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from dsgen import __version__
from tests import helm

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
MINIMAL = (ROOT / "values-examples" / "minimal.yaml").read_text()
EXPRESSION = re.compile(r"\$\{\{ *(.*?) *\}\}")
QUICK_PIP = {"PIP_NO_COMPILE": "0"}
"""Compile nothing: pip takes the option's name for its meaning, and 0 for yes."""
PACKAGES = sysconfig.get_path("purelib")
"""The packages that dsgen needs, as the tests have them. pip sees them there, and installs dsgen alone."""
BROKEN = "::error file=jobs/cifar/values.yaml,line=5,"
"""What the Action prints after `break_values`."""
IDENTITY = {f"GIT_{who}_{what}": "dsgen" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def load(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text())


def run(command: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command, with standard error where standard output goes."""
    # Whoever runs these tests inside a hook of Git has its variables.
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))}
    return subprocess.run(
        command,
        cwd=folder,
        env={**kept, **IDENTITY, **QUICK_PIP, "PYTHONPATH": "", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


@pytest.fixture
def repository(tmp_path: Path, rendered: Path) -> Path:
    """A Git repository of two jobs, whose image is in dsgen.yaml."""
    return shutil.copytree(rendered, tmp_path / "repository", symlinks=True)


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, made once for all tests."""
    folder = tmp_path_factory.mktemp("rendered")
    for name in ("cifar", "mnist"):
        path = folder / "jobs" / name / "values.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(re.sub("(?m)^image: .*\n", "", MINIMAL.replace("cifar", name)))
    (folder / "dsgen.yaml").write_text("defaults:\n  image: {repository: registry.example.com/platform, tag: v1}\n")
    assert 0 == run([sys.executable, "-m", "dsgen", "render"], folder, PYTHONPATH=str(ROOT)).returncode
    for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "jobs"]):
        assert 0 == run(["git", *command], folder).returncode
    return folder


def break_values(repository: Path) -> None:
    path = repository / "jobs" / "cifar" / "values.yaml"
    path.write_text(path.read_text().replace("replicas: 2", "replicas: two"))


def break_settings(repository: Path) -> None:
    path = repository / "dsgen.yaml"
    path.write_text(path.read_text().replace("tag: v1", "tag: [v1]"))


def break_rendered(repository: Path) -> None:
    path = repository / "rendered" / "training" / "cifar" / "service-cifar-1.yaml"
    path.write_text(path.read_text() + "# by hand\n")


def plant(checkout: Path, mark: Path) -> None:
    """What a pull request may commit so that Python or a job runs it: each writes to the mark."""
    code = f"open({str(mark)!r}, 'a').write(__name__)\n"
    for name in {*sys.stdlib_module_names, "click", "dsgen", "pip", "sitecustomize", "usercustomize", "yaml"}:
        (checkout / f"{name}.py").write_text(code)
    (checkout / ".python-version").write_text("../planted\n")
    for folder in (".dsgen", "dsgen-venv", "venv"):
        program = checkout / folder / "bin" / "dsgen"
        program.parent.mkdir(parents=True)
        packages = checkout / folder / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
        packages.mkdir(parents=True)
        (packages / "planted.pth").write_text(f"import os; {code}")
        for path in (program, program.with_name("python"), program.with_name("pip")):
            path.write_text(f"#!/bin/sh\necho {path.name} >>'{mark}'\n")
            path.chmod(0o755)


# ---- pre-commit ----


@pytest.fixture
def hooks(repository: Path, tmp_path: Path) -> dict[str, str]:
    """The hooks as this repository's own: the same, but for the environment that pre-commit would install."""
    program = tmp_path / "bin" / "dsgen"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m dsgen "$@"\n')
    program.chmod(0o755)
    system = [{**hook, "language": "system"} for hook in load(".pre-commit-hooks.yaml")]
    config = {"repos": [{"repo": "local", "hooks": system}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    assert 0 == run(["git", "add", "--all"], repository).returncode
    return {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}", "PRE_COMMIT_HOME": str(tmp_path / "home")}


def test_pre_commit_accepts_its_manifest(tmp_path: Path) -> None:
    pre_commit = [sys.executable, "-m", "pre_commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")]

    assert 0 == run(pre_commit, tmp_path).returncode


@pytest.mark.parametrize(
    ("spoil", "failed"),
    [
        (None, []),
        (break_values, ["dsgen-validate", "dsgen-render-check"]),
        (break_settings, ["dsgen-validate", "dsgen-render-check"]),
        (break_rendered, ["dsgen-render-check"]),
    ],
)
def test_pre_commit_finds_what_is_wrong(repository: Path, hooks: dict[str, str], spoil: Any, failed: list[str]) -> None:
    if spoil:
        spoil(repository)
    done = run([sys.executable, "-m", "pre_commit", "run", "--all-files", "--color=never"], repository, **hooks)

    assert failed == re.findall(r"Failed\n- hook id: (\S+)", done.stdout), done.stdout
    assert bool(failed) == bool(done.returncode)
    assert ("no files to check" in done.stdout) is False


@pytest.mark.parametrize("name", ["--set=name=x", "--help", "-f", "--"])
def test_a_folder_named_like_an_option_is_a_folder(repository: Path, hooks: dict[str, str], name: str) -> None:
    """pre-commit gives the names of changed files to each hook, and whoever opens a pull request chooses them."""
    path = repository / name / "dsgen.yaml"
    path.parent.mkdir()
    path.write_text("jbos: []\n")
    assert 0 == run(["git", "add", "--", str(path)], repository).returncode
    done = run([sys.executable, "-m", "pre_commit", "run", "dsgen-validate", "--color=never"], repository, **hooks)

    assert 1 == done.returncode
    assert f"{name}/dsgen.yaml:1:1: error: " in done.stdout


# ---- GitHub ----


def value(expression: str, context: Mapping[str, str]) -> str:
    """An expression of a workflow that is one name, or a comparison of one with a text."""
    name, equals, text = expression.partition(" == ")
    return str(context[name] == text.strip("'")).lower() if equals else context[name]


def steps(listed: list[dict[str, Any]], context: Mapping[str, str]) -> Iterator[tuple[str, list[str], dict[str, str]]]:
    """Name, command and environment of the steps that GitHub would run in bash."""
    for step in listed:
        if "run" in step and value(step.get("if", "always"), {**context, "always": "true"}) == "true":
            assert not EXPRESSION.search(step["run"]), "what others write must never become a part of a script"
            environment = {
                name: EXPRESSION.sub(lambda match: value(match[1], context), str(text))
                for name, text in step.get("env", {}).items()
            }
            yield step["name"], ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], environment


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    done = run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", str(ROOT)], folder)
    assert 0 == done.returncode, done.stdout
    (path,) = folder.iterdir()
    return path


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Path:
    """The folder for temporary files of a runner, with dsgen as the first step of the Action installs it.

    The checkout is hostile, and so is what an earlier step left.
    """
    folder, checkout = tmp_path_factory.mktemp("runner"), tmp_path_factory.mktemp("checkout")
    mark = folder / "mark"
    plant(checkout, mark)
    shutil.copytree(checkout / "venv", folder / "dsgen")
    context = {"github.action_path": str(wheel), "runner.temp": str(folder)}
    name, command, environment = next(steps(load("action.yml")["runs"]["steps"], {**context, **inputs()}))
    done = run(command, checkout, PIP_NO_DEPS="1", PYTHONPATH=".", **environment)
    assert (name, 0) == ("Install dsgen", done.returncode), done.stdout
    assert not mark.exists(), mark.read_text()
    use_packages(folder / "dsgen")
    return folder


def use_packages(environment: Path) -> None:
    """PACKAGES become part of a virtual environment, behind its own."""
    next((environment / "lib").glob("python*/site-packages")).joinpath("x.pth").write_text(f"{PACKAGES}\n")


def inputs(**given: str) -> dict[str, str]:
    """The inputs of the Action."""
    defaults = {name: each["default"] for name, each in load("action.yml")["inputs"].items()}
    return {f"inputs.{name}": text for name, text in {**defaults, **given}.items()}


@pytest.mark.parametrize(
    ("given", "spoil", "expected"),
    [
        ({}, None, {"dsgen validate": ""}),
        ({"check": "true"}, None, {"dsgen validate": "", "dsgen render --check": ""}),
        ({"files": "jobs/cifar/values.yaml jobs/mnist/values.yaml", "strict": "true"}, None, {"dsgen validate": ""}),
        ({"files": "jobs/mnist/values.yaml\njobs/cifar/values.yaml\n"}, break_values, {"dsgen validate": BROKEN}),
        ({"files": "--help"}, None, {"dsgen validate": "cannot read --help: No such file or directory"}),
        ({}, break_values, {"dsgen validate": BROKEN}),
        (
            {"check": "true"},
            break_rendered,
            {"dsgen validate": "", "dsgen render --check": "differs: rendered/training/cifar/service-cifar-1.yaml"},
        ),
    ],
)
def test_the_action(
    repository: Path, runner: Path, given: dict[str, str], spoil: Any, expected: dict[str, str]
) -> None:
    if spoil:
        spoil(repository)
    context = {"github.action_path": str(ROOT), "runner.temp": str(runner), **inputs(**given)}
    results = {
        name: run(command, repository, **env)
        for name, command, env in steps(load("action.yml")["runs"]["steps"][1:], context)
    }

    assert expected.keys() == results.keys()
    for name, text in expected.items():
        assert text in results[name].stdout
        assert bool(text) == bool(results[name].returncode), results[name].stdout


def test_the_action_runs_nothing_of_the_checkout(repository: Path, runner: Path, tmp_path: Path) -> None:
    plant(repository, tmp_path / "mark")
    context = {"github.action_path": str(ROOT), "runner.temp": str(runner), **inputs(check="true")}
    for _, command, env in steps(load("action.yml")["runs"]["steps"][1:], context):
        assert 0 == run(command, repository, PYTHONPATH=".", **env).returncode

    assert not (tmp_path / "mark").exists()


def test_the_action_installs_the_distribution_under_its_own_name(runner: Path) -> None:
    python = runner / "dsgen" / "bin" / "python"
    code = "from importlib.metadata import version; print(version('dsgen-k8s'))"

    assert f"{__version__}\n" == run([str(python), "-c", code], runner).stdout
    assert f"dsgen, version {__version__}\n" == run([str(python.with_name("dsgen")), "--version"], runner).stdout


# ---- GitLab ----


def test_gitlab_installs_nothing_without_an_address(repository: Path) -> None:
    template = load("ci/gitlab.yml")[".dsgen"]
    assert "DSGEN_PACKAGE" not in template["variables"]  # a variable of the job would replace that of the pipeline

    done = run(["sh", "-c", template["before_script"][0]], repository)

    assert "DSGEN_PACKAGE: is not set: give it the address of the wheel of a release of dsgen" in done.stdout
    assert done.returncode


def test_the_jobs_of_gitlab(repository: Path, tmp_path: Path, wheel: Path) -> None:
    """Each job is one shell. The checkout is hostile."""
    plant(repository, tmp_path / "mark")
    template = load("ci/gitlab.yml")
    jobs = {name: {**template[job["extends"]], **job} for name, job in template.items() if "extends" in job}
    spoils = {"dsgen validate": break_values, "dsgen render --check": break_rendered}
    assert spoils.keys() == jobs.keys()
    (before,) = {tuple(job["before_script"]) for job in jobs.values()}
    variables = {**template[".dsgen"]["variables"], "DSGEN_PACKAGE": str(wheel), "PIP_NO_DEPS": "1", "PYTHONPATH": "."}
    variables |= {"TMPDIR": str(tmp_path / "tmp")}
    (tmp_path / "tmp").mkdir()
    done = run(["sh", "-ec", "\n".join([*before, "pwd"])], repository, **variables)
    assert (0, f"{repository}\n") == (done.returncode, done.stdout)
    (made,) = (tmp_path / "tmp").iterdir()
    use_packages(made)

    for name, spoil in spoils.items():
        script = [f"DSGEN_VENV={made}", *jobs[name]["script"]]
        assert 0 == run(["sh", "-ec", "\n".join(script)], repository, **variables).returncode
        spoil(repository)
        assert 1 == run(["sh", "-ec", "\n".join(script)], repository, **variables).returncode
        assert 0 == run(["git", "checkout", "--quiet", "."], repository).returncode
    assert not (tmp_path / "mark").exists()


# ---- a release ----


def release() -> Any:
    return load(".github/workflows/release.yml")


def step(name: str) -> list[str]:
    return next(
        command
        for step_name, command, _ in steps(
            release()["jobs"]["build"]["steps"],
            {"github.ref_name": "", "github.event.repository.default_branch": "main", "github.workspace": ""},
        )
        if step_name == name
    )


def test_a_release_is_off_until_it_is_switched_on() -> None:
    jobs = release()["jobs"]

    assert "vars.RELEASE == 'true'" == jobs.pop("build")["if"]
    assert {"attest": "build", "wheel": "attest", "chart": "attest"} == {
        name: job["needs"] for name, job in jobs.items()
    }
    assert {} == release()["permissions"]


def test_the_job_that_can_sign_runs_pinned_actions_only() -> None:
    able = {name: job for name, job in release()["jobs"].items() if "id-token" in job["permissions"]}

    assert ["attest"] == list(able)
    assert [] == [one for one in able["attest"]["steps"] if "run" in one]


def test_the_site_is_not_published_until_it_is_switched_on() -> None:
    jobs = load(".github/workflows/site.yml")["jobs"]

    assert "vars.SITE == 'true'" == jobs["build"]["if"]
    assert "build" == jobs["publish"]["needs"]
    assert {"contents": "read", "pages": "read"} == jobs["build"]["permissions"]


@pytest.mark.needs("ssh-keygen")
@pytest.mark.parametrize(
    ("tag", "signer", "signers", "expected"),
    [
        (f"v{__version__}", "maintainer", "maintainer", 0),
        (f"v{__version__}", "", "maintainer", 1),
        (f"v{__version__}", "other", "maintainer", 1),
        (f"v{__version__}", "other", "", 1),
        ("v0.0.0", "maintainer", "maintainer", 1),
    ],
)
def test_only_a_tag_of_the_version_signed_by_a_maintainer_is_released(
    tmp_path: Path, tag: str, signer: str, signers: str, expected: int
) -> None:
    """signers: whom the default branch lists. The tagged commit lists whoever has signed it."""
    for name in ("maintainer", "other"):
        run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / name)], tmp_path)
    path, temp = tmp_path / "checkout" / ".github" / "allowed_signers", tmp_path / "temp"
    checkout = path.parent.parent
    path.parent.mkdir(parents=True)
    temp.mkdir()
    (checkout / "dsgen").mkdir()
    (checkout / "dsgen" / "__init__.py").write_text((ROOT / "dsgen" / "__init__.py").read_text())
    run(["git", "init", "--quiet"], checkout)
    for listed in (signers, signer or signers):
        path.unlink(missing_ok=True)
        if listed:
            path.write_text(f"dsgen {(tmp_path / listed).with_suffix('.pub').read_text()}")
        run(["git", "add", "--all"], checkout)
        run(["git", "commit", "--quiet", "--message", "signers", "--allow-empty"], checkout)
        if listed == signers:
            run(["git", "update-ref", "refs/remotes/origin/main", "HEAD"], checkout)
    signing = ["-c", "gpg.format=ssh", "-c", f"user.signingkey={tmp_path / signer}"]
    flag = "--sign" if signer else "--annotate"
    assert 0 == run(["git", *signing, "tag", flag, "--message", "release", tag], checkout).returncode

    command = step("The tag is signed, and is that of the version")
    done = run(command, checkout, TAG=tag, DEFAULT_BRANCH="main", RUNNER_TEMP=str(temp))

    assert expected == min(done.returncode, 1), done.stdout


def test_the_chart_of_a_release(tmp_path: Path, runner: Path) -> None:
    (tmp_path / "temp").mkdir()
    (tmp_path / "temp" / "installed").symlink_to(runner / "dsgen")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "helm").symlink_to(helm.helm(4))

    done = run(
        step("Chart"), tmp_path, RUNNER_TEMP=str(tmp_path / "temp"), PATH=f"{programs}{os.pathsep}{os.environ['PATH']}"
    )

    assert 0 == done.returncode, done.stdout
    assert [f"deepspeed-job-{__version__}.tgz"] == [path.name for path in (tmp_path / "chart").iterdir()]
