"""The checks: queues and topology, the Pod Security Standards, what is watched, how long it stays."""

from __future__ import annotations

from dsgen.problems.kinds.kind import Kind, job

KINDS = (
    # queues, gangs, topology
    Kind(
        "DS300",
        title="One queue for workers and launcher",
        when=(
            "Workers and launcher wait in one queue. Two runs can then each hold what the other one waits for, the"
            " workers of one and the launcher of the other, and block each other for ever."
        ),
        remedy=(
            "Give the launcher a queue with a quota of its own, or leave launcherQueue out: most clusters let a Job"
            " without a queue start."
        ),
        example=job("scheduling: {queue: team, launcherQueue: team}"),
    ),
    Kind(
        "DS301",
        title="A queue for the launcher alone",
        when=(
            "scheduling.launcherQueue is for clusters where Kueue holds every Job without a queue; there the workers"
            " need one too. With gang: volcano the queue is one of Volcano's."
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
        when="The workers must be within one domain, or should be; Kueue refuses both at once.",
        remedy="Keep one of scheduling.topology.required and preferred.",
        example=job("scheduling: {topology: {required: zone, preferred: rack}}"),
    ),
    Kind(
        "DS304",
        title="Two rules that keep workers together",
        when=(
            "Without a queue, scheduling.topology becomes a podAffinity of the workers, and workers.affinity has one"
            " already."
        ),
        remedy="Keep one of them.",
        example=job(
            "scheduling: {topology: {preferred: topology.kubernetes.io/zone}}",
            "workers: {affinity: {podAffinity: {}}}",
        ),
    ),
    Kind(
        "DS305",
        title="Rules for the nodes that exclude one another",
        when=(
            "Every worker must have a node of its own, and all workers must be on one node. With network.hostNetwork"
            " workers take ports of their nodes, so that no two of them fit on one."
        ),
        remedy="Use another topology key, or workers.spread: none, or leave network.hostNetwork out.",
        example=job(
            "scheduling: {topology: {required: kubernetes.io/hostname}}", "workers: {replicas: 2, spread: required}"
        ),
    ),
    Kind(
        "DS306",
        title="A resource that the queue may not cover",
        when=(
            "A warning: Kueue admits a Job when the ClusterQueue covers every resource that it asks for. With one that"
            " is not covered it is pending for ever, and only its Workload says why."
        ),
        remedy=(
            "Look whether spec.resourceGroups of the ClusterQueue has the resource. Kueue's configuration can leave"
            " resources out by prefix."
        ),
        example=job("scheduling: {queue: team}", "network: {rdma: {resources: {rdma/hca: 1}, ipcLock: omit}}"),
    ),
    Kind(
        "DS307",
        title="Tolerations beside those of the queue",
        when=(
            "A warning: Kueue adds the tolerations of the flavor to the Job. Where both have some, a later change by a"
            " GitOps tool or by Helm fails, unless they are equal and none has tolerationSeconds."
        ),
        remedy=(
            "Leave the tolerations out where the flavor has them; keep them where the flavor has taints and no"
            " tolerations."
        ),
        example=job("scheduling: {queue: team}", "workers: {tolerations: [{key: nvidia.com/gpu, operator: Exists}]}"),
    ),
    Kind(
        "DS308",
        title="A choice of nodes that the queue may not see",
        when=(
            "A warning: Kueue compares node selectors and affinity with the labels of its flavors alone. Other labels,"
            " and what is only preferred, are ignored for admission: the Job holds its quota while its pods wait for a"
            " node."
        ),
        remedy="Let the queue choose the nodes, or add the labels to a ResourceFlavor.",
        example=job("scheduling: {queue: team}", "workers: {nodeSelector: {pool: a100}}"),
    ),
    Kind(
        "DS309",
        title="Two that suspend one Job",
        when=(
            "With a queue, Kueue suspends the Job of the workers and resumes it. A value from the file would be"
            " overwritten, or fight with Kueue."
        ),
        remedy="Remove lifecycle.suspend. To pause one run, set spec.active: false in its Workload.",
        example=job("scheduling: {queue: team}", "lifecycle: {suspend: true}"),
    ),
    Kind(
        "DS310",
        title="A gang for a scheduler that knows none",
        when="The default scheduler ignores pod groups, so the workers would not start together.",
        remedy="Name the scheduler that knows them, or leave workers.schedulerName out.",
        example=job("scheduling: {gang: volcano}", "workers: {schedulerName: default-scheduler}"),
    ),
    # the Pod Security Standards
    Kind(
        "DS320",
        title="Pod Security: capabilities",
        when=(
            "A container gets a capability beyond the usual ones; at the level restricted only NET_BIND_SERVICE may be"
            " added. The Pod Security level that security.podSecurityLevel declares does not allow it, and a namespace"
            " that enforces the level refuses the pods."
        ),
        remedy="Remove it, or declare the level privileged where the namespace allows that.",
        example=job("workers: {securityContext: {capabilities: {add: [SYS_ADMIN]}}}"),
    ),
    Kind(
        "DS321",
        title="Pod Security: privileged containers",
        when=(
            "A privileged container has all rights of the node. The Pod Security level that security.podSecurityLevel"
            " declares does not allow it, and a namespace that enforces the level refuses the pods."
        ),
        remedy="Remove it, or declare the level privileged where the namespace allows that.",
        example=job("workers: {securityContext: {privileged: true}}"),
    ),
    Kind(
        "DS322",
        title="Pod Security: namespaces of the host",
        when=(
            "The pods would use the network, the processes or the shared memory of the node. The Pod Security level"
            " that security.podSecurityLevel declares does not allow it, and a namespace that enforces the level"
            " refuses the pods."
        ),
        remedy="Remove it, or declare the level privileged where the namespace allows that.",
        example=job("network: {hostNetwork: true, policy: false}"),
    ),
    Kind(
        "DS323",
        title="Pod Security: hostPath volumes",
        when=(
            "A hostPath volume is a folder of the node. The Pod Security level that security.podSecurityLevel declares"
            " does not allow it, and a namespace that enforces the level refuses the pods."
        ),
        remedy=(
            "Use another source, or declare the level privileged where the namespace allows that. A PersistentVolume"
            " with a hostPath is allowed."
        ),
        example=job("storage: {data: {mountPath: /data, hostPath: {path: /data}}}"),
    ),
    Kind(
        "DS324",
        title="Pod Security: ports of the host",
        when=(
            "A container takes a port of the node. The Pod Security level that security.podSecurityLevel declares does"
            " not allow it, and a namespace that enforces the level refuses the pods."
        ),
        remedy="Leave hostPort out: pods reach one another without.",
        example=job("workers: {sidecars: [{name: a, image: x:1, ports: [{containerPort: 80, hostPort: 80}]}]}"),
    ),
    Kind(
        "DS325",
        title="Pod Security: the mount of /proc",
        when=(
            "A container sees more of /proc than usual. The Pod Security level that security.podSecurityLevel declares"
            " does not allow it, and a namespace that enforces the level refuses the pods."
        ),
        remedy="Leave procMount out.",
        example=job("workers: {securityContext: {procMount: Unmasked}}"),
    ),
    Kind(
        "DS326",
        title="Pod Security: SELinux",
        when=(
            "A user, a role or a type of SELinux is set that is not one of the usual ones for containers. The Pod"
            " Security level that security.podSecurityLevel declares does not allow it, and a namespace that enforces"
            " the level refuses the pods."
        ),
        remedy=(
            "Leave user and role out; the type may be container_t, container_init_t, container_kvm_t or"
            " container_engine_t."
        ),
        example=job("security: {podSecurityContext: {seLinuxOptions: {type: spc_t}}}"),
    ),
    Kind(
        "DS327",
        title="Pod Security: seccomp",
        when=(
            "seccomp is switched off. The Pod Security level that security.podSecurityLevel declares does not allow it,"
            " and a namespace that enforces the level refuses the pods."
        ),
        remedy="Use RuntimeDefault or Localhost.",
        example=job("security: {podSecurityContext: {seccompProfile: {type: Unconfined}}}"),
    ),
    Kind(
        "DS328",
        title="Pod Security: sysctls",
        when=(
            "A setting of the kernel is changed that is not one of the safe ones. The Pod Security level that"
            " security.podSecurityLevel declares does not allow it, and a namespace that enforces the level refuses the"
            " pods."
        ),
        remedy="Leave it out: set it on the nodes, or declare the level privileged where the namespace allows that.",
        example=job('security: {podSecurityContext: {sysctls: [{name: net.core.somaxconn, value: "1024"}]}}'),
    ),
    Kind(
        "DS329",
        title="Pod Security: AppArmor",
        when=(
            "AppArmor is switched off, by a field or by an annotation. The Pod Security level that"
            " security.podSecurityLevel declares does not allow it, and a namespace that enforces the level refuses the"
            " pods."
        ),
        remedy="Use the profile of the container runtime or one of the node's.",
        example=job("workers: {securityContext: {appArmorProfile: {type: Unconfined}}}"),
    ),
    Kind(
        "DS330",
        title="Pod Security: processes of a Windows host",
        when=(
            "A process of the host, on Windows. The Pod Security level that security.podSecurityLevel declares does not"
            " allow it, and a namespace that enforces the level refuses the pods."
        ),
        remedy="Leave windowsOptions out: the workers run on Linux.",
        example=job("security: {podSecurityContext: {windowsOptions: {hostProcess: true}}}"),
    ),
    Kind(
        "DS331",
        title="Pod Security: types of volumes",
        when=(
            "At the level restricted a pod may use claims, ConfigMaps, Secrets, emptyDir, ephemeral, csi and projected"
            " volumes, and no others. The Pod Security level that security.podSecurityLevel declares does not allow it,"
            " and a namespace that enforces the level refuses the pods."
        ),
        remedy="Use a claim: create with persistentVolume.nfs makes one for an NFS server.",
        example=job(
            "storage: {data: {mountPath: /data, nfs: {server: nfs.example.com, path: /}}}",
            "security: {podSecurityLevel: restricted}",
        ),
    ),
    Kind(
        "DS332",
        title="Pod Security: escalation of privileges",
        when=(
            "At the level restricted every container must say allowPrivilegeEscalation: false. dsgen writes it into its"
            " own. The Pod Security level that security.podSecurityLevel declares does not allow it, and a namespace"
            " that enforces the level refuses the pods."
        ),
        remedy="Set it in the container's securityContext.",
        example=job(
            "workers: {securityContext: {allowPrivilegeEscalation: true}}",
            "security: {podSecurityLevel: restricted}",
        ),
    ),
    Kind(
        "DS333",
        title="Pod Security: running as root",
        when=(
            "At the level restricted no container may run as root. dsgen writes runAsNonRoot: true into the pod. The"
            " Pod Security level that security.podSecurityLevel declares does not allow it, and a namespace that"
            " enforces the level refuses the pods."
        ),
        remedy="Remove runAsNonRoot: false, and give runAsUser where the image has root as its user.",
        example=job("workers: {securityContext: {runAsNonRoot: false}}", "security: {podSecurityLevel: restricted}"),
    ),
    Kind(
        "DS334",
        title="Pod Security: the user 0",
        when=(
            "At the level restricted no container may run as the user 0. The Pod Security level that"
            " security.podSecurityLevel declares does not allow it, and a namespace that enforces the level refuses the"
            " pods."
        ),
        remedy="Give another user.",
        example=job("security: {podSecurityLevel: restricted, podSecurityContext: {runAsUser: 0}}"),
    ),
    Kind(
        "DS335",
        title="Pod Security: capabilities that are kept",
        when=(
            "At the level restricted every container must drop all capabilities. dsgen writes it into its own; a list"
            " of yours replaces that one. The Pod Security level that security.podSecurityLevel declares does not allow"
            " it, and a namespace that enforces the level refuses the pods."
        ),
        remedy="Set capabilities: {drop: [ALL]} in the container's securityContext.",
        example=job(
            "workers: {securityContext: {capabilities: {drop: [NET_RAW]}}}",
            "security: {podSecurityLevel: restricted}",
        ),
    ),
    Kind(
        "DS336",
        title="Pod Security: probes and hooks of other hosts",
        when=(
            "A probe or a hook with a host could reach other machines from the node. The Pod Security level that"
            " security.podSecurityLevel declares does not allow it, and a namespace that enforces the level refuses the"
            " pods."
        ),
        remedy="Leave host out.",
        example=job(
            "workers: {sidecars: [{name: a, image: x:1, livenessProbe: {httpGet: {port: 80, host: example.com}}}]}"
        ),
    ),
    # what Kubernetes refuses at any level
    Kind(
        "DS337",
        title="A setting of the node's network",
        when=(
            "With network.hostNetwork the workers use the network of the node, and a pod may not change its settings."
            " Kubernetes refuses such a pod."
        ),
        remedy="Set it on the nodes, or leave out network.hostNetwork.",
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
            "dsgen writes sidecars as init containers with restartPolicy: Always. With another one it is an ordinary"
            " init container, for whose end everything else waits. For init containers, Never and OnFailure are a"
            " warning: Kubernetes takes them from 1.35 on, and 1.34 with the feature gate ContainerRestartRules."
        ),
        remedy="Leave restartPolicy out.",
        example=job("workers: {sidecars: [{name: logs, image: x:1, restartPolicy: Never}]}"),
    ),
    Kind(
        "DS339",
        title="A toleration that Kubernetes refuses",
        when=(
            "Kubernetes refuses the pod: operator Exists takes no value, every other operator needs a key, and"
            " tolerationSeconds is for the effect NoExecute alone."
        ),
        remedy="Correct the toleration. {operator: Exists} alone tolerates every taint.",
        example=job("workers: {tolerations: [{key: nvidia.com/gpu, operator: Exists, value: present}]}"),
    ),
    # what is watched, how long it stays
    Kind(
        "DS340",
        title="A name that is too long for a Service",
        when=(
            "TensorBoard's Service has the name of the job with -tensorboard behind it, and the name of a Service may"
            " have 63 characters."
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
        when="TensorBoard is to run, and nothing says where the events of the training lie.",
        remedy="Give monitoring.tensorboard.logDir, a folder on a volume of storage.",
        example=job("monitoring: {tensorboard: {enabled: true}}"),
    ),
    Kind(
        "DS342",
        title="A folder that TensorBoard cannot see",
        when=(
            "TensorBoard runs in a pod of its own and sees only volumes that several pods can mount. The folder is on"
            " no volume, or on one of which every pod has its own."
        ),
        remedy="Let the training write its events to a volume such as a claim, and name a folder on it.",
        example=job("monitoring: {tensorboard: {enabled: true, logDir: /tmp/runs}}"),
    ),
    Kind(
        "DS343",
        title="A run with the name of TensorBoard",
        when=(
            "The Service of a run is named after the job and the run's id, that of TensorBoard after the job and the"
            " word tensorboard. With this id both have one name."
        ),
        remedy="Choose another run.id.",
        example=job(
            "run: {id: tensorboard}",
            "monitoring: {tensorboard: {enabled: true, logDir: /data/runs}}",
            "storage: {data: {mountPath: /data, create: {}}}",
        ),
    ),
    Kind(
        "DS350",
        title="Jobs that are deleted under a GitOps tool",
        when=(
            "A warning: Kubernetes deletes the Jobs some time after their end. Argo CD and Flux see objects missing"
            " that are in Git, and create them again; the run does not start again, but it is created and deleted for"
            " ever."
        ),
        remedy="Leave lifecycle.ttlSecondsAfterFinished out there. A new run id removes the objects of the old run.",
        example=job("lifecycle: {ttlSecondsAfterFinished: 3600}"),
    ),
    Kind(
        "DS351",
        title="Exit codes for restarts that do not happen",
        when="A warning: restartExitCodes says which failures are worth a restart, and maxRestarts is 0.",
        remedy="Set lifecycle.maxRestarts, or remove the codes.",
        example=job("lifecycle: {restartExitCodes: [3]}"),
    ),
)
