"""Commands and arguments: one word for each item, no second launcher, and nothing that only a shell understands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsgen.checks.row import ANY_TEXT, Check, Shared
from dsgen.problems import KeyPath, Severity, path_text

Values = Mapping[str, Any]

LISTS = ("training.exec", "launch.command")
"""The keys that begin with a program."""
PROGRAMS = "python3?|ba?sh|deepspeed|torchrun|accelerate|mpirun|mpiexec"
COMMAND_LINE = (
    f"^(([^ ]*/)?({PROGRAMS}) .*|.*[.]py +.*|.* --?[A-Za-z].*|.* (&&|[|][|]?|>>?|2>&1) .*|[A-Z_][A-Z0-9_]*=[^ ]* .*)$"
)
"""A text that is a command line, not the name of one file."""
STARTERS = "deepspeed|torchrun|accelerate|mpirun|mpiexec|orterun|horovodrun|srun|msrun|composer|colossalai"
STARTS_RANKS = (
    f"^([^ ]*/)?(({STARTERS})( {ANY_TEXT})?|(ba|da)?sh -[a-z]*c +(exec +)?({STARTERS})( {ANY_TEXT})?"
    "|python3? (-u )?-m (torch[.]distributed[.](run|launch)|deepspeed[.]launcher[.]|accelerate[.]commands[.])"
    f"{ANY_TEXT})$"
)
STARTING_MODULE = "^(torch[.]distributed[.](run|launch)|deepspeed[.]launcher[.].*|accelerate[.]commands[.].*)$"
LAUNCHER_OPTION = (
    "^--(num_gpus|num_nodes|hostfile|no_ssh(_check)?|launcher_args|force_multi|enable_each_rank_log|bind_cores_to_rank"
    "|master[-_](addr|port)|nproc[-_]per[-_]node|nnodes|node[-_]rank|rdzv[-_](backend|endpoint|id|conf))(=.*)?$"
)
STARTS_ITSELF = "if not runs_command(values)"

# -- what only a shell understands ------------------------------------------------------------------------------------

SHELL = f"^({ANY_TEXT} )?([^ ]*/)?(ba|da|z|k)?sh ([-+][^ ]* |pipefail )*-[a-z]*c {ANY_TEXT}$"
"""The words of a command that start a shell with a script, joined; SHELL of dsgen/schema/commands.py is the same."""
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
IN_SHELL = "start a shell, for example [bash, -c, '...'], as training.exec or launch.command"


def _suggest_shell(values: Values, path: KeyPath) -> str:
    """The command of this path, as a list with a shell that does what its words mean."""
    from dsgen.schema import commands  # imported late: only problems need it

    if path[0] == "launch":
        return f"set launch.command: {commands.wrap_in_shell(commands.join_script(values['launch']['command'], False))}"
    training = values["training"]
    program, is_argument = _find_program(training), path[1] == "args"
    if not program or commands.is_shell(program):
        return IN_SHELL
    further = _passes_config(training) or bool(training["args"] and not is_argument)
    script = commands.join_script([*program, *(training["args"] if is_argument else ())], further)
    gone = [f"training.{key}" for key in ("python", "module", "args") if is_argument and training[key]]
    removed = f", and remove {' and '.join(gone)}" if gone else ""
    return f"set training.exec: {commands.wrap_in_shell(script)}{removed}"


def _find_program(training: Values) -> list[str]:
    """The program and its first arguments, as the ConfigMap of a run has them."""
    start = [training["pythonCommand"], "-u"]
    if training["python"]:
        return [*start, training["python"]]
    return [*start, "-m", training["module"]] if training["module"] else list(training["exec"])


def _find_value(values: Any, path: KeyPath) -> Any:
    for key in path:
        values = values[key]
    return values


def _passes_config(training: Values) -> bool:
    deepspeed = training["deepspeed"]
    return bool(deepspeed["passConfig"] and (deepspeed["config"] or deepspeed["configFile"]))


def _suggest_list(values: Values, path: KeyPath) -> str:
    """A command line in place of a name, as the list that runs it; empty if the general hint says it as well."""
    from dsgen.schema import commands  # imported late: only problems need it

    key, text = path_text(path[:2]), _find_value(values, path)
    if path[2:]:
        return f"set {key}: {commands.format_command(text)}"
    if not commands.needs_shell(text):
        return ""
    training, is_module = values["training"], path[1] == "module"
    start = [training["pythonCommand"], "-u", *(["-m"] if is_module else [])]
    is_program = not is_module and not commands.split_words(text)[0].endswith(".py")
    script = commands.replace_variables(text if is_program else " ".join([*start, text]))
    if training["args"] or _passes_config(training):
        script = commands.pass_further(script)
    return f"set training.exec: {commands.wrap_in_shell(script)}, and remove {key}"


def _refuse_command_line(path: str, pattern: str, example: str) -> Check:
    return Check(
        id="DS363",
        path=path,
        when=f'values.{path} is matching("{pattern}")',
        message=f"{path} is a whole command line, but dsgen passes it as one name",
        hint=f'set only the name, and put the arguments into training.args: {example}, args: [--epochs, "3"]',
        exact_hint=_suggest_list,
        inside=(f"if values.{path}",),
    )


def _share_in_command(path: str) -> tuple[Shared, ...]:
    """The helper for the rows of both lists that begin with a program."""
    words = "`words`, a command that no shell reads unless it starts one"
    return (Shared(path, 0, "command", words, (("words", f"values.{path}"),)),) if path in LISTS else ()


def _report_syntax(
    path: str, word: str, says: str, severity: Severity, outside: tuple[str, ...], *inside: str
) -> Check:
    """A word of a list that only a shell would understand. says: what it is. outside: the tags around all such rows."""
    return Check(
        id="DS366",
        path=f"{path}[word]",
        when=word,
        message=f"{path}: << word | quote >> {says}, {NO_SHELL}",
        hint=IN_SHELL,
        exact_hint=_suggest_shell,
        inside=(*outside, *inside, f"for word in values.{path}"),
        severity=severity,
        shared=(
            *_share_in_command(path),
            Shared(path, len(outside), "syntax", "the arguments `words`", (("words", f"values.{path}"),)),
        ),
    )


def _make_syntax_rows(path: str) -> tuple[Check, ...]:
    joined = f'values.{path} | join(" ")'
    unread = f'if not {joined} is matching("{SHELL}")'
    outside = (f"if values.{path}", *((STARTS_ITSELF,) if path == "training.args" else (unread,)))
    return (
        _report_syntax(path, f'word is matching("{VARIABLE}")', "contains a variable", "warning", outside),
        _report_syntax(path, f'word is matching("{OPERATOR}")', "is an operator of a shell", "error", outside),
        *(
            _report_syntax(
                path,
                f'word is matching("{one}")',
                "is an operator of a shell",
                "warning",
                outside,
                f'if {joined} is matching("{around}")',
            )
            for one, around in ((JOINS, JOINS_COMMANDS), (REDIRECTS, NAMES_FILE))
        ),
    )


def _refuse_name(path: str, word: str, *inside: str) -> Check:
    """$(NAME) in what a shell reads."""
    return Check(
        id="DS366",
        path=path,
        when=f'word is matching("{PARENTHESES}")',
        message=f"{word}: a shell runs $(NAME) as a command; the value of a variable is $NAME",
        hint="write $NAME or ${NAME}",
        exact_hint=_suggest_variables,
        inside=inside,
        shared=_share_in_command(word),
    )


def _suggest_variables(values: Values, path: KeyPath) -> str:
    """The script with its variables as a shell writes them, or the first of them if it has several lines."""
    from dsgen.schema import commands  # imported late: only problems need it

    if path[2:]:
        words = map(commands.replace_variables, _find_value(values, path[:2]))
        return f"set {path_text(path[:2])}: {commands.format_list(words)}"
    return commands.find_name(values["training"]["setup"])


PASSES_CONFIG = (
    "values.training.deepspeed.passConfig"
    " and (values.training.deepspeed.config or values.training.deepspeed.configFile)"
)


def _suggest_further_words(values: Values, _: KeyPath) -> str:
    """The same shell with "$@" in its script."""
    from dsgen.schema import commands  # imported late: only problems need it

    words = values["training"]["exec"]
    at = next((at for at in range(2, len(words)) if commands.is_shell([*words[:at], "x"])), len(words))
    if len(words) != at + 1:
        return ""
    return f"set training.exec: {commands.format_list([*words[:at], commands.pass_further(words[at]), 'bash'])}"


ROWS = (
    _refuse_command_line("training.python", COMMAND_LINE, "python: train.py"),
    _refuse_command_line("training.module", "^.* .*$", "module: team.train"),
    *(
        Check(
            id="DS363",
            path=f"{path}[word]",
            when=f'word is matching("{COMMAND_LINE}")',
            message=f"{path}: << word | quote >> is a whole command line, but it is the name of one program",
            hint='write each argument as an item of the list, such as [bash, run.sh, --epochs, "3"]',
            exact_hint=_suggest_list,
            inside=(f"if values.{path} | length == 1", f"for word in values.{path}"),
            shared=_share_in_command(path),
        )
        for path in LISTS
    ),
    Check(
        id="DS363",
        path="training.args[argument]",
        when='argument is matching("^--?[A-Za-z][A-Za-z0-9_-]* +[^ ].*$")',
        message="training.args: << argument | quote >> is one argument that contains a space",
        hint="write an option and its value as two items, or with = between them",
        inside=("for argument in values.training.args",),
        severity="warning",
    ),
    Check(
        id="DS364",
        path="training.exec",
        when=f'values.training.exec | join(" ") is matching("{STARTS_RANKS}")',
        message=(
            "training.exec starts a launcher, but launch.method << values.launch.method >> already starts"
            " a process for each slot of a worker"
        ),
        hint=(
            "set training.python, module or exec to the program that each process runs; to run your own launcher, set"
            " launch.method: worker-command and launch.command"
        ),
        inside=("if values.training.exec", STARTS_ITSELF),
    ),
    Check(
        id="DS364",
        path="training.module",
        when=f'values.training.module is matching("{STARTING_MODULE}")',
        message=(
            "training.module is a launcher, but launch.method << values.launch.method >> already starts"
            " a process for each slot of a worker"
        ),
        hint="set training.python or module to the program that each process runs; launch.method selects the launcher",
        inside=("if values.training.module", STARTS_ITSELF),
    ),
    Check(
        id="DS365",
        path="training.args[argument]",
        when=f'argument is matching("{LAUNCHER_OPTION}")',
        message="training.args: << argument | quote >> is an option of a launcher, but is passed to the program",
        hint=(
            "use workers.replicas, workers.slots and launch.masterPort; other options of DeepSpeed's launcher belong in"
            " training.deepspeed.args"
        ),
        inside=("for argument in values.training.args",),
        severity="warning",
    ),
    *(row for path in (*LISTS, "training.args") for row in _make_syntax_rows(path)),
    *(
        Check(
            id="DS366",
            path=path,
            when=f'values.{path} | join(" ") is matching("{STARTS_WITH_SHELL}")',
            message=f"{path} begins with an assignment or a word of the shell, {NO_SHELL}",
            hint=IN_SHELL,
            exact_hint=_suggest_shell,
            inside=(f"if values.{path} | length > 1",),
            shared=_share_in_command(path),
        )
        for path in LISTS
    ),
    *(
        _refuse_name(
            f"{path}[word]",
            path,
            f'if values.{path} | join(" ") is matching("{SHELL}")',
            f"for word in values.{path}",
        )
        for path in LISTS
    ),
    Check(
        id="DS375",
        path="training.exec",
        when=(
            f'words is matching("{SHELL}") and not words is matching("{PASSED_ON}")'
            f' and (values.training.args or {PASSES_CONFIG} and not words is matching("{NAMES_CONFIG}"))'
        ),
        message="training.exec: training.args and the DeepSpeed configuration follow a script that drops them",
        hint='write "$@" after the program in the script, and a name after the script',
        exact_hint=_suggest_further_words,
        inside=("if values.training.exec", STARTS_ITSELF, 'set words = values.training.exec | join(" ")'),
        severity="warning",
    ),
    _refuse_name("training.setup", "training.setup", "if values.training.setup", "set word = values.training.setup"),
)
