"""What hints say of words and files of other tools; tests/schema/test_mistakes.py applies those that lead to a key."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from dsgen import schema, shipped, values
from dsgen.generated.helpers import runs_command
from dsgen.language.functions import load_launch_methods, read_json
from dsgen.problems import Diagnostic
from dsgen.problems.framing import as_text
from dsgen.reading.nodes import SourceText
from dsgen.schema import foreign
from tests import hints
from tests.base import BASE

METHODS: list[str] = (schema.find_part(("launch", "method")) or {})["enum"]


def problems(text: str) -> list[Diagnostic]:
    found = values.load([SourceText("v.yaml", text)]).problems()
    return [one for one in found if one.id not in hints.ADVICE]


@pytest.mark.parametrize(
    ("word", "method"),
    [
        ("mpirun", "openmpi"),
        *((word, method) for method, row in load_launch_methods().items() for word in row.get("words", ())),
    ],
)
def test_a_word_of_another_launcher_leads_to_a_method(word: str, method: str) -> None:
    [problem] = [one for one in problems(f"{BASE}launch: {{method: {word}}}\n") if one.path == ("launch", "method")]

    assert ("DS103", f"did you mean {method}? Possible values: {', '.join(METHODS)}") == (problem.id, problem.hint)


@pytest.mark.parametrize("kind", ["MPIJob", "PyTorchJob", "TrainJob", "Deployment"])
def test_an_object_of_another_system_is_one_problem(kind: str) -> None:
    [problem] = problems(f"apiVersion: v1\nkind: {kind}\nspec: {{replicas: 3}}\n")

    assert ("DS112", True) == (problem.id, kind in problem.message)


COMPOSE = "version: '3.8'\nservices:\n  train: {image: team/cifar, command: python train.py}\nvolumes: {data: {}}\n"
HELM = "replicaCount: 1\nimage: {repository: nginx, tag: ''}\nservice: {type: ClusterIP, port: 80}\nresources: {}\n"
SBATCH = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --time=3-00:00:00\n\nmodule load cuda\nsrun python train.py\n"
SCRIPT = "#!/usr/bin/env bash\nset -euo pipefail\nexport A=b\ntorchrun train.py --epochs 3\n"
PROGRAM = "#!/usr/bin/env python3\nimport torch\nfor a in b:\n    print(a)\n"
DEEPSPEED = '{"train_batch_size": 8, "zero_optimization": {"stage": 2}}\n'
ACCELERATE = "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_processes: 8\n"
MERGE = f"{BASE}<<<<<<< HEAD\nworkers: {{replicas: 2}}\n=======\nworkers: {{replicas: 4}}\n>>>>>>> main\n"


@pytest.mark.parametrize(
    ("text", "id_", "line", "message"),
    [
        (COMPOSE, "DS112", 2, "this is a file of Docker Compose, not a values file"),
        (HELM, "DS112", 1, "these are the values of another Helm chart"),
        (DEEPSPEED, "DS112", 1, "this is a configuration of DeepSpeed, not a values file"),
        (ACCELERATE, "DS112", 1, "this is a configuration of Accelerate, not a values file"),
        (SBATCH, "DS016", 2, "this is a batch script of Slurm, not a values file"),
        (SCRIPT, "DS016", 1, "this is a shell script, not a values file"),
        (PROGRAM, "DS016", 1, "this is a Python program, not a values file"),
        (MERGE, "DS017", 5, "the file has the marks of an unresolved merge"),
    ],
)
def test_another_kind_of_file_is_one_problem_that_says_what_it_is(text: str, id_: str, line: int, message: str) -> None:
    [problem] = problems(text)

    assert (id_, message) == (problem.id, problem.message)
    assert problem.position
    assert line == problem.position.line
    assert problem.hint


def test_the_hint_for_a_compose_file_names_the_page_with_its_keys() -> None:
    [problem] = problems(COMPOSE)

    [name] = [name for name in shipped.list_pages() if f"`dsgen help {name}`" in problem.hint]
    assert "shm_size" in shipped.read_page(name)


@pytest.mark.parametrize(
    "text",
    [
        f"#!/usr/bin/env dsgen\n{BASE}",
        f"#!/bin/bash\n{BASE}",
        BASE.replace("{python: train.py}", "\n  python: a\n  files:\n    b: |\n      <<<<<<< a\n      >>>>>>> b"),
    ],
)
def test_a_values_file_that_looks_like_another_kind_is_read(text: str) -> None:
    assert [] == problems(text)


def test_keys_of_other_tools_in_a_values_file_are_reported_one_by_one() -> None:
    text = f"{BASE}replicaCount: 2\nservice: {{port: 80}}\nservices: {{a: {{image: b}}}}\n"

    assert ["DS101"] * 3 == [one.id for one in problems(text)]


def test_a_secret_is_not_shown() -> None:
    text = BASE.replace("train.py}", "train.py, env: {WANDB_API_KEY: 0a1b2c3d4e5f}}")
    shown = as_text(problems(text), {"v.yaml": text})

    assert ("[DS369]" in shown, "0a1b2c3d4e5f" in shown) == (True, False)


@pytest.mark.parametrize("method", [method for method in METHODS if not runs_command({"launch": {"method": method}})])
@pytest.mark.parametrize("word", ["$(NNODES)", "$NNODES", "2>&1"])
def test_shell_syntax_in_the_arguments_of_every_method_has_one_explanation(method: str, word: str) -> None:
    text = BASE.replace("train.py}", f'train.py, args: [--a, "{word}"]}}') + f"launch: {{method: {method}}}\n"
    expanded = word.replace("(", "").replace(")", "")

    [problem] = problems(text)

    assert ("DS366", ("training", "args", 1)) == (problem.id, problem.path)
    assert (
        f'set training.exec: [bash, -c, "python3 -u train.py --a {expanded}"],'
        " and remove training.python and training.args"
    ) == problem.hint


@pytest.mark.parametrize(
    ("words", "meant", "count"),
    [
        ("--split, 98,2,0", ["--split", "98,2,0"], 1),
        ("--split, 98,2,0, --epochs, '3'", ["--split", "98,2,0", "--epochs", "3"], 1),
        ("--lr, 0.5,1e-4, --layers, a,2,yes", ["--lr", "0.5,1e-4", "--layers", "a,2,yes"], 2),
        ("--split, 98, 2", ["--split", "98", "2"], 2),
        ("--split,98,2", ["--split", "98", "2"], 2),
        ("98,2", ["98", "2"], 2),
        ("a, --x,98,2", ["a", "--x", "98", "2"], 2),
    ],
)
def test_an_unquoted_list_of_numbers_is_one_argument(words: str, meant: list[str], count: int) -> None:
    text = BASE.replace("train.py}", f"train.py, args: [{words}]}}")
    data = yaml.safe_load(text)

    found = problems(text)
    for problem in reversed(found):
        hints.apply(data, problem, {})

    assert meant == data["training"]["args"]
    assert count == len([one for one in found if one.id == "DS102"])


def keys_of(rule: dict[str, Any], definition: str, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The keys below a rule that have a definition of the schema."""
    if rule.get("$ref") == f"{schema.DEFINITION}{definition}":
        yield path
    for key, below in rule.get("properties", {}).items():
        yield from keys_of(below, definition, (*path, key))


def test_a_map_has_a_hint_at_every_image_that_is_one_text() -> None:
    source = read_json(schema.SCHEMA_FILE)

    assert set(keys_of(source, "optionalImage")) == set(foreign.IMAGES)
    for path in foreign.IMAGES:
        inner = "{" + f"{path[-1]}: {{repository: r.io/x, tag: v1}}" + "}"
        for key in reversed(path[1:-1]):
            inner = "{" + f"{key}: {inner}" + "}"
        [problem] = [one for one in problems(f"{BASE}{path[0]}: {inner}\n") if one.path == path]
        assert problem.hint == 'write it as one text: "r.io/x:v1"'


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("schedule: '0 3 * * *'", "dsgen has no cron"),
        ("gpuType: a100", "workers.nodeSelector"),
        ("workers: {gpuModel: a100}", "workers.nodeSelector"),
        ("matrix: [1]", "dsgen.yaml"),
        ("onSuccess: x", "status.webhook.url"),
        ("s3: {}", "workers.serviceAccountName"),
        ("claim: data", "storage"),
        ("vllm: {}", "serves no model"),
        ("workers: {nodeSelector: [a]}", "nodeSelector: {LABEL: VALUE}"),
        ("training: {deepspeed: {config: '{\"a\": 1}'}}", "without quotes"),
        ("run: [a #b, c]", "all after # is a comment"),
        ("run: [a, #b]\nname: x", "all after # is a comment"),
        ("run: {a: #b}", "all after # is a comment"),
        ("run: [#b, c]", "all after # is a comment"),
        ("run: {schedule: x}", "dsgen has no cron"),
        ("instanceType: p4d", "workers.nodeSelector"),
        ("notify: x", "status.webhook.url"),
        ("storage: {data: {s3: {bucket: x}}}", "did you mean existingClaim?"),
        ("name: cifar\xa0", "write an ordinary space for the no-break space, U+00A0"),
        ("workers: {replicas: 2\u3000}", "write an ordinary space for the ideographic space"),
        ("workers:\n\xa0\xa0replicas: 2", "write an ordinary space for the no-break space"),
        ("namespace: trai\u200bning", "remove the zero width space, U+200B"),
        ("run:\xa0x\nname: a", "no-break space"),
    ],
)
def test_a_hint_says_what_is_possible(line: str, words: str) -> None:
    found = values.load([SourceText("v.yaml", f"{line}\n")]).problems()

    assert [line, True] == [line, any(words in one.hint for one in found)]
