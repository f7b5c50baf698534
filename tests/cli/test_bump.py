"""`dsgen render --bump` writes the next run id into the user's file, and changes nothing else in it."""

from pathlib import Path

import pytest

from dsgen import api
from dsgen.runs import bump
from dsgen.values import SourceText
from tests.cli.conftest import IMAGE, Cli, job, put


def edit(folder: Path, old: str, new: str, file: str = "cifar.yaml") -> str:
    """Change a values file; returns its text."""
    path = folder / file
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new, 1).encode())
    return text.replace(old, new, 1)


def test_a_run_that_would_change_gets_the_next_id(cli: Cli, folder: Path) -> None:
    cli("render", "cifar.yaml", "-d", "out")
    text = edit(folder, "replicas: 2", "replicas: 3")

    code, out, err = cli("render", "cifar.yaml", "-d", "out", "--bump")

    assert (0, "") == (code, err)
    assert out.startswith("cifar.yaml: run.id 1 -> 2\nout: job training/cifar, ")
    assert text.replace('{id: "1"}', '{id: "2"}') == (folder / "cifar.yaml").read_text()
    assert (0, "", "") == cli("render", "cifar.yaml", "-d", "out", "--check")
    again = cli("render", "cifar.yaml", "-d", "out", "--bump")
    assert (0, False) == (again.code, "run.id" in again.out)


def test_a_job_of_several_sizes_says_what_happens_to_its_checkpoint(cli: Cli, folder: Path) -> None:
    resize = "  deepspeed: {configFile: /ds.json, resize: {checkpoint: /checkpoints/a}}"
    edit(folder, "training:\n", f"training:\n{resize}\n")
    cli("render", "cifar.yaml", "-d", "out")

    code, out, err = cli("render", "cifar.yaml", "-d", "out", "--bump", "--set", "workers.replicas=3,workers.slots=2")
    same = cli("render", "cifar.yaml", "-d", "out", "--bump", "--set", "workers.sharedMemory=1Gi")

    assert (0, False) == (code, "error" in err)
    assert "; the first worker converts the newest checkpoint in /checkpoints/a if it is not of 6 ranks\n" in out
    assert "; " not in same.out.partition("\n")[0]


def test_an_id_that_was_there_is_not_taken_again(cli: Cli, folder: Path) -> None:
    for id_ in ("2", "1"):
        cli("render", "cifar.yaml", "-d", "out", "--set-string", f"run.id={id_}")
    edit(folder, "replicas: 2", "replicas: 3")

    assert "run.id 1 -> 3\n" in cli("render", "cifar.yaml", "-d", "out", "--bump").out


def test_nothing_is_written_by_a_dry_run(cli: Cli, folder: Path) -> None:
    cli("render", "cifar.yaml", "-d", "out")
    text = edit(folder, "replicas: 2", "replicas: 3")

    out = cli("render", "cifar.yaml", "-d", "out", "--bump", "--dry-run").out

    assert out.startswith("would write cifar.yaml: run.id 1 -> 2\n")
    assert text == (folder / "cifar.yaml").read_text()


IDS = {"1": "2", "exp9": "exp10", "007": "008", "a": "a2", "a9z": "a9z2", "99": "100", "v1x09": "v1x10"}


@pytest.mark.parametrize("old", IDS)
def test_the_next_id(old: str) -> None:
    assert IDS[old] == bump.choose_next_id(old, {old})


def read(text: str) -> api.Job:
    return api.load(SourceText("cifar.yaml", text))


HEAD = "name: cifar\nnamespace: training  # ours\n"
TAIL = "image: {repository: a.example.com/b, tag: v1}\ntraining: {python: t.py}\n"
TEXTS = {
    f'{HEAD}run: {{id: "1"}}  # c\n{TAIL}': f'{HEAD}run: {{id: "2"}}  # c\n{TAIL}',
    f"{HEAD}run:\n    # c\n    id:   '007' # d\n\n{TAIL}": f"{HEAD}run:\n    # c\n    id:   '008' # d\n\n{TAIL}",
    f"{HEAD}run: {{ id: 9 }}\n{TAIL}": f"{HEAD}run: {{ id: 10 }}\n{TAIL}",
    f"{HEAD}run: {{id: exp9}}\n{TAIL}": f"{HEAD}run: {{id: exp10}}\n{TAIL}",
    f"{HEAD}{TAIL}": f'{HEAD}run: {{id: "2"}}\n{TAIL}',
    f"{HEAD}run: {{}}\n{TAIL}": f'{HEAD}run: {{id: "2"}}\n{TAIL}',
    f"{TAIL}{HEAD.rstrip()}": f'{TAIL}{HEAD.rstrip()}\nrun: {{id: "2"}}\n',
    f"global: &g {{run: {{id: '1'}}}}\n<<: *g\n{HEAD}{TAIL}": (
        f"global: &g {{run: {{id: '1'}}}}\n<<: *g\n{HEAD}run: {{id: \"2\"}}\n{TAIL}"
    ),
    f"\ufeff# BOM\n{HEAD}{TAIL}": f'\ufeff# BOM\n{HEAD}run: {{id: "2"}}\n{TAIL}',
    f"{HEAD}{TAIL}".replace("\n", "\r\n"): f'{HEAD}run: {{id: "2"}}\n{TAIL}'.replace("\n", "\r\n"),
    '{"name": "c", "namespace": "t", "image": {"repository": "a.b/c"}, "training": {"python": "t"}}\n': (
        '{"name": "c", "namespace": "t", "run": {"id": "2"}, "image": {"repository": "a.b/c"}, '
        '"training": {"python": "t"}}\n'
    ),
}


@pytest.mark.parametrize("text", TEXTS)
def test_only_the_id_changes_in_the_text(text: str) -> None:
    bumped = bump.bump(read(text), (), read)

    assert isinstance(bumped, bump.Bump)
    assert TEXTS[text] == bumped.text
    assert bumped.summary == f"run.id {read(text).data['run']['id']} -> {bumped.job.data['run']['id']}"


REFUSED = {
    f"{HEAD}run: &r {{id: '1'}}\nglobal: {{x: *r}}\n{TAIL}": "the text cannot be changed without changing other values",
    f"{HEAD}run: {{id: &r '1'}}\nglobal: {{x: *r}}\n{TAIL}": "the text cannot be changed without changing other values",
    f"global: {{x: &r '1'}}\n{HEAD}run: {{id: *r}}\n{TAIL}": "the text cannot be changed without changing other values",
    f"{HEAD}run: {{id: {'9' * 20}}}\n{TAIL}".replace("9" * 20, f"'{'9' * 20}'"): "no id of at most 20 characters",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_changed(text: str) -> None:
    refused = bump.bump(read(text), (), read)

    assert isinstance(refused, api.Diagnostic)
    assert REFUSED[text] in refused.message


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cifar.yaml", "-f", "run.yaml"), "run.yaml:1:12: error: --bump cannot write run.id into cifar.yaml"),
        (("cifar.yaml", "--set-string", "run.id=1"), "run.id is set in --set-string"),
        (("-",), "standard input"),
    ],
)
def test_an_id_that_is_not_in_the_file(arguments: tuple[str, ...], said: str, cli: Cli, folder: Path) -> None:
    put(folder / "run.yaml", 'run: {id:  "1"}\n')
    text = (folder / "cifar.yaml").read_text()
    cli("render", *arguments, "-d", "out", stdin=text)
    edit(folder, "replicas: 2", "replicas: 3")

    code, out, err = cli("render", *arguments, "-d", "out", "--bump", stdin=text.replace("replicas: 2", "replicas: 3"))

    assert (1, "") == (code, out)
    assert said in err
    assert "[DS903]" in err


def test_a_repository(cli: Cli, repository: Path) -> None:
    cli("render")
    edit(repository, "replicas: 2", "replicas: 3", "jobs/a/values.yaml")
    (repository / "jobs/a/values.yaml").chmod(0o640)

    out = cli("render", "--bump").out

    assert "jobs/a/values.yaml: run.id 1 -> 2\n" in out
    assert "jobs/b" not in out
    assert 0o640 == (repository / "jobs/a/values.yaml").stat().st_mode & 0o777
    assert (0, "", "") == cli("render", "--check")


def test_one_file_of_several_jobs(cli: Cli, repository: Path) -> None:
    put(repository / "sweep.yaml", job("sft"))
    head = f"jobs: [sweep.yaml]\ndefaults:\n  {IMAGE}matrix:\n- jobs: [sweep.yaml]\n  variables: {{n: [1, 2]}}\n"
    values = '  values: {{name: "sft{{n}}", workers: {{replicas: {}}}}}\n'
    put(repository / "dsgen.yaml", (head + values.format(2)).replace("n:", '"n":'))
    assert 0 == cli("render").code
    put(repository / "dsgen.yaml", (head + values.format(3)).replace("n:", '"n":'))

    code, _, err = cli("render", "--bump")

    assert (1, True) == (code, "it is the file of 2 jobs [DS909]" in err)


FILE = """\
# a job
name: cifar
namespace: training  # ours
run: {id: "1"}

image:
  repository: r.example.com/x  # the registry
  tag: 'v1'
workers:
  # two pods
  replicas: 2  # with one GPU each

  tolerations:
    - key: a  # first
      operator: Exists
training:
  python: train.py
  args: [--lr, "0.1"]  # learning rate
  setup: |
    echo a

    echo b

  # variables
  env: {A: one}
storage:
  d: {mountPath: /d, create: {}}  # data
# the end
"""
WRITTEN = {
    ("--set", "workers.replicas=4"): [("replicas: 2  #", "replicas: 4  #")],
    ("--set", "image.tag=v2"): [("tag: 'v1'", "tag: 'v2'")],
    ("--set-string", "image.tag=2"): [("tag: 'v1'", "tag: '2'")],
    ("--set", "image.digest=sha256:" + "0a" * 32): [("  tag: 'v1'\n", f"  tag: 'v1'\n  digest: sha256:{'0a' * 32}\n")],
    ("--set", "training.args[1]=0.2"): [('"0.1"', '"0.2"')],
    ("--set-string", "training.args={--lr,1}"): [('"0.1"', '"1"')],
    ("--set", "training.args[2]=--fast"): [('"0.1"]', '"0.1", --fast]')],
    ("--set", "training.env.A=two words"): [("A: one", "A: two words")],
    ("--set-string", "training.env.B=true"): [("{A: one}", '{A: one, B: "true"}')],
    ("--set", "workers.slots=8"): [("      operator: Exists\n", "      operator: Exists\n  slots: 8\n")],
    ("--set", "workers.resources.limits.memory=64Gi"): [
        ("      operator: Exists\n", "      operator: Exists\n  resources: {limits: {memory: 64Gi}}\n")
    ],
    ("--set", "workers.resources.requests.cpu=null"): [
        ("      operator: Exists\n", "      operator: Exists\n  resources: {requests: {cpu: null}}\n")
    ],
    ("--set", "workers.tolerations[0].key=b"): [("key: a  #", "key: b  #")],
    ("--set", "workers.tolerations[0].effect=NoSchedule"): [
        ("      operator: Exists\n", "      operator: Exists\n      effect: NoSchedule\n")
    ],
    ("--set", "workers.tolerations[1].operator=Exists"): [
        ("      operator: Exists\n", "      operator: Exists\n    - {operator: Exists}\n")
    ],
    ("--set-json", 'storage.d.create={"size": "500Gi"}'): [("create: {}", "create: {size: 500Gi}")],
    ("--set", "storage.e.emptyDir.sizeLimit=1Gi,storage.e.mountPath=/e"): [
        ("create: {}}  # data\n", "create: {}}  # data\n  e: {emptyDir: {sizeLimit: 1Gi}, mountPath: /e}\n")
    ],
    ("--set", "training.setup=true # no"): [("|\n    echo a\n\n    echo b", '"true # no"')],
    ("--set-file", "training.setup=setup.sh"): [("|\n    echo a\n\n    echo b", '"ulimit -n 65536\\n"')],
    ("--set", "labels.team=vision"): [
        (
            "  d: {mountPath: /d, create: {}}  # data\n",
            "  d: {mountPath: /d, create: {}}  # data\nlabels: {team: vision}\n",
        )
    ],
    ("--set", "lifecycle.maxRestarts=3,network.policy=false"): [
        (
            "  d: {mountPath: /d, create: {}}  # data\n",
            "  d: {mountPath: /d, create: {}}  # data\nlifecycle: {maxRestarts: 3}\nnetwork: {policy: false}\n",
        )
    ],
}
"""A flag, and what it changes in FILE: pairs of old and new text."""


@pytest.mark.parametrize(("flag", "changes"), WRITTEN.items())
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_value_of_a_flag_is_written_with_the_id(
    cli: Cli, folder: Path, flag: tuple[str, str], changes: list[tuple[str, str]], end: str
) -> None:
    put(folder / "setup.sh", "ulimit -n 65536\n")
    (folder / "cifar.yaml").write_bytes(FILE.replace("\n", end).encode())
    assert 0 == cli("render", "cifar.yaml", "-d", "out").code
    is_new_run = "create" not in flag[1]  # a larger claim is the same run
    wanted = FILE.replace('id: "1"', 'id: "2"') if is_new_run else FILE
    for old, new in changes:
        assert 1 == wanted.count(old), old
        wanted = wanted.replace(old, new)

    code, out, err = cli("render", "cifar.yaml", "-d", "out", "--bump", *flag)

    assert 0 == code, err
    assert wanted.replace("\n", end) == (folder / "cifar.yaml").read_bytes().decode()
    assert out.startswith("cifar.yaml: " + "run.id 1 -> 2, " * is_new_run)
    assert (0, "") == cli("render", "cifar.yaml", "-d", "out", "--check")[:2]


NOT_WRITTEN = {
    ("--set", "run.id=1,workers.replicas=3"): (
        "--set:1:8: error: --bump cannot write run.id into cifar.yaml: run.id is set in --set"
    ),
    (
        "--set",
        "storage.d=null",
    ): "--set:1:11: error: --bump cannot write storage.d into cifar.yaml: null stays in no file",
    ("-f", "prod.yaml", "--set", "workers.replicas=5"): (
        "error: --bump cannot write workers.replicas into cifar.yaml: prod.yaml sets it, and overrides the file"
    ),
    ("-f", "prod.yaml", "--set", "workers.tolerations[0].key=b"): "",
}


@pytest.mark.parametrize("flags", NOT_WRITTEN)
def test_a_flag_that_the_file_cannot_hold_is_refused(cli: Cli, folder: Path, flags: tuple[str, ...]) -> None:
    put(folder / "cifar.yaml", FILE)
    put(folder / "prod.yaml", "workers: {replicas: 4}\n")
    overlay = flags[:2] if flags[0] == "-f" else ()
    assert 0 == cli("render", "cifar.yaml", *overlay, "-d", "out").code

    code, out, err = cli("render", "cifar.yaml", "-d", "out", "--bump", *flags)

    if not NOT_WRITTEN[flags]:
        assert 0 == code
        return
    assert (1, "") == (code, out)
    assert f"{NOT_WRITTEN[flags]}" in err
    assert FILE == (folder / "cifar.yaml").read_text()


ANCHORED = """\
name: cifar
namespace: training
image: {repository: a.example.com/b, tag: v1}
workers: &pod
  tolerations: &all [{operator: Exists}]
  resources: {limits: &limits {memory: 64Gi}}
launcher: {tolerations: *all, resources: {limits: *limits}}
training: {python: t.py}
"""


@pytest.mark.parametrize("flag", ["workers.resources.limits.memory=99Gi", "launcher.tolerations[0].key=a"])
def test_a_value_with_an_anchor_is_not_changed(cli: Cli, folder: Path, flag: str) -> None:
    put(folder / "cifar.yaml", ANCHORED)
    assert 0 == cli("render", "cifar.yaml", "-d", "out").code

    code, _, err = cli("render", "cifar.yaml", "-d", "out", "--bump", "--set", flag)

    assert 1 == code
    assert "the text cannot be changed without changing other values [DS909]" in err
    assert ANCHORED == (folder / "cifar.yaml").read_text()


def test_flags_are_written_where_no_run_changes(cli: Cli, folder: Path) -> None:
    """A new folder: the next render without flags must not differ."""
    put(folder / "cifar.yaml", FILE)

    code, out, _ = cli("render", "cifar.yaml", "-d", "out", "--bump", "--set", "workers.replicas=4")

    assert 0 == code
    assert out.startswith("cifar.yaml: workers.replicas 2 -> 4\n")
    assert FILE.replace("replicas: 2", "replicas: 4") == (folder / "cifar.yaml").read_text()
    assert (0, "") == cli("render", "cifar.yaml", "-d", "out", "--check")[:2]
    again = cli("render", "cifar.yaml", "-d", "out", "--bump", "--set", "workers.replicas=4").out
    assert again.startswith("out: job training/cifar, 18 files (0 written")


def test_secrets_in_flags_are_not_shown(cli: Cli, folder: Path) -> None:
    put(folder / "cifar.yaml", FILE)
    flag = "code.git.repository=https://me:hunter2@git.example.com/x.git,code.git.revision=v1"

    result = cli("render", "cifar.yaml", "-d", "out", "--bump", "--set", flag)

    assert "hunter2" not in result.out + result.err


def test_flags_are_written_into_all_files_of_a_repository(cli: Cli, repository: Path) -> None:
    assert 0 == cli("render").code

    code, out, _ = cli("render", "--bump", "--set", "workers.replicas=5")

    assert 0 == code
    for name in ("a", "b"):
        assert f"jobs/{name}/values.yaml: run.id 1 -> 2, workers.replicas 2 -> 5\n" in out
        assert "replicas: 5" in (repository / f"jobs/{name}/values.yaml").read_text()
    assert (0, "", "") == cli("render", "--check")


def test_a_flag_for_what_the_repository_sets_is_refused(cli: Cli, repository: Path) -> None:
    put(
        repository / "dsgen.yaml",
        f"defaults:\n  {IMAGE}overlays: [{{jobs: [jobs/a/*], values: {{labels: {{a: b}}}}}}]\n",
    )
    assert 0 == cli("render").code

    code, _, err = cli("render", "jobs/a/values.yaml", "-d", "rendered/training/cifar", "--bump", "--set", "labels.a=c")

    assert 1 == code
    assert "into jobs/a/values.yaml: dsgen.yaml sets it, and overrides the file [DS909]" in err
