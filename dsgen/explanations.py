"""What there is to say about each kind of problem beyond its title: the long form of `dsgen explain ID`.

Every id of diagnostics.TITLES has an entry, and its example is a values file that has this problem and no other.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Explanation:
    """when: in which case it appears, and why that is a problem. remedy: what to do. example: text of a values file."""

    when: str
    remedy: str
    example: str = ""


def _job(
    *lines: str,
    name: str = "name: cifar",
    image: str = "{repository: registry.example.com/team/cifar, tag: v3}",
    training: str = "training: {python: train.py}",
) -> str:
    """A values file that is right but for what is given."""
    return "".join(f"{line}\n" for line in (name, "namespace: training", f"image: {image}", training, *lines) if line)


COMMIT = "0123456789abcdef0123456789abcdef01234567"

_READING = {
    "DS001": Explanation(
        "The text does not follow YAML's rules, so it cannot be read from this place on. The place is where YAML gave"
        " up; the mistake is often a few lines above it.",
        "Look at the indentation, and for a quote or a bracket that is not closed. A tab does not indent.",
        "name: cifar\nimage: {repository: registry.example.com/team/cifar, tag: v3\n",
    ),
    "DS002": Explanation(
        "YAML files are UTF-8 text without control characters. Other bytes are read differently by different programs,"
        " or not at all.",
        'Save the file as UTF-8. Write a control character as an escape in double quotes, such as "\\x07".',
        "name: cif\x07ar\n",
    ),
    "DS003": Explanation(
        "A values file is a map of keys, like the values.yaml of a Helm chart. This one is a list, a text or a number.",
        "Write `key: value` lines. Several jobs are several files.",
        "- name: cifar\n- name: mnist\n",
    ),
    "DS004": Explanation(
        "One map has a key twice. Helm would take the last one and say nothing, so the first would be lost.",
        "Remove one of them, or put what stands below both under one key.",
        _job("workers: {replicas: 2}", "workers: {slots: 4}"),
    ),
    "DS005": Explanation(
        "`<<` merges the keys of another map into this one. YAML lets the map's own keys win wherever they stand; Helm"
        " lets a later `<<` override keys before it. Only maps can be merged.",
        "Write `<<` before the keys of the map itself, and name only maps behind it.",
        _job("labels: &team {team: vision}", "annotations: {team: speech, <<: *team}"),
    ),
    "DS006": Explanation(
        "Helm reads one document of a values file, without directives (`%YAML 1.2`). Anything behind a second `---`"
        " would be lost.",
        "Put each document into a file of its own: dsgen takes several FILEs. Remove directives.",
        _job("---", "name: mnist"),
    ),
    "DS007": Explanation(
        "Tags such as `!!int` or `!Ref` say how YAML is to read a value. Helm's versions treat them differently.",
        "Remove the tag. A text is written in quotes.",
        _job('workers: {replicas: !!int "2"}'),
    ),
    "DS008": Explanation(
        "Helm keeps every number as a 64-bit float: no infinity, no not-a-number, and integers are exact up to 2^53."
        " A larger one would arrive as another number.",
        "Put it in quotes if it is meant as a text.",
        _job(training="training: {python: train.py, deepspeed: {config: {seed: 9007199254740993}}}"),
    ),
    "DS009": Explanation(
        "An alias (`*name`) repeats what an anchor (`&name`) before it marks. This one names no anchor, stands inside"
        " what it repeats, or all aliases written out make the file too large.",
        "Mark what is to be repeated with `&name`, before the alias; or write it out.",
        _job("labels: *team"),
    ),
    "DS010": Explanation(
        "Keys become JSON keys, which are texts. A key that is null, a fraction, a list or a map has no text that all"
        " programs agree on; a key that is too long, or has an anchor, is refused by Helm.",
        "Put the key in quotes.",
        _job("labels: {1.5: half}"),
    ),
    "DS011": Explanation(
        "Lists and maps lie in one another more than 100 levels deep. No key of dsgen needs that.",
        "Check the brackets, or the file that made this one.",
        _job("labels: " + "[" * 101 + "]" * 101),
    ),
    "DS012": Explanation(
        "The file ends inside a `|` or `>` text, without a newline. Helm 4 gives the text a newline at its end, Helm 3"
        " does not.",
        "End the file with a newline. For a text without one, write `|-`.",
        _job(training="training:\n  python: train.py\n  setup: |\n    pip install .").rstrip("\n"),
    ),
    "DS013": Explanation(
        "Inside double quotes, `\\/` is an escape of YAML 1.2 and JSON that Helm's parser does not know.",
        "Write / without the backslash.",
        _job('annotations: {example.com/page: "https:\\/\\/example.com"}'),
    ),
    "DS014": Explanation(
        "Inside [] or {}, Helm's parser takes a question mark for the beginning of a key, other parsers for a part of"
        " the text.",
        "Put the text in quotes.",
        _job(training="training: {python: train.py, args: [ready?]}"),
    ),
    "DS015": Explanation(
        "Helm 4 looks at the lines before it reads YAML: one that begins with --- and goes on is an error, even inside"
        " quotes.",
        "Indent the line, or put the key into quotes.",
        "---a: 1\n" + _job(),
    ),
    "DS050": Explanation(
        "A warning: Helm reads this spelling as something that most people do not expect. yes, no, on, off, y and n"
        " are booleans, and 010 is the number 8.",
        "Write true or false, or the number as it is meant; put a text in quotes.",
        _job("network: {policy: yes}"),
    ),
}

_SCHEMA = {
    "DS101": Explanation(
        "This key is not known here. If it were let through, a misspelt key would be ignored and the default used.",
        "Correct the spelling, or move the key to where it belongs; `dsgen explain KEY` lists the keys below another.",
        _job("workers: {replica: 2}"),
    ),
    "DS102": Explanation(
        "The value is not of the type that the key takes: a text in place of a number, a number in place of a text, one"
        " value in place of a list.",
        "Quotes make a text of anything; a number or a boolean has none. `dsgen explain KEY` says what the key takes.",
        _job("workers: {replicas: two}"),
    ),
    "DS103": Explanation(
        "The key takes one of a few words, and this is none of them. Capital letters count.",
        "Choose one of the words in the hint.",
        _job("lifecycle: {keepWorkers: sometimes}"),
    ),
    "DS104": Explanation(
        "The text does not have the form that Kubernetes, or the place where it is used, asks for.",
        "The hint has the form in words.",
        _job("storage: {data: {mountPath: data, create: {}}}"),
    ),
    "DS105": Explanation(
        "The number is smaller or larger than the key allows.",
        "Choose one within the limits; `dsgen explain KEY` has both.",
        _job("workers: {replicas: 0}"),
    ),
    "DS106": Explanation(
        "The key has no value, or null. In Helm null takes a default away, and most keys cannot do without one.",
        "Give it a value, or remove the line to have the default.",
        _job("workers: {slots: }"),
    ),
    "DS107": Explanation(
        "A part in Kubernetes' shape lacks a key without which the API server refuses it.",
        "Add the key that the message names.",
        _job("storage: {data: {mountPath: /data, nfs: {server: nfs.example.com}}}"),
    ),
    "DS108": Explanation(
        "A list or a text is empty where something must be given, or keys are there together of which only one may be.",
        "Keep as many entries as the message says.",
        _job(training="training: {python: train.py, envFrom: [{prefix: TEAM_}]}"),
    ),
    "DS109": Explanation(
        "A name that you choose yourself (of a volume, a label, a variable, a file) cannot have this form: it becomes"
        " part of an object in Kubernetes.",
        "The hint has the form in words.",
        _job("storage: {my-data: {mountPath: /data, create: {}}}"),
    ),
    "DS110": Explanation(
        "run.id may be written as a number, but this spelling is read as another one: 010 is 8, and 1e3 is 1000. The"
        " run would have a name that stands nowhere in the file.",
        "Put it in quotes.",
        _job("run: {id: 1e3}"),
    ),
    "DS111": Explanation(
        "YAML can write this character or key, but Helm 3 stops at it with an error that names no key. U+0000 reaches"
        " the cluster, where no program can be started with it.",
        "Leave the character out, or choose another key.",
        _job('annotations: {example.com/note: "\\x7f"}'),
    ),
}

_CHECKS = {
    "DS201": Explanation(
        "There is no default for the image: it has your program, PyTorch, DeepSpeed, openssh and pdsh.",
        "Set image.repository, and image.tag or image.digest.",
        "name: cifar\nnamespace: training\ntraining: {python: train.py}\nimage: {tag: v3}\n",
    ),
    "DS202": Explanation(
        "Nothing says what is to be trained.",
        "Give one of training.python (a script), training.module (a module) and training.exec (any program).",
        _job(training=""),
    ),
    "DS203": Explanation(
        "More than one of training.python, training.module and training.exec is given, and only one can be started.",
        "Keep one of them.",
        _job(training="training: {python: train.py, module: team.train}"),
    ),
    "DS204": Explanation(
        "The names of pods are made of name, run.id and the worker's number, and Kubernetes allows 63 characters. The"
        " last worker has the longest name.",
        "Shorten the name of the job or run.id.",
        _job(name="name: a-training-with-a-name-that-says-everything-about-its-purpose"),
    ),
    "DS205": Explanation(
        "The name of the job begins the names of all its objects, some of which must be DNS labels. A release of Helm"
        " can have a name that cannot do that, such as one that begins with a digit.",
        "Use lower-case letters, digits and -, a letter first, no - at the end.",
    ),
    "DS206": Explanation(
        "Each training process needs a GPU of its own, and a worker asks for fewer GPUs than it starts processes.",
        "Make workers.slots and workers.accelerator.count equal, or leave count out. count: 0 trains on CPUs.",
        _job("workers: {slots: 4, accelerator: {count: 2}}"),
    ),
    "DS207": Explanation(
        "CUDA shows a process only one MIG slice, so several processes of one pod would all use the same one.",
        "Use workers.slots: 1 and more workers.replicas.",
        _job("workers: {slots: 2, accelerator: {resource: nvidia.com/mig-1g.5gb}}"),
    ),
    "DS208": Explanation(
        "The accelerator stands among the resources too. dsgen writes it from workers.accelerator, so it would be there"
        " twice.",
        "Remove it from workers.resources and set workers.accelerator.count.",
        _job("workers: {resources: {limits: {nvidia.com/gpu: 2}}}"),
    ),
    "DS209": Explanation(
        "A warning: a resource whose name ends in .shared is a share of a GPU, by time or memory. Several shares of"
        " one pod may be of the same GPU, and NCCL refuses two processes on one.",
        "Use workers.slots: 1 and more replicas, or whole GPUs.",
        _job("workers: {slots: 2, accelerator: {resource: nvidia.com/gpu.shared}}"),
    ),
    "DS210": Explanation(
        "A volume says where it is mounted but not what it is.",
        "Give it one of create (a new claim), existingClaim, nfs and emptyDir.",
        _job("storage: {data: {mountPath: /data}}"),
    ),
    "DS211": Explanation(
        "A volume has more than one of create, existingClaim, nfs and emptyDir.",
        "Keep one of them.",
        _job("storage: {data: {mountPath: /data, create: {}, existingClaim: data}}"),
    ),
    "DS212": Explanation(
        "dsgen or the system has files of its own there, which the volume would hide.",
        "Mount it elsewhere, such as /data.",
        _job("storage: {data: {mountPath: /job/data, create: {}}}"),
    ),
    "DS213": Explanation(
        "/dev/shm is the shared memory of the pod, which data loaders and NCCL use and dsgen mounts already.",
        "Set its size with workers.sharedMemory.",
        _job("storage: {shm: {mountPath: /dev/shm, emptyDir: {medium: Memory}}}"),
    ),
    "DS214": Explanation(
        "subPath has a .. in it. Kubernetes refuses such a pod, because it could reach files outside of the volume.",
        "Give a path inside the volume.",
        _job("storage: {data: {mountPath: /data, subPath: ../x, create: {}}}"),
    ),
    "DS215": Explanation(
        "A warning: a ReadWriteOnce volume can be attached to one node only. Workers on other nodes would wait for it.",
        "Use ReadWriteMany where the storage class offers it; otherwise keep all workers on one node.",
        _job("workers: {replicas: 2}", "storage: {data: {mountPath: /data, create: {accessModes: [ReadWriteOnce]}}}"),
    ),
    "DS216": Explanation(
        "A ReadWriteOncePod volume can be used by one pod in the whole cluster, and more than one pod of the job"
        " mounts it: the others would wait for ever.",
        "Use ReadWriteMany, or mountIn: launcher.",
        _job("storage: {data: {mountPath: /data, create: {accessModes: [ReadWriteOncePod]}}}"),
    ),
    "DS217": Explanation(
        "A warning: an empty storageClass means that no provisioner makes a volume. The claim waits for a"
        " PersistentVolume without a class that fits.",
        "Describe the volume in create.persistentVolume, or remove storageClass to have the cluster's default.",
        _job('storage: {data: {mountPath: /data, create: {storageClass: ""}}}'),
    ),
    "DS218": Explanation(
        "ReadWriteOncePod is for one pod alone, so Kubernetes refuses a claim that asks for another access mode too.",
        "Keep ReadWriteMany where several pods mount the volume, else ReadWriteOncePod.",
        _job("storage: {data: {mountIn: launcher, create: {accessModes: [ReadWriteOncePod, ReadWriteMany]}}}"),
    ),
    "DS219": Explanation(
        "A claim asks for a volume of the size 0. Kubernetes refuses it.",
        "Give storage.NAME.create.size, such as 100Gi.",
        _job('storage: {data: {mountPath: /data, create: {size: "0"}}}'),
    ),
    "DS220": Explanation(
        "DeepSpeed or dsgen sets this variable for every process: RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and all"
        " that begin with MASTER_ or DSGEN_.",
        "Leave it out; a program reads it as it is. The port is launch.masterPort.",
        _job(training='training: {python: train.py, env: {WORLD_SIZE: "4"}}'),
    ),
    "DS221": Explanation(
        "training.deepspeed.config (the configuration itself) and configFile (its path in the image) are both given.",
        "Keep one of them.",
        _job(
            training="training: {python: train.py, deepspeed: {config: {train_batch_size: 8}, configFile: /ds.json}}",
        ),
    ),
    "DS222": Explanation(
        "A warning: values in training.env are literal texts, as a dollar sign is written in such a way that"
        " Kubernetes leaves it alone. $PATH or $LD_LIBRARY_PATH in one replaces the image's path by these very"
        " characters.",
        "Set it in training.setup, which is a shell script: export LD_LIBRARY_PATH=/opt/lib:$LD_LIBRARY_PATH.",
        _job(training='training: {python: train.py, env: {LD_LIBRARY_PATH: "/opt/lib:$LD_LIBRARY_PATH"}}'),
    ),
    "DS223": Explanation(
        "With this prefix, the variables of a ConfigMap or Secret would have names that dsgen or DeepSpeed sets.",
        "Choose another prefix.",
        _job(training="training: {python: train.py, envFrom: [{prefix: MASTER_, configMapRef: {name: x}}]}"),
    ),
    "DS224": Explanation(
        "A warning: dsgen passes --deepspeed and --deepspeed_config with the configuration of training.deepspeed, so"
        " they would be there twice, and most programs take the last.",
        "Remove them from training.args, or set training.deepspeed.passConfig: false.",
        _job(
            training="training: {python: a.py, args: [--deepspeed_config, ds.json], deepspeed: {configFile: /ds.json}}"
        ),
    ),
    "DS225": Explanation(
        "Autotuning changes a configuration of DeepSpeed and passes it to the program, so it needs one to begin with.",
        "Give training.deepspeed.config or configFile, and leave passConfig true.",
        _job(training="training: {python: train.py, deepspeed: {autotuning: tune}}"),
    ),
    "DS226": Explanation(
        "network.rdma.resources are devices of the network. What is among workers.resources or workers.accelerator too"
        " would be written twice.",
        "Name each resource in one place.",
        _job(
            "network: {rdma: {resources: {rdma/hca: 1}, ipcLock: omit}}",
            "workers: {resources: {limits: {rdma/hca: 1}}}",
        ),
    ),
    "DS227": Explanation(
        "Pods on the host's network have the node's interfaces and get none from Multus.",
        "Keep one of network.hostNetwork and network.rdma.networks.",
        _job(
            "network: {hostNetwork: true, policy: false, rdma: {networks: [sriov]}}",
            "security: {podSecurityLevel: privileged}",
        ),
    ),
    "DS228": Explanation(
        "The annotation that names the networks of a pod is written from network.rdma.networks.",
        "Keep one of them.",
        _job("network: {rdma: {networks: [sriov]}}", "workers: {podAnnotations: {k8s.v1.cni.cncf.io/networks: other}}"),
    ),
    "DS229": Explanation(
        "A warning: most RDMA devices need locked memory, for which a container needs the capability IPC_LOCK. Only"
        " the Pod Security level privileged allows it, so it is not asked for.",
        "Set security.podSecurityLevel: privileged where the namespace allows it; or network.rdma.ipcLock: omit where"
        " the nodes' limits are high enough without.",
        _job("network: {rdma: {resources: {rdma/hca: 1}}}"),
    ),
    "DS230": Explanation(
        "dsgen or Kubernetes writes this label or annotation, and finds objects by it.",
        "Choose a key of a domain of your own.",
        _job("labels: {app.kubernetes.io/name: cifar}"),
    ),
    "DS231": Explanation(
        "The ServiceAccount has all annotations of the job and serviceAccount.annotations; this one is in both.",
        "Keep one of them.",
        _job("annotations: {example.com/a: x}", "serviceAccount: {annotations: {example.com/a: z}}"),
    ),
    "DS232": Explanation(
        "extraPodSpec is for fields of the Kubernetes API that have no key here. This one dsgen writes itself, or it"
        " would break what dsgen writes.",
        "Use the key for it; `dsgen explain workers` lists them.",
        _job("workers: {extraPodSpec: {restartPolicy: OnFailure}}"),
    ),
    "DS233": Explanation(
        "extraContainerSpec is for fields of the Kubernetes API that have no key here. This one dsgen writes itself.",
        "Use the key for it, such as training.env for env or storage for volumeMounts.",
        _job('launcher: {extraContainerSpec: {command: [sleep, "60"]}}'),
    ),
    "DS234": Explanation(
        "A container of yours has the name of one of dsgen's in the same pod.",
        "Choose another name.",
        _job("workers: {sidecars: [{name: worker, image: x:1}]}"),
    ),
    "DS235": Explanation(
        "Two containers of one pod have the same name, init containers and sidecars together. Kubernetes refuses such"
        " a pod.",
        "Give one of them another name.",
        _job("workers: {initContainers: [{name: a, image: x:1}], sidecars: [{name: a, image: x:1}]}"),
    ),
    "DS236": Explanation(
        "A container of yours mounts a volume that is not in storage. Its name there is the key in storage.",
        'Add the volume to storage, with mountPath: "" when only this container mounts it.',
        _job("workers: {sidecars: [{name: a, image: x:1, volumeMounts: [{name: data, mountPath: /data}]}]}"),
    ),
    "DS237": Explanation(
        "workers.spread becomes a podAntiAffinity, and workers.affinity has one already.",
        "Keep one of them.",
        _job("workers: {spread: preferred, affinity: {podAntiAffinity: {}}}"),
    ),
    "DS238": Explanation(
        "resources.claims names a claim of dynamic resource allocation that the pod does not have. Kubernetes refuses"
        " such a pod.",
        "Say where the claim comes from in extraPodSpec.resourceClaims of the same role.",
        _job("workers: {resources: {claims: [{name: gpus}]}}"),
    ),
    "DS239": Explanation(
        "A warning: the workers are on the network of their nodes, and Gloo listens at the address that the node's own"
        " name leads to. Where /etc/hosts of the node has that name beside 127.0.0.1 or 127.0.1.1, or nothing knows the"
        " name, that is the loopback, and workers on other nodes get no answer.",
        "Name the interface in network.socketInterface. Where nodes name it differently,"
        " `export GLOO_SOCKET_IFNAME=$(awk 'NR > 1 && $1 != \"lo\" {print $1; exit}' /proc/net/route)` in"
        " training.setup lets each find its own.",
        _job(
            "workers: {replicas: 2}",
            "network: {hostNetwork: true, policy: false}",
            "security: {podSecurityLevel: privileged}",
        ),
    ),
    "DS240": Explanation(
        "ssh.secret.name names a Secret of yours, and only ssh.secret.mode: existing uses one. In the mode cluster the"
        " key is made in the cluster.",
        "Set ssh.secret.mode: existing, or remove the name.",
        _job("ssh: {secret: {name: mine}}"),
    ),
    "DS241": Explanation(
        "With ssh.secret.mode: existing, your Secret has the name that the job's own Secret would have. A change of the"
        " mode would then overwrite it.",
        "Give your Secret another name.",
        _job("ssh: {secret: {mode: existing, name: cifar-ssh}}"),
    ),
    "DS242": Explanation(
        "The workers' sshd (ssh.port) and the meeting point of the ranks (launch.masterPort) would listen on one port"
        " of worker 0.",
        "Give one of them another port.",
        _job("ssh: {port: 29500}"),
    ),
    "DS243": Explanation(
        "A warning: where the container runtime does not allow it, a process that is not root cannot listen on a port"
        " below 1024.",
        "Use a port from 1024 on.",
        _job("ssh: {port: 222}", "security: {podSecurityLevel: restricted}"),
    ),
    "DS244": Explanation(
        "With network.hostNetwork the workers share the ports of their nodes, and port 22 is that of the nodes' own"
        " sshd.",
        "Use another port.",
        _job(
            "ssh: {port: 22}", "network: {hostNetwork: true, policy: false}", "security: {podSecurityLevel: privileged}"
        ),
    ),
    "DS245": Explanation(
        "A warning: network plugins do not apply a NetworkPolicy to pods on the host's network. Whoever reaches the"
        " nodes reaches the workers.",
        "Set network.policy: false, and protect the nodes in another way.",
        _job("network: {hostNetwork: true}", "security: {podSecurityLevel: privileged}"),
    ),
    "DS246": Explanation(
        "The address of the webhook is given in the file and in a Secret.",
        "Keep one of them.",
        _job('status: {webhook: {url: "https://example.com/x", secretName: hook}}'),
    ),
    "DS247": Explanation(
        "A warning: the record of the run, with its messages, would be sent as plain text.",
        "Use an https address.",
        _job('status: {webhook: {url: "http://example.com/x"}}'),
    ),
    "DS248": Explanation(
        "The address holds a user name or a password. Values files are kept in Git, where everybody who reads them"
        " would have it.",
        "Put it into a Secret and name that.",
        _job('status: {webhook: {url: "https://me:secret@example.com/x"}}'),
    ),
    "DS249": Explanation(
        "Without root nobody can log in as root: sshd runs as the container's user, and only that one can log in.",
        "Leave ssh.user out.",
        _job("ssh: {user: root}", "security: {podSecurityLevel: restricted}"),
    ),
    "DS250": Explanation(
        "A warning: without a tag, or with the tag latest, nodes may run different images, and the same run id may mean"
        " another program tomorrow.",
        "Give a tag that is never moved, or a digest.",
        _job(image="{repository: registry.example.com/team/cifar}"),
    ),
    "DS251": Explanation(
        "Two volumes would be mounted at one path of the same pods; only one of them could be seen.",
        "Mount one of them elsewhere, or one in workers and the other in the launcher with mountIn.",
        _job("storage: {a: {mountPath: /data, create: {}}, b: {mountPath: /data, emptyDir: {}}}"),
    ),
    "DS252": Explanation(
        "A PersistentVolume has exactly one source, and a local one must say on which node it is.",
        "Give one of nfs, hostPath, csi and local; local with nodeAffinity.",
        _job("storage: {data: {mountPath: /data, create: {persistentVolume: {mountOptions: [ro]}}}}"),
    ),
    "DS253": Explanation(
        "training.files become a ConfigMap, which holds 1 MiB together with the names of the files.",
        "Put large files into the image or onto a volume.",
    ),
    "DS254": Explanation(
        "A volume is mounted below another one. Kubernetes makes a folder for it there, which is not possible in a"
        " ConfigMap, a Secret or a projected volume; in a volume that is mounted read-only the folder must be there"
        " already, which is a warning.",
        "Mount it elsewhere.",
        _job("storage: {a: {mountPath: /data, configMap: {name: x}}, b: {mountPath: /data/b, create: {}}}"),
    ),
    "DS255": Explanation(
        "A container of yours mounts a volume that mountIn keeps out of its pod.",
        "Set mountIn: both, or mount the volume in the other pods.",
        _job(
            "launcher: {sidecars: [{name: a, image: x:1, volumeMounts: [{name: data, mountPath: /data}]}]}",
            "storage: {data: {mountPath: /data, mountIn: workers, create: {}}}",
        ),
    ),
    "DS256": Explanation(
        "A container asks for more than its limit. Kubernetes refuses such a pod.",
        "Raise the limit or lower the request. Without a request, the limit counts as one.",
        _job('workers: {sharedMemory: "", resources: {limits: {memory: 1Gi}}}'),
    ),
    "DS257": Explanation(
        "training.setup, the arguments, the configuration of DeepSpeed and the names of the workers lie in one"
        " ConfigMap of the run, with dsgen's scripts. Kubernetes allows 1 MiB.",
        "Put large texts into training.files, which has a ConfigMap of its own, into the image or onto a volume. Where"
        " the names of the workers are the largest part, use a shorter name of the job, or fewer workers.",
    ),
    "DS258": Explanation(
        "A warning: without --server-side, kubectl apply keeps a copy of each object in an annotation, and all"
        " annotations of an object hold 262144 bytes. The run's ConfigMap has dsgen's scripts, about 200000 bytes as"
        " JSON, so there is room for some 1500 workers with short names, or for a setup of 50000 bytes. The API server"
        ' refuses more with "metadata.annotations: Too long". Argo CD applies in the same way unless it is told'
        " otherwise; Flux and Helm do not.",
        "Use kubectl apply --server-side; in Argo CD, set the sync option ServerSideApply=true in the Application, or"
        " for the job with annotations: {argocd.argoproj.io/sync-options: ServerSideApply=true}.",
        _job("workers: {replicas: 3000}", "launch: {method: torchrun}"),
    ),
    "DS259": Explanation(
        "Devices (names with a domain, such as example.com/card) and huge pages cannot be shared or lent: Kubernetes"
        " refuses a request without a limit or other than the limit, part of a device, and huge pages that are no"
        " multiple of the page, or stand without cpu and memory.",
        "Give them in limits alone, where a limit counts as the request, as whole numbers.",
        _job("workers: {resources: {requests: {example.com/card: 1}}}"),
    ),
}


def _deepspeed(*lines: str) -> str:
    """A values file whose configuration of DeepSpeed is right but for these lines."""
    config = ("train_micro_batch_size_per_gpu: 8", *lines)
    return _job(
        "  python: train.py",
        "  deepspeed:",
        "    config:",
        *(f"      {line}" for line in config),
        "workers: {replicas: 2}",
        training="training:",
    )


_DEEPSPEED = {
    "DS260": Explanation(
        "DeepSpeed does not know the key. It reads what it knows and says nothing about other keys at the top: the"
        " training runs, without what was meant. In most blocks it refuses other keys, and every rank fails. In the few"
        " that it reads by hand (optimizer, scheduler, checkpoint, flops_profiler and the like) they are ignored, which"
        " is a warning. What stands below params goes to the optimizer's or scheduler's class, which refuses others.",
        "Correct the name; `possible` and `did you mean` name keys of DeepSpeed 0.19.8. Settings of your own program"
        " belong into training.args or training.files.",
        _deepspeed("zero_optimisation: {stage: 2}"),
    ),
    "DS261": Explanation(
        "DeepSpeed would fail on the value, or read another one: at the top it does not check types, where the text"
        ' "false" counts as true.',
        "Write a value of the type that the message names.",
        _deepspeed('gradient_clipping: "1.0"'),
    ),
    "DS262": Explanation(
        "The value is not one of those that DeepSpeed takes, or out of range, so every rank would fail. For a name of"
        " an optimizer or a scheduler that looks like no other it is a warning: another version of torch may have it.",
        "Use one of the possible values. Names of torch's optimizers are written as in torch: SGD, not sgd.",
        _deepspeed("zero_optimization: {stage: 4}"),
    ),
    "DS263": Explanation(
        "Some versions of DeepSpeed take the key or the name, others refuse or ignore it. With"
        " training.deepspeed.version it is an error where that version does not take it; without, it is a warning, as"
        " the version in the image is not known here. A version without a table of its own is held against its"
        " neighbours: what one of them takes is let through. Old names of keys are told too.",
        "Leave it out or use what replaces it. Set training.deepspeed.version to the version in the image.",
        _deepspeed("sparse_gradients: true"),
    ),
    "DS265": Explanation(
        "train_batch_size is train_micro_batch_size_per_gpu times gradient_accumulation_steps times the number of"
        " processes, workers.replicas x workers.slots. DeepSpeed computes one or two that are not given, and fails when"
        " there are no whole numbers for them. Where the configuration says that several processes share one copy of"
        " the model (pipeline, tensor_parallel, sequence_parallel_size), only what cannot be right at all is told.",
        "Leave train_batch_size out: DeepSpeed computes it, also when the number of workers changes.",
        _deepspeed("gradient_accumulation_steps: 2", "train_batch_size: 64"),
    ),
    "DS266": Explanation(
        "fp16 and bf16 are both enabled. DeepSpeed refuses that.",
        "Enable one of them.",
        _deepspeed("fp16: {enabled: true}", "bf16: {enabled: true}"),
    ),
    "DS267": Explanation(
        "DeepSpeed refuses this combination when the training starts. fp16 without devices is a warning, except in old"
        " versions: newer ones ask the CPU whether it has the instructions.",
        "Change one of the two keys that the message names.",
        _deepspeed("zero_optimization: {stage: 3, offload_param: {device: nvme}}"),
    ),
    "DS268": Explanation(
        "A warning: DeepSpeed takes the key and does nothing with it at this stage of ZeRO, so that the training needs"
        " more memory than was meant.",
        "Use the stage that the message names, or leave the key out.",
        _deepspeed("zero_optimization: {stage: 2, offload_param: {device: cpu}}"),
    ),
    "DS269": Explanation(
        "DeepSpeed fails on a scheduler without params, and on one whose parameters without a default are not there.",
        "Give them; params: {} where all have a default.",
        _deepspeed("scheduler: {type: WarmupDecayLR, params: {warmup_num_steps: 100}}"),
    ),
}

_LAUNCH = {
    "DS270": Explanation(
        "The methods worker-command and launcher-command start launch.command, which is empty.",
        "Give it as a list, the program first.",
        _job("launch: {method: worker-command}", training=""),
    ),
    "DS271": Explanation(
        "launch.command is started by the methods worker-command and launcher-command alone; the others start what"
        " training describes.",
        "Set launch.method: worker-command or launcher-command, or remove the command.",
        _job("launch: {command: [accelerate, launch, train.py]}"),
    ),
    "DS272": Explanation(
        "launch.command is the whole command line. What training says about the program would not be used.",
        "Write it into launch.command, and remove it from training.",
        _job("launch: {method: worker-command, command: [accelerate, launch]}"),
    ),
    "DS273": Explanation(
        "The methods torchrun, deepspeed-no-ssh and worker-command use no ssh: every worker starts its own processes,"
        " and the launcher only watches. So it cannot start them again, keep workers, test the network or replace a"
        " worker.",
        "Use launch.method: pdsh or openmpi, or remove the setting. torchrun can restart by itself.",
        _job("launch: {method: deepspeed-no-ssh}", "lifecycle: {maxRestarts: 1}"),
    ),
    "DS274": Explanation(
        "DeepSpeed's autotuning starts one experiment after another through pdsh.",
        "Use launch.method: pdsh.",
        _job(
            "launch: {method: torchrun}",
            training="training: {python: train.py, deepspeed: {autotuning: tune, configFile: /ds.json}}",
        ),
    ),
    "DS275": Explanation(
        "The setting is for the launcher of DeepSpeed, or for processes that dsgen starts, and with this method"
        " neither is there.",
        "Remove it, or choose another launch.method.",
        _job(
            "launch: {method: torchrun}", training="training: {python: train.py, deepspeed: {args: [--no_ssh_check]}}"
        ),
    ),
    "DS276": Explanation(
        "pdsh gets the names and slots of all workers as one argument, of which Linux takes 131072 bytes. Longer names"
        " leave room for fewer workers.",
        "Use launch.method: torchrun, where only the ConfigMap with the names has a limit, some 20000 workers.",
        _job("workers: {replicas: 900, slots: 64}", "launcher: {resources: {requests: {memory: 8Gi}}}"),
    ),
    "DS277": Explanation(
        "The launcher holds an ssh session for each worker, 1.4 MiB each as measured, beside 1 GiB for itself. With"
        " this limit it would be killed.",
        "Raise launcher.resources.limits.memory, or use launch.method: torchrun.",
        _job("launcher: {resources: {requests: {memory: 512Mi}, limits: {memory: 512Mi}}}"),
    ),
    "DS278": Explanation(
        "A warning: the launcher holds an ssh session for each worker, 1.4 MiB each as measured, beside 1 GiB for"
        " itself. It asks for less, so its node may run out of memory.",
        "Raise launcher.resources.requests.memory, or use launch.method: torchrun.",
        _job("launcher: {resources: {requests: {memory: 512Mi}}}"),
    ),
    "DS279": Explanation(
        "A warning: files in /dev/shm count as memory of the pod, so shared memory that is larger than the limit can"
        " never be used: the pod is killed before.",
        "Raise workers.resources.limits.memory, or lower workers.sharedMemory.",
        _job("workers: {resources: {limits: {memory: 4Gi}}}"),
    ),
    "DS280": Explanation(
        "dsgen passes this option to deepspeed itself, or the run would hang, train with another number of processes,"
        " or end without the launcher's noticing.",
        "Use the key that the hint names, or remove the option.",
        _job(training="training: {python: train.py, deepspeed: {args: [--num_gpus, '1']}}"),
    ),
    "DS281": Explanation(
        "deepspeed has no such option, or several begin like this, or it takes no value, another one, or needs one. It"
        " would stop with a message about its usage, or take a word without dashes for the program to start.",
        "Correct the spelling. Arguments of your own program belong into training.args.",
        _job(training="training: {python: train.py, deepspeed: {args: [--learning_rate=1]}}"),
    ),
    "DS282": Explanation(
        "--include and --exclude name workers as they stand in the hostfile, RUN-worker-0.RUN and so on, with RUN being"
        " the name of the job, - and run.id; slots count from 0 on. deepspeed stops at any other name or slot, and when"
        " nothing is left to train on.",
        "Write NAME or NAME:SLOT,SLOT, several of them joined by @.",
        _job(training="training: {python: train.py, deepspeed: {args: ['--include=worker-0']}}"),
    ),
    "DS283": Explanation(
        "The version of DeepSpeed in training.deepspeed.version does not have this option, and would stop with a"
        " message about its usage.",
        "Leave the option out, or correct the version.",
        _job(training="training: {python: a.py, deepspeed: {version: '0.16.9', args: [--log_level, debug]}}"),
    ),
    "DS284": Explanation(
        "A warning: with this option DeepSpeed's launcher says less, so that a failure is harder to understand.",
        "Leave it out while you look for a mistake.",
        _job(training="training: {python: train.py, deepspeed: {args: [--quiet]}}"),
    ),
    "DS290": Explanation(
        "Something about the repository is given, and its address is not.",
        "Give code.git.repository, or remove the rest.",
        _job("code: {git: {revision: main}}"),
    ),
    "DS291": Explanation(
        "A warning: a branch moves, and a tag can be moved. A worker that starts later, or a restart, may get another"
        " program under the same run id.",
        "Give the whole id of a commit, 40 characters, as git rev-parse HEAD prints it.",
        _job('code: {git: {repository: "https://example.com/x.git", revision: main}}'),
    ),
    "DS292": Explanation(
        "The repository is reached over ssh, and there is no key to log in with.",
        "Name a Secret with the key ssh-privatekey in code.git.secretName, or use an https address.",
        _job(
            "code:",
            f'  git: {{repository: "git@example.com:x.git", revision: {COMMIT}, knownHosts: "example.com ssh-rsa AA"}}',
        ),
    ),
    "DS293": Explanation(
        "A warning: the repository is reached over ssh, and code.git.knownHosts does not say which key its host has."
        " Unless the Secret has that under known_hosts, nothing is cloned: another host could pretend to be it.",
        "Give the lines that ssh-keyscan prints in code.git.knownHosts, after comparing them with what the host"
        " publishes.",
        _job(f'code: {{git: {{repository: "git@example.com:x.git", revision: {COMMIT}, secretName: key}}}}'),
    ),
    "DS294": Explanation(
        "A warning: with an http address the password goes over the network as plain text.",
        "Use an https address.",
        _job(f'code: {{git: {{repository: "http://example.com/x.git", revision: {COMMIT}, secretName: key}}}}'),
    ),
    "DS295": Explanation(
        "The code is cloned over https, http, ssh or git, and this is no such address; or the revision is a pattern"
        " or a range, which names no single commit.",
        "Write an address such as https://example.com/team/cifar.git, and the id of a commit.",
        _job(f"code: {{git: {{repository: /srv/cifar.git, revision: {COMMIT}}}}}"),
    ),
    "DS286": Explanation(
        "A warning: lifecycle.debug.command is what workers do instead of nothing while lifecycle.debug.enabled holds"
        " the training back. It is false, so the training starts and the command does not.",
        "Set lifecycle.debug.enabled: true, or remove the command.",
        _job("lifecycle: {debug: {command: [sleep, infinity]}}"),
    ),
    "DS287": Explanation(
        "workers.sharedMemory is the size limit of a volume in memory. The size 0 means no limit there, and m is a"
        " thousandth, so that 500m is half a byte.",
        'Write 500M or 500Mi; "" for the small /dev/shm of the container runtime, unlimited for no limit but the'
        " pod's.",
        _job("workers: {sharedMemory: 500m}"),
    ),
}

_SCHEDULING = {
    "DS300": Explanation(
        "Workers and launcher wait in one queue. Two runs can then each hold what the other one waits for, the workers"
        " of one and the launcher of the other, and block each other for ever.",
        "Give the launcher a queue with a quota of its own, or leave launcherQueue out: most clusters let a Job"
        " without a queue start.",
        _job("scheduling: {queue: team, launcherQueue: team}"),
    ),
    "DS301": Explanation(
        "scheduling.launcherQueue is for clusters where Kueue holds every Job without a queue; there the workers need"
        " one too. With gang: volcano the queue is one of Volcano's.",
        "Set scheduling.queue, or remove launcherQueue.",
        _job("scheduling: {launcherQueue: small}"),
    ),
    "DS302": Explanation(
        "scheduling.priorityClass is the priority in a queue: a WorkloadPriorityClass of Kueue, or the class of"
        " Volcano's PodGroup.",
        "Set scheduling.queue, or use workers.priorityClassName.",
        _job("scheduling: {priorityClass: high}"),
    ),
    "DS303": Explanation(
        "The workers must be within one domain, or should be; Kueue refuses both at once.",
        "Keep one of scheduling.topology.required and preferred.",
        _job("scheduling: {topology: {required: zone, preferred: rack}}"),
    ),
    "DS304": Explanation(
        "Without a queue, scheduling.topology becomes a podAffinity of the workers, and workers.affinity has one"
        " already.",
        "Keep one of them.",
        _job(
            "scheduling: {topology: {preferred: topology.kubernetes.io/zone}}", "workers: {affinity: {podAffinity: {}}}"
        ),
    ),
    "DS305": Explanation(
        "Every worker must have a node of its own, and all workers must be on one node. With network.hostNetwork"
        " workers take ports of their nodes, so that no two of them fit on one.",
        "Use another topology key, or workers.spread: none, or leave network.hostNetwork out.",
        _job("scheduling: {topology: {required: kubernetes.io/hostname}}", "workers: {replicas: 2, spread: required}"),
    ),
    "DS306": Explanation(
        "A warning: Kueue admits a Job when the ClusterQueue covers every resource that it asks for. With one that is"
        " not covered it is pending for ever, and only its Workload says why.",
        "Look whether spec.resourceGroups of the ClusterQueue has the resource. Kueue's configuration can leave"
        " resources out by prefix.",
        _job("scheduling: {queue: team}", "network: {rdma: {resources: {rdma/hca: 1}, ipcLock: omit}}"),
    ),
    "DS307": Explanation(
        "A warning: Kueue adds the tolerations of the flavor to the Job. Where both have some, a later change by a"
        " GitOps tool or by Helm fails, unless they are equal and none has tolerationSeconds.",
        "Leave the tolerations out where the flavor has them; keep them where the flavor has taints and no"
        " tolerations.",
        _job("scheduling: {queue: team}", "workers: {tolerations: [{key: nvidia.com/gpu, operator: Exists}]}"),
    ),
    "DS308": Explanation(
        "A warning: Kueue compares node selectors and affinity with the labels of its flavors alone. Other labels, and"
        " what is only preferred, are ignored for admission: the Job holds its quota while its pods wait for a node.",
        "Let the queue choose the nodes, or add the labels to a ResourceFlavor.",
        _job("scheduling: {queue: team}", "workers: {nodeSelector: {pool: a100}}"),
    ),
    "DS309": Explanation(
        "With a queue, Kueue suspends the Job of the workers and resumes it. A value from the file would be"
        " overwritten, or fight with Kueue.",
        "Remove lifecycle.suspend. To pause one run, set spec.active: false in its Workload.",
        _job("scheduling: {queue: team}", "lifecycle: {suspend: true}"),
    ),
    "DS310": Explanation(
        "The default scheduler ignores pod groups, so the workers would not start together.",
        "Name the scheduler that knows them, or leave workers.schedulerName out.",
        _job("scheduling: {gang: volcano}", "workers: {schedulerName: default-scheduler}"),
    ),
}

_SECURITY = {
    "DS320": Explanation(
        "A container gets a capability beyond the usual ones; at the level restricted only NET_BIND_SERVICE may be"
        " added. The Pod Security level that security.podSecurityLevel declares does not allow it, and a namespace"
        " that enforces the level refuses the pods.",
        "Remove it, or declare the level privileged where the namespace allows that.",
        _job("workers: {securityContext: {capabilities: {add: [SYS_ADMIN]}}}"),
    ),
    "DS321": Explanation(
        "A privileged container has all rights of the node. The Pod Security level that security.podSecurityLevel"
        " declares does not allow it, and a namespace that enforces the level refuses the pods.",
        "Remove it, or declare the level privileged where the namespace allows that.",
        _job("workers: {securityContext: {privileged: true}}"),
    ),
    "DS322": Explanation(
        "The pods would use the network, the processes or the shared memory of the node. The Pod Security level that"
        " security.podSecurityLevel declares does not allow it, and a namespace that enforces the level refuses the"
        " pods.",
        "Remove it, or declare the level privileged where the namespace allows that.",
        _job("network: {hostNetwork: true, policy: false}"),
    ),
    "DS344": Explanation(
        "With shareProcessNamespace the containers of a pod see each other's processes, with hostPID those of the whole"
        " node, and through /proc/PID/root their files. The status sidecar holds a token of the Kubernetes API, the"
        " keygen container the ssh key, and neither is for the code that trains.",
        "Remove it. Inside one container nothing changes: py-spy and debuggers see what runs there.",
        _job("launcher: {extraPodSpec: {shareProcessNamespace: true}}"),
    ),
    "DS323": Explanation(
        "A hostPath volume is a folder of the node. The Pod Security level that security.podSecurityLevel declares"
        " does not allow it, and a namespace that enforces the level refuses the pods.",
        "Use another source, or declare the level privileged where the namespace allows that. A PersistentVolume with"
        " a hostPath is allowed.",
        _job("storage: {data: {mountPath: /data, hostPath: {path: /data}}}"),
    ),
    "DS324": Explanation(
        "A container takes a port of the node. The Pod Security level that security.podSecurityLevel declares does not"
        " allow it, and a namespace that enforces the level refuses the pods.",
        "Leave hostPort out: pods reach one another without.",
        _job("workers: {sidecars: [{name: a, image: x:1, ports: [{containerPort: 80, hostPort: 80}]}]}"),
    ),
    "DS325": Explanation(
        "A container sees more of /proc than usual. The Pod Security level that security.podSecurityLevel declares"
        " does not allow it, and a namespace that enforces the level refuses the pods.",
        "Leave procMount out.",
        _job("workers: {securityContext: {procMount: Unmasked}}"),
    ),
    "DS326": Explanation(
        "A user, a role or a type of SELinux is set that is not one of the usual ones for containers. The Pod Security"
        " level that security.podSecurityLevel declares does not allow it, and a namespace that enforces the level"
        " refuses the pods.",
        "Leave user and role out; the type may be container_t, container_init_t, container_kvm_t or"
        " container_engine_t.",
        _job("security: {podSecurityContext: {seLinuxOptions: {type: spc_t}}}"),
    ),
    "DS327": Explanation(
        "seccomp is switched off. The Pod Security level that security.podSecurityLevel declares does not allow it,"
        " and a namespace that enforces the level refuses the pods.",
        "Use RuntimeDefault or Localhost.",
        _job("security: {podSecurityContext: {seccompProfile: {type: Unconfined}}}"),
    ),
    "DS328": Explanation(
        "A setting of the kernel is changed that is not one of the safe ones. The Pod Security level that"
        " security.podSecurityLevel declares does not allow it, and a namespace that enforces the level refuses the"
        " pods.",
        "Leave it out: set it on the nodes, or declare the level privileged where the namespace allows that.",
        _job('security: {podSecurityContext: {sysctls: [{name: net.core.somaxconn, value: "1024"}]}}'),
    ),
    "DS329": Explanation(
        "AppArmor is switched off, by a field or by an annotation. The Pod Security level that"
        " security.podSecurityLevel declares does not allow it, and a namespace that enforces the level refuses the"
        " pods.",
        "Use the profile of the container runtime or one of the node's.",
        _job("workers: {securityContext: {appArmorProfile: {type: Unconfined}}}"),
    ),
    "DS330": Explanation(
        "A process of the host, on Windows. The Pod Security level that security.podSecurityLevel declares does not"
        " allow it, and a namespace that enforces the level refuses the pods.",
        "Leave windowsOptions out: the workers run on Linux.",
        _job("security: {podSecurityContext: {windowsOptions: {hostProcess: true}}}"),
    ),
    "DS331": Explanation(
        "At the level restricted a pod may use claims, ConfigMaps, Secrets, emptyDir, ephemeral, csi and projected"
        " volumes, and no others. The Pod Security level that security.podSecurityLevel declares does not allow it,"
        " and a namespace that enforces the level refuses the pods.",
        "Use a claim: create with persistentVolume.nfs makes one for an NFS server.",
        _job(
            "storage: {data: {mountPath: /data, nfs: {server: nfs.example.com, path: /}}}",
            "security: {podSecurityLevel: restricted}",
        ),
    ),
    "DS332": Explanation(
        "At the level restricted every container must say allowPrivilegeEscalation: false. dsgen writes it into its"
        " own. The Pod Security level that security.podSecurityLevel declares does not allow it, and a namespace that"
        " enforces the level refuses the pods.",
        "Set it in the container's securityContext.",
        _job(
            "workers: {securityContext: {allowPrivilegeEscalation: true}}", "security: {podSecurityLevel: restricted}"
        ),
    ),
    "DS333": Explanation(
        "At the level restricted no container may run as root. dsgen writes runAsNonRoot: true into the pod. The Pod"
        " Security level that security.podSecurityLevel declares does not allow it, and a namespace that enforces the"
        " level refuses the pods.",
        "Remove runAsNonRoot: false, and give runAsUser where the image has root as its user.",
        _job("workers: {securityContext: {runAsNonRoot: false}}", "security: {podSecurityLevel: restricted}"),
    ),
    "DS334": Explanation(
        "At the level restricted no container may run as the user 0. The Pod Security level that"
        " security.podSecurityLevel declares does not allow it, and a namespace that enforces the level refuses the"
        " pods.",
        "Give another user.",
        _job("security: {podSecurityLevel: restricted, podSecurityContext: {runAsUser: 0}}"),
    ),
    "DS335": Explanation(
        "At the level restricted every container must drop all capabilities. dsgen writes it into its own; a list of"
        " yours replaces that one. The Pod Security level that security.podSecurityLevel declares does not allow it,"
        " and a namespace that enforces the level refuses the pods.",
        "Set capabilities: {drop: [ALL]} in the container's securityContext.",
        _job(
            "workers: {securityContext: {capabilities: {drop: [NET_RAW]}}}", "security: {podSecurityLevel: restricted}"
        ),
    ),
    "DS336": Explanation(
        "A probe or a hook with a host could reach other machines from the node. The Pod Security level that"
        " security.podSecurityLevel declares does not allow it, and a namespace that enforces the level refuses the"
        " pods.",
        "Leave host out.",
        _job("workers: {sidecars: [{name: a, image: x:1, livenessProbe: {httpGet: {port: 80, host: example.com}}}]}"),
    ),
    "DS337": Explanation(
        "With network.hostNetwork the workers use the network of the node, and a pod may not change its settings."
        " Kubernetes refuses such a pod.",
        "Set it on the nodes, or leave out network.hostNetwork.",
        _job(
            "network: {hostNetwork: true, policy: false}",
            "security:",
            "  podSecurityLevel: privileged",
            '  podSecurityContext: {sysctls: [{name: net.ipv4.tcp_syncookies, value: "1"}]}',
        ),
    ),
    "DS338": Explanation(
        "dsgen writes sidecars as init containers with restartPolicy: Always. With another one it is an ordinary init"
        " container, for whose end everything else waits. For init containers, Never and OnFailure are a warning:"
        " Kubernetes takes them from 1.35 on, and 1.34 with the feature gate ContainerRestartRules.",
        "Leave restartPolicy out.",
        _job("workers: {sidecars: [{name: logs, image: x:1, restartPolicy: Never}]}"),
    ),
    "DS339": Explanation(
        "Kubernetes refuses the pod: operator Exists takes no value, every other operator needs a key, and"
        " tolerationSeconds is for the effect NoExecute alone.",
        "Correct the toleration. {operator: Exists} alone tolerates every taint.",
        _job("workers: {tolerations: [{key: nvidia.com/gpu, operator: Exists, value: present}]}"),
    ),
}

_AFTERWARDS = {
    "DS340": Explanation(
        "TensorBoard's Service has the name of the job with -tensorboard behind it, and the name of a Service may have"
        " 63 characters.",
        "Shorten the name of the job to 51 characters.",
        _job(
            "monitoring: {tensorboard: {enabled: true, logDir: /data/runs}}",
            "storage: {data: {mountPath: /data, create: {}}}",
            name="name: a-training-with-a-name-that-says-nearly-everything-1",
        ),
    ),
    "DS341": Explanation(
        "TensorBoard is to run, and nothing says where the events of the training lie.",
        "Give monitoring.tensorboard.logDir, a folder on a volume of storage.",
        _job("monitoring: {tensorboard: {enabled: true}}"),
    ),
    "DS342": Explanation(
        "TensorBoard runs in a pod of its own and sees only volumes that several pods can mount. The folder is on no"
        " volume, or on one of which every pod has its own.",
        "Let the training write its events to a volume such as a claim, and name a folder on it.",
        _job("monitoring: {tensorboard: {enabled: true, logDir: /tmp/runs}}"),
    ),
    "DS343": Explanation(
        "The Service of a run is named after the job and the run's id, that of TensorBoard after the job and the word"
        " tensorboard. With this id both have one name.",
        "Choose another run.id.",
        _job(
            "run: {id: tensorboard}",
            "monitoring: {tensorboard: {enabled: true, logDir: /data/runs}}",
            "storage: {data: {mountPath: /data, create: {}}}",
        ),
    ),
    "DS350": Explanation(
        "A warning: Kubernetes deletes the Jobs some time after their end. Argo CD and Flux see objects missing that"
        " are in Git, and create them again; the run does not start again, but it is created and deleted for ever.",
        "Leave lifecycle.ttlSecondsAfterFinished out there. A new run id removes the objects of the old run.",
        _job("lifecycle: {ttlSecondsAfterFinished: 3600}"),
    ),
    "DS351": Explanation(
        "A warning: restartExitCodes says which failures are worth a restart, and maxRestarts is 0.",
        "Set lifecycle.maxRestarts, or remove the codes.",
        _job("lifecycle: {restartExitCodes: [3]}"),
    ),
}

_COMMAND_LINE = {
    "DS901": Explanation(
        "Manifests need a name and a namespace. In a chart the release gives what the values leave open.",
        "Write name and namespace into the file, or give --name and -n.",
        "name: cifar\nimage: {repository: registry.example.com/team/cifar, tag: v3}\ntraining: {python: train.py}\n",
    ),
    "DS902": Explanation(
        "Two FILEs of one call are the same job: their objects would have the same names, and the later ones would"
        " overwrite the others.",
        "Give one of them another name or namespace. To change a job for one place, lay a file over it with -f.",
    ),
}

EXPLANATIONS = (
    _READING | _SCHEMA | _CHECKS | _DEEPSPEED | _LAUNCH | _SCHEDULING | _SECURITY | _AFTERWARDS | _COMMAND_LINE
)
