"""`dsgen import`: what it prints and writes, and its exit codes. What is converted is tested in tests/importers."""

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dsgen.importers.shell import syntax
from tests.cli.conftest import Cli, put

JOB = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: bert, namespace: research}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.example.com/team/bert:v1
              command: [torchrun, train.py]
              resources: {limits: {nvidia.com/gpu: 8}}
"""
VALUES = """name: bert
namespace: research
image: {repository: registry.example.com/team/bert, tag: v1}
workers: {replicas: 2, slots: 8}
launch: {method: torchrun}
training: {python: train.py}
"""
SCRIPT = """#!/bin/bash
#SBATCH --job-name=gpt --nodes=2 --gres=gpu:4 --mail-type=END
srun torchrun --nnodes 2 --nproc_per_node 4 train.py --model $MODEL
"""
LOST = "train.sbatch:2:47: lost: --mail-type=END: dsgen sends no mail\n  hint: set status.webhook\n"


@pytest.fixture
def sources(folder: Path) -> Path:
    """A folder with a PyTorchJob, from which nothing is lost, and a script, from which one option is."""
    put(folder / "job.yaml", JOB)
    put(folder / "train.sbatch", SCRIPT)
    return folder


def test_values_are_printed_and_the_report_is_a_message(cli: Cli, sources: Path) -> None:
    code, out, err = cli("import", sources / "job.yaml")

    assert (0, VALUES) == (code, out)
    assert err.endswith("job.yaml: 7 mapped, 3 dropped, 0 lost, 0 to fill in\n")


@pytest.mark.usefixtures("sources")
def test_from_a_file_to_a_rendered_job_in_three_commands(cli: Cli) -> None:
    imported = cli("import", "job.yaml", "-o", "bert.yaml")

    assert (0, "") == (imported.code, imported.out)
    assert "bert.yaml: written from job.yaml. Now: dsgen validate bert.yaml\n" in imported.err
    code, out, err = cli("validate", "bert.yaml")
    assert (0, "bert.yaml: ok, job research/bert\n") == (code, out)
    assert ["DS383", "DS385"] == re.findall(r"warning: .*\[(DS\d+)\]$", err, re.MULTILINE)  # of the source
    assert 0 == cli("render", "bert.yaml").code


def test_an_object_that_is_lost_is_one_line_and_what_is_dropped_is_told_on_demand(cli: Cli, sources: Path) -> None:
    queue = "kind: LocalQueue\nmetadata: {name: q, labels: {a: b}}\nspec: {clusterQueue: c}\n"
    put(sources / "job.yaml", f"{queue}---\n{JOB}")

    err, verbose = (cli("import", sources / "job.yaml", *flags).err for flags in ([], ["-v"]))

    assert (1, 0) == (err.count("lost: LocalQueue q: it is another object"), err.count(": dropped: "))
    assert 3 == verbose.count(": dropped: ")


@pytest.mark.usefixtures("sources")
def test_what_is_lost_is_named_with_its_place(cli: Cli) -> None:
    code, out, err = cli("import", "train.sbatch", "--set", "MODEL=base")

    assert 0 == code
    assert "args: [--model, base]" in out
    assert err.startswith("train.sbatch:3:1: native: the values start what this line starts\n" + LOST)
    assert "values: to fill in: image.repository (write an image with the programs of the training)\n" in err


def test_strict_writes_nothing_if_something_is_lost(cli: Cli, sources: Path) -> None:
    code, out, err = cli("import", "train.sbatch", "--set", "MODEL=base", "--strict", "-o", "new.yaml")

    assert (1, "") == (code, out)
    assert LOST in err
    assert "nothing was written, because of --strict" in err
    assert not (sources / "new.yaml").exists()
    assert 0 == cli("import", "job.yaml", "--strict").code


@pytest.mark.usefixtures("sources")
def test_json_has_every_part(cli: Cli) -> None:
    code, out, err = cli("import", "train.sbatch", "job.yaml", "--format", "json", "--set", "MODEL=base", "-o", "new")
    script, job = json.loads(out)["jobs"]

    assert (0, "") == (code, err)
    assert {"name", "file", "mapped", "dropped", "lost", "holes"} == set(script) == set(job)
    assert ("gpt", "train.sbatch", "bert", "job.yaml") == (script["name"], script["file"], job["name"], job["file"])
    assert [
        {"from": "--mail-type=END", "line": 2, "column": 47, "why": "dsgen sends no mail", "hint": "set status.webhook"}
    ] == script["lost"]
    assert {"from": "metadata.name", "line": 3, "column": 18, "to": "name"} in job["mapped"]
    assert ["namespace", "image.repository"] == [hole["key"] for hole in script["holes"]]


def test_check_explains_every_difference(cli: Cli, sources: Path) -> None:
    code, out, err = cli("import", "job.yaml", "--check", "-o", "bert.yaml")
    table = out.splitlines()
    plain = cli("import", "job.yaml", "--check")

    assert (0, VALUES) == (code, (sources / "bert.yaml").read_text())
    assert "bert.yaml: written" in err
    assert ["role", "subject", "source", "result", "why"] == table[0].split()
    assert "dsgen starts Python without buffers" in out
    assert all(len(line.split("  ")) > 4 for line in table[1:])
    assert "no reason is known" not in out
    assert (VALUES + "".join(f"# {line}\n" for line in table), err.partition("\n")[2]) == (plain.out, plain.err)


@pytest.mark.usefixtures("sources")
def test_check_is_in_the_json(cli: Cli) -> None:
    (job,) = json.loads(cli("import", "job.yaml", "--check", "--format", "json").out)["jobs"]

    assert {"role", "subject", "source", "result", "why"} == set(job["differences"][0])
    assert all(one["why"] for one in job["differences"])


def test_standard_input(cli: Cli) -> None:
    code, out, err = cli("import", "-", stdin=JOB)

    assert (0, VALUES) == (code, out)
    assert "\n<stdin>: 7 mapped" in err


def test_an_existing_file_is_kept(cli: Cli, sources: Path) -> None:
    put(sources / "bert.yaml", "mine")
    code, out, err = cli("import", "job.yaml", "train.sbatch", "--set", "MODEL=x", "-o", sources)

    assert (1, "") == (code, out)
    assert "bert.yaml exists already, and is not overwritten: choose another name, or delete it\n" in err
    assert "mine" == (sources / "bert.yaml").read_text()
    assert not (sources / "gpt.yaml").exists()


def test_several_jobs_become_files_of_a_folder(cli: Cli, sources: Path) -> None:
    code, _, err = cli("import", "job.yaml", "train.sbatch", "--set", "MODEL=x", "-o", "new")

    assert 0 == code
    assert ["bert.yaml", "gpt.yaml"] == sorted(path.name for path in (sources / "new").iterdir())
    assert "new/gpt.yaml: written from train.sbatch. Fill in what is missing, then: dsgen validate new/gpt.yaml" in err


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("jobs/*/values.yaml", "jobs/bert/values.yaml"),
        ("jobs/*.yaml", "jobs/bert.yaml"),
        ("a/**/*.yaml", "a/bert.yaml"),
    ],
)
def test_several_jobs_become_files_of_the_repository(cli: Cli, sources: Path, pattern: str, expected: str) -> None:
    put(sources / "dsgen.yaml", f"jobs: ['{pattern}']\n")
    code, _, _ = cli("import", "job.yaml", "train.sbatch", "--set", "MODEL=x")

    assert 0 == code
    assert VALUES == (sources / expected).read_text()
    assert {expected, expected.replace("bert", "gpt")} == {
        path.relative_to(sources).as_posix()
        for path in sources.rglob("*.yaml")
        if {"bert", "gpt"} & {path.stem, path.parent.name}
    }


def test_a_folder_of_the_repository_has_the_files_that_are_its_jobs(cli: Cli, sources: Path) -> None:
    put(sources / "dsgen.yaml", "jobs: ['teams/*/*/values.yaml']\n")
    cli("import", "job.yaml", "-o", "teams/nlp")

    assert VALUES == (sources / "teams/nlp/bert/values.yaml").read_text()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["job.yaml", "train.sbatch"], "there are 2 jobs: give a folder for their values files, -o DIR"),
        (["job.yaml", "train.sbatch", "-o", "a.yaml"], "-o a.yaml is one file, and there are 2 jobs: give a folder"),
        (["job.yaml", "job.yaml", "-o", "a"], "several jobs are named bert: import them one at a time"),
        (["train.sbatch", "--set", "MODEL"], "--set MODEL: expected the name of a variable and its value"),
        (["train.sbatch", "--set", "a b=c"], "expected the name of a variable"),
        (["job.yaml", "--from", "pbs"], "'pbs' is not one of 'slurm'"),
        (["train.sbatch", "--line", "0"], "0 is not in the range x>=1"),
        ([""], "the name of a FILE is empty"),
        (["job.yaml", "-o", ""], "the name of the file, -o, is empty"),
        ([], "Missing argument 'FILE...'"),
    ],
)
@pytest.mark.usefixtures("sources")
def test_wrong_usage(cli: Cli, arguments: list[str], expected: str) -> None:
    code, out, err = cli("import", *arguments, *(["--set", "MODEL=x"] if "--set" not in arguments else []))

    assert (2, "") == (code, out)
    assert expected in err


def test_all_refusals_are_printed_and_what_is_good_is_written(cli: Cli, sources: Path) -> None:
    put(sources / "ray.yaml", "apiVersion: ray.io/v1\nkind: RayJob\n")
    put(sources / "empty.sh", "")
    code, out, err = cli("import", "ray.yaml", "job.yaml", "missing.yaml", "empty.sh", "-o", "new")

    assert (3, "") == (code, out)
    assert "new/bert.yaml: written from job.yaml. Now: dsgen validate new/bert.yaml\n" in err
    assert "dsgen: ray.yaml:1:1: this is a RayJob: a Ray program" in err
    assert "cannot read missing.yaml: " in err
    assert "\nempty.sh:1:1: the file is empty\n" in err
    assert (sources / "new/bert.yaml").exists()


@pytest.mark.parametrize("name", ["missing.yaml", "."])
def test_a_file_that_cannot_be_read_is_exit_code_3(cli: Cli, name: str) -> None:
    code, out, err = cli("import", name)

    assert (3, "") == (code, out)
    assert err.startswith(f"dsgen: cannot read {name}: ")


def test_helpers_beside_a_script_are_read(cli: Cli, folder: Path) -> None:
    put(folder / "jobs/launch.sh", "torchrun --nproc_per_node 4 train.py $1\n")
    put(folder / "jobs/train.sbatch", "#!/bin/bash\n#SBATCH -N 2 --gres=gpu:4\nsrun bash ./launch.sh --fast\n")
    put(folder / "secret.sh", "torchrun other.py\n")
    code, out, _ = cli("import", "jobs/train.sbatch")

    assert 0 == code
    assert "training: {python: train.py, args: [--fast]}" in out


RUNTIME = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: torch}
spec:
  mlPolicy: {numNodes: 1, torch: {}}
  template:
    spec:
      replicatedJobs:
        - name: node
          template: {spec: {template: {spec: {containers: [{name: node, image: registry.example.com/torch:v2}]}}}}
"""
TRAINJOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: bert, namespace: research}
spec:
  runtimeRef: {name: torch}
  trainer: {numNodes: 3, command: [torchrun, train.py]}
"""


def test_the_runtime_of_a_trainjob_is_another_file(cli: Cli, folder: Path) -> None:
    put(folder / "job.yaml", TRAINJOB)
    put(folder / "runtime.yaml", RUNTIME)
    refused, converted = cli("import", "job.yaml"), cli("import", "job.yaml", "--runtime", "runtime.yaml")

    assert (1, "") == (refused.code, refused.out)
    assert "hint: give it: --runtime FILE" in refused.err
    assert "image: {repository: registry.example.com/torch, tag: v2}" in converted.out


def test_a_kind_that_is_said_is_not_searched_for(cli: Cli, folder: Path) -> None:
    put(folder / "line", "torchrun --nnodes 2 --nproc_per_node 4 train.py\n")

    assert "replicas: 2" in cli("import", "line", "--from", "shell").out


def test_a_training_is_chosen_by_its_line(cli: Cli, folder: Path) -> None:
    put(folder / "two.sbatch", "#!/bin/bash\n#SBATCH -N 2\nsrun torchrun --nproc_per_node 4 a.py\n"
        "srun torchrun --nproc_per_node 4 b.py\n")  # fmt: skip
    refused = cli("import", "two.sbatch", "--as", "native")

    assert "several commands start programs, on lines 3, 4" in refused.err
    assert "hint: choose one by its line, as in --line 3" in refused.err
    assert "python: b.py" in cli("import", "two.sbatch", "--line", "4").out


@pytest.mark.usefixtures("sources")
def test_without_the_parser_one_sentence_says_what_to_install(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_bash", None)
    monkeypatch.setattr(syntax, "_load_parser", syntax._load_parser.__wrapped__)

    assert (
        3,
        "",
        "dsgen: reading shell commands needs tree-sitter: pipx inject dsgen-k8s tree-sitter tree-sitter-bash,"
        " or pip install in a virtual environment\n",
    ) == cli("import", "train.sbatch")


def test_explain_lists_what_is_converted(cli: Cli) -> None:
    code, out, err = cli("explain", "import")

    assert (0, "") == (code, err)
    assert "  mpijob        MPIJob v2beta1 and v1 of Kubeflow\n" in out
    assert "  TFJob: TensorFlow starts its processes from TF_CONFIG" in out


IMPORTED = Path(__file__).parents[1] / "importers" / "cases"


@pytest.mark.parametrize(
    ("case", "file"),
    [
        ("mpijob", "job.yaml"),
        ("trainjob", "job.yaml"),
        ("jobset", "job.yaml"),
        ("sets-ssh", "job.yaml"),
        ("arena-pytorch", "line.sh"),
        ("volcano-mpi", "job.yaml"),
    ],
)
def test_three_commands_lead_from_any_origin_to_a_rendered_job(cli: Cli, folder: Path, case: str, file: str) -> None:
    """A job that Kubernetes runs needs nothing that its file does not say, but sometimes the namespace."""
    put(folder / file, (IMPORTED / case / file).read_text())
    namespace = [] if "namespace:" in (IMPORTED / case / file).read_text() else ["-n", "training"]

    assert 0 == cli("import", file, "-o", "values.yaml").code
    assert 0 == cli("validate", "values.yaml", *namespace).code
    assert 0 == cli("render", "values.yaml", "-d", "manifests", *namespace).code
    assert (folder / "manifests").is_dir()


def test_a_file_of_long_words_is_refused(cli: Cli, folder: Path) -> None:
    """The names of scripts in it are found in one pass."""
    put(folder / "large.yaml", "kind: x\ndata: " + "x" * (5 << 20) + "\n")

    code, _, err = cli("import", "large.yaml")

    assert (1, "the file has more than 128 KiB") == (code, err.strip().rpartition(": ")[2])


SECRET = "export PRIVATE_TEXT=from-elsewhere\n"


NOT_READ: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a link out": ("a.sh", lambda path: path.symlink_to("../elsewhere.sh")),
    "two links": ("a.sh", lambda path: (path.symlink_to("b.sh"), (path.parent / "b.sh").symlink_to("../elsewhere.sh"))),
    "a link to a process": ("a.sh", lambda path: path.symlink_to("/proc/self/environ")),
    "a link to a device": ("a.sh", lambda path: path.symlink_to("/dev/zero")),
    "a link to itself": ("a.sh", lambda path: path.symlink_to("a.sh")),
    "a named pipe": ("a.sh", os.mkfifo),
    "a folder": ("a.sh", Path.mkdir),
    "a large file": ("a.sh", lambda path: path.write_text(SECRET + "# x\n" * 100_000)),
    "a link of a folder": ("lib/elsewhere.sh", lambda path: path.parent.symlink_to("..")),
    "a file above": ("../elsewhere.sh", lambda _: None),
    "a whole path": ("{}/elsewhere.sh", lambda _: None),
}


@pytest.mark.parametrize(("name", "make"), NOT_READ.values(), ids=NOT_READ)
@pytest.mark.parametrize("command", ["source {}", ". {}", "bash {}"])
def test_only_files_of_the_folder_are_read_beside_a_script(
    cli: Cli, tmp_path: Path, name: str, make: Callable[[Path], object], command: str
) -> None:
    (tmp_path / "elsewhere.sh").write_text(SECRET)
    (jobs := tmp_path / "jobs").mkdir()
    make(jobs / name)
    (jobs / "run.sh").write_text(
        f"#!/bin/bash\n{command.format(name.format(tmp_path))}\ntorchrun train.py $PATH $HOME\n"
    )

    _, out, err = cli("import", str(jobs / "run.sh"))

    assert [] == [text for text in ("from-elsewhere", os.environ["PATH"]) if text in out + err]


def test_a_link_inside_the_folder_is_followed(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "b.sh").write_text("export A=1\n")
    (tmp_path / "a.sh").symlink_to("b.sh")
    (tmp_path / "run.sh").write_text("#!/bin/bash\nsource a.sh\ntorchrun --nproc_per_node 2 train.py $A\n")

    assert 'args: ["1"]' in cli("import", str(tmp_path / "run.sh"))[1]
