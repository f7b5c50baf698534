"""The helpers of the templates.

Written by `make generate` from the files dsgen/templates/**/_*.j2; changes are lost.
"""

from dsgen.language.functions import (
    get,
    is_mapping,
    is_string,
    items,
    join,
    join_blocks,
    matching,
    overlay,
    replace,
    starting,
    whole_bytes,
)
from dsgen.language.text import indent, quote, scalar, to_json, to_yaml


def image_fields(values, role):
    """The image of a role, see image_of."""
    return (
        f"image: {quote(image_of(values, role))}\n"
        f"imagePullPolicy: {values['image']['pullPolicy']}"
    )


def own_container_limits(values, pod):
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


def own_mounts(values, pod, program, run):
    """Mounts of every container. `program` is the folder of its scripts, or empty if those in shared are enough; `run`
    is its volume at /run/dsgen, to which no other container can write.
    """
    text = ""
    if program:
        text += f"{scripts_mount(program)}\n"
    text += (
        f"{scripts_mount('shared')}\n"
        f"- name: {run}\n"
        "  mountPath: /run/dsgen\n"
    )
    if wants_passwd(values, pod):
        text += (
            "- name: dsgen-run-passwd\n"
            "  mountPath: /etc/passwd\n"
            "  subPath: passwd\n"
            "  readOnly: true\n"
        )
    return text.removesuffix("\n")


def scripts_mount(folder):
    """Mounts a folder of scripts; shared has the settings of the run, too."""
    return (
        f"- name: dsgen-{folder}\n"
        f"  mountPath: /etc/dsgen/{folder}\n"
        "  readOnly: true"
    )


def passwd_container(values, pod, role):
    """Writes a passwd file with an entry for the uid of the pod; the other containers mount it."""
    return (
        "- name: passwd\n"
        f"  {indent(image_fields(values, role), 2)}\n"
        "  command: [bash, /etc/dsgen/shared/passwd.sh]\n"
        f"  {indent(own_container_limits(values, pod), 2)}\n"
        "  volumeMounts:\n"
        f"    {indent(scripts_mount('shared'), 4)}\n"
        "    - name: dsgen-run-passwd\n"
        "      mountPath: /run/dsgen"
    )


def status_container(values, pod):
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
        "    - name: dsgen-run\n"
        "      mountPath: /run/dsgen-launcher\n"
        "      readOnly: true\n"
    )
    if has_code(values, 'launcher'):
        text += (
            "    - name: dsgen-run-code\n"
            "      mountPath: /run/dsgen-code\n"
            "      readOnly: true\n"
        )
    text += (
        "    - name: dsgen-token\n"
        "      mountPath: /var/run/secrets/dsgen\n"
        "      readOnly: true\n"
    )
    if values['status']['webhook']['secretName']:
        text += (
            "    - name: dsgen-webhook\n"
            "      mountPath: /etc/dsgen-webhook\n"
            "      readOnly: true\n"
        )
    text += "  restartPolicy: Always"
    return text


def has_code(values, pods):
    """"true" if the pods (workers or launcher) have the code of code.git; else empty. The launcher needs it for the
    program, the autotuner or training.setup.
    """
    if (
        values['code']['git']['repository']
        and (pods == 'workers' or uses_ssh(values) and (values['training']['setup'] or files_in_launcher(values)))
    ):
        return "true"
    return ""


def code_container(values, pod, role):
    """Clones the code before any container of the user starts; git needs more memory than dsgen's other containers."""
    text = (
        "- name: code\n"
        f"  image: {quote(values['code']['git']['image'] or image_of(values, role))}\n"
        f"  imagePullPolicy: {values['image']['pullPolicy']}\n"
        "  command: [bash, /etc/dsgen/shared/code.sh]\n"
        "  env:\n"
        "    - name: DSGEN_GIT_REPOSITORY\n"
        f"      value: {quote(replace(values['code']['git']['repository'], '$', '$$'))}\n"
        "    - name: DSGEN_GIT_REVISION\n"
        f"      value: {quote(replace(values['code']['git']['revision'], '$', '$$'))}\n"
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
        text += (
            "    - name: dsgen-git\n"
            "      mountPath: /etc/dsgen-git\n"
            "      readOnly: true\n"
        )
    return text.removesuffix("\n")


def init_containers(values, pod, role, pods):
    """The init containers of both pods: those of dsgen, then those of the user. Sidecars are init containers that keep
    running: in the main list they would keep the Job from completing.
    """
    text = ""
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


def resources(values, pod, role):
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


def requests_of(pod, role):
    """The requests of a main container. A request that is auto follows the limit, as in Kubernetes."""
    text = ""
    for key, quantity in items(pod['resources']['requests']):
        request = request_of(pod, role, key, quantity)
        if request:
            text += f"{quote(key)}: {request}\n"
    return text.removesuffix("\n")


def request_of(pod, role, key, quantity):
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


def device_resources(values, role):
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


def environment(values, release, role):
    """dsgen's variables, then the user's; in a launcher that does not run the program, without those from other
    objects, such as Secrets. Dollar signs are doubled, so that the kubelet does not expand $(NAME). Only caches of
    compiled code are put elsewhere: a cache of models would fill the disk of the node.
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
        own = overlay(own, {'GIT_CONFIG_COUNT': '1', 'GIT_CONFIG_KEY_0': 'safe.directory', 'GIT_CONFIG_VALUE_0': values['code']['mountPath']})
    if role == 'worker' and values['network']['socketInterface']:
        own = overlay(own, {'NCCL_SOCKET_IFNAME': values['network']['socketInterface']})
        # Gloo supports neither lists of interfaces nor the prefixes ^ and =.
        if matching(values['network']['socketInterface'], '^[^,=^]*$'):
            own = overlay(own, {'GLOO_SOCKET_IFNAME': values['network']['socketInterface']})
    own = overlay(own, values['training']['env'])
    if role == 'launcher':
        own = overlay(own, values['launcher']['env'])
    for name, value in items(own):
        if is_string(value) or role == 'worker' or name in values['launcher']['env'] or program_in_launcher(values):
            text += f"- name: {quote(name)}\n"
            if is_string(value):
                text += f"  value: {quote(replace(value, '$', '$$'))}\n"
            else:
                text += (
                    "  valueFrom:\n"
                    f"    {indent(to_yaml(value.get('valueFrom')), 4)}\n"
                )
    return text.removesuffix("\n")


def training_container(values, release, pod, role):
    """Fields of the containers that run the user's code."""
    text = f"{image_fields(values, role)}\n"
    if role == 'worker' or uses_ssh(values):
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


def worker_ports(values):
    """Ports of a worker. On the network of the node they are host ports, so two workers with the same port never share
    a node.
    """
    text = ""
    if uses_ssh(values):
        text += (
            "- name: ssh\n"
            f"  containerPort: {scalar(values['ssh']['port'])}\n"
        )
        if values['network']['hostNetwork']:
            text += f"  hostPort: {scalar(values['ssh']['port'])}\n"
    if values['network']['hostNetwork'] or not uses_ssh(values):
        text += (
            "- name: master\n"
            f"  containerPort: {scalar(values['launch']['masterPort'])}\n"
        )
        if values['network']['hostNetwork']:
            text += f"  hostPort: {scalar(values['launch']['masterPort'])}\n"
    if values['network']['hostNetwork']:
        text += (
            "- name: readiness\n"
            f"  containerPort: {scalar(values['workers']['readinessPort'])}\n"
            f"  hostPort: {scalar(values['workers']['readinessPort'])}\n"
        )
    if values['monitoring']['podMonitor']['enabled']:
        text += (
            "- name: metrics\n"
            f"  containerPort: {scalar(values['monitoring']['podMonitor']['port'])}\n"
        )
        if values['network']['hostNetwork']:
            text += f"  hostPort: {scalar(values['monitoring']['podMonitor']['port'])}\n"
    return text.removesuffix("\n")


def training_mounts(values, pod, role, pods):
    """Mounts of the main container. A mount with subPath costs a node more than a volume, so a worker has the files of
    ssh only where a command of the user may log in from it, and a launcher that starts no program has no files for one.
    """
    text = f"{own_mounts(values, pod, role, 'dsgen-run')}\n"
    if pods == 'launcher':
        text += (
            "- name: dsgen-run-status\n"
            "  mountPath: /run/dsgen-status\n"
            "  readOnly: true\n"
        )
    text += (
        "- name: dsgen-cache\n"
        "  mountPath: /run/dsgen/cache\n"
    )
    if uses_ssh(values):
        text += (
            "- name: dsgen-keys\n"
            "  mountPath: /run/dsgen/private/key\n"
            "  readOnly: true\n"
        )
    if uses_ssh(values) and (pods == 'launcher' or values['launch']['method'] == 'launcher-command'):
        text += (
            "- name: dsgen-shared\n"
            "  mountPath: /etc/ssh/ssh_config\n"
            "  subPath: ssh_config\n"
            "  readOnly: true\n"
            "- name: dsgen-shared\n"
            "  mountPath: /etc/mpi/hostfile\n"
            "  subPath: hostfile\n"
            "  readOnly: true\n"
        )
    if pods == 'workers' or uses_ssh(values):
        text += (
            "- name: dsgen-shared\n"
            "  mountPath: /job/hostfile\n"
            "  subPath: hostfile\n"
            "  readOnly: true\n"
        )
        if values['training']['deepspeed']['config']:
            text += (
                "- name: dsgen-shared\n"
                "  mountPath: /job/ds_config.json\n"
                "  subPath: ds_config.json\n"
                "  readOnly: true\n"
            )
        if values['training']['files']:
            text += (
                "- name: dsgen-files\n"
                "  mountPath: /job/files\n"
                "  readOnly: true\n"
            )
    if has_code(values, pods):
        text += (
            "- name: dsgen-code\n"
            f"  mountPath: {quote(values['code']['mountPath'])}\n"
            "  subPath: tree\n"
        )
    for name, volume in items(values['storage']):
        if volume['mountPath'] and is_mounted_in(values, volume, pods):
            text += (
                f"- name: {quote(name)}\n"
                f"  mountPath: {quote(volume['mountPath'])}\n"
            )
            if volume['subPath']:
                text += f"  subPath: {quote(volume['subPath'])}\n"
            if volume['readOnly']:
                text += "  readOnly: true\n"
    return text.removesuffix("\n")


def command(values):
    """The content of command.json: the program and its arguments. launch.command gets no further arguments."""
    text = ""
    training = values['training']
    config = training['deepspeed']['configFile'] or training['deepspeed']['config'] and '/job/ds_config.json'
    arguments = training['args']
    if training['deepspeed']['passConfig'] and config:
        arguments = arguments + ['--deepspeed', '--deepspeed_config', config]
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


def labels(values, release, component):
    """Labels of every object; objects of a run also have its id. `component` is the purpose of the object."""
    text = (
        "app.kubernetes.io/name: deepspeed-job\n"
        f"app.kubernetes.io/instance: {quote(job_name(values, release))}\n"
        f"app.kubernetes.io/component: {component}\n"
        "app.kubernetes.io/managed-by: dsgen\n"
        f"dsgen.dev/job: {quote(job_name(values, release))}\n"
    )
    if values['labels']:
        text += f"{to_yaml(values['labels'])}\n"
    return text.removesuffix("\n")


def run_labels(values, release, component):
    """Labels of an object that belongs to one run."""
    return (
        f"{labels(values, release, component)}\n"
        f"dsgen.dev/run: {quote(run_id(values))}"
    )


def run_selector(values, release):
    """Labels of all pods of a run. They are in immutable fields, so they contain no version."""
    return (
        f"dsgen.dev/job: {quote(job_name(values, release))}\n"
        f"dsgen.dev/run: {quote(run_id(values))}"
    )


def selector(values, release, role):
    """Labels of the workers or of the launcher of a run."""
    return (
        f"{run_selector(values, release)}\n"
        f"dsgen.dev/role: {role}"
    )


def annotations(values):
    """Annotations of every object. Without the first one, Flux would substitute variables in any text of the user."""
    text = "kustomize.toolkit.fluxcd.io/substitute: disabled\n"
    if values['annotations']:
        text += f"{to_yaml(values['annotations'])}\n"
    return text.removesuffix("\n")


def storage_annotations(values, create):
    """Annotations of claims and PersistentVolumes; some keep Helm, Argo CD and Flux from deleting protected storage."""
    text = f"{annotations(values)}\n"
    if create['protect']:
        text += (
            "helm.sh/resource-policy: keep\n"
            "argocd.argoproj.io/sync-options: Prune=false,Delete=false\n"
            "kustomize.toolkit.fluxcd.io/prune: disabled\n"
        )
    return text.removesuffix("\n")


def scripts_metadata(values, release, folder):
    """The metadata of the ConfigMap with a folder of scripts. By default, Argo CD prunes objects before it applies the
    others. If it then cannot apply them, pods of the run may still need the pruned scripts.
    """
    return (
        f"name: {scripts_name(values, release, folder)}\n"
        f"namespace: {quote(namespace(values, release))}\n"
        "labels:\n"
        f"  {indent(labels(values, release, 'scripts'), 2)}\n"
        "annotations:\n"
        f"  {indent(annotations(values), 2)}\n"
        "  argocd.argoproj.io/compare-options: IgnoreExtraneous\n"
        "  argocd.argoproj.io/sync-options: Prune=false"
    )


def job_annotations(values):
    """Annotations of a Job. kube-linter recommends a TTL. But if Kubernetes deleted a Job, the next apply would create
    it again, and it could train again.
    """
    text = f"{annotations(values)}\n"
    if values['lifecycle'].get('ttlSecondsAfterFinished') is None:
        text += (
            "ignore-check.kube-linter.io/job-ttl-seconds-after-finished: a deleted Job would train again when it is applied\n"
        )
    return text.removesuffix("\n")


def reserved_key(key):
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


def uses_ssh(values):
    """"true" if the launcher starts the training over ssh; empty if each worker starts its own processes."""
    if values['launch']['method'] in ['pdsh', 'openmpi', 'launcher-command']:
        return "true"
    return ""


def runs_command(values):
    """"true" if launch.command is run instead of the program in training; else empty."""
    if values['launch']['method'] in ['worker-command', 'launcher-command']:
        return "true"
    return ""


def makes_key(values):
    """"true" if the key pair is generated in the cluster; empty for an existing one and without ssh."""
    if values['ssh']['secret']['mode'] == 'cluster':
        return f"{uses_ssh(values)}"
    return ""


def program_in_launcher(values):
    """"true" if the user's program runs in the launcher; empty if it runs in the workers only."""
    if values['launch']['method'] == 'launcher-command':
        return "true"
    return ""


def files_in_launcher(values):
    """"true" if the launcher needs the user's volumes: for the program, or for the configurations and results of the
    autotuner.
    """
    if program_in_launcher(values) or values['training']['deepspeed']['autotuning'] != 'none':
        return "true"
    return ""


def tensorboard_selector(values, release):
    """Labels of TensorBoard's pod. They contain no run, so that no Service or NetworkPolicy of a run selects the pod."""
    return (
        f"dsgen.dev/job: {quote(job_name(values, release))}\n"
        "dsgen.dev/role: tensorboard"
    )


def is_shared(volume):
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


def shared_mounts(values):
    """Mounts of the workers' volumes, read-only."""
    text = ""
    for name, volume in items(values['storage']):
        if is_shared(volume):
            text += (
                f"- name: {quote(name)}\n"
                f"  mountPath: {quote(volume['mountPath'])}\n"
            )
            if volume['subPath']:
                text += f"  subPath: {quote(volume['subPath'])}\n"
            text += "  readOnly: true\n"
    return text.removesuffix("\n")


def shared_volumes(values, release):
    """Volumes for these mounts."""
    text = ""
    for name, volume in items(values['storage']):
        if is_shared(volume):
            text += (
                f"- name: {quote(name)}\n"
                f"  {indent(volume_source(values, release, name, volume), 2)}\n"
            )
    return text.removesuffix("\n")


def job_name(values, release):
    """The name of the job: from the values, otherwise that of the release."""
    return f"{values['name'] or release['name']}"


def namespace(values, release):
    """The namespace of every namespaced object."""
    return f"{values['namespace'] or release['namespace']}"


def run_id(values):
    """The id of the run; an integer is printed without an exponent."""
    if is_string(values['run']['id']):
        return f"{values['run']['id']}"
    return f"{scalar(int(values['run']['id']))}"


def run_name(values, release):
    """The name of the run, with which the names of its objects begin."""
    return f"{job_name(values, release)}-{run_id(values)}"


def scripts_name(values, release, folder):
    """The ConfigMap with a folder of dsgen's scripts. The names change with the content of all scripts, so a run keeps
    those with which it started.
    """
    return f"{job_name(values, release)}-scripts-{folder}-{'058371a381'}"


def image_of(values, role):
    """The image of a role: worker, launcher, status (the containers with the API token) or tensorboard."""
    images = {'launcher': values['launcher']['image'], 'status': values['status']['image'] or values['launcher']['image'], 'tensorboard': values['monitoring']['tensorboard']['image']}
    return f"{images.get(role) or job_image(values)}"


def job_image(values):
    """The image of the job; a digest takes precedence over a tag."""
    image = values['image']
    if image['digest']:
        return f"{image['repository']}@{image['digest']}"
    if image['tag']:
        return f"{image['repository']}:{image['tag']}"
    return f"{image['repository']}"


def secret_name(values, release):
    """The Secret with the key pair: filled in the cluster, or created by the user."""
    if values['ssh']['secret']['mode'] == 'cluster':
        return f"{job_name(values, release)}-ssh"
    return f"{values['ssh']['secret']['name'] or job_name(values, release) + '-ssh-key'}"


def identity_name(values, release):
    """The name of the objects that give the launcher pod its permissions. With a dot, it is never the name of a
    ServiceAccount that Kubernetes or an operator creates, such as default, or cifar-launcher of an MPIJob.
    """
    return f"{job_name(values, release)}.launcher"


def service_account_name(values, release):
    """The service account of the launcher pod."""
    if values['serviceAccount']['name'] or values['serviceAccount']['create']:
        return f"{values['serviceAccount']['name'] or identity_name(values, release)}"
    return "default"


def claim_name(values, release, name, volume):
    """The claim of a volume. `name` is its key in storage, `volume` its value. Names of jobs have no dots, so the
    volume a-b of job x does not share a claim with the volume b of job x-a.
    """
    return f"{volume['existingClaim'] or job_name(values, release) + '-' + replace(name, '-', '.')}"


def volume_name(values, release, name):
    """The PersistentVolume of a claim; `name` is its key in storage. It has no namespace; names of namespaces and jobs
    have no dots, so the names of two PersistentVolumes cannot collide.
    """
    return f"{namespace(values, release)}.{job_name(values, release)}.{name}"


def accelerators(workers):
    """Accelerators of one worker: by default as many as slots. `workers` is values.workers."""
    if workers['accelerator'].get('count') is None:
        return f"{scalar(workers['slots'])}"
    return f"{scalar(workers['accelerator']['count'])}"


def worker_pods(values):
    """The number of worker pods, spares included."""
    return f"{scalar(values['workers']['replicas'] + values['launch']['preflight']['spares'])}"


def probe_seconds(values):
    """The seconds between two readiness probes of a worker. A small job waits for the next probe. With many workers,
    the API server has to store an event for each probe that fails.
    """
    if int(worker_pods(values)) > 16:
        return "2"
    return "1"


def is_mounted_in(values, volume, pods):
    """"true" if the main containers of a pod mount the volume of storage; else empty. `pods` is workers or launcher, as
    in storage.*.mountIn.
    """
    if (
        volume['mountIn'] in ['both', pods]
        or volume['mountIn'] == 'auto' and (pods == 'workers' or files_in_launcher(values))
    ):
        return "true"
    return ""


def has_volume(values, pod, pods, name, volume):
    """"true" if a pod has the volume `name` of storage: for its main container, or for another one of the user that
    mounts it; else empty.
    """
    if is_mounted_in(values, volume, pods):
        return "true"
    if volume['mountIn'] == 'auto':
        return f"{used_in_pod(pod, name)}"
    return ""


def job_limits(values, role):
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


def pod_metadata(values, release, pod, role):
    """Labels and annotations of a pod: those of dsgen, and those of the user, of whom podLabels and podAnnotations are
    merged over those of all objects.
    """
    text = (
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


def pod_fields(values, release, pod, role):
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
    if pod['runtimeClassName']:
        text += f"runtimeClassName: {quote(pod['runtimeClassName'])}\n"
    if role == 'worker' and values['network']['hostNetwork']:
        text += (
            "hostNetwork: true\n"
            "dnsPolicy: ClusterFirstWithHostNet\n"
        )
    if pod['extraPodSpec']:
        text += f"{to_yaml(pod['extraPodSpec'])}\n"
    return text.removesuffix("\n")


def volumes(values, release, pod, pods):
    """Volumes of both pods: those of dsgen, then those of storage. `pods` is workers or launcher, as in
    storage.*.mountIn. Some scripts are executed by their names. Each volume costs a node time, so the settings of the
    run are in the one that all containers mount.
    """
    text = ""
    folders = ['shared', 'worker']
    if pods == 'launcher':
        folders = ['shared', 'launcher', 'status']
    for folder in folders:
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
    text += (
        "- name: dsgen-run\n"
        "  emptyDir:\n"
        "    medium: Memory\n"
        "    sizeLimit: 64Mi\n"
    )
    if wants_passwd(values, pod):
        text += (
            "- name: dsgen-run-passwd\n"
            "  emptyDir:\n"
            "    medium: Memory\n"
            "    sizeLimit: 64Mi\n"
        )
    text += (
        "- name: dsgen-cache\n"
        "  emptyDir:\n"
        "    sizeLimit: 50Gi\n"
    )
    if uses_ssh(values):
        text += (
            "- name: dsgen-keys\n"
            "  secret:\n"
            f"    secretName: {quote(secret_name(values, release))}\n"
            "    defaultMode: 292  # 0444\n"
            "    optional: true\n"
        )
    if values['training']['files'] and (pods == 'workers' or uses_ssh(values)):
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
            "- name: dsgen-run-code\n"
            "  emptyDir:\n"
            "    medium: Memory\n"
            "    sizeLimit: 64Mi\n"
        )
        if values['code']['git']['secretName']:
            text += (
                "- name: dsgen-git\n"
                "  secret:\n"
                f"    secretName: {quote(values['code']['git']['secretName'])}\n"
                "    defaultMode: 292  # 0444\n"
            )
    for name, volume in items(values['storage']):
        if has_volume(values, pod, pods, name, volume):
            text += (
                f"- name: {quote(name)}\n"
                f"  {indent(volume_source(values, release, name, volume), 2)}\n"
            )
    return text.removesuffix("\n")


def volume_source(values, release, name, volume):
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


def kueue_queue(values, role):
    """The Kueue queue of a Job, or empty. With gang: volcano, the queue of the workers is a queue of Volcano."""
    if role == 'launcher':
        return f"{values['scheduling']['launcherQueue']}"
    if values['scheduling']['gang'] != 'volcano':
        return f"{values['scheduling']['queue']}"
    return ""


def gang_name(values, release):
    """The PodGroup of the workers. Its name contains their number: with another number, the run gets another PodGroup."""
    return f"{run_name(values, release)}-{worker_pods(values)}"


def job_labels(values, release, component, role):
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


def scheduler_name(values, pod, role):
    """The scheduler of a pod: the user's, or for workers that of the gang; empty for the cluster's default."""
    if pod['schedulerName']:
        return f"{pod['schedulerName']}"
    if role == 'worker':
        return (
            get({'volcano': 'volcano', 'coscheduling': 'scheduler-plugins-scheduler'}, values['scheduling']['gang'], '')
        )
    return ""


def affinity_of(values, release, pod, role):
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
        given = get(pod['affinity'], kind, {})
        if given:
            text += (
                f"{kind}:\n"
                f"  {indent(to_yaml(given), 2)}\n"
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


def selecting_affinity(values, pod, role, node):
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


def selecting_term(values, pod, role, term):
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


def term_expressions(values, pod, role, term):
    """The nodeSelector of a Job in a queue as expressions of node affinity, before the user's."""
    text = ""
    if kueue_queue(values, role):
        for key, value in items(pod['nodeSelector']):
            text += (
                f"- key: {quote(key)}\n"
                "  operator: In\n"
                f"  values: [{quote(value)}]\n"
            )
    given = get(term, 'matchExpressions', [])
    if given:
        text += f"{to_yaml(given)}\n"
    return text.removesuffix("\n")


def term_fields(values, role, term):
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
    given = get(term, 'matchFields', [])
    if given:
        text += f"{to_yaml(given)}\n"
    return text.removesuffix("\n")


def workers_beside(values, release, label, is_required):
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


def pod_security_context(values):
    """The security context that the Pod Security level requires, with the user's merged over it."""
    text = ""
    own = {}
    if values['security']['podSecurityLevel'] == 'restricted':
        own = {'runAsNonRoot': True, 'seccompProfile': {'type': 'RuntimeDefault'}}
    context = overlay(own, values['security']['podSecurityContext'])
    if context:
        text += f"{to_yaml(context)}\n"
    return text.removesuffix("\n")


def security_context(values, pod, role):
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


def locks_memory(values):
    """"true" if workers need IPC_LOCK to register memory for RDMA, and may have it; EFA does not need it. Else empty."""
    rdma = values['network']['rdma']
    if (
        rdma['ipcLock'] == 'add'
        or rdma['ipcLock'] == 'auto' and rdma['resources'] and values['security']['podSecurityLevel'] == 'privileged' and ('vpc.amazonaws.com/efa' not in rdma['resources'] or len(rdma['resources']) > 1)
    ):
        return "true"
    return ""


def own_security_context(values, pod):
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


def wants_passwd(values, pod):
    """"true" if the pod gets a passwd file, because its image may not know its user id; else empty."""
    if values['ssh']['passwdEntry'] == 'auto' and is_never_root(values, pod):
        return "true"
    return ""


def is_never_root(values, pod):
    """"true" if the pod (values.workers or values.launcher) cannot be root; else empty."""
    if (
        values['security']['podSecurityLevel'] == 'restricted'
        or is_not_root(values['security']['podSecurityContext'])
        or is_not_root(values['security']['securityContext'])
        or is_not_root(pod['securityContext'])
    ):
        return "true"
    return ""


def is_not_root(context):
    """"true" for a security context that does not allow root; else empty."""
    if get(context, 'runAsNonRoot', False) or get(context, 'runAsUser', 0):
        return "true"
    return ""


def git_over_ssh(repository):
    """"true" for a repository over ssh: ssh://HOST/PATH or HOST:PATH; else empty."""
    if matching(repository, '^ssh://.*$') or matching(repository, '^[^/:]+:([^/].*|/[^/].*)$'):
        return "true"
    return ""


def reserved_path(path):
    """"true" for a path that dsgen or the system uses; else empty."""
    if (
        matching(path, '^/(job|etc/(dsgen|dsgen-status|dsgen-git|dsgen-webhook|mpi))(/.*)?$')
        or matching(path, '^/((var/)?run/dsgen(-[a-z]+)?|(var/)?run/secrets/dsgen|etc/ssh/ssh_config|etc/passwd)(/.*)?$')
        or matching(path, '^/(etc|etc/ssh|run|var|var/run|var/run/secrets|dev|proc|sys)$')
    ):
        return "true"
    return ""


def first_source(volume):
    """The source of a volume, the first of several; empty without a source."""
    if volume['existingClaim']:
        return "existingClaim"
    if volume.get('create') is not None:
        return "create"
    if volume.get('nfs') is not None:
        return "nfs"
    if volume.get('hostPath') is not None:
        return "hostPath"
    if volume.get('emptyDir') is not None:
        return "emptyDir"
    if volume.get('ephemeral') is not None:
        return "ephemeral"
    if volume.get('csi') is not None:
        return "csi"
    if volume.get('configMap') is not None:
        return "configMap"
    if volume.get('secret') is not None:
        return "secret"
    if volume.get('projected') is not None:
        return "projected"
    return ""


def used_in_pod(pod, name):
    """"true" if a container of the user in the pods of a role mounts the volume `name` or has it as a device; else
    empty.
    """
    text = ""
    for kind in ['initContainers', 'sidecars']:
        for container in pod[kind]:
            for field in ['volumeMounts', 'volumeDevices']:
                for mount in get(container, field, []):
                    if is_string(mount.get('name')) and mount['name'] == name:
                        text += "true\n"
    for device in get(pod['extraContainerSpec'], 'volumeDevices', []):
        if is_string(device.get('name')) and device['name'] == name:
            text += "true\n"
    return text.removesuffix("\n")


def requests_devices(workers):
    """"true" if the workers request a device in their resources, or by a claim; else empty."""
    text = ""
    for kind in ['requests', 'limits']:
        for key, quantity in items(workers['resources'][kind]):
            if matching(key, '^[^/]+/.*$'):
                text += "true\n"
    if workers['resources']['claims']:
        text += "true\n"
    return text.removesuffix("\n")


def is_on_volume(values, path, kind):
    """"true" for each volume of the workers that contains a path and is of a kind (any, writable, kept); else empty."""
    text = ""
    folder = path + '/'
    for name, volume in items(values['storage']):
        if (
            volume['mountPath']
            and starting(folder, volume['mountPath'] + '/')
            and is_mounted_in(values, volume, 'workers')
            and (kind == 'any' or kind == 'kept' and first_source(volume) not in ['emptyDir', 'ephemeral'] or kind == 'writable' and not volume['readOnly'] and first_source(volume) not in ['configMap', 'secret', 'projected'])
        ):
            text += "true\n"
    return text.removesuffix("\n")


def memory_bytes(quantities):
    """The bytes of memory in requests or limits; 0 if it is not set."""
    if 'memory' in quantities:
        return whole_bytes(replace(quantity_json(quantities['memory']), '"', ''))
    return "0"


def requested(pod, role, key):
    """What the main container of a role requests of a resource, also by default, in bytes or CPUs; 0 if it is not set."""
    if key in pod['resources']['requests']:
        request = request_of(pod, role, key, pod['resources']['requests'][key])
        return whole_bytes(replace(request, '"', ''))
    return "0"


def quantity_json(quantity):
    """A quantity (a text or a number) as JSON."""
    return f"{to_json(quantity)}"


def below_1mi(size):
    """"true" for a size as JSON that is below 1Mi and not 0; else empty. Other units with many zeros are not
    recognized.
    """
    if (
        not matching(size, '^[^0-9]?0+([.]0+)?[A-Za-z]*[^0-9A-Za-z.]?$')
        and (matching(size, '^[0-9]{1,6}([.][0-9]+)?$') or matching(size, '^[^0-9][0-9]{1,6}([.][0-9]+)?[^0-9A-Za-z.]$') or matching(size, '^[^0-9]?10([0-3][0-9]{4}|4[0-7][0-9]{3}|48[0-4][0-9]{2}|485[0-6][0-9]|4857[0-5])([.][0-9]+)?[^0-9A-Za-z.]?$') or matching(size, '^[^0-9]([0-9]{1,9}([.][0-9]+)?m|0*([0-9]{1,3}|10[0-3][0-9]|104[0-7])([.][0-9]+)?k|0*([0-9]{1,3}|10[01][0-9]|102[0-3])([.][0-9]+)?Ki|0*1M|0+[.][0-9]+Mi?)[^0-9A-Za-z.]$'))
    ):
        return "true"
    return ""


def digits_below(count):
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


def world_bytes(values, release):
    """The size of DeepSpeed's JSON of the workers, such as {"RUN-worker-0.RUN": [0, 1]}: for each worker both names, 15
    other characters and its slots with two characters between them; and the digits of the workers.
    """
    run = run_name(values, release)
    slots = int(digits_below(values['workers']['slots'])) + 2 * values['workers']['slots']
    pods = int(worker_pods(values))
    return f"{scalar(pods * (2 * len(run) + 15 + slots) + int(digits_below(pods)))}"


def launcher_bytes(values):
    """The memory in bytes that the launcher needs with ssh: 1 GiB, and 1.4 MiB (measured) for the session of each
    worker.
    """
    return f"{scalar(1073741824 + 1468006 * int(worker_pods(values)))}"


def worker_bytes(values):
    """The memory in bytes that a worker needs at least: for its processes (with CUDA 2 GiB or more, without it 256
    MiB), for all of sharedMemory, unless it is the default, which few jobs fill, and for its part of the states that
    DeepSpeed offloads: 18 bytes a parameter, for a model of a billion parameters.
    """
    text = ""
    process = 268435456
    if int(accelerators(values['workers'])) > 0:
        process = 2147483648
    shared = 0
    if values['workers']['sharedMemory'] != '8Gi':
        shared = int(whole_bytes(values['workers']['sharedMemory'])) // 1048576 * 1048576
    offloaded = 0
    if offloads(values):
        offloaded = 18000000000 // int(worker_pods(values))
    text += f"{scalar(process * values['workers']['slots'] + shared + offloaded)}"
    return text


def offloads(values):
    """"true" if DeepSpeed's configuration keeps the optimizer or weights in the memory of the worker; else empty."""
    zero = get(values['training']['deepspeed']['config'], 'zero_optimization', {})
    if is_mapping(zero):
        text = ""
        for part in ['offload_optimizer', 'offload_param']:
            offload = get(zero, part, {})
            if is_mapping(offload):
                device = get(offload, 'device', '')
                if is_string(device) and device == 'cpu':
                    text += "true\n"
        return text.removesuffix("\n")
    return ""
