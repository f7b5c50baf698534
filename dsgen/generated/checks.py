"""The rows of the checks: each is a function that yields the paths and messages of its problems. `watch` records
reads of unknown values (dsgen/checks/__init__.py).

Written by `make generate` from dsgen/checks; changes are lost.
"""

from dsgen.generated.helpers import (
    below_1mi,
    first_source,
    git_over_ssh,
    has_volume,
    is_mounted_in,
    is_never_root,
    is_on_volume,
    job_name,
    kueue_queue,
    launcher_bytes,
    memory_bytes,
    namespace,
    quantity_json,
    requested,
    requests_devices,
    reserved_key,
    reserved_path,
    run_id,
    run_name,
    runs_command,
    service_account_name,
    used_in_pod,
    uses_ssh,
    worker_bytes,
    worker_pods,
    world_bytes,
)
from dsgen.language.functions import get, is_mapping, is_string, items, join, matching, starting, whole_bytes
from dsgen.language.text import quote, scalar, to_plain_json


def ds201(values, release, watch):
    """DS201 image.repository"""
    if not values['image']['repository']:
        yield ('image', 'repository'), "image.repository is required"


def ds250(values, release, watch):
    """DS250 image.tag"""
    if (
        values['image']['repository']
        and not values['image']['digest']
        and matching(values['image']['tag'], '^((.*-)?(latest|nightly)|main|master|develop|dev|devel|edge|head|stable)?$')
    ):
        yield ('image', 'tag'), "the image has no fixed version"


def ds250_2(values, release, watch):
    """DS250 code.git.image"""
    if (
        values['code']['git']['repository']
        and (values['code']['git']['image'] and not matching(values['code']['git']['image'], '^.*(@.*|:[^/]*)$') or matching(values['code']['git']['image'], '^.*:latest$'))
    ):
        yield ('code', 'git', 'image'), "code.git.image: the image has no fixed version"


def ds250_3(values, release, watch):
    """DS250 launcher.image"""
    if (
        values['launcher']['image'] and not matching(values['launcher']['image'], '^.*(@.*|:[^/]*)$')
        or matching(values['launcher']['image'], '^.*:latest$')
    ):
        yield ('launcher', 'image'), "launcher.image: the image has no fixed version"


def ds250_4(values, release, watch):
    """DS250 status.image"""
    if (
        values['status']['image'] and not matching(values['status']['image'], '^.*(@.*|:[^/]*)$')
        or matching(values['status']['image'], '^.*:latest$')
    ):
        yield ('status', 'image'), "status.image: the image has no fixed version"


def ds250_5(values, release, watch):
    """DS250 monitoring.tensorboard.image"""
    if (
        values['monitoring']['tensorboard']['enabled']
        and (values['monitoring']['tensorboard']['image'] and not matching(values['monitoring']['tensorboard']['image'], '^.*(@.*|:[^/]*)$') or matching(values['monitoring']['tensorboard']['image'], '^.*:latest$'))
    ):
        yield ('monitoring', 'tensorboard', 'image'), "monitoring.tensorboard.image: the image has no fixed version"


def ds204(values, release, watch):
    """DS204 name"""
    run = run_name(values, release)
    last = '-worker-' + scalar(int(worker_pods(values)) - 1)
    if len(run) + len(last) > 63:
        yield (
            ('name',),
            f"the names of the pods are too long: {quote(run)} has {scalar(len(run))} characters and {last} has {scalar(len(last))}, but together they can have at most 63",
        )


def ds382(values, release, watch):
    """DS382 namespace"""
    if namespace(values, release) in ['kube-system', 'kube-public', 'kube-node-lease']:
        yield ('namespace',), f"{quote(namespace(values, release))} is a namespace of Kubernetes itself"


def ds340(values, release, watch):
    """DS340 name"""
    if values['monitoring']['tensorboard']['enabled']:
        job = job_name(values, release)
        if len(job) > 51:
            yield (
                ('name',),
                f"{quote(job)} has {scalar(len(job))} characters and -tensorboard has 12, but the name of a Service can have at most 63",
            )


def ds343(values, release, watch):
    """DS343 run.id"""
    if values['monitoring']['tensorboard']['enabled'] and run_id(values) == 'tensorboard':
        yield (
            ('run', 'id'),
            "run.id: the Service of the run tensorboard would have the same name as TensorBoard's Service",
        )


def ds205(values, release, watch):
    """DS205 name"""
    job = job_name(values, release)
    if job and not matching(job, '^[a-z]([-a-z0-9]*[a-z0-9])?$'):
        yield ('name',), f"{quote(job)} is not a valid job name"


def ds230(values, release, watch):
    """DS230 labels.<key>"""
    before_key = watch.was_read
    for key, value in items(values['labels']):
        watch.was_read = before_key
        if reserved_key(key):
            yield ('labels', key), f"labels: {quote(key)} is written by dsgen or Kubernetes"


def ds230_2(values, release, watch):
    """DS230 annotations.<key>"""
    before_key = watch.was_read
    for key, value in items(values['annotations']):
        watch.was_read = before_key
        if reserved_key(key):
            yield ('annotations', key), f"annotations: {quote(key)} is written by dsgen or Kubernetes"


def ds230_3(values, release, watch):
    """DS230 <role>.podLabels.<key>"""
    if values['workers']['podLabels'] or values['launcher']['podLabels']:
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_key = watch.was_read
            for key, value in items(values[role]['podLabels']):
                watch.was_read = before_key
                if reserved_key(key):
                    yield (role, 'podLabels', key), f"{role}.podLabels: {quote(key)} is written by dsgen or Kubernetes"


def ds230_4(values, release, watch):
    """DS230 <role>.podAnnotations.<key>"""
    before_role = watch.was_read
    for role in ['workers', 'launcher']:
        watch.was_read = before_role
        before_key = watch.was_read
        for key, value in items(values[role]['podAnnotations']):
            watch.was_read = before_key
            if reserved_key(key):
                yield (
                    (role, 'podAnnotations', key),
                    f"{role}.podAnnotations: {quote(key)} is written by dsgen or Kubernetes",
                )


def ds230_5(values, release, watch):
    """DS230 serviceAccount.annotations.<key>"""
    before_key = watch.was_read
    for key, value in items(values['serviceAccount']['annotations']):
        watch.was_read = before_key
        if reserved_key(key):
            yield (
                ('serviceAccount', 'annotations', key),
                f"serviceAccount.annotations: {quote(key)} is written by dsgen or Kubernetes",
            )


def ds231(values, release, watch):
    """DS231 serviceAccount.annotations.<key>"""
    before_key = watch.was_read
    for key, value in items(values['serviceAccount']['annotations']):
        watch.was_read = before_key
        if key in values['annotations']:
            yield (
                ('serviceAccount', 'annotations', key),
                f"serviceAccount.annotations: {quote(key)} is also in annotations",
            )


def ds202(values, release, watch):
    """DS202 training"""
    if (
        not (values['training']['python'] or values['training']['module'] or values['training']['exec'])
        and not runs_command(values)
    ):
        yield ('training',), "training: one of python, module and exec is required"


def ds203(values, release, watch):
    """DS203 training"""
    if (
        (values['training']['module'] or values['training']['exec'])
        and (values['training']['python'] and (values['training']['module'] or values['training']['exec']) or values['training']['module'] and values['training']['exec'])
        and not runs_command(values)
    ):
        yield ('training',), "training: python, module and exec are mutually exclusive"


def ds221(values, release, watch):
    """DS221 training.deepspeed.configFile"""
    if values['training']['deepspeed']['configFile'] and values['training']['deepspeed']['config']:
        yield (
            ('training', 'deepspeed', 'configFile'),
            "training.deepspeed: config and configFile are mutually exclusive",
        )


def ds225(values, release, watch):
    """DS225 training.deepspeed.autotuning"""
    if (
        values['training']['deepspeed']['autotuning'] != 'none'
        and (not values['training']['deepspeed']['passConfig'] or not (values['training']['deepspeed']['config'] or values['training']['deepspeed']['configFile']))
    ):
        yield (
            ('training', 'deepspeed', 'autotuning'),
            "training.deepspeed.autotuning needs a DeepSpeed configuration to start from",
        )


def ds225_2(values, release, watch):
    """DS225 training.deepspeed.configFile"""
    if (
        values['training']['deepspeed']['autotuning'] != 'none'
        and not matching(values['training']['deepspeed']['configFile'], '^(.*[.]json.*)?$')
    ):
        yield (
            ('training', 'deepspeed', 'configFile'),
            f"training.deepspeed.configFile: the autotuner needs .json in the name of the file, which {quote(values['training']['deepspeed']['configFile'])} does not have",
        )


def ds286(values, release, watch):
    """DS286 lifecycle.debug.command"""
    if values['lifecycle']['debug']['command'] and uses_ssh(values) and not values['lifecycle']['debug']['enabled']:
        yield (
            ('lifecycle', 'debug', 'command'),
            "lifecycle.debug.command is not run, because lifecycle.debug.enabled is false",
        )


def ds220(values, release, watch):
    """DS220 training.env.<key>"""
    before_key = watch.was_read
    for key, value in items(values['training']['env']):
        watch.was_read = before_key
        if (
            matching(key, '^(DSGEN_.*|RANK|LOCAL_RANK|WORLD_SIZE|MASTER_.*)$')
            or values['launch']['method'] == 'worker-command' and matching(key, '^(NNODES|NODE_RANK|NPROC_PER_NODE|PET_(NNODES|NODE_RANK|NPROC_PER_NODE|MASTER_ADDR|MASTER_PORT))$')
        ):
            yield ('training', 'env', key), f"training.env: {quote(key)} is set by dsgen or DeepSpeed"


def ds222(values, release, watch):
    """DS222 training.env.<key>"""
    before_key = watch.was_read
    for key, value in items(values['training']['env']):
        watch.was_read = before_key
        if (
            is_string(value)
            and matching(value, '^([^$]|[$])*[$]([{(]?)(LD_LIBRARY_PATH|PATH|PYTHONPATH)([^A-Za-z0-9_]([^$]|[$])*)?$')
        ):
            yield (
                ('training', 'env', key),
                f"training.env: {quote(key)} contains the name of a variable after $, which is not expanded",
            )


def ds220_2(values, release, watch):
    """DS220 launcher.env.<key>"""
    before_key = watch.was_read
    for key, value in items(values['launcher']['env']):
        watch.was_read = before_key
        if (
            matching(key, '^(DSGEN_.*|RANK|LOCAL_RANK|WORLD_SIZE|MASTER_.*)$')
            or values['launch']['method'] == 'worker-command' and matching(key, '^(NNODES|NODE_RANK|NPROC_PER_NODE|PET_(NNODES|NODE_RANK|NPROC_PER_NODE|MASTER_ADDR|MASTER_PORT))$')
        ):
            yield ('launcher', 'env', key), f"launcher.env: {quote(key)} is set by dsgen or DeepSpeed"


def ds222_2(values, release, watch):
    """DS222 launcher.env.<key>"""
    before_key = watch.was_read
    for key, value in items(values['launcher']['env']):
        watch.was_read = before_key
        if (
            is_string(value)
            and matching(value, '^([^$]|[$])*[$]([{(]?)(LD_LIBRARY_PATH|PATH|PYTHONPATH)([^A-Za-z0-9_]([^$]|[$])*)?$')
        ):
            yield (
                ('launcher', 'env', key),
                f"launcher.env: {quote(key)} contains the name of a variable after $, which is not expanded",
            )


def ds223(values, release, watch):
    """DS223 training.envFrom[source].prefix"""
    before_source = watch.was_read
    for at_source, source in enumerate(values['training']['envFrom']):
        watch.was_read = before_source
        if is_string(source.get('prefix')) and matching(source['prefix'], '^(DSGEN|MASTER)_.*$'):
            yield (
                ('training', 'envFrom', at_source, 'prefix'),
                f"training.envFrom: variables that begin with {quote(source['prefix'])} are set by dsgen or DeepSpeed",
            )


def ds224(values, release, watch):
    """DS224 training.args[argument]"""
    before_argument = watch.was_read
    for at_argument, argument in enumerate(values['training']['args']):
        watch.was_read = before_argument
        if (
            values['training']['deepspeed']['passConfig']
            and (values['training']['deepspeed']['config'] or values['training']['deepspeed']['configFile'])
            and matching(argument, '^--deepspeed(_config(=.*)?)?$')
        ):
            yield (
                ('training', 'args', at_argument),
                f"training.args: dsgen already passes {quote(argument)}, from training.deepspeed",
            )


def ds395(values, release, watch):
    """DS395 training.setup"""
    if values['training']['setup']:
        setup = values['training']['setup']
        if (
            matching(setup, '^(([^$]|[$])*[^!-~])?(((python3? -m )?pip3?|uv pip|conda|mamba|(sudo )?(apt|apt-get|yum|dnf)) ([^ ]* )*install|git (clone|pull|checkout|fetch)|wget|curl|python3? setup[.]py|make) ([^$]|[$])*$')
            and not matching(setup, '^([^$]|[$])*(set -[a-z]*e|set -o errexit|[|][|])([^$]|[$])*$')
        ):
            yield (
                ('training', 'setup'),
                "training.setup: if a command fails, the next one and the training run nevertheless",
            )


def ds363(values, release, watch):
    """DS363 training.python"""
    if (
        values['training']['python']
        and matching(values['training']['python'], '^(([^ ]*/)?(python3?|ba?sh|deepspeed|torchrun|accelerate|mpirun|mpiexec) .*|.*[.]py +.*|.* --?[A-Za-z].*|.* (&&|[|][|]?|>>?|2>&1) .*|[A-Z_][A-Z0-9_]*=[^ ]* .*)$')
    ):
        yield ('training', 'python'), "training.python is a whole command line, but dsgen passes it as one name"


def ds363_2(values, release, watch):
    """DS363 training.module"""
    if values['training']['module'] and matching(values['training']['module'], '^.* .*$'):
        yield ('training', 'module'), "training.module is a whole command line, but dsgen passes it as one name"


def ds363_3(values, release, watch):
    """DS363 training.exec[word]"""
    if len(values['training']['exec']) == 1:
        before_word = watch.was_read
        for at_word, word in enumerate(values['training']['exec']):
            watch.was_read = before_word
            if matching(word, '^(([^ ]*/)?(python3?|ba?sh|deepspeed|torchrun|accelerate|mpirun|mpiexec) .*|.*[.]py +.*|.* --?[A-Za-z].*|.* (&&|[|][|]?|>>?|2>&1) .*|[A-Z_][A-Z0-9_]*=[^ ]* .*)$'):
                yield (
                    ('training', 'exec', at_word),
                    f"training.exec: {quote(word)} is a whole command line, but it is the name of one program",
                )


def ds363_4(values, release, watch):
    """DS363 launch.command[word]"""
    if len(values['launch']['command']) == 1:
        before_word = watch.was_read
        for at_word, word in enumerate(values['launch']['command']):
            watch.was_read = before_word
            if matching(word, '^(([^ ]*/)?(python3?|ba?sh|deepspeed|torchrun|accelerate|mpirun|mpiexec) .*|.*[.]py +.*|.* --?[A-Za-z].*|.* (&&|[|][|]?|>>?|2>&1) .*|[A-Z_][A-Z0-9_]*=[^ ]* .*)$'):
                yield (
                    ('launch', 'command', at_word),
                    f"launch.command: {quote(word)} is a whole command line, but it is the name of one program",
                )


def ds363_5(values, release, watch):
    """DS363 training.args[argument]"""
    before_argument = watch.was_read
    for at_argument, argument in enumerate(values['training']['args']):
        watch.was_read = before_argument
        if matching(argument, '^--?[A-Za-z][A-Za-z0-9_-]* +[^ ].*$'):
            yield (
                ('training', 'args', at_argument),
                f"training.args: {quote(argument)} is one argument that contains a space",
            )


def ds364(values, release, watch):
    """DS364 training.exec"""
    if (
        values['training']['exec']
        and not runs_command(values)
        and matching(join(values['training']['exec'], ' '), '^([^ ]*/)?((deepspeed|torchrun|accelerate|mpirun|mpiexec|orterun|horovodrun|srun|msrun|composer|colossalai)( ([^$]|[$])*)?|(ba|da)?sh -[a-z]*c +(exec +)?(deepspeed|torchrun|accelerate|mpirun|mpiexec|orterun|horovodrun|srun|msrun|composer|colossalai)( ([^$]|[$])*)?|python3? (-u )?-m (torch[.]distributed[.](run|launch)|deepspeed[.]launcher[.]|accelerate[.]commands[.])([^$]|[$])*)$')
    ):
        yield (
            ('training', 'exec'),
            f"training.exec starts a launcher, but launch.method {values['launch']['method']} already starts a process for each slot of a worker",
        )


def ds364_2(values, release, watch):
    """DS364 training.module"""
    if (
        values['training']['module']
        and not runs_command(values)
        and matching(values['training']['module'], '^(torch[.]distributed[.](run|launch)|deepspeed[.]launcher[.].*|accelerate[.]commands[.].*)$')
    ):
        yield (
            ('training', 'module'),
            f"training.module is a launcher, but launch.method {values['launch']['method']} already starts a process for each slot of a worker",
        )


def ds365(values, release, watch):
    """DS365 training.args[argument]"""
    before_argument = watch.was_read
    for at_argument, argument in enumerate(values['training']['args']):
        watch.was_read = before_argument
        if matching(argument, '^--(num_gpus|num_nodes|hostfile|no_ssh(_check)?|launcher_args|force_multi|enable_each_rank_log|bind_cores_to_rank|master[-_](addr|port)|nproc[-_]per[-_]node|nnodes|node[-_]rank|rdzv[-_](backend|endpoint|id|conf))(=.*)?$'):
            yield (
                ('training', 'args', at_argument),
                f"training.args: {quote(argument)} is an option of a launcher, but is passed to the program",
            )


def ds366(values, release, watch):
    """DS366 training.exec[word]"""
    if (
        values['training']['exec']
        and not matching(join(values['training']['exec'], ' '), '^(([^$]|[$])* )?([^ ]*/)?(ba|da|z|k)?sh ([-+][^ ]* |pipefail )*-[a-z]*c ([^$]|[$])*$')
    ):
        before_word = watch.was_read
        for at_word, word in enumerate(values['training']['exec']):
            watch.was_read = before_word
            if matching(word, '^([^$]|[$])*[$][({]?[A-Z][A-Z0-9_]+([^$]|[$])*$'):
                yield (
                    ('training', 'exec', at_word),
                    f"training.exec: {quote(word)} contains a variable, but no shell reads this command",
                )


def ds366_2(values, release, watch):
    """DS366 training.exec[word]"""
    if (
        values['training']['exec']
        and not matching(join(values['training']['exec'], ' '), '^(([^$]|[$])* )?([^ ]*/)?(ba|da|z|k)?sh ([-+][^ ]* |pipefail )*-[a-z]*c ([^$]|[$])*$')
    ):
        before_word = watch.was_read
        for at_word, word in enumerate(values['training']['exec']):
            watch.was_read = before_word
            if matching(word, '^(&&|[|][|]|[|]&|&>.*|[0-9]?>&[0-9-]|[12]>.*)$'):
                yield (
                    ('training', 'exec', at_word),
                    f"training.exec: {quote(word)} is an operator of a shell, but no shell reads this command",
                )


def ds366_3(values, release, watch):
    """DS366 training.exec[word]"""
    if (
        values['training']['exec']
        and not matching(join(values['training']['exec'], ' '), '^(([^$]|[$])* )?([^ ]*/)?(ba|da|z|k)?sh ([-+][^ ]* |pipefail )*-[a-z]*c ([^$]|[$])*$')
        and matching(join(values['training']['exec'], ' '), '^((([^$]|[$])* )?([^- ][^ ]* [|;]|[^ ]+;)|[|;]) [A-Za-z./~]([^$]|[$])*$')
    ):
        before_word = watch.was_read
        for at_word, word in enumerate(values['training']['exec']):
            watch.was_read = before_word
            if matching(word, '^([|]|[^ ]*;)$'):
                yield (
                    ('training', 'exec', at_word),
                    f"training.exec: {quote(word)} is an operator of a shell, but no shell reads this command",
                )


def ds366_4(values, release, watch):
    """DS366 training.exec[word]"""
    if (
        values['training']['exec']
        and not matching(join(values['training']['exec'], ' '), '^(([^$]|[$])* )?([^ ]*/)?(ba|da|z|k)?sh ([-+][^ ]* |pipefail )*-[a-z]*c ([^$]|[$])*$')
        and matching(join(values['training']['exec'], ' '), '^(([^$]|[$])* )?((<|>>?) [A-Za-z0-9./~]|>>?[A-Za-z./~])([^$]|[$])*$')
    ):
        before_word = watch.was_read
        for at_word, word in enumerate(values['training']['exec']):
            watch.was_read = before_word
            if matching(word, '^(<|>>?|>>?[A-Za-z./~].*)$'):
                yield (
                    ('training', 'exec', at_word),
                    f"training.exec: {quote(word)} is an operator of a shell, but no shell reads this command",
                )


def ds366_5(values, release, watch):
    """DS366 launch.command[word]"""
    if (
        values['launch']['command']
        and not matching(join(values['launch']['command'], ' '), '^(([^$]|[$])* )?([^ ]*/)?(ba|da|z|k)?sh ([-+][^ ]* |pipefail )*-[a-z]*c ([^$]|[$])*$')
    ):
        before_word = watch.was_read
        for at_word, word in enumerate(values['launch']['command']):
            watch.was_read = before_word
            if matching(word, '^([^$]|[$])*[$][({]?[A-Z][A-Z0-9_]+([^$]|[$])*$'):
                yield (
                    ('launch', 'command', at_word),
                    f"launch.command: {quote(word)} contains a variable, but no shell reads this command",
                )


def ds366_6(values, release, watch):
    """DS366 launch.command[word]"""
    if (
        values['launch']['command']
        and not matching(join(values['launch']['command'], ' '), '^(([^$]|[$])* )?([^ ]*/)?(ba|da|z|k)?sh ([-+][^ ]* |pipefail )*-[a-z]*c ([^$]|[$])*$')
    ):
        before_word = watch.was_read
        for at_word, word in enumerate(values['launch']['command']):
            watch.was_read = before_word
            if matching(word, '^(&&|[|][|]|[|]&|&>.*|[0-9]?>&[0-9-]|[12]>.*)$'):
                yield (
                    ('launch', 'command', at_word),
                    f"launch.command: {quote(word)} is an operator of a shell, but no shell reads this command",
                )


def ds366_7(values, release, watch):
    """DS366 launch.command[word]"""
    if (
        values['launch']['command']
        and not matching(join(values['launch']['command'], ' '), '^(([^$]|[$])* )?([^ ]*/)?(ba|da|z|k)?sh ([-+][^ ]* |pipefail )*-[a-z]*c ([^$]|[$])*$')
        and matching(join(values['launch']['command'], ' '), '^((([^$]|[$])* )?([^- ][^ ]* [|;]|[^ ]+;)|[|;]) [A-Za-z./~]([^$]|[$])*$')
    ):
        before_word = watch.was_read
        for at_word, word in enumerate(values['launch']['command']):
            watch.was_read = before_word
            if matching(word, '^([|]|[^ ]*;)$'):
                yield (
                    ('launch', 'command', at_word),
                    f"launch.command: {quote(word)} is an operator of a shell, but no shell reads this command",
                )


def ds366_8(values, release, watch):
    """DS366 launch.command[word]"""
    if (
        values['launch']['command']
        and not matching(join(values['launch']['command'], ' '), '^(([^$]|[$])* )?([^ ]*/)?(ba|da|z|k)?sh ([-+][^ ]* |pipefail )*-[a-z]*c ([^$]|[$])*$')
        and matching(join(values['launch']['command'], ' '), '^(([^$]|[$])* )?((<|>>?) [A-Za-z0-9./~]|>>?[A-Za-z./~])([^$]|[$])*$')
    ):
        before_word = watch.was_read
        for at_word, word in enumerate(values['launch']['command']):
            watch.was_read = before_word
            if matching(word, '^(<|>>?|>>?[A-Za-z./~].*)$'):
                yield (
                    ('launch', 'command', at_word),
                    f"launch.command: {quote(word)} is an operator of a shell, but no shell reads this command",
                )


def ds366_9(values, release, watch):
    """DS366 training.args[word]"""
    if values['training']['args'] and not runs_command(values):
        before_word = watch.was_read
        for at_word, word in enumerate(values['training']['args']):
            watch.was_read = before_word
            if matching(word, '^([^$]|[$])*[$][({]?[A-Z][A-Z0-9_]+([^$]|[$])*$'):
                yield (
                    ('training', 'args', at_word),
                    f"training.args: {quote(word)} contains a variable, but no shell reads this command",
                )


def ds366_10(values, release, watch):
    """DS366 training.args[word]"""
    if values['training']['args'] and not runs_command(values):
        before_word = watch.was_read
        for at_word, word in enumerate(values['training']['args']):
            watch.was_read = before_word
            if matching(word, '^(&&|[|][|]|[|]&|&>.*|[0-9]?>&[0-9-]|[12]>.*)$'):
                yield (
                    ('training', 'args', at_word),
                    f"training.args: {quote(word)} is an operator of a shell, but no shell reads this command",
                )


def ds366_11(values, release, watch):
    """DS366 training.args[word]"""
    if (
        values['training']['args']
        and not runs_command(values)
        and matching(join(values['training']['args'], ' '), '^((([^$]|[$])* )?([^- ][^ ]* [|;]|[^ ]+;)|[|;]) [A-Za-z./~]([^$]|[$])*$')
    ):
        before_word = watch.was_read
        for at_word, word in enumerate(values['training']['args']):
            watch.was_read = before_word
            if matching(word, '^([|]|[^ ]*;)$'):
                yield (
                    ('training', 'args', at_word),
                    f"training.args: {quote(word)} is an operator of a shell, but no shell reads this command",
                )


def ds366_12(values, release, watch):
    """DS366 training.args[word]"""
    if (
        values['training']['args']
        and not runs_command(values)
        and matching(join(values['training']['args'], ' '), '^(([^$]|[$])* )?((<|>>?) [A-Za-z0-9./~]|>>?[A-Za-z./~])([^$]|[$])*$')
    ):
        before_word = watch.was_read
        for at_word, word in enumerate(values['training']['args']):
            watch.was_read = before_word
            if matching(word, '^(<|>>?|>>?[A-Za-z./~].*)$'):
                yield (
                    ('training', 'args', at_word),
                    f"training.args: {quote(word)} is an operator of a shell, but no shell reads this command",
                )


def ds366_13(values, release, watch):
    """DS366 training.exec"""
    if (
        len(values['training']['exec']) > 1
        and matching(join(values['training']['exec'], ' '), '^([A-Za-z_][A-Za-z0-9_]*=[^ ]*|cd|source|export|ulimit|eval|exec|set|module|[.]) ([^$]|[$])*$')
    ):
        yield (
            ('training', 'exec'),
            "training.exec begins with an assignment or a word of the shell, but no shell reads this command",
        )


def ds366_14(values, release, watch):
    """DS366 launch.command"""
    if (
        len(values['launch']['command']) > 1
        and matching(join(values['launch']['command'], ' '), '^([A-Za-z_][A-Za-z0-9_]*=[^ ]*|cd|source|export|ulimit|eval|exec|set|module|[.]) ([^$]|[$])*$')
    ):
        yield (
            ('launch', 'command'),
            "launch.command begins with an assignment or a word of the shell, but no shell reads this command",
        )


def ds366_15(values, release, watch):
    """DS366 training.exec[word]"""
    if matching(join(values['training']['exec'], ' '), '^(([^$]|[$])* )?([^ ]*/)?(ba|da|z|k)?sh ([-+][^ ]* |pipefail )*-[a-z]*c ([^$]|[$])*$'):
        before_word = watch.was_read
        for at_word, word in enumerate(values['training']['exec']):
            watch.was_read = before_word
            if matching(word, '^([^$]|[$])*[$][(][A-Z][A-Z0-9_]+[)]([^$]|[$])*$'):
                yield (
                    ('training', 'exec', at_word),
                    "training.exec: a shell runs $(NAME) as a command; the value of a variable is $NAME",
                )


def ds366_16(values, release, watch):
    """DS366 launch.command[word]"""
    if matching(join(values['launch']['command'], ' '), '^(([^$]|[$])* )?([^ ]*/)?(ba|da|z|k)?sh ([-+][^ ]* |pipefail )*-[a-z]*c ([^$]|[$])*$'):
        before_word = watch.was_read
        for at_word, word in enumerate(values['launch']['command']):
            watch.was_read = before_word
            if matching(word, '^([^$]|[$])*[$][(][A-Z][A-Z0-9_]+[)]([^$]|[$])*$'):
                yield (
                    ('launch', 'command', at_word),
                    "launch.command: a shell runs $(NAME) as a command; the value of a variable is $NAME",
                )


def ds375(values, release, watch):
    """DS375 training.exec"""
    if values['training']['exec'] and not runs_command(values):
        words = join(values['training']['exec'], ' ')
        if (
            matching(words, '^(([^$]|[$])* )?([^ ]*/)?(ba|da|z|k)?sh ([-+][^ ]* |pipefail )*-[a-z]*c ([^$]|[$])*$')
            and not matching(words, '^([^$]|[$])*[$][{]?[@*1-9]([^$]|[$])*$')
            and (values['training']['args'] or values['training']['deepspeed']['passConfig'] and (values['training']['deepspeed']['config'] or values['training']['deepspeed']['configFile']) and not matching(words, '^([^$]|[$])*(--deepspeed|ds_config)([^$]|[$])*$'))
        ):
            yield (
                ('training', 'exec'),
                "training.exec: training.args and the DeepSpeed configuration follow a script that drops them",
            )


def ds366_17(values, release, watch):
    """DS366 training.setup"""
    if values['training']['setup']:
        word = values['training']['setup']
        if matching(word, '^([^$]|[$])*[$][(][A-Z][A-Z0-9_]+[)]([^$]|[$])*$'):
            yield (
                ('training', 'setup'),
                "training.setup: a shell runs $(NAME) as a command; the value of a variable is $NAME",
            )


def ds270(values, release, watch):
    """DS270 launch.command"""
    if values['launch']['method'] != 'pdsh' and runs_command(values) and not values['launch']['command']:
        yield ('launch', 'command'), f"launch.command is required with launch.method {values['launch']['method']}"


def ds271(values, release, watch):
    """DS271 launch.command"""
    if values['launch']['command'] and not runs_command(values):
        yield (
            ('launch', 'command'),
            f"launch.command is used only by the methods worker-command and launcher-command, not by launch.method {values['launch']['method']}",
        )


def ds272(values, release, watch):
    """DS272 training.python"""
    if values['launch']['method'] != 'pdsh' and runs_command(values) and values['training']['python']:
        yield (
            ('training', 'python'),
            f"training.python has no effect: launch.method {values['launch']['method']} runs only launch.command",
        )


def ds272_2(values, release, watch):
    """DS272 training.module"""
    if values['launch']['method'] != 'pdsh' and runs_command(values) and values['training']['module']:
        yield (
            ('training', 'module'),
            f"training.module has no effect: launch.method {values['launch']['method']} runs only launch.command",
        )


def ds272_3(values, release, watch):
    """DS272 training.exec"""
    if values['launch']['method'] != 'pdsh' and runs_command(values) and values['training']['exec']:
        yield (
            ('training', 'exec'),
            f"training.exec has no effect: launch.method {values['launch']['method']} runs only launch.command",
        )


def ds272_4(values, release, watch):
    """DS272 training.args"""
    if values['launch']['method'] != 'pdsh' and runs_command(values) and values['training']['args']:
        yield (
            ('training', 'args'),
            f"training.args has no effect: launch.method {values['launch']['method']} runs only launch.command",
        )


def ds272_5(values, release, watch):
    """DS272 training.rankLogs"""
    if values['training']['rankLogs'] and values['launch']['method'] == 'launcher-command':
        yield (
            ('training', 'rankLogs'),
            f"training.rankLogs has no effect: launch.method {values['launch']['method']} runs only launch.command",
        )


def ds271_2(values, release, watch):
    """DS271 launch.mpirunArgs"""
    if values['launch']['mpirunArgs'] and values['launch']['method'] != 'openmpi':
        yield (
            ('launch', 'mpirunArgs'),
            f"launch.mpirunArgs is used only by the method openmpi, not by launch.method {values['launch']['method']}",
        )


def ds371(values, release, watch):
    """DS371 launch.mpirunArgs"""
    if values['launch']['mpirunArgs'] and not matching(join(values['launch']['mpirunArgs'], ' '), '^-([^$]|[$])*$'):
        yield (
            ('launch', 'mpirunArgs'),
            f"launch.mpirunArgs: mpirun would take {quote(join(values['launch']['mpirunArgs'], ' '))} as the program",
        )


def ds371_2(values, release, watch):
    """DS371 launch.mpirunArgs[word]"""
    before_word = watch.was_read
    for at_word, word in enumerate(values['launch']['mpirunArgs']):
        watch.was_read = before_word
        if matching(word, '^--?(n|np|c|N|pernode|npernode|npersocket|H|host|hostfile|machinefile|default-hostfile|rankfile|rf|app)(=.*)?$'):
            yield (
                ('launch', 'mpirunArgs', at_word),
                f"launch.mpirunArgs: {quote(word)}: dsgen sets the number of processes and their workers",
            )


def ds371_3(values, release, watch):
    """DS371 launch.mpirunArgs[word]"""
    before_word = watch.was_read
    for at_word, word in enumerate(values['launch']['mpirunArgs']):
        watch.was_read = before_word
        if matching(word, '^(--?(tag-output|timestamp-output|merge-stderr-to-stdout|output|output-filename|stdin|xml|xml-file)(=.*)?|(orte|prte)_(tag|timestamp|xml)_output)$'):
            yield (
                ('launch', 'mpirunArgs', at_word),
                f"launch.mpirunArgs: {quote(word)}: the launcher reads the output of the ranks",
            )


def ds371_4(values, release, watch):
    """DS371 launch.mpirunArgs[word]"""
    before_word = watch.was_read
    for at_word, word in enumerate(values['launch']['mpirunArgs']):
        watch.was_read = before_word
        if matching(word, '^(plm|plm_rsh_.*|(orte|prte)_(leave_session_attached|keep_fqdn_hostnames))$'):
            yield (
                ('launch', 'mpirunArgs', at_word),
                f"launch.mpirunArgs: {quote(word)}: dsgen sets how mpirun reaches the workers",
            )


def ds371_5(values, release, watch):
    """DS371 launch.mpirunArgs[word]"""
    before_word = watch.was_read
    for at_word, word in enumerate(values['launch']['mpirunArgs']):
        watch.was_read = before_word
        if matching(word, '^--?(h|help|V|version|do-not-launch|daemonize|report-uri|launch-agent|tune|am|(wd|wdir)|path)(=.*)?$'):
            yield (
                ('launch', 'mpirunArgs', at_word),
                f"launch.mpirunArgs: {quote(word)}: the ranks would not start, or would start differently",
            )


def ds273(values, release, watch):
    """DS273 lifecycle.keepWorkers"""
    if values['launch']['method'] != 'pdsh' and not uses_ssh(values) and values['lifecycle']['keepWorkers'] != 'none':
        yield (
            ('lifecycle', 'keepWorkers'),
            f"lifecycle.keepWorkers: with launch.method {values['launch']['method']}, a worker always ends when its program ends",
        )


def ds273_2(values, release, watch):
    """DS273 lifecycle.debug.command"""
    if values['launch']['method'] != 'pdsh' and not uses_ssh(values) and values['lifecycle']['debug']['command']:
        yield (
            ('lifecycle', 'debug', 'command'),
            f"lifecycle.debug.command: with launch.method {values['launch']['method']}, it has no effect",
        )


def ds273_3(values, release, watch):
    """DS273 ssh.port"""
    if values['launch']['method'] != 'pdsh' and not uses_ssh(values) and values['ssh']['port'] != 2222:
        yield ('ssh', 'port'), f"ssh.port: with launch.method {values['launch']['method']}, there is no sshd"


def ds273_4(values, release, watch):
    """DS273 ssh.user"""
    if values['launch']['method'] != 'pdsh' and not uses_ssh(values) and values['ssh']['user']:
        yield ('ssh', 'user'), f"ssh.user: with launch.method {values['launch']['method']}, there is no sshd"


def ds273_5(values, release, watch):
    """DS273 ssh.secret.mode"""
    if values['launch']['method'] != 'pdsh' and not uses_ssh(values) and values['ssh']['secret']['mode'] != 'cluster':
        yield (
            ('ssh', 'secret', 'mode'),
            f"ssh.secret.mode: with launch.method {values['launch']['method']}, no ssh key is used",
        )


def ds274(values, release, watch):
    """DS274 training.deepspeed.autotuning"""
    if values['launch']['method'] != 'pdsh' and values['training']['deepspeed']['autotuning'] != 'none':
        yield (
            ('training', 'deepspeed', 'autotuning'),
            f"training.deepspeed.autotuning: with launch.method {values['launch']['method']}, autotuning does not work",
        )


def ds275(values, release, watch):
    """DS275 training.deepspeed.args"""
    if (
        values['launch']['method'] != 'pdsh'
        and values['launch']['method'] != 'deepspeed-no-ssh'
        and values['training']['deepspeed']['args']
    ):
        yield (
            ('training', 'deepspeed', 'args'),
            f"training.deepspeed.args: with launch.method {values['launch']['method']}, DeepSpeed's launcher is not used",
        )


def ds275_2(values, release, watch):
    """DS275 training.deepspeed.bindCores"""
    if values['launch']['method'] != 'pdsh' and runs_command(values) and values['training']['deepspeed']['bindCores']:
        yield (
            ('training', 'deepspeed', 'bindCores'),
            f"training.deepspeed.bindCores: with launch.method {values['launch']['method']}, dsgen does not start the processes",
        )


def ds276(values, release, watch):
    """DS276 workers.replicas"""
    if (
        (values['workers']['replicas'] > 100 or values['launch']['preflight']['spares'] > 100)
        and values['launch']['method'] == 'pdsh'
        and 4 * int(world_bytes(values, release)) > 3 * (131072 - 2048)
    ):
        yield (
            ('workers', 'replicas'),
            f"workers.replicas: {scalar(int(worker_pods(values)))} workers are too many for pdsh: their names and slots ({scalar(int(world_bytes(values, release)))} bytes, in base64 a third more) and 2048 other bytes do not fit into one argument of 131072 bytes",
        )


def ds350(values, release, watch):
    """DS350 lifecycle.ttlSecondsAfterFinished"""
    if values['lifecycle'].get('ttlSecondsAfterFinished') is not None:
        yield (
            ('lifecycle', 'ttlSecondsAfterFinished'),
            "lifecycle.ttlSecondsAfterFinished: Argo CD and Flux recreate the Jobs that Kubernetes deletes, and show them as out of sync in between",
        )


def ds351(values, release, watch):
    """DS351 lifecycle.restartExitCodes"""
    if values['lifecycle']['restartExitCodes'] and values['lifecycle']['maxRestarts'] == 0:
        yield (
            ('lifecycle', 'restartExitCodes'),
            "lifecycle.restartExitCodes has no effect while lifecycle.maxRestarts is 0",
        )


def ds352(values, release, watch):
    """DS352 lifecycle.progress.checkpointTimeoutSeconds"""
    if (
        values['lifecycle']['progress']['checkpointTimeoutSeconds'] > 0
        and not values['lifecycle']['progress']['checkpointPath']
    ):
        yield (
            ('lifecycle', 'progress', 'checkpointTimeoutSeconds'),
            "lifecycle.progress.checkpointTimeoutSeconds has no effect without lifecycle.progress.checkpointPath",
        )


def ds393(values, release, watch):
    """DS393 launch.command"""
    if values['launch']['method'] == 'worker-command' and int(worker_pods(values)) > 1:
        words = join(values['launch']['command'], ' ')
        if matching(words, '^([^$]|[$])* --standalone( |$)([^$]|[$])*$'):
            yield (
                ('launch', 'command'),
                f"launch.command: {scalar(int(worker_pods(values)))} workers run it, and with --standalone each of them trains alone",
            )


def ds393_2(values, release, watch):
    """DS393 launch.command"""
    if values['launch']['method'] == 'worker-command' and int(worker_pods(values)) > 1:
        words = join(values['launch']['command'], ' ')
        if matching(words, '^([^$]|[$])* --(machine|node)[_-]rank[= ][^$A-Za-z0-9]?[0-9]([^$]|[$])*$'):
            yield (
                ('launch', 'command'),
                f"launch.command: {scalar(int(worker_pods(values)))} workers run it, and all of them would have the same rank",
            )


def ds393_3(values, release, watch):
    """DS393 launch.command"""
    if values['launch']['method'] == 'worker-command' and int(worker_pods(values)) > 1:
        words = join(values['launch']['command'], ' ')
        if matching(words, '^([^$]|[$])* --(main[_-]process[_-]ip|master[_-]addr|rdzv[_-]endpoint)[= ][^$A-Za-z0-9]?[A-Za-z0-9]([^$]|[$])*$'):
            yield (
                ('launch', 'command'),
                f"launch.command: {scalar(int(worker_pods(values)))} workers run it, but its address of the first worker is fixed",
            )


def ds398(values, release, watch):
    """DS398 lifecycle.hangTimeoutSeconds"""
    if values['lifecycle']['hangTimeoutSeconds'] > 0 and values['lifecycle']['hangTimeoutSeconds'] < 60:
        yield (
            ('lifecycle', 'hangTimeoutSeconds'),
            f"lifecycle.hangTimeoutSeconds: a training that prints nothing for {scalar(values['lifecycle']['hangTimeoutSeconds'])} seconds, as while it loads the model, would count as hung",
        )


def ds399(values, release, watch):
    """DS399 lifecycle.keepWorkers"""
    if (
        values['lifecycle']['keepWorkers'] != 'none'
        and values['lifecycle']['keepWorkers'] == 'always'
        and uses_ssh(values)
    ):
        yield (
            ('lifecycle', 'keepWorkers'),
            "lifecycle.keepWorkers: always keeps the workers and their devices also after a success, until somebody deletes the run",
        )


def ds290(values, release, watch):
    """DS290 code.git.revision"""
    if values['code']['git']['revision'] and not values['code']['git']['repository']:
        yield ('code', 'git', 'revision'), "code.git.revision is set, but code.git.repository is not"


def ds290_2(values, release, watch):
    """DS290 code.git.secretName"""
    if values['code']['git']['secretName'] and not values['code']['git']['repository']:
        yield ('code', 'git', 'secretName'), "code.git.secretName is set, but code.git.repository is not"


def ds290_3(values, release, watch):
    """DS290 code.git.knownHosts"""
    if values['code']['git']['knownHosts'] and not values['code']['git']['repository']:
        yield ('code', 'git', 'knownHosts'), "code.git.knownHosts is set, but code.git.repository is not"


def ds290_4(values, release, watch):
    """DS290 code.git.image"""
    if values['code']['git']['image'] and not values['code']['git']['repository']:
        yield ('code', 'git', 'image'), "code.git.image is set, but code.git.repository is not"


def ds295(values, release, watch):
    """DS295 code.git.repository"""
    if (
        values['code']['git']['repository']
        and not matching(values['code']['git']['repository'], '^(https?|ssh|git)://[^/]+/.+$')
        and not matching(values['code']['git']['repository'], '^[^/:]+:([^/].*|/[^/].*)$')
    ):
        yield ('code', 'git', 'repository'), "code.git.repository is not an https, http, ssh or git address"


def ds295_2(values, release, watch):
    """DS295 code.git.revision"""
    if values['code']['git']['repository'] and matching(values['code']['git']['revision'], '^.*[:*].*$'):
        yield (
            ('code', 'git', 'revision'),
            f"code.git.revision: {quote(values['code']['git']['revision'])} is not a commit, branch or tag",
        )


def ds291(values, release, watch):
    """DS291 code.git.revision"""
    if (
        values['code']['git']['repository']
        and not matching(values['code']['git']['revision'], '^([0-9a-f]{40}|[0-9a-f]{64}|.*[:*].*)$')
    ):
        yield (
            ('code', 'git', 'revision'),
            "code.git.revision: a branch or tag can move, so the same run id may later mean a different program",
        )


def ds292(values, release, watch):
    """DS292 code.git.repository"""
    if (
        values['code']['git']['repository']
        and git_over_ssh(values['code']['git']['repository'])
        and not values['code']['git']['secretName']
    ):
        yield ('code', 'git', 'repository'), "code.git.repository uses ssh, which needs a key"


def ds293(values, release, watch):
    """DS293 code.git.repository"""
    if (
        values['code']['git']['repository']
        and git_over_ssh(values['code']['git']['repository'])
        and not values['code']['git']['knownHosts']
    ):
        yield (
            ('code', 'git', 'repository'),
            "code.git.repository uses ssh, but code.git.knownHosts does not contain the key of the host",
        )


def ds294(values, release, watch):
    """DS294 code.git.repository"""
    if (
        values['code']['git']['repository']
        and matching(values['code']['git']['repository'], '^http://.*$')
        and values['code']['git']['secretName']
    ):
        yield ('code', 'git', 'repository'), "code.git.repository: the password would be sent unencrypted"


def ds295_3(values, release, watch):
    """DS295 code.git.repository"""
    if (
        values['code']['git']['repository']
        and matching(values['code']['git']['repository'], '^https?://[^/]+/.+/(tree|blob|commit|src/(branch|tag|commit))/.+$')
    ):
        yield ('code', 'git', 'repository'), "code.git.repository is the address of a page, not of the repository"


def ds248(values, release, watch):
    """DS248 code.git.repository"""
    if (
        values['code']['git']['repository']
        and (matching(values['code']['git']['repository'], '^([A-Za-z+.-]+://)?[^/@]*:[^/@]*@.*$') or matching(values['code']['git']['repository'], '^[Hh][Tt][Tt][Pp][Ss]?://[^/]*@.*$'))
    ):
        yield (
            ('code', 'git', 'repository'),
            "code.git.repository contains a user name or password, and values files are kept in Git",
        )


def ds360(values, release, watch):
    """DS360 code.git.repository"""
    if values['code']['git']['repository'] and matching(values['code']['git']['repository'], '^[^?]*[?].+$'):
        yield (
            ('code', 'git', 'repository'),
            "code.git.repository seems to contain a key after the ?, and values files are kept in Git",
        )


def ds248_2(values, release, watch):
    """DS248 status.webhook.url"""
    if values['status']['webhook']['url'] and matching(values['status']['webhook']['url'], '^[A-Za-z]+://[^/]*@.*$'):
        yield (
            ('status', 'webhook', 'url'),
            "status.webhook.url contains a user name or password, and values files are kept in Git",
        )


def ds360_2(values, release, watch):
    """DS360 status.webhook.url"""
    if (
        values['status']['webhook']['url']
        and (matching(values['status']['webhook']['url'], '^[^?]*[?].+$') or matching(values['status']['webhook']['url'], '^(?i:https?://([^/]*[.])?(hooks[.]slack[.]com|hooks[.]zapier[.]com|maker[.]ifttt[.]com/trigger)/.+)$') or matching(values['status']['webhook']['url'], '^(?i:https?://([^/]*[.])?(discord(app)?[.]com/api/webhooks|api[.]telegram[.]org|chat[.]googleapis[.]com)/.+)$') or matching(values['status']['webhook']['url'], '^(?i:https?://([^/]*[.])?(webhook[.]office[.]com|outlook[.]office(365)?[.]com/webhook)/.+)$') or matching(values['status']['webhook']['url'], '^[A-Za-z]+://[^/]+/.*[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}.*$') or matching(values['status']['webhook']['url'], '^[A-Za-z]+://[^/]+/.*[A-Za-z0-9]{16}.*$') and matching(values['status']['webhook']['url'], '^[A-Za-z]+://[^/]+/.*[0-9].*$'))
    ):
        yield (
            ('status', 'webhook', 'url'),
            "status.webhook.url seems to contain a key, and anyone who can read the values could use it",
        )


def ds369(values, release, watch):
    """DS369 training.env.<key>"""
    before_key = watch.was_read
    for key, value in items(values['training']['env']):
        watch.was_read = before_key
        if (
            is_string(value)
            and (matching(key, '^(.*_)?(API_?KEY|ACCESS_KEY|SECRET(_ACCESS)?_KEY|SECRET|TOKEN|PASSWORD|PASSWD|PRIVATE_KEY|AUTH_TOKEN)$') and matching(value, '^([^$]|[$])*[^ ]([^$]|[$])*$') or matching(value, '^([^$]|[$])*(hf_[A-Za-z0-9]{20,}|gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----)([^$]|[$])*$'))
        ):
            yield (
                ('training', 'env', key),
                f"training.env: the value of {quote(key)} seems to be a secret, and values files are kept in Git",
            )


def ds369_2(values, release, watch):
    """DS369 launcher.env.<key>"""
    before_key = watch.was_read
    for key, value in items(values['launcher']['env']):
        watch.was_read = before_key
        if (
            is_string(value)
            and (matching(key, '^(.*_)?(API_?KEY|ACCESS_KEY|SECRET(_ACCESS)?_KEY|SECRET|TOKEN|PASSWORD|PASSWD|PRIVATE_KEY|AUTH_TOKEN)$') and matching(value, '^([^$]|[$])*[^ ]([^$]|[$])*$') or matching(value, '^([^$]|[$])*(hf_[A-Za-z0-9]{20,}|gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----)([^$]|[$])*$'))
        ):
            yield (
                ('launcher', 'env', key),
                f"launcher.env: the value of {quote(key)} seems to be a secret, and values files are kept in Git",
            )


def ds369_3(values, release, watch):
    """DS369 training.args[word]"""
    before_word = watch.was_read
    for at_word, word in enumerate(values['training']['args']):
        watch.was_read = before_word
        if matching(word, '^([^$]|[$])*(hf_[A-Za-z0-9]{20,}|gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----)([^$]|[$])*$'):
            yield (
                ('training', 'args', at_word),
                "training.args: an item seems to contain a secret, and values files are kept in Git",
            )


def ds369_4(values, release, watch):
    """DS369 training.exec[word]"""
    before_word = watch.was_read
    for at_word, word in enumerate(values['training']['exec']):
        watch.was_read = before_word
        if matching(word, '^([^$]|[$])*(hf_[A-Za-z0-9]{20,}|gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----)([^$]|[$])*$'):
            yield (
                ('training', 'exec', at_word),
                "training.exec: an item seems to contain a secret, and values files are kept in Git",
            )


def ds369_5(values, release, watch):
    """DS369 launch.command[word]"""
    before_word = watch.was_read
    for at_word, word in enumerate(values['launch']['command']):
        watch.was_read = before_word
        if matching(word, '^([^$]|[$])*(hf_[A-Za-z0-9]{20,}|gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----)([^$]|[$])*$'):
            yield (
                ('launch', 'command', at_word),
                "launch.command: an item seems to contain a secret, and values files are kept in Git",
            )


def ds369_6(values, release, watch):
    """DS369 training.files.<name>"""
    before_name = watch.was_read
    for name, word in items(values['training']['files']):
        watch.was_read = before_name
        if matching(word, '^([^$]|[$])*(hf_[A-Za-z0-9]{20,}|gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----)([^$]|[$])*$'):
            yield (
                ('training', 'files', name),
                f"training.files: {quote(name)} seems to contain a secret, and values files are kept in Git",
            )


def ds369_7(values, release, watch):
    """DS369 training.setup"""
    word = values['training']['setup']
    if (
        matching(word, '^([^$]|[$])*(hf_[A-Za-z0-9]{20,}|gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----)([^$]|[$])*$')
        or matching(word, '^([^$]|[$])*[A-Z]_?(API_KEY|ACCESS_KEY|SECRET|TOKEN|PASSWORD)=[^A-Za-z0-9$/({~.<]?[A-Za-z0-9+_-]{8,}([^$]|[$])*$')
    ):
        yield ('training', 'setup'), "training.setup seems to contain a secret, and values files are kept in Git"


def ds361(values, release, watch):
    """DS361 workers.accelerator.count"""
    if (
        not runs_command(values)
        and 'CUDA_VISIBLE_DEVICES' not in values['training']['env']
        and values['workers']['accelerator'].get('count') is not None
        and values['workers']['accelerator']['count'] > values['workers']['slots']
        and (matching(values['workers']['accelerator']['resource'], '^((nvidia|amd)[.]com/gpu|nvidia[.]com/(pgpu|mig-.*)|gpu[.]intel[.]com/.*)$') or matching(values['workers']['accelerator']['resource'], '^(habana[.]ai/gaudi|huawei[.]com/Ascend.*)$'))
    ):
        yield (
            ('workers', 'accelerator', 'count'),
            f"workers.accelerator.count: {scalar(values['workers']['slots'])} of {scalar(values['workers']['accelerator']['count'])} devices would be used, one for each process",
        )


def ds368(values, release, watch):
    """DS368 workers.accelerator.count"""
    if (
        not runs_command(values)
        and values['workers']['accelerator'].get('count') is not None
        and values['workers']['accelerator']['count'] == 0
        and 'DS_ACCELERATOR' not in values['training']['env']
        and not requests_devices(values['workers'])
        and not matching(values['training']['setup'], '^([^$]|[$])*DS_ACCELERATOR([^$]|[$])*$')
    ):
        yield (
            ('workers', 'accelerator', 'count'),
            "workers.accelerator.count is 0, but DeepSpeed may choose GPUs that the image or the node exposes",
        )


def ds206(values, release, watch):
    """DS206 workers.slots"""
    if (
        values['workers']['slots'] > 1
        and values['workers']['accelerator'].get('count') is not None
        and values['workers']['accelerator']['count'] > 0
        and values['workers']['slots'] > values['workers']['accelerator']['count']
        and matching(values['workers']['accelerator']['resource'], '^((nvidia|amd)[.]com/gpu|nvidia[.]com/(pgpu|mig-.*)|gpu[.]intel[.]com/.*)$')
    ):
        yield (
            ('workers', 'slots'),
            f"workers.slots: {scalar(values['workers']['slots'])} processes would share {scalar(values['workers']['accelerator']['count'])} GPUs",
        )


def ds206_2(values, release, watch):
    """DS206 workers.slots"""
    if (
        values['workers']['slots'] > 1
        and values['workers']['accelerator'].get('count') is not None
        and values['workers']['accelerator']['count'] > 0
        and values['workers']['slots'] > values['workers']['accelerator']['count']
        and matching(values['workers']['accelerator']['resource'], '^(habana[.]ai/gaudi|huawei[.]com/Ascend.*)$')
    ):
        yield (
            ('workers', 'slots'),
            f"workers.slots: {scalar(values['workers']['slots'])} processes would share {scalar(values['workers']['accelerator']['count'])} of {quote(values['workers']['accelerator']['resource'])}",
        )


def ds206_3(values, release, watch):
    """DS206 workers.slots"""
    if (
        values['workers']['slots'] > 1
        and values['workers']['accelerator'].get('count') is not None
        and values['workers']['accelerator']['count'] > 0
        and values['workers']['slots'] > values['workers']['accelerator']['count']
        and not matching(values['workers']['accelerator']['resource'], '^((nvidia|amd)[.]com/gpu|nvidia[.]com/(pgpu|mig-.*)|gpu[.]intel[.]com/.*)$')
        and not matching(values['workers']['accelerator']['resource'], '^(habana[.]ai/gaudi|huawei[.]com/Ascend.*)$')
        and not matching(values['workers']['accelerator']['resource'], '^([a-z.]*/neuron.*|.*[.]shared)$')
    ):
        yield (
            ('workers', 'slots'),
            f"workers.slots: {scalar(values['workers']['slots'])} processes would share {scalar(values['workers']['accelerator']['count'])} of {quote(values['workers']['accelerator']['resource'])}",
        )


def ds207(values, release, watch):
    """DS207 workers.slots"""
    if (
        values['workers']['slots'] > 1
        and matching(values['workers']['accelerator']['resource'], '^nvidia[.]com/mig-.*$')
        and (values['workers']['accelerator'].get('count') is None or values['workers']['accelerator']['count'] > 0)
    ):
        yield (
            ('workers', 'slots'),
            f"workers.slots: a process can use only one MIG slice of its pod, so {scalar(values['workers']['slots'])} processes would share it",
        )


def ds209(values, release, watch):
    """DS209 workers.slots"""
    if (
        values['workers']['slots'] > 1
        and matching(values['workers']['accelerator']['resource'], '^.*[.]shared$')
        and (values['workers']['accelerator'].get('count') is None or values['workers']['accelerator']['count'] > 0)
    ):
        yield (
            ('workers', 'slots'),
            f"workers.slots: several shares of {quote(values['workers']['accelerator']['resource'])} may belong to one GPU, which {scalar(values['workers']['slots'])} processes would then share",
        )


def ds208(values, release, watch):
    """DS208 workers.resources.requests.<values.workers.accelerator.resource>"""
    if (
        values['workers']['resources']['requests']
        and values['workers']['accelerator']['resource'] in values['workers']['resources']['requests']
    ):
        yield (
            ('workers', 'resources', 'requests', values['workers']['accelerator']['resource']),
            f"workers.resources.requests: {quote(values['workers']['accelerator']['resource'])} is written by dsgen from workers.accelerator",
        )


def ds208_2(values, release, watch):
    """DS208 workers.resources.limits.<values.workers.accelerator.resource>"""
    if (
        values['workers']['resources']['limits']
        and values['workers']['accelerator']['resource'] in values['workers']['resources']['limits']
    ):
        yield (
            ('workers', 'resources', 'limits', values['workers']['accelerator']['resource']),
            f"workers.resources.limits: {quote(values['workers']['accelerator']['resource'])} is written by dsgen from workers.accelerator",
        )


def ds237(values, release, watch):
    """DS237 workers.spread"""
    if values['workers']['spread'] != 'none' and 'podAntiAffinity' in values['workers']['affinity']:
        yield ('workers', 'spread'), "workers.spread becomes a podAntiAffinity, but workers.affinity already has one"


def ds232(values, release, watch):
    """DS232 <role>.extraPodSpec.<field>"""
    if values['workers']['extraPodSpec'] or values['launcher']['extraPodSpec']:
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_field = watch.was_read
            for field, value in items(values[role]['extraPodSpec']):
                watch.was_read = before_field
                if field in ['activeDeadlineSeconds', 'affinity', 'automountServiceAccountToken', 'containers', 'dnsPolicy', 'enableServiceLinks', 'ephemeralContainers', 'hostNetwork', 'hostname', 'hostnameOverride', 'imagePullSecrets', 'initContainers', 'nodeSelector', 'priorityClassName', 'restartPolicy', 'runtimeClassName', 'schedulerName', 'securityContext', 'serviceAccount', 'serviceAccountName', 'subdomain', 'terminationGracePeriodSeconds', 'tolerations', 'topologySpreadConstraints', 'volumes']:
                    yield (
                        (role, 'extraPodSpec', field),
                        f"{role}.extraPodSpec: {quote(field)} is a field of the pod that dsgen writes",
                    )


def ds233(values, release, watch):
    """DS233 <role>.extraContainerSpec.<field>"""
    if values['workers']['extraContainerSpec'] or values['launcher']['extraContainerSpec']:
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_field = watch.was_read
            for field, value in items(values[role]['extraContainerSpec']):
                watch.was_read = before_field
                if field in ['args', 'command', 'env', 'envFrom', 'image', 'imagePullPolicy', 'name', 'ports', 'readinessProbe', 'resources', 'restartPolicy', 'restartPolicyRules', 'securityContext', 'terminationMessagePath', 'volumeMounts', 'workingDir']:
                    yield (
                        (role, 'extraContainerSpec', field),
                        f"{role}.extraContainerSpec: {quote(field)} is a field of the container that dsgen writes",
                    )


def ds385(values, release, watch):
    """DS385 workers.resources.requests.cpu"""
    if values['workers']['slots'] > 1 and 'cpu' in values['workers']['resources']['requests']:
        cpus = int(requested(values['workers'], 'worker', 'cpu'))
        if cpus < values['workers']['slots']:
            yield (
                ('workers', 'resources', 'requests', 'cpu'),
                f"workers.resources.requests.cpu: a worker has {scalar(values['workers']['slots'])} processes and requests fewer CPUs",
            )


def ds386(values, release, watch):
    """DS386 training.env.CUDA_VISIBLE_DEVICES"""
    if values['workers']['slots'] > 1 and 'CUDA_VISIBLE_DEVICES' in values['training']['env']:
        value = values['training']['env']['CUDA_VISIBLE_DEVICES']
        if (
            is_string(value)
            and (values['workers']['slots'] > 1 and matching(value, '^[^,]*(,[^,]*){0,0}$') or values['workers']['slots'] > 2 and matching(value, '^[^,]*(,[^,]*){0,1}$') or values['workers']['slots'] > 3 and matching(value, '^[^,]*(,[^,]*){0,2}$') or values['workers']['slots'] > 4 and matching(value, '^[^,]*(,[^,]*){0,3}$') or values['workers']['slots'] > 6 and matching(value, '^[^,]*(,[^,]*){0,5}$') or values['workers']['slots'] > 7 and matching(value, '^[^,]*(,[^,]*){0,6}$'))
        ):
            yield (
                ('training', 'env', 'CUDA_VISIBLE_DEVICES'),
                f"training.env.CUDA_VISIBLE_DEVICES: {quote(value)} names fewer devices than the {scalar(values['workers']['slots'])} processes of a worker need",
            )


def ds234(values, release, watch):
    """DS234 <role>.<kind>[container].name"""
    if (
        values['workers']['initContainers']
        or values['workers']['sidecars']
        or values['launcher']['initContainers']
        or values['launcher']['sidecars']
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_kind = watch.was_read
            for kind in ['initContainers', 'sidecars']:
                watch.was_read = before_kind
                before_container = watch.was_read
                for at_container, container in enumerate(values[role][kind]):
                    watch.was_read = before_container
                    if (
                        is_string(container.get('name'))
                        and matching(container['name'], '^(worker|launcher|status|passwd|code|dsgen-.*)$')
                    ):
                        yield (
                            (role, kind, at_container, 'name'),
                            f"{role}.{kind}: {quote(container['name'])} is the name of one of dsgen's containers",
                        )


def ds235(values, release, watch):
    """DS235 <role>.sidecars[container].name"""
    if values['workers']['sidecars'] or values['launcher']['sidecars']:
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_container = watch.was_read
            for at_container, container in enumerate(values[role]['sidecars']):
                watch.was_read = before_container
                before_other = watch.was_read
                for other in values[role]['initContainers']:
                    watch.was_read = before_other
                    if (
                        is_string(container.get('name'))
                        and is_string(other.get('name'))
                        and container['name'] == other['name']
                    ):
                        yield (
                            (role, 'sidecars', at_container, 'name'),
                            f"{role}: two containers have the name {quote(container['name'])}",
                        )


def ds236(values, release, watch):
    """DS236 <role>.<kind>[container].volumeMounts[mount].name"""
    if (
        values['workers']['initContainers']
        or values['workers']['sidecars']
        or values['launcher']['initContainers']
        or values['launcher']['sidecars']
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_kind = watch.was_read
            for kind in ['initContainers', 'sidecars']:
                watch.was_read = before_kind
                before_container = watch.was_read
                for at_container, container in enumerate(values[role][kind]):
                    watch.was_read = before_container
                    before_mount = watch.was_read
                    for at_mount, mount in enumerate(get(container, 'volumeMounts', [])):
                        watch.was_read = before_mount
                        if is_string(mount.get('name')) and mount['name'] not in values['storage']:
                            yield (
                                (role, kind, at_container, 'volumeMounts', at_mount, 'name'),
                                f"{role}.{kind}: {quote(mount['name'])} is not a volume of storage",
                            )


def ds287(values, release, watch):
    """DS287 workers.sharedMemory"""
    if below_1mi(to_plain_json(values['workers']['sharedMemory'])):
        yield (
            ('workers', 'sharedMemory'),
            f"workers.sharedMemory: {to_plain_json(values['workers']['sharedMemory'])} is less than 1Mi, too little to be meant",
        )


def ds287_2(values, release, watch):
    """DS287 <role>.resources.<kind>.<key>"""
    before_role = watch.was_read
    for role in ['workers', 'launcher']:
        watch.was_read = before_role
        before_kind = watch.was_read
        for kind in ['requests', 'limits']:
            watch.was_read = before_kind
            before_key = watch.was_read
            for key, quantity in items(values[role]['resources'][kind]):
                watch.was_read = before_key
                if key in ['memory', 'ephemeral-storage'] and below_1mi(to_plain_json(quantity)):
                    yield (
                        (role, 'resources', kind, key),
                        f"{role}.resources.{kind}.{key}: {to_plain_json(quantity)} is less than 1Mi, too little to be meant",
                    )


def ds287_3(values, release, watch):
    """DS287 monitoring.tensorboard.resources.<kind>.<key>"""
    before_kind = watch.was_read
    for kind in ['requests', 'limits']:
        watch.was_read = before_kind
        before_key = watch.was_read
        for key, quantity in items(values['monitoring']['tensorboard']['resources'][kind]):
            watch.was_read = before_key
            if key in ['memory', 'ephemeral-storage'] and below_1mi(to_plain_json(quantity)):
                yield (
                    ('monitoring', 'tensorboard', 'resources', kind, key),
                    f"monitoring.tensorboard.resources.{kind}.{key}: {to_plain_json(quantity)} is less than 1Mi, too little to be meant",
                )


def ds287_4(values, release, watch):
    """DS287 <role>.<containers>[container].resources.<kind>.<key>"""
    if (
        values['workers']['initContainers']
        or values['workers']['sidecars']
        or values['launcher']['initContainers']
        or values['launcher']['sidecars']
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_containers = watch.was_read
            for containers in ['initContainers', 'sidecars']:
                watch.was_read = before_containers
                before_container = watch.was_read
                for at_container, container in enumerate(values[role][containers]):
                    watch.was_read = before_container
                    before_kind = watch.was_read
                    for kind in ['requests', 'limits']:
                        watch.was_read = before_kind
                        before_key = watch.was_read
                        for key, quantity in items(get(container, 'resources', kind, {})):
                            watch.was_read = before_key
                            if key in ['memory', 'ephemeral-storage'] and below_1mi(to_plain_json(quantity)):
                                yield (
                                    (role, containers, at_container, 'resources', kind, key),
                                    f"{role}.{containers}[container].resources.{kind}.{key}: {to_plain_json(quantity)} is less than 1Mi, too little to be meant",
                                )


def ds287_5(values, release, watch):
    """DS287 <role>.extraPodSpec.resources.<kind>.<key>"""
    if values['workers']['extraPodSpec'] or values['launcher']['extraPodSpec']:
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_kind = watch.was_read
            for kind in ['requests', 'limits']:
                watch.was_read = before_kind
                before_key = watch.was_read
                for key, quantity in items(get(values[role]['extraPodSpec'], 'resources', kind, {})):
                    watch.was_read = before_key
                    if key in ['memory', 'ephemeral-storage'] and below_1mi(to_plain_json(quantity)):
                        yield (
                            (role, 'extraPodSpec', 'resources', kind, key),
                            f"{role}.extraPodSpec.resources.{kind}.{key}: {to_plain_json(quantity)} is less than 1Mi, too little to be meant",
                        )


def ds287_6(values, release, watch):
    """DS287 storage.<name>.create.size"""
    before_name = watch.was_read
    for name, volume in items(values['storage']):
        watch.was_read = before_name
        if volume.get('create') is not None and below_1mi(to_plain_json(volume['create']['size'])):
            yield (
                ('storage', name, 'create', 'size'),
                f"storage.{name}.create.size: {to_plain_json(volume['create']['size'])} is less than 1Mi, too little to be meant",
            )


def ds287_7(values, release, watch):
    """DS287 storage.<name>.emptyDir.sizeLimit"""
    before_name = watch.was_read
    for name, volume in items(values['storage']):
        watch.was_read = before_name
        if volume.get('emptyDir') is not None:
            size = get(volume['emptyDir'], 'sizeLimit', '')
            if below_1mi(to_plain_json(size)):
                yield (
                    ('storage', name, 'emptyDir', 'sizeLimit'),
                    f"storage.{name}.emptyDir.sizeLimit: {to_plain_json(size)} is less than 1Mi, too little to be meant",
                )


def ds287_8(values, release, watch):
    """DS287 storage.<name>.ephemeral.volumeClaimTemplate.spec.resources.requests.storage"""
    before_name = watch.was_read
    for name, volume in items(values['storage']):
        watch.was_read = before_name
        if volume.get('ephemeral') is not None:
            size = get(volume['ephemeral'], 'volumeClaimTemplate', 'spec', 'resources', 'requests', 'storage', '')
            if below_1mi(to_plain_json(size)):
                yield (
                    ('storage', name, 'ephemeral', 'volumeClaimTemplate', 'spec', 'resources', 'requests', 'storage'),
                    f"storage.{name}.ephemeral.volumeClaimTemplate.spec.resources.requests.storage: {to_plain_json(size)} is less than 1Mi, too little to be meant",
                )


def ds279(values, release, watch):
    """DS279 workers.sharedMemory"""
    if values['workers']['resources']['limits']:
        limit = int(memory_bytes(values['workers']['resources']['limits']))
        if limit >= 1048576 and int(whole_bytes(values['workers']['sharedMemory'])) > limit:
            yield (
                ('workers', 'sharedMemory'),
                f"workers.sharedMemory: {quote(values['workers']['sharedMemory'])} is more than the memory limit of the workers, which includes shared memory",
            )


def ds287_9(values, release, watch):
    """DS287 workers.sharedMemory"""
    if matching(values['workers']['sharedMemory'], '^0+([.]0+)?[A-Za-z]*$'):
        yield (
            ('workers', 'sharedMemory'),
            f"workers.sharedMemory: {quote(values['workers']['sharedMemory'])} means no limit to Kubernetes",
        )


def ds277(values, release, watch):
    """DS277 launcher.resources.limits.memory"""
    if values['launcher']['resources']['limits']:
        limit = int(memory_bytes(values['launcher']['resources']['limits']))
        if uses_ssh(values) and limit >= 1048576 and limit < int(launcher_bytes(values)):
            yield (
                ('launcher', 'resources', 'limits', 'memory'),
                f"launcher.resources.limits: the launcher needs 1 GiB, and 1.4 MiB for each of {scalar(int(worker_pods(values)))} workers; {scalar(1024 + 2 * int(worker_pods(values)))}Mi is enough",
            )


def ds278(values, release, watch):
    """DS278 launcher.resources.requests.memory"""
    if values['launcher']['resources']['requests']:
        request = int(requested(values['launcher'], 'launcher', 'memory'))
        if (
            uses_ssh(values)
            and request >= 1048576
            and request < int(launcher_bytes(values))
            and 'memory' not in values['launcher']['resources']['limits']
        ):
            yield (
                ('launcher', 'resources', 'requests', 'memory'),
                f"launcher.resources.requests: the launcher needs 1 GiB, and 1.4 MiB for each of {scalar(int(worker_pods(values)))} workers; {scalar(1024 + 2 * int(worker_pods(values)))}Mi is enough",
            )


def ds383(values, release, watch):
    """DS383 workers.resources.requests.memory"""
    if values['estimate']['model'].get('parameters') is None or not values['training']['deepspeed']['config']:
        memory = int(requested(values['workers'], 'worker', 'memory'))
        needed = int(worker_bytes(values))
        if memory >= 1048576 and memory < needed:
            yield (
                ('workers', 'resources', 'requests', 'memory'),
                f"workers.resources.requests.memory: a worker requests {scalar(memory // 1048576)}Mi, but its processes (workers.slots: {scalar(values['workers']['slots'])}), workers.sharedMemory and what DeepSpeed offloads need {scalar((needed + 1073741823) // 1073741824)}Gi or more",
            )


def ds384(values, release, watch):
    """DS384 workers.sharedMemory"""
    if values['workers']['slots'] > 1:
        shared = int(whole_bytes(values['workers']['sharedMemory']))
        if not values['workers']['sharedMemory'] and not get(values['workers']['extraPodSpec'], 'hostIPC', False):
            yield (
                ('workers', 'sharedMemory'),
                f"workers.sharedMemory: the {scalar(values['workers']['slots'])} processes of a worker share 64Mi, the default of most container runtimes, too little for NCCL and data loaders",
            )


def ds384_2(values, release, watch):
    """DS384 workers.sharedMemory"""
    if values['workers']['slots'] > 1:
        shared = int(whole_bytes(values['workers']['sharedMemory']))
        if shared >= 1048576 and shared < 1073741824 and not get(values['workers']['extraPodSpec'], 'hostIPC', False):
            yield (
                ('workers', 'sharedMemory'),
                f"workers.sharedMemory: the {scalar(values['workers']['slots'])} processes of a worker share {values['workers']['sharedMemory']}, too little for NCCL and data loaders",
            )


def ds376(values, release, watch):
    """DS376 launch.command"""
    if values['training']['deepspeed']['resize']['checkpoint'] and runs_command(values):
        yield (
            ('launch', 'command'),
            "training.deepspeed.resize cannot be used with launch.command: only the command could give its program another configuration",
        )


def ds376_2(values, release, watch):
    """DS376 training.deepspeed.autotuning"""
    if (
        values['training']['deepspeed']['resize']['checkpoint']
        and values['training']['deepspeed']['autotuning'] != 'none'
    ):
        yield (
            ('training', 'deepspeed', 'autotuning'),
            "training.deepspeed.resize cannot be used with autotuning, which starts trainings with other configurations",
        )


def ds376_3(values, release, watch):
    """DS376 training.deepspeed.resize.checkpoint"""
    if (
        values['training']['deepspeed']['resize']['checkpoint']
        and not values['training']['deepspeed']['config']
        and not values['training']['deepspeed']['configFile']
    ):
        yield (
            ('training', 'deepspeed', 'resize', 'checkpoint'),
            "training.deepspeed.resize needs a DeepSpeed configuration, to which it adds checkpoint.load_universal",
        )


def ds376_4(values, release, watch):
    """DS376 training.deepspeed.configFile"""
    if (
        values['training']['deepspeed']['resize']['checkpoint']
        and values['training']['deepspeed']['configFile']
        and not starting(values['training']['deepspeed']['configFile'], '/')
    ):
        yield (
            ('training', 'deepspeed', 'configFile'),
            "training.deepspeed.resize cannot be used with a configFile that is not an absolute path",
        )


def ds376_5(values, release, watch):
    """DS376 training.deepspeed.passConfig"""
    if (
        values['training']['deepspeed']['resize']['checkpoint']
        and not values['training']['deepspeed']['passConfig']
        and (values['training']['deepspeed']['config'] or values['training']['deepspeed']['configFile'])
    ):
        path = values['training']['deepspeed']['configFile'] or '/job/ds_config.json'
        if path not in values['training']['args'] and not runs_command(values):
            yield (
                ('training', 'deepspeed', 'passConfig'),
                f"training.deepspeed.resize cannot be used without passConfig, unless training.args has the path {path}",
            )


def ds376_6(values, release, watch):
    """DS376 training.deepspeed.version"""
    if (
        values['training']['deepspeed']['resize']['checkpoint']
        and matching(values['training']['deepspeed']['version'], '^0[.](1[0-7]|[0-9])([.].*)?$')
    ):
        yield (
            ('training', 'deepspeed', 'version'),
            f"training.deepspeed.resize cannot be used with DeepSpeed {values['training']['deepspeed']['version']}; it needs 0.18 or later",
        )


def ds377(values, release, watch):
    """DS377 storage.<name>"""
    if values['training']['deepspeed']['resize']['checkpoint']:
        folder = values['training']['deepspeed']['resize']['checkpoint']
        before_name = watch.was_read
        for name, volume in items(values['storage']):
            watch.was_read = before_name
            if (
                volume['mountPath']
                and first_source(volume) in ['emptyDir', 'ephemeral']
                and (folder == volume['mountPath'] or starting(folder, volume['mountPath'] + '/'))
            ):
                yield (
                    ('storage', name),
                    f"training.deepspeed.resize.checkpoint is on storage.{name}, of which each worker has its own",
                )


def ds358(values, release, watch):
    """DS358 workers.min"""
    if values['workers']['min'] and values['workers']['min'] > values['workers']['replicas']:
        yield (
            ('workers', 'min'),
            f"workers.min ({scalar(values['workers']['min'])}) is more than workers.replicas ({scalar(values['workers']['replicas'])})",
        )


def ds358_2(values, release, watch):
    """DS358 workers.min"""
    if values['workers']['min'] and not values['training']['deepspeed']['resize']['checkpoint']:
        yield (
            ('workers', 'min'),
            "workers.min needs training.deepspeed.resize.checkpoint: without it, fewer workers cannot continue",
        )


def ds358_3(values, release, watch):
    """DS358 workers.min"""
    if values['workers']['min'] and values['launch']['method'] not in ['pdsh', 'openmpi']:
        yield (
            ('workers', 'min'),
            f"workers.min cannot be used with launch.method {values['launch']['method']}: its number of workers is fixed for the whole run",
        )


def ds358_4(values, release, watch):
    """DS358 lifecycle.resizeAfterSeconds"""
    if (
        values['workers']['min']
        and values['lifecycle']['resizeAfterSeconds'] >= values['lifecycle']['startTimeoutSeconds']
    ):
        yield (
            ('lifecycle', 'resizeAfterSeconds'),
            f"lifecycle.resizeAfterSeconds ({scalar(values['lifecycle']['resizeAfterSeconds'])}) must be less than lifecycle.startTimeoutSeconds ({scalar(values['lifecycle']['startTimeoutSeconds'])}), after which the run fails",
        )


def ds362(values, release, watch):
    """DS362 storage.<name>"""
    before_name = watch.was_read
    for name, volume in items(values['storage']):
        watch.was_read = before_name
        if (
            not volume['mountPath']
            and not used_in_pod(values['workers'], name)
            and not used_in_pod(values['launcher'], name)
        ):
            yield ('storage', name), f"storage.{name} has no mountPath, and no init container or sidecar mounts it"


def ds373(values, release, watch):
    """DS373 storage.<name>"""
    before_name = watch.was_read
    for name, volume in items(values['storage']):
        watch.was_read = before_name
        if matching(name, '^dsgen-([^$]|[$])*$'):
            yield (
                ('storage', name),
                f"storage: {quote(name)}: names that begin with dsgen- are reserved for dsgen's own volumes",
            )


def ds210(values, release, watch):
    """DS210 storage.<name>"""
    before_name = watch.was_read
    for name, volume in items(values['storage']):
        watch.was_read = before_name
        if not first_source(volume):
            yield ('storage', name), f"storage.{name}: the volume has no source"


def ds212(values, release, watch):
    """DS212 storage.<name>.mountPath"""
    before_name = watch.was_read
    for name, volume in items(values['storage']):
        watch.was_read = before_name
        if reserved_path(volume['mountPath']):
            yield (
                ('storage', name, 'mountPath'),
                f"storage.{name}.mountPath: {quote(volume['mountPath'])} is reserved for files of dsgen or the system",
            )


def ds251(values, release, watch):
    """DS251 storage.<name>.mountPath"""
    before_name = watch.was_read
    for name, volume in items(values['storage']):
        watch.was_read = before_name
        before_other = watch.was_read
        for other, another in items(values['storage']):
            watch.was_read = before_other
            if (
                other < name
                and volume['mountPath']
                and volume['mountPath'] == another['mountPath']
                and (is_mounted_in(values, volume, 'workers') and is_mounted_in(values, another, 'workers') or is_mounted_in(values, volume, 'launcher') and is_mounted_in(values, another, 'launcher'))
            ):
                yield (
                    ('storage', name, 'mountPath'),
                    f"storage.{name}: storage.{other} is also mounted at {quote(volume['mountPath'])}",
                )


def ds251_2(values, release, watch):
    """DS251 storage.<name>.mountPath"""
    if values['code']['git']['repository']:
        before_name = watch.was_read
        for name, volume in items(values['storage']):
            watch.was_read = before_name
            if volume['mountPath'] == values['code']['mountPath']:
                yield (
                    ('storage', name, 'mountPath'),
                    f"storage.{name}: code is also mounted at {quote(volume['mountPath'])}",
                )


def ds213(values, release, watch):
    """DS213 storage.<name>.mountPath"""
    before_name = watch.was_read
    for name, volume in items(values['storage']):
        watch.was_read = before_name
        if matching(volume['mountPath'], '^/dev/shm(/.*)?$'):
            yield ('storage', name, 'mountPath'), f"storage.{name}.mountPath: /dev/shm is the shared memory of the pod"


def ds214(values, release, watch):
    """DS214 storage.<name>.subPath"""
    before_name = watch.was_read
    for name, volume in items(values['storage']):
        watch.was_read = before_name
        if matching(volume['subPath'], '^(.*/)?[.][.](/.*)?$'):
            yield (
                ('storage', name, 'subPath'),
                f"storage.{name}.subPath: {quote(volume['subPath'])} leaves the volume, which Kubernetes refuses",
            )


def ds215(values, release, watch):
    """DS215 storage.<name>.create.accessModes"""
    before_name = watch.was_read
    for name, volume in items(values['storage']):
        watch.was_read = before_name
        if (
            volume.get('create') is not None
            and 'ReadWriteOnce' in volume['create']['accessModes']
            and 'ReadWriteMany' not in volume['create']['accessModes']
            and 'ReadOnlyMany' not in volume['create']['accessModes']
            and volume['mountIn'] != 'launcher'
            and int(worker_pods(values)) > 1
        ):
            yield (
                ('storage', name, 'create', 'accessModes'),
                f"storage.{name}: a ReadWriteOnce volume can be attached to one node only, but {scalar(int(worker_pods(values)))} workers mount it",
            )


def ds216(values, release, watch):
    """DS216 storage.<name>.create.accessModes"""
    before_name = watch.was_read
    for name, volume in items(values['storage']):
        watch.was_read = before_name
        if (
            volume.get('create') is not None
            and 'ReadWriteOncePod' in volume['create']['accessModes']
            and (is_mounted_in(values, volume, 'workers') and is_mounted_in(values, volume, 'launcher') or volume['mountIn'] != 'launcher' and int(worker_pods(values)) > 1)
        ):
            yield (
                ('storage', name, 'create', 'accessModes'),
                f"storage.{name}: a ReadWriteOncePod volume can be used by one pod only, but several pods mount it",
            )


def ds218(values, release, watch):
    """DS218 storage.<name>.create.accessModes"""
    before_name = watch.was_read
    for name, volume in items(values['storage']):
        watch.was_read = before_name
        if (
            volume.get('create') is not None
            and 'ReadWriteOncePod' in volume['create']['accessModes']
            and len(volume['create']['accessModes']) > 1
        ):
            yield (
                ('storage', name, 'create', 'accessModes'),
                f"storage.{name}: ReadWriteOncePod cannot be combined with other access modes",
            )


def ds219(values, release, watch):
    """DS219 storage.<name>.create.size"""
    before_name = watch.was_read
    for name, volume in items(values['storage']):
        watch.was_read = before_name
        if (
            volume.get('create') is not None
            and matching(quantity_json(volume['create']['size']), '^[^0-9]?0+([.]0+)?[A-Za-z]*[^0-9A-Za-z.]?$')
        ):
            yield (
                ('storage', name, 'create', 'size'),
                f"storage.{name}.create.size: Kubernetes refuses a claim of size 0",
            )


def ds217(values, release, watch):
    """DS217 storage.<name>.create.storageClass"""
    before_name = watch.was_read
    for name, volume in items(values['storage']):
        watch.was_read = before_name
        if (
            volume.get('create') is not None
            and not volume['create']['persistentVolume']
            and volume['create'].get('storageClass') is not None
            and volume['create']['storageClass'] == ''
        ):
            yield (
                ('storage', name, 'create', 'storageClass'),
                f"storage.{name}.create: with storageClass: \"\" nothing provisions the volume; the claim waits for a matching PersistentVolume",
            )


def ds211(values, release, watch):
    """DS211 storage.<name>.<source>"""
    before_name = watch.was_read
    for name, volume in items(values['storage']):
        watch.was_read = before_name
        before_source = watch.was_read
        for source in ['create', 'nfs', 'hostPath', 'emptyDir', 'ephemeral', 'csi', 'configMap', 'secret', 'projected']:
            watch.was_read = before_source
            if source in volume and source != first_source(volume):
                yield (
                    ('storage', name, source),
                    f"storage.{name}: {first_source(volume)} and {source} are mutually exclusive",
                )


def ds212_2(values, release, watch):
    """DS212 code.mountPath"""
    if (
        values['code']['git']['repository']
        and (reserved_path(values['code']['mountPath']) or matching(values['code']['mountPath'], '^/dev/shm(/.*)?$'))
    ):
        yield (
            ('code', 'mountPath'),
            f"code.mountPath: {quote(values['code']['mountPath'])} is reserved for files of dsgen or the system",
        )


def ds387(values, release, watch):
    """DS387 training.rankLogs"""
    if (
        values['training']['rankLogs']
        and matching(values['training']['rankLogs'], '^/[^/].*$')
        and not is_on_volume(values, values['training']['rankLogs'], 'any')
    ):
        yield (
            ('training', 'rankLogs'),
            f"training.rankLogs: {quote(values['training']['rankLogs'])} is on no volume of storage, so its files fill the disk of the node and are lost with the pod",
        )


def ds388(values, release, watch):
    """DS388 training.rankLogs"""
    if (
        values['training']['rankLogs']
        and matching(values['training']['rankLogs'], '^/[^/].*$')
        and is_on_volume(values, values['training']['rankLogs'], 'any')
        and not is_on_volume(values, values['training']['rankLogs'], 'writable')
    ):
        yield (
            ('training', 'rankLogs'),
            f"training.rankLogs: {quote(values['training']['rankLogs'])} is on a volume that is mounted read-only",
        )


def ds387_2(values, release, watch):
    """DS387 lifecycle.progress.checkpointPath"""
    if (
        values['lifecycle']['progress']['checkpointPath']
        and matching(values['lifecycle']['progress']['checkpointPath'], '^/[^/].*$')
        and not is_on_volume(values, values['lifecycle']['progress']['checkpointPath'], 'any')
    ):
        yield (
            ('lifecycle', 'progress', 'checkpointPath'),
            f"lifecycle.progress.checkpointPath: {quote(values['lifecycle']['progress']['checkpointPath'])} is on no volume of storage, so its files fill the disk of the node and are lost with the pod",
        )


def ds388_2(values, release, watch):
    """DS388 lifecycle.progress.checkpointPath"""
    if (
        values['lifecycle']['progress']['checkpointPath']
        and matching(values['lifecycle']['progress']['checkpointPath'], '^/[^/].*$')
        and is_on_volume(values, values['lifecycle']['progress']['checkpointPath'], 'any')
        and not is_on_volume(values, values['lifecycle']['progress']['checkpointPath'], 'writable')
    ):
        yield (
            ('lifecycle', 'progress', 'checkpointPath'),
            f"lifecycle.progress.checkpointPath: {quote(values['lifecycle']['progress']['checkpointPath'])} is on a volume that is mounted read-only",
        )


def ds387_3(values, release, watch):
    """DS387 training.deepspeed.resize.checkpoint"""
    if (
        values['training']['deepspeed']['resize']['checkpoint']
        and matching(values['training']['deepspeed']['resize']['checkpoint'], '^/[^/].*$')
        and not is_on_volume(values, values['training']['deepspeed']['resize']['checkpoint'], 'any')
    ):
        yield (
            ('training', 'deepspeed', 'resize', 'checkpoint'),
            f"training.deepspeed.resize.checkpoint: {quote(values['training']['deepspeed']['resize']['checkpoint'])} is on no volume of storage, so its files fill the disk of the node and are lost with the pod",
        )


def ds388_3(values, release, watch):
    """DS388 training.deepspeed.resize.checkpoint"""
    if (
        values['training']['deepspeed']['resize']['checkpoint']
        and matching(values['training']['deepspeed']['resize']['checkpoint'], '^/[^/].*$')
        and is_on_volume(values, values['training']['deepspeed']['resize']['checkpoint'], 'any')
        and not is_on_volume(values, values['training']['deepspeed']['resize']['checkpoint'], 'writable')
    ):
        yield (
            ('training', 'deepspeed', 'resize', 'checkpoint'),
            f"training.deepspeed.resize.checkpoint: {quote(values['training']['deepspeed']['resize']['checkpoint'])} is on a volume that is mounted read-only",
        )


def ds387_4(values, release, watch):
    """DS387 training.deepspeed.config.zero_optimization.<part>.nvme_path"""
    if values['training']['deepspeed']['config']:
        zero = get(values['training']['deepspeed']['config'], 'zero_optimization', {})
        if is_mapping(zero):
            before_part = watch.was_read
            for part in ['offload_optimizer', 'offload_param']:
                watch.was_read = before_part
                offload = get(zero, part, {})
                if is_mapping(offload):
                    device = get(offload, 'device', '')
                    if is_string(device) and device == 'nvme':
                        path = get(offload, 'nvme_path', '')
                        if is_string(path) and matching(path, '^/[^/].*$') and not is_on_volume(values, path, 'any'):
                            yield (
                                ('training', 'deepspeed', 'config', 'zero_optimization', part, 'nvme_path'),
                                f"training.deepspeed.config.zero_optimization.{part}.nvme_path: {quote(path)} is on no volume of storage, so its files fill the disk of the node and are lost with the pod",
                            )


def ds388_4(values, release, watch):
    """DS388 training.deepspeed.config.zero_optimization.<part>.nvme_path"""
    if values['training']['deepspeed']['config']:
        zero = get(values['training']['deepspeed']['config'], 'zero_optimization', {})
        if is_mapping(zero):
            before_part = watch.was_read
            for part in ['offload_optimizer', 'offload_param']:
                watch.was_read = before_part
                offload = get(zero, part, {})
                if is_mapping(offload):
                    device = get(offload, 'device', '')
                    if is_string(device) and device == 'nvme':
                        path = get(offload, 'nvme_path', '')
                        if (
                            is_string(path)
                            and matching(path, '^/[^/].*$')
                            and is_on_volume(values, path, 'any')
                            and not is_on_volume(values, path, 'writable')
                        ):
                            yield (
                                ('training', 'deepspeed', 'config', 'zero_optimization', part, 'nvme_path'),
                                f"training.deepspeed.config.zero_optimization.{part}.nvme_path: {quote(path)} is on a volume that is mounted read-only",
                            )


def ds389(values, release, watch):
    """DS389 lifecycle.progress.checkpointPath"""
    if (
        values['lifecycle']['progress']['checkpointPath']
        and matching(values['lifecycle']['progress']['checkpointPath'], '^/[^/].*$')
        and int(worker_pods(values)) > 1
        and is_on_volume(values, values['lifecycle']['progress']['checkpointPath'], 'any')
        and not is_on_volume(values, values['lifecycle']['progress']['checkpointPath'], 'kept')
    ):
        yield (
            ('lifecycle', 'progress', 'checkpointPath'),
            f"lifecycle.progress.checkpointPath: {quote(values['lifecycle']['progress']['checkpointPath'])} is on a volume that each worker has for itself and loses with its pod",
        )


def ds389_2(values, release, watch):
    """DS389 training.deepspeed.config.checkpoint.use_node_local_storage"""
    if values['training']['deepspeed']['config']:
        checkpoint = get(values['training']['deepspeed']['config'], 'checkpoint', {})
        if int(worker_pods(values)) > 1 and is_mapping(checkpoint) and checkpoint.get('use_node_local_storage'):
            yield (
                ('training', 'deepspeed', 'config', 'checkpoint', 'use_node_local_storage'),
                "training.deepspeed.config: with use_node_local_storage, each worker needs its own part of a checkpoint, and may start on another node next time",
            )


def ds409(values, release, watch):
    """DS409 estimate.checkpoints.volume"""
    if (
        values['estimate']['checkpoints']['volume']
        and values['estimate']['checkpoints']['volume'] not in values['storage']
    ):
        yield (
            ('estimate', 'checkpoints', 'volume'),
            f"estimate.checkpoints.volume: storage has no volume {quote(values['estimate']['checkpoints']['volume'])}",
        )


def ds240(values, release, watch):
    """DS240 ssh.secret.name"""
    if values['ssh']['secret']['name'] and values['ssh']['secret']['mode'] != 'existing':
        yield ('ssh', 'secret', 'name'), "ssh.secret.name is used only with ssh.secret.mode: existing"


def ds241(values, release, watch):
    """DS241 ssh.secret.name"""
    if (
        values['ssh']['secret']['name']
        and values['ssh']['secret']['mode'] == 'existing'
        and values['ssh']['secret']['name'] == job_name(values, release) + '-ssh'
    ):
        yield (
            ('ssh', 'secret', 'name'),
            f"ssh.secret.name: {quote(values['ssh']['secret']['name'])} is the name that dsgen gives to the Secret of the job",
        )


def ds243(values, release, watch):
    """DS243 ssh.port"""
    if (
        (values['ssh']['port'] != 2222 or values['launch']['masterPort'] != 29500)
        and uses_ssh(values)
        and values['ssh']['port'] < 1024
        and is_never_root(values, values['workers'])
    ):
        yield (
            ('ssh', 'port'),
            f"ssh.port: the workers do not run as root, and in many clusters only root can listen on port {scalar(values['ssh']['port'])}",
        )


def ds243_2(values, release, watch):
    """DS243 launch.masterPort"""
    if (
        (values['ssh']['port'] != 2222 or values['launch']['masterPort'] != 29500)
        and values['launch']['masterPort'] < 1024
        and is_never_root(values, values['workers'])
    ):
        yield (
            ('launch', 'masterPort'),
            f"launch.masterPort: the workers do not run as root, and in many clusters only root can listen on port {scalar(values['launch']['masterPort'])}",
        )


def ds244(values, release, watch):
    """DS244 ssh.port"""
    if values['network']['hostNetwork'] and uses_ssh(values) and values['ssh']['port'] == 22:
        yield ('ssh', 'port'), "ssh.port: with network.hostNetwork, port 22 belongs to the node's own sshd"


def ds245(values, release, watch):
    """DS245 network.policy"""
    if values['network']['hostNetwork'] and values['network']['policy']:
        yield (
            ('network', 'policy'),
            "network.policy: a NetworkPolicy does not apply to pods with hostNetwork, so everything that can reach the nodes can reach the workers",
        )


def ds239(values, release, watch):
    """DS239 network.socketInterface"""
    if (
        values['network']['hostNetwork']
        and int(worker_pods(values)) > 1
        and not values['network']['socketInterface']
        and not values['training']['setup']
        and 'GLOO_SOCKET_IFNAME' not in values['training']['env']
    ):
        yield (
            ('network', 'socketInterface'),
            "network.socketInterface: with network.hostNetwork, Gloo uses the interface to which the name of the node resolves, which is the loopback interface on many nodes",
        )


def ds227(values, release, watch):
    """DS227 network.rdma.networks"""
    if values['network']['hostNetwork'] and values['network']['rdma']['networks']:
        yield ('network', 'rdma', 'networks'), "network.rdma.networks: Multus adds no networks to pods with hostNetwork"


def ds228(values, release, watch):
    """DS228 workers.podAnnotations.<"k8s.v1.cni.cncf.io/networks">"""
    if values['network']['rdma']['networks'] and 'k8s.v1.cni.cncf.io/networks' in values['workers']['podAnnotations']:
        yield (
            ('workers', 'podAnnotations', 'k8s.v1.cni.cncf.io/networks'),
            "workers.podAnnotations: \"k8s.v1.cni.cncf.io/networks\" is written by dsgen from network.rdma.networks",
        )


def ds226(values, release, watch):
    """DS226 network.rdma.resources.<key>"""
    before_key = watch.was_read
    for key, count in items(values['network']['rdma']['resources']):
        watch.was_read = before_key
        if key in ['cpu', 'memory', 'ephemeral-storage', 'pods']:
            yield ('network', 'rdma', 'resources', key), f"network.rdma.resources: {quote(key)} is not a device"


def ds226_2(values, release, watch):
    """DS226 network.rdma.resources.<key>"""
    before_key = watch.was_read
    for key, count in items(values['network']['rdma']['resources']):
        watch.was_read = before_key
        if (
            key in values['workers']['resources']['requests']
            and key not in ['cpu', 'memory', 'ephemeral-storage', 'pods']
        ):
            yield (
                ('network', 'rdma', 'resources', key),
                f"network.rdma.resources: {quote(key)} is also in workers.resources.requests",
            )


def ds226_3(values, release, watch):
    """DS226 network.rdma.resources.<key>"""
    before_key = watch.was_read
    for key, count in items(values['network']['rdma']['resources']):
        watch.was_read = before_key
        if (
            key in values['workers']['resources']['limits']
            and key not in ['cpu', 'memory', 'ephemeral-storage', 'pods']
        ):
            yield (
                ('network', 'rdma', 'resources', key),
                f"network.rdma.resources: {quote(key)} is also in workers.resources.limits",
            )


def ds226_4(values, release, watch):
    """DS226 network.rdma.resources.<key>"""
    before_key = watch.was_read
    for key, count in items(values['network']['rdma']['resources']):
        watch.was_read = before_key
        if key == values['workers']['accelerator']['resource']:
            yield (
                ('network', 'rdma', 'resources', key),
                f"network.rdma.resources: {quote(key)} is written by dsgen from workers.accelerator",
            )


def ds229(values, release, watch):
    """DS229 network.rdma.ipcLock"""
    if (
        values['network']['rdma']['resources']
        and values['network']['rdma']['ipcLock'] == 'auto'
        and values['security']['podSecurityLevel'] != 'privileged'
        and ('vpc.amazonaws.com/efa' not in values['network']['rdma']['resources'] or len(values['network']['rdma']['resources']) > 1)
    ):
        yield (
            ('network', 'rdma', 'ipcLock'),
            "network.rdma.ipcLock: RDMA needs the capability IPC_LOCK, which only the Pod Security level privileged allows, so dsgen does not add it",
        )


def ds246(values, release, watch):
    """DS246 status.webhook"""
    if values['status']['webhook']['url'] and values['status']['webhook']['secretName']:
        yield ('status', 'webhook'), "status.webhook: url and secretName are mutually exclusive"


def ds247(values, release, watch):
    """DS247 status.webhook.url"""
    if values['status']['webhook']['url'] and matching(values['status']['webhook']['url'], '^[Hh][Tt][Tt][Pp]:.*$'):
        yield ('status', 'webhook', 'url'), "status.webhook.url: the record would be sent unencrypted"


def ds249(values, release, watch):
    """DS249 ssh.user"""
    if values['ssh']['user'] and values['ssh']['user'] == 'root' and is_never_root(values, values['workers']):
        yield ('ssh', 'user'), "ssh.user: the workers do not run as root, so nobody can log in as root"


def ds242(values, release, watch):
    """DS242 monitoring.podMonitor.port"""
    if (
        values['monitoring']['podMonitor']['enabled']
        and uses_ssh(values)
        and values['monitoring']['podMonitor']['port'] == values['ssh']['port']
    ):
        yield (
            ('monitoring', 'podMonitor', 'port'),
            f"monitoring.podMonitor.port and ssh.port are both {scalar(values['monitoring']['podMonitor']['port'])}",
        )


def ds242_2(values, release, watch):
    """DS242 monitoring.podMonitor.port"""
    if (
        values['monitoring']['podMonitor']['enabled']
        and values['monitoring']['podMonitor']['port'] == values['launch']['masterPort']
    ):
        yield (
            ('monitoring', 'podMonitor', 'port'),
            f"monitoring.podMonitor.port and launch.masterPort are both {scalar(values['monitoring']['podMonitor']['port'])}",
        )


def ds242_3(values, release, watch):
    """DS242 monitoring.podMonitor.port"""
    if (
        values['monitoring']['podMonitor']['enabled']
        and values['monitoring']['podMonitor']['port'] == values['workers']['readinessPort']
    ):
        yield (
            ('monitoring', 'podMonitor', 'port'),
            f"monitoring.podMonitor.port and workers.readinessPort are both {scalar(values['monitoring']['podMonitor']['port'])}",
        )


def ds242_4(values, release, watch):
    """DS242 workers.readinessPort"""
    if uses_ssh(values) and values['workers']['readinessPort'] == values['ssh']['port']:
        yield (
            ('workers', 'readinessPort'),
            f"workers.readinessPort and ssh.port are both {scalar(values['workers']['readinessPort'])}",
        )


def ds242_5(values, release, watch):
    """DS242 workers.readinessPort"""
    if values['workers']['readinessPort'] == values['launch']['masterPort']:
        yield (
            ('workers', 'readinessPort'),
            f"workers.readinessPort and launch.masterPort are both {scalar(values['workers']['readinessPort'])}",
        )


def ds341(values, release, watch):
    """DS341 monitoring.tensorboard.logDir"""
    if values['monitoring']['tensorboard']['enabled'] and not values['monitoring']['tensorboard']['logDir']:
        yield ('monitoring', 'tensorboard', 'logDir'), "monitoring.tensorboard.logDir is required"


def ds242_6(values, release, watch):
    """DS242 launch.masterPort"""
    if (
        (values['ssh']['port'] != 2222 or values['launch']['masterPort'] != 29500)
        and uses_ssh(values)
        and values['launch']['masterPort'] == values['ssh']['port']
    ):
        yield ('launch', 'masterPort'), f"launch.masterPort and ssh.port are both {scalar(values['ssh']['port'])}"


def ds390(values, release, watch):
    """DS390 workers.resources.limits.<key>"""
    before_key = watch.was_read
    for key, quantity in items(values['workers']['resources']['limits']):
        watch.was_read = before_key
        if (
            matching(key, '^(rdma/.*|mellanox[.]com/.*|nvidia[.]com/(hostdev|mlnx|res|rdma|ib|sriov|roce).*|openshift[.]io/(mlnx|mellanox|sriov|rdma|ib).*)$')
            and key not in values['network']['rdma']['resources']
            and 'IPC_LOCK' not in get(values['workers']['securityContext'], 'capabilities', 'add', [])
        ):
            yield (
                ('workers', 'resources', 'limits', key),
                f"workers.resources.limits: {quote(key)} is an RDMA device, but without network.rdma the workers may not lock the memory that RDMA needs",
            )


def ds391(values, release, watch):
    """DS391 network.rdma.networks"""
    if (
        values['network']['rdma']['networks']
        and not values['network']['socketInterface']
        and not values['network']['hostNetwork']
        and not values['network']['rdma']['resources']
    ):
        yield ('network', 'rdma', 'networks'), "network.rdma.networks: the workers get networks, but no RDMA device"


def ds392(values, release, watch):
    """DS392 training.env.NCCL_SOCKET_IFNAME"""
    if values['network']['socketInterface'] and 'NCCL_SOCKET_IFNAME' in values['training']['env']:
        value = values['training']['env']['NCCL_SOCKET_IFNAME']
        if is_string(value) and value != values['network']['socketInterface']:
            yield (
                ('training', 'env', 'NCCL_SOCKET_IFNAME'),
                f"training.env.NCCL_SOCKET_IFNAME is {quote(value)} and replaces network.socketInterface {quote(values['network']['socketInterface'])}, which only Gloo uses then",
            )


def ds300(values, release, watch):
    """DS300 scheduling.launcherQueue"""
    if values['scheduling']['launcherQueue'] and values['scheduling']['launcherQueue'] == values['scheduling']['queue']:
        yield (
            ('scheduling', 'launcherQueue'),
            "scheduling.launcherQueue is the same queue as scheduling.queue; in it, two runs can block each other forever",
        )


def ds301(values, release, watch):
    """DS301 scheduling.launcherQueue"""
    if values['scheduling']['launcherQueue'] and not kueue_queue(values, 'worker'):
        yield (
            ('scheduling', 'launcherQueue'),
            "scheduling.launcherQueue is a queue of Kueue, but the workers have no such queue",
        )


def ds302(values, release, watch):
    """DS302 scheduling.priorityClass"""
    if (
        values['scheduling']['priorityClass']
        and not values['scheduling']['queue']
        and values['scheduling']['gang'] != 'volcano'
    ):
        yield (
            ('scheduling', 'priorityClass'),
            "scheduling.priorityClass is the priority in a queue, but scheduling.queue is not set",
        )


def ds303(values, release, watch):
    """DS303 scheduling.topology"""
    if (
        (values['scheduling']['topology']['required'] or values['scheduling']['topology']['preferred'])
        and values['scheduling']['topology']['required']
        and values['scheduling']['topology']['preferred']
    ):
        yield ('scheduling', 'topology'), "scheduling.topology: required and preferred are mutually exclusive"


def ds304(values, release, watch):
    """DS304 workers.affinity"""
    if (
        (values['scheduling']['topology']['required'] or values['scheduling']['topology']['preferred'])
        and not kueue_queue(values, 'worker')
        and 'podAffinity' in values['workers']['affinity']
    ):
        yield (
            ('workers', 'affinity'),
            "workers.affinity has a podAffinity, but dsgen writes one from scheduling.topology",
        )


def ds305(values, release, watch):
    """DS305 workers.spread"""
    if (
        (values['scheduling']['topology']['required'] or values['scheduling']['topology']['preferred'])
        and values['scheduling']['topology']['required'] == 'kubernetes.io/hostname'
        and values['workers']['spread'] == 'required'
        and values['workers']['replicas'] > 1
    ):
        yield (
            ('workers', 'spread'),
            "workers.spread puts every worker on its own node, but scheduling.topology.required puts all on one node",
        )


def ds311(values, release, watch):
    """DS311 workers.excludeNodes"""
    if (
        values['workers']['excludeNodes']
        and 'kubernetes.io/hostname' in values['workers']['nodeSelector']
        and get(values['workers']['nodeSelector'], 'kubernetes.io/hostname', '') in values['workers']['excludeNodes']
    ):
        yield (
            ('workers', 'excludeNodes'),
            "workers.excludeNodes has the node that workers.nodeSelector selects: the workers would wait forever",
        )


def ds309(values, release, watch):
    """DS309 lifecycle.suspend"""
    if (
        values['scheduling']['queue']
        and values['scheduling']['gang'] != 'volcano'
        and values['lifecycle'].get('suspend') is not None
    ):
        yield (
            ('lifecycle', 'suspend'),
            "lifecycle.suspend: with scheduling.queue, only Kueue suspends and resumes the workers",
        )


def ds308(values, release, watch):
    """DS308 workers.nodeSelector"""
    if (
        values['scheduling']['queue']
        and values['scheduling']['gang'] != 'volcano'
        and values['workers']['nodeSelector']
    ):
        yield (
            ('workers', 'nodeSelector'),
            "workers.nodeSelector: Kueue considers only labels of its flavors; with other labels the pods may hold quota while they wait for a node",
        )


def ds308_2(values, release, watch):
    """DS308 workers.affinity"""
    if values['scheduling']['queue'] and values['scheduling']['gang'] != 'volcano' and values['workers']['affinity']:
        yield (
            ('workers', 'affinity'),
            "workers.affinity: Kueue considers only labels of its flavors; with other labels the pods may hold quota while they wait for a node",
        )


def ds308_3(values, release, watch):
    """DS308 launcher.nodeSelector"""
    if values['scheduling']['launcherQueue'] and values['launcher']['nodeSelector']:
        yield (
            ('launcher', 'nodeSelector'),
            "launcher.nodeSelector: Kueue considers only labels of its flavors; with other labels the pods may hold quota while they wait for a node",
        )


def ds308_4(values, release, watch):
    """DS308 launcher.affinity"""
    if values['scheduling']['launcherQueue'] and values['launcher']['affinity']:
        yield (
            ('launcher', 'affinity'),
            "launcher.affinity: Kueue considers only labels of its flavors; with other labels the pods may hold quota while they wait for a node",
        )


def ds307(values, release, watch):
    """DS307 workers.tolerations"""
    if values['scheduling']['queue'] and values['scheduling']['gang'] != 'volcano' and values['workers']['tolerations']:
        yield (
            ('workers', 'tolerations'),
            "workers.tolerations: the flavor of the queue must have no tolerations, or exactly the same ones, all without tolerationSeconds",
        )


def ds307_2(values, release, watch):
    """DS307 launcher.tolerations"""
    if values['scheduling']['launcherQueue'] and values['launcher']['tolerations']:
        yield (
            ('launcher', 'tolerations'),
            "launcher.tolerations: the flavor of the launcher's queue must have no tolerations, or exactly the same ones, all without tolerationSeconds",
        )


def ds306(values, release, watch):
    """DS306 workers.resources.requests.<key>"""
    if values['scheduling']['queue'] and values['scheduling']['gang'] != 'volcano':
        before_key = watch.was_read
        for key, quantity in items(values['workers']['resources']['requests']):
            watch.was_read = before_key
            if key not in ['cpu', 'memory']:
                yield (
                    ('workers', 'resources', 'requests', key),
                    f"workers.resources.requests: the queue {quote(values['scheduling']['queue'])} must cover {quote(key)}, or the workers wait forever",
                )


def ds306_2(values, release, watch):
    """DS306 network.rdma.resources.<key>"""
    if values['scheduling']['queue'] and values['scheduling']['gang'] != 'volcano':
        before_key = watch.was_read
        for key, quantity in items(values['network']['rdma']['resources']):
            watch.was_read = before_key
            if key not in ['cpu', 'memory']:
                yield (
                    ('network', 'rdma', 'resources', key),
                    f"network.rdma.resources: the queue {quote(values['scheduling']['queue'])} must cover {quote(key)}, or the workers wait forever",
                )


def ds306_3(values, release, watch):
    """DS306 workers.resources.limits.<key>"""
    if values['scheduling']['queue'] and values['scheduling']['gang'] != 'volcano':
        before_key = watch.was_read
        for key, quantity in items(values['workers']['resources']['limits']):
            watch.was_read = before_key
            if key not in ['cpu', 'memory'] and key not in values['workers']['resources']['requests']:
                yield (
                    ('workers', 'resources', 'limits', key),
                    f"workers.resources.limits: the queue {quote(values['scheduling']['queue'])} must cover {quote(key)}, or the workers wait forever",
                )


def ds306_4(values, release, watch):
    """DS306 launcher.resources.requests.<key>"""
    if values['scheduling']['launcherQueue']:
        before_key = watch.was_read
        for key, quantity in items(values['launcher']['resources']['requests']):
            watch.was_read = before_key
            if key not in ['cpu', 'memory']:
                yield (
                    ('launcher', 'resources', 'requests', key),
                    f"launcher.resources.requests: the queue {quote(values['scheduling']['launcherQueue'])} must cover {quote(key)}, or the launcher waits forever",
                )


def ds306_5(values, release, watch):
    """DS306 launcher.resources.limits.<key>"""
    if values['scheduling']['launcherQueue']:
        before_key = watch.was_read
        for key, quantity in items(values['launcher']['resources']['limits']):
            watch.was_read = before_key
            if key not in ['cpu', 'memory'] and key not in values['launcher']['resources']['requests']:
                yield (
                    ('launcher', 'resources', 'limits', key),
                    f"launcher.resources.limits: the queue {quote(values['scheduling']['launcherQueue'])} must cover {quote(key)}, or the launcher waits forever",
                )


def ds306_6(values, release, watch):
    """DS306 workers.<kind>[container].resources.<amounts>.<key>"""
    if values['scheduling']['queue'] and values['scheduling']['gang'] != 'volcano':
        before_kind = watch.was_read
        for kind in ['initContainers', 'sidecars']:
            watch.was_read = before_kind
            before_container = watch.was_read
            for at_container, container in enumerate(values['workers'][kind]):
                watch.was_read = before_container
                before_amounts = watch.was_read
                for amounts in ['requests', 'limits']:
                    watch.was_read = before_amounts
                    before_key = watch.was_read
                    for key, quantity in items(get(container, 'resources', amounts, {})):
                        watch.was_read = before_key
                        if (
                            key not in ['cpu', 'memory']
                            and (amounts == 'requests' or key not in get(container, 'resources', 'requests', {}))
                        ):
                            yield (
                                ('workers', kind, at_container, 'resources', amounts, key),
                                f"workers.{kind}: the queue {quote(values['scheduling']['queue'])} must cover {quote(key)}, or the workers wait forever",
                            )


def ds306_7(values, release, watch):
    """DS306 launcher.<kind>[container].resources.<amounts>.<key>"""
    if values['scheduling']['launcherQueue']:
        before_kind = watch.was_read
        for kind in ['initContainers', 'sidecars']:
            watch.was_read = before_kind
            before_container = watch.was_read
            for at_container, container in enumerate(values['launcher'][kind]):
                watch.was_read = before_container
                before_amounts = watch.was_read
                for amounts in ['requests', 'limits']:
                    watch.was_read = before_amounts
                    before_key = watch.was_read
                    for key, quantity in items(get(container, 'resources', amounts, {})):
                        watch.was_read = before_key
                        if (
                            key not in ['cpu', 'memory']
                            and (amounts == 'requests' or key not in get(container, 'resources', 'requests', {}))
                        ):
                            yield (
                                ('launcher', kind, at_container, 'resources', amounts, key),
                                f"launcher.{kind}: the queue {quote(values['scheduling']['launcherQueue'])} must cover {quote(key)}, or the launcher waits forever",
                            )


def ds310(values, release, watch):
    """DS310 workers.schedulerName"""
    if (
        values['workers']['schedulerName']
        and values['scheduling']['gang'] != 'none'
        and values['workers']['schedulerName'] == 'default-scheduler'
    ):
        yield (
            ('workers', 'schedulerName'),
            f"workers.schedulerName: the default scheduler does not support scheduling.gang: {values['scheduling']['gang']}",
        )


def ds305_2(values, release, watch):
    """DS305 network.hostNetwork"""
    if (
        values['network']['hostNetwork']
        and values['scheduling']['topology']['required'] == 'kubernetes.io/hostname'
        and int(worker_pods(values)) > 1
    ):
        yield (
            ('network', 'hostNetwork'),
            "network.hostNetwork: each worker needs the ports of its own node, but scheduling.topology.required puts all workers on one node",
        )


def ds367(values, release, watch):
    """DS367 security.podSecurityLevel"""
    if (
        values['security']['podSecurityLevel'] == 'restricted'
        and 'runAsUser' not in values['security']['podSecurityContext']
        and 'runAsNonRoot' not in values['security']['podSecurityContext']
        and 'runAsUser' not in values['security']['securityContext']
        and 'runAsNonRoot' not in values['security']['securityContext']
        and 'runAsUser' not in values['workers']['securityContext']
        and 'runAsNonRoot' not in values['workers']['securityContext']
    ):
        yield (
            ('security', 'podSecurityLevel'),
            "security.podSecurityLevel: at restricted without a uid, the kubelet refuses an image that runs as root",
        )


def ds327(values, release, watch):
    """DS327 security.podSecurityContext.seccompProfile.type"""
    if values['security']['podSecurityLevel'] != 'privileged' and values['security']['podSecurityContext']:
        context = values['security']['podSecurityContext']
        if (
            is_string(get(context, 'seccompProfile', 'type', ''))
            and get(context, 'seccompProfile', 'type', '') == 'Unconfined'
        ):
            yield (
                ('security', 'podSecurityContext', 'seccompProfile', 'type'),
                f"security.podSecurityContext: Pod Security {values['security']['podSecurityLevel']} forbids seccompProfile.type Unconfined (seccompProfile)",
            )


def ds329(values, release, watch):
    """DS329 security.podSecurityContext.appArmorProfile.type"""
    if values['security']['podSecurityLevel'] != 'privileged' and values['security']['podSecurityContext']:
        context = values['security']['podSecurityContext']
        if (
            is_string(get(context, 'appArmorProfile', 'type', ''))
            and get(context, 'appArmorProfile', 'type', '') == 'Unconfined'
        ):
            yield (
                ('security', 'podSecurityContext', 'appArmorProfile', 'type'),
                f"security.podSecurityContext: Pod Security {values['security']['podSecurityLevel']} forbids appArmorProfile.type Unconfined (forbidden AppArmor profile)",
            )


def ds326(values, release, watch):
    """DS326 security.podSecurityContext.seLinuxOptions"""
    if values['security']['podSecurityLevel'] != 'privileged' and values['security']['podSecurityContext']:
        context = values['security']['podSecurityContext']
        if (
            is_string(get(context, 'seLinuxOptions', 'type', '')) and not matching(get(context, 'seLinuxOptions', 'type', ''), '^(container_(t|init_t|kvm_t|engine_t))?$')
            or get(context, 'seLinuxOptions', 'user', '')
            or get(context, 'seLinuxOptions', 'role', '')
        ):
            yield (
                ('security', 'podSecurityContext', 'seLinuxOptions'),
                f"security.podSecurityContext: Pod Security {values['security']['podSecurityLevel']} forbids seLinuxOptions (seLinuxOptions)",
            )


def ds330(values, release, watch):
    """DS330 security.podSecurityContext.windowsOptions.hostProcess"""
    if values['security']['podSecurityLevel'] != 'privileged' and values['security']['podSecurityContext']:
        context = values['security']['podSecurityContext']
        if get(context, 'windowsOptions', 'hostProcess', False):
            yield (
                ('security', 'podSecurityContext', 'windowsOptions', 'hostProcess'),
                f"security.podSecurityContext: Pod Security {values['security']['podSecurityLevel']} forbids windowsOptions.hostProcess (hostProcess)",
            )


def ds333(values, release, watch):
    """DS333 security.podSecurityContext.runAsNonRoot"""
    if values['security']['podSecurityLevel'] != 'privileged' and values['security']['podSecurityContext']:
        context = values['security']['podSecurityContext']
        if values['security']['podSecurityLevel'] == 'restricted' and not get(context, 'runAsNonRoot', True):
            yield (
                ('security', 'podSecurityContext', 'runAsNonRoot'),
                f"security.podSecurityContext: Pod Security {values['security']['podSecurityLevel']} forbids runAsNonRoot: false (runAsNonRoot != true)",
            )


def ds334(values, release, watch):
    """DS334 security.podSecurityContext.runAsUser"""
    if values['security']['podSecurityLevel'] != 'privileged' and values['security']['podSecurityContext']:
        context = values['security']['podSecurityContext']
        if values['security']['podSecurityLevel'] == 'restricted' and not get(context, 'runAsUser', 1):
            yield (
                ('security', 'podSecurityContext', 'runAsUser'),
                f"security.podSecurityContext: Pod Security {values['security']['podSecurityLevel']} forbids runAsUser: 0 (runAsUser=0)",
            )


def ds328(values, release, watch):
    """DS328 security.podSecurityContext.sysctls[sysctl].name"""
    if values['security']['podSecurityLevel'] != 'privileged' and values['security']['podSecurityContext']:
        context = values['security']['podSecurityContext']
        before_sysctl = watch.was_read
        for at_sysctl, sysctl in enumerate(get(context, 'sysctls', [])):
            watch.was_read = before_sysctl
            if (
                is_string(sysctl.get('name'))
                and sysctl['name'] not in ['kernel.shm_rmid_forced', 'net.ipv4.ip_local_port_range', 'net.ipv4.ip_unprivileged_port_start', 'net.ipv4.tcp_syncookies', 'net.ipv4.ping_group_range', 'net.ipv4.ip_local_reserved_ports', 'net.ipv4.tcp_keepalive_time', 'net.ipv4.tcp_fin_timeout', 'net.ipv4.tcp_keepalive_intvl', 'net.ipv4.tcp_keepalive_probes']
            ):
                yield (
                    ('security', 'podSecurityContext', 'sysctls', at_sysctl, 'name'),
                    f"security.podSecurityContext: Pod Security {values['security']['podSecurityLevel']} forbids the sysctl {quote(sysctl['name'])} (forbidden sysctls)",
                )


def ds337(values, release, watch):
    """DS337 security.podSecurityContext.sysctls[sysctl].name"""
    if values['network']['hostNetwork']:
        before_sysctl = watch.was_read
        for at_sysctl, sysctl in enumerate(get(values['security']['podSecurityContext'], 'sysctls', [])):
            watch.was_read = before_sysctl
            if is_string(sysctl.get('name')) and matching(sysctl['name'], '^net[.].*$'):
                yield (
                    ('security', 'podSecurityContext', 'sysctls', at_sysctl, 'name'),
                    f"security.podSecurityContext: with network.hostNetwork, the sysctl {quote(sysctl['name'])} belongs to the node",
                )


def ds327_2(values, release, watch):
    """DS327 <part>.securityContext.seccompProfile.type"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['security']['securityContext'] or values['workers']['securityContext'] or values['launcher']['securityContext'])
    ):
        before_part = watch.was_read
        for part in ['security', 'workers', 'launcher']:
            watch.was_read = before_part
            context = values[part]['securityContext']
            if (
                is_string(get(context, 'seccompProfile', 'type', ''))
                and get(context, 'seccompProfile', 'type', '') == 'Unconfined'
            ):
                yield (
                    (part, 'securityContext', 'seccompProfile', 'type'),
                    f"{part}.securityContext: Pod Security {values['security']['podSecurityLevel']} forbids seccompProfile.type Unconfined (seccompProfile)",
                )


def ds329_2(values, release, watch):
    """DS329 <part>.securityContext.appArmorProfile.type"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['security']['securityContext'] or values['workers']['securityContext'] or values['launcher']['securityContext'])
    ):
        before_part = watch.was_read
        for part in ['security', 'workers', 'launcher']:
            watch.was_read = before_part
            context = values[part]['securityContext']
            if (
                is_string(get(context, 'appArmorProfile', 'type', ''))
                and get(context, 'appArmorProfile', 'type', '') == 'Unconfined'
            ):
                yield (
                    (part, 'securityContext', 'appArmorProfile', 'type'),
                    f"{part}.securityContext: Pod Security {values['security']['podSecurityLevel']} forbids appArmorProfile.type Unconfined (forbidden AppArmor profile)",
                )


def ds326_2(values, release, watch):
    """DS326 <part>.securityContext.seLinuxOptions"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['security']['securityContext'] or values['workers']['securityContext'] or values['launcher']['securityContext'])
    ):
        before_part = watch.was_read
        for part in ['security', 'workers', 'launcher']:
            watch.was_read = before_part
            context = values[part]['securityContext']
            if (
                is_string(get(context, 'seLinuxOptions', 'type', '')) and not matching(get(context, 'seLinuxOptions', 'type', ''), '^(container_(t|init_t|kvm_t|engine_t))?$')
                or get(context, 'seLinuxOptions', 'user', '')
                or get(context, 'seLinuxOptions', 'role', '')
            ):
                yield (
                    (part, 'securityContext', 'seLinuxOptions'),
                    f"{part}.securityContext: Pod Security {values['security']['podSecurityLevel']} forbids seLinuxOptions (seLinuxOptions)",
                )


def ds330_2(values, release, watch):
    """DS330 <part>.securityContext.windowsOptions.hostProcess"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['security']['securityContext'] or values['workers']['securityContext'] or values['launcher']['securityContext'])
    ):
        before_part = watch.was_read
        for part in ['security', 'workers', 'launcher']:
            watch.was_read = before_part
            context = values[part]['securityContext']
            if get(context, 'windowsOptions', 'hostProcess', False):
                yield (
                    (part, 'securityContext', 'windowsOptions', 'hostProcess'),
                    f"{part}.securityContext: Pod Security {values['security']['podSecurityLevel']} forbids windowsOptions.hostProcess (hostProcess)",
                )


def ds333_2(values, release, watch):
    """DS333 <part>.securityContext.runAsNonRoot"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['security']['securityContext'] or values['workers']['securityContext'] or values['launcher']['securityContext'])
    ):
        before_part = watch.was_read
        for part in ['security', 'workers', 'launcher']:
            watch.was_read = before_part
            context = values[part]['securityContext']
            if values['security']['podSecurityLevel'] == 'restricted' and not get(context, 'runAsNonRoot', True):
                yield (
                    (part, 'securityContext', 'runAsNonRoot'),
                    f"{part}.securityContext: Pod Security {values['security']['podSecurityLevel']} forbids runAsNonRoot: false (runAsNonRoot != true)",
                )


def ds334_2(values, release, watch):
    """DS334 <part>.securityContext.runAsUser"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['security']['securityContext'] or values['workers']['securityContext'] or values['launcher']['securityContext'])
    ):
        before_part = watch.was_read
        for part in ['security', 'workers', 'launcher']:
            watch.was_read = before_part
            context = values[part]['securityContext']
            if values['security']['podSecurityLevel'] == 'restricted' and not get(context, 'runAsUser', 1):
                yield (
                    (part, 'securityContext', 'runAsUser'),
                    f"{part}.securityContext: Pod Security {values['security']['podSecurityLevel']} forbids runAsUser: 0 (runAsUser=0)",
                )


def ds321(values, release, watch):
    """DS321 <part>.securityContext.privileged"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['security']['securityContext'] or values['workers']['securityContext'] or values['launcher']['securityContext'])
    ):
        before_part = watch.was_read
        for part in ['security', 'workers', 'launcher']:
            watch.was_read = before_part
            context = values[part]['securityContext']
            if get(context, 'privileged', False):
                yield (
                    (part, 'securityContext', 'privileged'),
                    f"{part}.securityContext: Pod Security {values['security']['podSecurityLevel']} forbids privileged: true (privileged)",
                )


def ds325(values, release, watch):
    """DS325 <part>.securityContext.procMount"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['security']['securityContext'] or values['workers']['securityContext'] or values['launcher']['securityContext'])
    ):
        before_part = watch.was_read
        for part in ['security', 'workers', 'launcher']:
            watch.was_read = before_part
            context = values[part]['securityContext']
            if is_string(get(context, 'procMount', '')) and get(context, 'procMount', '') not in ['', 'Default']:
                yield (
                    (part, 'securityContext', 'procMount'),
                    f"{part}.securityContext: Pod Security {values['security']['podSecurityLevel']} forbids procMount (procMount)",
                )


def ds332(values, release, watch):
    """DS332 <part>.securityContext.allowPrivilegeEscalation"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['security']['securityContext'] or values['workers']['securityContext'] or values['launcher']['securityContext'])
    ):
        before_part = watch.was_read
        for part in ['security', 'workers', 'launcher']:
            watch.was_read = before_part
            context = values[part]['securityContext']
            if (
                values['security']['podSecurityLevel'] == 'restricted'
                and get(context, 'allowPrivilegeEscalation', False)
            ):
                yield (
                    (part, 'securityContext', 'allowPrivilegeEscalation'),
                    f"{part}.securityContext: Pod Security {values['security']['podSecurityLevel']} forbids allowPrivilegeEscalation: true (allowPrivilegeEscalation != false)",
                )


def ds335(values, release, watch):
    """DS335 <part>.securityContext.capabilities.drop"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['security']['securityContext'] or values['workers']['securityContext'] or values['launcher']['securityContext'])
    ):
        before_part = watch.was_read
        for part in ['security', 'workers', 'launcher']:
            watch.was_read = before_part
            context = values[part]['securityContext']
            if (
                values['security']['podSecurityLevel'] == 'restricted'
                and 'ALL' not in get(context, 'capabilities', 'drop', ['ALL'])
            ):
                yield (
                    (part, 'securityContext', 'capabilities', 'drop'),
                    f"{part}.securityContext: Pod Security {values['security']['podSecurityLevel']} forbids capabilities.drop without ALL (unrestricted capabilities)",
                )


def ds320(values, release, watch):
    """DS320 <part>.securityContext.capabilities.add"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['security']['securityContext'] or values['workers']['securityContext'] or values['launcher']['securityContext'])
    ):
        before_part = watch.was_read
        for part in ['security', 'workers', 'launcher']:
            watch.was_read = before_part
            context = values[part]['securityContext']
            if values['security']['podSecurityLevel'] == 'baseline':
                before_capability = watch.was_read
                for capability in get(context, 'capabilities', 'add', []):
                    watch.was_read = before_capability
                    if (
                        is_string(capability)
                        and capability not in ['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE', 'SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT']
                    ):
                        yield (
                            (part, 'securityContext', 'capabilities', 'add'),
                            f"{part}.securityContext: Pod Security {values['security']['podSecurityLevel']} forbids the capability {quote(capability)} (non-default capabilities)",
                        )


def ds320_2(values, release, watch):
    """DS320 <part>.securityContext.capabilities.add"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['security']['securityContext'] or values['workers']['securityContext'] or values['launcher']['securityContext'])
    ):
        before_part = watch.was_read
        for part in ['security', 'workers', 'launcher']:
            watch.was_read = before_part
            context = values[part]['securityContext']
            if values['security']['podSecurityLevel'] == 'restricted':
                before_capability = watch.was_read
                for capability in get(context, 'capabilities', 'add', []):
                    watch.was_read = before_capability
                    if is_string(capability) and capability != 'NET_BIND_SERVICE':
                        yield (
                            (part, 'securityContext', 'capabilities', 'add'),
                            f"{part}.securityContext: Pod Security {values['security']['podSecurityLevel']} forbids the capability {quote(capability)} (unrestricted capabilities)",
                        )


def ds327_3(values, release, watch):
    """DS327 <role>.<kind>[container].securityContext.seccompProfile.type"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['workers']['initContainers'] or values['workers']['sidecars'] or values['launcher']['initContainers'] or values['launcher']['sidecars'])
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_kind = watch.was_read
            for kind in ['initContainers', 'sidecars']:
                watch.was_read = before_kind
                before_container = watch.was_read
                for at_container, container in enumerate(values[role][kind]):
                    watch.was_read = before_container
                    if is_string(container.get('name')):
                        context = get(container, 'securityContext', {})
                        if (
                            is_string(get(context, 'seccompProfile', 'type', ''))
                            and get(context, 'seccompProfile', 'type', '') == 'Unconfined'
                        ):
                            yield (
                                (role, kind, at_container, 'securityContext', 'seccompProfile', 'type'),
                                f"{role}.{kind}: {quote(container['name'])}: Pod Security {values['security']['podSecurityLevel']} forbids seccompProfile.type Unconfined (seccompProfile)",
                            )


def ds329_3(values, release, watch):
    """DS329 <role>.<kind>[container].securityContext.appArmorProfile.type"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['workers']['initContainers'] or values['workers']['sidecars'] or values['launcher']['initContainers'] or values['launcher']['sidecars'])
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_kind = watch.was_read
            for kind in ['initContainers', 'sidecars']:
                watch.was_read = before_kind
                before_container = watch.was_read
                for at_container, container in enumerate(values[role][kind]):
                    watch.was_read = before_container
                    if is_string(container.get('name')):
                        context = get(container, 'securityContext', {})
                        if (
                            is_string(get(context, 'appArmorProfile', 'type', ''))
                            and get(context, 'appArmorProfile', 'type', '') == 'Unconfined'
                        ):
                            yield (
                                (role, kind, at_container, 'securityContext', 'appArmorProfile', 'type'),
                                f"{role}.{kind}: {quote(container['name'])}: Pod Security {values['security']['podSecurityLevel']} forbids appArmorProfile.type Unconfined (forbidden AppArmor profile)",
                            )


def ds326_3(values, release, watch):
    """DS326 <role>.<kind>[container].securityContext.seLinuxOptions"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['workers']['initContainers'] or values['workers']['sidecars'] or values['launcher']['initContainers'] or values['launcher']['sidecars'])
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_kind = watch.was_read
            for kind in ['initContainers', 'sidecars']:
                watch.was_read = before_kind
                before_container = watch.was_read
                for at_container, container in enumerate(values[role][kind]):
                    watch.was_read = before_container
                    if is_string(container.get('name')):
                        context = get(container, 'securityContext', {})
                        if (
                            is_string(get(context, 'seLinuxOptions', 'type', '')) and not matching(get(context, 'seLinuxOptions', 'type', ''), '^(container_(t|init_t|kvm_t|engine_t))?$')
                            or get(context, 'seLinuxOptions', 'user', '')
                            or get(context, 'seLinuxOptions', 'role', '')
                        ):
                            yield (
                                (role, kind, at_container, 'securityContext', 'seLinuxOptions'),
                                f"{role}.{kind}: {quote(container['name'])}: Pod Security {values['security']['podSecurityLevel']} forbids seLinuxOptions (seLinuxOptions)",
                            )


def ds330_3(values, release, watch):
    """DS330 <role>.<kind>[container].securityContext.windowsOptions.hostProcess"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['workers']['initContainers'] or values['workers']['sidecars'] or values['launcher']['initContainers'] or values['launcher']['sidecars'])
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_kind = watch.was_read
            for kind in ['initContainers', 'sidecars']:
                watch.was_read = before_kind
                before_container = watch.was_read
                for at_container, container in enumerate(values[role][kind]):
                    watch.was_read = before_container
                    if is_string(container.get('name')):
                        context = get(container, 'securityContext', {})
                        if get(context, 'windowsOptions', 'hostProcess', False):
                            yield (
                                (role, kind, at_container, 'securityContext', 'windowsOptions', 'hostProcess'),
                                f"{role}.{kind}: {quote(container['name'])}: Pod Security {values['security']['podSecurityLevel']} forbids windowsOptions.hostProcess (hostProcess)",
                            )


def ds333_3(values, release, watch):
    """DS333 <role>.<kind>[container].securityContext.runAsNonRoot"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['workers']['initContainers'] or values['workers']['sidecars'] or values['launcher']['initContainers'] or values['launcher']['sidecars'])
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_kind = watch.was_read
            for kind in ['initContainers', 'sidecars']:
                watch.was_read = before_kind
                before_container = watch.was_read
                for at_container, container in enumerate(values[role][kind]):
                    watch.was_read = before_container
                    if is_string(container.get('name')):
                        context = get(container, 'securityContext', {})
                        if (
                            values['security']['podSecurityLevel'] == 'restricted'
                            and not get(context, 'runAsNonRoot', True)
                        ):
                            yield (
                                (role, kind, at_container, 'securityContext', 'runAsNonRoot'),
                                f"{role}.{kind}: {quote(container['name'])}: Pod Security {values['security']['podSecurityLevel']} forbids runAsNonRoot: false (runAsNonRoot != true)",
                            )


def ds334_3(values, release, watch):
    """DS334 <role>.<kind>[container].securityContext.runAsUser"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['workers']['initContainers'] or values['workers']['sidecars'] or values['launcher']['initContainers'] or values['launcher']['sidecars'])
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_kind = watch.was_read
            for kind in ['initContainers', 'sidecars']:
                watch.was_read = before_kind
                before_container = watch.was_read
                for at_container, container in enumerate(values[role][kind]):
                    watch.was_read = before_container
                    if is_string(container.get('name')):
                        context = get(container, 'securityContext', {})
                        if values['security']['podSecurityLevel'] == 'restricted' and not get(context, 'runAsUser', 1):
                            yield (
                                (role, kind, at_container, 'securityContext', 'runAsUser'),
                                f"{role}.{kind}: {quote(container['name'])}: Pod Security {values['security']['podSecurityLevel']} forbids runAsUser: 0 (runAsUser=0)",
                            )


def ds321_2(values, release, watch):
    """DS321 <role>.<kind>[container].securityContext.privileged"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['workers']['initContainers'] or values['workers']['sidecars'] or values['launcher']['initContainers'] or values['launcher']['sidecars'])
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_kind = watch.was_read
            for kind in ['initContainers', 'sidecars']:
                watch.was_read = before_kind
                before_container = watch.was_read
                for at_container, container in enumerate(values[role][kind]):
                    watch.was_read = before_container
                    if is_string(container.get('name')):
                        context = get(container, 'securityContext', {})
                        if get(context, 'privileged', False):
                            yield (
                                (role, kind, at_container, 'securityContext', 'privileged'),
                                f"{role}.{kind}: {quote(container['name'])}: Pod Security {values['security']['podSecurityLevel']} forbids privileged: true (privileged)",
                            )


def ds325_2(values, release, watch):
    """DS325 <role>.<kind>[container].securityContext.procMount"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['workers']['initContainers'] or values['workers']['sidecars'] or values['launcher']['initContainers'] or values['launcher']['sidecars'])
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_kind = watch.was_read
            for kind in ['initContainers', 'sidecars']:
                watch.was_read = before_kind
                before_container = watch.was_read
                for at_container, container in enumerate(values[role][kind]):
                    watch.was_read = before_container
                    if is_string(container.get('name')):
                        context = get(container, 'securityContext', {})
                        if (
                            is_string(get(context, 'procMount', ''))
                            and get(context, 'procMount', '') not in ['', 'Default']
                        ):
                            yield (
                                (role, kind, at_container, 'securityContext', 'procMount'),
                                f"{role}.{kind}: {quote(container['name'])}: Pod Security {values['security']['podSecurityLevel']} forbids procMount (procMount)",
                            )


def ds332_2(values, release, watch):
    """DS332 <role>.<kind>[container].securityContext.allowPrivilegeEscalation"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['workers']['initContainers'] or values['workers']['sidecars'] or values['launcher']['initContainers'] or values['launcher']['sidecars'])
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_kind = watch.was_read
            for kind in ['initContainers', 'sidecars']:
                watch.was_read = before_kind
                before_container = watch.was_read
                for at_container, container in enumerate(values[role][kind]):
                    watch.was_read = before_container
                    if is_string(container.get('name')):
                        context = get(container, 'securityContext', {})
                        if (
                            values['security']['podSecurityLevel'] == 'restricted'
                            and get(context, 'allowPrivilegeEscalation', True)
                        ):
                            yield (
                                (role, kind, at_container, 'securityContext', 'allowPrivilegeEscalation'),
                                f"{role}.{kind}: {quote(container['name'])}: Pod Security {values['security']['podSecurityLevel']} forbids containers without allowPrivilegeEscalation: false (allowPrivilegeEscalation != false)",
                            )


def ds335_2(values, release, watch):
    """DS335 <role>.<kind>[container].securityContext.capabilities.drop"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['workers']['initContainers'] or values['workers']['sidecars'] or values['launcher']['initContainers'] or values['launcher']['sidecars'])
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_kind = watch.was_read
            for kind in ['initContainers', 'sidecars']:
                watch.was_read = before_kind
                before_container = watch.was_read
                for at_container, container in enumerate(values[role][kind]):
                    watch.was_read = before_container
                    if is_string(container.get('name')):
                        context = get(container, 'securityContext', {})
                        if (
                            values['security']['podSecurityLevel'] == 'restricted'
                            and 'ALL' not in get(context, 'capabilities', 'drop', [])
                        ):
                            yield (
                                (role, kind, at_container, 'securityContext', 'capabilities', 'drop'),
                                f"{role}.{kind}: {quote(container['name'])}: Pod Security {values['security']['podSecurityLevel']} forbids capabilities.drop without ALL (unrestricted capabilities)",
                            )


def ds320_3(values, release, watch):
    """DS320 <role>.<kind>[container].securityContext.capabilities.add"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['workers']['initContainers'] or values['workers']['sidecars'] or values['launcher']['initContainers'] or values['launcher']['sidecars'])
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_kind = watch.was_read
            for kind in ['initContainers', 'sidecars']:
                watch.was_read = before_kind
                before_container = watch.was_read
                for at_container, container in enumerate(values[role][kind]):
                    watch.was_read = before_container
                    if is_string(container.get('name')):
                        context = get(container, 'securityContext', {})
                        if values['security']['podSecurityLevel'] == 'baseline':
                            before_capability = watch.was_read
                            for capability in get(context, 'capabilities', 'add', []):
                                watch.was_read = before_capability
                                if (
                                    is_string(capability)
                                    and capability not in ['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE', 'SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT']
                                ):
                                    yield (
                                        (role, kind, at_container, 'securityContext', 'capabilities', 'add'),
                                        f"{role}.{kind}: {quote(container['name'])}: Pod Security {values['security']['podSecurityLevel']} forbids the capability {quote(capability)} (non-default capabilities)",
                                    )


def ds320_4(values, release, watch):
    """DS320 <role>.<kind>[container].securityContext.capabilities.add"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['workers']['initContainers'] or values['workers']['sidecars'] or values['launcher']['initContainers'] or values['launcher']['sidecars'])
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_kind = watch.was_read
            for kind in ['initContainers', 'sidecars']:
                watch.was_read = before_kind
                before_container = watch.was_read
                for at_container, container in enumerate(values[role][kind]):
                    watch.was_read = before_container
                    if is_string(container.get('name')):
                        context = get(container, 'securityContext', {})
                        if values['security']['podSecurityLevel'] == 'restricted':
                            before_capability = watch.was_read
                            for capability in get(context, 'capabilities', 'add', []):
                                watch.was_read = before_capability
                                if is_string(capability) and capability != 'NET_BIND_SERVICE':
                                    yield (
                                        (role, kind, at_container, 'securityContext', 'capabilities', 'add'),
                                        f"{role}.{kind}: {quote(container['name'])}: Pod Security {values['security']['podSecurityLevel']} forbids the capability {quote(capability)} (unrestricted capabilities)",
                                    )


def ds320_5(values, release, watch):
    """DS320 network.rdma.ipcLock"""
    if (
        values['network']['rdma']['ipcLock'] != 'auto'
        and values['network']['rdma']['ipcLock'] == 'add'
        and values['security']['podSecurityLevel'] != 'privileged'
    ):
        yield (
            ('network', 'rdma', 'ipcLock'),
            "network.rdma.ipcLock: RDMA needs the capability IPC_LOCK, which only the Pod Security level privileged allows",
        )


def ds329_4(values, release, watch):
    """DS329 annotations.<key>"""
    if values['security']['podSecurityLevel'] != 'privileged':
        before_key = watch.was_read
        for key, value in items(values['annotations']):
            watch.was_read = before_key
            if (
                matching(key, '^container[.]apparmor[.]security[.]beta[.]kubernetes[.]io/.*$')
                and not matching(value, '^(runtime/default|localhost/.*)?$')
            ):
                yield (
                    ('annotations', key),
                    f"annotations: {quote(key)}: Pod Security {values['security']['podSecurityLevel']} forbids it (forbidden AppArmor profile)",
                )


def ds329_5(values, release, watch):
    """DS329 <role>.podAnnotations.<key>"""
    if values['security']['podSecurityLevel'] != 'privileged':
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_key = watch.was_read
            for key, value in items(values[role]['podAnnotations']):
                watch.was_read = before_key
                if (
                    matching(key, '^container[.]apparmor[.]security[.]beta[.]kubernetes[.]io/.*$')
                    and not matching(value, '^(runtime/default|localhost/.*)?$')
                ):
                    yield (
                        (role, 'podAnnotations', key),
                        f"{role}.podAnnotations: {quote(key)}: Pod Security {values['security']['podSecurityLevel']} forbids it (forbidden AppArmor profile)",
                    )


def ds380(values, release, watch):
    """DS380 serviceAccount"""
    if (
        (values['rbac']['create'] or values['serviceAccount']['create'])
        and service_account_name(values, release) == 'default'
    ):
        yield (
            ('serviceAccount',),
            "serviceAccount: every pod of the namespace may use the ServiceAccount default, and could read the ssh key and write the record",
        )


def ds322(values, release, watch):
    """DS322 network.hostNetwork"""
    if values['security']['podSecurityLevel'] != 'privileged' and values['network']['hostNetwork']:
        yield (
            ('network', 'hostNetwork'),
            f"network.hostNetwork: Pod Security {values['security']['podSecurityLevel']} forbids it (host namespaces)",
        )


def ds323(values, release, watch):
    """DS323 storage.<name>.hostPath"""
    if values['security']['podSecurityLevel'] != 'privileged':
        before_name = watch.was_read
        for name, volume in items(values['storage']):
            watch.was_read = before_name
            if first_source(volume) == 'hostPath':
                yield (
                    ('storage', name, 'hostPath'),
                    f"storage.{name}.hostPath: Pod Security {values['security']['podSecurityLevel']} forbids it (hostPath volumes)",
                )


def ds331(values, release, watch):
    """DS331 storage.<name>.nfs"""
    if values['security']['podSecurityLevel'] != 'privileged':
        before_name = watch.was_read
        for name, volume in items(values['storage']):
            watch.was_read = before_name
            if values['security']['podSecurityLevel'] == 'restricted' and first_source(volume) == 'nfs':
                yield (
                    ('storage', name, 'nfs'),
                    f"storage.{name}.nfs: Pod Security restricted forbids it (restricted volume types)",
                )


def ds324(values, release, watch):
    """DS324 <role>.<kind>[container].ports[port].hostPort"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['workers']['initContainers'] or values['workers']['sidecars'] or values['launcher']['initContainers'] or values['launcher']['sidecars'])
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_kind = watch.was_read
            for kind in ['initContainers', 'sidecars']:
                watch.was_read = before_kind
                before_container = watch.was_read
                for at_container, container in enumerate(values[role][kind]):
                    watch.was_read = before_container
                    before_port = watch.was_read
                    for at_port, port in enumerate(get(container, 'ports', [])):
                        watch.was_read = before_port
                        if port.get('hostPort'):
                            yield (
                                (role, kind, at_container, 'ports', at_port, 'hostPort'),
                                f"{role}.{kind}: Pod Security {values['security']['podSecurityLevel']} forbids a hostPort (hostPort)",
                            )


def ds336(values, release, watch):
    """DS336 <role>.<kind>[container].<probe>.<action>.host"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['workers']['initContainers'] or values['workers']['sidecars'] or values['launcher']['initContainers'] or values['launcher']['sidecars'])
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_kind = watch.was_read
            for kind in ['initContainers', 'sidecars']:
                watch.was_read = before_kind
                before_container = watch.was_read
                for at_container, container in enumerate(values[role][kind]):
                    watch.was_read = before_container
                    before_probe = watch.was_read
                    for probe in ['livenessProbe', 'readinessProbe', 'startupProbe']:
                        watch.was_read = before_probe
                        before_action = watch.was_read
                        for action in ['httpGet', 'tcpSocket']:
                            watch.was_read = before_action
                            if get(container, probe, action, 'host', ''):
                                yield (
                                    (role, kind, at_container, probe, action, 'host'),
                                    f"{role}.{kind}: {probe}: Pod Security {values['security']['podSecurityLevel']} forbids the host of {action} (probe or lifecycle host)",
                                )


def ds336_2(values, release, watch):
    """DS336 <role>.<kind>[container].lifecycle.<hook>.<action>.host"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['workers']['initContainers'] or values['workers']['sidecars'] or values['launcher']['initContainers'] or values['launcher']['sidecars'])
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_kind = watch.was_read
            for kind in ['initContainers', 'sidecars']:
                watch.was_read = before_kind
                before_container = watch.was_read
                for at_container, container in enumerate(values[role][kind]):
                    watch.was_read = before_container
                    before_hook = watch.was_read
                    for hook in ['postStart', 'preStop']:
                        watch.was_read = before_hook
                        before_action = watch.was_read
                        for action in ['httpGet', 'tcpSocket']:
                            watch.was_read = before_action
                            if get(container, 'lifecycle', hook, action, 'host', ''):
                                yield (
                                    (role, kind, at_container, 'lifecycle', hook, action, 'host'),
                                    f"{role}.{kind}: {hook}: Pod Security {values['security']['podSecurityLevel']} forbids the host of {action} (probe or lifecycle host)",
                                )


def ds336_3(values, release, watch):
    """DS336 <role>.extraContainerSpec.<probe>.<action>.host"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['workers']['extraContainerSpec'] or values['launcher']['extraContainerSpec'])
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_probe = watch.was_read
            for probe in ['livenessProbe', 'readinessProbe', 'startupProbe']:
                watch.was_read = before_probe
                before_action = watch.was_read
                for action in ['httpGet', 'tcpSocket']:
                    watch.was_read = before_action
                    if get(values[role]['extraContainerSpec'], probe, action, 'host', ''):
                        yield (
                            (role, 'extraContainerSpec', probe, action, 'host'),
                            f"{role}.extraContainerSpec: {probe}: Pod Security {values['security']['podSecurityLevel']} forbids the host of {action} (probe or lifecycle host)",
                        )


def ds336_4(values, release, watch):
    """DS336 <role>.extraContainerSpec.lifecycle.<hook>.<action>.host"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['workers']['extraContainerSpec'] or values['launcher']['extraContainerSpec'])
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_hook = watch.was_read
            for hook in ['postStart', 'preStop']:
                watch.was_read = before_hook
                before_action = watch.was_read
                for action in ['httpGet', 'tcpSocket']:
                    watch.was_read = before_action
                    if get(values[role]['extraContainerSpec'], 'lifecycle', hook, action, 'host', ''):
                        yield (
                            (role, 'extraContainerSpec', 'lifecycle', hook, action, 'host'),
                            f"{role}.extraContainerSpec: {hook}: Pod Security {values['security']['podSecurityLevel']} forbids the host of {action} (probe or lifecycle host)",
                        )


def ds322_2(values, release, watch):
    """DS322 <role>.extraPodSpec.hostPID"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['workers']['extraPodSpec'] or values['launcher']['extraPodSpec'])
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            if get(values[role]['extraPodSpec'], 'hostPID', False):
                yield (
                    (role, 'extraPodSpec', 'hostPID'),
                    f"{role}.extraPodSpec: Pod Security {values['security']['podSecurityLevel']} forbids hostPID (host namespaces)",
                )


def ds322_3(values, release, watch):
    """DS322 <role>.extraPodSpec.hostIPC"""
    if (
        values['security']['podSecurityLevel'] != 'privileged'
        and (values['workers']['extraPodSpec'] or values['launcher']['extraPodSpec'])
    ):
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            if get(values[role]['extraPodSpec'], 'hostIPC', False):
                yield (
                    (role, 'extraPodSpec', 'hostIPC'),
                    f"{role}.extraPodSpec: Pod Security {values['security']['podSecurityLevel']} forbids hostIPC (host namespaces)",
                )


def ds344(values, release, watch):
    """DS344 <role>.extraPodSpec.<field>"""
    if values['workers']['extraPodSpec'] or values['launcher']['extraPodSpec']:
        before_role = watch.was_read
        for role in ['workers', 'launcher']:
            watch.was_read = before_role
            before_field = watch.was_read
            for field in ['hostPID', 'shareProcessNamespace']:
                watch.was_read = before_field
                if (
                    get(values[role]['extraPodSpec'], field, False)
                    and (field != 'hostPID' or values['security']['podSecurityLevel'] == 'privileged')
                ):
                    yield (
                        (role, 'extraPodSpec', field),
                        f"{role}.extraPodSpec: with {field} the training code could read the token of the status sidecar and the ssh key through /proc",
                    )


def ds374(values, release, watch):
    """DS374 storage.<name>.projected.sources[source].serviceAccountToken"""
    before_name = watch.was_read
    for name, volume in items(values['storage']):
        watch.was_read = before_name
        if volume.get('projected') is not None and has_volume(values, values['launcher'], 'launcher', name, volume):
            before_source = watch.was_read
            for at_source, source in enumerate(get(volume['projected'], 'sources', [])):
                watch.was_read = before_source
                if 'serviceAccountToken' in source and not get(source, 'serviceAccountToken', 'audience', ''):
                    yield (
                        ('storage', name, 'projected', 'sources', at_source, 'serviceAccountToken'),
                        f"storage.{name}: with a token of the launcher's ServiceAccount, the training code could change the record and read the ssh key",
                    )


ROWS = (
    ds201,
    ds250,
    ds250_2,
    ds250_3,
    ds250_4,
    ds250_5,
    ds204,
    ds382,
    ds340,
    ds343,
    ds205,
    ds230,
    ds230_2,
    ds230_3,
    ds230_4,
    ds230_5,
    ds231,
    ds202,
    ds203,
    ds221,
    ds225,
    ds225_2,
    ds286,
    ds220,
    ds222,
    ds220_2,
    ds222_2,
    ds223,
    ds224,
    ds395,
    ds363,
    ds363_2,
    ds363_3,
    ds363_4,
    ds363_5,
    ds364,
    ds364_2,
    ds365,
    ds366,
    ds366_2,
    ds366_3,
    ds366_4,
    ds366_5,
    ds366_6,
    ds366_7,
    ds366_8,
    ds366_9,
    ds366_10,
    ds366_11,
    ds366_12,
    ds366_13,
    ds366_14,
    ds366_15,
    ds366_16,
    ds375,
    ds366_17,
    ds270,
    ds271,
    ds272,
    ds272_2,
    ds272_3,
    ds272_4,
    ds272_5,
    ds271_2,
    ds371,
    ds371_2,
    ds371_3,
    ds371_4,
    ds371_5,
    ds273,
    ds273_2,
    ds273_3,
    ds273_4,
    ds273_5,
    ds274,
    ds275,
    ds275_2,
    ds276,
    ds350,
    ds351,
    ds352,
    ds393,
    ds393_2,
    ds393_3,
    ds398,
    ds399,
    ds290,
    ds290_2,
    ds290_3,
    ds290_4,
    ds295,
    ds295_2,
    ds291,
    ds292,
    ds293,
    ds294,
    ds295_3,
    ds248,
    ds360,
    ds248_2,
    ds360_2,
    ds369,
    ds369_2,
    ds369_3,
    ds369_4,
    ds369_5,
    ds369_6,
    ds369_7,
    ds361,
    ds368,
    ds206,
    ds206_2,
    ds206_3,
    ds207,
    ds209,
    ds208,
    ds208_2,
    ds237,
    ds232,
    ds233,
    ds385,
    ds386,
    ds234,
    ds235,
    ds236,
    ds287,
    ds287_2,
    ds287_3,
    ds287_4,
    ds287_5,
    ds287_6,
    ds287_7,
    ds287_8,
    ds279,
    ds287_9,
    ds277,
    ds278,
    ds383,
    ds384,
    ds384_2,
    ds376,
    ds376_2,
    ds376_3,
    ds376_4,
    ds376_5,
    ds376_6,
    ds377,
    ds358,
    ds358_2,
    ds358_3,
    ds358_4,
    ds362,
    ds373,
    ds210,
    ds212,
    ds251,
    ds251_2,
    ds213,
    ds214,
    ds215,
    ds216,
    ds218,
    ds219,
    ds217,
    ds211,
    ds212_2,
    ds387,
    ds388,
    ds387_2,
    ds388_2,
    ds387_3,
    ds388_3,
    ds387_4,
    ds388_4,
    ds389,
    ds389_2,
    ds409,
    ds240,
    ds241,
    ds243,
    ds243_2,
    ds244,
    ds245,
    ds239,
    ds227,
    ds228,
    ds226,
    ds226_2,
    ds226_3,
    ds226_4,
    ds229,
    ds246,
    ds247,
    ds249,
    ds242,
    ds242_2,
    ds242_3,
    ds242_4,
    ds242_5,
    ds341,
    ds242_6,
    ds390,
    ds391,
    ds392,
    ds300,
    ds301,
    ds302,
    ds303,
    ds304,
    ds305,
    ds311,
    ds309,
    ds308,
    ds308_2,
    ds308_3,
    ds308_4,
    ds307,
    ds307_2,
    ds306,
    ds306_2,
    ds306_3,
    ds306_4,
    ds306_5,
    ds306_6,
    ds306_7,
    ds310,
    ds305_2,
    ds367,
    ds327,
    ds329,
    ds326,
    ds330,
    ds333,
    ds334,
    ds328,
    ds337,
    ds327_2,
    ds329_2,
    ds326_2,
    ds330_2,
    ds333_2,
    ds334_2,
    ds321,
    ds325,
    ds332,
    ds335,
    ds320,
    ds320_2,
    ds327_3,
    ds329_3,
    ds326_3,
    ds330_3,
    ds333_3,
    ds334_3,
    ds321_2,
    ds325_2,
    ds332_2,
    ds335_2,
    ds320_3,
    ds320_4,
    ds320_5,
    ds329_4,
    ds329_5,
    ds380,
    ds322,
    ds323,
    ds331,
    ds324,
    ds336,
    ds336_2,
    ds336_3,
    ds336_4,
    ds322_2,
    ds322_3,
    ds344,
    ds374,
)
"""The rows in the order of their table."""
