"""What `dsgen explain` says about each problem.

Written by `make generate` from the files of rules in the packages of dsgen; changes are lost.
"""

RULES = \
{'DS001': {'title': 'The file is not YAML',
           'when': 'The text is not valid YAML, so nothing after this place can be read. The parser stopped here; the '
                   'mistake is often a few lines above.',
           'remedy': 'Check the indentation, and look for a quote or bracket that is not closed. Tabs cannot be used '
                     'for indentation.',
           'example': 'name: cifar\nimage: {repository: registry.example.com/team/cifar, tag: v3\n'},
 'DS002': {'title': 'A character that YAML does not allow, or bytes that are not UTF-8',
           'when': 'YAML files are UTF-8 text without control characters. Programs read other bytes differently, or '
                   'not at all.',
           'remedy': 'Save the file as UTF-8. Write a control character as an escape in double quotes, such as '
                     '"\\x07".',
           'example': 'name: cif\x07ar\n'},
 'DS003': {'title': 'The file is not a map of keys',
           'when': 'A values file is a map of keys, like the values.yaml of a Helm chart. This file contains a list, a '
                   'string or a number.',
           'remedy': 'Write `key: value` lines. Put each job into its own file.',
           'example': '- name: cifar\n- name: mnist\n'},
 'DS004': {'title': 'A duplicate key',
           'when': 'A map has the same key twice. Helm silently takes the last one, so the first would be lost.',
           'remedy': 'Remove one of them, or put the contents of both under one key.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {replicas: 2}\n'
                      'workers: {slots: 4}\n'},
 'DS005': {'title': 'A merge (<<) that Helm reads differently from YAML, or that refers to something other than a map',
           'when': "`<<` merges the keys of another map into this one. In YAML the map's own keys always win; in Helm "
                   'a later `<<` overrides the keys before it. Only maps can be merged.',
           'remedy': "Write `<<` before the map's own keys, and refer only to maps.",
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'labels: &team {team: vision}\n'
                      'annotations: {team: speech, <<: *team}\n'},
 'DS006': {'title': 'More than one document, or a directive',
           'when': 'Helm reads one document from a values file, and no directives (`%YAML 1.2`). Everything after a '
                   'second `---` would be lost.',
           'remedy': 'Put each document into its own file: dsgen takes several FILEs. Remove directives.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      '---\n'
                      'name: mnist\n'},
 'DS007': {'title': 'A tag',
           'when': "Tags such as `!!int` or `!Ref` tell YAML how to read a value. Helm's versions treat them "
                   'differently.',
           'remedy': 'Remove the tag. To get a string, put the value in quotes.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {replicas: !!int "2"}\n'},
 'DS008': {'title': 'A number that Helm cannot hold',
           'when': 'Helm keeps every number as a 64-bit float: it cannot be infinite or not-a-number, and integers are '
                   'exact only up to 2^53. A larger integer would become another number.',
           'remedy': 'Put it in quotes if it is a string.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, deepspeed: {config: {seed: 9007199254740993}}}\n'},
 'DS009': {'title': 'An alias without an anchor, or aliases that expand to too much',
           'when': 'An alias (`*name`) repeats the value that an anchor (`&name`) marks. Here there is no such anchor '
                   'before the alias, the alias is part of the value that it repeats, or the file becomes too large '
                   'when all aliases are expanded.',
           'remedy': 'Mark the value with `&name` before the alias, or write it out.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'labels: *team\n'},
 'DS010': {'title': 'A key that is not a string, or is too long',
           'when': 'Keys become JSON keys, which are strings. Programs do not agree on how to write a key that is '
                   'null, a fraction, a list or a map as a string. Helm refuses keys that are too long or have an '
                   'anchor.',
           'remedy': 'Put the key in quotes.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'labels: {1.5: half}\n'},
 'DS011': {'title': 'Nested too deeply, too long, or too many problems',
           'when': 'Lists and maps are nested more than 100 levels deep, or the file has more than 200,000 values or 4 '
                   'MiB of text in its values. Or it has more than 1,000 problems; the others are not listed.',
           'remedy': 'Check the brackets, or the program that wrote the file.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'labels: '
                      '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n'},
 'DS012': {'title': 'The file ends inside a block scalar, without a newline',
           'when': 'The file ends inside a block scalar (`|` or `>`), without a newline. Helm 4 adds a newline to the '
                   'string, Helm 3 does not.',
           'remedy': 'End the file with a newline. For a string that does not end with one, write `|-`.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training:\n'
                      '  python: train.py\n'
                      '  setup: |\n'
                      '    pip install . || exit'},
 'DS013': {'title': 'An escape that Helm cannot read',
           'when': "Inside double quotes, `\\/` is an escape of YAML 1.2 and JSON that Helm's parser does not know.",
           'remedy': 'Write / without the backslash.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'annotations: {example.com/page: "https:\\/\\/example.com"}\n'},
 'DS014': {'title': 'A question mark without quotes inside brackets',
           'when': "Inside [] or {}, Helm's parser reads a question mark as the start of a key; other parsers read it "
                   'as part of the string.',
           'remedy': 'Put the string in quotes.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, args: [ready?]}\n'},
 'DS015': {'title': 'A line that begins with --- and continues',
           'when': 'Helm 4 splits the file into documents before it reads YAML. It fails on a line that begins with '
                   '--- and continues, even inside quotes.',
           'remedy': 'Indent the line, or put the key into quotes.',
           'example': '---a: 1\n'
                      'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'},
 'DS016': {'title': 'A script instead of a values file',
           'when': 'The file is a shell script, a batch script of Slurm or a Python program, not YAML. dsgen starts '
                   'such a program in the pods, and a values file describes the job.',
           'remedy': 'Convert a script with `dsgen import FILE`: the command becomes training.python and '
                     'training.args, or launch.command; exported variables become training.env; #SBATCH lines become '
                     'workers.replicas (--nodes), workers.slots (--gpus-per-node) and lifecycle.activeDeadlineSeconds '
                     '(--time). For a Python program, start from a preset (`dsgen init --list`).',
           'example': '#!/bin/bash\n#SBATCH --nodes=2\nsrun python train.py\n'},
 'DS017': {'title': 'An unresolved merge',
           'when': 'Git wrote both sides of a conflict into the file, between lines with <<<<<<<, ======= and >>>>>>>.',
           'remedy': 'Keep one side or both, remove these lines, and commit the result of the merge.',
           'example': 'name: cifar\n'
                      '<<<<<<< HEAD\n'
                      'workers: {replicas: 2}\n'
                      '=======\n'
                      'workers: {replicas: 4}\n'
                      '>>>>>>> main\n'},
 'DS050': {'title': 'An unquoted word or number that YAML 1.1 reads as another value',
           'when': 'A warning: Helm reads this value differently from what most people expect. yes, no, on, off, y and '
                   'n are booleans, and 010 is the number 8.',
           'remedy': 'Write true, false or the number itself. Put a string in quotes.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'network: {policy: yes}\n'},
 'DS101': {'title': 'An unknown key',
           'when': 'There is no such key here. If dsgen accepted it, a misspelt key would be ignored and its default '
                   'used.',
           'remedy': 'Correct the spelling, or move the key to where it belongs. `dsgen explain KEY` lists the keys '
                     'below KEY.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {replica: 2}\n'},
 'DS102': {'title': 'A value of the wrong type',
           'when': 'The value does not have the type that the key takes: a string instead of a number, a number '
                   'instead of a string, or one value instead of a list.',
           'remedy': 'Put strings in quotes; write numbers and booleans without quotes. `dsgen explain KEY` shows the '
                     'type of a key.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {replicas: two}\n'},
 'DS103': {'title': 'A value that is not allowed',
           'when': 'The key takes one of a few words, and this is not one of them. Words are case-sensitive.',
           'remedy': 'Choose one of the words in the hint.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'lifecycle: {keepWorkers: sometimes}\n'},
 'DS104': {'title': 'A string of the wrong form',
           'when': 'The string does not have the form that is required by Kubernetes or by the program that reads it.',
           'remedy': 'Use the form that the hint describes.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage: {data: {mountPath: data, create: {}}}\n'},
 'DS105': {'title': 'A number out of range',
           'when': 'The number is smaller or larger than the key allows.',
           'remedy': 'Choose a number within the limits; `dsgen explain KEY` shows them.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {replicas: 0}\n'},
 'DS106': {'title': 'A key without a value',
           'when': 'The key has no value, or null. As in Helm, null removes a map, or an entry of a map, that an '
                   'earlier file, dsgen.yaml or a default gives; this is a warning if there is nothing to remove. All '
                   'other keys need a value.',
           'remedy': 'Give it a value, or remove the line to get the default.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {slots: }\n'},
 'DS107': {'title': 'A required key is missing',
           'when': 'An object of the Kubernetes API lacks a required key, so the API server would refuse it.',
           'remedy': 'Add the key that the message names.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage: {data: {mountPath: /data, nfs: {server: nfs.example.com}}}\n'},
 'DS108': {'title': 'Too few, too many or conflicting entries',
           'when': 'A list or string is empty where a value is required, or several keys are set of which only one is '
                   'allowed.',
           'remedy': 'Keep as many entries as the message says.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, envFrom: [{prefix: TEAM_}]}\n'},
 'DS109': {'title': 'A name of the wrong form',
           'when': 'A name that you choose (of a volume, label, variable or file) becomes part of a Kubernetes object, '
                   'which does not allow this form.',
           'remedy': 'Use the form that the hint describes.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage: {my_data: {mountPath: /data, create: {}}}\n'},
 'DS110': {'title': 'A run id that is read differently',
           'when': 'run.id may be a number, but YAML reads this one differently from how it is written: 010 is 8, and '
                   '1e3 is 1000. The run would get a name that appears nowhere in the file.',
           'remedy': 'Put it in quotes.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'run: {id: 1e3}\n'},
 'DS111': {'title': 'A character or a key that Helm cannot read',
           'when': 'YAML allows this character or key, but Helm 3 fails on it with an error that names no key. Helm '
                   'accepts U+0000, but no program can be started with an argument or a variable that contains it.',
           'remedy': 'Leave the character out, or choose another key.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'annotations: {example.com/note: "\\x7f"}\n'},
 'DS112': {'title': 'A file of another program',
           'when': 'The file is a Kubernetes object with apiVersion and kind, such as an MPIJob, a PyTorchJob or a '
                   'Deployment, a file of Docker Compose, the values of another Helm chart, or a configuration of '
                   'DeepSpeed or Accelerate. Its keys have nothing to do with those of a values file, so they are not '
                   'reported one by one.',
           'remedy': 'Convert the objects of a training with `dsgen import FILE`. For other files, start from a preset '
                     '(`dsgen init --list`) and move image, command, resources and volumes to the keys of the values '
                     'file.',
           'example': 'apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: cifar}\n'},
 'DS113': {'title': 'An empty values file',
           'when': 'The file has no values, at most comments. It may be a new file that is not saved yet.',
           'remedy': 'Write the values of the job into it, or let `dsgen init` write a new file to start from.',
           'example': '# name: cifar\n'},
 'DS201': {'title': 'No image',
           'when': 'The image has no default: it contains your program, PyTorch, DeepSpeed, openssh and pdsh.',
           'remedy': 'Set image.repository, and image.tag or image.digest.',
           'example': 'name: cifar\nnamespace: training\ntraining: {python: train.py}\nimage: {tag: v3}\n'},
 'DS202': {'title': 'Nothing to train',
           'when': 'The values do not say which program to run.',
           'remedy': 'Set one of training.python (a script), training.module (a module) and training.exec (any '
                     'program).',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'},
 'DS203': {'title': 'More than one thing to train',
           'when': 'More than one of training.python, training.module and training.exec is set, but only one program '
                   'can be started.',
           'remedy': 'Keep one of them.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, module: team.train}\n'},
 'DS204': {'title': 'Names that are too long',
           'when': 'The name of a pod consists of name, run.id and the number of the worker, and can have at most 63 '
                   'characters. The last worker has the longest name.',
           'remedy': 'Shorten the name of the job or run.id.',
           'example': 'name: a-training-with-a-name-that-says-everything-about-its-purpose\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'},
 'DS205': {'title': 'A job name of the wrong form',
           'when': 'The names of all objects begin with the name of the job, and some of them must be DNS labels. The '
                   'name of a Helm release is not always valid there, for example if it begins with a digit.',
           'remedy': 'Use lower-case letters, digits and hyphens. Begin with a letter, and do not end with a hyphen.'},
 'DS206': {'title': 'More processes than GPUs',
           'when': 'Each training process needs its own GPU, and a worker starts more processes than it requests GPUs.',
           'remedy': 'Set workers.slots and workers.accelerator.count to the same number, or leave count out. count: 0 '
                     'trains on CPUs.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {slots: 4, accelerator: {count: 2}, resources: {requests: {cpu: 8, memory: 64Gi}}}\n'},
 'DS207': {'title': 'Several processes on MIG slices',
           'when': 'CUDA shows each process only one MIG slice, so all processes of a pod would use the same one.',
           'remedy': 'Use workers.slots: 1 and more workers.replicas.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {slots: 2, accelerator: {resource: nvidia.com/mig-1g.5gb}, resources: {requests: {cpu: '
                      '8, memory: 64Gi}}}\n'},
 'DS208': {'title': 'The accelerator among the resources',
           'when': 'The accelerator is also listed under resources. dsgen writes it from workers.accelerator, so the '
                   'container would have it twice.',
           'remedy': 'Remove it from workers.resources and set workers.accelerator.count.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {resources: {limits: {nvidia.com/gpu: 2}}}\n'},
 'DS209': {'title': 'Several processes on shares of GPUs',
           'when': 'A warning: a resource whose name ends in .shared is a share of a GPU. Several shares in one pod '
                   'may belong to the same GPU, and NCCL refuses two processes on one GPU.',
           'remedy': 'Use workers.slots: 1 and more replicas, or whole GPUs.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {slots: 2, accelerator: {resource: nvidia.com/gpu.shared}, resources: {requests: {cpu: '
                      '8, memory: 64Gi}}}\n'},
 'DS210': {'title': 'A volume without a source',
           'when': 'The volume has a mount path, but no source.',
           'remedy': 'Give it one of create (a new claim), existingClaim, nfs and emptyDir.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage: {data: {mountPath: /data}}\n'},
 'DS211': {'title': 'A volume with several sources',
           'when': 'The volume has more than one source, such as create and existingClaim.',
           'remedy': 'Keep one of them.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage: {data: {mountPath: /data, create: {}, existingClaim: data}}\n'},
 'DS212': {'title': 'A reserved mount path',
           'when': 'dsgen or the system keeps files at this path, and the volume would hide them.',
           'remedy': 'Mount it elsewhere, such as /data.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage: {data: {mountPath: /job/data, create: {}}}\n'},
 'DS213': {'title': 'A volume at /dev/shm',
           'when': 'dsgen already mounts /dev/shm: it is the shared memory of the pod, which data loaders and NCCL '
                   'use.',
           'remedy': 'Set its size with workers.sharedMemory.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage: {shm: {mountPath: /dev/shm, emptyDir: {medium: Memory}}}\n'},
 'DS214': {'title': 'A path that leads out of its volume',
           'when': 'subPath contains .. . Kubernetes refuses such a pod, because it could reach files outside the '
                   'volume.',
           'remedy': 'Use a path inside the volume.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage: {data: {mountPath: /data, subPath: ../x, create: {}}}\n'},
 'DS215': {'title': 'A volume that only one node can attach, for several workers',
           'when': 'A warning: a ReadWriteOnce volume can be attached to one node only. Workers on other nodes would '
                   'wait for it forever.',
           'remedy': 'Use ReadWriteMany if the storage class supports it; otherwise keep all workers on one node.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {replicas: 2}\n'
                      'storage: {data: {mountPath: /data, create: {accessModes: [ReadWriteOnce]}}}\n'},
 'DS216': {'title': 'A volume that only one pod can use, for several pods',
           'when': 'A ReadWriteOncePod volume can be used by one pod in the whole cluster. Several pods of this job '
                   'mount it, and all but one would wait forever.',
           'remedy': 'Use ReadWriteMany, or mountIn: launcher.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage: {data: {mountPath: /data, mountIn: both, create: {accessModes: '
                      '[ReadWriteOncePod]}}}\n'},
 'DS217': {'title': 'A claim that nothing provisions',
           'when': 'A warning: with an empty storageClass no provisioner creates a volume. The claim waits for a '
                   'matching PersistentVolume without a class.',
           'remedy': "Describe the volume in create.persistentVolume, or remove storageClass to use the cluster's "
                     'default.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage: {data: {mountPath: /data, create: {storageClass: ""}}}\n'},
 'DS218': {'title': 'ReadWriteOncePod together with other access modes',
           'when': 'Kubernetes refuses a claim that combines ReadWriteOncePod with another access mode.',
           'remedy': 'Keep ReadWriteMany if several pods mount the volume, otherwise ReadWriteOncePod.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage:\n'
                      '  data: {mountPath: /data, mountIn: launcher, create: {accessModes: [ReadWriteOncePod, '
                      'ReadWriteMany]}}\n'},
 'DS219': {'title': 'A claim of size 0',
           'when': 'The claim requests 0 bytes, which Kubernetes refuses.',
           'remedy': 'Set storage.NAME.create.size, for example to 100Gi.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage: {data: {mountPath: /data, create: {size: "0"}}}\n'},
 'DS220': {'title': 'A reserved environment variable',
           'when': 'dsgen or DeepSpeed sets this variable in every process: RANK, LOCAL_RANK, WORLD_SIZE, and all '
                   'variables that begin with MASTER_ or DSGEN_.',
           'remedy': 'Remove it; your program can read the value that is set. To change the port, set '
                     'launch.masterPort.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, env: {WORLD_SIZE: "4"}}\n'},
 'DS221': {'title': 'Two DeepSpeed configurations',
           'when': 'Both training.deepspeed.config (the configuration) and training.deepspeed.configFile (the path of '
                   'a file in the image) are set.',
           'remedy': 'Keep one of them.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, deepspeed: {config: {train_batch_size: 8}, configFile: '
                      '/ds.json}}\n'},
 'DS222': {'title': 'A variable that is not expanded',
           'when': 'A warning: values in training.env are literal: $PATH or $LD_LIBRARY_PATH is not expanded. The '
                   'variable would contain these characters instead of the path of the image.',
           'remedy': 'Set it in training.setup, which is a shell script: export '
                     'LD_LIBRARY_PATH=/opt/lib:$LD_LIBRARY_PATH.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, env: {LD_LIBRARY_PATH: "/opt/lib:$LD_LIBRARY_PATH"}}\n'},
 'DS223': {'title': 'A reserved prefix of variables',
           'when': 'With this prefix, the variables of a ConfigMap or Secret would have names that dsgen or DeepSpeed '
                   'sets itself.',
           'remedy': 'Choose another prefix.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, envFrom: [{prefix: MASTER_, configMapRef: {name: x}}]}\n'},
 'DS224': {'title': 'An argument that is passed already',
           'when': 'A warning: dsgen passes --deepspeed and --deepspeed_config with the configuration from '
                   'training.deepspeed. The program would get them twice, and most programs use the last one.',
           'remedy': 'Remove them from training.args, or set training.deepspeed.passConfig: false.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: a.py, args: [--deepspeed_config, ds.json], deepspeed: {configFile: '
                      '/ds.json}}\n'},
 'DS225': {'title': 'Autotuning without a configuration',
           'when': 'Autotuning varies an existing DeepSpeed configuration and passes it to the program, so it needs a '
                   'configuration to start from.',
           'remedy': 'Set training.deepspeed.config or configFile, and leave passConfig true.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, deepspeed: {autotuning: tune}}\n'},
 'DS226': {'title': 'A resource that is listed twice, or is not a device',
           'when': 'network.rdma.resources lists network devices. A resource that is also in workers.resources or '
                   'workers.accelerator would be written twice.',
           'remedy': 'List each resource in one place.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'network: {rdma: {resources: {rdma/hca: 1}, ipcLock: omit}}\n'
                      'workers: {resources: {limits: {rdma/hca: 1}}}\n'},
 'DS227': {'title': 'Multus networks for pods on the host network',
           'when': 'Pods on the host network use the interfaces of the node, and Multus adds none.',
           'remedy': 'Keep one of network.hostNetwork and network.rdma.networks.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'network: {hostNetwork: true, policy: false, rdma: {networks: [sriov]}}\n'
                      'security: {podSecurityLevel: privileged}\n'},
 'DS228': {'title': 'An annotation that dsgen writes from another key',
           'when': 'dsgen writes the annotation with the networks of a pod from network.rdma.networks.',
           'remedy': 'Keep one of them.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'network: {rdma: {networks: [sriov], resources: {rdma/x: 1}, ipcLock: omit}}\n'
                      'workers: {podAnnotations: {k8s.v1.cni.cncf.io/networks: other}}\n'},
 'DS229': {'title': 'RDMA without locked memory',
           'when': 'A warning: most RDMA devices need locked memory, for which a container needs the capability '
                   'IPC_LOCK. dsgen does not request it here, because only the Pod Security level privileged allows '
                   'it.',
           'remedy': 'Set security.podSecurityLevel: privileged if the namespace allows it, or network.rdma.ipcLock: '
                     'omit if the limits of the nodes are high enough.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'network: {rdma: {resources: {rdma/hca: 1}}}\n'},
 'DS230': {'title': 'A reserved label or annotation',
           'when': 'dsgen or Kubernetes writes this label or annotation and uses it to find objects.',
           'remedy': 'Use a key in a domain of your own.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'labels: {app.kubernetes.io/name: cifar}\n'},
 'DS231': {'title': 'A duplicate annotation',
           'when': 'The ServiceAccount gets the annotations of the job and those of serviceAccount.annotations. This '
                   'one is in both.',
           'remedy': 'Keep one of them.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'annotations: {example.com/a: x}\n'
                      'serviceAccount: {annotations: {example.com/a: z}}\n'},
 'DS232': {'title': 'A field of the pod that dsgen writes',
           'when': 'extraPodSpec is for fields of the Kubernetes API that have no key here. dsgen writes this field '
                   'itself, or the field would break what dsgen writes.',
           'remedy': 'Use the key for it; `dsgen explain workers` lists the keys.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {extraPodSpec: {restartPolicy: OnFailure}}\n'},
 'DS233': {'title': 'A field of the container that dsgen writes',
           'when': 'extraContainerSpec is for fields of the Kubernetes API that have no key here. dsgen writes this '
                   'field itself.',
           'remedy': 'Use the key for it, for example training.env for env, or storage for volumeMounts.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'launcher: {extraContainerSpec: {command: [sleep, "60"]}}\n'},
 'DS234': {'title': "A container with the name of one of dsgen's containers",
           'when': "One of your containers has the same name as one of dsgen's containers in the pod.",
           'remedy': 'Choose another name.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {sidecars: [{name: worker, image: x:1}]}\n'},
 'DS235': {'title': 'Two containers with the same name',
           'when': 'Two containers of a pod have the same name; init containers and sidecars count together. '
                   'Kubernetes refuses such a pod.',
           'remedy': 'Give one of them another name.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {initContainers: [{name: a, image: x:1}], sidecars: [{name: a, image: x:1}]}\n'},
 'DS236': {'title': 'A mount of an unknown volume',
           'when': 'One of your containers mounts a volume that is not in storage. The name in a mount is the key in '
                   'storage.',
           'remedy': 'Add the volume to storage, with mountPath: "" if only this container mounts it.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {sidecars: [{name: a, image: x:1, volumeMounts: [{name: data, mountPath: /data}]}]}\n'},
 'DS237': {'title': 'Two rules that keep workers apart',
           'when': 'workers.spread becomes a podAntiAffinity, and workers.affinity already has one.',
           'remedy': 'Keep one of them.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {spread: preferred, affinity: {podAntiAffinity: {}}}\n'},
 'DS238': {'title': 'A resource claim that the pod does not have',
           'when': 'resources.claims refers to a claim of dynamic resource allocation that the pod does not have. '
                   'Kubernetes refuses such a pod.',
           'remedy': 'Describe the claim in extraPodSpec.resourceClaims of the same role.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {resources: {claims: [{name: gpus}]}}\n'},
 'DS239': {'title': 'Workers that may connect to the loopback address',
           'when': 'A warning: the workers use the network of their nodes, and Gloo listens on the address to which '
                   'the name of the node resolves. If /etc/hosts of the node maps that name to 127.0.0.1 or 127.0.1.1, '
                   'or the name does not resolve, Gloo listens on the loopback interface, and workers on other nodes '
                   'cannot connect.',
           'remedy': 'Set the interface in network.socketInterface. If its name differs between nodes, let each node '
                     'find its own in training.setup: `export GLOO_SOCKET_IFNAME=$(awk \'NR > 1 && $1 != "lo" {print '
                     "$1; exit}' /proc/net/route)`.",
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {replicas: 2}\n'
                      'network: {hostNetwork: true, policy: false}\n'
                      'security: {podSecurityLevel: privileged}\n'},
 'DS240': {'title': 'A Secret that is not used',
           'when': 'ssh.secret.name is set, but only with ssh.secret.mode: existing does dsgen use a Secret of yours. '
                   'With mode: cluster, the key is generated in the cluster.',
           'remedy': 'Set ssh.secret.mode: existing, or remove the name.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'ssh: {secret: {name: mine}}\n'},
 'DS241': {'title': 'A Secret name that is taken',
           'when': 'ssh.secret.mode is existing, and your Secret has the name that dsgen would give to the Secret of '
                   'the job. If the mode changes later, your Secret is overwritten.',
           'remedy': 'Give your Secret another name.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'ssh: {secret: {mode: existing, name: cifar-ssh}}\n'},
 'DS242': {'title': 'Two services on one port',
           'when': 'The sshd of the workers (ssh.port), the rendezvous of the ranks (launch.masterPort), the readiness '
                   'of the workers (workers.readinessPort) and their metrics (monitoring.podMonitor.port) each need a '
                   'port of their own.',
           'remedy': 'Give one of them another port.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'ssh: {port: 29500}\n'},
 'DS243': {'title': 'A privileged port',
           'when': 'A warning: unless the container runtime allows it, only root can listen on a port below 1024.',
           'remedy': 'Use port 1024 or higher.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'ssh: {port: 222}\n'
                      'security: {podSecurityLevel: restricted, podSecurityContext: {runAsUser: 1000}}\n'},
 'DS244': {'title': "The port of the node's own sshd",
           'when': 'With network.hostNetwork the workers share the ports of their nodes, where port 22 belongs to the '
                   "node's sshd.",
           'remedy': 'Use another port.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'ssh: {port: 22}\n'
                      'network: {hostNetwork: true, policy: false}\n'
                      'security: {podSecurityLevel: privileged}\n'},
 'DS245': {'title': 'A NetworkPolicy without effect',
           'when': 'A warning: network plugins do not apply a NetworkPolicy to pods on the host network. Everything '
                   'that reaches the nodes reaches the workers.',
           'remedy': 'Set network.policy: false, and protect the nodes by other means.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'network: {hostNetwork: true}\n'
                      'security: {podSecurityLevel: privileged}\n'},
 'DS246': {'title': 'Two addresses for one webhook',
           'when': 'The address of the webhook is set both in the file and in a Secret.',
           'remedy': 'Keep one of them.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'status: {webhook: {url: "https://example.com/x", secretName: hook}}\n'},
 'DS247': {'title': 'A record that is sent unencrypted',
           'when': 'A warning: the record of the run, including its messages, would be sent unencrypted.',
           'remedy': 'Use an https address.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'status: {webhook: {url: "http://example.com/x"}}\n'},
 'DS248': {'title': 'A password in an address',
           'when': 'The address contains a user name or password. Values files are kept in Git, where every reader '
                   'would see it.',
           'remedy': 'Put it into a Secret and refer to the Secret.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'status: {webhook: {url: "https://me:secret@example.com/x"}}\n'},
 'DS249': {'title': 'A user that cannot log in',
           'when': 'sshd does not run as root here, so only the user of the container can log in.',
           'remedy': 'Leave ssh.user out.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'ssh: {user: root}\n'
                      'security: {podSecurityLevel: restricted, podSecurityContext: {runAsUser: 1000}}\n'},
 'DS250': {'title': 'An image without a fixed version',
           'when': 'A warning: without a tag, or with one that moves, such as latest, main or nightly, nodes may run '
                   'different images, and the same run id may later mean another program.',
           'remedy': 'Use a tag that is never moved, or a digest.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar}\n'
                      'training: {python: train.py}\n'},
 'DS251': {'title': 'Two volumes at one path',
           'when': 'Two volumes would be mounted at the same path of the same pods, and only one would be visible.',
           'remedy': 'Change one of the paths, or mount one volume in the workers and the other in the launcher with '
                     'mountIn.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage: {a: {mountPath: /data, create: {}}, b: {mountPath: /data, emptyDir: {}}}\n'},
 'DS252': {'title': 'A PersistentVolume without a valid source',
           'when': 'A PersistentVolume needs exactly one source, and a local one also needs nodeAffinity.',
           'remedy': 'Set one of nfs, hostPath, csi and local; add nodeAffinity to local.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage: {data: {mountPath: /data, create: {persistentVolume: {mountOptions: [ro]}}}}\n'},
 'DS253': {'title': 'Files that are too large',
           'when': 'training.files become a ConfigMap, which can hold 1 MiB including the names of the files.',
           'remedy': 'Put large files into the image or onto a volume.'},
 'DS254': {'title': 'A mount inside a volume that cannot contain it',
           'when': 'A volume is mounted inside another one. Kubernetes creates a folder for it there, which is '
                   'impossible in a ConfigMap, a Secret or a projected volume. A read-only volume must already contain '
                   'the folder; that is a warning.',
           'remedy': 'Mount it at another path.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage: {a: {mountPath: /data, configMap: {name: x}}, b: {mountPath: /data/b, create: {}}}\n'},
 'DS255': {'title': 'A mount of a volume that the pod does not have',
           'when': 'One of your containers mounts a volume that mountIn keeps out of its pod.',
           'remedy': 'Set mountIn: both, or mount the volume only in pods that have it.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'launcher: {sidecars: [{name: a, image: x:1, volumeMounts: [{name: data, mountPath: /data}]}]}\n'
                      'storage: {data: {mountPath: /data, mountIn: workers, create: {}}}\n'},
 'DS256': {'title': 'A request above its limit',
           'when': 'A container requests more than its limit, which Kubernetes refuses; or a request is auto, which '
                   'means the limit, and there is none.',
           'remedy': 'Raise the limit, or lower the request. With auto, or without a request, the limit is the '
                     'request.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {sharedMemory: "", resources: {requests: {memory: 2Gi}, limits: {memory: 1Gi}}}\n'},
 'DS257': {'title': 'A configuration that is too large',
           'when': 'One ConfigMap of the run holds training.setup, the arguments, the DeepSpeed configuration and the '
                   'names of the workers. Kubernetes allows 1 MiB.',
           'remedy': 'Move large texts to training.files, which have their own ConfigMap, to the image or to a volume. '
                     'If the names of the workers are the largest part, use a shorter job name or fewer workers.'},
 'DS258': {'title': 'An object that kubectl apply refuses',
           'when': 'A warning: without --server-side, kubectl apply keeps a copy of each object in an annotation, and '
                   'all annotations of an object hold 262144 bytes. That is room for the names of some 7000 workers, '
                   'or for a training.setup of 250000 bytes. The API server refuses more with "metadata.annotations: '
                   'Too long". Argo CD applies in the same way unless it is told otherwise; Flux and Helm do not.',
           'remedy': 'Use kubectl apply --server-side; in Argo CD, set the sync option ServerSideApply=true in the '
                     'Application.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {replicas: 8000}\n'
                      'launch: {method: torchrun}\n'},
 'DS259': {'title': 'Devices or huge pages that Kubernetes refuses',
           'when': 'Devices (resources with a domain, such as example.com/card) and huge pages cannot be '
                   'overcommitted. Kubernetes refuses a request without a limit or different from the limit, a '
                   'fraction of a device, huge pages that are not a multiple of the page size, and huge pages without '
                   'cpu or memory.',
           'remedy': 'Set whole numbers in limits only; the limit is also the request.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {resources: {requests: {example.com/card: 1}}}\n'},
 'DS260': {'title': 'A key that DeepSpeed does not know',
           'when': 'DeepSpeed does not know this key. At the top level it silently ignores unknown keys, so the '
                   'training runs without the setting. In most blocks it refuses them, and every rank fails. A few '
                   'blocks (such as optimizer, scheduler, checkpoint and flops_profiler) ignore them, which is a '
                   'warning. The keys below params are passed to the class of the optimizer or scheduler, which '
                   'refuses unknown ones.',
           'remedy': 'Correct the name; the suggestions are keys of DeepSpeed 0.19.8. Put settings of your own program '
                     'into training.args or training.files.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training:\n'
                      '  python: train.py\n'
                      '  deepspeed:\n'
                      '    config:\n'
                      '      train_micro_batch_size_per_gpu: 8\n'
                      '      zero_optimisation: {stage: 2}\n'
                      'workers: {replicas: 2}\n'},
 'DS261': {'title': 'A value of the wrong type for DeepSpeed',
           'when': 'DeepSpeed would fail on this value or misread it: at the top level it does not check types, and '
                   'the string "false" counts as true.',
           'remedy': 'Use a value of the type that the message names.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training:\n'
                      '  python: train.py\n'
                      '  deepspeed:\n'
                      '    config:\n'
                      '      train_micro_batch_size_per_gpu: 8\n'
                      '      gradient_clipping: "1.0"\n'
                      'workers: {replicas: 2}\n'},
 'DS262': {'title': 'A value that DeepSpeed does not accept',
           'when': 'DeepSpeed does not accept this value, so every rank would fail. An unknown name of an optimizer or '
                   'scheduler that resembles no known one is a warning: another version of torch may have it.',
           'remedy': "Use one of the possible values. Spell torch's optimizers as torch does: SGD, not sgd.",
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training:\n'
                      '  python: train.py\n'
                      '  deepspeed:\n'
                      '    config:\n'
                      '      train_micro_batch_size_per_gpu: 8\n'
                      '      zero_optimization: {stage: 4}\n'
                      'workers: {replicas: 2}\n'},
 'DS263': {'title': 'A key that not all versions of DeepSpeed have',
           'when': 'Some versions of DeepSpeed accept this key or name, others refuse or ignore it. It is an error if '
                   'training.deepspeed.version is set to a version that does not accept it, and a warning if no '
                   'version is set. A version that dsgen does not know is checked against its nearest known '
                   'neighbours, and whatever one of them accepts is allowed. Old names of keys are reported too.',
           'remedy': 'Remove it, or use its replacement. Set training.deepspeed.version to the version in the image.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training:\n'
                      '  python: train.py\n'
                      '  deepspeed:\n'
                      '    config:\n'
                      '      train_micro_batch_size_per_gpu: 8\n'
                      '      sparse_gradients: true\n'
                      'workers: {replicas: 2}\n'},
 'DS265': {'title': 'Batch sizes that do not fit the number of processes',
           'when': 'train_batch_size equals train_micro_batch_size_per_gpu times gradient_accumulation_steps times the '
                   'number of processes, which is workers.replicas times workers.slots. DeepSpeed computes the values '
                   'that are not set, and fails if there is no whole number for them. With sequence_parallel_size, '
                   'DeepSpeed divides the number of processes by it (from 0.17 on; earlier versions use '
                   'data_parallel_size); a program that passes an mpu to deepspeed.initialize may use other sizes, so '
                   'a smaller batch is only a warning. With a pipeline or tensor_parallel, only combinations that can '
                   'never work are reported.',
           'remedy': 'Remove train_batch_size: DeepSpeed computes it, also when the number of workers changes.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training:\n'
                      '  python: train.py\n'
                      '  deepspeed:\n'
                      '    config:\n'
                      '      train_micro_batch_size_per_gpu: 8\n'
                      '      gradient_accumulation_steps: 2\n'
                      '      train_batch_size: 64\n'
                      'workers: {replicas: 2}\n'},
 'DS266': {'title': 'Two precisions at once',
           'when': 'fp16 and bf16 are both enabled, which DeepSpeed refuses.',
           'remedy': 'Enable one of them.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training:\n'
                      '  python: train.py\n'
                      '  deepspeed:\n'
                      '    config:\n'
                      '      train_micro_batch_size_per_gpu: 8\n'
                      '      fp16: {enabled: true}\n'
                      '      bf16: {enabled: true}\n'
                      'workers: {replicas: 2}\n'},
 'DS267': {'title': 'DeepSpeed settings that conflict',
           'when': 'DeepSpeed refuses this combination when the training starts. fp16 without devices is a warning, '
                   'because recent versions use it if the CPU supports it; for older versions, it is an error.',
           'remedy': 'Change one of the two keys that the message names.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training:\n'
                      '  python: train.py\n'
                      '  deepspeed:\n'
                      '    config:\n'
                      '      train_micro_batch_size_per_gpu: 8\n'
                      '      zero_optimization: {stage: 3, offload_param: {device: nvme}}\n'
                      'workers: {replicas: 2}\n'},
 'DS268': {'title': 'A DeepSpeed setting without effect',
           'when': 'A warning: DeepSpeed accepts this key but ignores it at this ZeRO stage, so the training needs '
                   'more memory than intended.',
           'remedy': 'Use the stage that the message names, or leave the key out.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training:\n'
                      '  python: train.py\n'
                      '  deepspeed:\n'
                      '    config:\n'
                      '      train_micro_batch_size_per_gpu: 8\n'
                      '      zero_optimization: {stage: 2, offload_param: {device: cpu}}\n'
                      'workers: {replicas: 2, resources: {requests: {memory: 64Gi}}}\n'},
 'DS269': {'title': 'A scheduler without its parameters',
           'when': 'DeepSpeed fails on a scheduler without params, or without a parameter that has no default.',
           'remedy': 'Set the parameters. Use params: {} if all of them have defaults.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training:\n'
                      '  python: train.py\n'
                      '  deepspeed:\n'
                      '    config:\n'
                      '      train_micro_batch_size_per_gpu: 8\n'
                      '      scheduler: {type: WarmupDecayLR, params: {warmup_num_steps: 100}}\n'
                      'workers: {replicas: 2}\n'},
 'DS270': {'title': 'A launch method without its command',
           'when': 'The methods worker-command and launcher-command run launch.command, which is empty.',
           'remedy': 'Set it to a list that begins with the program.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'launch: {method: worker-command}\n'},
 'DS271': {'title': 'A command or arguments that the launch method does not use',
           'when': 'Only the methods worker-command and launcher-command run launch.command; the others run the '
                   'program described in training. Only the method openmpi uses launch.mpirunArgs.',
           'remedy': 'Set the method that the message names, or remove the key.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'launch: {command: [accelerate, launch, train.py]}\n'},
 'DS272': {'title': 'A program in addition to launch.command',
           'when': 'launch.command is the whole command line, so this setting in training has no effect.',
           'remedy': 'Move it to launch.command.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'launch: {method: worker-command, command: [accelerate, launch]}\n'},
 'DS273': {'title': 'A setting that needs ssh',
           'when': 'The launch method does not use ssh: every worker starts its own processes when the launcher tells '
                   'it to. The launcher cannot log in to the workers, so it cannot keep them.',
           'remedy': 'Use launch.method: pdsh or openmpi, or remove the setting.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'launch: {method: deepspeed-no-ssh}\n'
                      'lifecycle: {keepWorkers: failed}\n'},
 'DS274': {'title': 'Autotuning without pdsh',
           'when': "DeepSpeed's autotuning starts its experiments through pdsh.",
           'remedy': 'Use launch.method: pdsh.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, deepspeed: {autotuning: tune, configFile: /ds.json}}\n'
                      'launch: {method: torchrun}\n'},
 'DS275': {'title': 'A setting that the launch method does not use',
           'when': "The setting is for DeepSpeed's launcher or for processes that dsgen starts, and this method has "
                   'neither.',
           'remedy': 'Remove it, or choose another launch.method.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, deepspeed: {args: [--no_ssh_check]}}\n'
                      'launch: {method: torchrun}\n'},
 'DS276': {'title': 'Too many workers for pdsh',
           'when': 'pdsh receives the names and slots of all workers as one argument, which Linux limits to 131072 '
                   'bytes. The longer the names, the fewer workers fit.',
           'remedy': 'Use launch.method: torchrun, which is limited only by the size of the ConfigMap, about 20000 '
                     'workers.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {replicas: 900, slots: 64, resources: {requests: {cpu: 64, memory: 256Gi}}}\n'
                      'launcher: {resources: {requests: {memory: 8Gi}}}\n'},
 'DS277': {'title': 'Too little memory for the launcher',
           'when': 'The launcher needs 1 GiB for itself, and about 1.4 MiB (measured) for the ssh session that it '
                   'keeps to each worker. With this limit it would be killed.',
           'remedy': 'Raise launcher.resources.limits.memory, or use launch.method: torchrun.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'launcher: {resources: {requests: {memory: 512Mi}, limits: {memory: 512Mi}}}\n'},
 'DS278': {'title': 'A small request of memory for the launcher',
           'when': 'A warning: the launcher needs 1 GiB for itself, and about 1.4 MiB (measured) for the ssh session '
                   'that it keeps to each worker. It requests less, so its node may run out of memory.',
           'remedy': 'Raise launcher.resources.requests.memory, or use launch.method: torchrun.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'launcher: {resources: {requests: {memory: 512Mi}}}\n'},
 'DS279': {'title': 'More shared memory than memory',
           'when': 'A warning: files in /dev/shm count as memory of the pod. If the shared memory is larger than the '
                   'memory limit, the pod is killed before it can use all of it.',
           'remedy': 'Raise workers.resources.limits.memory, or lower workers.sharedMemory.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {resources: {limits: {memory: 4Gi}}}\n'},
 'DS280': {'title': "An argument of DeepSpeed's launcher that conflicts with dsgen",
           'when': 'dsgen passes this option itself, or the option would make the run hang, train with another number '
                   'of processes, or end without the launcher noticing.',
           'remedy': 'Use the key that the hint names, or remove the option.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      "training: {python: train.py, deepspeed: {args: [--num_gpus, '1']}}\n"},
 'DS281': {'title': "An argument that DeepSpeed's launcher does not accept",
           'when': "DeepSpeed's launcher has no such option, or the option is ambiguous, lacks its value or takes "
                   'none. The launcher would stop with a usage message, or take a word without dashes for the program '
                   'to start.',
           'remedy': 'Correct the spelling. Put arguments of your own program into training.args.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, deepspeed: {args: [--learning_rate=1]}}\n'},
 'DS282': {'title': 'Workers or slots that are not in the hostfile',
           'when': '--include and --exclude take the names of workers in the hostfile: JOB-RUN-worker-0.JOB-RUN and so '
                   "on, where JOB is the name of the job and RUN is run.id. Slots are counted from 0. DeepSpeed's "
                   'launcher stops at any other name or slot, or if no slot is left.',
           'remedy': 'Write NAME or NAME:SLOT,SLOT, and separate several of them with @.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      "training: {python: train.py, deepspeed: {args: ['--include=worker-0']}}\n"},
 'DS283': {'title': 'An argument that only some versions of DeepSpeed have',
           'when': "DeepSpeed's launcher does not have this option in training.deepspeed.version, and would stop with "
                   'a usage message.',
           'remedy': 'Remove the option, or correct the version.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      "training: {python: a.py, deepspeed: {version: '0.16.9', args: [--log_level, debug]}}\n"},
 'DS284': {'title': 'An argument that hides messages',
           'when': "A warning: with this option DeepSpeed's launcher prints less, which makes failures harder to "
                   'understand.',
           'remedy': 'Remove it while you look for a problem.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, deepspeed: {args: [--quiet]}}\n'},
 'DS286': {'title': 'A debug command that is not run',
           'when': 'A warning: workers run lifecycle.debug.command only while lifecycle.debug.enabled holds back the '
                   'training. It is false, so the training starts and the command does not.',
           'remedy': 'Set lifecycle.debug.enabled: true, or remove the command.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'lifecycle: {debug: {command: [sleep, infinity]}}\n'},
 'DS287': {'title': 'Memory in bytes, or in thousandths of a byte',
           'when': 'A size of memory or of a volume is less than 1Mi, which is never meant. Kubernetes reads a number '
                   'without a unit as bytes, so 64 is 64 bytes, and m as a thousandth, so 500m is half a byte. For '
                   'workers.sharedMemory, 0 means no limit.',
           'remedy': 'Write the unit: 64Gi (1024 x 1024 x 1024 bytes), 500Mi (1024 x 1024 bytes), or G and M for '
                     'powers of 1000. For workers.sharedMemory, "" means the small /dev/shm of the container runtime, '
                     'and unlimited that only the memory limit of the pod applies.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {sharedMemory: "64"}\n'},
 'DS288': {'title': 'A pattern that is not a regular expression',
           'when': 'lifecycle.progress.pattern is searched in the output of the training. It must be a regular '
                   "expression as Python's module re reads it.",
           'remedy': "Correct it; python3 -c 'import re; re.compile(...)' shows the same error.",
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      "lifecycle: {progress: {pattern: '[(?P<step>[0-9]+)('}}\n"},
 'DS290': {'title': 'A repository setting without a repository',
           'when': 'A setting of the repository is given, but not its address.',
           'remedy': 'Set code.git.repository, or remove the setting.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'code: {git: {revision: main}}\n'},
 'DS291': {'title': 'code.git.revision is not a commit id',
           'when': 'A warning: branches move, and tags can be moved. A restart, or a worker that starts later, may get '
                   'another program under the same run id.',
           'remedy': 'Use the full commit id of 40 characters, as git rev-parse HEAD prints it.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'code: {git: {repository: "https://example.com/x.git", revision: main}}\n'},
 'DS292': {'title': 'A repository over ssh without a key',
           'when': 'The repository is cloned over ssh, but no key is set.',
           'remedy': 'Set code.git.secretName to a Secret with the key ssh-privatekey, or use an https address.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'code:\n'
                      '  git: {repository: "git@example.com:x.git", revision: '
                      '0123456789abcdef0123456789abcdef01234567, knownHosts: "example.com ssh-rsa AA"}\n'},
 'DS293': {'title': 'A repository over ssh without known hosts',
           'when': 'A warning: the repository is cloned over ssh, but code.git.knownHosts does not contain the key of '
                   'its host. Unless the Secret has it under known_hosts, cloning fails, because another host could '
                   'impersonate it.',
           'remedy': 'Put the output of ssh-keyscan into code.git.knownHosts, after comparing it with the keys that '
                     'the host publishes.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'code: {git: {repository: "git@example.com:x.git", revision: '
                      '0123456789abcdef0123456789abcdef01234567, secretName: key}}\n'},
 'DS294': {'title': 'A password that is sent unencrypted',
           'when': 'A warning: with an http address the password is sent unencrypted.',
           'remedy': 'Use an https address.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'code: {git: {repository: "http://example.com/x.git", revision: '
                      '0123456789abcdef0123456789abcdef01234567, secretName: key}}\n'},
 'DS295': {'title': 'An address or a revision that git does not accept',
           'when': 'Code is cloned over https, http, ssh or git, and this address uses none of them; or the revision '
                   'is a pattern or a range, not a single commit.',
           'remedy': 'Use an address such as https://example.com/team/cifar.git, and a commit id.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'code: {git: {repository: /srv/cifar.git, revision: '
                      '0123456789abcdef0123456789abcdef01234567}}\n'},
 'DS300': {'title': 'One queue for workers and launcher',
           'when': 'Workers and launcher use the same queue. With two runs, the workers of one and the launcher of the '
                   'other can take the quota and block each other forever.',
           'remedy': 'Give the launcher a queue with its own quota, or remove launcherQueue: in most clusters a Job '
                     'without a queue starts at once.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'scheduling: {queue: team, launcherQueue: team}\n'},
 'DS301': {'title': 'A queue for the launcher alone',
           'when': 'scheduling.launcherQueue is for clusters where Kueue holds every Job without a queue; there the '
                   "workers need a queue too. With gang: volcano, the queue is Volcano's.",
           'remedy': 'Set scheduling.queue, or remove launcherQueue.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'scheduling: {launcherQueue: small}\n'},
 'DS302': {'title': 'A priority without a queue',
           'when': 'scheduling.priorityClass is the priority in a queue: a WorkloadPriorityClass of Kueue, or the '
                   "class of Volcano's PodGroup.",
           'remedy': 'Set scheduling.queue, or use workers.priorityClassName.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'scheduling: {priorityClass: high}\n'},
 'DS303': {'title': 'Two topologies',
           'when': 'One key requires that all workers are in one domain, the other prefers it. Kueue refuses both at '
                   'once.',
           'remedy': 'Keep one of scheduling.topology.required and preferred.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'scheduling: {topology: {required: zone, preferred: rack}}\n'},
 'DS304': {'title': 'Two rules that keep workers together',
           'when': 'Without a queue, scheduling.topology becomes a podAffinity of the workers, and workers.affinity '
                   'already has one.',
           'remedy': 'Keep one of them.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'scheduling: {topology: {preferred: topology.kubernetes.io/zone}}\n'
                      'workers: {affinity: {podAffinity: {}}}\n'},
 'DS305': {'title': 'Conflicting rules for the nodes',
           'when': 'Every worker must have its own node, but all workers must be on the same node. With '
                   'network.hostNetwork, workers use ports of their node, so a node can run only one of them.',
           'remedy': 'Use another topology key, set workers.spread: none, or remove network.hostNetwork.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'scheduling: {topology: {required: kubernetes.io/hostname}}\n'
                      'workers: {replicas: 2, spread: required}\n'},
 'DS306': {'title': 'A resource that the queue may not cover',
           'when': 'A warning: Kueue admits a Job only if the ClusterQueue covers every resource that the Job '
                   'requests. Otherwise the Job stays pending forever, and only its Workload says why.',
           'remedy': "Check whether spec.resourceGroups of the ClusterQueue lists the resource. Kueue's configuration "
                     'can exclude resources by prefix.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'scheduling: {queue: team}\n'
                      'network: {rdma: {resources: {rdma/hca: 1}, ipcLock: omit}}\n'},
 'DS307': {'title': 'Tolerations in addition to those of the queue',
           'when': 'A warning: Kueue adds the tolerations of the flavor to the Job. If both have tolerations, a later '
                   'change by a GitOps tool or Helm fails, unless they are equal and have no tolerationSeconds.',
           'remedy': 'Remove the tolerations if the flavor has them. Keep them if the flavor has taints but no '
                     'tolerations.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'scheduling: {queue: team}\n'
                      'workers: {tolerations: [{key: nvidia.com/gpu, operator: Exists}]}\n'},
 'DS308': {'title': 'A node selection that the queue may not see',
           'when': 'A warning: Kueue compares node selectors and affinity only with the labels of its flavors. It '
                   'ignores other labels and preferences when it admits the Job, which then holds its quota while its '
                   'pods wait for a node.',
           'remedy': 'Let the queue choose the nodes, or add the labels to a ResourceFlavor.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'scheduling: {queue: team}\n'
                      'workers: {nodeSelector: {pool: a100}}\n'},
 'DS309': {'title': 'A Job that dsgen and Kueue both suspend',
           'when': 'With a queue, Kueue suspends and resumes the Job of the workers. A value from the file would be '
                   'overwritten, or conflict with Kueue.',
           'remedy': 'Remove lifecycle.suspend. To pause a run, set spec.active: false in its Workload.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'scheduling: {queue: team}\n'
                      'lifecycle: {suspend: true}\n'},
 'DS310': {'title': 'Gang scheduling with a scheduler that does not support it',
           'when': 'The default scheduler ignores pod groups, so the workers would not start together.',
           'remedy': 'Set workers.schedulerName to the gang scheduler, or remove it.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'scheduling: {gang: volcano}\n'
                      'workers: {schedulerName: default-scheduler}\n'},
 'DS311': {'title': 'A node that is selected and excluded',
           'when': 'workers.nodeSelector allows one node, and workers.excludeNodes excludes it. No node is left.',
           'remedy': 'Remove the node from one of them.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {nodeSelector: {kubernetes.io/hostname: gpu-7}, excludeNodes: [gpu-7]}\n'},
 'DS320': {'title': 'Pod Security: capabilities',
           'when': 'A container adds a capability that the level does not allow; at the level restricted only '
                   'NET_BIND_SERVICE is allowed. The Pod Security level in security.podSecurityLevel forbids this, and '
                   'a namespace that enforces the level refuses the pods.',
           'remedy': 'Remove it, or set the level to privileged if the namespace allows that.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {securityContext: {capabilities: {add: [SYS_ADMIN]}}}\n'},
 'DS321': {'title': 'Pod Security: privileged containers',
           'when': 'A privileged container has all rights on the node. The Pod Security level in '
                   'security.podSecurityLevel forbids this, and a namespace that enforces the level refuses the pods.',
           'remedy': 'Remove it, or set the level to privileged if the namespace allows that.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {securityContext: {privileged: true}}\n'},
 'DS322': {'title': 'Pod Security: host namespaces',
           'when': 'The pods would use the network, the processes or the shared memory of the node. The Pod Security '
                   'level in security.podSecurityLevel forbids this, and a namespace that enforces the level refuses '
                   'the pods.',
           'remedy': 'Remove it, or set the level to privileged if the namespace allows that.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'network: {hostNetwork: true, policy: false}\n'},
 'DS323': {'title': 'Pod Security: hostPath volumes',
           'when': 'A hostPath volume is a folder of the node. The Pod Security level in security.podSecurityLevel '
                   'forbids this, and a namespace that enforces the level refuses the pods.',
           'remedy': 'Use another source, or set the level to privileged if the namespace allows that. A '
                     'PersistentVolume with a hostPath is allowed.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage: {data: {mountPath: /data, hostPath: {path: /data}}}\n'},
 'DS324': {'title': 'Pod Security: host ports',
           'when': 'A container uses a port of the node. The Pod Security level in security.podSecurityLevel forbids '
                   'this, and a namespace that enforces the level refuses the pods.',
           'remedy': 'Remove hostPort: pods can reach each other without it.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {sidecars: [{name: a, image: x:1, ports: [{containerPort: 80, hostPort: 80}]}]}\n'},
 'DS325': {'title': 'Pod Security: /proc mount',
           'when': 'procMount shows a container more of /proc than usual. The Pod Security level in '
                   'security.podSecurityLevel forbids this, and a namespace that enforces the level refuses the pods.',
           'remedy': 'Remove procMount.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {securityContext: {procMount: Unmasked}}\n'},
 'DS326': {'title': 'Pod Security: SELinux',
           'when': 'The SELinux user, role or type is not one of those allowed for containers. The Pod Security level '
                   'in security.podSecurityLevel forbids this, and a namespace that enforces the level refuses the '
                   'pods.',
           'remedy': 'Remove user and role; the type may be container_t, container_init_t, container_kvm_t or '
                     'container_engine_t.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'security: {podSecurityContext: {seLinuxOptions: {type: spc_t}}}\n'},
 'DS327': {'title': 'Pod Security: seccomp',
           'when': 'seccomp is disabled. The Pod Security level in security.podSecurityLevel forbids this, and a '
                   'namespace that enforces the level refuses the pods.',
           'remedy': 'Use RuntimeDefault or Localhost.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'security: {podSecurityContext: {seccompProfile: {type: Unconfined}}}\n'},
 'DS328': {'title': 'Pod Security: sysctls',
           'when': 'The pods set a sysctl that is not one of the safe ones. The Pod Security level in '
                   'security.podSecurityLevel forbids this, and a namespace that enforces the level refuses the pods.',
           'remedy': 'Set it on the nodes instead, or set the level to privileged if the namespace allows that.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'security: {podSecurityContext: {sysctls: [{name: net.core.somaxconn, value: "1024"}]}}\n'},
 'DS329': {'title': 'Pod Security: AppArmor',
           'when': 'AppArmor is disabled, by a field or an annotation. The Pod Security level in '
                   'security.podSecurityLevel forbids this, and a namespace that enforces the level refuses the pods.',
           'remedy': 'Use the profile of the container runtime or one that is loaded on the node.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {securityContext: {appArmorProfile: {type: Unconfined}}}\n'},
 'DS330': {'title': 'Pod Security: Windows host processes',
           'when': 'hostProcess runs a process of the host, on Windows. The Pod Security level in '
                   'security.podSecurityLevel forbids this, and a namespace that enforces the level refuses the pods.',
           'remedy': 'Remove windowsOptions: the workers run on Linux.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'security: {podSecurityContext: {windowsOptions: {hostProcess: true}}}\n'},
 'DS331': {'title': 'Pod Security: volume types',
           'when': 'At the level restricted, a pod may only use claims, ConfigMaps, Secrets, emptyDir, ephemeral, csi '
                   'and projected volumes. The Pod Security level in security.podSecurityLevel forbids this, and a '
                   'namespace that enforces the level refuses the pods.',
           'remedy': 'Use a claim. For an NFS server, create one with create.persistentVolume.nfs.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage: {data: {mountPath: /data, nfs: {server: nfs.example.com, path: /}}}\n'
                      'security: {podSecurityLevel: restricted, podSecurityContext: {runAsUser: 1000}}\n'},
 'DS332': {'title': 'Pod Security: privilege escalation',
           'when': 'At the level restricted, every container must set allowPrivilegeEscalation: false. dsgen sets it '
                   'in its own containers. The Pod Security level in security.podSecurityLevel forbids this, and a '
                   'namespace that enforces the level refuses the pods.',
           'remedy': "Set it in the container's securityContext.",
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {securityContext: {allowPrivilegeEscalation: true}}\n'
                      'security: {podSecurityLevel: restricted, podSecurityContext: {runAsUser: 1000}}\n'},
 'DS333': {'title': 'Pod Security: running as root',
           'when': 'At the level restricted, no container may run as root. dsgen sets runAsNonRoot: true in the pod. '
                   'The Pod Security level in security.podSecurityLevel forbids this, and a namespace that enforces '
                   'the level refuses the pods.',
           'remedy': 'Remove runAsNonRoot: false, and set runAsUser if the image runs as root.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {securityContext: {runAsNonRoot: false}}\n'
                      'security: {podSecurityLevel: restricted, podSecurityContext: {runAsUser: 1000}}\n'},
 'DS334': {'title': 'Pod Security: user 0',
           'when': 'At the level restricted, no container may run as user 0. The Pod Security level in '
                   'security.podSecurityLevel forbids this, and a namespace that enforces the level refuses the pods.',
           'remedy': 'Set another user.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'security: {podSecurityLevel: restricted, podSecurityContext: {runAsUser: 0}}\n'},
 'DS335': {'title': 'Pod Security: capabilities that are not dropped',
           'when': 'At the level restricted, every container must drop all capabilities. dsgen does so in its own '
                   'containers; a list of yours replaces that. The Pod Security level in security.podSecurityLevel '
                   'forbids this, and a namespace that enforces the level refuses the pods.',
           'remedy': "Set capabilities: {drop: [ALL]} in the container's securityContext.",
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {securityContext: {capabilities: {drop: [NET_RAW]}}}\n'
                      'security: {podSecurityLevel: restricted, podSecurityContext: {runAsUser: 1000}}\n'},
 'DS336': {'title': 'Pod Security: hosts of probes and hooks',
           'when': 'A probe or hook with a host could make the node connect to other machines. The Pod Security level '
                   'in security.podSecurityLevel forbids this, and a namespace that enforces the level refuses the '
                   'pods.',
           'remedy': 'Remove host.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {sidecars: [{name: a, image: x:1, livenessProbe: {httpGet: {port: 80, host: '
                      'example.com}}}]}\n'},
 'DS337': {'title': "A setting of the node's network",
           'when': 'With network.hostNetwork the workers use the network of the node, whose settings a pod cannot '
                   'change. Kubernetes refuses such a pod.',
           'remedy': 'Change the setting on the nodes, or remove network.hostNetwork.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'network: {hostNetwork: true, policy: false}\n'
                      'security:\n'
                      '  podSecurityLevel: privileged\n'
                      '  podSecurityContext: {sysctls: [{name: net.ipv4.tcp_syncookies, value: "1"}]}\n'},
 'DS338': {'title': 'A restart policy of an init container or a sidecar',
           'when': 'dsgen writes sidecars as init containers with restartPolicy: Always. With another policy the '
                   'container is an ordinary init container, and the pod waits for it to end. For init containers, '
                   'Never and OnFailure are a warning: Kubernetes supports them from 1.35, and in 1.34 with the '
                   'feature gate ContainerRestartRules.',
           'remedy': 'Remove restartPolicy.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {sidecars: [{name: logs, image: x:1, restartPolicy: Never}]}\n'},
 'DS339': {'title': 'A toleration that Kubernetes refuses',
           'when': 'Kubernetes refuses this toleration: the operator Exists takes no value, every other operator needs '
                   'a key, and tolerationSeconds is allowed only with the effect NoExecute.',
           'remedy': 'Correct the toleration. {operator: Exists} alone tolerates every taint.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {tolerations: [{key: nvidia.com/gpu, operator: Exists, value: present}]}\n'},
 'DS340': {'title': 'A name that is too long for a Service',
           'when': 'The Service of TensorBoard is named after the job, followed by -tensorboard. The name of a Service '
                   'can have at most 63 characters.',
           'remedy': 'Shorten the name of the job to 51 characters.',
           'example': 'name: a-training-with-a-name-that-says-nearly-everything-1\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'monitoring: {tensorboard: {enabled: true, logDir: /data/runs}}\n'
                      'storage: {data: {mountPath: /data, create: {}}}\n'},
 'DS341': {'title': 'TensorBoard without a folder',
           'when': 'TensorBoard is enabled, but monitoring.tensorboard.logDir does not say where the training writes '
                   'its events.',
           'remedy': 'Set monitoring.tensorboard.logDir to a folder on a volume of storage.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'monitoring: {tensorboard: {enabled: true}}\n'},
 'DS342': {'title': 'A folder that TensorBoard cannot see',
           'when': 'TensorBoard runs in its own pod and can only read volumes that several pods can mount. The folder '
                   'is not on a volume, or is on a volume of which each pod has its own copy.',
           'remedy': 'Let the training write its events to a volume such as a claim, and set logDir to a folder on it.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'monitoring: {tensorboard: {enabled: true, logDir: /tmp/runs}}\n'},
 'DS343': {'title': 'A run id that collides with TensorBoard',
           'when': 'The Service of a run is named after the job and run.id, and the Service of TensorBoard after the '
                   'job and the word tensorboard. With this id both have the same name.',
           'remedy': 'Choose another run.id.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'run: {id: tensorboard}\n'
                      'monitoring: {tensorboard: {enabled: true, logDir: /data/runs}}\n'
                      'storage: {data: {mountPath: /data, create: {}}}\n'},
 'DS344': {'title': "Containers that can see each other's processes",
           'when': "With shareProcessNamespace, the containers of a pod can see each other's processes; with hostPID, "
                   'those of the whole node; and through /proc/PID/root, their files. The status sidecar has a token '
                   'of the Kubernetes API, which the training code must not have.',
           'remedy': 'Remove it. Debuggers such as py-spy still see the processes of their own container.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'launcher: {extraPodSpec: {shareProcessNamespace: true}}\n'},
 'DS350': {'title': 'Jobs that are deleted under a GitOps tool',
           'when': 'A warning: Kubernetes deletes the Jobs some time after they end. Argo CD and Flux then create them '
                   'again, because they are still in Git. The training does not run again, but its Jobs are created '
                   'and deleted forever.',
           'remedy': 'Remove lifecycle.ttlSecondsAfterFinished. A new run id removes the objects of the old run.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'lifecycle: {ttlSecondsAfterFinished: 3600}\n'},
 'DS351': {'title': 'Restart exit codes without restarts',
           'when': 'A warning: restartExitCodes lists failures that cause a restart, but maxRestarts is 0.',
           'remedy': 'Set lifecycle.maxRestarts, or remove restartExitCodes.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'lifecycle: {restartExitCodes: [3]}\n'},
 'DS352': {'title': 'A time limit for checkpoints without a path',
           'when': 'A warning: checkpointTimeoutSeconds is set, but checkpointPath is not, so checkpoints are not '
                   'observed.',
           'remedy': "Set lifecycle.progress.checkpointPath, such as DeepSpeed's file latest, next to the checkpoints.",
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'lifecycle: {progress: {checkpointTimeoutSeconds: 3600}}\n'},
 'DS358': {'title': 'Fewer workers that could not continue',
           'when': 'With workers.min, a training goes on with fewer workers if a lost one has not been replaced for '
                   'lifecycle.resizeAfterSeconds. The checkpoint is converted for them (training.deepspeed.resize). '
                   'The launch methods pdsh and openmpi can start another number of workers; the others have the '
                   'number in each worker.',
           'remedy': 'Set what workers.min needs, or remove it.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training:\n'
                      '  python: train.py\n'
                      '  deepspeed: {config: {train_batch_size: 32}}\n'
                      'workers: {replicas: 4, min: 2}\n'},
 'DS360': {'title': 'A key in an address',
           'when': 'A warning: an address seems to contain a key, after a question mark or as a part of its path, as '
                   'the webhooks of Slack, Discord and Teams do. Values files are kept in Git, and the address is '
                   'written to a ConfigMap: anyone who can read one of them can use it.',
           'remedy': 'Put the address of the webhook into a Secret, under the key url, and name the Secret in '
                     'status.webhook.secretName. For a repository, put username and password into a Secret and name it '
                     'in code.git.secretName.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'status: {webhook: {url: '
                      '"https://hooks.slack.com/services/T0000/B0000/0123456789abcdefghij"}}\n'},
 'DS361': {'title': 'More GPUs than processes',
           'when': 'A warning: each training process uses one GPU, and workers.slots says how many processes a worker '
                   'starts. A worker that requests more GPUs than that leaves the others idle.',
           'remedy': 'Set workers.slots to the number of GPUs and remove workers.accelerator.count. If each process '
                     'uses several GPUs, set CUDA_VISIBLE_DEVICES in training.env.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {accelerator: {count: 8}}\n'},
 'DS362': {'title': 'A volume that nothing mounts',
           'when': 'The volume has no mountPath, and no init container or sidecar mounts it either. What the training '
                   'writes to the folder is lost when the pod ends.',
           'remedy': 'Set mountPath to the folder that the training uses, or remove the volume.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage: {checkpoints: {create: {}}}\n'},
 'DS363': {'title': 'A command line in one string',
           'when': 'The key takes the name of one program, script or module, or one argument, and dsgen passes it '
                   'unchanged. A whole command line would be taken as one name. For an item of training.args it is a '
                   'warning.',
           'remedy': 'Set only the name, and write each argument as an item of training.args.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py --epochs 3}\n'},
 'DS364': {'title': 'A launcher inside the launcher',
           'when': 'dsgen starts one process for each slot, with the launcher that launch.method selects. If the '
                   'program is a launcher too, each of these processes starts all processes again.',
           'remedy': 'Set training.python, module or exec to the program that each process runs. To run your own '
                     'launcher, use launch.method: worker-command or launcher-command with launch.command.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {exec: [torchrun, train.py]}\n'},
 'DS365': {'title': "An option of a launcher among the program's arguments",
           'when': 'A warning: training.args are passed to the program, not to the launcher. The option has no effect '
                   'on how many processes start, and most programs refuse it.',
           'remedy': 'Set workers.replicas, workers.slots and launch.masterPort instead. Put other options of '
                     "DeepSpeed's launcher into training.deepspeed.args.",
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, args: [--num_gpus=8]}\n'},
 'DS366': {'title': 'Shell syntax without a shell',
           'when': 'dsgen runs a list of words as it is, without a shell: $NAME, &&, |, > and 2>&1 are arguments like '
                   'any other, so [python, train.py, "&&", echo, done] passes three more arguments to train.py, and '
                   '--out=$OUT writes to a folder named $OUT. A shell that gets a whole script as one word understands '
                   'all of them: [bash, -c, "python train.py && echo done"]. $(NAME) is different: Kubernetes replaces '
                   'it in the command of a container, but dsgen passes it unchanged, and a shell runs a command of '
                   'that name. What some program might take as an argument, such as a variable or |, is a warning.',
           'remedy': 'Start a shell with the script as one word, in training.exec or launch.command, and write $NAME '
                     'in it: [bash, -c, "train --node $NODE_RANK"]. With a pipe, add pipefail, so that a failed '
                     'training fails: [bash, -o, pipefail, -c, "python train.py | tee log"]. If dsgen adds arguments '
                     'or a DeepSpeed configuration, pass them on: [bash, -c, \'python train.py "$@" && echo done\', '
                     'bash]. To keep the output of each rank, set training.rankLogs; for a variable with a fixed '
                     'value, set training.env.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'launch: {method: worker-command, command: [train, --node, $NODE_RANK]}\n'},
 'DS367': {'title': 'Restricted without a user',
           'when': 'A warning: at the level restricted, dsgen sets runAsNonRoot: true. If the user of the image is '
                   'root, the kubelet does not start the containers.',
           'remedy': 'Set security.podSecurityContext with runAsUser, runAsGroup and fsGroup. If the image has another '
                     'user than root, or the cluster assigns one as OpenShift does, set runAsNonRoot: true there.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'security: {podSecurityLevel: restricted}\n'},
 'DS368': {'title': 'CPUs without DS_ACCELERATOR',
           'when': 'A warning: the workers request no GPU, but DeepSpeed uses every GPU that it can see. Images for '
                   'CUDA make the GPUs of the node visible in some clusters, so the training could use GPUs of other '
                   'jobs.',
           'remedy': 'Set training.env.DS_ACCELERATOR: cpu.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {accelerator: {count: 0}}\n'},
 'DS369': {'title': 'A secret in clear text',
           'when': 'A warning: a value looks like a token, a password or a private key, by its form or by the name of '
                   'its variable. Values files are kept in Git, and the value is written to an object that many can '
                   'read.',
           'remedy': 'Create a Secret with the value and refer to it: training.env.NAME: {valueFrom: {secretKeyRef: '
                     '{name: SECRET, key: KEY}}}. Replace the token if it was committed.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, env: {WANDB_API_KEY: 0a1b2c3d4e}}\n'},
 'DS370': {'title': 'A pull secret that is listed twice',
           'when': 'A warning: image.pullSecrets has the same name twice. The API server prints a warning for each '
                   'object.',
           'remedy': 'Remove one of them.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: r/x, tag: v3, pullSecrets: [{name: registry}, {name: registry}]}\n'
                      'training: {python: train.py}\n'},
 'DS371': {'title': 'An argument of mpirun that is not allowed',
           'when': 'dsgen starts mpirun with the number of processes, the workers and the program, and reads the '
                   'output of the ranks. An argument that changes one of these breaks the run.',
           'remedy': 'Use the key that the message names, or remove the argument.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      "launch: {method: openmpi, mpirunArgs: [-np, '8']}\n"},
 'DS372': {'title': 'A release for another job',
           'when': 'Only Helm reports this. dsgen wrote the chart for one job, whose name and namespace are in its '
                   'values, and the release has another name or namespace. The objects would be where the values say, '
                   'not where the release is.',
           'remedy': 'Give the release the name of the job and install it into the namespace of the job: Argo CD has '
                     'source.helm.releaseName and destination.namespace, Flux has releaseName and targetNamespace. For '
                     'another job, set the values name and namespace, or make another chart.'},
 'DS373': {'title': 'A volume with a reserved name',
           'when': 'dsgen adds volumes to the pods. Their names begin with dsgen-, and the names of the volumes of a '
                   'pod must be unique.',
           'remedy': 'Choose another name for the volume.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage: {dsgen-run: {mountPath: /data, create: {}}}\n'},
 'DS374': {'title': 'A Kubernetes API token exposed to the training code',
           'when': 'The ServiceAccount of the launcher pod may change the record and read the ssh key. A projected '
                   'volume with its token would give these permissions to the training code. A token for another '
                   'service, which has an audience, is fine.',
           'remedy': 'If the training needs the Kubernetes API, set workers.serviceAccountName to a ServiceAccount of '
                     'your own, and mountIn: workers for the volume. For another service, set the audience of the '
                     'token.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage:\n'
                      '  api: {mountPath: /api, mountIn: both, projected: {sources: [{serviceAccountToken: {path: '
                      'token}}]}}\n'},
 'DS375': {'title': 'Arguments that a script does not pass on',
           'when': 'A warning: training.exec starts a shell with a script. training.args and --deepspeed_config FILE '
                   'follow the script, where a shell stores them as $0, $1 and so on. The script does not use them, so '
                   'the program trains without its arguments and its DeepSpeed configuration.',
           'remedy': 'Write "$@" after the program, and a name after the script, which becomes $0: [bash, -c, \'python '
                     'train.py "$@"\', bash]. If the program reads the configuration elsewhere, set '
                     'training.deepspeed.passConfig: false.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {exec: [bash, -c, "cd /src; python train.py"], args: [--epochs, "3"]}\n'},
 'DS376': {'title': 'A job whose checkpoints cannot be converted',
           'when': 'training.deepspeed.resize converts a checkpoint if another number of ranks has saved it, and gives '
                   'the attempt a configuration with checkpoint.load_universal. It needs DeepSpeed 0.18 or later, and '
                   'a configuration whose path is among the arguments of the program. launch.command and the autotuner '
                   'choose the configuration themselves.',
           'remedy': 'Remove the other setting, or remove training.deepspeed.resize.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, deepspeed: {resize: {checkpoint: /checkpoints}}}\n'
                      'storage: {checkpoints: {mountPath: /checkpoints, create: {}}}\n'},
 'DS377': {'title': 'Checkpoints that each worker keeps for itself',
           'when': 'training.deepspeed.resize.checkpoint is a folder of a volume of which each pod has its own. A '
                   'checkpoint of DeepSpeed has files of all ranks, and the first worker needs all of them to convert '
                   'it.',
           'remedy': 'Put the checkpoints on a volume that all workers share.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, deepspeed: {configFile: /ds.json, resize: {checkpoint: '
                      '/checkpoints/a}}}\n'
                      'storage: {checkpoints: {mountPath: /checkpoints, emptyDir: {}}}\n'},
 'DS378': {'title': 'A configuration whose checkpoints cannot be continued in another size',
           'when': 'With training.deepspeed.resize, a checkpoint is converted for another number of ranks. DeepSpeed '
                   'converts the state of Adam and AdamW, not that of other optimizers, of amsgrad, on NVMe, or in '
                   'files that each node keeps for itself. It can keep the global batch for several numbers of workers '
                   'only if not all three sizes are given. checkpoint.load_universal is set by dsgen for the attempts '
                   'that need it.',
           'remedy': 'Change the configuration, or remove training.deepspeed.resize.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training:\n'
                      '  python: train.py\n'
                      '  deepspeed:\n'
                      '    config: {train_batch_size: 8, checkpoint: {load_universal: true}}\n'
                      '    resize: {checkpoint: /checkpoints}\n'
                      'storage: {checkpoints: {mountPath: /checkpoints, create: {}}}\n'},
 'DS379': {'title': 'A global batch that changes with the number of workers',
           'when': 'A warning: training.deepspeed.resize is for continuing with another number of workers, but '
                   'train_batch_size is not set, or auto. The global batch is then the micro batch times the number of '
                   'processes, or follows from the arguments of the Hugging Face Trainer: it changes with the workers, '
                   'silently, and the learning rate may have to change.',
           'remedy': 'Set train_batch_size beside train_micro_batch_size_per_gpu; DeepSpeed computes the accumulation '
                     'steps. The Trainer refuses arguments that do not give this batch, so change '
                     '--gradient_accumulation_steps with the workers.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training:\n'
                      '  python: train.py\n'
                      '  deepspeed:\n'
                      '    config: {train_micro_batch_size_per_gpu: 8}\n'
                      '    resize: {checkpoint: /checkpoints}\n'
                      'storage: {checkpoints: {mountPath: /checkpoints, create: {}}}\n'},
 'DS380': {'title': 'The launcher uses the ServiceAccount default',
           'when': 'Every pod of a namespace that names no ServiceAccount uses `default`. A Role for it would allow '
                   'all of them to read the ssh key of the job and to write the record, and dsgen would switch off the '
                   'tokens of all of them with automountServiceAccountToken.',
           'remedy': 'Remove serviceAccount.name and serviceAccount.create, so that the job has its own '
                     'ServiceAccount, or name one that only this job uses. With rbac.create: false, dsgen writes no '
                     'Role, and you decide who may do what.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'serviceAccount: {create: false}\n'},
 'DS381': {'title': 'training.setup uses what the launcher does not have',
           'when': 'A warning: if the launch method uses ssh, training.setup also runs in the launcher, where it '
                   'installs or finds deepspeed, pdsh or mpirun. But the program itself runs in the workers only, so '
                   'the launcher has neither the values of Secrets nor the volumes, and a line that uses them fails '
                   'there.',
           'remedy': 'Repeat the variable in launcher.env, or set mountIn: both for the volume. If only the workers '
                     'need the line, begin it with [ "$DSGEN_ROLE" = launcher ] ||.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, setup: source /envs/a/bin/activate}\n'
                      'storage: {envs: {mountPath: /envs, existingClaim: envs}}\n'},
 'DS382': {'title': 'The job is in a namespace of Kubernetes itself',
           'when': 'A warning: kube-system, kube-public and kube-node-lease hold the parts of the cluster. Quotas and '
                   'policies usually leave them out, and whoever may create pods in kube-system can often read the '
                   'Secrets of the cluster.',
           'remedy': 'Set namespace, -n or the namespace of the release to one that is made for trainings.',
           'example': 'name: cifar\n'
                      'namespace: kube-system\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'},
 'DS383': {'title': 'Less memory than the processes need',
           'when': 'A warning: a worker requests less memory than it needs at least: 2 GiB for each process with CUDA '
                   "(256 MiB on CPUs), workers.sharedMemory, whose files count as memory, and the worker's part of "
                   'what DeepSpeed offloads, counted for a model of a billion parameters with 18 bytes each. The '
                   'default of 8Gi of sharedMemory is not counted, because few jobs fill it. Kubernetes may put the '
                   'pod on a node without the memory, and evict it there.',
           'remedy': 'Set workers.resources.requests.memory at least to the number of the message. docs/memory.md and '
                     'dsgen estimate say what a model needs.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {replicas: 2, slots: 8, sharedMemory: 64Gi, resources: {requests: {cpu: 32}}}\n'},
 'DS384': {'title': 'Little shared memory for several processes',
           'when': 'A warning: the processes of a worker exchange data through /dev/shm, and so do the processes of '
                   'their data loaders. Without a size, most container runtimes give a container 64 MiB. Then the '
                   'training ends with a bus error, or NCCL cannot start.',
           'remedy': 'Set workers.sharedMemory to 1Gi or more, or leave it at the default of 8Gi.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {slots: 8, sharedMemory: "", resources: {requests: {cpu: 32, memory: 64Gi}}}\n'},
 'DS385': {'title': 'Fewer CPUs than processes',
           'when': 'A warning: a worker starts several processes, and requests fewer CPUs than processes. The default '
                   'is one CPU. The scheduler may put so many pods on the node that the processes and their data '
                   'loaders wait for CPUs, and the GPUs with them.',
           'remedy': 'Set workers.resources.requests.cpu to workers.slots or more, with one for each process of a data '
                     'loader.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {slots: 8, resources: {requests: {cpu: 4, memory: 64Gi}}}\n'},
 'DS386': {'title': 'Fewer visible devices than processes',
           'when': 'A warning: training.env.CUDA_VISIBLE_DEVICES names fewer devices than a worker has processes. With '
                   'most launch methods some processes then find no device; with pdsh DeepSpeed replaces the value.',
           'remedy': 'Remove the variable: each process uses the device of its own number.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, env: {CUDA_VISIBLE_DEVICES: "0"}}\n'
                      'workers: {slots: 8, resources: {requests: {cpu: 8, memory: 64Gi}}}\n'},
 'DS387': {'title': 'A folder for files on no volume',
           'when': 'A warning: the training writes rank logs, checkpoints or offloaded states to a path at which no '
                   "volume of storage is mounted in the workers. The files fill the disk of the node's container "
                   'runtime, and are gone with the pod.',
           'remedy': 'Mount a volume at the path, or above it.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, rankLogs: /checkpoints/logs}\n'},
 'DS388': {'title': 'A folder for files on a read-only volume',
           'when': 'The training has to write to a path on a volume that is mounted read-only, which always fails.',
           'remedy': 'Choose a folder on another volume, or remove readOnly.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, rankLogs: /data/logs}\n'
                      'storage: {data: {mountPath: /data, readOnly: true, existingClaim: data}}\n'},
 'DS389': {'title': 'Checkpoints that not all workers have',
           'when': 'A warning: the checkpoints of several workers are on storage that each of them has for itself: an '
                   'emptyDir, or the local storage of the node (use_node_local_storage). After an eviction or in the '
                   'next run, a worker may be on another node, and the training cannot load the checkpoint.',
           'remedy': 'Write checkpoints to a volume that all workers share, such as a claim with ReadWriteMany.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {replicas: 2}\n'
                      'lifecycle: {progress: {checkpointPath: /checkpoints/latest}}\n'
                      'storage: {checkpoints: {mountPath: /checkpoints, emptyDir: {}}}\n'},
 'DS390': {'title': 'An RDMA device without the right to lock memory',
           'when': 'A warning: workers.resources has an RDMA device. RDMA locks memory, for which a container needs '
                   'the capability IPC_LOCK or nodes without a limit. dsgen adds the capability for the devices of '
                   'network.rdma.resources only.',
           'remedy': 'Move the device to network.rdma.resources.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'workers: {resources: {limits: {rdma/hca_shared_devices_a: 1}}}\n'},
 'DS391': {'title': 'A network without its device',
           'when': 'A warning: network.rdma.networks attaches networks to the workers, but the workers request no '
                   'device for them. An SR-IOV network needs a virtual function, which is a resource, and RDMA needs a '
                   'device. Networks that NCCL uses without RDMA are named in network.socketInterface.',
           'remedy': 'Set network.rdma.resources to the resource that the network attachment names in its annotation '
                     'k8s.v1.cni.cncf.io/resourceName. If an injector of the cluster adds it to the pods, ignore the '
                     'warning.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'network: {rdma: {networks: [sriov/rail-0]}}\n'},
 'DS392': {'title': 'Two interfaces for NCCL',
           'when': 'A warning: network.socketInterface and training.env.NCCL_SOCKET_IFNAME name different interfaces. '
                   'NCCL uses the variable, and Gloo the other interface.',
           'remedy': 'Keep one of them. If Gloo should use another interface, set training.env.GLOO_SOCKET_IFNAME.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, env: {NCCL_SOCKET_IFNAME: eth1}}\n'
                      'network: {socketInterface: eth0}\n'},
 'DS393': {'title': 'Options of a launcher that do not fit the job',
           'when': 'A warning: with worker-command, every worker runs the same launch.command. An option with a fixed '
                   'rank, address or number of workers is then wrong on all workers but one, or for another run; with '
                   '--standalone each worker trains alone.',
           'remedy': 'Remove the options for torchrun, which reads the variables of dsgen. For other programs, use '
                     '$NNODES, $NODE_RANK, $MASTER_ADDR and $MASTER_PORT in [bash, -c, ...].',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {}\n'
                      'workers: {replicas: 2}\n'
                      'launch: {method: worker-command, command: [torchrun, --standalone, train.py]}\n'},
 'DS394': {'title': 'A setup that is not a script of bash',
           'when': 'training.setup has a syntax error, as bash -n finds it. The pods check it in the same way, and '
                   'end.',
           'remedy': 'Correct the script. bash -n FILE checks it on your machine.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training:\n'
                      '  python: train.py\n'
                      '  setup: |\n'
                      '    if [ -d /data ]; then\n'
                      '      echo found\n'},
 'DS395': {'title': 'A setup that goes on after a failure',
           'when': 'A warning: training.setup installs or loads something. If that fails, the script goes on like any '
                   'shell script, and the training starts without it.',
           'remedy': 'Write set -e as the first line, or || exit after the command.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, setup: pip install -r requirements.txt}\n'},
 'DS396': {'title': 'A template in a value',
           'when': 'A warning: the value has a template of a Helm chart, such as {{ .Values.x }}. Values are not '
                   'templates: neither Helm nor dsgen renders them, so the program gets the braces.',
           'remedy': 'Write the value itself, or pass it with --set.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, args: ["--data={{ .Values.data }}"]}\n'},
 'DS397': {'title': 'Characters that are not what they look like',
           'when': 'A warning: the value has curly quotes where straight ones were most likely meant, or a character '
                   'that is not visible, such as a no-break space. Such characters come from copied text. They are '
                   'part of the value, and a shell does not take them as quotes or spaces.',
           'remedy': 'Write straight quotes and plain spaces.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, args: [--name, “cifar”]}\n'},
 'DS398': {'title': 'A very short time limit for silence',
           'when': 'A warning: with lifecycle.hangTimeoutSeconds, a training that prints nothing for that time counts '
                   'as hung, and is ended or restarted. Loading a model or a first step takes longer than a minute.',
           'remedy': 'Use more than the longest pause of the training, such as an evaluation; 0 means never.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'lifecycle: {hangTimeoutSeconds: 5}\n'},
 'DS399': {'title': 'Workers that stay after a success',
           'when': 'A warning: with lifecycle.keepWorkers always, the workers keep their GPUs after the end of the '
                   'run, also after a success, until somebody deletes the run.',
           'remedy': 'Use failed, to inspect the workers of a run that failed.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'lifecycle: {keepWorkers: always}\n'},
 'DS401': {'title': 'A model that does not fit its accelerators',
           'when': 'By the numbers of the section estimate, each accelerator needs more memory than it has, even by '
                   'the lower bound of the estimate: no run that these values describe needs less. The training would '
                   'end with an out-of-memory error. With tensor parallelism it is a warning, because the program '
                   'decides which layers are split.',
           'remedy': 'The hint is the first change that is enough, tried in this order: a smaller micro batch, '
                     'recomputed activations, a higher stage of ZeRO, offloading, more workers; then combinations of '
                     'them. It passes the other checks. dsgen estimate shows all parts of the memory.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, deepspeed: {config: {train_micro_batch_size_per_gpu: 1, bf16: '
                      '{enabled: true}, optimizer: {type: AdamW}, zero_optimization: {stage: 2}}}}\n'
                      'workers: {slots: 8, resources: {requests: {cpu: 64, memory: 512Gi}}}\n'
                      'estimate: {model: {parameters: 8030261248}, accelerator: {memory: 24Gi}}\n'},
 'DS402': {'title': 'A model that may not fit its accelerators',
           'when': 'A warning: by the numbers of the section estimate, each accelerator has more memory than the '
                   'training needs at least, and less than it may need. The message names the largest parts of the '
                   'upper bound.',
           'remedy': 'Try it with a short run, whose peak dsgen status can show, or apply the hint: the first change '
                     'with which also the upper bound fits, tried in the same order as for DS401.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, deepspeed: {config: {train_micro_batch_size_per_gpu: 16, bf16: '
                      '{enabled: true}, optimizer: {type: AdamW}, zero_optimization: {stage: 2}}}}\n'
                      'workers: {slots: 8, resources: {requests: {cpu: 64, memory: 512Gi}}}\n'
                      'estimate:\n'
                      '  model: {parameters: 8030261248, largestLayer: 525336576, layers: 32, hidden: 4096, heads: 32, '
                      'kvHeads: 8, intermediate: 14336, matrices: 3, vocabulary: 128256, sequence: 4096, recompute: '
                      'full, attention: flash, kernels: fused, loss: tiled}\n'
                      '  accelerator: {product: H100}\n'},
 'DS403': {'title': 'A worker with less memory than it needs',
           'when': 'By the numbers of the section estimate, the states that are offloaded, the model while it is '
                   'loaded, and the processes need more main memory than the limit of a worker, or than a node has for '
                   'it, even by the lower bound of the estimate. The kernel would kill the training (OOMKilled).',
           'remedy': 'Raise the limit, offload less, or use more workers, among which offloaded states are divided. If '
                     'every process loads the whole model, create it under deepspeed.zero.Init, and set '
                     'estimate.model.zeroInit to true.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, deepspeed: {config: {train_micro_batch_size_per_gpu: 1, bf16: '
                      '{enabled: true}, optimizer: {type: AdamW}, zero_optimization: {stage: 3, offload_optimizer: '
                      '{device: cpu}}}}}\n'
                      'workers: {slots: 8, resources: {requests: {cpu: 64}, limits: {memory: 64Gi}}}\n'
                      'estimate: {model: {parameters: 7000000000}}\n'},
 'DS404': {'title': 'A worker that requests less memory than it needs',
           'when': 'A warning: by the numbers of the section estimate, a worker needs more main memory than it '
                   'requests, even by the lower bound of the estimate. Kubernetes may put the pod on a node without '
                   'the memory, and evict it there.',
           'remedy': 'Raise workers.resources.requests.memory; offloaded states and a model that is loaded need most.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, deepspeed: {config: {train_micro_batch_size_per_gpu: 1, bf16: '
                      '{enabled: true}, optimizer: {type: AdamW}, zero_optimization: {stage: 3, offload_optimizer: '
                      '{device: cpu}, offload_param: {device: cpu}}}}}\n'
                      'workers: {slots: 8, resources: {requests: {cpu: 64}}}\n'
                      'estimate: {model: {parameters: 7000000000}}\n'},
 'DS405': {'title': 'A volume that is too small for the checkpoints',
           'when': 'A warning: by the numbers of the section estimate, the volume that dsgen creates for checkpoints '
                   'is smaller than the checkpoints that are kept, and the next one, which is written before the '
                   'oldest is removed. A checkpoint of DeepSpeed has the weights and the states of the optimizer: with '
                   'Adam in 16 bits 14 bytes a parameter.',
           'remedy': 'Raise the size, or keep fewer checkpoints.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, deepspeed: {config: {train_micro_batch_size_per_gpu: 1, bf16: '
                      '{enabled: true}, optimizer: {type: AdamW}, zero_optimization: {stage: 2}}}}\n'
                      'storage: {checkpoints: {mountPath: /checkpoints, create: {size: 100Gi}}}\n'
                      'estimate: {model: {parameters: 7000000000}, checkpoints: {volume: checkpoints, keep: 2}}\n'},
 'DS406': {'title': 'Too little time to save a checkpoint',
           'when': 'A warning: when a pod is evicted, the training gets lifecycle.terminationGracePeriodSeconds minus '
                   '20 seconds. By the numbers of the section estimate, saving a checkpoint takes longer, so a program '
                   'that saves one when it gets SIGTERM would be killed while it writes.',
           'remedy': 'Raise lifecycle.terminationGracePeriodSeconds; a spot node may give less. If the program does '
                     'not save a checkpoint when it gets SIGTERM, ignore this problem in dsgen.yaml.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, deepspeed: {config: {train_micro_batch_size_per_gpu: 1, bf16: '
                      '{enabled: true}, optimizer: {type: AdamW}, zero_optimization: {stage: 2}}}}\n'
                      'estimate: {model: {parameters: 7000000000}, checkpoints: {bandwidth: 1G}}\n'},
 'DS407': {'title': 'Communication that takes longer than computing',
           'when': 'A warning: by the numbers of the section estimate, the network needs more time for a step than the '
                   'accelerators need to compute it, so they wait most of the time.',
           'remedy': 'The hint is the first change that is enough and fits, tried in this order: a larger micro batch '
                     'with less accumulation, a copy of the weights in each worker (hpZ), a lower stage of ZeRO. '
                     'Otherwise use a faster network, fewer workers, or more micro batches of a step.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, deepspeed: {config: {train_micro_batch_size_per_gpu: 1, bf16: '
                      '{enabled: true}, optimizer: {type: AdamW}, zero_optimization: {stage: 3}}}}\n'
                      'workers: {replicas: 2, slots: 8, resources: {requests: {cpu: 64, memory: 512Gi}}}\n'
                      'estimate:\n'
                      '  model: {parameters: 8030261248, largestLayer: 525336576, layers: 32, hidden: 4096, heads: 32, '
                      'kvHeads: 8, intermediate: 14336, matrices: 3, vocabulary: 128256, sequence: 4096, recompute: '
                      'full, attention: flash, kernels: fused, loss: tiled}\n'
                      '  accelerator: {memory: 40Gi, flops: 312T}\n'
                      '  network: 10Gbit\n'},
 'DS408': {'title': 'More accelerators than the model needs',
           'when': 'A warning: by the numbers of the section estimate, the training uses at most a third of the memory '
                   'of its accelerators, and fits on fewer workers. More workers make a step shorter, but each with '
                   'less work.',
           'remedy': 'Use fewer workers, or a larger micro batch. If the time is worth the accelerators, ignore this '
                     'problem in dsgen.yaml.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py, deepspeed: {config: {train_micro_batch_size_per_gpu: 1, bf16: '
                      '{enabled: true}, optimizer: {type: AdamW}, zero_optimization: {stage: 2}}}}\n'
                      'workers: {replicas: 4, slots: 8, resources: {requests: {cpu: 64, memory: 512Gi}}}\n'
                      'estimate:\n'
                      '  model: {parameters: 494032768, largestLayer: 136134656, layers: 24, hidden: 896, heads: 14, '
                      'kvHeads: 2, intermediate: 4864, matrices: 3, vocabulary: 151936, sequence: 1024, recompute: '
                      'full, attention: flash, kernels: fused, loss: tiled}\n'
                      '  accelerator: {product: H100}\n'},
 'DS409': {'title': 'Checkpoints on a volume that does not exist',
           'when': 'A warning: estimate.checkpoints.volume is not a volume of storage, so its size cannot be compared.',
           'remedy': 'Name the volume of storage on which the training saves its checkpoints.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'
                      'storage: {output: {mountPath: /checkpoints, create: {size: 100Gi}}}\n'
                      'estimate: {checkpoints: {volume: checkpoints}}\n'},
 'DS410': {'title': 'A batch that no smaller number of workers can share',
           'when': 'With workers.min, a training goes on with fewer workers and the same global batch. It must be '
                   'given, and some number of workers from workers.min on must be able to share it.',
           'remedy': 'Change the batch or the number of workers, or remove workers.min.',
           'example': 'name: cifar\n'
                      'namespace: training\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training:\n'
                      '  python: train.py\n'
                      '  deepspeed: {config: {train_batch_size: 32}, resize: {checkpoint: /checkpoints}}\n'
                      'workers: {replicas: 4, min: 3}\n'
                      'storage: {checkpoints: {mountPath: /checkpoints, create: {}}}\n'},
 'DS901': {'title': 'No name or namespace for the manifests',
           'when': 'Manifests need a name and a namespace. In a chart, the release provides those that the values '
                   'leave out.',
           'remedy': 'Set name and namespace in the file, or use --name and -n.',
           'example': 'name: cifar\n'
                      'image: {repository: registry.example.com/team/cifar, tag: v3}\n'
                      'training: {python: train.py}\n'},
 'DS902': {'title': 'Two jobs with the same name and namespace',
           'when': 'Two of the given files define the same job. Their objects would have the same names, and the later '
                   'ones would overwrite the earlier ones.',
           'remedy': 'Change the name or namespace of one of them. To change a job for one environment, overlay a file '
                     'with -f.'},
 'DS903': {'title': 'An existing run would change',
           'when': 'The folder has a run with this id, and the values describe other objects for it. The objects of a '
                   'run never change: Kubernetes refuses the change, and a rollback must find the same objects.',
           'remedy': 'Change run.id to train with the new values, or undo the change. If the run was never applied to '
                     'a cluster, render with --replace.'},
 'DS904': {'title': 'An existing claim would change',
           'when': 'Kubernetes refuses to change the storage class, the access modes or the volume of a claim, and to '
                   'make a claim smaller. The other objects of the folder would be applied without the claim, or not '
                   'at all.',
           'remedy': 'Undo the change, or give the volume another name. If the claim was never applied to a cluster, '
                     'delete its file and render again.'},
 'DS905': {'title': 'A pattern without files',
           'when': 'A pattern in `jobs` of dsgen.yaml matches no file, so it adds no job.',
           'remedy': 'Correct the pattern, or remove it. `*` matches characters within one name, `**` any number of '
                     'folders.',
           'settings': 'jobs: [jobs/*/values.yaml, old/*.yaml]\n'},
 'DS906': {'title': 'An invalid setting of the repository',
           'when': 'dsgen.yaml has a path that leads outside its folder or into a folder of another program, such as '
                   '.github, an unknown id of a problem, or two entries of the matrix for one values file.',
           'remedy': 'Correct the setting as the message says.',
           'settings': 'output: ../manifests/{namespace}/{name}\n'},
 'DS907': {'title': 'A file of the repository that is not read',
           'when': 'dsgen.yaml names something that is not a regular file below its folder. Links are not followed, '
                   'because a pull request could add a link to any file of the machine that renders.',
           'remedy': 'Put a file in its place, or correct the pattern.',
           'settings': 'overlays:\n- jobs: [jobs/**]\n  files: [no-such-file.yaml]\n'},
 'DS908': {'title': 'Two jobs in one folder',
           'when': '`output` or `charts` of dsgen.yaml gives two jobs the same folder.',
           'remedy': 'Write both {namespace} and {name} into the path.',
           'settings': 'output: manifests/{namespace}\n'},
 'DS909': {'title': 'A value that --bump cannot write',
           'when': '`--bump` writes the next run id, and the values of --set flags, only into the values file of the '
                   'job. This value comes from another file, an anchor or standard input, a file over the values file '
                   'overrides it, or the file describes several jobs.',
           'remedy': 'Write the value into the place that the message names, and render again.',
           'settings': 'overlays:\n- jobs: [jobs/**]\n  values: {run: {id: "1"}, workers: {replicas: 3}}\n'},
 'DS910': {'title': 'A folder of a removed job',
           'when': 'dsgen wrote this folder for a job that is no longer in dsgen.yaml. A GitOps tool that applies the '
                   'folder still applies the job.',
           'remedy': 'Render with --prune, which removes the files that dsgen wrote there, or restore the job. Edited '
                     'files are not removed.',
           'settings': 'jobs: [jobs/cifar/values.yaml]\n'},
 'DS911': {'title': 'A file that is not a job of its repository',
           'when': 'A FILE is below a dsgen.yaml, but no pattern of `jobs` matches it. It is used as it is: without '
                   'the defaults and overlays of dsgen.yaml, and not by `dsgen render` without a FILE.',
           'remedy': 'Add a pattern to `jobs`. To use the file alone without this warning, pass it on standard input, '
                     'or set DS911 to ignore in `checks`.'},
 'DS912': {'title': 'An overlay in place of a job',
           'when': 'The file has settings, but no name, no image and no training, which every job has. It is most '
                   'likely meant to be merged over the file of a job. Each FILE of the command line is a job of its '
                   'own.',
           'remedy': 'Give it with -f after the file of the job: dsgen render cifar.yaml -f prod.yaml.',
           'example': 'workers: {replicas: 4}\n'},
 'DS913': {'title': 'An internal error of dsgen',
           'when': 'dsgen failed on the values of this job. This is a bug of dsgen; the other jobs of the call were '
                   'checked.',
           'remedy': 'Report it with the output of the same command with DSGEN_DEBUG=1 in the environment.'}}
