"""The helpers of the templates.

Written by `make generate` from the files dsgen/templates/**/_*.j2; changes are lost.
"""

from collections.abc import Mapping
from dsgen.language.functions import get, is_string, items, join, join_blocks, matching, overlay, refuse, variables
from dsgen.language.text import indent, quote, scalar, to_json, to_yaml
from typing import Any


def git_over_ssh(repository: str) -> str:
    """"true" for a repository over ssh: ssh://HOST/PATH or HOST:PATH; else empty."""
    if matching(repository, '^ssh://.*$') or matching(repository, '^[^/:]+:([^/].*|/[^/].*)$'):
        return "true"
    return ""


def reserved_path(path: str) -> str:
    """"true" for a path that dsgen or the system uses; else empty."""
    if (
        matching(path, '^/(job|etc/(dsgen|dsgen-status|dsgen-git|dsgen-webhook|mpi))(/.*)?$')
        or matching(path, '^/((var/)?run/dsgen(-[a-z]+)?|(var/)?run/secrets/dsgen|etc/ssh/ssh_config|etc/passwd)(/.*)?$')
        or matching(path, '^/(etc|etc/ssh|run|var|var/run|var/run/secrets|dev|proc|sys)$')
    ):
        return "true"
    return ""


def kind_of_device(resource: str) -> str:
    """What the messages call the devices of a resource of which each process needs its own; empty for others."""
    if matching(resource, '^((nvidia|amd)[.]com/gpu|nvidia[.]com/(pgpu|mig-.*)|gpu[.]intel[.]com/.*)$'):
        return "GPUs"
    if matching(resource, '^(habana[.]ai/gaudi|huawei[.]com/Ascend.*)$'):
        return f"of {quote(resource)}"
    return ""


def has_fewer_devices(workers: Any) -> str:
    """"true" if a worker has more processes than devices, and has devices; else empty. `workers` is values.workers."""
    if (
        workers['slots'] > 1
        and workers['accelerator'].get('count') is not None
        and workers['accelerator']['count'] > 0
        and workers['slots'] > workers['accelerator']['count']
    ):
        return "true"
    return ""


def kind_of_mpirun(word: str) -> str:
    """The kind of an argument of mpirun that dsgen sets or that breaks a run; empty for others."""
    if matching(word, '^--?(n|np|c|N|pernode|npernode|npersocket|H|host|hostfile|machinefile|default-hostfile|rankfile|rf|app)(=.*)?$'):
        return "processes"
    if matching(word, '^(--?(tag-output|timestamp-output|merge-stderr-to-stdout|output|output-filename|stdin|xml|xml-file)(=.*)?|(orte|prte)_(tag|timestamp|xml)_output)$'):
        return "output"
    if matching(word, '^(plm|plm_rsh_.*|(orte|prte)_(leave_session_attached|keep_fqdn_hostnames))$'):
        return "transport"
    if matching(word, '^--?(h|help|V|version|do-not-launch|daemonize|report-uri|launch-agent|tune|am|(wd|wdir)|path)(=.*)?$'):
        return "start"
    return ""


def is_other_service(audience: str) -> str:
    """"true" for the audience of a service whose tokens no API server accepts; else empty. By default, one accepts the
    audience that is its issuer, which is another text in each cluster.
    """
    if (
        matching(audience, '^(sts[.]amazonaws[.]com([.]cn)?|api://AzureADTokenExchange([A-Za-z]*)|vault|sigstore)$')
        or matching(audience, '^((https:)?//iam[.]googleapis[.]com/projects/.+|[a-z0-9-]+[.]svc[.]id[.]goog)$')
    ):
        return "true"
    return ""


def port_of(values: Mapping[str, Any], key: str) -> str:
    """The port of a worker with this key; empty if nothing listens on it."""
    if key == 'workers.readinessPort':
        return f"{scalar(values['workers']['readinessPort'])}"
    if key == 'launch.masterPort':
        return f"{scalar(values['launch']['masterPort'])}"
    if key == 'ssh.port' and uses_ssh(values):
        return f"{scalar(values['ssh']['port'])}"
    if key == 'monitoring.podMonitor.port' and values['monitoring']['podMonitor']['enabled']:
        return f"{scalar(values['monitoring']['podMonitor']['port'])}"
    return ""


def digits_below(count: int) -> str:
    """The number of digits of all numbers from 0 to `count` - 1."""
    if count <= 10:
        return f"{scalar(count)}"
    if count <= 100:
        return f"{scalar(count * 2 - 10)}"
    if count <= 1000:
        return f"{scalar(count * 3 - 110)}"
    if count <= 10000:
        return f"{scalar(count * 4 - 1110)}"
    return f"{scalar(count * 5 - 11110)}"


def world_bytes(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """The size of DeepSpeed's JSON of the workers, such as {"RUN-worker-0.RUN": [0, 1]}: for each worker both names, 15
    other characters and its slots with two characters between them; and the digits of the workers.
    """
    run = run_name(values, release)
    slots = int(digits_below(values['workers']['slots'])) + 2 * values['workers']['slots']
    pods = int(worker_pods(values))
    return f"{scalar(pods * (2 * len(run) + 15 + slots) + int(digits_below(pods)))}"


def config_path(values: Mapping[str, Any]) -> str:
    """The path of DeepSpeed's configuration in a pod; empty without one."""
    if values['training']['deepspeed']['configFile'] or values['training']['deepspeed']['config']:
        return f"{values['training']['deepspeed']['configFile'] or '/job/ds_config.json'}"
    return ""


def has_config(words: Any, path: str) -> str:
    """"true" if one of the words of a command is the path of the configuration."""
    if path in words or '--deepspeed=' + path in words or '--deepspeed_config=' + path in words:
        return "true"
    return ""


def configured_in_file(training: Any) -> str:
    """"true" if a YAML file of the job, such as LLaMA-Factory's, names a configuration."""
    text = ""
    for name, text_ in items(training['files']):
        if (
            matching(name, '^.*[.]ya?ml$')
            and matching(text_, '^(([^$]|[$])*[^ -~])? *deepspeed(_config_file)?: +[!-~]([^$]|[$])*$')
        ):
            text += "true\n"
    return text.removesuffix("\n")


def has_auto_batch(config: Any) -> str:
    """"true" if a batch size is `auto`, which programs of the Hugging Face Trainer fill in, and DeepSpeed alone
    refuses.
    """
    text = ""
    for key in ['train_batch_size', 'train_micro_batch_size_per_gpu', 'gradient_accumulation_steps']:
        size = get(config, key, '')
        if is_string(size) and size == 'auto':
            text += "true\n"
    return text.removesuffix("\n")


def config_way(values: Mapping[str, Any]) -> str:
    """How the program gets DeepSpeed's configuration: "deepspeed" is --deepspeed --deepspeed_config FILE, "huggingface"
    is --deepspeed FILE; empty if dsgen does not pass it. The autotuner fills `auto` itself.
    """
    deepspeed = values['training']['deepspeed']
    path = config_path(values)
    words = values['training']['exec'] + values['training']['args']
    if not path or not deepspeed['passConfig']:
        text = ""
        return text.removesuffix("\n")
    if is_string(deepspeed['passConfig']):
        return f"{deepspeed['passConfig']}"
    if has_config(words, path) or configured_in_file(values['training']):
        text = ""
        return text.removesuffix("\n")
    if deepspeed['autotuning'] == 'none' and has_auto_batch(deepspeed['config']):
        return "huggingface"
    return "deepspeed"


def image_fields(values: Mapping[str, Any], role: str) -> str:
    """The image of a role, see image_of."""
    return (
        f"image: {quote(image_of(values, role))}\n"
        f"imagePullPolicy: {values['image']['pullPolicy']}"
    )


def own_container_limits(values: Mapping[str, Any], pod: Any) -> str:
    """Fields of dsgen's own containers: no privileges; requests and limits, because a quota may require both."""
    return (
        "securityContext:\n"
        f"  {indent(own_security_context(values, pod), 2)}\n"
        "resources:\n"
        "  requests:\n"
        "    cpu: 20m\n"
        "    memory: 64Mi\n"
        "  limits:\n"
        "    cpu: \"1\"\n"
        "    memory: 128Mi"
    )


def own_mounts(values: Mapping[str, Any], pod: Any, program: str, run: str) -> str:
    """Mounts of every container. `program`: the folder of its own scripts, or empty; `run`: its volume, which no other
    writes.
    """
    text = ""
    for folder in [program, 'local', 'slurm', 'ssh']:
        if program and needs_scripts(values, folder):
            text += f"{mount(folder, '/etc/dsgen/' + folder)}\n"
    text += (
        f"{mount('shared', '/etc/dsgen/shared')}\n"
        f"- name: {run}\n"
        "  mountPath: /run/dsgen\n"
    )
    if wants_passwd(values, pod):
        text += f"{file_mount('run-passwd', '/etc/passwd', 'passwd')}\n"
    return text.removesuffix("\n")


def mount(volume: str, path: str) -> str:
    """A read-only mount of one of dsgen's volumes."""
    return (
        f"- name: dsgen-{volume}\n"
        f"  mountPath: {path}\n"
        "  readOnly: true"
    )


def file_mount(volume: str, path: str, file: str) -> str:
    """A read-only mount of one file of these volumes."""
    return (
        f"- name: dsgen-{volume}\n"
        f"  mountPath: {path}\n"
        f"  subPath: {file}\n"
        "  readOnly: true"
    )


def storage_mount(name: str, volume: Any, is_read_only: bool) -> str:
    """The mount of a volume of storage; `name` is its key, `volume` its value."""
    text = (
        f"- name: {quote(name)}\n"
        f"  mountPath: {quote(volume['mountPath'])}\n"
    )
    if volume['subPath']:
        text += f"  subPath: {quote(volume['subPath'])}\n"
    if is_read_only:
        text += "  readOnly: true\n"
    return text.removesuffix("\n")


def passwd_container(values: Mapping[str, Any], pod: Any, role: str) -> str:
    """Writes a passwd file with an entry for the uid of the pod; the other containers mount it."""
    return (
        "- name: passwd\n"
        f"  {indent(image_fields(values, role), 2)}\n"
        "  command: [bash, /etc/dsgen/shared/passwd.sh]\n"
        f"  {indent(own_container_limits(values, pod), 2)}\n"
        "  volumeMounts:\n"
        f"    {indent(mount('shared', '/etc/dsgen/shared'), 4)}\n"
        "    - name: dsgen-run-passwd\n"
        "      mountPath: /run/dsgen"
    )


def status_container(values: Mapping[str, Any], pod: Any) -> str:
    """The container of dsgen that uses the Kubernetes API. Only this container has the token, and it does not run the
    user's code.
    """
    text = (
        "- name: status\n"
        f"  {indent(image_fields(values, 'status'), 2)}\n"
        "  command: [sh, /etc/dsgen/status/start.sh]\n"
        f"  {indent(own_container_limits(values, pod), 2)}\n"
        "  volumeMounts:\n"
        f"    {indent(own_mounts(values, pod, 'status', 'dsgen-run-status'), 4)}\n"
        f"    {indent(mount('run', '/run/dsgen-launcher'), 4)}\n"
    )
    if has_code(values, 'launcher'):
        text += f"    {indent(mount('run-code', '/run/dsgen-code'), 4)}\n"
    text += f"    {indent(mount('token', '/var/run/secrets/dsgen'), 4)}\n"
    if values['status']['webhook']['secretName']:
        text += f"    {indent(mount('webhook', '/etc/dsgen-webhook'), 4)}\n"
    text += "  restartPolicy: Always"
    return text


def has_code(values: Mapping[str, Any], pods: str) -> str:
    """"true" if the pods (workers or launcher) have the code of code.git; else empty. The launcher needs it for the
    program, the autotuner or training.setup.
    """
    if (
        values['code']['git']['repository']
        and (pods == 'workers' or uses_ssh(values) and (values['training']['setup'] or files_in_launcher(values)))
    ):
        return "true"
    return ""


def code_container(values: Mapping[str, Any], pod: Any, role: str) -> str:
    """Clones the code before any container of the user starts; git needs more memory than dsgen's other containers."""
    text = ""
    refuse('DS292', missing_git_key(values))
    text += (
        "- name: code\n"
        f"  image: {quote(values['code']['git']['image'] or image_of(values, role))}\n"
        f"  imagePullPolicy: {values['image']['pullPolicy']}\n"
        "  command: [bash, /etc/dsgen/shared/code.sh]\n"
        "  env:\n"
        "    - name: DSGEN_GIT_REPOSITORY\n"
        f"      value: {quote(str.replace(values['code']['git']['repository'], '$', '$$'))}\n"
        "    - name: DSGEN_GIT_REVISION\n"
        f"      value: {quote(str.replace(values['code']['git']['revision'], '$', '$$'))}\n"
        "  securityContext:\n"
        f"    {indent(own_security_context(values, pod), 4)}\n"
        "  resources:\n"
        "    requests:\n"
        "      cpu: 100m\n"
        "      memory: 256Mi\n"
        "    limits:\n"
        "      cpu: \"1\"\n"
        "      memory: 2Gi\n"
        "  volumeMounts:\n"
        f"    {indent(own_mounts(values, pod, '', 'dsgen-run-code'), 4)}\n"
        "    - name: dsgen-code\n"
        "      mountPath: /run/dsgen/code\n"
    )
    if values['code']['git']['secretName']:
        text += f"    {indent(mount('git', '/etc/dsgen-git'), 4)}\n"
    return text.removesuffix("\n")


def init_containers(values: Mapping[str, Any], pod: Any, role: str, pods: str) -> str:
    """The init containers of both pods: those of dsgen, then those of the user. Sidecars are init containers that keep
    running: in the main list they would keep the Job from completing.
    """
    text = ""
    for kind in ['initContainers', 'sidecars']:
        for container in pod[kind]:
            refuse('DS234', own_container(pods + '.' + kind, container))
    if wants_passwd(values, pod):
        text += f"{passwd_container(values, pod, role)}\n"
    if role == 'launcher':
        text += f"{status_container(values, pod)}\n"
    if has_code(values, pods):
        text += f"{code_container(values, pod, role)}\n"
    if (
        pod['initContainers']
        and not (values['lifecycle']['debug']['enabled'] and values['lifecycle']['debug']['skipInitContainers'])
    ):
        text += f"{to_yaml(pod['initContainers'])}\n"
    for sidecar in pod['sidecars']:
        text += to_yaml([overlay({'restartPolicy': 'Always'}, sidecar)]) + "\n"
    return text.removesuffix("\n")


def resources(values: Mapping[str, Any], pod: Any, role: str) -> str:
    """Requests and limits of a main container; the devices of a worker are in both, as the API server requires. `pod`
    can also be monitoring.tensorboard, with the role tensorboard.
    """
    text = ""
    devices = device_resources(values, role)
    requests = join_blocks([requests_of(pod, role), devices])
    if requests:
        text += (
            "requests:\n"
            f"  {indent(requests, 2)}\n"
        )
    limits = join_blocks([pod['resources']['limits'] and to_yaml(pod['resources']['limits']), devices])
    if limits:
        text += (
            "limits:\n"
            f"  {indent(limits, 2)}\n"
        )
    if pod['resources']['claims']:
        text += (
            "claims:\n"
            f"  {indent(to_yaml(pod['resources']['claims']), 2)}\n"
        )
    return text.removesuffix("\n")


def requests_of(pod: Any, role: str) -> str:
    """The requests of a main container. A request that is auto follows the limit, as in Kubernetes."""
    text = ""
    for key, quantity in items(pod['resources']['requests']):
        request = request_of(pod, role, key, quantity)
        if request:
            text += f"{quote(key)}: {request}\n"
    return text.removesuffix("\n")


def quantity_json(quantity: Any) -> str:
    """A quantity (a text or a number) as JSON."""
    return f"{to_json(quantity)}"


def request_of(pod: Any, role: str, key: str, quantity: Any) -> str:
    """The request of a resource as JSON; empty for an automatic one without a limit and without a default."""
    if quantity_json(quantity) != '"auto"':
        return f"{quantity_json(quantity)}"
    if key in pod['resources']['limits']:
        return f"{quantity_json(pod['resources']['limits'][key])}"
    if key == 'cpu':
        return quote(get({'worker': '1', 'launcher': '500m', 'tensorboard': '100m'}, role, ''))
    if key == 'memory':
        return quote(get({'worker': '2Gi', 'launcher': '2Gi', 'tensorboard': '512Mi'}, role, ''))
    return ""


def device_resources(values: Mapping[str, Any], role: str) -> str:
    """Requests or limits of devices: the accelerators and RDMA devices of a worker. Other pods have none."""
    if role == 'worker':
        text = ""
        count = int(accelerators(values['workers']))
        if count:
            text += f"{quote(values['workers']['accelerator']['resource'])}: {scalar(count)}\n"
        if values['network']['rdma']['resources']:
            text += f"{to_yaml(values['network']['rdma']['resources'])}\n"
        return text.removesuffix("\n")
    return ""


def environment(values: Mapping[str, Any], release: Mapping[str, str], role: str) -> str:
    """dsgen's variables, then the user's, in an order in which the kubelet expands $(NAME); in a launcher that does not
    run the program, without those from other objects, such as Secrets. Only caches of compiled code are put elsewhere:
    a cache of models would fill the disk of the node.
    """
    text = (
        "- name: DSGEN_ROLE\n"
        f"  value: {role}\n"
        "- name: DSGEN_JOB\n"
        f"  value: {quote(job_name(values, release))}\n"
        "- name: DSGEN_RUN\n"
        f"  value: {quote(run_id(values))}\n"
        "- name: DSGEN_JOB_LIMITS\n"
        "  value: |-\n"
        f"    {indent(job_limits(values, role), 4)}\n"
    )
    own = {'PYTHONUNBUFFERED': '1', 'CUDA_CACHE_PATH': '/run/dsgen/cache/cuda', 'NEURON_COMPILE_CACHE_URL': '/run/dsgen/cache/neuron', 'TORCH_EXTENSIONS_DIR': '/run/dsgen/cache/torch_extensions', 'TORCHINDUCTOR_CACHE_DIR': '/run/dsgen/cache/torchinductor', 'TRITON_CACHE_DIR': '/run/dsgen/cache/triton'}
    # Git refuses a working tree of another user, such as that of the code container.
    if values['code']['git']['repository']:
        own = overlay(own, {'GIT_CONFIG_COUNT': '1', 'GIT_CONFIG_KEY_0': 'safe.directory', 'GIT_CONFIG_VALUE_0': str.replace(values['code']['mountPath'], '$', '$$')})
    if role == 'worker' and values['network']['socketInterface']:
        own = overlay(own, {'NCCL_SOCKET_IFNAME': values['network']['socketInterface']})
        # Gloo supports neither lists of interfaces nor the prefixes ^ and =.
        if matching(values['network']['socketInterface'], '^[^,=^]*$'):
            own = overlay(own, {'GLOO_SOCKET_IFNAME': values['network']['socketInterface']})
    for name, value in items(values['training']['env']):
        refuse('DS220', reserved_variable(values, 'training.env', name))
    all = overlay(own, values['training']['env'])
    if role == 'launcher':
        for name, value in items(values['launcher']['env']):
            refuse('DS220', reserved_variable(values, 'launcher.env', name))
        all = overlay(all, values['launcher']['env'])
    names = variables(all)
    for name, value in items(all):
        refuse('DS431', circle_of_variables(names, name))
    for name in names:
        value = get(all, name, '')
        if is_string(value) or role == 'worker' or name in values['launcher']['env'] or program_in_launcher(values):
            text += f"- name: {quote(name)}\n"
            if is_string(value):
                text += f"  value: {quote(value)}\n"
            else:
                text += (
                    "  valueFrom:\n"
                    f"    {indent(to_yaml(value.get('valueFrom')), 4)}\n"
                )
    return text.removesuffix("\n")


def training_container(values: Mapping[str, Any], release: Mapping[str, str], pod: Any, role: str) -> str:
    """Fields of the containers that run the user's code."""
    text = ""
    for source in values['training']['envFrom']:
        refuse('DS223', reserved_prefix(source))
    text += f"{image_fields(values, role)}\n"
    if prepares_training(values, role):
        text += "command: [bash, /etc/dsgen/shared/start.sh]\n"
    else:
        text += "command: [bash, /etc/dsgen/shared/start.sh, --without-setup]\n"
    directory = values['training']['workingDir'] or values['code']['git']['repository'] and values['code']['mountPath']
    if directory:
        text += f"workingDir: {quote(directory)}\n"
    text += (
        "env:\n"
        f"  {indent(environment(values, release, role), 2)}\n"
    )
    if values['training']['envFrom'] and (role == 'worker' or program_in_launcher(values)):
        text += (
            "envFrom:\n"
            f"  {indent(to_yaml(values['training']['envFrom']), 2)}\n"
        )
    if pod['extraContainerSpec']:
        text += f"{to_yaml(pod['extraContainerSpec'])}\n"
    return text.removesuffix("\n")


def worker_port(values: Mapping[str, Any], name: str, port: int) -> str:
    """A port of a worker. On the network of the node, two workers with the same port never share a node."""
    text = (
        f"- name: {name}\n"
        f"  containerPort: {scalar(port)}\n"
    )
    if values['network']['hostNetwork']:
        text += f"  hostPort: {scalar(port)}\n"
    return text.removesuffix("\n")


def worker_ports(values: Mapping[str, Any]) -> str:
    """Ports of a worker."""
    text = ""
    refuse('DS244', port_of_node(values))
    for one in ['monitoring.podMonitor.port', 'workers.readinessPort', 'launch.masterPort']:
        for other in ['workers.readinessPort', 'launch.masterPort', 'ssh.port']:
            if one != other:
                refuse('DS242', same_port(values, one, other))
    if uses_ssh(values):
        text += f"{worker_port(values, 'ssh', values['ssh']['port'])}\n"
    if values['network']['hostNetwork'] or not uses_ssh(values):
        text += f"{worker_port(values, 'master', values['launch']['masterPort'])}\n"
    if values['network']['hostNetwork']:
        text += f"{worker_port(values, 'readiness', values['workers']['readinessPort'])}\n"
    if values['monitoring']['podMonitor']['enabled']:
        text += f"{worker_port(values, 'metrics', values['monitoring']['podMonitor']['port'])}\n"
    return text.removesuffix("\n")


def training_mounts(values: Mapping[str, Any], pod: Any, role: str, pods: str) -> str:
    """Mounts of the main container. A mount with subPath costs a node more than a volume, so a worker has the files of
    ssh only where a command of the user may log in from it, and a launcher that starts no program has no files for one.
    """
    text = ""
    refuse('DS212', reserved_mount_of_code(values))
    text += f"{own_mounts(values, pod, role, 'dsgen-run')}\n"
    if pods == 'launcher':
        text += f"{mount('run-status', '/run/dsgen-status')}\n"
    text += (
        "- name: dsgen-cache\n"
        "  mountPath: /run/dsgen/cache\n"
    )
    if uses_ssh(values):
        text += f"{mount('keys', '/run/dsgen/private/key')}\n"
    if uses_ssh(values) and (pods == 'launcher' or program_in_launcher(values)):
        text += (
            f"{file_mount('shared', '/etc/ssh/ssh_config', 'ssh_config')}\n"
            f"{file_mount('shared', '/etc/mpi/hostfile', 'hostfile')}\n"
        )
    if prepares_training(values, pods):
        text += f"{file_mount('shared', '/job/hostfile', 'hostfile')}\n"
        if values['training']['deepspeed']['config']:
            text += f"{file_mount('shared', '/job/ds_config.json', 'ds_config.json')}\n"
        if values['training']['files']:
            text += f"{mount('files', '/job/files')}\n"
    if has_code(values, pods):
        text += (
            "- name: dsgen-code\n"
            f"  mountPath: {quote(values['code']['mountPath'])}\n"
            "  subPath: tree\n"
        )
    for name, volume in items(values['storage']):
        if volume['mountPath'] and is_mounted_in(values, volume, pods):
            refuse('DS212', reserved_mount(name, volume['mountPath']))
            refuse('DS213', mount_of_shared_memory(name, volume['mountPath']))
            text += f"{storage_mount(name, volume, volume['readOnly'])}\n"
    return text.removesuffix("\n")


def command(values: Mapping[str, Any]) -> str:
    """The content of command.json: the program and its arguments. launch.command gets no further arguments."""
    text = ""
    training = values['training']
    way = config_way(values)
    arguments = training['args']
    if way == 'huggingface':
        arguments = arguments + ['--deepspeed', config_path(values)]
    elif way:
        arguments = arguments + ['--deepspeed', '--deepspeed_config', config_path(values)]
    if values['launch']['command']:
        text += quote(to_json({'program': values['launch']['command'], 'arguments': []})) + "\n"
    elif training['python']:
        text += (
            quote(to_json({'program': [training['pythonCommand'], '-u', training['python']], 'arguments': arguments})) + "\n"
        )
    elif training['module']:
        text += (
            quote(to_json({'program': [training['pythonCommand'], '-u', '-m', training['module']], 'arguments': arguments})) + "\n"
        )
    else:
        text += quote(to_json({'program': training['exec'], 'arguments': arguments})) + "\n"
    return text.removesuffix("\n")


def no_image(values: Mapping[str, Any]) -> str:
    """DS201: the pods would have no image."""
    if not values['image']['repository']:
        return "image.repository is required"
    return ""


def no_program(values: Mapping[str, Any]) -> str:
    """DS202: the ranks would run nothing."""
    if not (values['training']['python'] or values['training']['module'] or values['training']['exec'] or runs_command(values)):
        return "training: one of python, module and exec is required"
    return ""


def long_pod_names(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """DS204: the names of pods with their number would be longer than a label may be."""
    run = run_name(values, release)
    last = '-worker-' + scalar(int(worker_pods(values)) - 1)
    if len(run) + len(last) > 63:
        return (
            f"the names of the pods are too long: {quote(run)} has {scalar(len(run))} characters and {last} has {scalar(len(last))}, but together they can have at most 63"
        )
    return ""


def invalid_job_name(job: str) -> str:
    """DS205: names of Services and hosts would be invalid, or, with a dot, those of another job."""
    if job and not matching(job, '^[a-z]([-a-z0-9]*[a-z0-9])?$'):
        return f"{quote(job)} is not a valid job name"
    return ""


def long_tensorboard_name(values: Mapping[str, Any], job: str) -> str:
    """DS340: the Service of TensorBoard would have a name that is too long."""
    if values['monitoring']['tensorboard']['enabled'] and len(job) > 51:
        return (
            f"{quote(job)} has {scalar(len(job))} characters and -tensorboard has 12, but the name of a Service can have at most 63"
        )
    return ""


def run_named_tensorboard(values: Mapping[str, Any]) -> str:
    """DS343: the Service of a run would replace that of TensorBoard."""
    if values['monitoring']['tensorboard']['enabled'] and run_id(values) == 'tensorboard':
        return "run.id: the Service of the run tensorboard would have the same name as TensorBoard's Service"
    return ""


def written_key(where: str, key: str) -> str:
    """DS230: a label or annotation would be written twice."""
    if reserved_key(key):
        return f"{where}: {quote(key)} is written by dsgen or Kubernetes"
    return ""


def reserved_variable(values: Mapping[str, Any], where: str, key: str) -> str:
    """DS220: a variable that the ranks need would have another value."""
    if (
        matching(key, '^(DSGEN_.*|RANK|LOCAL_RANK|WORLD_SIZE|MASTER_.*)$')
        or values['launch']['method'] == 'worker-command' and matching(key, '^(NNODES|NODE_RANK|NPROC_PER_NODE|PET_(NNODES|NODE_RANK|NPROC_PER_NODE|MASTER_ADDR|MASTER_PORT))$')
    ):
        return f"{where}: {quote(key)} is set by dsgen or DeepSpeed"
    return ""


def circle_of_variables(names: Any, name: str) -> str:
    """DS431: the kubelet would keep $(NAME) as it stands. `names`: those of which the values can be found."""
    if name not in names:
        return f"$(NAME) in the value of {quote(name)} leads back to itself"
    return ""


def reserved_prefix(source: Any) -> str:
    """DS223: the same, by the variables of a ConfigMap or Secret."""
    if is_string(source.get('prefix')) and matching(source['prefix'], '^(DSGEN|MASTER)_.*$'):
        return f"training.envFrom: variables that begin with {quote(source['prefix'])} are set by dsgen or DeepSpeed"
    return ""


def sharing(workers: Any, what: str) -> str:
    """That the processes of a worker would share its devices, which are `what`."""
    if workers['accelerator'].get('count') is not None:
        return (
            f"workers.slots: {scalar(workers['slots'])} processes would share {scalar(workers['accelerator']['count'])} {what}"
        )
    return ""


def shared_devices(workers: Any) -> str:
    """DS206: the ranks would train on the device of another one, and run out of memory or wait for each other."""
    if kind_of_device(workers['accelerator']['resource']) and has_fewer_devices(workers):
        return f"{sharing(workers, kind_of_device(workers['accelerator']['resource']))}"
    return ""


def shared_slice(workers: Any) -> str:
    """DS207: the same with slices of a GPU."""
    if (
        workers['slots'] > 1
        and matching(workers['accelerator']['resource'], '^nvidia[.]com/mig-.*$')
        and (workers['accelerator'].get('count') is None or workers['accelerator']['count'] > 0)
    ):
        return (
            f"workers.slots: a process can use only one MIG slice of its pod, so {scalar(workers['slots'])} processes would share it"
        )
    return ""


def own_resource(kind: str, resource: str, amounts: Any) -> str:
    """DS208: a container would request the same resource twice."""
    if resource in amounts:
        return f"workers.resources.{kind}: {quote(resource)} is written by dsgen from workers.accelerator"
    return ""


def reserved_mount(name: str, path: str) -> str:
    """DS212: a volume would hide the files of the run."""
    if reserved_path(path):
        return f"storage.{name}.mountPath: {quote(path)} is reserved for files of dsgen or the system"
    return ""


def reserved_mount_of_code(values: Mapping[str, Any]) -> str:
    """DS212: the same for the code, which could also hide the shared memory."""
    if (
        values['code']['git']['repository']
        and (reserved_path(values['code']['mountPath']) or matching(values['code']['mountPath'], '^/dev/shm(/.*)?$'))
    ):
        return f"code.mountPath: {quote(values['code']['mountPath'])} is reserved for files of dsgen or the system"
    return ""


def mount_of_shared_memory(name: str, path: str) -> str:
    """DS213: a volume would replace the shared memory of the pod."""
    if matching(path, '^/dev/shm(/.*)?$'):
        return f"storage.{name}.mountPath: /dev/shm is the shared memory of the pod"
    return ""


def claim_of_one_pod(values: Mapping[str, Any], name: str, volume: Any) -> str:
    """DS216: all pods but one would wait for ever."""
    if (
        volume.get('create') is not None
        and 'ReadWriteOncePod' in volume['create']['accessModes']
        and (is_mounted_in(values, volume, 'workers') and is_mounted_in(values, volume, 'launcher') or volume['mountIn'] != 'launcher' and int(worker_pods(values)) > 1)
    ):
        return f"storage.{name}: a ReadWriteOncePod volume can be used by one pod only, but several pods mount it"
    return ""


def own_container(where: str, container: Any) -> str:
    """DS234: two containers of a pod would have one name, or the status would be read from the user's container."""
    if (
        is_string(container.get('name'))
        and matching(container['name'], '^(worker|launcher|status|passwd|code|dsgen-.*)$')
    ):
        return f"{where}: {quote(container['name'])} is the name of one of dsgen's containers"
    return ""


def secret_of_job(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """DS241: the user's key would be the one that dsgen removes or replaces with another ssh.secret.mode."""
    if (
        values['ssh']['secret']['mode'] == 'existing'
        and values['ssh']['secret']['name'] == job_name(values, release) + '-ssh'
    ):
        return (
            f"ssh.secret.name: {quote(values['ssh']['secret']['name'])} is the name that dsgen gives to the Secret of the job"
        )
    return ""


def same_port(values: Mapping[str, Any], one: str, other: str) -> str:
    """DS242: two programs of a worker would listen on one port."""
    port = port_of(values, one)
    if port and port == port_of(values, other):
        return f"{one} and {other} are both {port}"
    return ""


def port_of_node(values: Mapping[str, Any]) -> str:
    """DS244: sshd of the worker would find the port of the node in use."""
    if values['network']['hostNetwork'] and uses_ssh(values) and values['ssh']['port'] == 22:
        return "ssh.port: with network.hostNetwork, port 22 belongs to the node's own sshd"
    return ""


def too_many_for_pdsh(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """DS276: the launcher could not start pdsh. 131072 is the longest argument that Linux accepts, and 2048 bytes of it
    are exported variables, the path of the interpreter and the launcher's options.
    """
    if (
        values['workers']['replicas'] + values['launch']['preflight']['spares'] > 100
        and values['launch']['method'] == 'pdsh'
        and 4 * int(world_bytes(values, release)) > 3 * (131072 - 2048)
    ):
        return (
            f"workers.replicas: {scalar(int(worker_pods(values)))} workers are too many for pdsh: their names and slots ({scalar(int(world_bytes(values, release)))} bytes, in base64 a third more) and 2048 other bytes do not fit into one argument of 131072 bytes"
        )
    return ""


def missing_git_key(values: Mapping[str, Any]) -> str:
    """DS292: git would have no key for the repository."""
    if git_over_ssh(values['code']['git']['repository']) and not values['code']['git']['secretName']:
        return "code.git.repository uses ssh, which needs a key"
    return ""


def queue_of_launcher_alone(values: Mapping[str, Any]) -> str:
    """DS301: the launcher would be admitted before its workers exist."""
    if values['scheduling']['launcherQueue'] and not kueue_queue(values, 'worker'):
        return "scheduling.launcherQueue is a queue of Kueue, but the workers have no such queue"
    return ""


def suspended_in_queue(values: Mapping[str, Any]) -> str:
    """DS309: each apply would suspend or start what Kueue has started or suspended."""
    if values['lifecycle'].get('suspend') is not None and kueue_queue(values, 'worker'):
        return "lifecycle.suspend: with scheduling.queue, only Kueue suspends and resumes the workers"
    return ""


def scheduler_without_gangs(values: Mapping[str, Any]) -> str:
    """DS310: the default scheduler would start some workers of a gang without the others."""
    if values['scheduling']['gang'] != 'none' and values['workers']['schedulerName'] == 'default-scheduler':
        return (
            f"workers.schedulerName: the default scheduler does not support scheduling.gang: {values['scheduling']['gang']}"
        )
    return ""


def shared_processes(values: Mapping[str, Any], role: str, pod: Any, field: str) -> str:
    """DS344: the training code could read the token and the key of other containers. Below privileged, the API server
    forbids hostPID.
    """
    if (
        get(pod['extraPodSpec'], field, False)
        and (field != 'hostPID' or values['security']['podSecurityLevel'] == 'privileged')
    ):
        return (
            f"{role}.extraPodSpec: with {field} the training code could read the token of the status sidecar and the ssh key through /proc"
        )
    return ""


def api_identity(values: Mapping[str, Any], name: str, volume: Any, source: Any, kind: str) -> str:
    """DS374: the training code could change the record and read the key. With `kind`, a source of a projected volume, a
    pod proves to the API server who it is, unless a token is for another service.
    """
    word = get({'serviceAccountToken': 'token', 'podCertificate': 'certificate'}, kind, '')
    audience = get(source, 'serviceAccountToken', 'audience', '')
    signer = get(source, 'podCertificate', 'signerName', '')
    if (
        kind in source
        and has_volume(values, values['launcher'], 'launcher', name, volume)
        and (kind == 'serviceAccountToken' and not (is_string(audience) and is_other_service(audience)) or kind == 'podCertificate' and is_string(signer) and matching(signer, '^kubernetes[.]io/.*$'))
    ):
        return (
            f"storage.{name}: with a {word} of the launcher's ServiceAccount, the training code could change the record and read the ssh key"
        )
    return ""


def default_account(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """DS380: every pod of the namespace would have the permissions of the launcher."""
    if (
        (values['rbac']['create'] or values['serviceAccount']['create'])
        and service_account_name(values, release) == 'default'
    ):
        return (
            "serviceAccount: every pod of the namespace may use the ServiceAccount default, and could read the ssh key and write the record"
        )
    return ""


def account_of_launcher(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """DS380: the training code could have these permissions."""
    if (
        values['workers']['serviceAccountName'] == service_account_name(values, release)
        or matching(values['workers']['serviceAccountName'], '^.*[.]launcher$')
    ):
        return (
            f"workers.serviceAccountName: {values['workers']['serviceAccountName']} is the ServiceAccount of a launcher pod, which may read the ssh key and write the record"
        )
    return ""


def refused_fewer_workers(values: Mapping[str, Any], limit: str) -> str:
    """DS358: fewer workers could not continue. `limit`: the key that contradicts workers.min."""
    least = values['workers']['min']
    lifecycle = values['lifecycle']
    if not least:
        text = ""
        return text.removesuffix("\n")
    if limit == 'workers.replicas' and least > values['workers']['replicas']:
        return f"workers.min ({scalar(least)}) is more than workers.replicas ({scalar(values['workers']['replicas'])})"
    if limit == 'training.deepspeed.resize.checkpoint' and not values['training']['deepspeed']['resize']['checkpoint']:
        return "workers.min needs training.deepspeed.resize.checkpoint: without it, fewer workers cannot continue"
    if limit == 'launch.method' and values['launch']['method'] not in ['pdsh', 'openmpi']:
        return (
            f"workers.min cannot be used with launch.method {values['launch']['method']}: its number of workers is fixed for the whole run"
        )
    if limit == 'lifecycle.startTimeoutSeconds' and lifecycle['resizeAfterSeconds'] >= lifecycle['startTimeoutSeconds']:
        return (
            f"lifecycle.resizeAfterSeconds ({scalar(lifecycle['resizeAfterSeconds'])}) must be less than lifecycle.startTimeoutSeconds ({scalar(lifecycle['startTimeoutSeconds'])}), after which the run fails"
        )
    return ""


def argument_of_mpirun(word: str) -> str:
    """DS371: mpirun would start other ranks than the launcher waits for, or none."""
    why = get({'processes': 'dsgen sets the number of processes and their workers', 'output': 'the launcher reads the output of the ranks', 'transport': 'dsgen sets how mpirun reaches the workers', 'start': 'the ranks would not start, or would start differently'}, kind_of_mpirun(word), '')
    if why:
        return f"launch.mpirunArgs: {quote(word)}: {why}"
    return ""


def program_of_mpirun(words: str) -> str:
    """DS371: the same for a first argument that is no option."""
    if words and not matching(words, '^-([^$]|[$])*$'):
        return f"launch.mpirunArgs: mpirun would take {quote(words)} as the program"
    return ""


def own_volume(name: str) -> str:
    """DS373: two volumes of a pod would have one name."""
    if matching(name, '^dsgen-([^$]|[$])*$'):
        return f"storage: {quote(name)}: names that begin with dsgen- are reserved for dsgen's own volumes"
    return ""


def refused_resize(values: Mapping[str, Any], key: str) -> str:
    """DS376: a checkpoint could not be converted. `key`: the key that keeps it from being converted."""
    deepspeed = values['training']['deepspeed']
    path = config_path(values)
    if not deepspeed['resize']['checkpoint']:
        text = ""
        return text.removesuffix("\n")
    if key == 'launch.command' and runs_command(values):
        return (
            "training.deepspeed.resize cannot be used with launch.command: only the command could give its program another configuration"
        )
    if key == 'training.deepspeed.autotuning' and deepspeed['autotuning'] != 'none':
        return (
            "training.deepspeed.resize cannot be used with autotuning, which starts trainings with other configurations"
        )
    if key == 'training.deepspeed.resize.checkpoint' and not path:
        return "training.deepspeed.resize needs a DeepSpeed configuration, to which it adds checkpoint.load_universal"
    if (
        key == 'training.deepspeed.configFile'
        and deepspeed['configFile']
        and not str.startswith(deepspeed['configFile'], '/')
    ):
        return "training.deepspeed.resize cannot be used with a configFile that is not an absolute path"
    if (
        key == 'training.deepspeed.passConfig'
        and path
        and not config_way(values)
        and not has_config(values['training']['args'], path)
        and not runs_command(values)
    ):
        return f"training.deepspeed.resize cannot be used without passConfig, unless training.args has the path {path}"
    if key == 'training.deepspeed.version' and matching(deepspeed['version'], '^0[.](1[0-7]|[0-9])([.].*)?$'):
        return f"training.deepspeed.resize cannot be used with DeepSpeed {deepspeed['version']}; it needs 0.18 or later"
    return ""


def checkpoint_of_one_worker(values: Mapping[str, Any], name: str, volume: Any) -> str:
    """DS377: each worker would read and write its own checkpoint."""
    checkpoint = values['training']['deepspeed']['resize']['checkpoint']
    if (
        checkpoint
        and volume['mountPath']
        and not volume['existingClaim']
        and (volume.get('emptyDir') is not None or volume.get('ephemeral') is not None)
        and volume.get('create') is None
        and volume.get('nfs') is None
        and volume.get('hostPath') is None
        and str.startswith(checkpoint + '/', volume['mountPath'] + '/')
    ):
        return f"training.deepspeed.resize.checkpoint is on storage.{name}, of which each worker has its own"
    return ""


def labels(values: Mapping[str, Any], release: Mapping[str, str], component: str) -> str:
    """Labels of every object; objects of a run also have its id. `component` is the purpose of the object."""
    text = (
        "app.kubernetes.io/name: deepspeed-job\n"
        f"app.kubernetes.io/instance: {quote(job_name(values, release))}\n"
        f"app.kubernetes.io/component: {component}\n"
        "app.kubernetes.io/managed-by: dsgen\n"
        f"dsgen.dev/job: {quote(job_name(values, release))}\n"
    )
    for key, value in items(values['labels']):
        refuse('DS230', written_key('labels', key))
    if values['labels']:
        text += f"{to_yaml(values['labels'])}\n"
    return text.removesuffix("\n")


def run_labels(values: Mapping[str, Any], release: Mapping[str, str], component: str) -> str:
    """Labels of an object that belongs to one run."""
    return (
        f"{labels(values, release, component)}\n"
        f"dsgen.dev/run: {quote(run_id(values))}"
    )


def metadata(values: Mapping[str, Any], release: Mapping[str, str], component: str) -> str:
    """Namespace, labels and annotations of an object that belongs to the job."""
    return (
        f"namespace: {quote(namespace(values, release))}\n"
        "labels:\n"
        f"  {indent(labels(values, release, component), 2)}\n"
        "annotations:\n"
        f"  {indent(annotations(values), 2)}"
    )


def run_metadata(values: Mapping[str, Any], release: Mapping[str, str], component: str) -> str:
    """The same of an object that belongs to one run."""
    return (
        f"namespace: {quote(namespace(values, release))}\n"
        "labels:\n"
        f"  {indent(run_labels(values, release, component), 2)}\n"
        "annotations:\n"
        f"  {indent(annotations(values), 2)}"
    )


def run_selector(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """Labels of all pods of a run. They are in immutable fields, so they contain no version."""
    return (
        f"dsgen.dev/job: {quote(job_name(values, release))}\n"
        f"dsgen.dev/run: {quote(run_id(values))}"
    )


def selector(values: Mapping[str, Any], release: Mapping[str, str], role: str) -> str:
    """Labels of the workers or of the launcher of a run."""
    return (
        f"{run_selector(values, release)}\n"
        f"dsgen.dev/role: {role}"
    )


def annotations(values: Mapping[str, Any]) -> str:
    """Annotations of every object. Without the first one, Flux would substitute variables in any text of the user."""
    text = "kustomize.toolkit.fluxcd.io/substitute: disabled\n"
    for key, value in items(values['annotations']):
        refuse('DS230', written_key('annotations', key))
    if values['annotations']:
        text += f"{to_yaml(values['annotations'])}\n"
    return text.removesuffix("\n")


def storage_annotations(values: Mapping[str, Any], create: Any) -> str:
    """Annotations of claims and PersistentVolumes; some keep Helm, Argo CD and Flux from deleting protected storage."""
    text = f"{annotations(values)}\n"
    if create['protect']:
        text += (
            "helm.sh/resource-policy: keep\n"
            "argocd.argoproj.io/sync-options: Prune=false,Delete=false\n"
            "kustomize.toolkit.fluxcd.io/prune: disabled\n"
        )
    return text.removesuffix("\n")


def scripts_object(values: Mapping[str, Any], release: Mapping[str, str], folder: str) -> str:
    """The ConfigMap with a folder of scripts, without them. Runs with the same scripts share it, since its name depends
    on the content. By default, Argo CD prunes objects before it applies the others. If it then cannot apply them, pods
    of the run may still need the pruned scripts. No tool removes those that all jobs of a namespace share, since none
    knows all runs.
    """
    text = (
        "apiVersion: v1\n"
        "kind: ConfigMap\n"
        "metadata:\n"
        f"  name: {scripts_name(values, release, folder)}\n"
    )
    if values['runtime']['create']:
        text += (
            f"  {indent(metadata(values, release, 'scripts'), 2)}\n"
            "    argocd.argoproj.io/compare-options: IgnoreExtraneous\n"
            "    argocd.argoproj.io/sync-options: Prune=false\n"
        )
    else:
        text += (
            f"  namespace: {quote(namespace(values, release))}\n"
            "  labels:\n"
            "    app.kubernetes.io/name: deepspeed-job\n"
            "    app.kubernetes.io/component: runtime\n"
            "    app.kubernetes.io/managed-by: dsgen\n"
            "  annotations:\n"
            "    argocd.argoproj.io/compare-options: IgnoreExtraneous\n"
            "    argocd.argoproj.io/sync-options: Prune=false,Delete=false\n"
            "    helm.sh/resource-policy: keep\n"
            "    kustomize.toolkit.fluxcd.io/prune: disabled\n"
            "    kustomize.toolkit.fluxcd.io/ssa: IfNotPresent\n"
            "    kustomize.toolkit.fluxcd.io/substitute: disabled\n"
        )
    text += "immutable: true"
    return text


def job_annotations(values: Mapping[str, Any]) -> str:
    """Annotations of a Job. kube-linter recommends a TTL. But if Kubernetes deleted a Job, the next apply would create
    it again, and it could train again.
    """
    text = f"{annotations(values)}\n"
    if values['lifecycle'].get('ttlSecondsAfterFinished') is None:
        text += (
            "ignore-check.kube-linter.io/job-ttl-seconds-after-finished: a deleted Job would train again when it is applied\n"
        )
    return text.removesuffix("\n")


def reserved_key(key: str) -> str:
    """"true" for a label or annotation that dsgen, Kubernetes or a delivery tool writes; empty for others."""
    if (
        matching(key, '^(dsgen[.]dev|batch[.]kubernetes[.]io|kueue[.]x-k8s[.]io|(meta[.])?helm[.]sh)/.*$')
        or matching(key, '^app[.]kubernetes[.]io/(name|instance|component|managed-by)$')
        or matching(key, '^kustomize[.]toolkit[.]fluxcd[.]io/(substitute|prune)$')
        or matching(key, '^argocd[.]argoproj[.]io/(compare|sync)-options$')
        or key in ['job-name', 'controller-uid', 'scheduling.k8s.io/group-name', 'scheduling.x-k8s.io/pod-group', 'ignore-check.kube-linter.io/job-ttl-seconds-after-finished']
    ):
        return "true"
    return ""


def uses_ssh(values: Mapping[str, Any]) -> str:
    """"true" if the launcher starts the training over ssh; empty if each worker starts its own processes."""
    if values['launch']['method'] in ['pdsh', 'openmpi', 'launcher-command']:
        return "true"
    return ""


def needs_scripts(values: Mapping[str, Any], folder: str) -> str:
    """"true" if the launch method needs the scripts in this folder; else empty."""
    if (
        folder in ['launcher', 'shared', 'status', 'worker']
        or folder == 'local' and not uses_ssh(values)
        or folder == 'ssh' and uses_ssh(values)
        or folder == 'slurm' and values['launch']['method'] == 'slurm-script'
    ):
        return "true"
    return ""


def runs_command(values: Mapping[str, Any]) -> str:
    """"true" if launch.command is run instead of the program in training; else empty."""
    if values['launch']['method'] in ['worker-command', 'slurm-script', 'launcher-command']:
        return "true"
    return ""


def prepares_training(values: Mapping[str, Any], pods: str) -> str:
    """"true" for pods (workers or launcher) that source training.setup and have the files of the training: a launcher
    only if it starts the ranks over ssh.
    """
    if pods != 'launcher' or uses_ssh(values):
        return "true"
    return ""


def makes_key(values: Mapping[str, Any]) -> str:
    """"true" if the key pair is generated in the cluster; empty for an existing one and without ssh."""
    if values['ssh']['secret']['mode'] == 'cluster':
        return f"{uses_ssh(values)}"
    return ""


def program_in_launcher(values: Mapping[str, Any]) -> str:
    """"true" if the user's program runs in the launcher; empty if it runs in the workers only."""
    if runs_command(values) and uses_ssh(values):
        return "true"
    return ""


def files_in_launcher(values: Mapping[str, Any]) -> str:
    """"true" if the launcher needs the user's volumes: for the program, or for the configurations and results of the
    autotuner.
    """
    if program_in_launcher(values) or values['training']['deepspeed']['autotuning'] != 'none':
        return "true"
    return ""


def tensorboard_selector(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """Labels of TensorBoard's pod. They contain no run, so that no Service or NetworkPolicy of a run selects the pod."""
    return (
        f"dsgen.dev/job: {quote(job_name(values, release))}\n"
        "dsgen.dev/role: tensorboard"
    )


def is_shared(volume: Any) -> str:
    """"true" for a volume through which another pod can read the files of the workers. A ReadWriteOncePod claim would
    keep the workers from starting.
    """
    if (
        volume['mountPath']
        and volume['mountIn'] != 'launcher'
        and (volume.get('create') is not None and 'ReadWriteOncePod' not in volume['create']['accessModes'] or volume.get('create') is None and (volume['existingClaim'] or volume.get('nfs') is not None or volume.get('hostPath') is not None or volume.get('csi') is not None))
    ):
        return "true"
    return ""


def shared_mounts(values: Mapping[str, Any]) -> str:
    """Mounts of the workers' volumes, read-only."""
    text = ""
    for name, volume in items(values['storage']):
        if is_shared(volume):
            text += f"{storage_mount(name, volume, True)}\n"
    return text.removesuffix("\n")


def shared_volumes(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """Volumes for these mounts."""
    text = ""
    for name, volume in items(values['storage']):
        if is_shared(volume):
            text += (
                f"- name: {quote(name)}\n"
                f"  {indent(volume_source(values, release, name, volume), 2)}\n"
            )
    return text.removesuffix("\n")


def job_name(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """The name of the job: from the values, otherwise that of the release."""
    return f"{values['name'] or release['name']}"


def namespace(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """The namespace of every namespaced object."""
    return f"{values['namespace'] or release['namespace']}"


def run_id(values: Mapping[str, Any]) -> str:
    """The id of the run; an integer is printed without an exponent."""
    if is_string(values['run']['id']):
        return f"{values['run']['id']}"
    return f"{scalar(int(values['run']['id']))}"


def run_name(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """The name of the run, with which the names of its objects begin."""
    return f"{job_name(values, release)}-{run_id(values)}"


def scripts_name(values: Mapping[str, Any], release: Mapping[str, str], folder: str) -> str:
    """The ConfigMap with a folder of dsgen's scripts, of the job or shared. The names change with the content of all
    scripts, so a run keeps those with which it started.
    """
    if values['runtime']['create']:
        return f"{job_name(values, release)}-scripts-{folder}-{'18f8b3a8f4'}"
    return f"{values['runtime']['name']}-{folder}-{'18f8b3a8f4'}"


def image_of(values: Mapping[str, Any], role: str) -> str:
    """The image of a role: worker, launcher, status (the containers with the API token) or tensorboard."""
    images = {'launcher': values['launcher']['image'], 'status': values['status']['image'] or values['launcher']['image'], 'tensorboard': values['monitoring']['tensorboard']['image']}
    return f"{images.get(role) or job_image(values)}"


def job_image(values: Mapping[str, Any]) -> str:
    """The image of the job; a digest takes precedence over a tag."""
    image = values['image']
    if image['digest']:
        return f"{image['repository']}@{image['digest']}"
    if image['tag']:
        return f"{image['repository']}:{image['tag']}"
    return f"{image['repository']}"


def secret_name(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """The Secret with the key pair: filled in the cluster, or created by the user."""
    if values['ssh']['secret']['mode'] == 'cluster':
        return f"{job_name(values, release)}-ssh"
    return f"{values['ssh']['secret']['name'] or job_name(values, release) + '-ssh-key'}"


def identity_name(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """The name of the objects that give the launcher pod its permissions. With a dot, it is never the name of a
    ServiceAccount that Kubernetes or an operator creates, such as default, or cifar-launcher of an MPIJob.
    """
    return f"{job_name(values, release)}.launcher"


def service_account_name(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """The service account of the launcher pod."""
    if values['serviceAccount']['name'] or values['serviceAccount']['create']:
        return f"{values['serviceAccount']['name'] or identity_name(values, release)}"
    return "default"


def claim_name(values: Mapping[str, Any], release: Mapping[str, str], name: str, volume: Any) -> str:
    """The claim of a volume. `name` is its key in storage, `volume` its value. Names of jobs have no dots, so the
    volume a-b of job x does not share a claim with the volume b of job x-a.
    """
    return f"{volume['existingClaim'] or job_name(values, release) + '-' + str.replace(name, '-', '.')}"


def volume_name(values: Mapping[str, Any], release: Mapping[str, str], name: str) -> str:
    """The PersistentVolume of a claim; `name` is its key in storage. It has no namespace; names of namespaces and jobs
    have no dots, so the names of two PersistentVolumes cannot collide.
    """
    return f"{namespace(values, release)}.{job_name(values, release)}.{name}"


def accelerators(workers: Any) -> str:
    """Accelerators of one worker: by default as many as slots. `workers` is values.workers."""
    if workers['accelerator'].get('count') is None:
        return f"{scalar(workers['slots'])}"
    return f"{scalar(workers['accelerator']['count'])}"


def worker_pods(values: Mapping[str, Any]) -> str:
    """The number of worker pods, spares included."""
    return f"{scalar(values['workers']['replicas'] + values['launch']['preflight']['spares'])}"


def probe_seconds(values: Mapping[str, Any]) -> str:
    """The seconds between two readiness probes of a worker. A small job waits for the next probe. With many workers,
    the API server has to store an event for each probe that fails.
    """
    if int(worker_pods(values)) > 16:
        return "2"
    return "1"


def is_mounted_in(values: Mapping[str, Any], volume: Any, pods: str) -> str:
    """"true" if the main containers of a pod mount the volume of storage; else empty. `pods` is workers or launcher, as
    in storage.*.mountIn.
    """
    if (
        volume['mountIn'] in ['both', pods]
        or volume['mountIn'] == 'auto' and (pods == 'workers' or files_in_launcher(values))
    ):
        return "true"
    return ""


def has_volume(values: Mapping[str, Any], pod: Any, pods: str, name: str, volume: Any) -> str:
    """"true" if a pod has the volume `name` of storage: for its main container, or for another one of the user that
    mounts it; else empty.
    """
    if is_mounted_in(values, volume, pods):
        return "true"
    if volume['mountIn'] == 'auto':
        return f"{used_in_pod(pod, name)}"
    return ""


def used_in_pod(pod: Any, name: str) -> str:
    """"true" if a container of the user in the pods of a role mounts the volume `name` or has it as a device; else
    empty.
    """
    text = ""
    for kind in ['initContainers', 'sidecars']:
        for container in pod[kind]:
            for field in ['volumeMounts', 'volumeDevices']:
                for used in get(container, field, []):
                    if is_string(used.get('name')) and used['name'] == name:
                        text += "true\n"
    for device in get(pod['extraContainerSpec'], 'volumeDevices', []):
        if is_string(device.get('name')) and device['name'] == name:
            text += "true\n"
    return text.removesuffix("\n")


def job_limits(values: Mapping[str, Any], role: str) -> str:
    """Fields of a Job that the API server allows to change while it runs. An environment variable repeats them: it is
    part of the immutable pod template, so the API server refuses a change of them. Only `suspend` may change.
    """
    text = ""
    if role == 'worker':
        pods = int(worker_pods(values))
        text += (
            f"completions: {scalar(pods)}\n"
            f"parallelism: {scalar(pods)}\n"
            f"backoffLimit: {scalar(values['lifecycle']['workerReplacements'] * pods)}\n"
        )
    else:
        text += "backoffLimit: 3\n"
    # With the default, a lost pod and its replacement could run at the same time, under the same name.
    text += "podReplacementPolicy: Failed\n"
    if values['lifecycle'].get('ttlSecondsAfterFinished') is not None:
        text += f"ttlSecondsAfterFinished: {scalar(values['lifecycle']['ttlSecondsAfterFinished'])}\n"
    return text.removesuffix("\n")


def pod_metadata(values: Mapping[str, Any], release: Mapping[str, str], pod: Any, pods: str, role: str) -> str:
    """Labels and annotations of a pod: those of dsgen, and those of the user, of whom podLabels and podAnnotations are
    merged over those of all objects.
    """
    text = ""
    for kind in ['podLabels', 'podAnnotations']:
        for key, value in items(pod[kind]):
            refuse('DS230', written_key(pods + '.' + kind, key))
    text += (
        "labels:\n"
        f"  {indent(selector(values, release, role), 2)}\n"
    )
    given = overlay(values['labels'], pod['podLabels'])
    if given:
        text += f"  {indent(to_yaml(given), 2)}\n"
    if role == 'worker' and values['scheduling']['gang'] == 'coscheduling':
        text += f"  scheduling.x-k8s.io/pod-group: {quote(gang_name(values, release))}\n"
    own = {}
    if role == 'worker' and values['network']['rdma']['networks']:
        own = {'k8s.v1.cni.cncf.io/networks': join(values['network']['rdma']['networks'], ',')}
    if role == 'worker' and values['scheduling']['gang'] == 'volcano':
        own = overlay(own, {'scheduling.k8s.io/group-name': gang_name(values, release)})
    topology = values['scheduling']['topology']
    if role == 'worker' and kueue_queue(values, role) and topology['required']:
        own = overlay(own, {'kueue.x-k8s.io/podset-required-topology': topology['required']})
    elif role == 'worker' and kueue_queue(values, role) and topology['preferred']:
        own = overlay(own, {'kueue.x-k8s.io/podset-preferred-topology': topology['preferred']})
    all = overlay(values['annotations'], pod['podAnnotations'], own)
    if all:
        text += (
            "annotations:\n"
            f"  {indent(to_yaml(all), 2)}\n"
        )
    return text.removesuffix("\n")


def pod_fields(values: Mapping[str, Any], release: Mapping[str, str], pod: Any, role: str) -> str:
    """Fields of both pods."""
    text = (
        "restartPolicy: Never\n"
        "automountServiceAccountToken: false\n"
        "enableServiceLinks: false\n"
        f"terminationGracePeriodSeconds: {scalar(values['lifecycle']['terminationGracePeriodSeconds'])}\n"
    )
    if values['image']['pullSecrets']:
        text += (
            "imagePullSecrets:\n"
            f"  {indent(to_yaml(values['image']['pullSecrets']), 2)}\n"
        )
    context = pod_security_context(values)
    if context:
        text += (
            "securityContext:\n"
            f"  {indent(context, 2)}\n"
        )
    if pod['nodeSelector'] and not kueue_queue(values, role):
        text += (
            "nodeSelector:\n"
            f"  {indent(to_yaml(pod['nodeSelector']), 2)}\n"
        )
    if pod['tolerations']:
        text += (
            "tolerations:\n"
            f"  {indent(to_yaml(pod['tolerations']), 2)}\n"
        )
    if pod['priorityClassName']:
        text += f"priorityClassName: {quote(pod['priorityClassName'])}\n"
    affinity = affinity_of(values, release, pod, role)
    if affinity:
        text += (
            "affinity:\n"
            f"  {indent(affinity, 2)}\n"
        )
    if pod['topologySpreadConstraints']:
        text += (
            "topologySpreadConstraints:\n"
            f"  {indent(to_yaml(pod['topologySpreadConstraints']), 2)}\n"
        )
    scheduler = scheduler_name(values, pod, role)
    if scheduler:
        text += f"schedulerName: {quote(scheduler)}\n"
    if role == 'worker' and values['network']['hostNetwork']:
        text += (
            "hostNetwork: true\n"
            "dnsPolicy: ClusterFirstWithHostNet\n"
        )
    if pod['extraPodSpec']:
        text += f"{to_yaml(pod['extraPodSpec'])}\n"
    return text.removesuffix("\n")


def failure_policy(values: Mapping[str, Any], pod: Any, pods: str, role: str) -> str:
    """The podFailurePolicy of a Job: disruptions do not count, and failures that another try would repeat end the Job."""
    text = (
        "rules:\n"
        "  - action: Ignore\n"
        "    onPodConditions:\n"
        "      - type: DisruptionTarget\n"
        "        status: \"True\"\n"
        "  - action: FailJob\n"
        "    onExitCodes:\n"
        f"      containerName: {role}\n"
    )
    if role == 'worker' and uses_ssh(values):
        text += (
            "      operator: In\n"
            "      values: [75, 78]\n"
        )
    else:
        text += (
            "      operator: NotIn\n"
            "      values: [137, 143, 255]\n"
        )
    if wants_passwd(values, pod):
        text += f"  {indent(refused_input('passwd'), 2)}\n"
    if has_code(values, pods):
        text += f"  {indent(refused_input('code'), 2)}\n"
    return text.removesuffix("\n")


def refused_input(container: str) -> str:
    """The rule for a container of dsgen that exits with 78, because its input is wrong."""
    return (
        "- action: FailJob\n"
        "  onExitCodes:\n"
        f"    containerName: {container}\n"
        "    operator: In\n"
        "    values: [78]"
    )


def volumes(values: Mapping[str, Any], release: Mapping[str, str], pod: Any, pods: str) -> str:
    """Volumes of both pods: those of dsgen, then those of storage. `pods` is workers or launcher, as in
    storage.*.mountIn. Some scripts are executed by their names. Each volume costs a node time, so the settings of the
    run are in the one that all containers mount.
    """
    text = ""
    folders = ['shared', 'worker', 'local', 'slurm', 'ssh']
    if pods == 'launcher':
        folders = ['shared', 'launcher', 'status', 'local', 'slurm', 'ssh']
    for folder in folders:
        if needs_scripts(values, folder):
            text += (
                f"- name: dsgen-{folder}\n"
                "  projected:  # in memory; to write the files of a configMap to the disk takes a node longer\n"
                "    sources:\n"
                "      - configMap:\n"
                f"          name: {scripts_name(values, release, folder)}\n"
            )
            if folder == 'shared':
                text += (
                    "      - configMap:\n"
                    f"          name: {run_name(values, release)}-config\n"
                )
            text += "    defaultMode: 365  # 0555\n"
    text += f"{memory_volume('run')}\n"
    if wants_passwd(values, pod):
        text += f"{memory_volume('run-passwd')}\n"
    text += (
        "- name: dsgen-cache\n"
        "  emptyDir:\n"
        "    sizeLimit: 50Gi\n"
    )
    if uses_ssh(values):
        text += f"{secret_volume('keys', secret_name(values, release), True)}\n"
    if values['training']['files'] and prepares_training(values, pods):
        text += (
            "- name: dsgen-files\n"
            "  configMap:\n"
            f"    name: {run_name(values, release)}-files\n"
            "    defaultMode: 493  # 0755\n"
        )
    if has_code(values, pods):
        text += (
            "- name: dsgen-code\n"
            "  emptyDir:\n"
            "    sizeLimit: 50Gi\n"
            f"{memory_volume('run-code')}\n"
        )
        if values['code']['git']['secretName']:
            text += f"{secret_volume('git', values['code']['git']['secretName'], False)}\n"
    for name, volume in items(values['storage']):
        if has_volume(values, pod, pods, name, volume):
            refuse('DS373', own_volume(name))
            text += (
                f"- name: {quote(name)}\n"
                f"  {indent(volume_source(values, release, name, volume), 2)}\n"
            )
    return text.removesuffix("\n")


def memory_volume(name: str) -> str:
    """A small volume in memory."""
    return (
        f"- name: dsgen-{name}\n"
        "  emptyDir:\n"
        "    medium: Memory\n"
        "    sizeLimit: 64Mi"
    )


def secret_volume(name: str, secret: str, is_optional: bool) -> str:
    """The files of a Secret, which need not exist if it is optional."""
    text = (
        f"- name: dsgen-{name}\n"
        "  secret:\n"
        f"    secretName: {quote(secret)}\n"
        "    defaultMode: 292  # 0444\n"
    )
    if is_optional:
        text += "    optional: true\n"
    return text.removesuffix("\n")


def volume_source(values: Mapping[str, Any], release: Mapping[str, str], name: str, volume: Any) -> str:
    """The source of a volume: a claim, or a source of Kubernetes as the user wrote it. `name` is its key in storage,
    `volume` its value.
    """
    if volume.get('create') is not None or volume['existingClaim']:
        text = (
            "persistentVolumeClaim:\n"
            f"  claimName: {quote(claim_name(values, release, name, volume))}\n"
        )
        if volume['readOnly']:
            text += "  readOnly: true\n"
        return text.removesuffix("\n")
    text = ""
    for source in ['nfs', 'hostPath', 'emptyDir', 'ephemeral', 'csi', 'configMap', 'secret', 'projected']:
        if source in volume:
            text += (
                f"{source}:\n"
                f"  {indent(to_yaml(volume[source]), 2)}\n"
            )
    return text.removesuffix("\n")


def kueue_queue(values: Mapping[str, Any], role: str) -> str:
    """The Kueue queue of a Job, or empty. With gang: volcano, the queue of the workers is a queue of Volcano."""
    if role == 'launcher':
        return f"{values['scheduling']['launcherQueue']}"
    if values['scheduling']['gang'] != 'volcano':
        return f"{values['scheduling']['queue']}"
    return ""


def gang_name(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """The PodGroup of the workers. Its name contains their number: with another number, the run gets another PodGroup."""
    return f"{run_name(values, release)}-{worker_pods(values)}"


def job_labels(values: Mapping[str, Any], release: Mapping[str, str], component: str, role: str) -> str:
    """Labels of a Job, with those that put it into its queue. Pods do not have the latter: Kueue admits the Job as a
    whole.
    """
    text = f"{run_labels(values, release, component)}\n"
    queue = kueue_queue(values, role)
    if queue:
        text += f"kueue.x-k8s.io/queue-name: {quote(queue)}\n"
        if values['scheduling']['priorityClass']:
            text += f"kueue.x-k8s.io/priority-class: {quote(values['scheduling']['priorityClass'])}\n"
    return text.removesuffix("\n")


def scheduler_name(values: Mapping[str, Any], pod: Any, role: str) -> str:
    """The scheduler of a pod: the user's, or for workers that of the gang; empty for the cluster's default."""
    if pod['schedulerName']:
        return f"{pod['schedulerName']}"
    if role == 'worker':
        return (
            str(get({'volcano': 'volcano', 'coscheduling': 'scheduler-plugins-scheduler'}, values['scheduling']['gang'], ''))
        )
    return ""


def affinity_of(values: Mapping[str, Any], release: Mapping[str, str], pod: Any, role: str) -> str:
    """The affinity of a pod: the user's; for workers also excludeNodes, topology (without a queue) and spread. The
    checks refuse values for which a key would be written twice.
    """
    text = ""
    node = get(pod['affinity'], 'nodeAffinity', {})
    if pod['nodeSelector'] and kueue_queue(values, role) or role == 'worker' and values['workers']['excludeNodes']:
        text += (
            "nodeAffinity:\n"
            f"  {indent(selecting_affinity(values, pod, role, node), 2)}\n"
        )
    elif node:
        text += (
            "nodeAffinity:\n"
            f"  {indent(to_yaml(node), 2)}\n"
        )
    for kind in ['podAffinity', 'podAntiAffinity']:
        if get(pod['affinity'], kind, {}):
            text += (
                f"{kind}:\n"
                "  " + indent(to_yaml(get(pod['affinity'], kind, {})), 2) + "\n"
            )
    topology = values['scheduling']['topology']
    if role == 'worker' and (topology['required'] or topology['preferred']) and not kueue_queue(values, role):
        text += (
            "podAffinity:\n"
            f"  {indent(workers_beside(values, release, topology['required'] or topology['preferred'], topology['required'] != ''), 2)}\n"
        )
    if role == 'worker' and values['workers']['spread'] != 'none':
        text += (
            "podAntiAffinity:\n"
            f"  {indent(workers_beside(values, release, 'kubernetes.io/hostname', values['workers']['spread'] == 'required'), 2)}\n"
        )
    return text.removesuffix("\n")


def selecting_affinity(values: Mapping[str, Any], pod: Any, role: str, node: Any) -> str:
    """The user's node affinity (`node`) with the nodeSelector and the excluded nodes in each of its terms, because a
    node needs to match only one term. The Job has no nodeSelector of its own: Kueue sets it, and the API server would
    refuse later applies.
    """
    text = ""
    required = 'requiredDuringSchedulingIgnoredDuringExecution'
    preferred = 'preferredDuringSchedulingIgnoredDuringExecution'
    terms = get(node, required, 'nodeSelectorTerms', [])
    text += (
        f"{required}:\n"
        "  nodeSelectorTerms:\n"
    )
    if not terms:
        text += "    " + indent(selecting_term(values, pod, role, {}), 4) + "\n"
    for term in terms:
        if get(term, 'matchExpressions', []) or get(term, 'matchFields', []):
            text += f"    {indent(selecting_term(values, pod, role, term), 4)}\n"
        else:
            text += "    - {}  # an empty term matches no node, so it stays empty\n"
    if preferred in node:
        text += (
            f"{preferred}:\n"
            f"  {indent(to_yaml(node[preferred]), 2)}\n"
        )
    return text.removesuffix("\n")


def selecting_term(values: Mapping[str, Any], pod: Any, role: str, term: Any) -> str:
    """The user's `term` with the nodeSelector and the excluded nodes."""
    expressions = term_expressions(values, pod, role, term)
    fields = term_fields(values, role, term)
    if expressions:
        text = (
            "- matchExpressions:\n"
            f"    {indent(expressions, 4)}\n"
        )
        if fields:
            text += (
                "  matchFields:\n"
                f"    {indent(fields, 4)}\n"
            )
        return text.removesuffix("\n")
    return (
        "- matchFields:\n"
        f"    {indent(fields, 4)}"
    )


def term_expressions(values: Mapping[str, Any], pod: Any, role: str, term: Any) -> str:
    """The nodeSelector of a Job in a queue as expressions of node affinity, before the user's."""
    text = ""
    if kueue_queue(values, role):
        for key, value in items(pod['nodeSelector']):
            text += (
                f"- key: {quote(key)}\n"
                "  operator: In\n"
                f"  values: [{quote(value)}]\n"
            )
    if get(term, 'matchExpressions', []):
        text += f"{to_yaml(get(term, 'matchExpressions', []))}\n"
    return text.removesuffix("\n")


def term_fields(values: Mapping[str, Any], role: str, term: Any) -> str:
    """The excluded nodes as expressions on metadata.name, which allow one value each, before the user's. The label
    kubernetes.io/hostname can differ from the name of a node.
    """
    text = ""
    if role == 'worker':
        for name in values['workers']['excludeNodes']:
            text += (
                "- key: metadata.name\n"
                "  operator: NotIn\n"
                f"  values: [{quote(name)}]\n"
            )
    if get(term, 'matchFields', []):
        text += f"{to_yaml(get(term, 'matchFields', []))}\n"
    return text.removesuffix("\n")


def workers_beside(values: Mapping[str, Any], release: Mapping[str, str], label: str, is_required: bool) -> str:
    """Terms of podAffinity or podAntiAffinity among the workers of this run, by a label of the nodes."""
    if is_required:
        return (
            "requiredDuringSchedulingIgnoredDuringExecution:\n"
            f"  - topologyKey: {quote(label)}\n"
            "    labelSelector:\n"
            "      matchLabels:\n"
            f"        {indent(selector(values, release, 'worker'), 8)}"
        )
    return (
        "preferredDuringSchedulingIgnoredDuringExecution:\n"
        "  - weight: 100\n"
        "    podAffinityTerm:\n"
        f"      topologyKey: {quote(label)}\n"
        "      labelSelector:\n"
        "        matchLabels:\n"
        f"          {indent(selector(values, release, 'worker'), 10)}"
    )


def pod_security_context(values: Mapping[str, Any]) -> str:
    """The security context that the Pod Security level requires, with the user's merged over it."""
    text = ""
    own = {}
    if values['security']['podSecurityLevel'] == 'restricted':
        own = {'runAsNonRoot': True, 'seccompProfile': {'type': 'RuntimeDefault'}}
    context = overlay(own, values['security']['podSecurityContext'])
    if context:
        text += f"{to_yaml(context)}\n"
    return text.removesuffix("\n")


def security_context(values: Mapping[str, Any], pod: Any, role: str) -> str:
    """The security context of containers that run the user's code: what the Pod Security level requires, otherwise
    without the privileges that hardly any image needs. Kubernetes refuses allowPrivilegeEscalation: false beside
    privileged and CAP_SYS_ADMIN.
    """
    text = ""
    user = overlay(values['security']['securityContext'], pod['securityContext'])
    added = get(user, 'capabilities', 'add', [])
    own = {}
    if values['security']['podSecurityLevel'] == 'restricted':
        own = {'allowPrivilegeEscalation': False, 'capabilities': {'drop': ['ALL']}}
    elif not get(user, 'privileged', False):
        if 'CAP_SYS_ADMIN' not in added:
            own = {'allowPrivilegeEscalation': False}
        if 'NET_RAW' not in added and 'ALL' not in added:
            own = overlay(own, {'capabilities': {'drop': ['NET_RAW']}})
    context = overlay(own, user)
    if role == 'worker' and locks_memory(values) and 'IPC_LOCK' not in added:
        context = overlay(context, {'capabilities': {'add': added + ['IPC_LOCK']}})
    text += f"{to_yaml(context)}"
    return text


def locks_memory(values: Mapping[str, Any]) -> str:
    """"true" if workers need IPC_LOCK to register memory for RDMA, and may have it; EFA does not need it. Else empty."""
    rdma = values['network']['rdma']
    if (
        rdma['ipcLock'] == 'add'
        or rdma['ipcLock'] == 'auto' and rdma['resources'] and values['security']['podSecurityLevel'] == 'privileged' and ('vpc.amazonaws.com/efa' not in rdma['resources'] or len(rdma['resources']) > 1)
    ):
        return "true"
    return ""


def own_security_context(values: Mapping[str, Any], pod: Any) -> str:
    """The context of dsgen's own containers: no privileges, and the user of the main container, whose files they read."""
    text = (
        "allowPrivilegeEscalation: false\n"
        "capabilities:\n"
        "  drop: [ALL]\n"
        "readOnlyRootFilesystem: true\n"
        "seccompProfile:\n"
        "  type: RuntimeDefault\n"
    )
    user = overlay(values['security']['securityContext'], pod['securityContext'])
    for field in ['runAsGroup', 'runAsNonRoot', 'runAsUser']:
        if field in user:
            text += (
                f"{field}:\n"
                f"  {indent(to_yaml(user[field]), 2)}\n"
            )
    return text.removesuffix("\n")


def wants_passwd(values: Mapping[str, Any], pod: Any) -> str:
    """"true" if the pod gets a passwd file, because its image may not know its user id; else empty."""
    if values['ssh']['passwdEntry'] == 'auto' and is_never_root(values, pod):
        return "true"
    return ""


def is_never_root(values: Mapping[str, Any], pod: Any) -> str:
    """"true" if the pod (values.workers or values.launcher) cannot be root; else empty."""
    if (
        values['security']['podSecurityLevel'] == 'restricted'
        or is_not_root(values['security']['podSecurityContext'])
        or is_not_root(values['security']['securityContext'])
        or is_not_root(pod['securityContext'])
    ):
        return "true"
    return ""


def is_not_root(context: Any) -> str:
    """"true" for a security context that does not allow root; else empty."""
    if get(context, 'runAsNonRoot', False) or get(context, 'runAsUser', 0):
        return "true"
    return ""
