"""`dsgen explain` explains keys and ids."""

import json
import re
from pathlib import Path

import pytest

from dsgen import explain, schema
from dsgen.reports import RULES
from tests.cli.conftest import Cli

# No values file alone has them: a release's name, a megabyte, two files, a folder that was written before.
WITHOUT_EXAMPLE = {
    "DS205",
    "DS253",
    "DS257",
    "DS372",
    *(f"DS{number}" for number in (*range(902, 912), 913, 914)),
} & set(RULES)


def test_every_kind_has_an_example_where_a_file_can_have_it() -> None:
    assert WITHOUT_EXAMPLE == {id_ for id_, rule in RULES.items() if not rule.example}


@pytest.mark.parametrize("id_", [id_ for id_ in RULES if id_ not in WITHOUT_EXAMPLE])
def test_an_example_has_its_problem_and_no_other(cli: Cli, id_: str) -> None:
    report = json.loads(cli("validate", "-", "-o", "json", stdin=RULES[id_].example).out)

    assert {id_} == {problem["id"] for problem in report["diagnostics"]}


@pytest.mark.parametrize("id_", [id_ for id_, rule in RULES.items() if rule.settings])
def test_settings_of_an_example_have_their_problem_and_no_other(cli: Cli, folder: Path, id_: str) -> None:
    """In a repository of two jobs, of which both were rendered before."""
    for name in ("cifar", "mnist"):
        (folder / "jobs" / name).mkdir(parents=True)
        (folder / f"{name}.yaml").rename(folder / "jobs" / name / "values.yaml")
    (folder / "dsgen.yaml").write_text("{}\n")
    assert 0 == cli("render").code
    (folder / "dsgen.yaml").write_text(RULES[id_].settings)

    kind = {*re.findall(r"\[(DS\d+)\]", cli("render", *(["--bump"] if id_ == "DS909" else ["--check"])).err)}

    assert {id_} == kind - {"DS903"}  # which --bump is for


@pytest.mark.parametrize("word", ["DS204", "ds204"])
def test_an_id_is_explained(cli: Cli, word: str) -> None:
    code, out, err = cli("explain", word)

    assert (0, "") == (code, err)
    assert out.startswith("DS204: Names that are too long\n\n")
    assert "\nWhat to do: Shorten the name of the job or run.id.\n" in out
    assert "\n    name: a-training-with-a-name-that-says-everything-about-its-purpose\n" in out


def test_settings_with_a_problem_are_shown(cli: Cli) -> None:
    assert "\nA dsgen.yaml with this problem:\n\n    output: manifests/{namespace}\n" in cli("explain", "DS908").out


def test_control_characters_of_an_example_do_not_reach_the_terminal() -> None:
    assert "\x07" not in explain.explain_word("DS002")


def test_a_key_is_explained(cli: Cli) -> None:
    expected = (
        "run.id\n\nName of this run. Change it to train again: a run that has ended does not train again while the\n"
        "job's record contains it.\n\n"
        "  type     a string or a whole number\n"
        "  range    at least 0, at most 9007199254740991\n"
        "  form     1 to 20 lower-case letters and digits\n"
        '  default  "1"\n'
        '  example  "2" or "20260131a"\n'
        "  null     not allowed\n"
    )

    assert (0, expected, "") == cli("explain", "run.id")


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("workers.accelerator.count", "  null     allowed, the same as absent"),
        ("storage.*.mountIn", '  values   "auto", "both", "workers", "launcher"'),
        ("storage.data.create.size", "  form     a number with or without a unit, such as 500m, 4, 1.5 or 16Gi"),
        ("storage.NAME.create", "  default  absent"),
        (
            "storage",
            "  *  a name that you choose: 1 to 20 lower-case letters, digits and hyphens, beginning and ending",
        ),
        ("storage", "  readOnly       Mount it read-only."),
        ("workers", "  replicas                   Number of worker pods."),
        ("workers", "  extraPodSpec               Fields of the pod for which dsgen has no key, as in Kubernetes."),
        ("training.python", '  example  "train.py"'),
        ("workers.tolerations", "  type     a list; each item is a map: Toleration of the Kubernetes API"),
        ("workers.resources.requests", "  null     not allowed, but null removes an entry of the default"),
        ("workers.affinity", "  type     a map: Affinity of the Kubernetes API"),
        ("workers.affinity.nodeAffinity", "  type     a map: NodeAffinity of the Kubernetes API"),
        ("launcher.initContainers[0].image", "  default  none; the key is required"),
        ("launcher.initContainers[0].volumeMounts[0].mountPath", "  type     a string"),
        ("storage.data.projected.sources.*.secret.optional", "  type     true or false"),
        ("workers.extraPodSpec.hostAliases[0].ip", "  type     a string"),
        ("workers.tolerations", "  effect             Effect indicates the taint effect to match."),
        ("workers.tolerations[0].effect", '  values   "", "NoExecute", "NoSchedule", "PreferNoSchedule"'),
        ("workers.tolerations.*.key", "  type     a string"),
        ("training.args", "  type     a list; each item is a string"),
        ("training.env.TOKEN.valueFrom", "  range    exactly one of its keys"),
        ("training.envFrom[0]", "  range    exactly one of configMapRef, secretRef"),
        ("image.pullSecrets[].name", "  default  none; the key is required"),
        ("training.deepspeed.config", "  steps_per_print                       a whole number"),
        ("training.deepspeed.config.zero_optimization.stage", "  values   0, 1, 2, 3"),
        ("training.deepspeed.config.zero_optimization.stage", "  null     not allowed"),
        ("training.deepspeed.config.zero_optimization", "  offload_param                              a map"),
        ("training.deepspeed.config.zero_optimization.offload_param.device", '  values   "none", "cpu", "nvme"'),
        ("training.deepspeed.config.zero_optimization.cpu_offload", "An old name of offload_optimizer."),
        ("training.deepspeed.config.fp16.loss_scale", "  type     a number"),
        ("training.deepspeed.config.gradient_clipping", "  range    at least 0"),
        ("training.deepspeed.config.pipeline.own", "The value can be anything; dsgen does not check it."),
        (
            "training.deepspeed.config.optimizer.params.lr",
            "A parameter of the class in type; dsgen checks its name and type.",
        ),
        (
            "training.deepspeed.config.amp",
            "DeepSpeed accepts it up to 0.19.4 and refuses it from 0.19.8 on; use fp16, bf16 or torch_autocast.",
        ),
        ("global.team.x", "The value can be anything; dsgen does not check it."),
        ('labels["example.com/team"]', "  type     a string"),
        ("", "  workers         Worker pods, which run the training."),
    ],
)
def test_what_is_said_about_keys(key: str, line: str) -> None:
    assert line in explain.explain_word(key).splitlines()


@pytest.mark.parametrize("path", [".".join(path) for path, _ in schema.walk_keys()])
def test_every_key_can_be_explained(path: str) -> None:
    text = explain.explain_word(path)

    assert text.startswith(f"{path}\n\n")
    assert [] == [line for line in text.splitlines() if len(line) > explain.WIDTH]


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("workers.slot", '"slot" is not a key of workers; did you mean workers.slots?'),
        ("worker.slots", '"worker" is not a key of a values file; did you mean workers?'),
        ("workers.slots.x", '"x" is not a key of workers.slots'),
        ("run.number", '"number" is not a key of run; possible keys: id'),
        ("xyzzy", '"xyzzy" is not a key of a values file'),
        (
            "training.deepspeed.config.zero_optimization.stge",
            '"stge" is not a key of training.deepspeed.config.zero_optimization; did you mean',
        ),
        ("DS20", "DS20 is not the id of a problem; dsgen explain --search WORD finds problems by their words"),
        ("a..b", "a..b is not a key: keys are written with dots, as in workers.slots"),
    ],
)
def test_an_unknown_word_is_wrong_usage(cli: Cli, word: str, message: str) -> None:
    code, out, err = cli("explain", word)

    assert (2, "") == (code, out)
    assert err.startswith(f"dsgen: {message.removesuffix('DS208?')}")


def test_a_search_finds_keys_ids_reasons_and_presets(cli: Cli) -> None:
    code, out, err = cli("explain", "--search", "Memory")

    assert (0, "") == (code, err)
    for line in ("  workers.sharedMemory ", "  workers.resources ", "  DS279 ", "  OutOfMemory "):
        assert f"\n{line}" in out
    assert "Presets, for dsgen init --preset NAME:\n  aws-efa  " in cli("explain", "--search", "EKS hyperpod").out
    for word, use in (("S3", "a volume of storage"), ("gpus", "use workers.slots"), ("cron", "dsgen run --bump")):
        assert re.search(f"^Words of other tools:\n  {word} .*{use}$", cli("explain", "--search", word).out, re.M)


@pytest.mark.parametrize(
    "words",
    [
        ("--search", "EKS", "hyperpod"),
        ("--search=EKS", "hyperpod"),
        ("EKS", "--search", "hyperpod"),
        ("EKS", "hyperpod"),
    ],
)
def test_a_search_for_several_words_needs_no_quotes(cli: Cli, words: tuple[str, ...]) -> None:
    assert cli("explain", "--search", "EKS hyperpod") == cli("explain", *words)


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("wandb", "recipes"),
        ("mlflow", "recipes"),
        ("elastic", "recipes"),
        ("spot", "recipes"),
        ("SOPS", "secrets"),
        ("sealed secrets", "secrets"),
        ("cost", "recipes"),
        ("huggingface", "recipes"),
        ("flight recorder", "recipes"),
        ("minikube", "first-training"),
        ("docker compose", "side-by-side"),
        ("staging", "repository"),
        ("load_universal", "changing-workers"),
    ],
)
def test_a_search_finds_pages(cli: Cli, words: str, page: str) -> None:
    code, out, err = cli("explain", "--search", words)

    assert (0, "") == (code, err)
    assert page in [line.split()[0] for line in out.partition("Pages, for dsgen help PAGE:\n")[2].splitlines()]


def test_a_search_lists_few_pages_those_with_the_words_in_the_title_first(cli: Cli) -> None:
    lines = cli("explain", "--search", "image").out.partition("Pages, for dsgen help PAGE:\n")[2].splitlines()

    assert 5 == len(lines)
    assert "image" == lines[0].split()[0]


def test_a_word_that_is_no_key_is_searched_for(cli: Cli) -> None:
    code, out, err = cli("explain", "gpu")

    assert (0, "") == (code, err)
    assert out.startswith(
        '"gpu" is not a key of a values file; did you mean workers.slots?\nWhat dsgen explain --search gpu'
    )
    assert "\n  workers.accelerator " in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--search", "xyzzy"), "no key, id, reason, preset or page has xyzzy"),
        (("--search", " "), "--search needs words"),
        (("--search", "memory", "xyzzy"), "no key, id, reason, preset or page has memory xyzzy"),
        (("memory", "xyzzy"), "no key, id, reason, preset or page has memory xyzzy"),
    ],
)
def test_a_search_for_nothing_is_wrong_usage(cli: Cli, words: tuple[str, ...], message: str) -> None:
    code, out, err = cli("explain", *words)

    assert (2, "", True) == (code, out, err.startswith(f"dsgen: {message}"))


@pytest.mark.parametrize("path", sorted((Path(__file__).parents[1] / "cases" / "invalid").glob("*.yaml")), ids=str)
def test_paths_of_messages_are_understood(cli: Cli, path: Path) -> None:
    problems = json.loads(cli("validate", path, "-o", "json").out)["diagnostics"]
    known = {
        problem["path"] for problem in problems if problem["id"] not in ("DS101", "DS107", "DS109", "DS111", "DS260")
    }

    assert all(explain.explain_word(key) for key in known)


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        (
            "WorldSize",
            "In the record, with the phase Failed: the process group has fewer ranks than the values ask for",
        ),
        ("WorkersUnreachable", "From dsgen why: not all workers answered in time: WHAT\n"),
        ("NoNodeBigEnough", "In the values file: workers.resources, workers.accelerator.count\n"),
    ],
)
def test_a_reason_is_explained(cli: Cli, reason: str, expected: str) -> None:
    code, out, err = cli("explain", reason)

    assert (0, "") == (code, err)
    assert out.startswith(f"{reason}\n\n")
    assert expected in out
