"""The checks: the job, DeepSpeed's configuration, how the training is started, code from Git."""

from __future__ import annotations

from dsgen.problems.kinds.kind import COMMIT, Kind, deepspeed_job, job

KINDS = (
    # checks of the whole
    Kind(
        "DS201",
        title="No image",
        when="There is no default for the image: it has your program, PyTorch, DeepSpeed, openssh and pdsh.",
        remedy="Set image.repository, and image.tag or image.digest.",
        example="name: cifar\nnamespace: training\ntraining: {python: train.py}\nimage: {tag: v3}\n",
    ),
    Kind(
        "DS202",
        title="Nothing to train",
        when="Nothing says what is to be trained.",
        remedy="Give one of training.python (a script), training.module (a module) and training.exec (any program).",
        example=job(training=""),
    ),
    Kind(
        "DS203",
        title="More than one thing to train",
        when=(
            "More than one of training.python, training.module and training.exec is given, and only one can be started."
        ),
        remedy="Keep one of them.",
        example=job(training="training: {python: train.py, module: team.train}"),
    ),
    Kind(
        "DS204",
        title="Names that are too long",
        when=(
            "The names of pods are made of name, run.id and the worker's number, and Kubernetes allows 63 characters."
            " The last worker has the longest name."
        ),
        remedy="Shorten the name of the job or run.id.",
        example=job(name="name: a-training-with-a-name-that-says-everything-about-its-purpose"),
    ),
    Kind(
        "DS205",
        title="A job name of the wrong form",
        when=(
            "The name of the job begins the names of all its objects, some of which must be DNS labels. A release of"
            " Helm can have a name that cannot do that, such as one that begins with a digit."
        ),
        remedy="Use lower-case letters, digits and -, a letter first, no - at the end.",
    ),
    Kind(
        "DS206",
        title="More processes than GPUs",
        when="Each training process needs a GPU of its own, and a worker asks for fewer GPUs than it starts processes.",
        remedy="Make workers.slots and workers.accelerator.count equal, or leave count out. count: 0 trains on CPUs.",
        example=job("workers: {slots: 4, accelerator: {count: 2}}"),
    ),
    Kind(
        "DS207",
        title="Several processes on MIG slices",
        when="CUDA shows a process only one MIG slice, so several processes of one pod would all use the same one.",
        remedy="Use workers.slots: 1 and more workers.replicas.",
        example=job("workers: {slots: 2, accelerator: {resource: nvidia.com/mig-1g.5gb}}"),
    ),
    Kind(
        "DS208",
        title="The accelerator among the resources",
        when=(
            "The accelerator stands among the resources too. dsgen writes it from workers.accelerator, so it would be"
            " there twice."
        ),
        remedy="Remove it from workers.resources and set workers.accelerator.count.",
        example=job("workers: {resources: {limits: {nvidia.com/gpu: 2}}}"),
    ),
    Kind(
        "DS209",
        title="Several processes on shares of GPUs",
        when=(
            "A warning: a resource whose name ends in .shared is a share of a GPU, by time or memory. Several shares of"
            " one pod may be of the same GPU, and NCCL refuses two processes on one."
        ),
        remedy="Use workers.slots: 1 and more replicas, or whole GPUs.",
        example=job("workers: {slots: 2, accelerator: {resource: nvidia.com/gpu.shared}}"),
    ),
    Kind(
        "DS210",
        title="A volume without a source",
        when="A volume says where it is mounted but not what it is.",
        remedy="Give it one of create (a new claim), existingClaim, nfs and emptyDir.",
        example=job("storage: {data: {mountPath: /data}}"),
    ),
    Kind(
        "DS211",
        title="A volume with several sources",
        when="A volume has more than one of create, existingClaim, nfs and emptyDir.",
        remedy="Keep one of them.",
        example=job("storage: {data: {mountPath: /data, create: {}, existingClaim: data}}"),
    ),
    Kind(
        "DS212",
        title="A reserved mount path",
        when="dsgen or the system has files of its own there, which the volume would hide.",
        remedy="Mount it elsewhere, such as /data.",
        example=job("storage: {data: {mountPath: /job/data, create: {}}}"),
    ),
    Kind(
        "DS213",
        title="A volume at /dev/shm",
        when="/dev/shm is the shared memory of the pod, which data loaders and NCCL use and dsgen mounts already.",
        remedy="Set its size with workers.sharedMemory.",
        example=job("storage: {shm: {mountPath: /dev/shm, emptyDir: {medium: Memory}}}"),
    ),
    Kind(
        "DS214",
        title="A path that leads out of its volume",
        when=(
            "subPath has a .. in it. Kubernetes refuses such a pod, because it could reach files outside of the volume."
        ),
        remedy="Give a path inside the volume.",
        example=job("storage: {data: {mountPath: /data, subPath: ../x, create: {}}}"),
    ),
    Kind(
        "DS215",
        title="A volume of one node for several workers",
        when=(
            "A warning: a ReadWriteOnce volume can be attached to one node only. Workers on other nodes would wait for"
            " it."
        ),
        remedy="Use ReadWriteMany where the storage class offers it; otherwise keep all workers on one node.",
        example=job(
            "workers: {replicas: 2}", "storage: {data: {mountPath: /data, create: {accessModes: [ReadWriteOnce]}}}"
        ),
    ),
    Kind(
        "DS216",
        title="A volume of one pod for several pods",
        when=(
            "A ReadWriteOncePod volume can be used by one pod in the whole cluster, and more than one pod of the job"
            " mounts it: the others would wait for ever."
        ),
        remedy="Use ReadWriteMany, or mountIn: launcher.",
        example=job("storage: {data: {mountPath: /data, create: {accessModes: [ReadWriteOncePod]}}}"),
    ),
    Kind(
        "DS217",
        title="A claim for which nothing is provisioned",
        when=(
            "A warning: an empty storageClass means that no provisioner makes a volume. The claim waits for a"
            " PersistentVolume without a class that fits."
        ),
        remedy="Describe the volume in create.persistentVolume, or remove storageClass to have the cluster's default.",
        example=job('storage: {data: {mountPath: /data, create: {storageClass: ""}}}'),
    ),
    Kind(
        "DS218",
        title="ReadWriteOncePod beside other access modes",
        when=(
            "ReadWriteOncePod is for one pod alone, so Kubernetes refuses a claim that asks for another access mode"
            " too."
        ),
        remedy="Keep ReadWriteMany where several pods mount the volume, else ReadWriteOncePod.",
        example=job("storage: {data: {mountIn: launcher, create: {accessModes: [ReadWriteOncePod, ReadWriteMany]}}}"),
    ),
    Kind(
        "DS219",
        title="A claim of nothing",
        when="A claim asks for a volume of the size 0. Kubernetes refuses it.",
        remedy="Give storage.NAME.create.size, such as 100Gi.",
        example=job('storage: {data: {mountPath: /data, create: {size: "0"}}}'),
    ),
    Kind(
        "DS220",
        title="A reserved environment variable",
        when=(
            "DeepSpeed or dsgen sets this variable for every process: RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and all"
            " that begin with MASTER_ or DSGEN_."
        ),
        remedy="Leave it out; a program reads it as it is. The port is launch.masterPort.",
        example=job(training='training: {python: train.py, env: {WORLD_SIZE: "4"}}'),
    ),
    Kind(
        "DS221",
        title="Two DeepSpeed configurations",
        when=(
            "training.deepspeed.config (the configuration itself) and configFile (its path in the image) are both"
            " given."
        ),
        remedy="Keep one of them.",
        example=job(
            training="training: {python: train.py, deepspeed: {config: {train_batch_size: 8}, configFile: /ds.json}}",
        ),
    ),
    Kind(
        "DS222",
        title="A variable inside a value, which nothing replaces",
        when=(
            "A warning: values in training.env are literal texts, as a dollar sign is written in such a way that"
            " Kubernetes leaves it alone. $PATH or $LD_LIBRARY_PATH in one replaces the image's path by these very"
            " characters."
        ),
        remedy="Set it in training.setup, which is a shell script: export LD_LIBRARY_PATH=/opt/lib:$LD_LIBRARY_PATH.",
        example=job(training='training: {python: train.py, env: {LD_LIBRARY_PATH: "/opt/lib:$LD_LIBRARY_PATH"}}'),
    ),
    Kind(
        "DS223",
        title="A reserved prefix of variables",
        when="With this prefix, the variables of a ConfigMap or Secret would have names that dsgen or DeepSpeed sets.",
        remedy="Choose another prefix.",
        example=job(training="training: {python: train.py, envFrom: [{prefix: MASTER_, configMapRef: {name: x}}]}"),
    ),
    Kind(
        "DS224",
        title="An argument that is passed already",
        when=(
            "A warning: dsgen passes --deepspeed and --deepspeed_config with the configuration of training.deepspeed,"
            " so they would be there twice, and most programs take the last."
        ),
        remedy="Remove them from training.args, or set training.deepspeed.passConfig: false.",
        example=job(
            training="training: {python: a.py, args: [--deepspeed_config, ds.json], deepspeed: {configFile: /ds.json}}"
        ),
    ),
    Kind(
        "DS225",
        title="Autotuning without a configuration",
        when=(
            "Autotuning changes a configuration of DeepSpeed and passes it to the program, so it needs one to begin"
            " with."
        ),
        remedy="Give training.deepspeed.config or configFile, and leave passConfig true.",
        example=job(training="training: {python: train.py, deepspeed: {autotuning: tune}}"),
    ),
    Kind(
        "DS226",
        title="A device that is given twice, or is none",
        when=(
            "network.rdma.resources are devices of the network. What is among workers.resources or workers.accelerator"
            " too would be written twice."
        ),
        remedy="Name each resource in one place.",
        example=job(
            "network: {rdma: {resources: {rdma/hca: 1}, ipcLock: omit}}",
            "workers: {resources: {limits: {rdma/hca: 1}}}",
        ),
    ),
    Kind(
        "DS227",
        title="Networks of their own for pods on the host's network",
        when="Pods on the host's network have the node's interfaces and get none from Multus.",
        remedy="Keep one of network.hostNetwork and network.rdma.networks.",
        example=job(
            "network: {hostNetwork: true, policy: false, rdma: {networks: [sriov]}}",
            "security: {podSecurityLevel: privileged}",
        ),
    ),
    Kind(
        "DS228",
        title="An annotation that is written from another key",
        when="The annotation that names the networks of a pod is written from network.rdma.networks.",
        remedy="Keep one of them.",
        example=job(
            "network: {rdma: {networks: [sriov]}}",
            "workers: {podAnnotations: {k8s.v1.cni.cncf.io/networks: other}}",
        ),
    ),
    Kind(
        "DS229",
        title="Memory that is not locked for RDMA",
        when=(
            "A warning: most RDMA devices need locked memory, for which a container needs the capability IPC_LOCK. Only"
            " the Pod Security level privileged allows it, so it is not asked for."
        ),
        remedy=(
            "Set security.podSecurityLevel: privileged where the namespace allows it; or network.rdma.ipcLock: omit"
            " where the nodes' limits are high enough without."
        ),
        example=job("network: {rdma: {resources: {rdma/hca: 1}}}"),
    ),
    Kind(
        "DS230",
        title="A reserved label or annotation",
        when="dsgen or Kubernetes writes this label or annotation, and finds objects by it.",
        remedy="Choose a key of a domain of your own.",
        example=job("labels: {app.kubernetes.io/name: cifar}"),
    ),
    Kind(
        "DS231",
        title="An annotation that is there twice",
        when="The ServiceAccount has all annotations of the job and serviceAccount.annotations; this one is in both.",
        remedy="Keep one of them.",
        example=job("annotations: {example.com/a: x}", "serviceAccount: {annotations: {example.com/a: z}}"),
    ),
    Kind(
        "DS232",
        title="A field of the pod that dsgen writes",
        when=(
            "extraPodSpec is for fields of the Kubernetes API that have no key here. This one dsgen writes itself, or"
            " it would break what dsgen writes."
        ),
        remedy="Use the key for it; `dsgen explain workers` lists them.",
        example=job("workers: {extraPodSpec: {restartPolicy: OnFailure}}"),
    ),
    Kind(
        "DS233",
        title="A field of the container that dsgen writes",
        when=(
            "extraContainerSpec is for fields of the Kubernetes API that have no key here. This one dsgen writes"
            " itself."
        ),
        remedy="Use the key for it, such as training.env for env or storage for volumeMounts.",
        example=job('launcher: {extraContainerSpec: {command: [sleep, "60"]}}'),
    ),
    Kind(
        "DS234",
        title="A container with a name of dsgen's",
        when="A container of yours has the name of one of dsgen's in the same pod.",
        remedy="Choose another name.",
        example=job("workers: {sidecars: [{name: worker, image: x:1}]}"),
    ),
    Kind(
        "DS235",
        title="Two containers of one name",
        when=(
            "Two containers of one pod have the same name, init containers and sidecars together. Kubernetes refuses"
            " such a pod."
        ),
        remedy="Give one of them another name.",
        example=job("workers: {initContainers: [{name: a, image: x:1}], sidecars: [{name: a, image: x:1}]}"),
    ),
    Kind(
        "DS236",
        title="A mount of an unknown volume",
        when="A container of yours mounts a volume that is not in storage. Its name there is the key in storage.",
        remedy='Add the volume to storage, with mountPath: "" when only this container mounts it.',
        example=job("workers: {sidecars: [{name: a, image: x:1, volumeMounts: [{name: data, mountPath: /data}]}]}"),
    ),
    Kind(
        "DS237",
        title="Two rules that keep workers apart",
        when="workers.spread becomes a podAntiAffinity, and workers.affinity has one already.",
        remedy="Keep one of them.",
        example=job("workers: {spread: preferred, affinity: {podAntiAffinity: {}}}"),
    ),
    Kind(
        "DS238",
        title="A claim of devices that the pod does not have",
        when=(
            "resources.claims names a claim of dynamic resource allocation that the pod does not have. Kubernetes"
            " refuses such a pod."
        ),
        remedy="Say where the claim comes from in extraPodSpec.resourceClaims of the same role.",
        example=job("workers: {resources: {claims: [{name: gpus}]}}"),
    ),
    Kind(
        "DS239",
        title="Workers that may look for each other on the loopback",
        when=(
            "A warning: the workers are on the network of their nodes, and Gloo listens at the address that the node's"
            " own name leads to. Where /etc/hosts of the node has that name beside 127.0.0.1 or 127.0.1.1, or nothing"
            " knows the name, that is the loopback, and workers on other nodes get no answer."
        ),
        remedy=(
            "Name the interface in network.socketInterface. Where nodes name it differently, `export"
            " GLOO_SOCKET_IFNAME=$(awk 'NR > 1 && $1 != \"lo\" {print $1; exit}' /proc/net/route)` in training.setup"
            " lets each find its own."
        ),
        example=job(
            "workers: {replicas: 2}",
            "network: {hostNetwork: true, policy: false}",
            "security: {podSecurityLevel: privileged}",
        ),
    ),
    Kind(
        "DS240",
        title="A Secret's name that is not used",
        when=(
            "ssh.secret.name names a Secret of yours, and only ssh.secret.mode: existing uses one. In the mode cluster"
            " the key is made in the cluster."
        ),
        remedy="Set ssh.secret.mode: existing, or remove the name.",
        example=job("ssh: {secret: {name: mine}}"),
    ),
    Kind(
        "DS241",
        title="A Secret's name that is taken",
        when=(
            "With ssh.secret.mode: existing, your Secret has the name that the job's own Secret would have. A change of"
            " the mode would then overwrite it."
        ),
        remedy="Give your Secret another name.",
        example=job("ssh: {secret: {mode: existing, name: cifar-ssh}}"),
    ),
    Kind(
        "DS242",
        title="Two services on one port",
        when=(
            "The workers' sshd (ssh.port) and the meeting point of the ranks (launch.masterPort) would listen on one"
            " port of worker 0."
        ),
        remedy="Give one of them another port.",
        example=job("ssh: {port: 29500}"),
    ),
    Kind(
        "DS243",
        title="A port that only root may use",
        when=(
            "A warning: where the container runtime does not allow it, a process that is not root cannot listen on a"
            " port below 1024."
        ),
        remedy="Use a port from 1024 on.",
        example=job("ssh: {port: 222}", "security: {podSecurityLevel: restricted}"),
    ),
    Kind(
        "DS244",
        title="The port of the node's own sshd",
        when=(
            "With network.hostNetwork the workers share the ports of their nodes, and port 22 is that of the nodes' own"
            " sshd."
        ),
        remedy="Use another port.",
        example=job(
            "ssh: {port: 22}",
            "network: {hostNetwork: true, policy: false}",
            "security: {podSecurityLevel: privileged}",
        ),
    ),
    Kind(
        "DS245",
        title="A NetworkPolicy that binds nothing",
        when=(
            "A warning: network plugins do not apply a NetworkPolicy to pods on the host's network. Whoever reaches the"
            " nodes reaches the workers."
        ),
        remedy="Set network.policy: false, and protect the nodes in another way.",
        example=job("network: {hostNetwork: true}", "security: {podSecurityLevel: privileged}"),
    ),
    Kind(
        "DS246",
        title="Two addresses for one webhook",
        when="The address of the webhook is given in the file and in a Secret.",
        remedy="Keep one of them.",
        example=job('status: {webhook: {url: "https://example.com/x", secretName: hook}}'),
    ),
    Kind(
        "DS247",
        title="A record that is sent as plain text",
        when="A warning: the record of the run, with its messages, would be sent as plain text.",
        remedy="Use an https address.",
        example=job('status: {webhook: {url: "http://example.com/x"}}'),
    ),
    Kind(
        "DS248",
        title="A password in an address",
        when=(
            "The address holds a user name or a password. Values files are kept in Git, where everybody who reads them"
            " would have it."
        ),
        remedy="Put it into a Secret and name that.",
        example=job('status: {webhook: {url: "https://me:secret@example.com/x"}}'),
    ),
    Kind(
        "DS249",
        title="A user that cannot log in",
        when="Without root nobody can log in as root: sshd runs as the container's user, and only that one can log in.",
        remedy="Leave ssh.user out.",
        example=job("ssh: {user: root}", "security: {podSecurityLevel: restricted}"),
    ),
    Kind(
        "DS250",
        title="An image without a fixed version",
        when=(
            "A warning: without a tag, or with the tag latest, nodes may run different images, and the same run id may"
            " mean another program tomorrow."
        ),
        remedy="Give a tag that is never moved, or a digest.",
        example=job(image="{repository: registry.example.com/team/cifar}"),
    ),
    Kind(
        "DS251",
        title="Two volumes at one path",
        when="Two volumes would be mounted at one path of the same pods; only one of them could be seen.",
        remedy="Mount one of them elsewhere, or one in workers and the other in the launcher with mountIn.",
        example=job("storage: {a: {mountPath: /data, create: {}}, b: {mountPath: /data, emptyDir: {}}}"),
    ),
    Kind(
        "DS252",
        title="A PersistentVolume without a usable source",
        when="A PersistentVolume has exactly one source, and a local one must say on which node it is.",
        remedy="Give one of nfs, hostPath, csi and local; local with nodeAffinity.",
        example=job("storage: {data: {mountPath: /data, create: {persistentVolume: {mountOptions: [ro]}}}}"),
    ),
    Kind(
        "DS253",
        title="Files that are too large",
        when="training.files become a ConfigMap, which holds 1 MiB together with the names of the files.",
        remedy="Put large files into the image or onto a volume.",
    ),
    Kind(
        "DS254",
        title="A mount inside a volume that cannot hold it",
        when=(
            "A volume is mounted below another one. Kubernetes makes a folder for it there, which is not possible in a"
            " ConfigMap, a Secret or a projected volume; in a volume that is mounted read-only the folder must be there"
            " already, which is a warning."
        ),
        remedy="Mount it elsewhere.",
        example=job("storage: {a: {mountPath: /data, configMap: {name: x}}, b: {mountPath: /data/b, create: {}}}"),
    ),
    Kind(
        "DS255",
        title="A mount of a volume of other pods",
        when="A container of yours mounts a volume that mountIn keeps out of its pod.",
        remedy="Set mountIn: both, or mount the volume in the other pods.",
        example=job(
            "launcher: {sidecars: [{name: a, image: x:1, volumeMounts: [{name: data, mountPath: /data}]}]}",
            "storage: {data: {mountPath: /data, mountIn: workers, create: {}}}",
        ),
    ),
    Kind(
        "DS256",
        title="A request above its limit",
        when="A container asks for more than its limit. Kubernetes refuses such a pod.",
        remedy="Raise the limit or lower the request. Without a request, the limit counts as one.",
        example=job('workers: {sharedMemory: "", resources: {limits: {memory: 1Gi}}}'),
    ),
    Kind(
        "DS257",
        title="A configuration that is too large",
        when=(
            "training.setup, the arguments, the configuration of DeepSpeed and the names of the workers lie in one"
            " ConfigMap of the run, with dsgen's scripts. Kubernetes allows 1 MiB."
        ),
        remedy=(
            "Put large texts into training.files, which has a ConfigMap of its own, into the image or onto a volume."
            " Where the names of the workers are the largest part, use a shorter name of the job, or fewer workers."
        ),
    ),
    Kind(
        "DS258",
        title="An object that kubectl apply does not take",
        when=(
            "A warning: without --server-side, kubectl apply keeps a copy of each object in an annotation, and all"
            " annotations of an object hold 262144 bytes. The run's ConfigMap has dsgen's scripts, about 200000 bytes"
            " as JSON, so there is room for some 1500 workers with short names, or for a setup of 50000 bytes. The API"
            ' server refuses more with "metadata.annotations: Too long". Argo CD applies in the same way unless it is'
            " told otherwise; Flux and Helm do not."
        ),
        remedy=(
            "Use kubectl apply --server-side; in Argo CD, set the sync option ServerSideApply=true in the Application,"
            " or for the job with annotations: {argocd.argoproj.io/sync-options: ServerSideApply=true}."
        ),
        example=job("workers: {replicas: 3000}", "launch: {method: torchrun}"),
    ),
    Kind(
        "DS259",
        title="Devices or huge pages that Kubernetes refuses",
        when=(
            "Devices (names with a domain, such as example.com/card) and huge pages cannot be shared or lent:"
            " Kubernetes refuses a request without a limit or other than the limit, part of a device, and huge pages"
            " that are no multiple of the page, or stand without cpu and memory."
        ),
        remedy="Give them in limits alone, where a limit counts as the request, as whole numbers.",
        example=job("workers: {resources: {requests: {example.com/card: 1}}}"),
    ),
    # DeepSpeed's configuration
    Kind(
        "DS260",
        title="A key that DeepSpeed does not know",
        when=(
            "DeepSpeed does not know the key. It reads what it knows and says nothing about other keys at the top: the"
            " training runs, without what was meant. In most blocks it refuses other keys, and every rank fails. In the"
            " few that it reads by hand (optimizer, scheduler, checkpoint, flops_profiler and the like) they are"
            " ignored, which is a warning. What stands below params goes to the optimizer's or scheduler's class, which"
            " refuses others."
        ),
        remedy=(
            "Correct the name; `possible` and `did you mean` name keys of DeepSpeed 0.19.8. Settings of your own"
            " program belong into training.args or training.files."
        ),
        example=deepspeed_job("zero_optimisation: {stage: 2}"),
    ),
    Kind(
        "DS261",
        title="A value of the wrong type for DeepSpeed",
        when=(
            "DeepSpeed would fail on the value, or read another one: at the top it does not check types, where the text"
            ' "false" counts as true.'
        ),
        remedy="Write a value of the type that the message names.",
        example=deepspeed_job('gradient_clipping: "1.0"'),
    ),
    Kind(
        "DS262",
        title="A value that DeepSpeed does not take",
        when=(
            "The value is not one of those that DeepSpeed takes, or out of range, so every rank would fail. For a name"
            " of an optimizer or a scheduler that looks like no other it is a warning: another version of torch may"
            " have it."
        ),
        remedy="Use one of the possible values. Names of torch's optimizers are written as in torch: SGD, not sgd.",
        example=deepspeed_job("zero_optimization: {stage: 4}"),
    ),
    Kind(
        "DS263",
        title="A key that not all versions of DeepSpeed have",
        when=(
            "Some versions of DeepSpeed take the key or the name, others refuse or ignore it. With"
            " training.deepspeed.version it is an error where that version does not take it; without, it is a warning,"
            " as the version in the image is not known here. A version without a table of its own is held against its"
            " neighbours: what one of them takes is let through. Old names of keys are told too."
        ),
        remedy="Leave it out or use what replaces it. Set training.deepspeed.version to the version in the image.",
        example=deepspeed_job("sparse_gradients: true"),
    ),
    Kind(
        "DS265",
        title="Batch sizes that do not fit the number of processes",
        when=(
            "train_batch_size is train_micro_batch_size_per_gpu times gradient_accumulation_steps times the number of"
            " processes, workers.replicas x workers.slots. DeepSpeed computes one or two that are not given, and fails"
            " when there are no whole numbers for them. Where the configuration says that several processes share one"
            " copy of the model (pipeline, tensor_parallel, sequence_parallel_size), only what cannot be right at all"
            " is told."
        ),
        remedy="Leave train_batch_size out: DeepSpeed computes it, also when the number of workers changes.",
        example=deepspeed_job("gradient_accumulation_steps: 2", "train_batch_size: 64"),
    ),
    Kind(
        "DS266",
        title="Two precisions at once",
        when="fp16 and bf16 are both enabled. DeepSpeed refuses that.",
        remedy="Enable one of them.",
        example=deepspeed_job("fp16: {enabled: true}", "bf16: {enabled: true}"),
    ),
    Kind(
        "DS267",
        title="Settings of DeepSpeed that exclude or need one another",
        when=(
            "DeepSpeed refuses this combination when the training starts. fp16 without devices is a warning, except in"
            " old versions: newer ones ask the CPU whether it has the instructions."
        ),
        remedy="Change one of the two keys that the message names.",
        example=deepspeed_job("zero_optimization: {stage: 3, offload_param: {device: nvme}}"),
    ),
    Kind(
        "DS268",
        title="A setting of DeepSpeed without an effect",
        when=(
            "A warning: DeepSpeed takes the key and does nothing with it at this stage of ZeRO, so that the training"
            " needs more memory than was meant."
        ),
        remedy="Use the stage that the message names, or leave the key out.",
        example=deepspeed_job("zero_optimization: {stage: 2, offload_param: {device: cpu}}"),
    ),
    Kind(
        "DS269",
        title="A scheduler without its parameters",
        when=(
            "DeepSpeed fails on a scheduler without params, and on one whose parameters without a default are not"
            " there."
        ),
        remedy="Give them; params: {} where all have a default.",
        example=deepspeed_job("scheduler: {type: WarmupDecayLR, params: {warmup_num_steps: 100}}"),
    ),
    # how the training is started
    Kind(
        "DS270",
        title="No command for a method that starts one",
        when="The methods worker-command and launcher-command start launch.command, which is empty.",
        remedy="Give it as a list, the program first.",
        example=job("launch: {method: worker-command}", training=""),
    ),
    Kind(
        "DS271",
        title="A command for a method that starts none",
        when=(
            "launch.command is started by the methods worker-command and launcher-command alone; the others start what"
            " training describes."
        ),
        remedy="Set launch.method: worker-command or launcher-command, or remove the command.",
        example=job("launch: {command: [accelerate, launch, train.py]}"),
    ),
    Kind(
        "DS272",
        title="A program beside the command",
        when="launch.command is the whole command line. What training says about the program would not be used.",
        remedy="Write it into launch.command, and remove it from training.",
        example=job("launch: {method: worker-command, command: [accelerate, launch]}"),
    ),
    Kind(
        "DS273",
        title="A setting that needs ssh",
        when=(
            "The methods torchrun, deepspeed-no-ssh and worker-command use no ssh: every worker starts its own"
            " processes, and the launcher only watches. So it cannot start them again, keep workers, test the network"
            " or replace a worker."
        ),
        remedy="Use launch.method: pdsh or openmpi, or remove the setting. torchrun can restart by itself.",
        example=job("launch: {method: deepspeed-no-ssh}", "lifecycle: {maxRestarts: 1}"),
    ),
    Kind(
        "DS274",
        title="Autotuning without pdsh",
        when="DeepSpeed's autotuning starts one experiment after another through pdsh.",
        remedy="Use launch.method: pdsh.",
        example=job(
            "launch: {method: torchrun}",
            training="training: {python: train.py, deepspeed: {autotuning: tune, configFile: /ds.json}}",
        ),
    ),
    Kind(
        "DS275",
        title="A setting of a launcher that does not run",
        when=(
            "The setting is for the launcher of DeepSpeed, or for processes that dsgen starts, and with this method"
            " neither is there."
        ),
        remedy="Remove it, or choose another launch.method.",
        example=job(
            "launch: {method: torchrun}",
            training="training: {python: train.py, deepspeed: {args: [--no_ssh_check]}}",
        ),
    ),
    Kind(
        "DS276",
        title="Too many workers for pdsh",
        when=(
            "pdsh gets the names and slots of all workers as one argument, of which Linux takes 131072 bytes. Longer"
            " names leave room for fewer workers."
        ),
        remedy="Use launch.method: torchrun, where only the ConfigMap with the names has a limit, some 20000 workers.",
        example=job("workers: {replicas: 900, slots: 64}", "launcher: {resources: {requests: {memory: 8Gi}}}"),
    ),
    Kind(
        "DS277",
        title="Too little memory for the launcher",
        when=(
            "The launcher holds an ssh session for each worker, 1.4 MiB each as measured, beside 1 GiB for itself. With"
            " this limit it would be killed."
        ),
        remedy="Raise launcher.resources.limits.memory, or use launch.method: torchrun.",
        example=job("launcher: {resources: {requests: {memory: 512Mi}, limits: {memory: 512Mi}}}"),
    ),
    Kind(
        "DS278",
        title="A small request of memory for the launcher",
        when=(
            "A warning: the launcher holds an ssh session for each worker, 1.4 MiB each as measured, beside 1 GiB for"
            " itself. It asks for less, so its node may run out of memory."
        ),
        remedy="Raise launcher.resources.requests.memory, or use launch.method: torchrun.",
        example=job("launcher: {resources: {requests: {memory: 512Mi}}}"),
    ),
    Kind(
        "DS279",
        title="More shared memory than memory",
        when=(
            "A warning: files in /dev/shm count as memory of the pod, so shared memory that is larger than the limit"
            " can never be used: the pod is killed before."
        ),
        remedy="Raise workers.resources.limits.memory, or lower workers.sharedMemory.",
        example=job("workers: {resources: {limits: {memory: 4Gi}}}"),
    ),
    Kind(
        "DS280",
        title="An argument of DeepSpeed's launcher that conflicts with dsgen",
        when=(
            "dsgen passes this option to deepspeed itself, or the run would hang, train with another number of"
            " processes, or end without the launcher's noticing."
        ),
        remedy="Use the key that the hint names, or remove the option.",
        example=job(training="training: {python: train.py, deepspeed: {args: [--num_gpus, '1']}}"),
    ),
    Kind(
        "DS281",
        title="An argument that DeepSpeed's launcher does not take",
        when=(
            "deepspeed has no such option, or several begin like this, or it takes no value, another one, or needs one."
            " It would stop with a message about its usage, or take a word without dashes for the program to start."
        ),
        remedy="Correct the spelling. Arguments of your own program belong into training.args.",
        example=job(training="training: {python: train.py, deepspeed: {args: [--learning_rate=1]}}"),
    ),
    Kind(
        "DS282",
        title="Workers or slots that are not in the hostfile",
        when=(
            "--include and --exclude name workers as they stand in the hostfile, RUN-worker-0.RUN and so on, with RUN"
            " being the name of the job, - and run.id; slots count from 0 on. deepspeed stops at any other name or"
            " slot, and when nothing is left to train on."
        ),
        remedy="Write NAME or NAME:SLOT,SLOT, several of them joined by @.",
        example=job(training="training: {python: train.py, deepspeed: {args: ['--include=worker-0']}}"),
    ),
    Kind(
        "DS283",
        title="An argument that only some versions of DeepSpeed have",
        when=(
            "The version of DeepSpeed in training.deepspeed.version does not have this option, and would stop with a"
            " message about its usage."
        ),
        remedy="Leave the option out, or correct the version.",
        example=job(training="training: {python: a.py, deepspeed: {version: '0.16.9', args: [--log_level, debug]}}"),
    ),
    Kind(
        "DS284",
        title="An argument that hides or loses something",
        when="A warning: with this option DeepSpeed's launcher says less, so that a failure is harder to understand.",
        remedy="Leave it out while you look for a mistake.",
        example=job(training="training: {python: train.py, deepspeed: {args: [--quiet]}}"),
    ),
    Kind(
        "DS286",
        title="A command for debugging that is not run",
        when=(
            "A warning: lifecycle.debug.command is what workers do instead of nothing while lifecycle.debug.enabled"
            " holds the training back. It is false, so the training starts and the command does not."
        ),
        remedy="Set lifecycle.debug.enabled: true, or remove the command.",
        example=job("lifecycle: {debug: {command: [sleep, infinity]}}"),
    ),
    Kind(
        "DS287",
        title="A size of the shared memory that means another one",
        when=(
            "workers.sharedMemory is the size limit of a volume in memory. The size 0 means no limit there, and m is a"
            " thousandth, so that 500m is half a byte."
        ),
        remedy=(
            'Write 500M or 500Mi; "" for the small /dev/shm of the container runtime, unlimited for no limit but the'
            " pod's."
        ),
        example=job("workers: {sharedMemory: 500m}"),
    ),
    # code from Git
    Kind(
        "DS290",
        title="A setting of a repository that is not given",
        when="Something about the repository is given, and its address is not.",
        remedy="Give code.git.repository, or remove the rest.",
        example=job("code: {git: {revision: main}}"),
    ),
    Kind(
        "DS291",
        title="Code that may change under one run id",
        when=(
            "A warning: a branch moves, and a tag can be moved. A worker that starts later, or a restart, may get"
            " another program under the same run id."
        ),
        remedy="Give the whole id of a commit, 40 characters, as git rev-parse HEAD prints it.",
        example=job('code: {git: {repository: "https://example.com/x.git", revision: main}}'),
    ),
    Kind(
        "DS292",
        title="A repository over ssh without a key",
        when="The repository is reached over ssh, and there is no key to log in with.",
        remedy="Name a Secret with the key ssh-privatekey in code.git.secretName, or use an https address.",
        example=job(
            "code:",
            f'  git: {{repository: "git@example.com:x.git", revision: {COMMIT}, knownHosts: "example.com ssh-rsa AA"}}',
        ),
    ),
    Kind(
        "DS293",
        title="A repository over ssh without known hosts",
        when=(
            "A warning: the repository is reached over ssh, and code.git.knownHosts does not say which key its host"
            " has. Unless the Secret has that under known_hosts, nothing is cloned: another host could pretend to be"
            " it."
        ),
        remedy=(
            "Give the lines that ssh-keyscan prints in code.git.knownHosts, after comparing them with what the host"
            " publishes."
        ),
        example=job(f'code: {{git: {{repository: "git@example.com:x.git", revision: {COMMIT}, secretName: key}}}}'),
    ),
    Kind(
        "DS294",
        title="A password that is sent as plain text",
        when="A warning: with an http address the password goes over the network as plain text.",
        remedy="Use an https address.",
        example=job(f'code: {{git: {{repository: "http://example.com/x.git", revision: {COMMIT}, secretName: key}}}}'),
    ),
    Kind(
        "DS295",
        title="An address or a revision that git does not take",
        when=(
            "The code is cloned over https, http, ssh or git, and this is no such address; or the revision is a pattern"
            " or a range, which names no single commit."
        ),
        remedy="Write an address such as https://example.com/team/cifar.git, and the id of a commit.",
        example=job(f"code: {{git: {{repository: /srv/cifar.git, revision: {COMMIT}}}}}"),
    ),
)
