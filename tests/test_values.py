"""Files are merged as in Helm, with places and all problems."""

import json
from pathlib import Path
from typing import Any

import pytest

from dsgen import schema, values
from dsgen.problems import Position, path_text
from dsgen.reading.nodes import SourceText
from dsgen.reading.set_values import Override
from dsgen.schema.default_values import fill
from dsgen.values import Job
from tests.fuzz.reading import without_null
from tests.helm import MAJORS, helm, run_helm

BASE = """\
name: cifar
image: {repository: registry.example.com/team/cifar, tag: v3}
workers:
  replicas: 2
  accelerator: {count: 4}
  tolerations: [{key: gpu, operator: Exists}]
  resources: {requests: {cpu: "8"}}
training: {python: train.py, args: [a, b], env: {A: x, B: q}}
storage: {data: {mountPath: /data, create: {}}}
launcher: {podAnnotations: {linkerd.io/inject: null, a: b}}
"""
OVER = """\
workers:
  replicas: 3
  accelerator: {count: null}
  tolerations: [{key: other, operator: Exists}]
training: {args: [c], env: {B: z}}
storage: {scratch: {emptyDir: {}}}
lifecycle: {suspend: null, maxRestarts: 1}
launcher: {resources: {requests: {memory: null}}}
"""


def load(*texts: str, overrides: tuple[Override, ...] = ()) -> Job:
    return values.load([SourceText(f"{number}.yaml", text) for number, text in enumerate(texts, 1)], overrides)


def data(*texts: str, overrides: tuple[Override, ...] = ()) -> dict[str, Any]:
    loaded = load(*texts, overrides=overrides)
    assert loaded.diagnostics == []
    return loaded.data


def test_nothing_given_is_the_defaults() -> None:
    assert schema.make_defaults() == data("{}\n")


def test_maps_merge_lists_replace_null_removes() -> None:
    merged, defaults = data(BASE, OVER), schema.make_defaults()["launcher"]

    assert 3 == merged["workers"]["replicas"]
    assert {"resource": "nvidia.com/gpu"} == merged["workers"]["accelerator"]
    assert ["other"] == [toleration["key"] for toleration in merged["workers"]["tolerations"]]
    assert {"cpu": "8", "memory": "auto"} == merged["workers"]["resources"]["requests"]
    assert {"cpu": "auto"} == merged["launcher"]["resources"]["requests"]
    assert {"linkerd.io/inject"} == defaults["podAnnotations"].keys() - merged["launcher"]["podAnnotations"].keys()
    assert (["c"], {"A": "x", "B": "z"}) == (merged["training"]["args"], merged["training"]["env"])
    assert {"data", "scratch"} == merged["storage"].keys()
    assert "suspend" not in merged["lifecycle"]


def test_below_names_of_the_user_the_defaults_are_filled_in() -> None:
    volume = data(BASE)["storage"]["data"]

    assert ("auto", False, "100Gi", True) == (
        volume["mountIn"],
        volume["readOnly"],
        volume["create"]["size"],
        volume["create"]["protect"],
    )


@pytest.mark.parametrize("major", MAJORS)
def test_it_is_the_tree_that_helm_has(major: int, tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: values\nversion: 0.1.0\n")
    (tmp_path / "values.yaml").write_text(json.dumps(schema.make_defaults()))
    (tmp_path / "templates" / "values.yaml").write_text("# {{ .Values | toRawJson }}\n")
    files = [tmp_path / "1.yaml", tmp_path / "2.yaml"]
    for file, text in zip(files, (BASE, OVER), strict=True):
        file.write_text(text)
    flags = ("--set", "workers.slots=4,training.args={x,z}")

    command = ["template", tmp_path, "-f", files[0], "-f", files[1], *flags]
    printed = run_helm(helm(major), *command).stdout
    from_helm = json.loads(next(line for line in printed.splitlines() if line.startswith("# {"))[2:])
    ours = data(BASE, OVER, overrides=(Override(*flags[:2]),))

    assert ours == fill(without_null(from_helm))


def test_each_key_points_to_where_it_was_set_last() -> None:
    loaded = load(BASE, OVER, overrides=(Override("--set", "workers.slots=4,training.env.A=q"),))

    assert [
        Position("1.yaml", 1, 7),
        Position("2.yaml", 2, 13),
        Position("1.yaml", 7, 31),
        Position("--set", 1, 15),
        Position("--set", 1, 32),
        Position("2.yaml", 5, 32),
    ] == [
        loaded.position(path)
        for path in (
            ("name",),
            ("workers", "replicas"),
            ("workers", "resources", "requests", "cpu"),
            ("workers", "slots"),
            ("training", "env", "A"),
            ("training", "env", "B"),
        )
    ]


def test_what_nobody_set_points_to_the_nearest_key() -> None:
    loaded = load(BASE)

    assert Position("1.yaml", 8, 1) == loaded.position(("training", "deepspeed", "config"))
    assert Position("1.yaml", 1, 1) == loaded.position(("network", "policy"))


def test_problems_of_all_files_and_flags_come_together() -> None:
    problems = load(
        "name: 1\n", "nam: x\nimage: {tag: !x y}\n", "a: [\n", overrides=(Override("--set", "workers.slots=x"),)
    ).diagnostics

    assert [("--set", "DS102"), ("1.yaml", "DS102"), ("2.yaml", "DS101"), ("2.yaml", "DS007"), ("3.yaml", "DS001")] == [
        (one.position.file, one.id) for one in problems if one.position and one.path != ("a",)
    ]


def test_errors_leave_no_values() -> None:
    assert load("nam: x\n").values is None


def test_a_warning_does() -> None:
    loaded = load("network: {policy: no}\n")

    assert ["DS050"] == [one.id for one in loaded.diagnostics]
    assert loaded.data["network"]["policy"] is False


def test_checks_see_what_has_nothing_to_do_with_the_errors() -> None:
    problems = load("nam: x\ntraining: {exec: train.py}\nimage: {tag: v3}\n").diagnostics

    assert ["DS101", "DS102", "DS201"] == sorted(one.id for one in problems)


def test_an_error_deep_below_does_not_hide_what_is_missing() -> None:
    problems = load("image: {repository: a/b, tag: v1}\ntraining: {env: {A-B: x}}\n").diagnostics

    assert ["DS202", "DS109"] == [one.id for one in problems]


def test_a_key_that_is_wrong_is_not_called_missing_too() -> None:
    problems = load("image: {repository: 'a b'}\ntraining: {python: [train.py]}\n").diagnostics

    assert ["DS104", "DS102"] == [one.id for one in problems]


def test_a_charts_values_are_checked_by_the_names_that_they_have() -> None:
    loaded = load(f"name: {'a' * 60}\n{BASE.partition(chr(10))[2]}")

    assert ["DS204", "DS361"] == [one.id for one in loaded.problems(chart=True)]


NAMED = "name: cifar\nnamespace: training\nimage: {repository: a.example.com/b, tag: v1}\n"


def told(*texts: str, overrides: tuple[Override, ...] = ()) -> list[tuple[str, str]]:
    return [(one.id, path_text(one.path)) for one in load(*texts, overrides=overrides).diagnostics]


@pytest.mark.parametrize(
    "text",
    [
        "launch: {method: torchrn, masterPort: 2222}",
        "launch: {method: worker-comand, command: [train]}",
        "workers: {excludeNodes: [R.example.com]}",
        "security: {podSecurityLevel: privilegd}\nnetwork: {hostNetwork: true, policy: false}",
        "launch: {mthod: torchrun, masterPort: 2222}",
        "storage: {a: {mountPath: /d, mountIn: x, emptyDir: {}}, b: {mountPath: /d, mountIn: launcher, emptyDir: {}}}",
        "storage: {a: {mountPath: /a, create: {accessModes: [ReadWriteOnce, ReadWriteMay]}}}\nworkers: {replicas: 2}",
        "storage: {a: {mountPath: d, create: {}}}\nmonitoring: {tensorboard: {enabled: true, logDir: /d/x}}",
        "workers: {resources: {claims: [{name: a}]}, extraPodSpec: {resourceClaims: [{nam: a}]}}",
        "workers: {resources: {claims: [{name: a}]}, extraPodSpec: {resourceClaims: [a]}}",
        "workers: {slots: 8, accelerator: {count: 4, resorce: a.example.com/npu},"
        " resources: {requests: {cpu: 8, memory: 64Gi}}}",
        "launcher: {resources: {requests: {memory: lots}, limits: {}}}",
        "launcher: {resources: {requests: {memory: 1Mi}, limits: {memory: lots}}}",
        "workers: {resources: {requests: {hugepages-2Mi: 1Gi}, limits: {hugepages-2Mi: 1Gx}}}",
        "storage: {a: {podSecurityLevel: baseline}}",
        "security: {podSecurityLevel: restricted, podSecurityContext: {runAsNonRoot: true}}\n"
        "workers: {sidecars: [{name: a, image: 'b:1', securityContext: {capabilities: {drop: [5]},"
        " allowPrivilegeEscalation: false}}]}",
    ],
)
def test_what_may_vanish_with_the_mistake_is_not_told(text: str) -> None:
    problems = told(f"{NAMED}training: {{python: t.py}}\n{text}\n")

    assert [] != problems
    assert [] == [(id_, path) for id_, path in problems if id_ > "DS199"]


def test_surprises_are_told_where_they_stand_and_once() -> None:
    text = f"{NAMED}training: {{python: t.py, args: [x, y]}}\n"

    assert [("DS102", "training.args[1]")] == told(text)
    assert [] == told(text, overrides=(Override("--set", "training.args[1]=z"),))
    assert [] == told(f"{text}network: {{policy: no}}\n", "training: {args: []}\nnetwork: {policy: true}\n")


def test_a_null_on_the_command_line_has_no_line_to_remove() -> None:
    (problem,) = load(
        f"{NAMED}training: {{python: t.py}}\n", overrides=(Override("--set", "training.deepspeed=null"),)
    ).diagnostics

    assert "give it a value, or remove --set" == problem.hint


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("training: {exec: bash -c foo}", "write it as a list, one item for each argument: [bash, -c, foo]"),
        ("training: {args: '--epochs 3'}", 'write it as a list, one item for each argument: [--epochs, "3"]'),
        ('training: {args: "it\'s"}', 'write it as a list: ["it\'s"]'),
        ("training: {envFrom: team}", "write it as a list: begin each item with -"),
        (
            "training: {env: [{name: A, value: b}]}",
            'write it as a map: {A: "b"}',
        ),
        ("run: {id: 1_000}", "expected: 1 to 20 lower-case letters and digits"),
        ("run: {id: 010}", 'put it in quotes: "010"'),
    ],
)
def test_what_a_hint_says_is_accepted(text: str, hint: str) -> None:
    problems = [one for one in load(text).diagnostics if one.id in ("DS102", "DS110")]

    assert [hint] == [one.hint for one in problems]


def test_a_tag_before_all_values_is_the_only_problem() -> None:
    assert [("DS007", "")] == told("!x\nname: cifar\nimage: {repository: r/x}\n")
