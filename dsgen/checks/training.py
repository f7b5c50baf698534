"""What is trained: program, arguments, environment, files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path as File
from typing import Any

from dsgen.checks.row import Check, Names, Place, found
from dsgen.language.text import to_json
from dsgen.validate import Problem

RESERVED_ENV = "^(DSGEN_.*|RANK|LOCAL_RANK|WORLD_SIZE|MASTER_.*)$"
COMMAND_ENV = "^(NNODES|NODE_RANK|NPROC_PER_NODE|PET_(NNODES|NODE_RANK|NPROC_PER_NODE|MASTER_ADDR|MASTER_PORT))$"
LITERAL_PATH = "^([^$]|[$])*[$]([{(]?)(LD_LIBRARY_PATH|PATH|PYTHONPATH)([^A-Za-z0-9_]([^$]|[$])*)?$"
MAX_BYTES = 1024 * 1024
"""What a ConfigMap holds; the API server counts keys and values."""
SCRIPTS = File(__file__).parent.parent / "scripts"
COMMANDS = '["worker-command", "launcher-command"]'
TUNING = ('training.deepspeed.autotuning != "none"',)
ENVIRONMENT = ("key, value in values.training.env | items",)

ROWS = (
    Check(
        "DS202",
        "training",
        f"not (values.training.python or values.training.module or values.training.exec)"
        f" and not values.launch.method in {COMMANDS}",
        "training: one of python, module and exec must be given",
        "a script: python: train.py; a module: module: team.train; any other program: exec: [bash, -c, ...]",
    ),
    Check(
        "DS203",
        "training",
        "(values.training.python and (values.training.module or values.training.exec)"
        " or values.training.module and values.training.exec)"
        f" and not values.launch.method in {COMMANDS}",
        "training: python, module and exec exclude one another",
        "keep one of them",
        given=("training.module", "training.exec"),
    ),
    Check(
        "DS221",
        "training.deepspeed.configFile",
        "values.training.deepspeed.config",
        "training.deepspeed: config and configFile exclude one another",
        "keep one of them",
        given=("training.deepspeed.configFile",),
    ),
    Check(
        "DS225",
        "training.deepspeed.autotuning",
        "not values.training.deepspeed.passConfig"
        " or not (values.training.deepspeed.config or values.training.deepspeed.configFile)",
        "training.deepspeed.autotuning needs a configuration of DeepSpeed to begin with",
        "give training.deepspeed.config or configFile, and leave passConfig true",
        given=TUNING,
    ),
    Check(
        "DS225",
        "training.deepspeed.configFile",
        'not values.training.deepspeed.configFile is matching("^(.*[.]json.*)?$")',
        "training.deepspeed.configFile: the autotuner finds the configuration by .json in its name, not in"
        " << values.training.deepspeed.configFile | quote >>",
        "rename the file",
        given=TUNING,
    ),
    Check(
        "DS220",
        "training.env.<< key >>",
        f'key is matching("{RESERVED_ENV}")'
        f' or values.launch.method == "worker-command" and key is matching("{COMMAND_ENV}")',
        "training.env: << key | quote >> is set by dsgen or DeepSpeed",
        "choose another name; a program reads it as it is",
        ENVIRONMENT,
        at_key=True,
    ),
    Check(
        "DS222",
        "training.env.<< key >>",
        f'value is string and value is matching("{LITERAL_PATH}")',
        "training.env: << key | quote >> holds a dollar sign and a name, and nothing replaces that with the path of the"
        " image",
        "write it into training.setup, a shell script: export NAME=/more:$NAME",
        ENVIRONMENT,
        severity="warning",
    ),
    Check(
        "DS223",
        "training.envFrom[source].prefix",
        'source.prefix is string and source.prefix is matching("^(DSGEN|MASTER)_.*$")',
        "training.envFrom: variables that begin with << source.prefix | quote >> are set by dsgen or DeepSpeed",
        "choose another prefix",
        ("source in values.training.envFrom",),
    ),
    Check(
        "DS224",
        "training.args[argument]",
        "values.training.deepspeed.passConfig"
        " and (values.training.deepspeed.config or values.training.deepspeed.configFile)"
        ' and argument is matching("^--deepspeed(_config(=.*)?)?$")',
        "training.args: << argument | quote >> is passed from training.deepspeed already",
        "remove it, or set training.deepspeed.passConfig: false",
        ("argument in values.training.args",),
        severity="warning",
    ),
)


def files_size(values: Mapping[str, Any], _: Names, place: Place) -> Iterator[Problem]:
    """What becomes a ConfigMap must fit into one."""
    size = _bytes(values["training"]["files"])
    if size > MAX_BYTES:
        message = f"training.files: all files together have {size} bytes, a ConfigMap holds {MAX_BYTES}"
        yield found("DS253", ("training", "files"), message, "put large files into the image or a volume", place)


def config_size(values: Mapping[str, Any], release: Names, place: Place) -> Iterator[Problem]:
    """The run's other ConfigMap, which holds the scripts too; the largest part is told."""
    sizes = {path: len(text.encode(errors="replace")) for path, text in _config_parts(values).items()}
    sizes["workers", "replicas"] = _hostfile_bytes(values, values["name"] or release["name"])
    total = sum(sizes.values())
    if total <= MAX_BYTES // 2:  # the scripts are much smaller than the rest
        return
    total += sum(script.stat().st_size for script in SCRIPTS.iterdir() if script.is_file())
    if total > MAX_BYTES:
        path = max(sizes, key=lambda path: sizes[path])
        message = (
            f"{'.'.join(path)}: {sizes[path]} bytes, and with the rest and the scripts {total}, are too many for the"
            f" run's ConfigMap, which holds {MAX_BYTES}"
        )
        yield found("DS257", path, message, "put large parts into the image or a volume", place)


def _config_parts(values: Mapping[str, Any]) -> dict[tuple[str, ...], str]:
    training = values["training"]
    return {
        ("training", "setup"): training["setup"],
        ("training", "args"): to_json(training["args"]),
        ("training", "exec"): to_json(training["exec"]),
        ("training", "deepspeed", "config"): to_json(training["deepspeed"]["config"]),
        ("launch", "command"): to_json(values["launch"]["command"]),
        ("code", "git", "knownHosts"): values["code"]["git"]["knownHosts"],
    }


def _hostfile_bytes(values: Mapping[str, Any], job: str) -> int:
    workers = int(values["workers"]["replicas"] + values["launch"]["preflight"]["spares"])
    line = (
        f"{job}-{values['run']['id']}-worker-{workers}.{job}-{values['run']['id']} slots={values['workers']['slots']}\n"
    )
    return workers * len(line)


def _bytes(texts: Mapping[str, str]) -> int:
    return sum(len(name) + len(text.encode(errors="replace")) for name, text in texts.items())


FUNCTIONS = (files_size, config_size)
