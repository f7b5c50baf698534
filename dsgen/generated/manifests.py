"""The templates of the objects: each is a function from values to YAML.

Written by `make generate` from dsgen/templates; changes are lost.
"""

from collections.abc import Mapping
from dsgen.generated.helpers import (
    account_of_launcher,
    annotations,
    api_identity,
    argument_of_mpirun,
    checkpoint_of_one_worker,
    claim_name,
    claim_of_one_pod,
    command,
    config_path,
    default_account,
    failure_policy,
    gang_name,
    identity_name,
    image_fields,
    init_containers,
    invalid_job_name,
    job_annotations,
    job_labels,
    job_limits,
    job_name,
    labels,
    long_pod_names,
    long_tensorboard_name,
    makes_key,
    memory_volume,
    metadata,
    mount,
    namespace,
    needs_scripts,
    no_image,
    no_program,
    own_resource,
    own_security_context,
    pod_fields,
    pod_metadata,
    pod_security_context,
    probe_seconds,
    program_of_mpirun,
    queue_of_launcher_alone,
    refused_fewer_workers,
    refused_resize,
    resources,
    run_id,
    run_metadata,
    run_name,
    run_named_tensorboard,
    run_selector,
    scheduler_without_gangs,
    scripts_object,
    secret_name,
    secret_of_job,
    secret_volume,
    security_context,
    selector,
    service_account_name,
    shared_devices,
    shared_mounts,
    shared_processes,
    shared_slice,
    shared_volumes,
    storage_annotations,
    suspended_in_queue,
    tensorboard_selector,
    too_many_for_pdsh,
    training_container,
    training_mounts,
    uses_ssh,
    volume_name,
    volumes,
    worker_pods,
    worker_ports,
    written_key,
)
from dsgen.language.functions import SHIPPED, count_to, get, items, join, refuse, whole_bytes
from dsgen.language.text import indent, quote, scalar, to_json, to_plain_json, to_yaml
from posixpath import basename
from typing import Any


def storage_persistentvolumes(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """storage/persistentvolumes.yaml: A PersistentVolume for every claim with create.persistentVolume, bound to that
    claim.
    """
    text = ""
    for name, volume in items(values['storage']):
        if volume.get('create') is not None:
            create = volume['create']
            if create['persistentVolume']:
                text += (
                    "---\n"
                    "apiVersion: v1\n"
                    "kind: PersistentVolume\n"
                    "metadata:\n"
                    f"  name: {quote(volume_name(values, release, name))}\n"
                    "  labels:\n"
                    f"    {indent(labels(values, release, 'storage'), 4)}\n"
                    "  annotations:\n"
                    f"    {indent(storage_annotations(values, create), 4)}\n"
                    "spec:\n"
                    "  capacity:\n"
                    f"    storage: {to_json(create['size'])}\n"
                    "  accessModes:\n"
                    f"    {indent(to_yaml(create['accessModes']), 4)}\n"
                    "  persistentVolumeReclaimPolicy: Retain\n"
                    f"  storageClassName: {quote(create.get('storageClass') or '')}\n"
                    "  claimRef:\n"
                    "    apiVersion: v1\n"
                    "    kind: PersistentVolumeClaim\n"
                    f"    name: {quote(claim_name(values, release, name, volume))}\n"
                    f"    namespace: {quote(namespace(values, release))}\n"
                    f"  {indent(to_yaml(create['persistentVolume']), 2)}\n"
                )
    return text


def storage_persistentvolumeclaims(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """storage/persistentvolumeclaims.yaml: A claim for every volume with `create`, which may be empty."""
    text = ""
    for name, volume in items(values['storage']):
        if volume.get('create') is not None:
            create = volume['create']
            refuse('DS216', claim_of_one_pod(values, name, volume))
            text += (
                "---\n"
                "apiVersion: v1\n"
                "kind: PersistentVolumeClaim\n"
                "metadata:\n"
                f"  name: {quote(claim_name(values, release, name, volume))}\n"
                f"  namespace: {quote(namespace(values, release))}\n"
                "  labels:\n"
                f"    {indent(labels(values, release, 'storage'), 4)}\n"
                "  annotations:\n"
                f"    {indent(storage_annotations(values, create), 4)}\n"
                "spec:\n"
                "  accessModes:\n"
                f"    {indent(to_yaml(create['accessModes']), 4)}\n"
                "  resources:\n"
                "    requests:\n"
                f"      storage: {to_json(create['size'])}\n"
            )
            if create['persistentVolume']:
                text += (
                    f"  storageClassName: {quote(create.get('storageClass') or '')}\n"
                    f"  volumeName: {quote(volume_name(values, release, name))}\n"
                )
            elif create.get('storageClass') is not None:
                text += f"  storageClassName: {quote(create['storageClass'])}\n"
    return text


def ssh_secret(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """ssh/secret.yaml: Without data: a pod of the job writes the key, so the private key is in no repository, and no
    later apply removes it.
    """
    if makes_key(values):
        return (
            "apiVersion: v1\n"
            "kind: Secret\n"
            "metadata:\n"
            f"  name: {quote(secret_name(values, release))}\n"
            f"  {indent(metadata(values, release, 'ssh'), 2)}\n"
            "type: Opaque\n"
        )
    return ""


def status_configmap(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """status/configmap.yaml: The record of all runs. Without data: the status sidecar writes it, and no later apply
    removes it.
    """
    return (
        "apiVersion: v1\n"
        "kind: ConfigMap\n"
        "metadata:\n"
        f"  name: {job_name(values, release)}-status\n"
        f"  {indent(metadata(values, release, 'status'), 2)}\n"
    )


def rbac_serviceaccount(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """rbac/serviceaccount.yaml: The identity of the launcher pod; only its container status mounts a token."""
    text = ""
    for key, value in items(values['serviceAccount']['annotations']):
        refuse('DS230', written_key('serviceAccount.annotations', key))
    if values['serviceAccount']['create']:
        text += (
            "apiVersion: v1\n"
            "kind: ServiceAccount\n"
            "metadata:\n"
            f"  name: {quote(service_account_name(values, release))}\n"
            f"  namespace: {quote(namespace(values, release))}\n"
            "  labels:\n"
            f"    {indent(labels(values, release, 'status'), 4)}\n"
            "  annotations:\n"
            f"    {indent(annotations(values), 4)}\n"
        )
        if values['serviceAccount']['annotations']:
            text += f"    {indent(to_yaml(values['serviceAccount']['annotations']), 4)}\n"
        text += "automountServiceAccountToken: false\n"
    return text


def rbac_role(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """rbac/role.yaml: Allows the container status of the launcher pod to write the key's Secret and the record."""
    if values['rbac']['create']:
        text = (
            "apiVersion: rbac.authorization.k8s.io/v1\n"
            "kind: Role\n"
            "metadata:\n"
            f"  name: {quote(identity_name(values, release))}\n"
            f"  {indent(metadata(values, release, 'status'), 2)}\n"
            "rules:\n"
        )
        if makes_key(values):
            text += (
                "  - apiGroups: [\"\"]\n"
                "    resources: [secrets]\n"
                f"    resourceNames: [{quote(secret_name(values, release))}]\n"
                "    verbs: [get, patch]\n"
            )
        text += (
            "  - apiGroups: [\"\"]\n"
            "    resources: [configmaps]\n"
            f"    resourceNames: [{quote(job_name(values, release) + '-status')}]\n"
            "    verbs: [get, patch, create]  # created with the name in the request, by server-side apply\n"
        )
        return text
    return ""


def rbac_rolebinding(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """rbac/rolebinding.yaml: Grants the permissions on key and record to the ServiceAccount of the launcher pod."""
    if values['rbac']['create']:
        return (
            "apiVersion: rbac.authorization.k8s.io/v1\n"
            "kind: RoleBinding\n"
            "metadata:\n"
            f"  name: {quote(identity_name(values, release))}\n"
            f"  {indent(metadata(values, release, 'status'), 2)}\n"
            "roleRef:\n"
            "  apiGroup: rbac.authorization.k8s.io\n"
            "  kind: Role\n"
            f"  name: {quote(identity_name(values, release))}\n"
            "subjects:\n"
            "  - kind: ServiceAccount\n"
            f"    name: {quote(service_account_name(values, release))}\n"
            f"    namespace: {quote(namespace(values, release))}\n"
        )
    return ""


def rbac_watch_role(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """rbac/watch-role.yaml: Allows the status sidecar to read the two Jobs of the run, and to list pods. Names of jobs
    contain no dot, so no Role of another job has this name (a job could be named like a run followed by -watch).
    """
    if values['rbac']['create']:
        text = ""
        name = run_name(values, release)
        text += (
            "apiVersion: rbac.authorization.k8s.io/v1\n"
            "kind: Role\n"
            "metadata:\n"
            f"  name: {name}.watch\n"
            f"  {indent(run_metadata(values, release, 'status'), 2)}\n"
            "rules:\n"
            "  - apiGroups: [batch]\n"
            "    resources: [jobs]\n"
            f"    resourceNames: [{name}-launcher, {name}-worker]\n"
            "    verbs: [get]\n"
        )
        # To find out why workers do not run. A rule cannot select pods with random names, or by label.
        text += (
            "  - apiGroups: [\"\"]\n"
            "    resources: [pods]\n"
            "    verbs: [list]\n"
        )
        return text
    return ""


def rbac_watch_rolebinding(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """rbac/watch-rolebinding.yaml: Grants the permission to read the Jobs to the ServiceAccount of the launcher pod."""
    if values['rbac']['create']:
        name = run_name(values, release)
        return (
            "apiVersion: rbac.authorization.k8s.io/v1\n"
            "kind: RoleBinding\n"
            "metadata:\n"
            f"  name: {name}.watch\n"
            f"  {indent(run_metadata(values, release, 'status'), 2)}\n"
            "roleRef:\n"
            "  apiGroup: rbac.authorization.k8s.io\n"
            "  kind: Role\n"
            f"  name: {name}.watch\n"
            "subjects:\n"
            "  - kind: ServiceAccount\n"
            f"    name: {quote(service_account_name(values, release))}\n"
            f"    namespace: {quote(namespace(values, release))}\n"
        )
    return ""


def config_configmap(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """config/configmap.yaml: Settings of the run, which its pods read. Immutable: a change needs a new run id."""
    text = ""
    name = run_name(values, release)
    training = values['training']
    lifecycle = values['lifecycle']
    refuse('DS202', no_program(values))
    refuse('DS276', too_many_for_pdsh(values, release))
    refuse('DS371', program_of_mpirun(join(values['launch']['mpirunArgs'], ' ')))
    for word in values['launch']['mpirunArgs']:
        refuse('DS371', argument_of_mpirun(word))
    for limit in ['workers.replicas', 'training.deepspeed.resize.checkpoint', 'launch.method', 'lifecycle.startTimeoutSeconds']:
        refuse('DS358', refused_fewer_workers(values, limit))
    for key in ['launch.command', 'training.deepspeed.autotuning', 'training.deepspeed.resize.checkpoint', 'training.deepspeed.configFile', 'training.deepspeed.passConfig', 'training.deepspeed.version']:
        refuse('DS376', refused_resize(values, key))
    for key, volume in items(values['storage']):
        refuse('DS377', checkpoint_of_one_worker(values, key, volume))
    text += (
        "apiVersion: v1\n"
        "kind: ConfigMap\n"
        "metadata:\n"
        f"  name: {name}-config\n"
        f"  {indent(run_metadata(values, release, 'config'), 2)}\n"
        "immutable: true\n"
        "data:\n"
        "  hostfile: |\n"
    )
    for index in count_to(int(worker_pods(values))):
        text += f"    {name}-worker-{scalar(index)}.{name} slots={scalar(values['workers']['slots'])}\n"
    text += (
        "  settings.json: |\n"
        "    {\n"
        "      \"version\": 1,\n"
        f"      \"job\": \"{job_name(values, release)}\",\n"
        f"      \"run\": \"{run_id(values)}\",\n"
        f"      \"runName\": \"{name}\",\n"
        f"      \"namespace\": \"{namespace(values, release)}\",\n"
        f"      \"workers\": {scalar(values['workers']['replicas'])},\n"
        f"      \"slots\": {scalar(values['workers']['slots'])},\n"
        f"      \"sshPort\": {scalar(values['ssh']['port'])},\n"
        f"      \"masterPort\": {scalar(values['launch']['masterPort'])},\n"
        f"      \"readinessPort\": {scalar(values['workers']['readinessPort'])},\n"
        f"      \"probeSeconds\": {probe_seconds(values)},\n"
        f"      \"secret\": \"{secret_name(values, release)}\",\n"
        f"      \"makesKey\": {makes_key(values) or 'false'},\n"
        f"      \"record\": \"{job_name(values, release)}-status\",\n"
        f"      \"localRank\": {scalar(training['deepspeed']['localRank'])},\n"
    )
    if lifecycle['maxRestarts']:
        text += f"      \"maxRestarts\": {scalar(lifecycle['maxRestarts'])},\n"
    if lifecycle['restartExitCodes']:
        text += f"      \"restartExitCodes\": {to_json(lifecycle['restartExitCodes'])},\n"
    text += (
        f"      \"restartDelaySeconds\": {scalar(lifecycle['restartDelaySeconds'])},\n"
        f"      \"startTimeoutSeconds\": {scalar(lifecycle['startTimeoutSeconds'])},\n"
    )
    if lifecycle['activeDeadlineSeconds']:
        text += f"      \"activeDeadlineSeconds\": {scalar(lifecycle['activeDeadlineSeconds'])},\n"
    if lifecycle['hangTimeoutSeconds']:
        text += f"      \"hangTimeoutSeconds\": {scalar(lifecycle['hangTimeoutSeconds'])},\n"
    if lifecycle['progress']['pattern']:
        text += f"      \"progressPattern\": {to_plain_json(lifecycle['progress']['pattern'])},\n"
    if lifecycle['progress']['file']:
        text += f"      \"progressFile\": {to_plain_json(lifecycle['progress']['file'])},\n"
    if lifecycle['progress']['checkpointPath']:
        text += f"      \"checkpointPath\": {to_plain_json(lifecycle['progress']['checkpointPath'])},\n"
    if lifecycle['progress']['checkpointTimeoutSeconds']:
        text += f"      \"checkpointTimeoutSeconds\": {scalar(lifecycle['progress']['checkpointTimeoutSeconds'])},\n"
    text += (
        f"      \"orphanTimeoutSeconds\": {scalar(lifecycle['orphanTimeoutSeconds'])},\n"
        f"      \"terminationGracePeriodSeconds\": {scalar(lifecycle['terminationGracePeriodSeconds'])},\n"
        f"      \"workerReplacements\": {scalar(lifecycle['workerReplacements'])},\n"
        f"      \"keepWorkers\": \"{lifecycle['keepWorkers']}\",\n"
        f"      \"statusIntervalSeconds\": {scalar(values['status']['intervalSeconds'])},\n"
        f"      \"statusHistory\": {scalar(values['status']['history'])},\n"
        f"      \"method\": \"{values['launch']['method']}\",\n"
        f"      \"expectWorld\": {scalar(values['launch']['expectWorld'] and values['launch']['method'] != 'slurm-script')},\n"
    )
    if values['launch']['preflight']['spares']:
        text += f"      \"spares\": {scalar(values['launch']['preflight']['spares'])},\n"
    if values['launch']['preflight']['network']:
        text += "      \"preflightNetwork\": true,\n"
    if values['launch']['preflight']['image']:
        text += "      \"preflightImage\": true,\n"
    if values['launch']['preflight']['modules']:
        text += f"      \"preflightModules\": {to_json(values['launch']['preflight']['modules'])},\n"
    if values['launch']['preflight']['programs']:
        text += f"      \"preflightPrograms\": {to_plain_json(values['launch']['preflight']['programs'])},\n"
    text += f"      \"sharedMemory\": {scalar(int(whole_bytes(values['workers']['sharedMemory'])))},\n"
    if values['ssh']['user']:
        text += f"      \"sshUser\": \"{values['ssh']['user']}\",\n"
    if training['deepspeed']['args']:
        text += f"      \"deepspeedArgs\": {to_plain_json(training['deepspeed']['args'])},\n"
    if values['launch']['mpirunArgs']:
        text += f"      \"mpirunArgs\": {to_plain_json(values['launch']['mpirunArgs'])},\n"
    if training['rankLogs']:
        text += f"      \"rankLogs\": {to_plain_json(training['rankLogs'])},\n"
    if training['deepspeed']['autotuning'] != 'none':
        text += f"      \"autotuning\": \"{training['deepspeed']['autotuning']}\",\n"
    if training['deepspeed']['bindCores']:
        text += "      \"bindCores\": true,\n"
    if training['deepspeed']['resize']['checkpoint']:
        text += (
            f"      \"resizeCheckpoint\": {to_plain_json(training['deepspeed']['resize']['checkpoint'])},\n"
            f"      \"resizeConfig\": {to_plain_json(config_path(values))},\n"
            f"      \"resizeLoadsFrozen\": {scalar(training['deepspeed']['resize']['programLoadsFrozen'])},\n"
        )
    if values['workers']['min']:
        text += (
            f"      \"workersMin\": {scalar(values['workers']['min'])},\n"
            f"      \"resizeAfterSeconds\": {scalar(lifecycle['resizeAfterSeconds'])},\n"
        )
    if lifecycle['debug']['enabled']:
        text += "      \"debug\": true,\n"
    if lifecycle['debug']['command']:
        text += f"      \"debugCommand\": {to_plain_json(lifecycle['debug']['command'])},\n"
    if values['status']['webhook']['url']:
        text += f"      \"webhookUrl\": {to_plain_json(values['status']['webhook']['url'])},\n"
    text += (
        "      \"scripts\": " + to_plain_json({'launcher': '0fc1d7ef95', 'local': '408c24d83e', 'shared': '6550a38a3a', 'slurm': 'efd050f2a4', 'ssh': '2f49a05044', 'status': '212fefc5cf', 'worker': 'a9c25d0953'}) + "\n"
        "    }\n"
        f"  command.json: {command(values)}\n"
    )
    if training['deepspeed']['config']:
        text += f"  ds_config.json: {quote(to_json(training['deepspeed']['config']))}\n"
    text += f"  setup.sh: {quote(training['setup'])}\n"
    if values['code']['git']['knownHosts']:
        text += f"  git_known_hosts: {quote(values['code']['git']['knownHosts'])}\n"
    if uses_ssh(values):
        text += (
            "  ssh_config: |\n"
            f"    Host {job_name(values, release)}-*-worker-*\n"
            f"        Port {scalar(values['ssh']['port'])}\n"
        )
        if values['ssh']['user']:
            text += f"        User {values['ssh']['user']}\n"
        text += "        Include /etc/dsgen/ssh/client.conf\n"
    return text


def config_files(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """config/files.yaml: training.files, mounted at /job/files."""
    if values['training']['files']:
        text = ""
        name = run_name(values, release)
        text += (
            "apiVersion: v1\n"
            "kind: ConfigMap\n"
            "metadata:\n"
            f"  name: {name}-files\n"
            f"  {indent(run_metadata(values, release, 'config'), 2)}\n"
            "immutable: true\n"
            "data:\n"
        )
        for file, text_ in items(values['training']['files']):
            text += f"  {quote(file)}: {quote(text_)}\n"
        return text
    return ""


def scripts_configmaps(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """scripts/configmaps.yaml: A ConfigMap for each folder of scripts, mounted at /etc/dsgen/FOLDER. A job that does
    not share them has those that it needs.
    """
    text = ""
    for folder in ['launcher', 'local', 'shared', 'slurm', 'ssh', 'status', 'worker']:
        if not values['runtime']['create'] or needs_scripts(values, folder):
            text += (
                "---\n"
                f"{scripts_object(values, release, folder)}\n"
                "data:\n"
            )
            for path, _ in items(SHIPPED.glob('scripts/**')):
                if str.startswith(path, 'scripts/' + folder + '/'):
                    text += (
                        f"  {basename(path)}: |\n"
                        f"    {indent(SHIPPED.get(path), 4)}\n"
                    )
    return text


def network_service(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """network/service.yaml: Gives each worker the name <run>-worker-<index>.<run>, even before it is ready."""
    text = ""
    name = run_name(values, release)
    refuse('DS343', run_named_tensorboard(values))
    text += (
        "apiVersion: v1\n"
        "kind: Service\n"
        "metadata:\n"
        f"  name: {name}\n"
        f"  {indent(run_metadata(values, release, 'network'), 2)}\n"
        "spec:\n"
        "  clusterIP: None\n"
        "  publishNotReadyAddresses: true\n"
        "  selector:\n"
        f"    {indent(selector(values, release, 'worker'), 4)}\n"
        "  ports:\n"
    )
    if uses_ssh(values):
        text += (
            "    - name: ssh\n"
            f"      port: {scalar(values['ssh']['port'])}\n"
        )
    else:
        text += (
            "    - name: master\n"
            f"      port: {scalar(values['launch']['masterPort'])}\n"
        )
    return text


def network_networkpolicy(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """network/networkpolicy.yaml: Allows connections only between the pods of a run; egress is not restricted."""
    if values['network']['policy']:
        text = ""
        name = run_name(values, release)
        text += (
            "apiVersion: networking.k8s.io/v1\n"
            "kind: NetworkPolicy\n"
            "metadata:\n"
            f"  name: {name}\n"
            f"  {indent(run_metadata(values, release, 'network'), 2)}\n"
            "spec:\n"
            "  podSelector:\n"
            "    matchLabels:\n"
            f"      {indent(run_selector(values, release), 6)}\n"
            "  policyTypes: [Ingress]\n"
            "  ingress:\n"
            "    - from:\n"
            "        - podSelector:\n"
            "            matchLabels:\n"
            f"              {indent(run_selector(values, release), 14)}\n"
        )
        if values['monitoring']['podMonitor']['enabled']:
            scraper = values['monitoring']['podMonitor']['scrapedBy']
            text += (
                "    - from:\n"
                "        - namespaceSelector:\n"
            )
            if scraper['namespace']:
                text += (
                    "            matchLabels:\n"
                    f"              kubernetes.io/metadata.name: {quote(scraper['namespace'])}\n"
                )
            else:
                text += "            matchLabels: {}\n"
            text += "          podSelector:\n"
            if scraper['app']:
                text += (
                    "            matchLabels:\n"
                    f"              app.kubernetes.io/name: {quote(scraper['app'])}\n"
                )
            else:
                text += "            matchLabels: {}\n"
            text += (
                "      ports:\n"
                f"        - port: {scalar(values['monitoring']['podMonitor']['port'])}\n"
            )
        return text
    return ""


def scheduling_podgroup(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """scheduling/podgroup.yaml: Starts all workers together or none. The launcher is not part of the group: it waits
    for the workers.
    """
    if values['scheduling']['gang'] != 'none':
        text = ""
        if values['scheduling']['gang'] == 'volcano':
            text += "apiVersion: scheduling.volcano.sh/v1beta1\n"
        else:
            text += "apiVersion: scheduling.x-k8s.io/v1alpha1\n"
        text += (
            "kind: PodGroup\n"
            "metadata:\n"
            f"  name: {quote(gang_name(values, release))}\n"
            f"  {indent(run_metadata(values, release, 'scheduling'), 2)}\n"
            "spec:\n"
            f"  minMember: {worker_pods(values)}\n"
        )
        if values['scheduling']['gang'] == 'volcano' and values['scheduling']['queue']:
            text += f"  queue: {quote(values['scheduling']['queue'])}\n"
        if values['scheduling']['gang'] == 'volcano' and values['scheduling']['priorityClass']:
            text += f"  priorityClassName: {quote(values['scheduling']['priorityClass'])}\n"
        return text
    return ""


def workers_job(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """workers/job.yaml: The workers. Each runs its ranks, which the launcher starts over ssh, or the worker itself, and
    ends when the run is over.
    """
    text = ""
    name = run_name(values, release)
    pod = values['workers']
    refuse('DS201', no_image(values))
    refuse('DS204', long_pod_names(values, release))
    refuse('DS205', invalid_job_name(job_name(values, release)))
    refuse('DS206', shared_devices(pod))
    refuse('DS207', shared_slice(pod))
    for kind in ['requests', 'limits']:
        amounts = pod['resources'][kind]
        refuse('DS208', own_resource(kind, pod['accelerator']['resource'], amounts))
    refuse('DS380', account_of_launcher(values, release))
    refuse('DS309', suspended_in_queue(values))
    refuse('DS310', scheduler_without_gangs(values))
    for field in ['hostPID', 'shareProcessNamespace']:
        refuse('DS344', shared_processes(values, 'workers', pod, field))
    text += (
        "apiVersion: batch/v1\n"
        "kind: Job\n"
        "metadata:\n"
        f"  name: {name}-worker\n"
        f"  namespace: {quote(namespace(values, release))}\n"
        "  labels:\n"
        f"    {indent(job_labels(values, release, 'worker', 'worker'), 4)}\n"
        "  annotations:\n"
        f"    {indent(job_annotations(values), 4)}\n"
        "spec:\n"
        "  completionMode: Indexed\n"
        f"  {indent(job_limits(values, 'worker'), 2)}\n"
    )
    if values['lifecycle'].get('suspend') is not None:
        text += f"  suspend: {scalar(values['lifecycle']['suspend'])}\n"
    text += (
        "  podFailurePolicy:\n"
        f"    {indent(failure_policy(values, pod, 'workers', 'worker'), 4)}\n"
        "  template:\n"
        "    metadata:\n"
        f"      {indent(pod_metadata(values, release, pod, 'workers', 'worker'), 6)}\n"
        "    spec:\n"
        f"      subdomain: {name}\n"
    )
    if pod['serviceAccountName']:
        text += f"      serviceAccountName: {quote(pod['serviceAccountName'])}\n"
    text += f"      {indent(pod_fields(values, release, pod, 'worker'), 6)}\n"
    before = init_containers(values, pod, 'worker', 'workers')
    if before:
        text += (
            "      initContainers:\n"
            f"        {indent(before, 8)}\n"
        )
    text += (
        "      containers:\n"
        "        - name: worker\n"
        f"          {indent(training_container(values, release, pod, 'worker'), 10)}\n"
        "          ports:\n"
        f"            {indent(worker_ports(values), 12)}\n"
        "          readinessProbe:\n"
        "            tcpSocket:\n"
        f"              port: {scalar(values['workers']['readinessPort'])}\n"
        f"            periodSeconds: {probe_seconds(values)}\n"
        "            timeoutSeconds: 5\n"
        "            failureThreshold: 1\n"
        "          resources:\n"
        f"            {indent(resources(values, pod, 'worker'), 12)}\n"
        "          securityContext:\n"
        f"            {indent(security_context(values, pod, 'worker'), 12)}\n"
        "          volumeMounts:\n"
        f"            {indent(training_mounts(values, pod, 'worker', 'workers'), 12)}\n"
        f"            {indent(mount('record', '/etc/dsgen-status'), 12)}\n"
    )
    if pod['sharedMemory']:
        text += (
            "            - name: dsgen-shm\n"
            "              mountPath: /dev/shm\n"
        )
    text += (
        "      volumes:\n"
        f"        {indent(volumes(values, release, pod, 'workers'), 8)}\n"
        "        - name: dsgen-record\n"
        "          configMap:\n"
        f"            name: {job_name(values, release)}-status\n"
        "            optional: true\n"
    )
    if pod['sharedMemory']:
        text += (
            "        - name: dsgen-shm\n"
            "          emptyDir:\n"
            "            medium: Memory\n"
        )
        if pod['sharedMemory'] != 'unlimited':
            text += f"            sizeLimit: {quote(pod['sharedMemory'])}\n"
    return text


def launcher_job(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """launcher/job.yaml: Waits for the workers, starts the training on them (without ssh it only watches) and ends with
    its result; the status sidecar writes the record.
    """
    text = ""
    name = run_name(values, release)
    refuse('DS241', secret_of_job(values, release))
    refuse('DS380', default_account(values, release))
    refuse('DS301', queue_of_launcher_alone(values))
    for field in ['hostPID', 'shareProcessNamespace']:
        refuse('DS344', shared_processes(values, 'launcher', values['launcher'], field))
    for key, volume in items(values['storage']):
        if volume.get('projected') is not None:
            for source in get(volume['projected'], 'sources', []):
                for kind in ['serviceAccountToken', 'podCertificate']:
                    refuse('DS374', api_identity(values, key, volume, source, kind))
    text += (
        "apiVersion: batch/v1\n"
        "kind: Job\n"
        "metadata:\n"
        f"  name: {name}-launcher\n"
        f"  namespace: {quote(namespace(values, release))}\n"
        "  labels:\n"
        f"    {indent(job_labels(values, release, 'launcher', 'launcher'), 4)}\n"
        "  annotations:\n"
        f"    {indent(job_annotations(values), 4)}\n"
        "spec:\n"
        f"  {indent(job_limits(values, 'launcher'), 2)}\n"
    )
    if values['lifecycle'].get('suspend') is not None:
        text += f"  suspend: {scalar(values['lifecycle']['suspend'])}\n"
    text += (
        "  podFailurePolicy:\n"
        f"    {indent(failure_policy(values, values['launcher'], 'launcher', 'launcher'), 4)}\n"
        "  template:\n"
        "    metadata:\n"
        f"      {indent(pod_metadata(values, release, values['launcher'], 'launcher', 'launcher'), 6)}\n"
        "    spec:\n"
        f"      serviceAccountName: {quote(service_account_name(values, release))}\n"
        f"      {indent(pod_fields(values, release, values['launcher'], 'launcher'), 6)}\n"
        "      initContainers:\n"
        f"        {indent(init_containers(values, values['launcher'], 'launcher', 'launcher'), 8)}\n"
        "      containers:\n"
        "        - name: launcher\n"
        f"          {indent(training_container(values, release, values['launcher'], 'launcher'), 10)}\n"
        "          resources:\n"
        f"            {indent(resources(values, values['launcher'], 'launcher'), 12)}\n"
        "          securityContext:\n"
        f"            {indent(security_context(values, values['launcher'], 'launcher'), 12)}\n"
        "          volumeMounts:\n"
        f"            {indent(training_mounts(values, values['launcher'], 'launcher', 'launcher'), 12)}\n"
        "      volumes:\n"
        f"        {indent(volumes(values, release, values['launcher'], 'launcher'), 8)}\n"
        f"        {indent(memory_volume('run-status'), 8)}\n"
        "        - name: dsgen-token\n"
        "          projected:\n"
        "            sources:\n"
        "              - serviceAccountToken:\n"
        "                  path: token\n"
        "                  expirationSeconds: 3600\n"
        "              - configMap:\n"
        "                  name: kube-root-ca.crt\n"
        "                  items:\n"
        "                    - key: ca.crt\n"
        "                      path: ca.crt\n"
    )
    if values['status']['webhook']['secretName']:
        text += f"        {indent(secret_volume('webhook', values['status']['webhook']['secretName'], True), 8)}\n"
    return text


def monitoring_tensorboard_networkpolicy(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """monitoring/tensorboard-networkpolicy.yaml: TensorBoard has no login, so only its own namespace and kubectl port-
    forward can reach it.
    """
    if values['monitoring']['tensorboard']['enabled'] and values['network']['policy']:
        return (
            "apiVersion: networking.k8s.io/v1\n"
            "kind: NetworkPolicy\n"
            "metadata:\n"
            f"  name: {job_name(values, release)}-tensorboard\n"
            f"  {indent(metadata(values, release, 'tensorboard'), 2)}\n"
            "spec:\n"
            "  podSelector:\n"
            "    matchLabels:\n"
            f"      {indent(tensorboard_selector(values, release), 6)}\n"
            "  policyTypes: [Ingress]\n"
            "  ingress:\n"
            "    - from:\n"
            "        - podSelector: {}\n"
            "      ports:\n"
            "        - port: http\n"
        )
    return ""


def monitoring_tensorboard_service(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """monitoring/tensorboard-service.yaml: Gives TensorBoard a name and a port in the cluster."""
    text = ""
    refuse('DS340', long_tensorboard_name(values, job_name(values, release)))
    if values['monitoring']['tensorboard']['enabled']:
        text += (
            "apiVersion: v1\n"
            "kind: Service\n"
            "metadata:\n"
            f"  name: {job_name(values, release)}-tensorboard\n"
            f"  {indent(metadata(values, release, 'tensorboard'), 2)}\n"
            "spec:\n"
            "  selector:\n"
            f"    {indent(tensorboard_selector(values, release), 4)}\n"
            "  ports:\n"
            "    - name: http\n"
            f"      port: {scalar(values['monitoring']['tensorboard']['port'])}\n"
            "      targetPort: http\n"
        )
    return text


def monitoring_tensorboard(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """monitoring/tensorboard.yaml: TensorBoard for the events of all runs. It belongs to the job: a new run does not
    change it.
    """
    missing = 'this image has no TensorBoard: install the Python package tensorboard, or set monitoring.tensorboard.image'
    board = values['monitoring']['tensorboard']
    if board['enabled']:
        text = ""
        name = job_name(values, release)
        text += (
            "apiVersion: apps/v1\n"
            "kind: Deployment\n"
            "metadata:\n"
            f"  name: {name}-tensorboard\n"
            f"  {indent(metadata(values, release, 'tensorboard'), 2)}\n"
            "spec:\n"
            "  replicas: 1\n"
            "  revisionHistoryLimit: 1\n"
            "  strategy:\n"
            "    type: Recreate\n"
            "  selector:\n"
            "    matchLabels:\n"
            f"      {indent(tensorboard_selector(values, release), 6)}\n"
            "  template:\n"
            "    metadata:\n"
            "      labels:\n"
            f"        {indent(tensorboard_selector(values, release), 8)}\n"
        )
        if values['labels']:
            text += f"        {indent(to_yaml(values['labels']), 8)}\n"
        if values['annotations']:
            text += (
                "      annotations:\n"
                f"        {indent(to_yaml(values['annotations']), 8)}\n"
            )
        text += (
            "    spec:\n"
            "      automountServiceAccountToken: false\n"
            "      enableServiceLinks: false\n"
        )
        if values['workers']['serviceAccountName']:
            text += f"      serviceAccountName: {quote(values['workers']['serviceAccountName'])}\n"
        if values['image']['pullSecrets']:
            text += (
                "      imagePullSecrets:\n"
                f"        {indent(to_yaml(values['image']['pullSecrets']), 8)}\n"
            )
        context = pod_security_context(values)
        if context:
            text += (
                "      securityContext:\n"
                f"        {indent(context, 8)}\n"
            )
        # nodeSelector and tolerations are those of the launcher, because neither pod needs an accelerator.
        if values['launcher']['nodeSelector']:
            text += (
                "      nodeSelector:\n"
                f"        {indent(to_yaml(values['launcher']['nodeSelector']), 8)}\n"
            )
        if values['launcher']['tolerations']:
            text += (
                "      tolerations:\n"
                f"        {indent(to_yaml(values['launcher']['tolerations']), 8)}\n"
            )
        text += (
            "      containers:\n"
            "        - name: tensorboard\n"
            f"          {indent(image_fields(values, 'tensorboard'), 10)}\n"
            "          workingDir: /run/dsgen\n"
            "          command:\n"
            "            - sh\n"
            "            - -c\n"
            "            - |\n"
            "              for python in \"$DSGEN_PYTHON\" python3; do\n"
            "                if \"$python\" -c 'import tensorboard' 2>/dev/null; then\n"
            "                  exec \"$python\" -m tensorboard.main \"$@\"\n"
            "                fi\n"
            "              done\n"
            "              command -v tensorboard >/dev/null && exec tensorboard \"$@\"\n"
            f"              echo '{missing}' >&2\n"
            "              exit 1\n"
            "            - tensorboard\n"
            "          args:\n"
            f"            - {quote(str.replace('--logdir=' + board['logDir'], '$', '$$'))}\n"
            "            - --host=0.0.0.0\n"
            "            - --port=6006\n"
            "          env:\n"
            "            - name: DSGEN_PYTHON\n"
            f"              value: {quote(str.replace(values['training']['pythonCommand'], '$', '$$'))}\n"
            "            - name: HOME\n"
            "              value: /run/dsgen\n"
            "            - name: TMPDIR\n"
            "              value: /run/dsgen\n"
            "          ports:\n"
            "            - name: http\n"
            "              containerPort: 6006\n"
            "          readinessProbe:\n"
            "            httpGet:\n"
            "              path: /\n"
            "              port: http\n"
            "            periodSeconds: 10\n"
            "            timeoutSeconds: 5\n"
            "          resources:\n"
            f"            {indent(resources(values, board, 'tensorboard'), 12)}\n"
            "          securityContext:\n"
            f"            {indent(own_security_context(values, values['workers']), 12)}\n"
            "          volumeMounts:\n"
            "            - name: dsgen-run\n"
            "              mountPath: /run/dsgen\n"
        )
        mounts = shared_mounts(values)
        if mounts:
            text += f"            {indent(mounts, 12)}\n"
        text += (
            "      volumes:\n"
            "        - name: dsgen-run\n"
            "          emptyDir:\n"
            "            sizeLimit: 1Gi\n"
        )
        shared = shared_volumes(values, release)
        if shared:
            text += f"        {indent(shared, 8)}\n"
        return text
    return ""


def monitoring_podmonitor(values: Mapping[str, Any], release: Mapping[str, str]) -> str:
    """monitoring/podmonitor.yaml: Tells Prometheus to scrape the workers of every run."""
    if values['monitoring']['podMonitor']['enabled']:
        return (
            "apiVersion: monitoring.coreos.com/v1\n"
            "kind: PodMonitor\n"
            "metadata:\n"
            f"  name: {quote(job_name(values, release))}\n"
            f"  {indent(metadata(values, release, 'monitoring'), 2)}\n"
            "spec:\n"
            "  jobLabel: dsgen.dev/job\n"
            "  podTargetLabels: [dsgen.dev/run, batch.kubernetes.io/job-completion-index]\n"
            "  selector:\n"
            "    matchLabels:\n"
            f"      dsgen.dev/job: {quote(job_name(values, release))}\n"
            "      dsgen.dev/role: worker\n"
            "  podMetricsEndpoints:\n"
            "    - port: metrics\n"
            f"      path: {quote(values['monitoring']['podMonitor']['path'])}\n"
        )
    return ""


TEMPLATES = {
    "storage/persistentvolumes.yaml": storage_persistentvolumes,
    "storage/persistentvolumeclaims.yaml": storage_persistentvolumeclaims,
    "ssh/secret.yaml": ssh_secret,
    "status/configmap.yaml": status_configmap,
    "rbac/serviceaccount.yaml": rbac_serviceaccount,
    "rbac/role.yaml": rbac_role,
    "rbac/rolebinding.yaml": rbac_rolebinding,
    "rbac/watch-role.yaml": rbac_watch_role,
    "rbac/watch-rolebinding.yaml": rbac_watch_rolebinding,
    "config/configmap.yaml": config_configmap,
    "config/files.yaml": config_files,
    "scripts/configmaps.yaml": scripts_configmaps,
    "network/service.yaml": network_service,
    "network/networkpolicy.yaml": network_networkpolicy,
    "scheduling/podgroup.yaml": scheduling_podgroup,
    "workers/job.yaml": workers_job,
    "launcher/job.yaml": launcher_job,
    "monitoring/tensorboard-networkpolicy.yaml": monitoring_tensorboard_networkpolicy,
    "monitoring/tensorboard-service.yaml": monitoring_tensorboard_service,
    "monitoring/tensorboard.yaml": monitoring_tensorboard,
    "monitoring/podmonitor.yaml": monitoring_podmonitor,
}
"""The function of each template, by its path."""
