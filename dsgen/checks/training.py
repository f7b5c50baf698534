"""What is trained: program, arguments, environment, files."""

from __future__ import annotations

from dsgen.checks.row import Check

RESERVED_ENV = "^(DSGEN_.*|RANK|LOCAL_RANK|WORLD_SIZE|MASTER_.*)$"
COMMAND_ENV = "^(NNODES|NODE_RANK|NPROC_PER_NODE|PET_(NNODES|NODE_RANK|NPROC_PER_NODE|MASTER_ADDR|MASTER_PORT))$"
LITERAL_PATH = "^([^$]|[$])*[$]([{(]?)(LD_LIBRARY_PATH|PATH|PYTHONPATH)([^A-Za-z0-9_]([^$]|[$])*)?$"
TUNING = ('training.deepspeed.autotuning != "none"',)
ENVIRONMENT = ("for key, value in values.training.env | items",)

ROWS = (
    Check(
        "DS202",
        "training",
        "not (values.training.python or values.training.module or values.training.exec) and not runs_command(values)",
        "training: one of python, module and exec must be given",
        "a script: python: train.py; a module: module: team.train; any other program: exec: [bash, -c, ...]",
    ),
    Check(
        "DS203",
        "training",
        "(values.training.python and (values.training.module or values.training.exec)"
        " or values.training.module and values.training.exec)"
        " and not runs_command(values)",
        "training: python, module and exec exclude one another",
        "keep one of them",
        given=("training.module or training.exec",),
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
        "DS286",
        "lifecycle.debug.command",
        "uses_ssh(values) and not values.lifecycle.debug.enabled",
        "lifecycle.debug.command is not run: lifecycle.debug.enabled is false",
        "set lifecycle.debug.enabled: true, or remove the command",
        given=("lifecycle.debug.command",),
        severity="warning",
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
        ("for source in values.training.envFrom",),
    ),
    Check(
        "DS224",
        "training.args[argument]",
        "values.training.deepspeed.passConfig"
        " and (values.training.deepspeed.config or values.training.deepspeed.configFile)"
        ' and argument is matching("^--deepspeed(_config(=.*)?)?$")',
        "training.args: << argument | quote >> is passed from training.deepspeed already",
        "remove it, or set training.deepspeed.passConfig: false",
        ("for argument in values.training.args",),
        severity="warning",
    ),
)
