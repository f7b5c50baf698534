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
        "YAML can write this character or key, but Helm 3 stops at it with an error that names no key.",
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
        " is a warning.",
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
        "A warning: some versions of DeepSpeed take the key or the name, others refuse or ignore it; which version is"
        " in the image is not known here. Old names of keys are told too.",
        "Leave it out or use what replaces it, if the image has a version without it.",
        _deepspeed("sparse_gradients: true"),
    ),
    "DS264": Explanation(
        'A warning: "auto" is for the Trainer of Hugging Face, and for accelerate, which put their own values there.'
        " DeepSpeed itself fails on it at the top, and takes its default inside blocks.",
        "Give the values, unless the program is one of Hugging Face's.",
        _deepspeed("gradient_clipping: auto"),
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
        "DeepSpeed refuses this combination when the training starts.",
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

EXPLANATIONS = _READING | _SCHEMA | _CHECKS | _DEEPSPEED | _COMMAND_LINE
