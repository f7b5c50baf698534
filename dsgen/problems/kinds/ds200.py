"""Problems that the checks find: the job, DeepSpeed's configuration, the start of the training, code from Git."""

from __future__ import annotations

from dsgen.problems.kinds.kind import COMMIT, Kind, deepspeed_job, job

KINDS = (
    # checks of the whole
    Kind(
        "DS201",
        title="No image",
        when="The image has no default: it contains your program, PyTorch, DeepSpeed, openssh and pdsh.",
        remedy="Set image.repository, and image.tag or image.digest.",
        example="name: cifar\nnamespace: training\ntraining: {python: train.py}\nimage: {tag: v3}\n",
    ),
    Kind(
        "DS202",
        title="Nothing to train",
        when="The values do not say which program to run.",
        remedy="Set one of training.python (a script), training.module (a module) and training.exec (any program).",
        example=job(training=""),
    ),
    Kind(
        "DS203",
        title="More than one thing to train",
        when=(
            "More than one of training.python, training.module and training.exec is set, but only one program can be"
            " started."
        ),
        remedy="Keep one of them.",
        example=job(training="training: {python: train.py, module: team.train}"),
    ),
    Kind(
        "DS204",
        title="Names that are too long",
        when=(
            "The name of a pod consists of name, run.id and the number of the worker, and can have at most 63"
            " characters. The last worker has the longest name."
        ),
        remedy="Shorten the name of the job or run.id.",
        example=job(name="name: a-training-with-a-name-that-says-everything-about-its-purpose"),
    ),
    Kind(
        "DS205",
        title="A job name of the wrong form",
        when=(
            "The names of all objects begin with the name of the job, and some of them must be DNS labels. The name of"
            " a Helm release is not always valid there, for example if it begins with a digit."
        ),
        remedy="Use lower-case letters, digits and hyphens. Begin with a letter, and do not end with a hyphen.",
    ),
    Kind(
        "DS206",
        title="More processes than GPUs",
        when="Each training process needs its own GPU, and a worker starts more processes than it requests GPUs.",
        remedy=(
            "Set workers.slots and workers.accelerator.count to the same number, or leave count out. count: 0 trains on"
            " CPUs."
        ),
        example=job("workers: {slots: 4, accelerator: {count: 2}}"),
    ),
    Kind(
        "DS207",
        title="Several processes on MIG slices",
        when="CUDA shows each process only one MIG slice, so all processes of a pod would use the same one.",
        remedy="Use workers.slots: 1 and more workers.replicas.",
        example=job("workers: {slots: 2, accelerator: {resource: nvidia.com/mig-1g.5gb}}"),
    ),
    Kind(
        "DS208",
        title="The accelerator among the resources",
        when=(
            "The accelerator is also listed under resources. dsgen writes it from workers.accelerator, so the container"
            " would have it twice."
        ),
        remedy="Remove it from workers.resources and set workers.accelerator.count.",
        example=job("workers: {resources: {limits: {nvidia.com/gpu: 2}}}"),
    ),
    Kind(
        "DS209",
        title="Several processes on shares of GPUs",
        when=(
            "A warning: a resource whose name ends in .shared is a share of a GPU. Several shares in one pod may belong"
            " to the same GPU, and NCCL refuses two processes on one GPU."
        ),
        remedy="Use workers.slots: 1 and more replicas, or whole GPUs.",
        example=job("workers: {slots: 2, accelerator: {resource: nvidia.com/gpu.shared}}"),
    ),
    Kind(
        "DS210",
        title="A volume without a source",
        when="The volume has a mount path, but no source.",
        remedy="Give it one of create (a new claim), existingClaim, nfs and emptyDir.",
        example=job("storage: {data: {mountPath: /data}}"),
    ),
    Kind(
        "DS211",
        title="A volume with several sources",
        when="The volume has more than one source, such as create and existingClaim.",
        remedy="Keep one of them.",
        example=job("storage: {data: {mountPath: /data, create: {}, existingClaim: data}}"),
    ),
    Kind(
        "DS212",
        title="A reserved mount path",
        when="dsgen or the system keeps files at this path, and the volume would hide them.",
        remedy="Mount it elsewhere, such as /data.",
        example=job("storage: {data: {mountPath: /job/data, create: {}}}"),
    ),
    Kind(
        "DS213",
        title="A volume at /dev/shm",
        when="dsgen already mounts /dev/shm: it is the shared memory of the pod, which data loaders and NCCL use.",
        remedy="Set its size with workers.sharedMemory.",
        example=job("storage: {shm: {mountPath: /dev/shm, emptyDir: {medium: Memory}}}"),
    ),
    Kind(
        "DS214",
        title="A path that leads out of its volume",
        when="subPath contains .. . Kubernetes refuses such a pod, because it could reach files outside the volume.",
        remedy="Use a path inside the volume.",
        example=job("storage: {data: {mountPath: /data, subPath: ../x, create: {}}}"),
    ),
    Kind(
        "DS215",
        title="A volume that only one node can attach, for several workers",
        when=(
            "A warning: a ReadWriteOnce volume can be attached to one node only. Workers on other nodes would wait for"
            " it forever."
        ),
        remedy="Use ReadWriteMany if the storage class supports it; otherwise keep all workers on one node.",
        example=job(
            "workers: {replicas: 2}", "storage: {data: {mountPath: /data, create: {accessModes: [ReadWriteOnce]}}}"
        ),
    ),
    Kind(
        "DS216",
        title="A volume that only one pod can use, for several pods",
        when=(
            "A ReadWriteOncePod volume can be used by one pod in the whole cluster. Several pods of this job mount it,"
            " and all but one would wait forever."
        ),
        remedy="Use ReadWriteMany, or mountIn: launcher.",
        example=job("storage: {data: {mountPath: /data, mountIn: both, create: {accessModes: [ReadWriteOncePod]}}}"),
    ),
    Kind(
        "DS217",
        title="A claim that nothing provisions",
        when=(
            "A warning: with an empty storageClass no provisioner creates a volume. The claim waits for a matching"
            " PersistentVolume without a class."
        ),
        remedy="Describe the volume in create.persistentVolume, or remove storageClass to use the cluster's default.",
        example=job('storage: {data: {mountPath: /data, create: {storageClass: ""}}}'),
    ),
    Kind(
        "DS218",
        title="ReadWriteOncePod together with other access modes",
        when="Kubernetes refuses a claim that combines ReadWriteOncePod with another access mode.",
        remedy="Keep ReadWriteMany if several pods mount the volume, otherwise ReadWriteOncePod.",
        example=job(
            "storage:",
            "  data: {mountPath: /data, mountIn: launcher, create: {accessModes: [ReadWriteOncePod, ReadWriteMany]}}",
        ),
    ),
    Kind(
        "DS219",
        title="A claim of size 0",
        when="The claim requests 0 bytes, which Kubernetes refuses.",
        remedy="Set storage.NAME.create.size, for example to 100Gi.",
        example=job('storage: {data: {mountPath: /data, create: {size: "0"}}}'),
    ),
    Kind(
        "DS220",
        title="A reserved environment variable",
        when=(
            "dsgen or DeepSpeed sets this variable in every process: RANK, LOCAL_RANK, WORLD_SIZE, and all variables"
            " that begin with MASTER_ or DSGEN_."
        ),
        remedy="Remove it; your program can read the value that is set. To change the port, set launch.masterPort.",
        example=job(training='training: {python: train.py, env: {WORLD_SIZE: "4"}}'),
    ),
    Kind(
        "DS221",
        title="Two DeepSpeed configurations",
        when=(
            "Both training.deepspeed.config (the configuration) and training.deepspeed.configFile (the path of a file"
            " in the image) are set."
        ),
        remedy="Keep one of them.",
        example=job(
            training="training: {python: train.py, deepspeed: {config: {train_batch_size: 8}, configFile: /ds.json}}",
        ),
    ),
    Kind(
        "DS222",
        title="A variable that is not expanded",
        when=(
            "A warning: values in training.env are literal: $PATH or $LD_LIBRARY_PATH is not expanded. The variable"
            " would contain these characters instead of the path of the image."
        ),
        remedy="Set it in training.setup, which is a shell script: export LD_LIBRARY_PATH=/opt/lib:$LD_LIBRARY_PATH.",
        example=job(training='training: {python: train.py, env: {LD_LIBRARY_PATH: "/opt/lib:$LD_LIBRARY_PATH"}}'),
    ),
    Kind(
        "DS223",
        title="A reserved prefix of variables",
        when=(
            "With this prefix, the variables of a ConfigMap or Secret would have names that dsgen or DeepSpeed sets"
            " itself."
        ),
        remedy="Choose another prefix.",
        example=job(training="training: {python: train.py, envFrom: [{prefix: MASTER_, configMapRef: {name: x}}]}"),
    ),
    Kind(
        "DS224",
        title="An argument that is passed already",
        when=(
            "A warning: dsgen passes --deepspeed and --deepspeed_config with the configuration from training.deepspeed."
            " The program would get them twice, and most programs use the last one."
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
            "Autotuning varies an existing DeepSpeed configuration and passes it to the program, so it needs a"
            " configuration to start from."
        ),
        remedy="Set training.deepspeed.config or configFile, and leave passConfig true.",
        example=job(training="training: {python: train.py, deepspeed: {autotuning: tune}}"),
    ),
    Kind(
        "DS226",
        title="A resource that is listed twice, or is not a device",
        when=(
            "network.rdma.resources lists network devices. A resource that is also in workers.resources or"
            " workers.accelerator would be written twice."
        ),
        remedy="List each resource in one place.",
        example=job(
            "network: {rdma: {resources: {rdma/hca: 1}, ipcLock: omit}}",
            "workers: {resources: {limits: {rdma/hca: 1}}}",
        ),
    ),
    Kind(
        "DS227",
        title="Multus networks for pods on the host network",
        when="Pods on the host network use the interfaces of the node, and Multus adds none.",
        remedy="Keep one of network.hostNetwork and network.rdma.networks.",
        example=job(
            "network: {hostNetwork: true, policy: false, rdma: {networks: [sriov]}}",
            "security: {podSecurityLevel: privileged}",
        ),
    ),
    Kind(
        "DS228",
        title="An annotation that dsgen writes from another key",
        when="dsgen writes the annotation with the networks of a pod from network.rdma.networks.",
        remedy="Keep one of them.",
        example=job(
            "network: {rdma: {networks: [sriov]}}",
            "workers: {podAnnotations: {k8s.v1.cni.cncf.io/networks: other}}",
        ),
    ),
    Kind(
        "DS229",
        title="RDMA without locked memory",
        when=(
            "A warning: most RDMA devices need locked memory, for which a container needs the capability IPC_LOCK."
            " dsgen does not request it here, because only the Pod Security level privileged allows it."
        ),
        remedy=(
            "Set security.podSecurityLevel: privileged if the namespace allows it, or network.rdma.ipcLock: omit if the"
            " limits of the nodes are high enough."
        ),
        example=job("network: {rdma: {resources: {rdma/hca: 1}}}"),
    ),
    Kind(
        "DS230",
        title="A reserved label or annotation",
        when="dsgen or Kubernetes writes this label or annotation and uses it to find objects.",
        remedy="Use a key in a domain of your own.",
        example=job("labels: {app.kubernetes.io/name: cifar}"),
    ),
    Kind(
        "DS231",
        title="A duplicate annotation",
        when=(
            "The ServiceAccount gets the annotations of the job and those of serviceAccount.annotations. This one is in"
            " both."
        ),
        remedy="Keep one of them.",
        example=job("annotations: {example.com/a: x}", "serviceAccount: {annotations: {example.com/a: z}}"),
    ),
    Kind(
        "DS232",
        title="A field of the pod that dsgen writes",
        when=(
            "extraPodSpec is for fields of the Kubernetes API that have no key here. dsgen writes this field itself, or"
            " the field would break what dsgen writes."
        ),
        remedy="Use the key for it; `dsgen explain workers` lists the keys.",
        example=job("workers: {extraPodSpec: {restartPolicy: OnFailure}}"),
    ),
    Kind(
        "DS233",
        title="A field of the container that dsgen writes",
        when=(
            "extraContainerSpec is for fields of the Kubernetes API that have no key here. dsgen writes this field"
            " itself."
        ),
        remedy="Use the key for it, for example training.env for env, or storage for volumeMounts.",
        example=job('launcher: {extraContainerSpec: {command: [sleep, "60"]}}'),
    ),
    Kind(
        "DS234",
        title="A container with the name of one of dsgen's containers",
        when="One of your containers has the same name as one of dsgen's containers in the pod.",
        remedy="Choose another name.",
        example=job("workers: {sidecars: [{name: worker, image: x:1}]}"),
    ),
    Kind(
        "DS235",
        title="Two containers with the same name",
        when=(
            "Two containers of a pod have the same name; init containers and sidecars count together. Kubernetes"
            " refuses such a pod."
        ),
        remedy="Give one of them another name.",
        example=job("workers: {initContainers: [{name: a, image: x:1}], sidecars: [{name: a, image: x:1}]}"),
    ),
    Kind(
        "DS236",
        title="A mount of an unknown volume",
        when=(
            "One of your containers mounts a volume that is not in storage. The name in a mount is the key in storage."
        ),
        remedy='Add the volume to storage, with mountPath: "" if only this container mounts it.',
        example=job("workers: {sidecars: [{name: a, image: x:1, volumeMounts: [{name: data, mountPath: /data}]}]}"),
    ),
    Kind(
        "DS237",
        title="Two rules that keep workers apart",
        when="workers.spread becomes a podAntiAffinity, and workers.affinity already has one.",
        remedy="Keep one of them.",
        example=job("workers: {spread: preferred, affinity: {podAntiAffinity: {}}}"),
    ),
    Kind(
        "DS238",
        title="A resource claim that the pod does not have",
        when=(
            "resources.claims refers to a claim of dynamic resource allocation that the pod does not have. Kubernetes"
            " refuses such a pod."
        ),
        remedy="Describe the claim in extraPodSpec.resourceClaims of the same role.",
        example=job("workers: {resources: {claims: [{name: gpus}]}}"),
    ),
    Kind(
        "DS239",
        title="Workers that may connect to the loopback address",
        when=(
            "A warning: the workers use the network of their nodes, and Gloo listens on the address to which the name"
            " of the node resolves. If /etc/hosts of the node maps that name to 127.0.0.1 or 127.0.1.1, or the name"
            " does not resolve, Gloo listens on the loopback interface, and workers on other nodes cannot connect."
        ),
        remedy=(
            "Set the interface in network.socketInterface. If its name differs between nodes, let each node find its"
            " own in training.setup: `export GLOO_SOCKET_IFNAME=$(awk 'NR > 1 && $1 != \"lo\" {print $1; exit}'"
            " /proc/net/route)`."
        ),
        example=job(
            "workers: {replicas: 2}",
            "network: {hostNetwork: true, policy: false}",
            "security: {podSecurityLevel: privileged}",
        ),
    ),
    Kind(
        "DS240",
        title="A Secret that is not used",
        when=(
            "ssh.secret.name is set, but only with ssh.secret.mode: existing does dsgen use a Secret of yours. With"
            " mode: cluster, the key is generated in the cluster."
        ),
        remedy="Set ssh.secret.mode: existing, or remove the name.",
        example=job("ssh: {secret: {name: mine}}"),
    ),
    Kind(
        "DS241",
        title="A Secret name that is taken",
        when=(
            "ssh.secret.mode is existing, and your Secret has the name that dsgen would give to the Secret of the job."
            " If the mode changes later, your Secret is overwritten."
        ),
        remedy="Give your Secret another name.",
        example=job("ssh: {secret: {mode: existing, name: cifar-ssh}}"),
    ),
    Kind(
        "DS242",
        title="Two services on one port",
        when=(
            "The sshd of the workers (ssh.port) and the rendezvous of the ranks (launch.masterPort) would listen on the"
            " same port of worker 0."
        ),
        remedy="Give one of them another port.",
        example=job("ssh: {port: 29500}"),
    ),
    Kind(
        "DS243",
        title="A privileged port",
        when="A warning: unless the container runtime allows it, only root can listen on a port below 1024.",
        remedy="Use port 1024 or higher.",
        example=job(
            "ssh: {port: 222}", "security: {podSecurityLevel: restricted, podSecurityContext: {runAsUser: 1000}}"
        ),
    ),
    Kind(
        "DS244",
        title="The port of the node's own sshd",
        when=(
            "With network.hostNetwork the workers share the ports of their nodes, where port 22 belongs to the node's"
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
        title="A NetworkPolicy without effect",
        when=(
            "A warning: network plugins do not apply a NetworkPolicy to pods on the host network. Everything that"
            " reaches the nodes reaches the workers."
        ),
        remedy="Set network.policy: false, and protect the nodes by other means.",
        example=job("network: {hostNetwork: true}", "security: {podSecurityLevel: privileged}"),
    ),
    Kind(
        "DS246",
        title="Two addresses for one webhook",
        when="The address of the webhook is set both in the file and in a Secret.",
        remedy="Keep one of them.",
        example=job('status: {webhook: {url: "https://example.com/x", secretName: hook}}'),
    ),
    Kind(
        "DS247",
        title="A record that is sent unencrypted",
        when="A warning: the record of the run, including its messages, would be sent unencrypted.",
        remedy="Use an https address.",
        example=job('status: {webhook: {url: "http://example.com/x"}}'),
    ),
    Kind(
        "DS248",
        title="A password in an address",
        when=(
            "The address contains a user name or password. Values files are kept in Git, where every reader would see"
            " it."
        ),
        remedy="Put it into a Secret and refer to the Secret.",
        example=job('status: {webhook: {url: "https://me:secret@example.com/x"}}'),
    ),
    Kind(
        "DS249",
        title="A user that cannot log in",
        when="sshd does not run as root here, so only the user of the container can log in.",
        remedy="Leave ssh.user out.",
        example=job(
            "ssh: {user: root}", "security: {podSecurityLevel: restricted, podSecurityContext: {runAsUser: 1000}}"
        ),
    ),
    Kind(
        "DS250",
        title="An image without a fixed version",
        when=(
            "A warning: without a tag, or with the tag latest, nodes may run different images, and the same run id may"
            " later mean another program."
        ),
        remedy="Use a tag that is never moved, or a digest.",
        example=job(image="{repository: registry.example.com/team/cifar}"),
    ),
    Kind(
        "DS251",
        title="Two volumes at one path",
        when="Two volumes would be mounted at the same path of the same pods, and only one would be visible.",
        remedy=(
            "Change one of the paths, or mount one volume in the workers and the other in the launcher with mountIn."
        ),
        example=job("storage: {a: {mountPath: /data, create: {}}, b: {mountPath: /data, emptyDir: {}}}"),
    ),
    Kind(
        "DS252",
        title="A PersistentVolume without a valid source",
        when="A PersistentVolume needs exactly one source, and a local one also needs nodeAffinity.",
        remedy="Set one of nfs, hostPath, csi and local; add nodeAffinity to local.",
        example=job("storage: {data: {mountPath: /data, create: {persistentVolume: {mountOptions: [ro]}}}}"),
    ),
    Kind(
        "DS253",
        title="Files that are too large",
        when="training.files become a ConfigMap, which can hold 1 MiB including the names of the files.",
        remedy="Put large files into the image or onto a volume.",
    ),
    Kind(
        "DS254",
        title="A mount inside a volume that cannot contain it",
        when=(
            "A volume is mounted inside another one. Kubernetes creates a folder for it there, which is impossible in a"
            " ConfigMap, a Secret or a projected volume. A read-only volume must already contain the folder; that is a"
            " warning."
        ),
        remedy="Mount it at another path.",
        example=job("storage: {a: {mountPath: /data, configMap: {name: x}}, b: {mountPath: /data/b, create: {}}}"),
    ),
    Kind(
        "DS255",
        title="A mount of a volume that the pod does not have",
        when="One of your containers mounts a volume that mountIn keeps out of its pod.",
        remedy="Set mountIn: both, or mount the volume only in pods that have it.",
        example=job(
            "launcher: {sidecars: [{name: a, image: x:1, volumeMounts: [{name: data, mountPath: /data}]}]}",
            "storage: {data: {mountPath: /data, mountIn: workers, create: {}}}",
        ),
    ),
    Kind(
        "DS256",
        title="A request above its limit",
        when=(
            "A container requests more than its limit, which Kubernetes refuses; or a request is auto, which means the"
            " limit, and there is none."
        ),
        remedy="Raise the limit, or lower the request. With auto, or without a request, the limit is the request.",
        example=job('workers: {sharedMemory: "", resources: {requests: {memory: 2Gi}, limits: {memory: 1Gi}}}'),
    ),
    Kind(
        "DS257",
        title="A configuration that is too large",
        when=(
            "One ConfigMap of the run holds training.setup, the arguments, the DeepSpeed configuration and the names"
            " of the workers. Kubernetes allows 1 MiB."
        ),
        remedy=(
            "Move large texts to training.files, which have their own ConfigMap, to the image or to a volume. If the"
            " names of the workers are the largest part, use a shorter job name or fewer workers."
        ),
    ),
    Kind(
        "DS258",
        title="An object that kubectl apply refuses",
        when=(
            "A warning: without --server-side, kubectl apply keeps a copy of each object in an annotation, and all"
            " annotations of an object hold 262144 bytes. That is room for the names of some 7000 workers, or for a"
            ' training.setup of 250000 bytes. The API server refuses more with "metadata.annotations: Too long".'
            " Argo CD applies in the same way unless it is told otherwise; Flux and Helm do not."
        ),
        remedy=(
            "Use kubectl apply --server-side; in Argo CD, set the sync option ServerSideApply=true in the Application."
        ),
        example=job("workers: {replicas: 8000}", "launch: {method: torchrun}"),
    ),
    Kind(
        "DS259",
        title="Devices or huge pages that Kubernetes refuses",
        when=(
            "Devices (resources with a domain, such as example.com/card) and huge pages cannot be overcommitted."
            " Kubernetes refuses a request without a limit or different from the limit, a fraction of a device, huge"
            " pages that are not a multiple of the page size, and huge pages without cpu or memory."
        ),
        remedy="Set whole numbers in limits only; the limit is also the request.",
        example=job("workers: {resources: {requests: {example.com/card: 1}}}"),
    ),
    # DeepSpeed's configuration
    Kind(
        "DS260",
        title="A key that DeepSpeed does not know",
        when=(
            "DeepSpeed does not know this key. At the top level it silently ignores unknown keys, so the training runs"
            " without the setting. In most blocks it refuses them, and every rank fails. A few blocks (such as"
            " optimizer, scheduler, checkpoint and flops_profiler) ignore them, which is a warning. The keys below"
            " params are passed to the class of the optimizer or scheduler, which refuses unknown ones."
        ),
        remedy=(
            "Correct the name; the suggestions are keys of DeepSpeed 0.19.8. Put settings of your own program into"
            " training.args or training.files."
        ),
        example=deepspeed_job("zero_optimisation: {stage: 2}"),
    ),
    Kind(
        "DS261",
        title="A value of the wrong type for DeepSpeed",
        when=(
            "DeepSpeed would fail on this value or misread it: at the top level it does not check types, and the string"
            ' "false" counts as true.'
        ),
        remedy="Use a value of the type that the message names.",
        example=deepspeed_job('gradient_clipping: "1.0"'),
    ),
    Kind(
        "DS262",
        title="A value that DeepSpeed does not accept",
        when=(
            "DeepSpeed does not accept this value, so every rank would fail. An unknown name of an optimizer or"
            " scheduler that resembles no known one is a warning: another version of torch may have it."
        ),
        remedy="Use one of the possible values. Spell torch's optimizers as torch does: SGD, not sgd.",
        example=deepspeed_job("zero_optimization: {stage: 4}"),
    ),
    Kind(
        "DS263",
        title="A key that not all versions of DeepSpeed have",
        when=(
            "Some versions of DeepSpeed accept this key or name, others refuse or ignore it. It is an error if"
            " training.deepspeed.version is set to a version that does not accept it, and a warning if no version is"
            " set. A version that dsgen does not know is checked against its nearest known neighbours, and whatever one"
            " of them accepts is allowed. Old names of keys are reported too."
        ),
        remedy="Remove it, or use its replacement. Set training.deepspeed.version to the version in the image.",
        example=deepspeed_job("sparse_gradients: true"),
    ),
    Kind(
        "DS265",
        title="Batch sizes that do not fit the number of processes",
        when=(
            "train_batch_size equals train_micro_batch_size_per_gpu times gradient_accumulation_steps times the number"
            " of processes, which is workers.replicas times workers.slots. DeepSpeed computes the values that are not"
            " set, and fails if there is no whole number for them. With sequence_parallel_size, DeepSpeed divides the"
            " number of processes by it (from 0.17 on; earlier versions use data_parallel_size); a program that passes"
            " an mpu to deepspeed.initialize may use other sizes, so a smaller batch is only a warning. With a pipeline"
            " or tensor_parallel, only combinations that can never work are reported."
        ),
        remedy="Remove train_batch_size: DeepSpeed computes it, also when the number of workers changes.",
        example=deepspeed_job("gradient_accumulation_steps: 2", "train_batch_size: 64"),
    ),
    Kind(
        "DS266",
        title="Two precisions at once",
        when="fp16 and bf16 are both enabled, which DeepSpeed refuses.",
        remedy="Enable one of them.",
        example=deepspeed_job("fp16: {enabled: true}", "bf16: {enabled: true}"),
    ),
    Kind(
        "DS267",
        title="DeepSpeed settings that conflict",
        when=(
            "DeepSpeed refuses this combination when the training starts. fp16 without devices is a warning, because"
            " recent versions use it if the CPU supports it; for older versions, it is an error."
        ),
        remedy="Change one of the two keys that the message names.",
        example=deepspeed_job("zero_optimization: {stage: 3, offload_param: {device: nvme}}"),
    ),
    Kind(
        "DS268",
        title="A DeepSpeed setting without effect",
        when=(
            "A warning: DeepSpeed accepts this key but ignores it at this ZeRO stage, so the training needs more memory"
            " than intended."
        ),
        remedy="Use the stage that the message names, or leave the key out.",
        example=deepspeed_job("zero_optimization: {stage: 2, offload_param: {device: cpu}}"),
    ),
    Kind(
        "DS269",
        title="A scheduler without its parameters",
        when="DeepSpeed fails on a scheduler without params, or without a parameter that has no default.",
        remedy="Set the parameters. Use params: {} if all of them have defaults.",
        example=deepspeed_job("scheduler: {type: WarmupDecayLR, params: {warmup_num_steps: 100}}"),
    ),
    # how the training is started
    Kind(
        "DS270",
        title="A launch method without its command",
        when="The methods worker-command and launcher-command run launch.command, which is empty.",
        remedy="Set it to a list that begins with the program.",
        example=job("launch: {method: worker-command}", training=""),
    ),
    Kind(
        "DS271",
        title="A command or arguments that the launch method does not use",
        when=(
            "Only the methods worker-command and launcher-command run launch.command; the others run the program"
            " described in training. Only the method openmpi uses launch.mpirunArgs."
        ),
        remedy="Set the method that the message names, or remove the key.",
        example=job("launch: {command: [accelerate, launch, train.py]}"),
    ),
    Kind(
        "DS272",
        title="A program in addition to launch.command",
        when="launch.command is the whole command line, so this setting in training has no effect.",
        remedy="Move it to launch.command.",
        example=job("launch: {method: worker-command, command: [accelerate, launch]}"),
    ),
    Kind(
        "DS273",
        title="A setting that needs ssh",
        when=(
            "The methods torchrun, deepspeed-no-ssh and worker-command do not use ssh: every worker starts its own"
            " processes when the launcher tells it to. The launcher cannot log in to the workers, so it cannot keep"
            " them, test the network or choose among them."
        ),
        remedy="Use launch.method: pdsh or openmpi, or remove the setting.",
        example=job("launch: {method: deepspeed-no-ssh}", "lifecycle: {keepWorkers: failed}"),
    ),
    Kind(
        "DS274",
        title="Autotuning without pdsh",
        when="DeepSpeed's autotuning starts its experiments through pdsh.",
        remedy="Use launch.method: pdsh.",
        example=job(
            "launch: {method: torchrun}",
            training="training: {python: train.py, deepspeed: {autotuning: tune, configFile: /ds.json}}",
        ),
    ),
    Kind(
        "DS275",
        title="A setting that the launch method does not use",
        when="The setting is for DeepSpeed's launcher or for processes that dsgen starts, and this method has neither.",
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
            "pdsh receives the names and slots of all workers as one argument, which Linux limits to 131072 bytes. The"
            " longer the names, the fewer workers fit."
        ),
        remedy="Use launch.method: torchrun, which is limited only by the size of the ConfigMap, about 20000 workers.",
        example=job("workers: {replicas: 900, slots: 64}", "launcher: {resources: {requests: {memory: 8Gi}}}"),
    ),
    Kind(
        "DS277",
        title="Too little memory for the launcher",
        when=(
            "The launcher needs 1 GiB for itself, and about 1.4 MiB (measured) for the ssh session that it keeps to"
            " each worker. With this limit it would be killed."
        ),
        remedy="Raise launcher.resources.limits.memory, or use launch.method: torchrun.",
        example=job("launcher: {resources: {requests: {memory: 512Mi}, limits: {memory: 512Mi}}}"),
    ),
    Kind(
        "DS278",
        title="A small request of memory for the launcher",
        when=(
            "A warning: the launcher needs 1 GiB for itself, and about 1.4 MiB (measured) for the ssh session that it"
            " keeps to each worker. It requests less, so its node may run out of memory."
        ),
        remedy="Raise launcher.resources.requests.memory, or use launch.method: torchrun.",
        example=job("launcher: {resources: {requests: {memory: 512Mi}}}"),
    ),
    Kind(
        "DS279",
        title="More shared memory than memory",
        when=(
            "A warning: files in /dev/shm count as memory of the pod. If the shared memory is larger than the memory"
            " limit, the pod is killed before it can use all of it."
        ),
        remedy="Raise workers.resources.limits.memory, or lower workers.sharedMemory.",
        example=job("workers: {resources: {limits: {memory: 4Gi}}}"),
    ),
    Kind(
        "DS280",
        title="An argument of DeepSpeed's launcher that conflicts with dsgen",
        when=(
            "dsgen passes this option itself, or the option would make the run hang, train with another number of"
            " processes, or end without the launcher noticing."
        ),
        remedy="Use the key that the hint names, or remove the option.",
        example=job(training="training: {python: train.py, deepspeed: {args: [--num_gpus, '1']}}"),
    ),
    Kind(
        "DS281",
        title="An argument that DeepSpeed's launcher does not accept",
        when=(
            "DeepSpeed's launcher has no such option, or the option is ambiguous, lacks its value or takes none. The"
            " launcher would stop with a usage message, or take a word without dashes for the program to start."
        ),
        remedy="Correct the spelling. Put arguments of your own program into training.args.",
        example=job(training="training: {python: train.py, deepspeed: {args: [--learning_rate=1]}}"),
    ),
    Kind(
        "DS282",
        title="Workers or slots that are not in the hostfile",
        when=(
            "--include and --exclude take the names of workers in the hostfile: JOB-RUN-worker-0.JOB-RUN and so on,"
            " where JOB is the name of the job and RUN is run.id. Slots are counted from 0. DeepSpeed's launcher stops"
            " at any other name or slot, or if no slot is left."
        ),
        remedy="Write NAME or NAME:SLOT,SLOT, and separate several of them with @.",
        example=job(training="training: {python: train.py, deepspeed: {args: ['--include=worker-0']}}"),
    ),
    Kind(
        "DS283",
        title="An argument that only some versions of DeepSpeed have",
        when=(
            "DeepSpeed's launcher does not have this option in training.deepspeed.version, and would stop with a usage"
            " message."
        ),
        remedy="Remove the option, or correct the version.",
        example=job(training="training: {python: a.py, deepspeed: {version: '0.16.9', args: [--log_level, debug]}}"),
    ),
    Kind(
        "DS284",
        title="An argument that hides messages",
        when="A warning: with this option DeepSpeed's launcher prints less, which makes failures harder to understand.",
        remedy="Remove it while you look for a problem.",
        example=job(training="training: {python: train.py, deepspeed: {args: [--quiet]}}"),
    ),
    Kind(
        "DS286",
        title="A debug command that is not run",
        when=(
            "A warning: workers run lifecycle.debug.command only while lifecycle.debug.enabled holds back the training."
            " It is false, so the training starts and the command does not."
        ),
        remedy="Set lifecycle.debug.enabled: true, or remove the command.",
        example=job("lifecycle: {debug: {command: [sleep, infinity]}}"),
    ),
    Kind(
        "DS287",
        title="Memory in bytes, or in thousandths of a byte",
        when=(
            "A size of memory or of a volume is less than 1Mi, which is never meant. Kubernetes reads a number without"
            " a unit as bytes, so 64 is 64 bytes, and m as a thousandth, so 500m is half a byte. For"
            " workers.sharedMemory, 0 means no limit."
        ),
        remedy=(
            "Write the unit: 64Gi (1024 x 1024 x 1024 bytes), 500Mi (1024 x 1024 bytes), or G and M for powers of 1000."
            ' For workers.sharedMemory, "" means the small /dev/shm of the container runtime, and unlimited that only'
            " the memory limit of the pod applies."
        ),
        example=job('workers: {sharedMemory: "64"}'),
    ),
    Kind(
        "DS288",
        title="A pattern that is not a regular expression",
        when=(
            "lifecycle.progress.pattern is searched in the output of the training. It must be a regular expression as"
            " Python's module re reads it."
        ),
        remedy="Correct it; python3 -c 'import re; re.compile(...)' shows the same error.",
        example=job("lifecycle: {progress: {pattern: '[(?P<step>[0-9]+)('}}"),
    ),
    # code from Git
    Kind(
        "DS290",
        title="A repository setting without a repository",
        when="A setting of the repository is given, but not its address.",
        remedy="Set code.git.repository, or remove the setting.",
        example=job("code: {git: {revision: main}}"),
    ),
    Kind(
        "DS291",
        title="Code that may change under one run id",
        when=(
            "A warning: branches move, and tags can be moved. A restart, or a worker that starts later, may get another"
            " program under the same run id."
        ),
        remedy="Use the full commit id of 40 characters, as git rev-parse HEAD prints it.",
        example=job('code: {git: {repository: "https://example.com/x.git", revision: main}}'),
    ),
    Kind(
        "DS292",
        title="A repository over ssh without a key",
        when="The repository is cloned over ssh, but no key is set.",
        remedy="Set code.git.secretName to a Secret with the key ssh-privatekey, or use an https address.",
        example=job(
            "code:",
            f'  git: {{repository: "git@example.com:x.git", revision: {COMMIT}, knownHosts: "example.com ssh-rsa AA"}}',
        ),
    ),
    Kind(
        "DS293",
        title="A repository over ssh without known hosts",
        when=(
            "A warning: the repository is cloned over ssh, but code.git.knownHosts does not contain the key of its"
            " host. Unless the Secret has it under known_hosts, cloning fails, because another host could impersonate"
            " it."
        ),
        remedy=(
            "Put the output of ssh-keyscan into code.git.knownHosts, after comparing it with the keys that the host"
            " publishes."
        ),
        example=job(f'code: {{git: {{repository: "git@example.com:x.git", revision: {COMMIT}, secretName: key}}}}'),
    ),
    Kind(
        "DS294",
        title="A password that is sent unencrypted",
        when="A warning: with an http address the password is sent unencrypted.",
        remedy="Use an https address.",
        example=job(f'code: {{git: {{repository: "http://example.com/x.git", revision: {COMMIT}, secretName: key}}}}'),
    ),
    Kind(
        "DS295",
        title="An address or a revision that git does not accept",
        when=(
            "Code is cloned over https, http, ssh or git, and this address uses none of them; or the revision is a"
            " pattern or a range, not a single commit."
        ),
        remedy="Use an address such as https://example.com/team/cifar.git, and a commit id.",
        example=job(f"code: {{git: {{repository: /srv/cifar.git, revision: {COMMIT}}}}}"),
    ),
)
