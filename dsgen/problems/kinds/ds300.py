"""Problems that the checks find: queues and topology, the Pod Security Standards, monitoring, lifetimes, secrets."""

from __future__ import annotations

from dsgen.problems.kinds.kind import Kind, job

KINDS = (
    # queues, gangs, topology
    Kind(
        "DS300",
        title="One queue for workers and launcher",
        when=(
            "Workers and launcher use the same queue. With two runs, the workers of one and the launcher of the other"
            " can take the quota and block each other forever."
        ),
        remedy=(
            "Give the launcher a queue with its own quota, or remove launcherQueue: in most clusters a Job without a"
            " queue starts at once."
        ),
        example=job("scheduling: {queue: team, launcherQueue: team}"),
    ),
    Kind(
        "DS301",
        title="A queue for the launcher alone",
        when=(
            "scheduling.launcherQueue is for clusters where Kueue holds every Job without a queue; there the workers"
            " need a queue too. With gang: volcano, the queue is Volcano's."
        ),
        remedy="Set scheduling.queue, or remove launcherQueue.",
        example=job("scheduling: {launcherQueue: small}"),
    ),
    Kind(
        "DS302",
        title="A priority without a queue",
        when=(
            "scheduling.priorityClass is the priority in a queue: a WorkloadPriorityClass of Kueue, or the class of"
            " Volcano's PodGroup."
        ),
        remedy="Set scheduling.queue, or use workers.priorityClassName.",
        example=job("scheduling: {priorityClass: high}"),
    ),
    Kind(
        "DS303",
        title="Two topologies",
        when="One key requires that all workers are in one domain, the other prefers it. Kueue refuses both at once.",
        remedy="Keep one of scheduling.topology.required and preferred.",
        example=job("scheduling: {topology: {required: zone, preferred: rack}}"),
    ),
    Kind(
        "DS304",
        title="Two rules that keep workers together",
        when=(
            "Without a queue, scheduling.topology becomes a podAffinity of the workers, and workers.affinity already"
            " has one."
        ),
        remedy="Keep one of them.",
        example=job(
            "scheduling: {topology: {preferred: topology.kubernetes.io/zone}}",
            "workers: {affinity: {podAffinity: {}}}",
        ),
    ),
    Kind(
        "DS305",
        title="Conflicting rules for the nodes",
        when=(
            "Every worker must have its own node, but all workers must be on the same node. With network.hostNetwork,"
            " workers use ports of their node, so a node can run only one of them."
        ),
        remedy="Use another topology key, set workers.spread: none, or remove network.hostNetwork.",
        example=job(
            "scheduling: {topology: {required: kubernetes.io/hostname}}", "workers: {replicas: 2, spread: required}"
        ),
    ),
    Kind(
        "DS306",
        title="A resource that the queue may not cover",
        when=(
            "A warning: Kueue admits a Job only if the ClusterQueue covers every resource that the Job requests."
            " Otherwise the Job stays pending forever, and only its Workload says why."
        ),
        remedy=(
            "Check whether spec.resourceGroups of the ClusterQueue lists the resource. Kueue's configuration can"
            " exclude resources by prefix."
        ),
        example=job("scheduling: {queue: team}", "network: {rdma: {resources: {rdma/hca: 1}, ipcLock: omit}}"),
    ),
    Kind(
        "DS307",
        title="Tolerations in addition to those of the queue",
        when=(
            "A warning: Kueue adds the tolerations of the flavor to the Job. If both have tolerations, a later change"
            " by a GitOps tool or Helm fails, unless they are equal and have no tolerationSeconds."
        ),
        remedy="Remove the tolerations if the flavor has them. Keep them if the flavor has taints but no tolerations.",
        example=job("scheduling: {queue: team}", "workers: {tolerations: [{key: nvidia.com/gpu, operator: Exists}]}"),
    ),
    Kind(
        "DS308",
        title="A node selection that the queue may not see",
        when=(
            "A warning: Kueue compares node selectors and affinity only with the labels of its flavors. It ignores"
            " other labels and preferences when it admits the Job, which then holds its quota while its pods wait for a"
            " node."
        ),
        remedy="Let the queue choose the nodes, or add the labels to a ResourceFlavor.",
        example=job("scheduling: {queue: team}", "workers: {nodeSelector: {pool: a100}}"),
    ),
    Kind(
        "DS309",
        title="A Job that dsgen and Kueue both suspend",
        when=(
            "With a queue, Kueue suspends and resumes the Job of the workers. A value from the file would be"
            " overwritten, or conflict with Kueue."
        ),
        remedy="Remove lifecycle.suspend. To pause a run, set spec.active: false in its Workload.",
        example=job("scheduling: {queue: team}", "lifecycle: {suspend: true}"),
    ),
    Kind(
        "DS310",
        title="Gang scheduling with a scheduler that does not support it",
        when="The default scheduler ignores pod groups, so the workers would not start together.",
        remedy="Set workers.schedulerName to the gang scheduler, or remove it.",
        example=job("scheduling: {gang: volcano}", "workers: {schedulerName: default-scheduler}"),
    ),
    Kind(
        "DS311",
        title="A node that is selected and excluded",
        when="workers.nodeSelector allows one node, and workers.excludeNodes excludes it. No node is left.",
        remedy="Remove the node from one of them.",
        example=job("workers: {nodeSelector: {kubernetes.io/hostname: gpu-7}, excludeNodes: [gpu-7]}"),
    ),
    # the Pod Security Standards
    Kind(
        "DS320",
        title="Pod Security: capabilities",
        when=(
            "A container adds a capability that the level does not allow; at the level restricted only NET_BIND_SERVICE"
            " is allowed. The Pod Security level in security.podSecurityLevel forbids this, and a namespace that"
            " enforces the level refuses the pods."
        ),
        remedy="Remove it, or set the level to privileged if the namespace allows that.",
        example=job("workers: {securityContext: {capabilities: {add: [SYS_ADMIN]}}}"),
    ),
    Kind(
        "DS321",
        title="Pod Security: privileged containers",
        when=(
            "A privileged container has all rights on the node. The Pod Security level in security.podSecurityLevel"
            " forbids this, and a namespace that enforces the level refuses the pods."
        ),
        remedy="Remove it, or set the level to privileged if the namespace allows that.",
        example=job("workers: {securityContext: {privileged: true}}"),
    ),
    Kind(
        "DS322",
        title="Pod Security: host namespaces",
        when=(
            "The pods would use the network, the processes or the shared memory of the node. The Pod Security level in"
            " security.podSecurityLevel forbids this, and a namespace that enforces the level refuses the pods."
        ),
        remedy="Remove it, or set the level to privileged if the namespace allows that.",
        example=job("network: {hostNetwork: true, policy: false}"),
    ),
    Kind(
        "DS323",
        title="Pod Security: hostPath volumes",
        when=(
            "A hostPath volume is a folder of the node. The Pod Security level in security.podSecurityLevel forbids"
            " this, and a namespace that enforces the level refuses the pods."
        ),
        remedy=(
            "Use another source, or set the level to privileged if the namespace allows that. A PersistentVolume with a"
            " hostPath is allowed."
        ),
        example=job("storage: {data: {mountPath: /data, hostPath: {path: /data}}}"),
    ),
    Kind(
        "DS324",
        title="Pod Security: host ports",
        when=(
            "A container uses a port of the node. The Pod Security level in security.podSecurityLevel forbids this, and"
            " a namespace that enforces the level refuses the pods."
        ),
        remedy="Remove hostPort: pods can reach each other without it.",
        example=job("workers: {sidecars: [{name: a, image: x:1, ports: [{containerPort: 80, hostPort: 80}]}]}"),
    ),
    Kind(
        "DS325",
        title="Pod Security: /proc mount",
        when=(
            "procMount shows a container more of /proc than usual. The Pod Security level in security.podSecurityLevel"
            " forbids this, and a namespace that enforces the level refuses the pods."
        ),
        remedy="Remove procMount.",
        example=job("workers: {securityContext: {procMount: Unmasked}}"),
    ),
    Kind(
        "DS326",
        title="Pod Security: SELinux",
        when=(
            "The SELinux user, role or type is not one of those allowed for containers. The Pod Security level in"
            " security.podSecurityLevel forbids this, and a namespace that enforces the level refuses the pods."
        ),
        remedy=(
            "Remove user and role; the type may be container_t, container_init_t, container_kvm_t or"
            " container_engine_t."
        ),
        example=job("security: {podSecurityContext: {seLinuxOptions: {type: spc_t}}}"),
    ),
    Kind(
        "DS327",
        title="Pod Security: seccomp",
        when=(
            "seccomp is disabled. The Pod Security level in security.podSecurityLevel forbids this, and a namespace"
            " that enforces the level refuses the pods."
        ),
        remedy="Use RuntimeDefault or Localhost.",
        example=job("security: {podSecurityContext: {seccompProfile: {type: Unconfined}}}"),
    ),
    Kind(
        "DS328",
        title="Pod Security: sysctls",
        when=(
            "The pods set a sysctl that is not one of the safe ones. The Pod Security level in"
            " security.podSecurityLevel forbids this, and a namespace that enforces the level refuses the pods."
        ),
        remedy="Set it on the nodes instead, or set the level to privileged if the namespace allows that.",
        example=job('security: {podSecurityContext: {sysctls: [{name: net.core.somaxconn, value: "1024"}]}}'),
    ),
    Kind(
        "DS329",
        title="Pod Security: AppArmor",
        when=(
            "AppArmor is disabled, by a field or an annotation. The Pod Security level in security.podSecurityLevel"
            " forbids this, and a namespace that enforces the level refuses the pods."
        ),
        remedy="Use the profile of the container runtime or one that is loaded on the node.",
        example=job("workers: {securityContext: {appArmorProfile: {type: Unconfined}}}"),
    ),
    Kind(
        "DS330",
        title="Pod Security: Windows host processes",
        when=(
            "hostProcess runs a process of the host, on Windows. The Pod Security level in security.podSecurityLevel"
            " forbids this, and a namespace that enforces the level refuses the pods."
        ),
        remedy="Remove windowsOptions: the workers run on Linux.",
        example=job("security: {podSecurityContext: {windowsOptions: {hostProcess: true}}}"),
    ),
    Kind(
        "DS331",
        title="Pod Security: volume types",
        when=(
            "At the level restricted, a pod may only use claims, ConfigMaps, Secrets, emptyDir, ephemeral, csi and"
            " projected volumes. The Pod Security level in security.podSecurityLevel forbids this, and a namespace that"
            " enforces the level refuses the pods."
        ),
        remedy="Use a claim. For an NFS server, create one with create.persistentVolume.nfs.",
        example=job(
            "storage: {data: {mountPath: /data, nfs: {server: nfs.example.com, path: /}}}",
            "security: {podSecurityLevel: restricted, podSecurityContext: {runAsUser: 1000}}",
        ),
    ),
    Kind(
        "DS332",
        title="Pod Security: privilege escalation",
        when=(
            "At the level restricted, every container must set allowPrivilegeEscalation: false. dsgen sets it in its"
            " own containers. The Pod Security level in security.podSecurityLevel forbids this, and a namespace that"
            " enforces the level refuses the pods."
        ),
        remedy="Set it in the container's securityContext.",
        example=job(
            "workers: {securityContext: {allowPrivilegeEscalation: true}}",
            "security: {podSecurityLevel: restricted, podSecurityContext: {runAsUser: 1000}}",
        ),
    ),
    Kind(
        "DS333",
        title="Pod Security: running as root",
        when=(
            "At the level restricted, no container may run as root. dsgen sets runAsNonRoot: true in the pod. The Pod"
            " Security level in security.podSecurityLevel forbids this, and a namespace that enforces the level refuses"
            " the pods."
        ),
        remedy="Remove runAsNonRoot: false, and set runAsUser if the image runs as root.",
        example=job(
            "workers: {securityContext: {runAsNonRoot: false}}",
            "security: {podSecurityLevel: restricted, podSecurityContext: {runAsUser: 1000}}",
        ),
    ),
    Kind(
        "DS334",
        title="Pod Security: user 0",
        when=(
            "At the level restricted, no container may run as user 0. The Pod Security level in"
            " security.podSecurityLevel forbids this, and a namespace that enforces the level refuses the pods."
        ),
        remedy="Set another user.",
        example=job("security: {podSecurityLevel: restricted, podSecurityContext: {runAsUser: 0}}"),
    ),
    Kind(
        "DS335",
        title="Pod Security: capabilities that are not dropped",
        when=(
            "At the level restricted, every container must drop all capabilities. dsgen does so in its own containers;"
            " a list of yours replaces that. The Pod Security level in security.podSecurityLevel forbids this, and a"
            " namespace that enforces the level refuses the pods."
        ),
        remedy="Set capabilities: {drop: [ALL]} in the container's securityContext.",
        example=job(
            "workers: {securityContext: {capabilities: {drop: [NET_RAW]}}}",
            "security: {podSecurityLevel: restricted, podSecurityContext: {runAsUser: 1000}}",
        ),
    ),
    Kind(
        "DS336",
        title="Pod Security: hosts of probes and hooks",
        when=(
            "A probe or hook with a host could make the node connect to other machines. The Pod Security level in"
            " security.podSecurityLevel forbids this, and a namespace that enforces the level refuses the pods."
        ),
        remedy="Remove host.",
        example=job(
            "workers: {sidecars: [{name: a, image: x:1, livenessProbe: {httpGet: {port: 80, host: example.com}}}]}"
        ),
    ),
    # what Kubernetes refuses at any level
    Kind(
        "DS337",
        title="A setting of the node's network",
        when=(
            "With network.hostNetwork the workers use the network of the node, whose settings a pod cannot change."
            " Kubernetes refuses such a pod."
        ),
        remedy="Change the setting on the nodes, or remove network.hostNetwork.",
        example=job(
            "network: {hostNetwork: true, policy: false}",
            "security:",
            "  podSecurityLevel: privileged",
            '  podSecurityContext: {sysctls: [{name: net.ipv4.tcp_syncookies, value: "1"}]}',
        ),
    ),
    Kind(
        "DS338",
        title="A restart policy of an init container or a sidecar",
        when=(
            "dsgen writes sidecars as init containers with restartPolicy: Always. With another policy the container is"
            " an ordinary init container, and the pod waits for it to end. For init containers, Never and OnFailure are"
            " a warning: Kubernetes supports them from 1.35, and in 1.34 with the feature gate ContainerRestartRules."
        ),
        remedy="Remove restartPolicy.",
        example=job("workers: {sidecars: [{name: logs, image: x:1, restartPolicy: Never}]}"),
    ),
    Kind(
        "DS339",
        title="A toleration that Kubernetes refuses",
        when=(
            "Kubernetes refuses this toleration: the operator Exists takes no value, every other operator needs a key,"
            " and tolerationSeconds is allowed only with the effect NoExecute."
        ),
        remedy="Correct the toleration. {operator: Exists} alone tolerates every taint.",
        example=job("workers: {tolerations: [{key: nvidia.com/gpu, operator: Exists, value: present}]}"),
    ),
    # monitoring and lifetimes
    Kind(
        "DS340",
        title="A name that is too long for a Service",
        when=(
            "The Service of TensorBoard is named after the job, followed by -tensorboard. The name of a Service can"
            " have at most 63 characters."
        ),
        remedy="Shorten the name of the job to 51 characters.",
        example=job(
            "monitoring: {tensorboard: {enabled: true, logDir: /data/runs}}",
            "storage: {data: {mountPath: /data, create: {}}}",
            name="name: a-training-with-a-name-that-says-nearly-everything-1",
        ),
    ),
    Kind(
        "DS341",
        title="TensorBoard without a folder",
        when=(
            "TensorBoard is enabled, but monitoring.tensorboard.logDir does not say where the training writes its"
            " events."
        ),
        remedy="Set monitoring.tensorboard.logDir to a folder on a volume of storage.",
        example=job("monitoring: {tensorboard: {enabled: true}}"),
    ),
    Kind(
        "DS342",
        title="A folder that TensorBoard cannot see",
        when=(
            "TensorBoard runs in its own pod and can only read volumes that several pods can mount. The folder is not"
            " on a volume, or is on a volume of which each pod has its own copy."
        ),
        remedy="Let the training write its events to a volume such as a claim, and set logDir to a folder on it.",
        example=job("monitoring: {tensorboard: {enabled: true, logDir: /tmp/runs}}"),
    ),
    Kind(
        "DS343",
        title="A run id that collides with TensorBoard",
        when=(
            "The Service of a run is named after the job and run.id, and the Service of TensorBoard after the job and"
            " the word tensorboard. With this id both have the same name."
        ),
        remedy="Choose another run.id.",
        example=job(
            "run: {id: tensorboard}",
            "monitoring: {tensorboard: {enabled: true, logDir: /data/runs}}",
            "storage: {data: {mountPath: /data, create: {}}}",
        ),
    ),
    Kind(
        "DS344",
        title="Containers that can see each other's processes",
        when=(
            "With shareProcessNamespace, the containers of a pod can see each other's processes; with hostPID, those of"
            " the whole node; and through /proc/PID/root, their files. The status sidecar has a token of the Kubernetes"
            " API and the keygen container has the ssh key. The training code must have neither."
        ),
        remedy="Remove it. Debuggers such as py-spy still see the processes of their own container.",
        example=job("launcher: {extraPodSpec: {shareProcessNamespace: true}}"),
    ),
    Kind(
        "DS350",
        title="Jobs that are deleted under a GitOps tool",
        when=(
            "A warning: Kubernetes deletes the Jobs some time after they end. Argo CD and Flux then create them again,"
            " because they are still in Git. The training does not run again, but its Jobs are created and deleted"
            " forever."
        ),
        remedy="Remove lifecycle.ttlSecondsAfterFinished. A new run id removes the objects of the old run.",
        example=job("lifecycle: {ttlSecondsAfterFinished: 3600}"),
    ),
    Kind(
        "DS351",
        title="Restart exit codes without restarts",
        when="A warning: restartExitCodes lists failures that cause a restart, but maxRestarts is 0.",
        remedy="Set lifecycle.maxRestarts, or remove restartExitCodes.",
        example=job("lifecycle: {restartExitCodes: [3]}"),
    ),
    Kind(
        "DS352",
        title="A time limit for checkpoints without a path",
        when="A warning: checkpointTimeoutSeconds is set, but checkpointPath is not, so checkpoints are not observed.",
        remedy="Set lifecycle.progress.checkpointPath, such as DeepSpeed's file latest, next to the checkpoints.",
        example=job("lifecycle: {progress: {checkpointTimeoutSeconds: 3600}}"),
    ),
    # secrets in values
    Kind(
        "DS360",
        title="A key in an address",
        when=(
            "A warning: an address seems to contain a key, after a question mark or as a part of its path, as the"
            " webhooks of Slack, Discord and Teams do. Values files are kept in Git, and the address is written to a"
            " ConfigMap: anyone who can read one of them can use it."
        ),
        remedy=(
            "Put the address of the webhook into a Secret, under the key url, and name the Secret in"
            " status.webhook.secretName. For a repository, put username and password into a Secret and name it in"
            " code.git.secretName."
        ),
        example=job('status: {webhook: {url: "https://hooks.slack.com/services/T0000/B0000/0123456789abcdefghij"}}'),
    ),
    # valid values that are probably mistakes
    Kind(
        "DS361",
        title="More GPUs than processes",
        when=(
            "A warning: each training process uses one GPU, and workers.slots says how many processes a worker starts."
            " A worker that requests more GPUs than that leaves the others idle."
        ),
        remedy=(
            "Set workers.slots to the number of GPUs and remove workers.accelerator.count. If each process uses several"
            " GPUs, set CUDA_VISIBLE_DEVICES in training.env."
        ),
        example=job("workers: {accelerator: {count: 8}}"),
    ),
    Kind(
        "DS362",
        title="A volume that nothing mounts",
        when=(
            "The volume has no mountPath, and no init container or sidecar mounts it either. What the training writes"
            " to the folder is lost when the pod ends."
        ),
        remedy="Set mountPath to the folder that the training uses, or remove the volume.",
        example=job("storage: {checkpoints: {create: {}}}"),
    ),
    Kind(
        "DS363",
        title="A command line in one string",
        when=(
            "The key takes the name of one program, script or module, or one argument, and dsgen passes it unchanged. A"
            " whole command line would be taken as one name. For an item of training.args it is a warning."
        ),
        remedy="Set only the name, and write each argument as an item of training.args.",
        example=job(training="training: {python: train.py --epochs 3}"),
    ),
    Kind(
        "DS364",
        title="A launcher inside the launcher",
        when=(
            "dsgen starts one process for each slot, with the launcher that launch.method selects. If the program is a"
            " launcher too, each of these processes starts all processes again."
        ),
        remedy=(
            "Set training.python, module or exec to the program that each process runs. To run your own launcher, use"
            " launch.method: worker-command or launcher-command with launch.command."
        ),
        example=job(training="training: {exec: [torchrun, train.py]}"),
    ),
    Kind(
        "DS365",
        title="An option of a launcher among the program's arguments",
        when=(
            "A warning: training.args are passed to the program, not to the launcher. The option has no effect on how"
            " many processes start, and most programs refuse it."
        ),
        remedy=(
            "Set workers.replicas, workers.slots and launch.masterPort instead. Put other options of DeepSpeed's"
            " launcher into training.deepspeed.args."
        ),
        example=job(training="training: {python: train.py, args: [--num_gpus=8]}"),
    ),
    Kind(
        "DS366",
        title="Shell syntax without a shell",
        when=(
            "dsgen runs a list of words as it is, without a shell: $NAME, &&, |, > and 2>&1 are arguments like any"
            ' other, so [python, train.py, "&&", echo, done] passes three more arguments to train.py, and'
            " --out=$OUT writes to a folder named $OUT. A shell that gets a whole script as one word understands all"
            ' of them: [bash, -c, "python train.py && echo done"]. $(NAME) is different: Kubernetes replaces it in'
            " the command of a container, but dsgen passes it unchanged, and a shell runs a command of that name. What"
            " some program might take as an argument, such as a variable or |, is a warning."
        ),
        remedy=(
            "Start a shell with the script as one word, in training.exec or launch.command, and write $NAME in it:"
            ' [bash, -c, "train --node $NODE_RANK"]. With a pipe, add pipefail, so that a failed training fails:'
            ' [bash, -o, pipefail, -c, "python train.py | tee log"]. If dsgen adds arguments or a DeepSpeed'
            " configuration, pass them on: [bash, -c, 'python train.py \"$@\" && echo done', bash]. To keep the output"
            " of each rank, set training.rankLogs; for a variable with a fixed value, set training.env."
        ),
        example=job("launch: {method: worker-command, command: [train, --node, $NODE_RANK]}", training=""),
    ),
    Kind(
        "DS367",
        title="Restricted without a user",
        when=(
            "A warning: at the level restricted, dsgen sets runAsNonRoot: true. If the user of the image is root, the"
            " kubelet does not start the containers."
        ),
        remedy=(
            "Set security.podSecurityContext with runAsUser, runAsGroup and fsGroup. If the image has another user than"
            " root, or the cluster assigns one as OpenShift does, set runAsNonRoot: true there."
        ),
        example=job("security: {podSecurityLevel: restricted}"),
    ),
    Kind(
        "DS368",
        title="CPUs without DS_ACCELERATOR",
        when=(
            "A warning: the workers request no GPU, but DeepSpeed uses every GPU that it can see. Images for CUDA make"
            " the GPUs of the node visible in some clusters, so the training could use GPUs of other jobs."
        ),
        remedy="Set training.env.DS_ACCELERATOR: cpu.",
        example=job("workers: {accelerator: {count: 0}}"),
    ),
    Kind(
        "DS369",
        title="A secret in clear text",
        when=(
            "A warning: a value looks like a token, a password or a private key, by its form or by the name of its"
            " variable. Values files are kept in Git, and the value is written to an object that many can read."
        ),
        remedy=(
            "Create a Secret with the value and refer to it: training.env.NAME: {valueFrom: {secretKeyRef: {name:"
            " SECRET, key: KEY}}}. Replace the token if it was committed."
        ),
        example=job(training="training: {python: train.py, env: {WANDB_API_KEY: 0a1b2c3d4e}}"),
    ),
    Kind(
        "DS370",
        title="A pull secret that is listed twice",
        when="A warning: image.pullSecrets has the same name twice. The API server prints a warning for each object.",
        remedy="Remove one of them.",
        example=job(image="{repository: r/x, tag: v3, pullSecrets: [{name: registry}, {name: registry}]}"),
    ),
    Kind(
        "DS371",
        title="An argument of mpirun that is not allowed",
        when=(
            "dsgen starts mpirun with the number of processes, the workers and the program, and reads the output of the"
            " ranks. An argument that changes one of these breaks the run."
        ),
        remedy="Use the key that the message names, or remove the argument.",
        example=job("launch: {method: openmpi, mpirunArgs: [-np, '8']}"),
    ),
    Kind(
        "DS372",
        title="A release for another job",
        when=(
            "Only Helm reports this. dsgen wrote the chart for one job, whose name and namespace are in its values, and"
            " the release has another name or namespace. The objects would be where the values say, not where the"
            " release is."
        ),
        remedy=(
            "Give the release the name of the job and install it into the namespace of the job: Argo CD has"
            " source.helm.releaseName and destination.namespace, Flux has releaseName and targetNamespace. For another"
            " job, set the values name and namespace, or make another chart."
        ),
    ),
    Kind(
        "DS373",
        title="A volume with a reserved name",
        when=(
            "dsgen adds volumes to the pods. Their names begin with dsgen-, and the names of the volumes of a pod must"
            " be unique."
        ),
        remedy="Choose another name for the volume.",
        example=job("storage: {dsgen-run: {mountPath: /data, create: {}}}"),
    ),
    Kind(
        "DS374",
        title="A token of the Kubernetes API for the training",
        when=(
            "The ServiceAccount of the launcher pod may change the record and read the ssh key. A projected volume with"
            " its token would give these permissions to the training code. A token for another service, which has an"
            " audience, is fine."
        ),
        remedy=(
            "If the training needs the Kubernetes API, set workers.serviceAccountName to a ServiceAccount of your own,"
            " and mountIn: workers for the volume. For another service, set the audience of the token."
        ),
        example=job(
            "storage:\n"
            "  api: {mountPath: /api, mountIn: both, projected: {sources: [{serviceAccountToken: {path: token}}]}}",
        ),
    ),
    Kind(
        "DS375",
        title="Arguments that a script does not pass on",
        when=(
            "A warning: training.exec starts a shell with a script. training.args and --deepspeed_config FILE follow"
            " the script, where a shell stores them as $0, $1 and so on. The script does not use them, so the program"
            " trains without its arguments and its DeepSpeed configuration."
        ),
        remedy=(
            'Write "$@" after the program, and a name after the script, which becomes $0: [bash, -c, \'python train.py'
            ' "$@"\', bash]. If the program reads the configuration elsewhere, set training.deepspeed.passConfig:'
            " false."
        ),
        example=job(training='training: {exec: [bash, -c, "cd /src; python train.py"], args: [--epochs, "3"]}'),
    ),
    Kind(
        "DS380",
        title="The launcher uses the ServiceAccount default",
        when=(
            "Every pod of a namespace that names no ServiceAccount uses `default`. A Role for it would allow all of"
            " them to read the ssh key of the job and to write the record, and dsgen would switch off the tokens of"
            " all of them with automountServiceAccountToken."
        ),
        remedy=(
            "Remove serviceAccount.name and serviceAccount.create, so that the job has its own ServiceAccount, or name"
            " one that only this job uses. With rbac.create: false, dsgen writes no Role, and you decide who may do"
            " what."
        ),
        example=job("serviceAccount: {create: false}"),
    ),
    Kind(
        "DS381",
        title="training.setup uses what the launcher does not have",
        when=(
            "A warning: if the launch method uses ssh, training.setup also runs in the launcher, where it installs or"
            " finds deepspeed, pdsh or mpirun. But the program itself runs in the workers only, so the launcher has"
            " neither the values of Secrets nor the volumes, and a line that uses them fails there."
        ),
        remedy=(
            "Repeat the variable in launcher.env, or set mountIn: both for the volume. If only the workers need the"
            ' line, begin it with [ "$DSGEN_ROLE" = launcher ] ||.'
        ),
        example=job(
            "storage: {envs: {mountPath: /envs, existingClaim: envs}}",
            training="training: {python: train.py, setup: source /envs/a/bin/activate}",
        ),
    ),
)
