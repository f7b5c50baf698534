"""The origins: which source is of which kind, and which module converts it."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from dsgen.checks.programs import OF_RAY
from dsgen.importers.conversion import Conversion
from dsgen.importers.documents import TEMPLATE, SourceDocument, read_documents, read_items, refuse_private
from dsgen.importers.launchers import rank_words
from dsgen.importers.ledger import ImportRefusedError
from dsgen.problems import Position
from dsgen.reading.nodes import Node, SourceText

RAY = "a Ray program starts its own processes on a Ray cluster; start its training with torchrun or deepspeed instead"
STEPS = "runs steps one after the other; import the job of the step that trains"
KINDS: Mapping[str, str] = {
    **dict.fromkeys(("RayJob", "RayCluster", "RayService"), RAY),
    "TFJob": "TensorFlow starts its processes from TF_CONFIG, which dsgen does not set",
    "XGBoostJob": "XGBoost has a tracker of its own, which dsgen does not run",
    "PaddleJob": "PaddlePaddle has a launcher of its own, which dsgen does not run",
    "JAXJob": "JAX has a coordinator of its own, which dsgen does not set up",
    **dict.fromkeys(("Workflow", "CronWorkflow"), f"an Argo Workflow {STEPS}"),
    "PipelineRun": f"a pipeline {STEPS}",
    "SparkApplication": "Spark starts its own processes",
}
"""Kinds of Kubernetes objects that are known and not supported, with the reason."""
OTHER_SYSTEMS = {"#PBS": "PBS", "#BSUB": "LSF", "#$ -": "Grid Engine", "#COBALT": "Cobalt", "#PJM": "PJM"}
"""Marks of other queues, with their name."""
AS_SBATCH = "write its resources as #SBATCH lines, or import the command line that starts the training"


PROMPT = re.compile("^\\s*(?:[$#%>\u276f\u279c]+\\s+|\u279c\\s*)(?=\\w)")
COMPOSE = "it describes containers on one node"
DSGEN = "this is a values file of dsgen already"
UNKNOWN_HINT = "--from KIND says what it is; if another tool makes objects of it, import these"


Form = Literal["object", "values", "script", "line"]
BROKEN = re.compile("[\udc80-\udcff]")
"""A byte that is not UTF-8, as Python reads it."""
MOST_KIB = 128
"""The largest source. Descriptions of jobs have some kilobytes."""
MOST_JOBS = 200
"""The most jobs in one file."""


@dataclass(frozen=True)
class Origin:
    """A kind of source.

    form: a Kubernetes object, the values of another tool, a script, or one line. module: has the function `convert`,
    which takes a SourceDocument or, for a script or a line, a SourceText, and the Conversion. summary: for lists.
    kinds: kind and API group of the objects, the group without its version; an empty group stands for any. keys: some
    of those at the top of a values file; two of them are enough.
    """

    form: Form
    module: str
    summary: str
    kinds: tuple[tuple[str, str], ...] = ()
    keys: frozenset[str] = frozenset()

    def convert(self, source: SourceDocument | SourceText, conversion: Conversion) -> None:
        """Convert one source."""
        module: Any = importlib.import_module(f"dsgen.importers.{self.module}")
        module.convert(source, conversion)

    def matches(self, document: SourceDocument) -> bool:
        """Whether a document is of this kind."""
        if self.form == "object":
            return any(
                document.kind.lower() == kind.lower() and group in ("", document.group) for kind, group in self.kinds
            )
        return self.form == "values" and not document.kind and len(_read_keys(document.root) & self.keys) >= 2


def _make_operator(summary: str, *kinds: tuple[str, str]) -> Origin:
    return Origin("object", "operators", summary, kinds)


ORIGINS: Mapping[str, Origin] = {
    "slurm": Origin("script", "slurm", "a script for sbatch"),
    "shell": Origin(
        "script", "scripts", "a shell script or a command line: deepspeed, torchrun, accelerate, mpirun, ..."
    ),
    "pytorchjob": _make_operator("PyTorchJob v1 of Kubeflow", ("PyTorchJob", "kubeflow.org")),
    "mpijob": _make_operator("MPIJob v2beta1 and v1 of Kubeflow", ("MPIJob", "kubeflow.org")),
    "trainjob": _make_operator("TrainJob of Kubeflow Trainer, with its runtime", ("TrainJob", "trainer.kubeflow.org")),
    "jobset": _make_operator("JobSet with one kind of pods", ("JobSet", "jobset.x-k8s.io")),
    "elasticjob": _make_operator("ElasticJob of DLRover", ("ElasticJob", "elastic.iml.github.io")),
    "volcano": _make_operator("Job of Volcano", ("Job", "batch.volcano.sh")),
    "hyperpod": _make_operator("HyperPodPyTorchJob of HyperPod", ("HyperPodPyTorchJob", "")),
    "deepspeedjob": _make_operator("DeepSpeedJob of T9k", ("DeepSpeedJob", "")),
    "msjob": _make_operator("MSJob of MindSpore", ("MSJob", "mindspore.gitee.com")),
    "skypilot": Origin(
        "values",
        "skypilot",
        "a task of SkyPilot",
        keys=frozenset(("resources", "num_nodes", "run", "setup", "envs", "file_mounts", "workdir")),
    ),
    "arena": Origin("line", "arena", "a line of Arena: arena submit pytorchjob, mpijob, etjob, deepspeedjob"),
    "sets": Origin(
        "object",
        "sets",
        "hand-written StatefulSets, Deployments, Jobs or Pods, with their Services and ConfigMaps",
        (("StatefulSet", "apps"), ("Deployment", "apps"), ("ReplicaSet", "apps"), ("Job", "batch"), ("Pod", "")),
    ),
}
"""The origins by their name, which is a value of --from."""
WRAPPED = {"AppWrapper": ("spec", "components"), "List": ("items",)}
"""Objects that contain other objects, and where."""


OF_YAML = re.compile(r"(---|\{|- |%YAML|[\w./-]+:(\s|$)|[\"'][^\"']+[\"']:\s|<<:|\{\{|<%)")
"""How the first line that is no comment begins in YAML or JSON."""
OF_SLURM = re.compile(r"#SBATCH|\s*(exec )?srun\s")
"""Lines of a script that starts processes with Slurm; without options for sbatch, srun has them."""


@dataclass(frozen=True)
class Found:
    """Something that can be converted: the origin by name, the source, and the objects around it."""

    origin: str
    source: SourceDocument | SourceText
    around: tuple[SourceDocument, ...] = ()


def explain_origins() -> Iterator[str]:
    """What `dsgen import` converts and what it refuses, as lines for people."""
    width = max(map(len, ORIGINS)) + 2
    yield "dsgen import converts the jobs of other systems to values files. It finds out by itself what a file is;"
    yield "--from KIND says it if it is wrong. Kinds:"
    yield ""
    yield from (f"  {name:{width}}{origin.summary}" for name, origin in ORIGINS.items())
    yield ""
    yield "Objects may be in a List or an AppWrapper, or be several documents of one file. Refused, with the reason:"
    yield ""
    reasons = {reason: [kind for kind, other in KINDS.items() if other == reason] for reason in KINDS.values()}
    yield from (f"  {', '.join(kinds)}: {reason}" for reason, kinds in reasons.items())
    yield f"  scripts for {', '.join(OTHER_SYSTEMS.values())}: write their resources as #SBATCH lines"
    yield f"  docker compose: {COMPOSE}"
    yield ""
    yield "Of tools that print objects, such as charts, xpk and the HyperPod CLI, dsgen converts the objects:"
    yield "helm template NAME CHART -f FILE | dsgen import -"


def recognise(source: SourceText, origin: str = "") -> tuple[Sequence[Found], Sequence[SourceDocument]]:
    """What can be converted of a file, and all of its documents. origin: the name of its kind, "" to find it.

    Raises ImportRefusedError for what cannot be converted, with the reason.
    """
    start = Position(source.name, 1, 1)
    if len(source.text) > MOST_KIB << 10:
        raise ImportRefusedError(f"the file has more than {MOST_KIB} KiB", start)
    if not source.text.strip():
        raise ImportRefusedError("the file is empty", start)
    refuse_private(source.text, source.name)
    _refuse_ray(source)
    script = _find_script_origin(source) if not origin else origin if ORIGINS[origin].form in ("script", "line") else ""
    if script:
        return [Found(script, _decode(source))], ()
    read = read_documents(source)
    if not read:
        raise ImportRefusedError("the file has only comments", start)
    found = [one for document in read for one in _find_objects(document, (), origin)]
    if len(found) > MOST_JOBS:
        raise ImportRefusedError(f"the file has more than {MOST_JOBS} jobs", start, "split it")
    if sets := [one for one in found if one.origin == "sets"]:
        # They are one job together; a workload beside a job of an operator is no job.
        found = [one for one in found if one.origin != "sets"] or sets[:1]
        if found == sets[:1] and not origin and not any(_trains(one.source) for one in sets):
            found = []
    if not found:
        _refuse(read)
    return found, read


def _refuse_ray(source: SourceText) -> None:
    """Programs that start their own processes on a cluster of Ray look like ones of Python."""
    for number, line in enumerate(source.text.split("\n"), 1):
        if (found := re.search(OF_RAY, line)) and not _is_comment(line):
            raise ImportRefusedError(f"{found[0]}: {RAY}", Position(source.name, number, found.start() + 1))


def _trains(source: SourceDocument | SourceText) -> bool:
    """Whether one of the commands of an object starts a training, or the sshd of a worker."""
    root = source.root if isinstance(source, SourceDocument) else None
    words = [word for path, node in (root.walk() if root else ()) if {"command", "args"} & set(path)
             and isinstance(node.value, str) for word in node.value.split()]  # fmt: skip
    return rank_words(words) > 0 or any(word.endswith("sshd") for word in words)


CR = "its lines end with a carriage return, with which sbatch and bash do not run it"


def _find_script_origin(source: SourceText) -> str:
    """The origin of a script, "" for a file of YAML."""
    lines = source.text.removeprefix("\ufeff").split("\n")
    first = next((line for line in lines if line.strip() and not _is_comment(line)), "")
    for at, line in enumerate(lines, 1):
        if system := next((name for mark, name in OTHER_SYSTEMS.items() if line.startswith(mark)), ""):
            why = f"dsgen reads no scripts for {system}: {AS_SBATCH}"
            raise ImportRefusedError(why, Position(source.name, at, 1))
    is_named = source.name.endswith((".yaml", ".yml", ".json"))
    if not lines[0].startswith("#!") and (is_named or OF_YAML.match(first.lstrip())):
        return ""
    if lines[0].startswith("#!") and not re.search(r"\b(ba|da|z|k)?sh\b", lines[0]):
        why = f"dsgen reads scripts for bash, and this one begins with {lines[0]}"
        raise ImportRefusedError(why, Position(source.name, 1, 1))
    if lines[0].endswith("\r"):
        raise ImportRefusedError(CR, Position(source.name, 1, 1), r"remove them with sed -i 's/\r$//'")
    _refuse_template(source)
    word = next(iter(PROMPT.sub("", first).split()), "").rpartition("/")[2]
    if word in ORIGINS and ORIGINS[word].form == "line":
        return word
    return "slurm" if any(OF_SLURM.match(line) for line in lines) else "shell"


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _decode(source: SourceText) -> SourceText:
    """A script in UTF-8. Other bytes may be in its comments only, and are replaced there."""
    text = source.text.removeprefix("\ufeff")
    for number, line in enumerate(text.split("\n"), 1):
        if (broken := BROKEN.search(line)) and (not _is_comment(line) or line.startswith("#SBATCH")):
            at = Position(source.name, number, broken.start() + 1)
            raise ImportRefusedError(f"byte 0x{ord(broken[0]) - 0xDC00:02x} is not UTF-8", at, "save the file as UTF-8")
    return SourceText(source.name, BROKEN.sub("\ufffd", text))


def _refuse_template(source: SourceText) -> None:
    for number, line in enumerate(source.text.split("\n"), 1):
        code = line.split(" #")[0]
        match = re.search(r"\{\{-? *[\w.$]+.*?\}\}|<%|\{%-? \w", code)
        if match and TEMPLATE.search(code) and (not line.startswith("#") or line.startswith("#SBATCH")):
            at = Position(source.name, number, match.start() + 1)
            hint = "render it first and pass the result to dsgen import -"
            raise ImportRefusedError("this is a template, which dsgen does not interpret", at, hint)


def _find_objects(document: SourceDocument, around: tuple[SourceDocument, ...], origin: str) -> list[Found]:
    if document.kind in WRAPPED:
        inner = read_items(document, *WRAPPED[document.kind])
        return [one for item in inner for one in _find_objects(item, (*around, document), origin)]
    if origin and ORIGINS[origin].form == "values" and not document.kind:
        return [Found(origin, document, around)]
    names = [origin] if origin else [*ORIGINS]
    return [Found(name, document, around) for name in names if ORIGINS[name].matches(document)][:1]


def _refuse(read: Sequence[SourceDocument]) -> None:
    """Say what a file is that has nothing to convert."""
    for document in read:
        if document.kind in KINDS:
            article = "an" if document.kind[0] in "AEIOX" else "a"
            raise ImportRefusedError(f"this is {article} {document.kind}: {KINDS[document.kind]}", document.position)
    first = read[0]
    if first.kind:
        kinds = ", ".join(dict.fromkeys(f"{one.kind} ({one.group})" if one.group else one.kind for one in read))
        raise ImportRefusedError(f"no object of the file describes a training: {kinds}", first.position)
    keys = _read_keys(first.root)
    if "services" in keys:
        raise ImportRefusedError(f"this is a file of docker compose: {COMPOSE}", first.position)
    if {"workers", "training"} & keys and {"image", "launch", "name"} & keys:
        raise ImportRefusedError(DSGEN, first.position)
    raise ImportRefusedError("dsgen does not know this kind of file", first.position, UNKNOWN_HINT)


def _read_keys(root: Node) -> set[str]:
    return set(root.value) if isinstance(root.value, dict) else set()
