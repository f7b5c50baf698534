"""The program to train: its command, environment, files, DeepSpeed configuration, and its Git repository."""

from __future__ import annotations

import functools
import posixpath
import re
from typing import Any

from dsgen.checks.rule import ANY_TEXT, CONTAINERS, Problem, Problems, Values, error, warning
from dsgen.generated import helpers
from dsgen.language.functions import REFERENCE, matching, variables
from dsgen.language.text import quote
from dsgen.problems import KeyPath, path_text
from dsgen.schema import commands, look_up

OF_SHELL = re.compile(r"[$][$]|[$]([{]?[A-Z_][A-Z0-9_]+|[(](?:LD_LIBRARY_PATH|PATH|PYTHONPATH)[)])")
"""A variable as only a shell reads it, or one of the image, which the kubelet does not know."""
INSTALLS = (
    f"^({ANY_TEXT}[^!-~])?(((python3? -m )?pip3?|uv pip|conda|mamba|(sudo )?(apt|apt-get|yum|dnf))"
    f" ([^ ]* ){{0,9}}install|git (clone|pull|checkout|fetch)|wget|curl|python3? setup[.]py|make) {ANY_TEXT}$"
)
"""A script with a command that often fails, and without whose result the training is another one."""
CHECKS_FAILURE = f"^{ANY_TEXT}(set -[a-z]*e|set -o errexit|[|][|]){ANY_TEXT}$"
BASH_SECONDS = 5
STDIN = "/dev/stdin"
LINE_OF_BASH = re.compile(rf"^{STDIN}: (line \d+: .*)$")


def passes_config(values: Values) -> bool:
    """Whether dsgen adds the DeepSpeed configuration to the arguments of the program."""
    return bool(helpers.config_way(values))


@error("DS203", "training", hint="keep one of them")
def refuse_several_programs(values: Values) -> Problems:
    given = [key for key in ("python", "module", "exec") if values.training[key]]
    if len(given) > 1 and not helpers.runs_command(values):
        yield Problem("training: python, module and exec are mutually exclusive")


@error("DS221", "training.deepspeed.configFile", hint="keep one of them")
def refuse_two_configurations(values: Values) -> Problems:
    if values.training.deepspeed.configFile and values.training.deepspeed.config:
        yield Problem("training.deepspeed: config and configFile are mutually exclusive")


@error(
    "DS225",
    "training.deepspeed.autotuning",
    hint="set training.deepspeed.config or configFile, and leave passConfig true",
)
def require_configuration_to_tune(values: Values) -> Problems:
    if values.training.deepspeed.autotuning != "none" and not passes_config(values):
        yield Problem("training.deepspeed.autotuning needs a DeepSpeed configuration to start from")


@error("DS225", "training.deepspeed.configFile", hint="rename the file, for example to ds_config.json")
def check_name_of_tuned_file(values: Values) -> Problems:
    file = values.training.deepspeed.configFile
    if values.training.deepspeed.autotuning != "none" and file and ".json" not in file:
        yield Problem(
            "training.deepspeed.configFile: the autotuner needs .json in the name of the file, which"
            f" {quote(file)} does not have"
        )


@warning("DS286", "lifecycle.debug.command", hint="set lifecycle.debug.enabled: true, or remove the command")
def warn_of_unused_debug_command(values: Values) -> Problems:
    if values.lifecycle.debug.command and helpers.uses_ssh(values) and not values.lifecycle.debug.enabled:
        yield Problem("lifecycle.debug.command is not run, because lifecycle.debug.enabled is false")


@warning(
    *("DS222", "training.env.*", "launcher.env.*"),
    hint="write $(NAME) for a variable of training.env, or set it in training.setup, which is a shell script: export"
    " NAME=/more:$NAME",
)
def warn_of_literal_variables(values: Values, path: KeyPath, value: Any) -> Problems:
    names = OF_SHELL.findall(value) if isinstance(value, str) else ()
    if any(name and name[1:-1] not in values.training.env for name in names):
        where = f"{path_text(path[:-1])}: {quote(path[-1])}"
        yield Problem(f"{where} contains the name of a variable after $, which is not expanded")


EARLIER = "write $$(NAME) for these characters themselves; the kubelet replaces $(NAME) if NAME stands before"


@error("DS431", "training.env", "launcher.env", hint=EARLIER)
def refuse_circles(values: Values, path: KeyPath, _: Any) -> Problems:
    own = values[str(path[0])].env
    env = {**values.training.env, **own}
    names, circle = variables(env), []
    waiting = sorted(env.keys() - names)
    while waiting and waiting[0] not in circle:
        circle.append(waiting[0])
        waiting = [name for name in REFERENCE.findall(env[waiting[0]]) if name in env and name not in names]
    for name in sorted({*circle[circle.index(waiting[0]) :]} & own.keys() if waiting else ())[:1]:
        yield Problem(helpers.circle_of_variables(names, name), (*path, name))


@warning("DS431", *(f"{place}.env" for place in CONTAINERS), hint=EARLIER)
def warn_of_later_variables(_: Values, path: KeyPath, container: Any) -> Problems:
    """The list of a container is written as it stands."""
    env = [one for one in container.env or () if isinstance(one.name, str)]
    first = {one.name: number for number, one in reversed([*enumerate(env)])}
    for number, one in enumerate(env):
        needed = REFERENCE.findall(one.value) if isinstance(one.value, str) else ()
        if any(first.get(name, -1) >= number for name in needed):
            message = f"{path_text(path[:2])}: $(NAME) in the value of {quote(one.name)} is kept, because NAME follows"
            yield Problem(message, (*path, number, "value"))


@warning("DS224", "training.args.*")
def warn_of_repeated_configuration(values: Values, _: KeyPath, argument: str) -> Problems:
    if matching(argument, "^--deepspeed(_config)?(=.*)?$") and passes_config(values):
        path = helpers.config_path(values)
        hint = f"remove it and its value, or make {path} its value: then dsgen passes nothing"
        yield Problem(f"training.args: beside {quote(argument)}, dsgen passes {path} of training.deepspeed", hint=hint)


@warning("DS395", "training.setup", hint="write set -e as the first line, or || exit after the command")
def warn_of_unchecked_commands(values: Values) -> Problems:
    setup = values.training.setup
    if setup and matching(setup, INSTALLS) and not matching(setup, CHECKS_FAILURE):
        yield Problem("training.setup: if a command fails, the next one and the training run nevertheless")


@error("DS394", "training.setup", hint="try it with bash -n")
def check_setup_syntax(values: Values) -> Problems:
    """training.setup must be a script for bash, which the pods check in the same way before they source it."""
    setup = values.training.setup
    if setup and (wrong := _find_syntax_error(setup)):
        yield Problem(f"training.setup is not a valid script of bash: {wrong}")


@functools.lru_cache(maxsize=64)
def _find_syntax_error(script: str) -> str:
    """What is wrong with the syntax of a script, such as `line 2: syntax error: unexpected end of file`.

    Empty for a valid script, and on a machine without bash, where the pods are the first to check it. Nothing of the
    script is executed (`bash -n`).
    """
    import shutil  # imported late, as the next: few jobs have such a script
    import subprocess

    program = shutil.which("bash")
    if not program:
        return ""
    command = [program, "--norc", "--noprofile", "-O", "extglob", "-n", STDIN]
    try:
        done = subprocess.run(
            command,
            input=script.encode(errors="replace"),
            capture_output=True,
            timeout=BASH_SECONDS,
            env={"LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = done.stderr.decode(errors="replace").splitlines() if done.returncode else []
    found = LINE_OF_BASH.match(lines[0]) if lines else None
    return found[1] if found else ""


# -- commands ----------------------------------------------------------------------------------------------------------

LISTS = ("training.exec", "launch.command")
"""The keys that begin with a program."""
PROGRAMS = "python3?|ba?sh|deepspeed|torchrun|accelerate|mpirun|mpiexec"
COMMAND_LINE = (
    f"^(([^ ]*/)?({PROGRAMS}) .*|.*[.]py +.*|.* --?[A-Za-z].*|.* (&&|[|][|]?|>>?|2>&1) .*|[A-Z_][A-Z0-9_]*=[^ ]* .*)$"
)
"""A text that is a command line, not the name of one file."""
FRAMEWORKS = "trl|axolotl|tune run|accelerate|composer|colossalai"
STARTERS = f"{FRAMEWORKS}|deepspeed|torchrun|mpirun|mpiexec|orterun|horovodrun|srun|msrun"
STARTS_RANKS = (
    f"^([^ ]*/)?(({STARTERS})( {ANY_TEXT})?"
    "|python3? (-u )?-m (torch[.]distributed[.](run|launch)|deepspeed[.]launcher[.]|accelerate[.]commands[.])"
    f"{ANY_TEXT})$"
)
STARTS_SEVERAL = f"^(([^ ]*/)?llamafactory-cli train {ANY_TEXT}|{STARTS_RANKS[1:-1]})$"
"""The same, with a command that starts torchrun if it sees several GPUs."""
ASKING = (["--help"], ["-h"], ["--version"], ["env"], ["config"])
"""What makes a launcher print something only."""
STARTING_MODULE = "^(torch[.]distributed[.](run|launch)|deepspeed[.]launcher[.].*|accelerate[.]commands[.].*)$"
LAUNCHER_OPTION = (
    "^--(num_gpus|num_nodes|hostfile|no_ssh(_check)?|launcher_args|force_multi|enable_each_rank_log|bind_cores_to_rank"
    "|master[-_](addr|port)|nproc[-_]per[-_]node|nnodes|node[-_]rank|rdzv[-_](backend|endpoint|id|conf))(=.*)?$"
)

# -- what only a shell understands ------------------------------------------------------------------------------------

VARIABLE = f"^{ANY_TEXT}[$][({{]?[A-Z][A-Z0-9_]+{ANY_TEXT}$"
PARENTHESES = f"^{ANY_TEXT}[$][(][A-Z][A-Z0-9_]+[)]{ANY_TEXT}$"
OPERATOR = "^(&&|[|][|]|[|]&|&>.*|[0-9]?>&[0-9-]|[12]>.*)$"
"""A word that no program has as an argument."""
JOINS = "^([|]|[^ ]*;)$"
JOINS_COMMANDS = f"^(({ANY_TEXT} )?([^- ][^ ]* [|;]|[^ ]+;)|[|;]) [A-Za-z./~]{ANY_TEXT}$"
"""`|` or `;`, not as the value of an option, and then the next command; in training.args also as the first word."""
REDIRECTS = "^(<|>>?|>>?[A-Za-z./~].*)$"
NAMES_FILE = f"^({ANY_TEXT} )?((<|>>?) [A-Za-z0-9./~]|>>?[A-Za-z./~]){ANY_TEXT}$"
STARTS_WITH_SHELL = f"^([A-Za-z_][A-Za-z0-9_]*=[^ ]*|cd|source|export|ulimit|eval|exec|set|module|[.]) {ANY_TEXT}$"
"""A command that begins with an assignment, or with a word that is part of the shell."""
PASSED_ON = f"^{ANY_TEXT}[$][{{]?[@*1-9]{ANY_TEXT}$"
NAMES_CONFIG = f"^{ANY_TEXT}(--deepspeed|ds_config){ANY_TEXT}$"
NO_SHELL = "but no shell reads this command"
STARTS_EACH = "already starts a process for each slot of a worker"
IN_SHELL = "start a shell, for example [bash, -c, '...'], as training.exec or launch.command"
ONE_PROGRAM = 'write each argument as an item of the list, such as [bash, run.sh, --epochs, "3"]'


def _suggest_shell(values: Values, path: KeyPath) -> str:
    """The command of this path, as a list with a shell that does what its words mean."""
    if path[0] == "launch":
        return f"set launch.command: {commands.wrap_in_shell(commands.join_script(values.launch.command, False))}"
    training = values.training
    program, is_argument = _find_program(training), path[1] == "args"
    if not program or commands.is_shell(program):
        return IN_SHELL
    further = passes_config(values) or bool(training.args and not is_argument)
    script = commands.join_script([*program, *(training.args if is_argument else ())], further)
    gone = [f"training.{key}" for key in ("python", "module", "args") if is_argument and training[key]]
    removed = f", and remove {' and '.join(gone)}" if gone else ""
    return f"set training.exec: {commands.wrap_in_shell(script)}{removed}"


def _find_program(training: Any) -> list[str]:
    """The program and its first arguments, as the ConfigMap of a run has them."""
    start = [training.pythonCommand, "-u"]
    if training.python:
        return [*start, training.python]
    return [*start, "-m", training.module] if training.module else list(training.exec)


def _suggest_list(values: Values, path: KeyPath) -> str:
    """A command line in place of a name, as the list that runs it; empty if the general hint says it as well."""
    key, text = path_text(path[:2]), look_up(values, path)
    if path[2:]:
        return f"set {key}: {commands.format_command(text)}"
    if not commands.needs_shell(text):
        return ""
    training, is_module = values.training, path[1] == "module"
    start = [training.pythonCommand, "-u", *(["-m"] if is_module else [])]
    is_program = not is_module and not commands.split_words(text)[0].endswith(".py")
    script = commands.replace_variables(text if is_program else " ".join([*start, text]))
    if training.args or passes_config(values):
        script = commands.pass_further(script)
    return f"set training.exec: {commands.wrap_in_shell(script)}, and remove {key}"


def _suggest_variables(values: Values, path: KeyPath) -> str:
    """The script with its variables as a shell writes them, or the first of them if it has several lines."""
    if path[2:]:
        words = map(commands.replace_variables, look_up(values, path[:2]))
        return f"set {path_text(path[:2])}: {commands.format_list(words)}"
    return commands.find_name(values.training.setup)


def _suggest_further_words(values: Values, _: KeyPath) -> str:
    """The same shell with "$@" in its script."""
    words = values.training.exec
    at = next((at for at in range(2, len(words)) if commands.is_shell([*words[:at], "x"])), len(words))
    if len(words) != at + 1:
        return ""
    return f"set training.exec: {commands.format_list([*words[:at], commands.pass_further(words[at]), 'bash'])}"


# -- rules ------------------------------------------------------------------------------------------------------------


NAMES = {"python": (COMMAND_LINE, "python: train.py"), "module": ("^.* .*$", "module: team.train")}
"""Below training: what is more than one name, and an example of one."""


@error("DS363", *(f"training.{key}" for key in NAMES), suggest=_suggest_list)
def refuse_command_line_as_name(_: Values, path: KeyPath, name: str) -> Problems:
    pattern, example = NAMES[str(path[1])]
    if matching(name, pattern):
        hint = f'set only the name, and put the arguments into training.args: {example}, args: [--epochs, "3"]'
        yield Problem(f"{path_text(path)} is a whole command line, but dsgen passes it as one name", hint=hint)


@error("DS363", "training.exec.*", "launch.command.*", hint=ONE_PROGRAM, suggest=_suggest_list)
def refuse_command_line_as_program(values: Values, path: KeyPath, word: str) -> Problems:
    if len(look_up(values, path[:-1])) == 1 and matching(word, COMMAND_LINE):
        yield Problem(
            f"{path_text(path[:-1])}: {quote(word)} is a whole command line, but it is the name of one program"
        )


@warning("DS363", "training.args.*", hint="write an option and its value as two items, or with = between them")
def warn_of_two_words(_: Values, __: KeyPath, argument: str) -> Problems:
    if matching(argument, "^--?[A-Za-z][A-Za-z0-9_-]* +[^ ].*$"):
        yield Problem(f"training.args: {quote(argument)} is one argument that contains a space")


@error(
    "DS364",
    "training.exec",
    hint="set training.python, module (such as trl.scripts.sft, axolotl.cli.train or llamafactory.launcher) or exec to"
    " the program that each process runs; to run your own launcher, set"
    " launch.method: worker-command and launch.command",
)
def refuse_second_launcher(values: Values) -> Problems:
    if not values.training.exec or helpers.runs_command(values):
        return
    starts = STARTS_SEVERAL if values.workers.slots > 1 else STARTS_RANKS
    programs = [words for words in commands.list_programs(values.training.exec) if words[1:2] not in ASKING]
    if any(matching(" ".join(words), starts) for words in programs):
        yield Problem(f"training.exec starts a launcher, but launch.method {values.launch.method} {STARTS_EACH}")


@error(
    "DS364",
    "training.module",
    hint="set training.python or module to the program that each process runs; launch.method selects the launcher",
)
def refuse_launcher_as_module(values: Values) -> Problems:
    if matching(values.training.module, STARTING_MODULE) and not helpers.runs_command(values):
        yield Problem(f"training.module is a launcher, but launch.method {values.launch.method} {STARTS_EACH}")


@warning(
    "DS365",
    "training.args.*",
    hint="use workers.replicas, workers.slots and launch.masterPort; other options of DeepSpeed's launcher belong in"
    " training.deepspeed.args",
)
def warn_of_option_of_launcher(_: Values, __: KeyPath, argument: str) -> Problems:
    if matching(argument, LAUNCHER_OPTION):
        yield Problem(f"training.args: {quote(argument)} is an option of a launcher, but is passed to the program")


@warning("DS366", *LISTS, "training.args", hint=IN_SHELL, suggest=_suggest_shell)
def warn_of_syntax_of_shell(values: Values, path: KeyPath, words: list[str]) -> Problems:
    """Words of a list that only a shell would understand."""
    joined = " ".join(words)
    if not words or (helpers.runs_command(values) if path[1] == "args" else commands.is_shell(words)):
        return
    joins, redirects = matching(joined, JOINS_COMMANDS), matching(joined, NAMES_FILE)
    for number, word in enumerate(words):
        here, where = (*path, number), f"{path_text(path)}: {quote(word)}"
        if matching(word, VARIABLE):
            yield Problem(f"{where} contains a variable, {NO_SHELL}", here)
        if matching(word, OPERATOR):
            yield Problem(f"{where} is an operator of a shell, {NO_SHELL}", here, severity="error")
        if (joins and matching(word, JOINS)) or (redirects and matching(word, REDIRECTS)):
            yield Problem(f"{where} is an operator of a shell, {NO_SHELL}", here)


@error("DS366", *LISTS, hint=IN_SHELL, suggest=_suggest_shell)
def refuse_words_of_shell(_: Values, path: KeyPath, words: list[str]) -> Problems:
    if len(words) > 1 and matching(" ".join(words), STARTS_WITH_SHELL):
        yield Problem(f"{path_text(path)} begins with an assignment or a word of the shell, {NO_SHELL}")


NO_COMMAND = "a shell runs $(NAME) as a command; the value of a variable is $NAME"


@error("DS366", *LISTS, "training.setup", hint="write $NAME or ${NAME}", suggest=_suggest_variables)
def refuse_names_in_parentheses(_: Values, path: KeyPath, given: str | list[str]) -> Problems:
    words = {path: given} if isinstance(given, str) else {(*path, at): word for at, word in enumerate(given)}
    is_read = isinstance(given, str) or (given and commands.is_shell(given))
    for where, word in words.items() if is_read else ():
        if matching(word, PARENTHESES):
            yield Problem(f"{path_text(path)}: {NO_COMMAND}", where)


@warning(
    "DS375",
    "training.exec",
    hint='write "$@" after the program in the script, and a name after the script',
    suggest=_suggest_further_words,
)
def warn_of_dropped_words(values: Values) -> Problems:
    exec_, words = values.training.exec, " ".join(values.training.exec)
    if not exec_ or helpers.runs_command(values) or not commands.is_shell(exec_) or matching(words, PASSED_ON):
        return
    if values.training.args or (passes_config(values) and not matching(words, NAMES_CONFIG)):
        yield Problem("training.exec: training.args and the DeepSpeed configuration follow a script that drops them")


# -- code --------------------------------------------------------------------------------------------------------------

PAGE = "^https?://[^/]+/.+/(tree|blob|commit|src/(branch|tag|commit))/.+$"


@error("DS290", *(f"code.git.{key}" for key in ("revision", "secretName", "knownHosts", "image")))
def require_repository(values: Values, path: KeyPath, value: str) -> Problems:
    if value and not values.code.git.repository:
        key = path_text(path)
        yield Problem(f"{key} is set, but code.git.repository is not", hint=f"set code.git.repository, or remove {key}")


@error(
    "DS295",
    "code.git.repository",
    hint="for example https://example.com/team/cifar.git or git@example.com:team/cifar.git",
)
def check_address(values: Values) -> Problems:
    repository = values.code.git.repository
    is_address = matching(repository, "^(https?|ssh|git)://[^/]+/.+$")
    if repository and not is_address and not matching(repository, "^[^/:]+:([^/].*|/[^/].*)$"):
        # The message omits the address, which may contain a password.
        yield Problem("code.git.repository is not an https, http, ssh or git address")


@error("DS295", "code.git.revision", hint="use a commit id, as git rev-parse HEAD prints it")
def check_revision(values: Values) -> Problems:
    git = values.code.git
    if git.repository and matching(git.revision, "^.*[:*].*$"):
        yield Problem(f"code.git.revision: {quote(git.revision)} is not a commit, branch or tag")


def _suggest_repository(values: Values, _: KeyPath) -> str:
    """The repository of a page, and what the page shows."""
    git = values.code.git
    pattern = r"(https?://[^/]+/.+?)(?:/-)?/(?:tree|blob|commit|src/(?:branch|tag|commit))/([^/]+)(?:/(.*))?"
    page = re.fullmatch(pattern, git.repository)
    if not page:
        return ""
    hint = f"set code.git.repository: {page[1].removesuffix('.git')}.git"
    if not git.revision:
        hint += f", and code.git.revision to the commit of {page[2]}"
    folder = posixpath.join(values.code.mountPath, page[3] or "")
    return f"{hint}; the pods have the page's files in {folder}" if page[3] else hint


@error(
    "DS295",
    "code.git.repository",
    hint="set code.git.repository to the part before it, and code.git.revision to the commit",
    suggest=_suggest_repository,
)
def refuse_page(values: Values) -> Problems:
    if matching(values.code.git.repository, PAGE):
        yield Problem("code.git.repository is the address of a page, not of the repository")


@warning("DS291", "code.git.revision", hint="use the full commit id, as git rev-parse HEAD prints it")
def warn_of_moving_revision(values: Values) -> Problems:
    git = values.code.git
    if git.repository and not matching(git.revision, "^([0-9a-f]{40}|[0-9a-f]{64}|.*[:*].*)$"):
        message = "a branch or tag can move, so the same run id may later mean a different program"
        yield Problem(f"code.git.revision: {message}")


@warning(
    "DS293",
    "code.git.repository",
    hint="add the output of ssh-keyscan after comparing it with the keys that the host publishes, or put known_hosts"
    " into the Secret",
)
def warn_of_unknown_host(values: Values) -> Problems:
    git = values.code.git
    if helpers.git_over_ssh(git.repository) and not git.knownHosts:
        yield Problem("code.git.repository uses ssh, but code.git.knownHosts does not contain the key of the host")


@warning("DS294", "code.git.repository", hint="use an https address")
def warn_of_unencrypted_password(values: Values) -> Problems:
    if matching(values.code.git.repository, "^http://.*$") and values.code.git.secretName:
        yield Problem("code.git.repository: the password would be sent unencrypted")


# Templates refuse these, too: condition and message are their helpers.
error(
    "DS202",
    "training",
    hint="set python: train.py (a script), module: team.train (a module) or exec: [bash, -c, ...] (any program)",
)(helpers.no_program)
error(
    *("DS220", "training.env.*", "launcher.env.*"),
    hint="remove it; your program can read the value that is set",
    at_key=True,
)(lambda values, path, _: helpers.reserved_variable(values, path_text(path[:-1]), str(path[-1])))
error("DS223", "training.envFrom.*.prefix", hint="choose another prefix")(
    lambda _, __, source: helpers.reserved_prefix(source)
)
error(
    "DS292",
    "code.git.repository",
    hint="set code.git.secretName to a Secret with the key ssh-privatekey, or use an https address",
)(helpers.missing_git_key)
