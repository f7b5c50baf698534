"""The schema of the values, which dsgen/schema/__init__.py reads.

Written by `make generate` from dsgen/schema/values.json and kubernetes.json; changes are lost.
"""

KUBERNETES_VERSION = "1.34"
SCHEMA = \
{'$schema': 'http://json-schema.org/draft-07/schema#',
 'title': 'dsgen values',
 'description': 'One distributed DeepSpeed training job.',
 'type': 'object',
 'properties': {'name': {'type': 'string',
                         'default': '',
                         'pattern': '^([a-z]([-a-z0-9]{0,61}[a-z0-9])?)?$',
                         'x-pattern': 'lower-case letters, digits and hyphens, beginning with a letter and not ending '
                                      'with a hyphen, at most 63 characters',
                         'description': 'Name of the job; the names of all objects begin with it. In the chart, an '
                                        'empty name means the release name.',
                         'examples': ['cifar']},
                'namespace': {'type': 'string',
                              'default': '',
                              'pattern': '^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$',
                              'x-pattern': 'lower-case letters, digits and hyphens, beginning and ending with a letter '
                                           'or digit, at most 63 characters',
                              'description': 'Namespace of all objects. In the chart, an empty namespace means the '
                                             'release namespace.'},
                'run': {'type': 'object',
                        'description': 'The current run of the job.',
                        'properties': {'id': {'type': ['string', 'integer'],
                                              'default': '1',
                                              'pattern': '^[a-z0-9]{1,20}$',
                                              'x-pattern': '1 to 20 lower-case letters and digits',
                                              'minimum': 0,
                                              'maximum': 9007199254740991,
                                              'description': 'Name of this run. Change it to train again: a run that '
                                                             "has ended does not train again while the job's record "
                                                             'contains it.',
                                              'examples': ['2', '20260131a']}},
                        'additionalProperties': False},
                'image': {'type': 'object',
                          'description': 'Image of the training. It needs bash, python3 and the programs that '
                                         'launch.method uses: openssh, pdsh and DeepSpeed for pdsh, PyTorch for '
                                         'torchrun.',
                          'properties': {'repository': {'type': 'string',
                                                        'default': '',
                                                        'pattern': '^(([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:[0-9]+)?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*)?$',
                                                        'x-pattern': 'an image such as '
                                                                     'registry.example.com/team/cifar; set tag and '
                                                                     'digest with their own keys',
                                                        'description': 'Image without tag and digest. Required.',
                                                        'examples': ['registry.example.com/team/cifar']},
                                         'tag': {'type': 'string',
                                                 'default': '',
                                                 'pattern': '^([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?$',
                                                 'x-pattern': 'letters, digits, underscores, dots and hyphens, at most '
                                                              '128 characters',
                                                 'description': 'Tag of the image.',
                                                 'examples': ['v3']},
                                         'digest': {'type': 'string',
                                                    'default': '',
                                                    'pattern': '^(sha256:[0-9a-f]{64})?$',
                                                    'x-pattern': 'sha256: and 64 hexadecimal digits',
                                                    'description': 'Digest of the image, such as sha256:...; it takes '
                                                                   'precedence over the tag.'},
                                         'pullPolicy': {'type': 'string',
                                                        'enum': ['IfNotPresent', 'Always', 'Never'],
                                                        'default': 'IfNotPresent',
                                                        'description': 'When nodes pull this and the other images of '
                                                                       'the job.'},
                                         'pullSecrets': {'type': 'array',
                                                         'default': [],
                                                         'description': 'Secrets with credentials for the registries '
                                                                        'of all images, as in Kubernetes: a list of '
                                                                        'items with a name.',
                                                         'items': {'$ref': '#/definitions/pullSecret'},
                                                         'examples': [[{'name': 'registry'}]]}},
                          'additionalProperties': False},
                'code': {'type': 'object',
                         'description': 'Code for the training from a Git repository, cloned when the pods start.',
                         'properties': {'git': {'type': 'object',
                                                'description': 'The repository. No code is cloned if it is empty.',
                                                'properties': {'repository': {'type': 'string',
                                                                              'default': '',
                                                                              'pattern': '^([A-Za-z0-9/][!-~]*)?$',
                                                                              'x-pattern': 'an address without spaces, '
                                                                                           'such as '
                                                                                           'https://git.example.com/team/cifar.git '
                                                                                           'or '
                                                                                           'git@git.example.com:team/cifar.git',
                                                                              'examples': ['https://git.example.com/team/cifar.git'],
                                                                              'description': 'Address of the '
                                                                                             'repository.'},
                                                               'revision': {'type': 'string',
                                                                            'default': '',
                                                                            'pattern': '^([A-Za-z0-9_.][!-~]*)?$',
                                                                            'x-pattern': 'a commit, tag or branch, '
                                                                                         'without spaces and not '
                                                                                         'beginning with a hyphen',
                                                                            'examples': ['3f2c9e1d5b7a4c6e8f0a1b2c3d4e5f6071829304'],
                                                                            'description': 'Commit, tag or branch. '
                                                                                           'Empty means the default '
                                                                                           'branch; only a commit '
                                                                                           'always means the same '
                                                                                           'code.'},
                                                               'secretName': {'type': 'string',
                                                                              'default': '',
                                                                              'pattern': '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$',
                                                                              'x-pattern': 'lower-case letters, '
                                                                                           'digits, hyphens and dots, '
                                                                                           'beginning and ending with '
                                                                                           'a letter or digit',
                                                                              'description': 'Secret with credentials: '
                                                                                             'the key ssh-privatekey, '
                                                                                             'or the keys username and '
                                                                                             'password.'},
                                                               'knownHosts': {'type': 'string',
                                                                              'default': '',
                                                                              'examples': ['git.example.com '
                                                                                           'ssh-ed25519 AAAAC3Nza...'],
                                                                              'description': 'Lines of an ssh '
                                                                                             'known_hosts file, for a '
                                                                                             'repository over ssh.'},
                                                               'image': {'type': 'string',
                                                                         'default': '',
                                                                         'pattern': '^(([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:[0-9]+)?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?)?$',
                                                                         'x-pattern': 'an image with its tag or '
                                                                                      'digest, such as '
                                                                                      'registry.example.com/team/tools:1.2',
                                                                         'description': 'Image with bash and git. '
                                                                                        'Empty means the image of the '
                                                                                        'main container of the pod.'}},
                                                'additionalProperties': False},
                                        'mountPath': {'type': 'string',
                                                      'default': '/workspace/code',
                                                      'pattern': '^(/([^/:.\\n\\x85]|[.]+[^/:.\\n\\x85])[^/:\\n\\x85]*)+$',
                                                      'x-pattern': 'an absolute path such as /data, without colons, a '
                                                                   'final slash, double slashes, or . and .. as '
                                                                   'folders',
                                                      'description': 'Where the code is mounted. It is also the '
                                                                     'working directory of the training, unless '
                                                                     'training.workingDir is set.'}},
                         'additionalProperties': False},
                'labels': {'type': 'object',
                           'default': {},
                           'description': 'Labels of every object, and of the pods.',
                           'propertyNames': {'$ref': '#/definitions/labelKey'},
                           'additionalProperties': {'$ref': '#/definitions/labelValue'},
                           'examples': [{'team': 'vision'}]},
                'annotations': {'type': 'object',
                                'default': {},
                                'description': 'Annotations of every object, and of the pods.',
                                'propertyNames': {'$ref': '#/definitions/labelKey'},
                                'additionalProperties': {'type': 'string'}},
                'workers': {'type': 'object',
                            'description': 'Worker pods, which run the training.',
                            'properties': {'replicas': {'type': 'integer',
                                                        'default': 1,
                                                        'minimum': 1,
                                                        'maximum': 100000,
                                                        'description': 'Number of worker pods.'},
                                           'min': {'type': 'integer',
                                                   'default': 0,
                                                   'minimum': 0,
                                                   'maximum': 100000,
                                                   'description': 'Least number of workers that go on after a loss, '
                                                                  'with the largest number of them among which the '
                                                                  'batch can be divided. The first start needs all '
                                                                  'workers. It needs training.deepspeed.resize. 0 '
                                                                  'means that the others wait until all workers '
                                                                  'answer.',
                                                   'examples': [2]},
                                           'slots': {'type': 'integer',
                                                     'default': 1,
                                                     'minimum': 1,
                                                     'maximum': 1024,
                                                     'description': 'Training processes per worker: the slots in '
                                                                    "DeepSpeed's hostfile."},
                                           'readinessPort': {'type': 'integer',
                                                             'default': 2223,
                                                             'minimum': 1,
                                                             'maximum': 65535,
                                                             'description': "Port of a worker that the kubelet's "
                                                                            'readiness probe connects to and, with '
                                                                            'ssh, the launcher at the end of the run. '
                                                                            'With network.hostNetwork it is a port of '
                                                                            'the node.'},
                                           'accelerator': {'type': 'object',
                                                           'description': 'GPUs or other devices of each worker.',
                                                           'properties': {'resource': {'type': 'string',
                                                                                       'default': 'nvidia.com/gpu',
                                                                                       'pattern': '^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$',
                                                                                       'x-pattern': 'a domain, / and a '
                                                                                                    'name, such as '
                                                                                                    'nvidia.com/gpu',
                                                                                       'description': 'Resource name '
                                                                                                      'of the device, '
                                                                                                      'as the device '
                                                                                                      'plugin of the '
                                                                                                      'cluster '
                                                                                                      'advertises it.',
                                                                                       'examples': ['amd.com/gpu',
                                                                                                    'huawei.com/Ascend910',
                                                                                                    'habana.ai/gaudi']},
                                                                          'count': {'type': ['integer', 'null'],
                                                                                    'minimum': 0,
                                                                                    'maximum': 1024,
                                                                                    'description': 'Devices per '
                                                                                                   'worker. The '
                                                                                                   'default is the '
                                                                                                   'number of slots; 0 '
                                                                                                   'means none, for '
                                                                                                   'training on '
                                                                                                   'CPUs.'}},
                                                           'additionalProperties': False},
                                           'sharedMemory': {'type': 'string',
                                                            'default': '8Gi',
                                                            'pattern': '^(unlimited|[0-9]{1,18}([.][0-9]{1,18})?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?)?$',
                                                            'x-pattern': 'a size such as 8Gi, or unlimited',
                                                            'description': 'Size of /dev/shm, which data loaders and '
                                                                           'NCCL use. Empty means the small default of '
                                                                           'the container runtime; unlimited means '
                                                                           'that only the memory limit of the pod '
                                                                           'applies.'},
                                           'spread': {'type': 'string',
                                                      'enum': ['none', 'preferred', 'required'],
                                                      'default': 'none',
                                                      'description': 'Put each worker of the run on its own node: '
                                                                     'never (none), if possible (preferred) or always '
                                                                     '(required).'},
                                           'serviceAccountName': {'type': 'string',
                                                                  'default': '',
                                                                  'pattern': '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$',
                                                                  'x-pattern': 'lower-case letters, digits, hyphens '
                                                                               'and dots, beginning and ending with a '
                                                                               'letter or digit',
                                                                  'description': 'ServiceAccount of the worker pods. '
                                                                                 'Empty means the default one of the '
                                                                                 'namespace. No token is mounted in '
                                                                                 'either case.'},
                                           'resources': {'type': 'object',
                                                         'description': 'Requests and limits of a worker, such as cpu '
                                                                        'and memory, as in Kubernetes. Set the '
                                                                        'accelerator in workers.accelerator, not here.',
                                                         'properties': {'requests': {'type': 'object',
                                                                                     'default': {'cpu': 'auto',
                                                                                                 'memory': 'auto'},
                                                                                     'description': 'Resources that '
                                                                                                    'the scheduler '
                                                                                                    'reserves. auto is '
                                                                                                    'the limit, or '
                                                                                                    'without a limit '
                                                                                                    'the default. null '
                                                                                                    'removes an entry '
                                                                                                    'of the default.',
                                                                                     'propertyNames': {'$ref': '#/definitions/resourceName'},
                                                                                     'additionalProperties': {'$ref': '#/definitions/request'}},
                                                                        'limits': {'type': 'object',
                                                                                   'default': {},
                                                                                   'description': 'Maximum of each '
                                                                                                  'resource that the '
                                                                                                  'container may use.',
                                                                                   'propertyNames': {'$ref': '#/definitions/resourceName'},
                                                                                   'additionalProperties': {'$ref': '#/definitions/quantity'}},
                                                                        'claims': {'type': 'array',
                                                                                   'default': [],
                                                                                   'description': 'Claims of dynamic '
                                                                                                  'resource allocation '
                                                                                                  'that the container '
                                                                                                  'uses.',
                                                                                   'items': {'$ref': '#/definitions/ResourceClaim'}}},
                                                         'additionalProperties': False},
                                           'schedulerName': {'type': 'string',
                                                             'default': '',
                                                             'pattern': '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$',
                                                             'x-pattern': 'lower-case letters, digits, hyphens and '
                                                                          'dots, beginning and ending with a letter or '
                                                                          'digit',
                                                             'description': 'Scheduler of the worker pods. Empty means '
                                                                            'the one that scheduling.gang needs, or '
                                                                            "the cluster's default without a gang."},
                                           'excludeNodes': {'type': 'array',
                                                            'default': [],
                                                            'description': 'Names of nodes on which no worker may run, '
                                                                           'such as those that a preflight check of an '
                                                                           'earlier run named.',
                                                            'items': {'type': 'string',
                                                                      'pattern': '^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$',
                                                                      'x-pattern': 'lower-case letters, digits, '
                                                                                   'hyphens and dots, beginning and '
                                                                                   'ending with a letter or digit'},
                                                            'examples': [['gpu-17', 'gpu-42']]},
                                           'tolerations': {'type': 'array',
                                                           'default': [],
                                                           'description': 'Taints that these pods tolerate, as in '
                                                                          'Kubernetes.',
                                                           'items': {'$ref': '#/definitions/Toleration'},
                                                           'examples': [[{'key': 'nvidia.com/gpu',
                                                                          'operator': 'Exists',
                                                                          'effect': 'NoSchedule'}]]},
                                           'nodeSelector': {'type': 'object',
                                                            'default': {},
                                                            'description': 'Labels that a node must have for these '
                                                                           'pods.',
                                                            'propertyNames': {'$ref': '#/definitions/labelKey'},
                                                            'additionalProperties': {'$ref': '#/definitions/labelValue'},
                                                            'examples': [{'example.com/pool': 'gpu'}]},
                                           'affinity': {'type': 'object',
                                                        'default': {},
                                                        'description': 'Rules for the choice of nodes, as in '
                                                                       'Kubernetes.',
                                                        'allOf': [{'$ref': '#/definitions/Affinity'}]},
                                           'topologySpreadConstraints': {'type': 'array',
                                                                         'default': [],
                                                                         'description': 'How these pods are spread '
                                                                                        'over zones, racks or nodes, '
                                                                                        'as in Kubernetes.',
                                                                         'items': {'$ref': '#/definitions/TopologySpreadConstraint'}},
                                           'priorityClassName': {'type': 'string',
                                                                 'default': '',
                                                                 'pattern': '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$',
                                                                 'x-pattern': 'lower-case letters, digits, hyphens and '
                                                                              'dots, beginning and ending with a '
                                                                              'letter or digit',
                                                                 'description': 'PriorityClass of these pods. Empty '
                                                                                "means the cluster's default."},
                                           'runtimeClassName': {'type': 'string',
                                                                'default': '',
                                                                'pattern': '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$',
                                                                'x-pattern': 'lower-case letters, digits, hyphens and '
                                                                             'dots, beginning and ending with a letter '
                                                                             'or digit',
                                                                'description': 'RuntimeClass of these pods. Empty '
                                                                               "means the cluster's default.",
                                                                'examples': ['nvidia']},
                                           'podLabels': {'type': 'object',
                                                         'default': {},
                                                         'description': 'Labels of these pods, merged over labels.',
                                                         'propertyNames': {'$ref': '#/definitions/labelKey'},
                                                         'additionalProperties': {'$ref': '#/definitions/labelValue'}},
                                           'podAnnotations': {'type': 'object',
                                                              'default': {'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
                                                                          'karpenter.sh/do-not-disrupt': 'true',
                                                                          'linkerd.io/inject': 'disabled',
                                                                          'sidecar.istio.io/inject': 'false'},
                                                              'description': 'Annotations of these pods, merged over '
                                                                             'annotations. The defaults disable the '
                                                                             'sidecars of service meshes and keep '
                                                                             'autoscalers from evicting the training; '
                                                                             'null removes one.',
                                                              'propertyNames': {'$ref': '#/definitions/labelKey'},
                                                              'additionalProperties': {'type': 'string'}},
                                           'initContainers': {'type': 'array',
                                                              'default': [],
                                                              'description': 'Containers that run before the main '
                                                                             'container, as in Kubernetes. They can '
                                                                             'mount the volumes of storage by name.',
                                                              'items': {'$ref': '#/definitions/container'}},
                                           'sidecars': {'type': 'array',
                                                        'default': [],
                                                        'description': 'Containers that run alongside the main '
                                                                       'container until it ends, as in Kubernetes. '
                                                                       'They can mount the volumes of storage by name.',
                                                        'items': {'$ref': '#/definitions/container'}},
                                           'securityContext': {'type': 'object',
                                                               'default': {},
                                                               'description': 'Security context of the main container, '
                                                                              'as in Kubernetes. It is merged over '
                                                                              'security.securityContext.',
                                                               'allOf': [{'$ref': '#/definitions/SecurityContext'}]},
                                           'extraPodSpec': {'type': 'object',
                                                            'default': {},
                                                            'description': 'Fields of the pod for which dsgen has no '
                                                                           'key, as in Kubernetes. They are written '
                                                                           'unchanged.',
                                                            'allOf': [{'$ref': '#/definitions/PodSpec'}],
                                                            'examples': [{'hostAliases': [{'ip': '10.0.0.7',
                                                                                           'hostnames': ['registry.example.com']}]}]},
                                           'extraContainerSpec': {'type': 'object',
                                                                  'default': {},
                                                                  'description': 'Fields of the main container for '
                                                                                 'which dsgen has no key, as in '
                                                                                 'Kubernetes. They are written '
                                                                                 'unchanged.',
                                                                  'allOf': [{'$ref': '#/definitions/Container'}],
                                                                  'examples': [{'stdin': True, 'tty': True}]}},
                            'additionalProperties': False},
                'launcher': {'type': 'object',
                             'description': 'Launcher pod, which starts the training on the workers and records how it '
                                            'ends.',
                             'properties': {'image': {'type': 'string',
                                                      'default': '',
                                                      'pattern': '^(([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:[0-9]+)?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?)?$',
                                                      'x-pattern': 'an image with its tag or digest, such as '
                                                                   'registry.example.com/team/tools:1.2',
                                                      'description': 'Image of the launcher. Empty means the image of '
                                                                     'the job. docs/image.md says what each launch '
                                                                     'method needs in it.'},
                                            'env': {'type': 'object',
                                                    'default': {},
                                                    'propertyNames': {'type': 'string',
                                                                      'pattern': '^[A-Za-z_][A-Za-z0-9_]*$',
                                                                      'x-pattern': 'letters, digits and underscores, '
                                                                                   'not beginning with a digit, as in '
                                                                                   'a shell'},
                                                    'additionalProperties': {'$ref': '#/definitions/envValue'},
                                                    'description': 'Environment variables of the launcher, in addition '
                                                                   'to those of training.env that it has.',
                                                    'examples': [{'PIP_INDEX_URL': {'valueFrom': {'secretKeyRef': {'name': 'package-index',
                                                                                                                   'key': 'url'}}}}]},
                                            'resources': {'type': 'object',
                                                          'description': 'Requests and limits of the launcher, such as '
                                                                         'cpu and memory, as in Kubernetes.',
                                                          'properties': {'requests': {'type': 'object',
                                                                                      'default': {'cpu': 'auto',
                                                                                                  'memory': 'auto'},
                                                                                      'description': 'Resources that '
                                                                                                     'the scheduler '
                                                                                                     'reserves. auto '
                                                                                                     'is the limit, or '
                                                                                                     'without a limit '
                                                                                                     'the default. '
                                                                                                     'null removes an '
                                                                                                     'entry of the '
                                                                                                     'default.',
                                                                                      'propertyNames': {'$ref': '#/definitions/resourceName'},
                                                                                      'additionalProperties': {'$ref': '#/definitions/request'}},
                                                                         'limits': {'type': 'object',
                                                                                    'default': {},
                                                                                    'description': 'Maximum of each '
                                                                                                   'resource that the '
                                                                                                   'container may use.',
                                                                                    'propertyNames': {'$ref': '#/definitions/resourceName'},
                                                                                    'additionalProperties': {'$ref': '#/definitions/quantity'}},
                                                                         'claims': {'type': 'array',
                                                                                    'default': [],
                                                                                    'description': 'Claims of dynamic '
                                                                                                   'resource '
                                                                                                   'allocation that '
                                                                                                   'the container '
                                                                                                   'uses.',
                                                                                    'items': {'$ref': '#/definitions/ResourceClaim'}}},
                                                          'additionalProperties': False},
                                            'schedulerName': {'type': 'string',
                                                              'default': '',
                                                              'pattern': '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$',
                                                              'x-pattern': 'lower-case letters, digits, hyphens and '
                                                                           'dots, beginning and ending with a letter '
                                                                           'or digit',
                                                              'description': 'Scheduler of the launcher pod. Empty '
                                                                             "means the cluster's default."},
                                            'tolerations': {'type': 'array',
                                                            'default': [],
                                                            'description': 'Taints that these pods tolerate, as in '
                                                                           'Kubernetes.',
                                                            'items': {'$ref': '#/definitions/Toleration'},
                                                            'examples': [[{'key': 'nvidia.com/gpu',
                                                                           'operator': 'Exists',
                                                                           'effect': 'NoSchedule'}]]},
                                            'nodeSelector': {'type': 'object',
                                                             'default': {},
                                                             'description': 'Labels that a node must have for these '
                                                                            'pods.',
                                                             'propertyNames': {'$ref': '#/definitions/labelKey'},
                                                             'additionalProperties': {'$ref': '#/definitions/labelValue'},
                                                             'examples': [{'example.com/pool': 'gpu'}]},
                                            'affinity': {'type': 'object',
                                                         'default': {},
                                                         'description': 'Rules for the choice of nodes, as in '
                                                                        'Kubernetes.',
                                                         'allOf': [{'$ref': '#/definitions/Affinity'}]},
                                            'topologySpreadConstraints': {'type': 'array',
                                                                          'default': [],
                                                                          'description': 'How these pods are spread '
                                                                                         'over zones, racks or nodes, '
                                                                                         'as in Kubernetes.',
                                                                          'items': {'$ref': '#/definitions/TopologySpreadConstraint'}},
                                            'priorityClassName': {'type': 'string',
                                                                  'default': '',
                                                                  'pattern': '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$',
                                                                  'x-pattern': 'lower-case letters, digits, hyphens '
                                                                               'and dots, beginning and ending with a '
                                                                               'letter or digit',
                                                                  'description': 'PriorityClass of these pods. Empty '
                                                                                 "means the cluster's default."},
                                            'runtimeClassName': {'type': 'string',
                                                                 'default': '',
                                                                 'pattern': '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$',
                                                                 'x-pattern': 'lower-case letters, digits, hyphens and '
                                                                              'dots, beginning and ending with a '
                                                                              'letter or digit',
                                                                 'description': 'RuntimeClass of these pods. Empty '
                                                                                "means the cluster's default.",
                                                                 'examples': ['nvidia']},
                                            'podLabels': {'type': 'object',
                                                          'default': {},
                                                          'description': 'Labels of these pods, merged over labels.',
                                                          'propertyNames': {'$ref': '#/definitions/labelKey'},
                                                          'additionalProperties': {'$ref': '#/definitions/labelValue'}},
                                            'podAnnotations': {'type': 'object',
                                                               'default': {'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
                                                                           'karpenter.sh/do-not-disrupt': 'true',
                                                                           'linkerd.io/inject': 'disabled',
                                                                           'sidecar.istio.io/inject': 'false'},
                                                               'description': 'Annotations of these pods, merged over '
                                                                              'annotations. The defaults disable the '
                                                                              'sidecars of service meshes and keep '
                                                                              'autoscalers from evicting the training; '
                                                                              'null removes one.',
                                                               'propertyNames': {'$ref': '#/definitions/labelKey'},
                                                               'additionalProperties': {'type': 'string'}},
                                            'initContainers': {'type': 'array',
                                                               'default': [],
                                                               'description': 'Containers that run before the main '
                                                                              'container, as in Kubernetes. They can '
                                                                              'mount the volumes of storage by name.',
                                                               'items': {'$ref': '#/definitions/container'}},
                                            'sidecars': {'type': 'array',
                                                         'default': [],
                                                         'description': 'Containers that run alongside the main '
                                                                        'container until it ends, as in Kubernetes. '
                                                                        'They can mount the volumes of storage by '
                                                                        'name.',
                                                         'items': {'$ref': '#/definitions/container'}},
                                            'securityContext': {'type': 'object',
                                                                'default': {},
                                                                'description': 'Security context of the main '
                                                                               'container, as in Kubernetes. It is '
                                                                               'merged over security.securityContext.',
                                                                'allOf': [{'$ref': '#/definitions/SecurityContext'}]},
                                            'extraPodSpec': {'type': 'object',
                                                             'default': {},
                                                             'description': 'Fields of the pod for which dsgen has no '
                                                                            'key, as in Kubernetes. They are written '
                                                                            'unchanged.',
                                                             'allOf': [{'$ref': '#/definitions/PodSpec'}],
                                                             'examples': [{'hostAliases': [{'ip': '10.0.0.7',
                                                                                            'hostnames': ['registry.example.com']}]}]},
                                            'extraContainerSpec': {'type': 'object',
                                                                   'default': {},
                                                                   'description': 'Fields of the main container for '
                                                                                  'which dsgen has no key, as in '
                                                                                  'Kubernetes. They are written '
                                                                                  'unchanged.',
                                                                   'allOf': [{'$ref': '#/definitions/Container'}],
                                                                   'examples': [{'stdin': True, 'tty': True}]}},
                             'additionalProperties': False},
                'training': {'type': 'object',
                             'description': 'The program to train. Exactly one of python, module and exec is required, '
                                            'unless launch.method uses launch.command.',
                             'properties': {'python': {'type': 'string',
                                                       'default': '',
                                                       'description': 'Path of the Python script to run.',
                                                       'examples': ['train.py']},
                                            'module': {'type': 'string',
                                                       'default': '',
                                                       'description': 'Python module to run, as with python -m.',
                                                       'examples': ['team.train']},
                                            'exec': {'type': 'array',
                                                     'default': [],
                                                     'description': 'Any other program: a command as a list with one '
                                                                    'item per argument.',
                                                     'items': {'type': 'string'},
                                                     'examples': [['bash', '-c', 'python train.py --data $DATA']]},
                                            'args': {'type': 'array',
                                                     'default': [],
                                                     'description': 'Arguments of the program, passed to every process '
                                                                    'unchanged. Put numbers in quotes.',
                                                     'items': {'type': 'string'},
                                                     'examples': [['--epochs', '3']]},
                                            'pythonCommand': {'type': 'string',
                                                              'default': 'python3',
                                                              'minLength': 1,
                                                              'description': 'Python interpreter that runs the script '
                                                                             'or module.'},
                                            'workingDir': {'type': 'string',
                                                           'default': '',
                                                           'pattern': '^(/[^\\n\\x85]*)?$',
                                                           'x-pattern': 'an absolute path',
                                                           'description': 'Working directory of the training. Empty '
                                                                          'means code.mountPath if code is cloned, '
                                                                          'otherwise the working directory of the '
                                                                          'image.'},
                                            'env': {'type': 'object',
                                                    'default': {},
                                                    'propertyNames': {'type': 'string',
                                                                      'pattern': '^[A-Za-z_][A-Za-z0-9_]*$',
                                                                      'x-pattern': 'letters, digits and underscores, '
                                                                                   'not beginning with a digit, as in '
                                                                                   'a shell'},
                                                    'additionalProperties': {'$ref': '#/definitions/envValue'},
                                                    'description': 'Environment variables of the training: names with '
                                                                   'a string, or with valueFrom as in Kubernetes. The '
                                                                   'launcher has only the strings, unless '
                                                                   'launch.method is launcher-command.',
                                                    'examples': [{'NCCL_DEBUG': 'INFO',
                                                                  'TOKEN': {'valueFrom': {'secretKeyRef': {'name': 'hub',
                                                                                                           'key': 'token'}}}}]},
                                            'envFrom': {'type': 'array',
                                                        'default': [],
                                                        'description': 'ConfigMaps and Secrets whose keys become '
                                                                       'environment variables, as in Kubernetes. The '
                                                                       'launcher has them only if launch.method is '
                                                                       'launcher-command.',
                                                        'items': {'$ref': '#/definitions/EnvFromSource'},
                                                        'examples': [[{'secretRef': {'name': 'tracker'}}]]},
                                            'setup': {'type': 'string',
                                                      'default': '',
                                                      'description': 'Bash code that the workers source when they '
                                                                     'start, before the training: pip install, ulimit, '
                                                                     'computed variables. Exported variables reach '
                                                                     'every process. The launcher sources it too if '
                                                                     'launch.method uses ssh.',
                                                      'examples': ['pip install -r /workspace/code/requirements.txt']},
                                            'files': {'type': 'object',
                                                      'default': {},
                                                      'description': 'Text files for the training, by name. They are '
                                                                     'mounted in /job/files and can have 1 MiB in '
                                                                     'total.',
                                                      'propertyNames': {'type': 'string',
                                                                        'pattern': '^[.]?[A-Za-z0-9_-][A-Za-z0-9_.-]{0,250}$',
                                                                        'x-pattern': 'a file name of letters, digits, '
                                                                                     'dots, hyphens and underscores'},
                                                      'additionalProperties': {'type': 'string'},
                                                      'examples': [{'hosts.txt': 'a\nb\n'}]},
                                            'rankLogs': {'type': 'string',
                                                         'default': '',
                                                         'pattern': '^(/[^\\n\\x85]*)?$',
                                                         'x-pattern': 'an absolute path',
                                                         'description': 'Folder for a copy of the output of each rank, '
                                                                        'in a file RUN-rank-N.log, such as a folder of '
                                                                        'a volume. The log of the pods contains the '
                                                                        'output in any case.',
                                                         'examples': ['/checkpoints/logs']},
                                            'deepspeed': {'type': 'object',
                                                          'description': 'Configuration of DeepSpeed.',
                                                          'properties': {'config': {'type': 'object',
                                                                                    'default': {},
                                                                                    'description': 'DeepSpeed '
                                                                                                   'configuration. It '
                                                                                                   'is mounted as '
                                                                                                   '/job/ds_config.json '
                                                                                                   'and passed to the '
                                                                                                   'program.',
                                                                                    'allOf': [{'$ref': '#/definitions/withoutNull'}],
                                                                                    'examples': [{'train_batch_size': 64,
                                                                                                  'bf16': {'enabled': True},
                                                                                                  'zero_optimization': {'stage': 2}}]},
                                                                         'configFile': {'type': 'string',
                                                                                        'default': '',
                                                                                        'description': 'Path of a '
                                                                                                       'DeepSpeed '
                                                                                                       'configuration '
                                                                                                       'inside the '
                                                                                                       'container, '
                                                                                                       'instead of '
                                                                                                       'config.'},
                                                                         'passConfig': {'type': 'boolean',
                                                                                        'default': True,
                                                                                        'description': 'Pass the '
                                                                                                       'configuration '
                                                                                                       'to the program '
                                                                                                       'as --deepspeed '
                                                                                                       '--deepspeed_config '
                                                                                                       'FILE.'},
                                                                         'resize': {'type': 'object',
                                                                                    'description': 'Continue '
                                                                                                   'checkpoints of '
                                                                                                   'ZeRO with another '
                                                                                                   'number of workers '
                                                                                                   'or slots.',
                                                                                    'properties': {'checkpoint': {'type': 'string',
                                                                                                                  'default': '',
                                                                                                                  'pattern': '^(/[A-Za-z0-9_][A-Za-z0-9._@+=:,-]*)*$',
                                                                                                                  'x-pattern': 'an '
                                                                                                                               'absolute '
                                                                                                                               'path '
                                                                                                                               'of '
                                                                                                                               'letters, '
                                                                                                                               'digits '
                                                                                                                               'and '
                                                                                                                               'the '
                                                                                                                               'characters '
                                                                                                                               '._@+=:,-',
                                                                                                                  'description': 'Folder '
                                                                                                                                 'of '
                                                                                                                                 "DeepSpeed's "
                                                                                                                                 'checkpoints, '
                                                                                                                                 'which '
                                                                                                                                 'contains '
                                                                                                                                 'the '
                                                                                                                                 'file '
                                                                                                                                 'latest, '
                                                                                                                                 'or '
                                                                                                                                 'output '
                                                                                                                                 'folder '
                                                                                                                                 'of '
                                                                                                                                 'the '
                                                                                                                                 'Hugging '
                                                                                                                                 'Face '
                                                                                                                                 'Trainer. '
                                                                                                                                 'Before '
                                                                                                                                 'each '
                                                                                                                                 'attempt, '
                                                                                                                                 'the '
                                                                                                                                 'first '
                                                                                                                                 'worker '
                                                                                                                                 'converts '
                                                                                                                                 'the '
                                                                                                                                 'newest '
                                                                                                                                 'checkpoint '
                                                                                                                                 'in '
                                                                                                                                 'it '
                                                                                                                                 'if '
                                                                                                                                 'another '
                                                                                                                                 'number '
                                                                                                                                 'of '
                                                                                                                                 'ranks '
                                                                                                                                 'has '
                                                                                                                                 'saved '
                                                                                                                                 'it. '
                                                                                                                                 'Empty '
                                                                                                                                 'means '
                                                                                                                                 'that '
                                                                                                                                 'nothing '
                                                                                                                                 'is '
                                                                                                                                 'converted.',
                                                                                                                  'examples': ['/checkpoints/cifar']},
                                                                                                   'programLoadsFrozen': {'type': 'boolean',
                                                                                                                          'default': False,
                                                                                                                          'description': 'The '
                                                                                                                                         'program '
                                                                                                                                         'itself '
                                                                                                                                         'loads '
                                                                                                                                         'frozen '
                                                                                                                                         'parameters '
                                                                                                                                         'and '
                                                                                                                                         'buffers, '
                                                                                                                                         'which '
                                                                                                                                         'are '
                                                                                                                                         'not '
                                                                                                                                         'converted. '
                                                                                                                                         'If '
                                                                                                                                         'it '
                                                                                                                                         'is '
                                                                                                                                         'false, '
                                                                                                                                         'a '
                                                                                                                                         'checkpoint '
                                                                                                                                         'that '
                                                                                                                                         'contains '
                                                                                                                                         'any '
                                                                                                                                         'is '
                                                                                                                                         'refused.'}},
                                                                                    'additionalProperties': False},
                                                                         'localRank': {'type': 'boolean',
                                                                                       'default': True,
                                                                                       'description': 'Pass '
                                                                                                      '--local_rank=N '
                                                                                                      'to the program, '
                                                                                                      "as DeepSpeed's "
                                                                                                      'launcher does. '
                                                                                                      'Has no effect '
                                                                                                      'with '
                                                                                                      'launch.method '
                                                                                                      'torchrun and '
                                                                                                      'openmpi.'},
                                                                         'version': {'type': 'string',
                                                                                     'default': '',
                                                                                     'pattern': '^([0-9]{1,5}[.][0-9]{1,5}([.][0-9]{1,5})?)?$',
                                                                                     'x-pattern': 'a version such as '
                                                                                                  '0.16 or 0.16.4',
                                                                                     'examples': ['0.16.4'],
                                                                                     'description': 'Version of '
                                                                                                    'DeepSpeed in the '
                                                                                                    'image; dsgen '
                                                                                                    'checks keys and '
                                                                                                    'launcher options '
                                                                                                    'for it. A version '
                                                                                                    'that dsgen does '
                                                                                                    'not know is '
                                                                                                    'checked against '
                                                                                                    'its nearest known '
                                                                                                    'neighbours. Empty '
                                                                                                    'means the newest '
                                                                                                    'version that '
                                                                                                    'dsgen knows.'},
                                                                         'args': {'type': 'array',
                                                                                  'default': [],
                                                                                  'description': 'Further arguments of '
                                                                                                 "DeepSpeed's "
                                                                                                 'launcher. Arguments '
                                                                                                 'for which dsgen has '
                                                                                                 'a key are refused.',
                                                                                  'items': {'type': 'string'},
                                                                                  'examples': [['--no_ssh_check',
                                                                                                '--log_level',
                                                                                                'debug']]},
                                                                         'autotuning': {'type': 'string',
                                                                                        'enum': ['none', 'tune', 'run'],
                                                                                        'default': 'none',
                                                                                        'description': "DeepSpeed's "
                                                                                                       'autotuning: '
                                                                                                       'none, only the '
                                                                                                       'search (tune), '
                                                                                                       'or the search '
                                                                                                       'and then the '
                                                                                                       'training with '
                                                                                                       'its result '
                                                                                                       '(run).'},
                                                                         'bindCores': {'type': 'boolean',
                                                                                       'default': False,
                                                                                       'description': 'Bind each '
                                                                                                      'process to its '
                                                                                                      'own CPU '
                                                                                                      'cores.'}},
                                                          'additionalProperties': False}},
                             'additionalProperties': False},
                'launch': {'type': 'object',
                           'description': 'How the training processes are started.',
                           'properties': {'method': {'type': 'string',
                                                     'enum': ['pdsh',
                                                              'openmpi',
                                                              'torchrun',
                                                              'deepspeed-no-ssh',
                                                              'worker-command',
                                                              'launcher-command'],
                                                     'default': 'pdsh',
                                                     'description': 'How the processes are started: by the launcher '
                                                                    'over ssh (pdsh, openmpi), by each worker without '
                                                                    'ssh (torchrun, deepspeed-no-ssh), or by your own '
                                                                    'command on each worker (worker-command) or in the '
                                                                    'launcher (launcher-command).'},
                                          'command': {'type': 'array',
                                                      'default': [],
                                                      'description': 'Command of the methods worker-command and '
                                                                     'launcher-command, as a list with one item per '
                                                                     'argument.',
                                                      'items': {'type': 'string'},
                                                      'examples': [['accelerate', 'launch', 'train.py']]},
                                          'mpirunArgs': {'type': 'array',
                                                         'default': [],
                                                         'description': 'Further arguments of mpirun, for the method '
                                                                        'openmpi. Arguments that dsgen sets are '
                                                                        'refused, except --map-by and --bind-to, which '
                                                                        'replace those of dsgen (slot and none).',
                                                         'items': {'type': 'string'},
                                                         'examples': [['--mca',
                                                                       'btl_tcp_if_include',
                                                                       'eth0',
                                                                       '--bind-to',
                                                                       'core']]},
                                          'masterPort': {'type': 'integer',
                                                         'default': 29500,
                                                         'minimum': 1,
                                                         'maximum': 65535,
                                                         'description': 'Port of worker 0 for the rendezvous of the '
                                                                        'processes.'},
                                          'expectWorld': {'type': 'boolean',
                                                          'default': True,
                                                          'description': 'Whether the run fails if its processes never '
                                                                         'connected to each other, at '
                                                                         'launch.masterPort or the port in '
                                                                         'MASTER_PORT. Set it to false for programs '
                                                                         'that do not use torch.distributed.'},
                                          'preflight': {'type': 'object',
                                                        'description': 'Checks of the workers before the training '
                                                                       'starts.',
                                                        'properties': {'network': {'type': 'boolean',
                                                                                   'default': False,
                                                                                   'description': 'Let the workers '
                                                                                                  'exchange data in '
                                                                                                  'pairs. The log and '
                                                                                                  'the record name the '
                                                                                                  'workers that are '
                                                                                                  'slow or cannot be '
                                                                                                  'reached.'},
                                                                       'spares': {'type': 'integer',
                                                                                  'default': 0,
                                                                                  'minimum': 0,
                                                                                  'maximum': 1000,
                                                                                  'description': 'Extra workers, which '
                                                                                                 'replace workers that '
                                                                                                 'are slow or dead in '
                                                                                                 'the network check, '
                                                                                                 'or that do not '
                                                                                                 'answer in time.'},
                                                                       'image': {'type': 'boolean',
                                                                                 'default': False,
                                                                                 'description': 'Let each worker look '
                                                                                                'for what the training '
                                                                                                'needs, before '
                                                                                                'anything else: ninja '
                                                                                                'and compilers for the '
                                                                                                'operators that '
                                                                                                'DeepSpeed compiles '
                                                                                                'with this '
                                                                                                'configuration, a '
                                                                                                "driver for torch's "
                                                                                                'CUDA, the size of '
                                                                                                '/dev/shm, and an '
                                                                                                'nvme_path that exists '
                                                                                                'and is fast. A worker '
                                                                                                'that lacks something '
                                                                                                'ends the run and '
                                                                                                'names it.'},
                                                                       'modules': {'type': 'array',
                                                                                   'default': [],
                                                                                   'description': 'Python modules that '
                                                                                                  'the training '
                                                                                                  'imports, such as '
                                                                                                  'mpi4py. A worker '
                                                                                                  'whose interpreter '
                                                                                                  'does not find one '
                                                                                                  'ends the run and '
                                                                                                  'names it.',
                                                                                   'items': {'type': 'string',
                                                                                             'pattern': '^[A-Za-z_][A-Za-z0-9_]{0,99}$',
                                                                                             'x-pattern': 'the name of '
                                                                                                          'a module '
                                                                                                          'without '
                                                                                                          'dots, such '
                                                                                                          'as mpi4py'},
                                                                                   'examples': [['mpi4py',
                                                                                                 'flash_attn']]},
                                                                       'programs': {'type': 'array',
                                                                                    'default': [],
                                                                                    'description': 'Programs that the '
                                                                                                   'training calls, '
                                                                                                   'such as ninja. A '
                                                                                                   'worker whose PATH '
                                                                                                   'does not have one '
                                                                                                   'ends the run and '
                                                                                                   'names it.',
                                                                                    'items': {'type': 'string',
                                                                                              'pattern': '^[A-Za-z0-9_./+-]{1,200}$',
                                                                                              'x-pattern': 'the name '
                                                                                                           'or the '
                                                                                                           'path of a '
                                                                                                           'program, '
                                                                                                           'such as '
                                                                                                           'ninja'},
                                                                                    'examples': [['ninja', 'c++']]}},
                                                        'additionalProperties': False}},
                           'additionalProperties': False},
                'lifecycle': {'type': 'object',
                              'description': 'How a run starts, restarts and ends.',
                              'properties': {'maxRestarts': {'type': 'integer',
                                                             'default': 0,
                                                             'minimum': 0,
                                                             'maximum': 1000,
                                                             'description': 'How often a failed training is restarted '
                                                                            'on the same workers. The program must '
                                                                            'load its own checkpoint.'},
                                             'restartExitCodes': {'type': 'array',
                                                                  'default': [],
                                                                  'description': 'Exit codes that cause a restart. '
                                                                                 'Empty means any failure.',
                                                                  'items': {'type': 'integer',
                                                                            'minimum': 1,
                                                                            'maximum': 255}},
                                             'restartDelaySeconds': {'type': 'integer',
                                                                     'default': 10,
                                                                     'minimum': 0,
                                                                     'maximum': 2592000,
                                                                     'description': 'Wait before each restart.'},
                                             'startTimeoutSeconds': {'type': 'integer',
                                                                     'default': 1800,
                                                                     'minimum': 1,
                                                                     'maximum': 2592000,
                                                                     'description': 'How long the launcher waits for '
                                                                                    'the workers, before the first '
                                                                                    'start and after the loss of a '
                                                                                    'worker, before the run fails. '
                                                                                    'Time in a queue or while '
                                                                                    'suspended does not count.'},
                                             'resizeAfterSeconds': {'type': 'integer',
                                                                    'default': 300,
                                                                    'minimum': 60,
                                                                    'maximum': 2592000,
                                                                    'description': 'With workers.min: how long a lost '
                                                                                   'worker is waited for before the '
                                                                                   'others go on without it, and how '
                                                                                   'long they train at least before '
                                                                                   'they stop, after a checkpoint, to '
                                                                                   'go on with all workers.'},
                                             'activeDeadlineSeconds': {'type': 'integer',
                                                                       'default': 0,
                                                                       'minimum': 0,
                                                                       'maximum': 315360000,
                                                                       'description': 'Time limit of the training, '
                                                                                      'from its first start. 0 means '
                                                                                      'none.'},
                                             'hangTimeoutSeconds': {'type': 'integer',
                                                                    'default': 0,
                                                                    'minimum': 0,
                                                                    'maximum': 2592000,
                                                                    'description': 'If the training prints nothing for '
                                                                                   'this time, or with '
                                                                                   'lifecycle.progress reaches no new '
                                                                                   'step, it counts as hung: the '
                                                                                   'stacks of all ranks are written to '
                                                                                   'the log, and the training fails or '
                                                                                   'is restarted. Choose more than the '
                                                                                   'longest pause, such as an '
                                                                                   'evaluation. 0 means never.'},
                                             'progress': {'type': 'object',
                                                          'description': 'How the training says how far it is. Step, '
                                                                         'total, loss, memory, the time of a step and '
                                                                         'the expected end are written to the record '
                                                                         'at most once a minute.',
                                                          'properties': {'pattern': {'type': 'string',
                                                                                     'default': '',
                                                                                     'pattern': '^(.*[(][?]P<step>.*)?$',
                                                                                     'x-pattern': 'a regular '
                                                                                                  'expression with the '
                                                                                                  'group (?P<step>...)',
                                                                                     'description': 'Regular '
                                                                                                    'expression of '
                                                                                                    'Python with the '
                                                                                                    'named groups '
                                                                                                    'step, total, loss '
                                                                                                    'and memory, of '
                                                                                                    'which step is '
                                                                                                    'required. It is '
                                                                                                    'searched in each '
                                                                                                    'line that a rank '
                                                                                                    'prints. memory is '
                                                                                                    'the most bytes of '
                                                                                                    'its accelerator '
                                                                                                    'that the rank has '
                                                                                                    'used.',
                                                                                     'examples': ['step '
                                                                                                  '(?P<step>[0-9]+)/(?P<total>[0-9]+) '
                                                                                                  'loss (?P<loss>[^ '
                                                                                                  ']+)']},
                                                                         'file': {'type': 'string',
                                                                                  'default': '',
                                                                                  'description': 'File that rank 0 '
                                                                                                 'writes. It contains '
                                                                                                 'JSON objects with '
                                                                                                 'step, total, loss '
                                                                                                 'and memory, or lines '
                                                                                                 'that match the '
                                                                                                 'pattern; the last '
                                                                                                 'one counts.',
                                                                                  'examples': ['/checkpoints/progress.json']},
                                                                         'checkpointPath': {'type': 'string',
                                                                                            'default': '',
                                                                                            'description': 'File or '
                                                                                                           'folder '
                                                                                                           'that '
                                                                                                           'changes '
                                                                                                           'with each '
                                                                                                           'checkpoint, '
                                                                                                           'as rank 0 '
                                                                                                           'sees it, '
                                                                                                           'such as '
                                                                                                           'the file '
                                                                                                           'latest in '
                                                                                                           "DeepSpeed's "
                                                                                                           'folder of '
                                                                                                           'checkpoints.',
                                                                                            'examples': ['/checkpoints/latest']},
                                                                         'checkpointTimeoutSeconds': {'type': 'integer',
                                                                                                      'default': 0,
                                                                                                      'minimum': 0,
                                                                                                      'maximum': 2592000,
                                                                                                      'description': 'Warn '
                                                                                                                     'in '
                                                                                                                     'the '
                                                                                                                     'log '
                                                                                                                     'and '
                                                                                                                     'the '
                                                                                                                     'record '
                                                                                                                     'if '
                                                                                                                     'there '
                                                                                                                     'is '
                                                                                                                     'no '
                                                                                                                     'new '
                                                                                                                     'checkpoint '
                                                                                                                     'for '
                                                                                                                     'this '
                                                                                                                     'time. '
                                                                                                                     '0 '
                                                                                                                     'means '
                                                                                                                     'never.'}},
                                                          'additionalProperties': False},
                                             'orphanTimeoutSeconds': {'type': 'integer',
                                                                      'default': 3600,
                                                                      'minimum': 30,
                                                                      'maximum': 2592000,
                                                                      'description': 'A worker that has had no contact '
                                                                                     'with its launcher for this time '
                                                                                     'ends by itself.'},
                                             'terminationGracePeriodSeconds': {'type': 'integer',
                                                                               'default': 60,
                                                                               'minimum': 30,
                                                                               'maximum': 86400,
                                                                               'description': 'Time to write a '
                                                                                              'checkpoint when a pod '
                                                                                              'is evicted. The '
                                                                                              'training gets this time '
                                                                                              'minus 20 seconds.'},
                                             'workerReplacements': {'type': 'integer',
                                                                    'default': 3,
                                                                    'minimum': 0,
                                                                    'maximum': 1000,
                                                                    'description': 'How often each worker may be '
                                                                                   'replaced after a failure. '
                                                                                   'Evictions and lost nodes do not '
                                                                                   'count.'},
                                             'keepWorkers': {'type': 'string',
                                                             'enum': ['none', 'failed', 'always'],
                                                             'default': 'none',
                                                             'description': 'Keep the worker pods after the end of the '
                                                                            'run, to inspect them: never (none), after '
                                                                            'a failure or always.'},
                                             'ttlSecondsAfterFinished': {'type': ['integer', 'null'],
                                                                         'minimum': 0,
                                                                         'maximum': 2147483647,
                                                                         'description': 'Delete the Jobs this many '
                                                                                        'seconds after they end. The '
                                                                                        'default is never, which Argo '
                                                                                        'CD and Flux need: they would '
                                                                                        'show the job as out of sync, '
                                                                                        'or recreate its Jobs, which '
                                                                                        'end without training.'},
                                             'suspend': {'type': ['boolean', 'null'],
                                                         'description': 'Suspend the worker Job (true) or resume it '
                                                                        '(false). By default dsgen does not set it, so '
                                                                        'queues and users can.'},
                                             'debug': {'type': 'object',
                                                       'description': 'Debugging: everything is prepared, but the '
                                                                      'training does not start.',
                                                       'properties': {'enabled': {'type': 'boolean',
                                                                                  'default': False,
                                                                                  'description': 'Start workers and '
                                                                                                 'launcher, but not '
                                                                                                 'the training.'},
                                                                      'command': {'type': 'array',
                                                                                  'default': [],
                                                                                  'description': 'Command that the '
                                                                                                 'launcher runs '
                                                                                                 'instead of the '
                                                                                                 'training. Empty '
                                                                                                 'means that the '
                                                                                                 'launcher only waits.',
                                                                                  'items': {'type': 'string'},
                                                                                  'examples': [['deepspeed',
                                                                                                '--hostfile',
                                                                                                '/job/hostfile',
                                                                                                '/workspace/test.py']]},
                                                                      'skipInitContainers': {'type': 'boolean',
                                                                                             'default': False,
                                                                                             'description': 'Leave out '
                                                                                                            'initContainers '
                                                                                                            'while '
                                                                                                            'debug is '
                                                                                                            'enabled.'}},
                                                       'additionalProperties': False}},
                              'additionalProperties': False},
                'storage': {'type': 'object',
                            'default': {},
                            'description': 'Volumes of the job, by name.',
                            'propertyNames': {'type': 'string',
                                              'pattern': '^[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?$',
                                              'x-pattern': '1 to 20 lower-case letters, digits and hyphens, beginning '
                                                           'and ending with a letter or digit'},
                            'additionalProperties': {'type': 'object',
                                                     'description': 'One volume. It needs exactly one source: create, '
                                                                    "existingClaim, or one of Kubernetes' own.",
                                                     'properties': {'mountPath': {'type': 'string',
                                                                                  'default': '',
                                                                                  'pattern': '^(/([^/:.\\n\\x85]|[.]+[^/:.\\n\\x85])[^/:\\n\\x85]*)*$',
                                                                                  'x-pattern': 'an absolute path such '
                                                                                               'as /data, without '
                                                                                               'colons, a final slash, '
                                                                                               'double slashes, or . '
                                                                                               'and .. as folders',
                                                                                  'description': 'Where the volume is '
                                                                                                 'mounted. Empty means '
                                                                                                 'that it is not '
                                                                                                 'mounted in the main '
                                                                                                 'containers.',
                                                                                  'examples': ['/data']},
                                                                    'subPath': {'type': 'string',
                                                                                'default': '',
                                                                                'pattern': '^([^/\\n\\x85][^\\n\\x85]*)?$',
                                                                                'x-pattern': 'a path that does not '
                                                                                             'begin with /',
                                                                                'description': 'Folder of the volume '
                                                                                               'to mount instead of '
                                                                                               'its root.'},
                                                                    'readOnly': {'type': 'boolean',
                                                                                 'default': False,
                                                                                 'description': 'Mount it read-only.'},
                                                                    'mountIn': {'type': 'string',
                                                                                'enum': ['auto',
                                                                                         'both',
                                                                                         'workers',
                                                                                         'launcher'],
                                                                                'default': 'auto',
                                                                                'description': 'Which pods mount it. '
                                                                                               'auto means the '
                                                                                               'workers, and the '
                                                                                               'launcher if it needs '
                                                                                               'the files: with '
                                                                                               'launch.method '
                                                                                               'launcher-command or '
                                                                                               'with autotuning.'},
                                                                    'create': {'type': 'object',
                                                                               'description': 'Source: a new '
                                                                                              'PersistentVolumeClaim. '
                                                                                              'Its name consists of '
                                                                                              'the names of the job '
                                                                                              'and the volume, and it '
                                                                                              'is kept from run to '
                                                                                              'run.',
                                                                               'properties': {'size': {'type': ['string',
                                                                                                                'number'],
                                                                                                       'default': '100Gi',
                                                                                                       'allOf': [{'$ref': '#/definitions/quantity'}],
                                                                                                       'description': 'Requested '
                                                                                                                      'capacity.'},
                                                                                              'accessModes': {'type': 'array',
                                                                                                              'default': ['ReadWriteMany'],
                                                                                                              'description': 'Access '
                                                                                                                             'modes '
                                                                                                                             'of '
                                                                                                                             'the '
                                                                                                                             'claim. '
                                                                                                                             'Workers '
                                                                                                                             'on '
                                                                                                                             'several '
                                                                                                                             'nodes '
                                                                                                                             'need '
                                                                                                                             'ReadWriteMany.',
                                                                                                              'minItems': 1,
                                                                                                              'items': {'type': 'string',
                                                                                                                        'enum': ['ReadWriteMany',
                                                                                                                                 'ReadWriteOnce',
                                                                                                                                 'ReadOnlyMany',
                                                                                                                                 'ReadWriteOncePod']}},
                                                                                              'storageClass': {'type': ['string',
                                                                                                                        'null'],
                                                                                                               'pattern': '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$',
                                                                                                               'x-pattern': 'lower-case '
                                                                                                                            'letters, '
                                                                                                                            'digits, '
                                                                                                                            'hyphens '
                                                                                                                            'and '
                                                                                                                            'dots, '
                                                                                                                            'beginning '
                                                                                                                            'and '
                                                                                                                            'ending '
                                                                                                                            'with '
                                                                                                                            'a '
                                                                                                                            'letter '
                                                                                                                            'or '
                                                                                                                            'digit',
                                                                                                               'description': 'StorageClass '
                                                                                                                              'of '
                                                                                                                              'the '
                                                                                                                              'claim. '
                                                                                                                              'The '
                                                                                                                              'default '
                                                                                                                              'is '
                                                                                                                              'the '
                                                                                                                              "cluster's "
                                                                                                                              'default '
                                                                                                                              'class; '
                                                                                                                              'an '
                                                                                                                              'empty '
                                                                                                                              'string '
                                                                                                                              'means '
                                                                                                                              'none, '
                                                                                                                              'for '
                                                                                                                              'an '
                                                                                                                              'existing '
                                                                                                                              'volume.'},
                                                                                              'protect': {'type': 'boolean',
                                                                                                          'default': True,
                                                                                                          'description': 'Keep '
                                                                                                                         'the '
                                                                                                                         'claim '
                                                                                                                         'when '
                                                                                                                         'the '
                                                                                                                         'job '
                                                                                                                         'is '
                                                                                                                         'deleted '
                                                                                                                         'by '
                                                                                                                         'Helm, '
                                                                                                                         'Argo '
                                                                                                                         'CD '
                                                                                                                         'or '
                                                                                                                         'Flux.'},
                                                                                              'persistentVolume': {'type': 'object',
                                                                                                                   'default': {},
                                                                                                                   'description': 'A '
                                                                                                                                  'PersistentVolume '
                                                                                                                                  'to '
                                                                                                                                  'create '
                                                                                                                                  'for '
                                                                                                                                  'the '
                                                                                                                                  'claim: '
                                                                                                                                  'the '
                                                                                                                                  'source '
                                                                                                                                  'and '
                                                                                                                                  'other '
                                                                                                                                  'fields '
                                                                                                                                  'of '
                                                                                                                                  'its '
                                                                                                                                  'spec. '
                                                                                                                                  'Empty '
                                                                                                                                  'means '
                                                                                                                                  'none.',
                                                                                                                   'allOf': [{'$ref': '#/definitions/persistentVolume'}]}},
                                                                               'additionalProperties': False,
                                                                               'x-optional': True},
                                                                    'existingClaim': {'type': 'string',
                                                                                      'default': '',
                                                                                      'pattern': '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$',
                                                                                      'x-pattern': 'lower-case '
                                                                                                   'letters, digits, '
                                                                                                   'hyphens and dots, '
                                                                                                   'beginning and '
                                                                                                   'ending with a '
                                                                                                   'letter or digit',
                                                                                      'description': 'Source: the name '
                                                                                                     'of an existing '
                                                                                                     'PersistentVolumeClaim.'},
                                                                    'nfs': {'type': 'object',
                                                                            'description': 'Source: a folder of an NFS '
                                                                                           'server.',
                                                                            'allOf': [{'$ref': '#/definitions/NFSVolumeSource'}],
                                                                            'examples': [{'server': 'nfs.example.com',
                                                                                          'path': '/exports/data'}]},
                                                                    'hostPath': {'type': 'object',
                                                                                 'description': 'Source: a folder or '
                                                                                                'file of the node. '
                                                                                                'Requires the Pod '
                                                                                                'Security level '
                                                                                                'privileged.',
                                                                                 'allOf': [{'$ref': '#/definitions/HostPathVolumeSource'}],
                                                                                 'examples': [{'path': '/mnt/nvme',
                                                                                               'type': 'Directory'}]},
                                                                    'emptyDir': {'type': 'object',
                                                                                 'description': 'Source: an empty '
                                                                                                'folder for each pod, '
                                                                                                'which is deleted with '
                                                                                                'the pod.',
                                                                                 'allOf': [{'$ref': '#/definitions/EmptyDirVolumeSource'}],
                                                                                 'examples': [{'sizeLimit': '100Gi'}]},
                                                                    'ephemeral': {'type': 'object',
                                                                                  'description': 'Source: a '
                                                                                                 'PersistentVolumeClaim '
                                                                                                 'for each pod, which '
                                                                                                 'is deleted with the '
                                                                                                 'pod, as in '
                                                                                                 'Kubernetes.',
                                                                                  'allOf': [{'$ref': '#/definitions/EphemeralVolumeSource'}],
                                                                                  'examples': [{'volumeClaimTemplate': {'spec': {'accessModes': ['ReadWriteOnce'],
                                                                                                                                 'resources': {'requests': {'storage': '1Ti'}}}}}]},
                                                                    'csi': {'type': 'object',
                                                                            'description': 'Source: a volume that a '
                                                                                           'CSI driver creates for '
                                                                                           'each pod, as in '
                                                                                           'Kubernetes.',
                                                                            'allOf': [{'$ref': '#/definitions/CSIVolumeSource'}],
                                                                            'examples': [{'driver': 'gcsfuse.csi.storage.gke.io',
                                                                                          'volumeAttributes': {'bucketName': 'data'}}]},
                                                                    'configMap': {'type': 'object',
                                                                                  'description': 'Source: the keys of '
                                                                                                 'a ConfigMap as '
                                                                                                 'files, as in '
                                                                                                 'Kubernetes.',
                                                                                  'allOf': [{'$ref': '#/definitions/ConfigMapVolumeSource'}],
                                                                                  'examples': [{'name': 'tokenizer'}]},
                                                                    'secret': {'type': 'object',
                                                                               'description': 'Source: the keys of a '
                                                                                              'Secret as files, as in '
                                                                                              'Kubernetes.',
                                                                               'allOf': [{'$ref': '#/definitions/SecretVolumeSource'}],
                                                                               'examples': [{'secretName': 'hub-token'}]},
                                                                    'projected': {'type': 'object',
                                                                                  'description': 'Source: several '
                                                                                                 'ConfigMaps, Secrets '
                                                                                                 'and tokens in one '
                                                                                                 'folder, as in '
                                                                                                 'Kubernetes.',
                                                                                  'allOf': [{'$ref': '#/definitions/ProjectedVolumeSource'}],
                                                                                  'examples': [{'sources': [{'secret': {'name': 'hub-token'}},
                                                                                                            {'configMap': {'name': 'tokenizer'}}]}]}},
                                                     'additionalProperties': False},
                            'examples': [{'data': {'mountPath': '/data', 'create': {'size': '100Gi'}}}]},
                'ssh': {'type': 'object',
                        'description': 'How the launcher connects to the workers.',
                        'properties': {'secret': {'type': 'object',
                                                  'description': 'Secret with the key pair.',
                                                  'properties': {'mode': {'type': 'string',
                                                                          'enum': ['cluster', 'existing'],
                                                                          'default': 'cluster',
                                                                          'description': 'cluster: the key is '
                                                                                         'generated in the cluster and '
                                                                                         'never leaves it. existing: '
                                                                                         'dsgen uses your own Secret.'},
                                                                 'name': {'type': 'string',
                                                                          'default': '',
                                                                          'pattern': '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$',
                                                                          'x-pattern': 'lower-case letters, digits, '
                                                                                       'hyphens and dots, beginning '
                                                                                       'and ending with a letter or '
                                                                                       'digit',
                                                                          'description': 'Name of your Secret in mode '
                                                                                         'existing. Empty means the '
                                                                                         "job's name followed by "
                                                                                         '-ssh-key.'}},
                                                  'additionalProperties': False},
                                       'port': {'type': 'integer',
                                                'default': 2222,
                                                'minimum': 1,
                                                'maximum': 65535,
                                                'description': "Port of the workers' own sshd."},
                                       'user': {'type': 'string',
                                                'default': '',
                                                'pattern': '^([A-Za-z_][A-Za-z0-9_.-]{0,63})?$',
                                                'x-pattern': 'letters, digits, underscores, dots and hyphens, '
                                                             'beginning with a letter or an underscore, at most 64 '
                                                             'characters',
                                                'description': 'User as which the launcher logs in to the workers; the '
                                                               'image must have it in /etc/passwd. Empty means the '
                                                               'user of the container.'},
                                       'passwdEntry': {'type': 'string',
                                                       'enum': ['auto', 'none'],
                                                       'default': 'auto',
                                                       'description': 'auto: add an entry to /etc/passwd for a user id '
                                                                      'that the image does not have, if the pod cannot '
                                                                      'run as root.'}},
                        'additionalProperties': False},
                'status': {'type': 'object',
                           'description': "Record of the job's runs.",
                           'properties': {'image': {'type': 'string',
                                                    'default': '',
                                                    'pattern': '^(([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:[0-9]+)?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?)?$',
                                                    'x-pattern': 'an image with its tag or digest, such as '
                                                                 'registry.example.com/team/tools:1.2',
                                                    'description': 'Image of the container that has an API token. It '
                                                                   'needs sh and python3, and ssh-keygen if the key is '
                                                                   'generated in the cluster. Empty means the image of '
                                                                   'the launcher.'},
                                          'intervalSeconds': {'type': 'integer',
                                                              'default': 15,
                                                              'minimum': 1,
                                                              'maximum': 3600,
                                                              'description': "Interval at which the launcher's sidecar "
                                                                             'checks the run. It writes only changes.'},
                                          'history': {'type': 'integer',
                                                      'default': 20,
                                                      'minimum': 1,
                                                      'maximum': 200,
                                                      'description': 'Number of runs in the record. If there are more, '
                                                                     'the oldest run that has ended is removed; if it '
                                                                     'were applied again, it would train again.'},
                                          'webhook': {'type': 'object',
                                                      'description': 'Notification when a run ends.',
                                                      'properties': {'url': {'type': 'string',
                                                                             'default': '',
                                                                             'pattern': '^([Hh][Tt][Tt][Pp][Ss]?://[!-~]+)?$',
                                                                             'x-pattern': 'an address that begins with '
                                                                                          'https:// or http://',
                                                                             'examples': ['https://hooks.example.com/training'],
                                                                             'description': 'Address to which the '
                                                                                            'record of the run is sent '
                                                                                            'by POST.'},
                                                                     'secretName': {'type': 'string',
                                                                                    'default': '',
                                                                                    'pattern': '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$',
                                                                                    'x-pattern': 'lower-case letters, '
                                                                                                 'digits, hyphens and '
                                                                                                 'dots, beginning and '
                                                                                                 'ending with a letter '
                                                                                                 'or digit',
                                                                                    'description': 'Secret whose key '
                                                                                                   'url contains the '
                                                                                                   'address, if the '
                                                                                                   'address is secret. '
                                                                                                   'It must begin with '
                                                                                                   'https://.'}},
                                                      'additionalProperties': False}},
                           'additionalProperties': False},
                'security': {'type': 'object',
                             'description': 'Security settings of all pods.',
                             'properties': {'podSecurityLevel': {'type': 'string',
                                                                 'enum': ['baseline', 'privileged', 'restricted'],
                                                                 'default': 'baseline',
                                                                 'description': 'Pod Security Standard that all pods '
                                                                                'meet.'},
                                            'podSecurityContext': {'type': 'object',
                                                                   'default': {'seccompProfile': {'type': 'RuntimeDefault'}},
                                                                   'description': 'Security context of the pods, as in '
                                                                                  'Kubernetes. It is merged over what '
                                                                                  'the level requires; seccompProfile: '
                                                                                  'null removes the default.',
                                                                   'allOf': [{'$ref': '#/definitions/PodSecurityContext'}]},
                                            'securityContext': {'type': 'object',
                                                                'default': {},
                                                                'description': 'Security context of the main '
                                                                               'containers, as in Kubernetes. It is '
                                                                               'merged over what the level requires, '
                                                                               'and below restricted over '
                                                                               '{allowPrivilegeEscalation: false, '
                                                                               'capabilities: {drop: [NET_RAW]}}.',
                                                                'allOf': [{'$ref': '#/definitions/SecurityContext'}]}},
                             'additionalProperties': False},
                'rbac': {'type': 'object',
                         'description': "Permissions of the launcher's sidecar.",
                         'properties': {'create': {'type': 'boolean',
                                                   'default': True,
                                                   'description': 'Create the Roles and RoleBindings. Without them, '
                                                                  'the job needs a ServiceAccount that has these '
                                                                  'permissions.'}},
                         'additionalProperties': False},
                'serviceAccount': {'type': 'object',
                                   'description': 'ServiceAccount of the launcher pod.',
                                   'properties': {'create': {'type': 'boolean',
                                                             'default': True,
                                                             'description': 'Create the ServiceAccount.'},
                                                  'name': {'type': 'string',
                                                           'default': '',
                                                           'pattern': '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$',
                                                           'x-pattern': 'lower-case letters, digits, hyphens and dots, '
                                                                        'beginning and ending with a letter or digit',
                                                           'description': 'Name of the ServiceAccount. Empty means the '
                                                                          "job's name followed by .launcher."},
                                                  'annotations': {'type': 'object',
                                                                  'default': {},
                                                                  'description': 'Annotations of the ServiceAccount.',
                                                                  'propertyNames': {'$ref': '#/definitions/labelKey'},
                                                                  'additionalProperties': {'type': 'string'}}},
                                   'additionalProperties': False},
                'network': {'type': 'object',
                            'description': 'Network settings.',
                            'properties': {'policy': {'type': 'boolean',
                                                      'default': True,
                                                      'description': 'Create a NetworkPolicy, which allows only '
                                                                     'connections between pods of the same run.'},
                                           'hostNetwork': {'type': 'boolean',
                                                           'default': False,
                                                           'description': 'Run the workers on the network of their '
                                                                          'nodes. Requires the Pod Security level '
                                                                          'privileged.'},
                                           'socketInterface': {'type': 'string',
                                                               'default': '',
                                                               'pattern': '^([=^]{0,2}[A-Za-z0-9_.:@-]+(,[A-Za-z0-9_.:@-]+)*)?$',
                                                               'x-pattern': 'names of interfaces, separated by commas; '
                                                                            '^ before them excludes them, = matches '
                                                                            'exact names',
                                                               'examples': ['eth0', '^docker,lo'],
                                                               'description': 'Network interfaces for NCCL and Gloo, '
                                                                              'in the form of NCCL_SOCKET_IFNAME. '
                                                                              'Empty means that they choose '
                                                                              'themselves.'},
                                           'rdma': {'type': 'object',
                                                    'description': 'Fast networks: InfiniBand, RoCE, EFA and the like.',
                                                    'properties': {'resources': {'type': 'object',
                                                                                 'default': {},
                                                                                 'description': 'Network devices of '
                                                                                                'each worker: names of '
                                                                                                'resources, and how '
                                                                                                'many of each.',
                                                                                 'propertyNames': {'$ref': '#/definitions/resourceName'},
                                                                                 'additionalProperties': {'$ref': '#/definitions/count'},
                                                                                 'examples': [{'rdma/hca_shared_devices_a': 1},
                                                                                              {'vpc.amazonaws.com/efa': 4}]},
                                                                   'ipcLock': {'type': 'string',
                                                                               'enum': ['auto', 'add', 'omit'],
                                                                               'default': 'auto',
                                                                               'description': 'Capability IPC_LOCK, '
                                                                                              'which RDMA needs to '
                                                                                              'lock memory. With auto, '
                                                                                              'workers have it if they '
                                                                                              'have such resources '
                                                                                              '(other than EFA) and '
                                                                                              'the Pod Security level '
                                                                                              'allows it.'},
                                                                   'networks': {'type': 'array',
                                                                                'default': [],
                                                                                'description': 'Additional networks of '
                                                                                               'the workers: names of '
                                                                                               'Multus network '
                                                                                               'attachments.',
                                                                                'items': {'$ref': '#/definitions/networkName'},
                                                                                'examples': [['sriov/rail-0',
                                                                                              'sriov/rail-1']]}},
                                                    'additionalProperties': False}},
                            'additionalProperties': False},
                'scheduling': {'type': 'object',
                               'description': 'How the job waits for nodes and where its pods are placed.',
                               'properties': {'gang': {'type': 'string',
                                                       'enum': ['none', 'volcano', 'coscheduling'],
                                                       'default': 'none',
                                                       'description': 'Start all workers together or none: with '
                                                                      'Volcano or with the coscheduling plugin of '
                                                                      'scheduler-plugins.'},
                                              'queue': {'type': 'string',
                                                        'default': '',
                                                        'pattern': '^([a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?)?$',
                                                        'x-pattern': 'lower-case letters, digits, hyphens and dots, '
                                                                     'beginning and ending with a letter or digit, at '
                                                                     'most 63 characters',
                                                        'description': 'LocalQueue of Kueue for the workers, or queue '
                                                                       'of Volcano with gang: volcano.'},
                                              'launcherQueue': {'type': 'string',
                                                                'default': '',
                                                                'pattern': '^([a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?)?$',
                                                                'x-pattern': 'lower-case letters, digits, hyphens and '
                                                                             'dots, beginning and ending with a letter '
                                                                             'or digit, at most 63 characters',
                                                                'description': 'LocalQueue of Kueue for the launcher, '
                                                                               'for clusters that queue every Job. It '
                                                                               "must not be the workers' queue: two "
                                                                               'runs could block each other forever.'},
                                              'priorityClass': {'type': 'string',
                                                                'default': '',
                                                                'pattern': '^([a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?)?$',
                                                                'x-pattern': 'lower-case letters, digits, hyphens and '
                                                                             'dots, beginning and ending with a letter '
                                                                             'or digit, at most 63 characters',
                                                                'description': 'Priority in the queue: a '
                                                                               'WorkloadPriorityClass of Kueue, or the '
                                                                               "PriorityClass of Volcano's PodGroup."},
                                              'topology': {'type': 'object',
                                                           'description': 'Keep the workers close to each other, by a '
                                                                          'label that nodes of one domain share. With '
                                                                          'a queue it is a topology level of Kueue, '
                                                                          'otherwise an affinity between the workers '
                                                                          'of the run.',
                                                           'properties': {'required': {'type': 'string',
                                                                                       'default': '',
                                                                                       'pattern': '^(([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$',
                                                                                       'x-pattern': 'letters, digits, '
                                                                                                    'hyphens, '
                                                                                                    'underscores and '
                                                                                                    'dots, at most 63 '
                                                                                                    'characters, '
                                                                                                    'optionally after '
                                                                                                    'a domain and /',
                                                                                       'examples': ['topology.kubernetes.io/zone'],
                                                                                       'description': 'All workers run '
                                                                                                      'on nodes with '
                                                                                                      'the same value '
                                                                                                      'of this label.'},
                                                                          'preferred': {'type': 'string',
                                                                                        'default': '',
                                                                                        'pattern': '^(([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$',
                                                                                        'x-pattern': 'letters, digits, '
                                                                                                     'hyphens, '
                                                                                                     'underscores and '
                                                                                                     'dots, at most 63 '
                                                                                                     'characters, '
                                                                                                     'optionally after '
                                                                                                     'a domain and /',
                                                                                        'examples': ['example.com/rack'],
                                                                                        'description': 'The same, but '
                                                                                                       'only if '
                                                                                                       'possible.'}},
                                                           'additionalProperties': False}},
                               'additionalProperties': False},
                'monitoring': {'type': 'object',
                               'description': 'Monitoring of the training.',
                               'properties': {'tensorboard': {'type': 'object',
                                                              'description': 'TensorBoard for all runs of the job: a '
                                                                             'Deployment and a Service.',
                                                              'properties': {'enabled': {'type': 'boolean',
                                                                                         'default': False,
                                                                                         'description': 'Run '
                                                                                                        'TensorBoard.'},
                                                                             'logDir': {'type': 'string',
                                                                                        'default': '',
                                                                                        'examples': ['/data/logs'],
                                                                                        'description': 'Folder of the '
                                                                                                       'event files, '
                                                                                                       'on one of the '
                                                                                                       'volumes of '
                                                                                                       'storage.'},
                                                                             'image': {'type': 'string',
                                                                                       'default': '',
                                                                                       'pattern': '^(([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:[0-9]+)?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?)?$',
                                                                                       'x-pattern': 'an image with its '
                                                                                                    'tag or digest, '
                                                                                                    'such as '
                                                                                                    'registry.example.com/team/tools:1.2',
                                                                                       'description': 'Image with '
                                                                                                      'TensorBoard. '
                                                                                                      'Empty means the '
                                                                                                      'image of the '
                                                                                                      'job.'},
                                                                             'port': {'type': 'integer',
                                                                                      'default': 6006,
                                                                                      'minimum': 1,
                                                                                      'maximum': 65535,
                                                                                      'description': 'Port of the '
                                                                                                     'Service.'},
                                                                             'resources': {'type': 'object',
                                                                                           'description': 'Requests '
                                                                                                          'and limits '
                                                                                                          'of '
                                                                                                          'TensorBoard, '
                                                                                                          'as in '
                                                                                                          'Kubernetes.',
                                                                                           'properties': {'requests': {'type': 'object',
                                                                                                                       'default': {'cpu': 'auto',
                                                                                                                                   'memory': 'auto'},
                                                                                                                       'description': 'Resources '
                                                                                                                                      'that '
                                                                                                                                      'the '
                                                                                                                                      'scheduler '
                                                                                                                                      'reserves. '
                                                                                                                                      'auto '
                                                                                                                                      'is '
                                                                                                                                      'the '
                                                                                                                                      'limit, '
                                                                                                                                      'or '
                                                                                                                                      'without '
                                                                                                                                      'a '
                                                                                                                                      'limit '
                                                                                                                                      'the '
                                                                                                                                      'default. '
                                                                                                                                      'null '
                                                                                                                                      'removes '
                                                                                                                                      'an '
                                                                                                                                      'entry '
                                                                                                                                      'of '
                                                                                                                                      'the '
                                                                                                                                      'default.',
                                                                                                                       'propertyNames': {'$ref': '#/definitions/resourceName'},
                                                                                                                       'additionalProperties': {'$ref': '#/definitions/request'}},
                                                                                                          'limits': {'type': 'object',
                                                                                                                     'default': {},
                                                                                                                     'description': 'Maximum '
                                                                                                                                    'of '
                                                                                                                                    'each '
                                                                                                                                    'resource '
                                                                                                                                    'that '
                                                                                                                                    'the '
                                                                                                                                    'container '
                                                                                                                                    'may '
                                                                                                                                    'use.',
                                                                                                                     'propertyNames': {'$ref': '#/definitions/resourceName'},
                                                                                                                     'additionalProperties': {'$ref': '#/definitions/quantity'}},
                                                                                                          'claims': {'type': 'array',
                                                                                                                     'default': [],
                                                                                                                     'description': 'Claims '
                                                                                                                                    'of '
                                                                                                                                    'dynamic '
                                                                                                                                    'resource '
                                                                                                                                    'allocation '
                                                                                                                                    'that '
                                                                                                                                    'the '
                                                                                                                                    'container '
                                                                                                                                    'uses.',
                                                                                                                     'items': {'$ref': '#/definitions/ResourceClaim'}}},
                                                                                           'additionalProperties': False}},
                                                              'additionalProperties': False},
                                              'podMonitor': {'type': 'object',
                                                             'description': 'A PodMonitor of the Prometheus Operator '
                                                                            'for the workers.',
                                                             'properties': {'enabled': {'type': 'boolean',
                                                                                        'default': False,
                                                                                        'description': 'Create a '
                                                                                                       'PodMonitor.'},
                                                                            'port': {'type': 'integer',
                                                                                     'default': 8080,
                                                                                     'minimum': 1,
                                                                                     'maximum': 65535,
                                                                                     'description': 'Port on which the '
                                                                                                    'training serves '
                                                                                                    'metrics on each '
                                                                                                    'worker.'},
                                                                            'path': {'type': 'string',
                                                                                     'default': '/metrics',
                                                                                     'pattern': '^/[!-~]*$',
                                                                                     'x-pattern': 'a path that begins '
                                                                                                  'with /',
                                                                                     'description': 'Path of the '
                                                                                                    'metrics.'},
                                                                            'scrapedBy': {'type': 'object',
                                                                                          'description': 'Pods that '
                                                                                                         'may reach '
                                                                                                         'the port if '
                                                                                                         'network.policy '
                                                                                                         'is true.',
                                                                                          'properties': {'app': {'type': 'string',
                                                                                                                 'default': 'prometheus',
                                                                                                                 'pattern': '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$',
                                                                                                                 'x-pattern': 'letters, '
                                                                                                                              'digits, '
                                                                                                                              'hyphens, '
                                                                                                                              'underscores '
                                                                                                                              'and '
                                                                                                                              'dots, '
                                                                                                                              'beginning '
                                                                                                                              'and '
                                                                                                                              'ending '
                                                                                                                              'with '
                                                                                                                              'a '
                                                                                                                              'letter '
                                                                                                                              'or '
                                                                                                                              'digit, '
                                                                                                                              'at '
                                                                                                                              'most '
                                                                                                                              '63 '
                                                                                                                              'characters',
                                                                                                                 'description': 'Pods '
                                                                                                                                'that '
                                                                                                                                'may '
                                                                                                                                'read '
                                                                                                                                'the '
                                                                                                                                'metrics: '
                                                                                                                                'those '
                                                                                                                                'whose '
                                                                                                                                'label '
                                                                                                                                'app.kubernetes.io/name '
                                                                                                                                'has '
                                                                                                                                'this '
                                                                                                                                'value, '
                                                                                                                                'such '
                                                                                                                                'as '
                                                                                                                                'prometheus '
                                                                                                                                '(set '
                                                                                                                                'by '
                                                                                                                                'the '
                                                                                                                                'Prometheus '
                                                                                                                                'Operator) '
                                                                                                                                'or '
                                                                                                                                'vmagent. '
                                                                                                                                'Empty '
                                                                                                                                'means '
                                                                                                                                'all '
                                                                                                                                'pods.'},
                                                                                                         'namespace': {'type': 'string',
                                                                                                                       'default': '',
                                                                                                                       'pattern': '^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$',
                                                                                                                       'x-pattern': 'lower-case '
                                                                                                                                    'letters, '
                                                                                                                                    'digits '
                                                                                                                                    'and '
                                                                                                                                    'hyphens, '
                                                                                                                                    'beginning '
                                                                                                                                    'and '
                                                                                                                                    'ending '
                                                                                                                                    'with '
                                                                                                                                    'a '
                                                                                                                                    'letter '
                                                                                                                                    'or '
                                                                                                                                    'digit, '
                                                                                                                                    'at '
                                                                                                                                    'most '
                                                                                                                                    '63 '
                                                                                                                                    'characters',
                                                                                                                       'description': 'Only '
                                                                                                                                      'pods '
                                                                                                                                      'in '
                                                                                                                                      'this '
                                                                                                                                      'namespace. '
                                                                                                                                      'Empty '
                                                                                                                                      'means '
                                                                                                                                      'all '
                                                                                                                                      'namespaces.'}},
                                                                                          'additionalProperties': False}},
                                                             'additionalProperties': False}},
                               'additionalProperties': False},
                'estimate': {'type': 'object',
                             'description': 'What dsgen estimate needs to know beside the job itself. All keys are '
                                            'optional, no object depends on them, and a change of them needs no new '
                                            'run.id.',
                             'properties': {'model': {'type': 'object',
                                                      'description': 'The model. dsgen estimate FILE --model '
                                                                     'config.json --save writes the numbers of a '
                                                                     'Hugging Face model.',
                                                      'properties': {'parameters': {'type': ['integer', 'null'],
                                                                                    'minimum': 1,
                                                                                    'maximum': 1000000000000000,
                                                                                    'description': 'Parameters of the '
                                                                                                   'model.',
                                                                                    'examples': [8030261248]},
                                                                     'trainable': {'type': ['integer', 'null'],
                                                                                   'minimum': 1,
                                                                                   'maximum': 1000000000000000,
                                                                                   'description': 'Parameters that are '
                                                                                                  'trained: with LoRA, '
                                                                                                  'those of the '
                                                                                                  'adapter; the others '
                                                                                                  'are frozen. Absent '
                                                                                                  'means all.',
                                                                                   'examples': [41943040]},
                                                                     'active': {'type': ['integer', 'null'],
                                                                                'minimum': 1,
                                                                                'maximum': 1000000000000000,
                                                                                'description': 'Parameters that one '
                                                                                               'token passes: in a '
                                                                                               'mixture of experts, '
                                                                                               'fewer than all. Absent '
                                                                                               'means all.'},
                                                                     'embedding': {'type': ['integer', 'null'],
                                                                                   'minimum': 1,
                                                                                   'maximum': 1000000000000000,
                                                                                   'description': 'Parameters that are '
                                                                                                  'looked up and not '
                                                                                                  'multiplied, such as '
                                                                                                  'the embedding of '
                                                                                                  'the vocabulary.'},
                                                                     'expertParameters': {'type': ['integer', 'null'],
                                                                                          'minimum': 1,
                                                                                          'maximum': 1000000000000000,
                                                                                          'description': 'Parameters '
                                                                                                         'of all '
                                                                                                         'routed '
                                                                                                         'experts '
                                                                                                         'together.'},
                                                                     'largestLayer': {'type': ['integer', 'null'],
                                                                                      'minimum': 1,
                                                                                      'maximum': 1000000000000000,
                                                                                      'description': 'Parameters of '
                                                                                                     'the largest '
                                                                                                     'single module, '
                                                                                                     'in most models '
                                                                                                     'the embedding: '
                                                                                                     'stage 3 gathers '
                                                                                                     'it at once.'},
                                                                     'layers': {'type': ['integer', 'null'],
                                                                                'minimum': 1,
                                                                                'maximum': 100000,
                                                                                'description': 'Layers, in a model '
                                                                                               'with encoder and '
                                                                                               'decoder those of both.',
                                                                                'examples': [32]},
                                                                     'hidden': {'type': ['integer', 'null'],
                                                                                'minimum': 1,
                                                                                'maximum': 10000000,
                                                                                'description': 'Hidden size.',
                                                                                'examples': [4096]},
                                                                     'heads': {'type': ['integer', 'null'],
                                                                               'minimum': 1,
                                                                               'maximum': 100000,
                                                                               'description': 'Heads of attention.'},
                                                                     'kvHeads': {'type': ['integer', 'null'],
                                                                                 'minimum': 1,
                                                                                 'maximum': 100000,
                                                                                 'description': 'Heads of keys and '
                                                                                                'values, fewer than '
                                                                                                'heads with grouped '
                                                                                                'queries. Absent means '
                                                                                                'as many as heads.'},
                                                                     'headDim': {'type': ['integer', 'null'],
                                                                                 'minimum': 1,
                                                                                 'maximum': 1000000,
                                                                                 'description': 'Size of a head. '
                                                                                                'Absent means the '
                                                                                                'hidden size divided '
                                                                                                'by the heads.'},
                                                                     'intermediate': {'type': ['integer', 'null'],
                                                                                      'minimum': 1,
                                                                                      'maximum': 100000000,
                                                                                      'description': 'Width of the MLP '
                                                                                                     'of a layer; with '
                                                                                                     'experts, of '
                                                                                                     'those that one '
                                                                                                     'token passes '
                                                                                                     'together.'},
                                                                     'matrices': {'type': ['integer', 'null'],
                                                                                  'minimum': 2,
                                                                                  'maximum': 3,
                                                                                  'description': 'Matrices of the MLP '
                                                                                                 'of a layer: 3 if it '
                                                                                                 'is gated, otherwise '
                                                                                                 '2.'},
                                                                     'vocabulary': {'type': ['integer', 'null'],
                                                                                    'minimum': 1,
                                                                                    'maximum': 100000000,
                                                                                    'description': 'Tokens of the '
                                                                                                   'vocabulary.',
                                                                                    'examples': [128256]},
                                                                     'experts': {'type': ['integer', 'null'],
                                                                                 'minimum': 1,
                                                                                 'maximum': 1000000,
                                                                                 'description': 'Routed experts of a '
                                                                                                'layer.'},
                                                                     'expertsPerToken': {'type': ['integer', 'null'],
                                                                                         'minimum': 1,
                                                                                         'maximum': 1000000,
                                                                                         'description': 'Routed '
                                                                                                        'experts that '
                                                                                                        'one token '
                                                                                                        'passes.'},
                                                                     'expertsParallel': {'type': ['integer', 'null'],
                                                                                         'minimum': 1,
                                                                                         'maximum': 1000000,
                                                                                         'description': 'Ranks among '
                                                                                                        'which the '
                                                                                                        'program '
                                                                                                        'distributes '
                                                                                                        'the experts '
                                                                                                        'of a layer, '
                                                                                                        'if '
                                                                                                        "DeepSpeed's "
                                                                                                        'configuration '
                                                                                                        'does not.'},
                                                                     'sequence': {'type': ['integer', 'null'],
                                                                                  'minimum': 1,
                                                                                  'maximum': 1000000000,
                                                                                  'description': 'Tokens of a sample.',
                                                                                  'examples': [4096]},
                                                                     'microBatch': {'type': ['integer', 'null'],
                                                                                    'minimum': 1,
                                                                                    'maximum': 1000000,
                                                                                    'description': 'Samples of a rank '
                                                                                                   'at a time, where '
                                                                                                   "DeepSpeed's "
                                                                                                   'configuration says '
                                                                                                   'auto or the '
                                                                                                   'program sets '
                                                                                                   'them.'},
                                                                     'accumulation': {'type': ['integer', 'null'],
                                                                                      'minimum': 1,
                                                                                      'maximum': 1000000,
                                                                                      'description': 'Micro batches of '
                                                                                                     'a step, where '
                                                                                                     "DeepSpeed's "
                                                                                                     'configuration '
                                                                                                     'says auto or the '
                                                                                                     'program sets '
                                                                                                     'them.'},
                                                                     'precision': {'type': 'string',
                                                                                   'enum': ['', 'fp32', 'fp16', 'bf16'],
                                                                                   'default': '',
                                                                                   'description': 'Type of the '
                                                                                                  'weights, where '
                                                                                                  "DeepSpeed's "
                                                                                                  'configuration says '
                                                                                                  'auto or the program '
                                                                                                  'sets it. Empty '
                                                                                                  'means unknown.'},
                                                                     'optimizer': {'type': 'string',
                                                                                   'default': '',
                                                                                   'pattern': '^[A-Za-z0-9_.-]*$',
                                                                                   'x-pattern': 'the name of an '
                                                                                                'optimizer, such as '
                                                                                                'AdamW',
                                                                                   'description': 'Optimizer that the '
                                                                                                  'program creates, by '
                                                                                                  'its name in '
                                                                                                  'DeepSpeed, PyTorch '
                                                                                                  'or Hugging Face, '
                                                                                                  "where DeepSpeed's "
                                                                                                  'configuration has '
                                                                                                  'none. Empty means '
                                                                                                  'unknown.',
                                                                                   'examples': ['AdamW',
                                                                                                'adamw_bnb_8bit']},
                                                                     'recompute': {'type': 'string',
                                                                                   'enum': ['',
                                                                                            'none',
                                                                                            'selective',
                                                                                            'full'],
                                                                                   'default': '',
                                                                                   'description': 'Activations that '
                                                                                                  'the backward pass '
                                                                                                  'computes again: '
                                                                                                  'none, selective '
                                                                                                  '(those of the '
                                                                                                  'scores of '
                                                                                                  'attention), or full '
                                                                                                  '(all but the inputs '
                                                                                                  'of the layers: '
                                                                                                  'gradient '
                                                                                                  'checkpointing). '
                                                                                                  'Empty means '
                                                                                                  'unknown.'},
                                                                     'attention': {'type': 'string',
                                                                                   'enum': ['', 'standard', 'flash'],
                                                                                   'default': '',
                                                                                   'description': 'Whether attention '
                                                                                                  'keeps the matrix of '
                                                                                                  'its scores '
                                                                                                  '(standard) or not '
                                                                                                  '(flash, and '
                                                                                                  "PyTorch's "
                                                                                                  'scaled_dot_product_attention). '
                                                                                                  'Empty means '
                                                                                                  'unknown.'},
                                                                     'kernels': {'type': 'string',
                                                                                 'enum': ['', 'standard', 'fused'],
                                                                                 'default': '',
                                                                                 'description': 'Whether each '
                                                                                                'operation of a layer '
                                                                                                "is one of PyTorch's "
                                                                                                'own (standard), or '
                                                                                                'torch.compile, Liger '
                                                                                                'or Megatron join them '
                                                                                                '(fused). Empty means '
                                                                                                'unknown.'},
                                                                     'loss': {'type': 'string',
                                                                              'enum': ['', 'standard', 'tiled'],
                                                                              'default': '',
                                                                              'description': 'Whether all logits of a '
                                                                                             'micro batch exist at '
                                                                                             'once (standard) or never '
                                                                                             '(tiled, such as the '
                                                                                             'fused loss of Liger). '
                                                                                             'Empty means unknown.'},
                                                                     'zeroInit': {'type': ['boolean', 'null'],
                                                                                  'description': 'Whether the program '
                                                                                                 'creates the model '
                                                                                                 'under '
                                                                                                 'deepspeed.zero.Init, '
                                                                                                 'in parts; Hugging '
                                                                                                 'Face does so with '
                                                                                                 'stage 3.'}},
                                                      'additionalProperties': False},
                                            'accelerator': {'type': 'object',
                                                            'description': 'The accelerators of the workers.',
                                                            'properties': {'product': {'type': 'string',
                                                                                       'enum': ['',
                                                                                                'A10',
                                                                                                'A10G',
                                                                                                'L4',
                                                                                                'L40S',
                                                                                                'T4',
                                                                                                'V100-32GB',
                                                                                                'V100-16GB',
                                                                                                'V100-PCIe-16GB',
                                                                                                'V100-PCIe-32GB',
                                                                                                'A100-80GB',
                                                                                                'A100-40GB',
                                                                                                'A100-PCIe-80GB',
                                                                                                'A100-PCIe-40GB',
                                                                                                'H100',
                                                                                                'H100-PCIe',
                                                                                                'H100-NVL',
                                                                                                'H200',
                                                                                                'GH200',
                                                                                                'B200',
                                                                                                'GB200',
                                                                                                'MI210',
                                                                                                'MI250X',
                                                                                                'MI300X',
                                                                                                'MI325X',
                                                                                                'MI355X',
                                                                                                'Gaudi2',
                                                                                                'Gaudi3',
                                                                                                'Trainium1',
                                                                                                'Trainium2',
                                                                                                'Ascend910B'],
                                                                                       'default': '',
                                                                                       'x-otherwise': 'dsgen explain '
                                                                                                      'estimate.accelerator.product '
                                                                                                      'lists them; for '
                                                                                                      'others, set '
                                                                                                      'memory and '
                                                                                                      'flops',
                                                                                       'description': 'Accelerator, '
                                                                                                      'whose memory '
                                                                                                      'and speed are '
                                                                                                      'then known. '
                                                                                                      'Empty means '
                                                                                                      'that of the '
                                                                                                      'label '
                                                                                                      'nvidia.com/gpu.product '
                                                                                                      'or '
                                                                                                      'amd.com/gpu.product-name '
                                                                                                      'in '
                                                                                                      'workers.nodeSelector.'},
                                                                           'memory': {'type': ['string',
                                                                                               'number',
                                                                                               'null'],
                                                                                      'pattern': '^([1-9][0-9]{0,14}([.][0-9]{1,9})?|0[.][0-9]{0,8}[1-9])(M|G|T|P|Mi|Gi|Ti|Pi)$',
                                                                                      'x-pattern': 'a number with its '
                                                                                                   'unit, such as 80Gi '
                                                                                                   'or 500G',
                                                                                      'minimum': 1048576,
                                                                                      'maximum': 9007199254740991,
                                                                                      'description': 'Memory of an '
                                                                                                     'accelerator, if '
                                                                                                     'it differs from '
                                                                                                     'that of the '
                                                                                                     'product, or if '
                                                                                                     'the product is '
                                                                                                     'not in the list.',
                                                                                      'examples': ['80Gi']},
                                                                           'flops': {'type': ['string',
                                                                                              'number',
                                                                                              'null'],
                                                                                     'pattern': '^[1-9][0-9]{0,14}([.][0-9]{1,9})?(G|T|P)$',
                                                                                     'x-pattern': 'a number with its '
                                                                                                  'unit, such as 989T',
                                                                                     'minimum': 1000000000,
                                                                                     'maximum': 1000000000000000000,
                                                                                     'description': 'Peak of dense '
                                                                                                    'matrix products '
                                                                                                    'of an accelerator '
                                                                                                    'in 16 bits, in '
                                                                                                    'operations a '
                                                                                                    'second.',
                                                                                     'examples': ['989T']},
                                                                           'link': {'type': ['string',
                                                                                             'number',
                                                                                             'null'],
                                                                                    'pattern': '^([1-9][0-9]{0,14}([.][0-9]{1,9})?|0[.][0-9]{0,8}[1-9])(M|G|T|P|Mi|Gi|Ti|Pi)$',
                                                                                    'x-pattern': 'a number with its '
                                                                                                 'unit, such as 80Gi '
                                                                                                 'or 500G',
                                                                                    'minimum': 1048576,
                                                                                    'maximum': 9007199254740991,
                                                                                    'description': 'Bytes a second '
                                                                                                   'that an '
                                                                                                   'accelerator sends '
                                                                                                   'to the others of '
                                                                                                   'its worker.',
                                                                                    'examples': ['450G']},
                                                                           'hostLink': {'type': ['string',
                                                                                                 'number',
                                                                                                 'null'],
                                                                                        'pattern': '^([1-9][0-9]{0,14}([.][0-9]{1,9})?|0[.][0-9]{0,8}[1-9])(M|G|T|P|Mi|Gi|Ti|Pi)$',
                                                                                        'x-pattern': 'a number with '
                                                                                                     'its unit, such '
                                                                                                     'as 80Gi or 500G',
                                                                                        'minimum': 1048576,
                                                                                        'maximum': 9007199254740991,
                                                                                        'description': 'Bytes a second '
                                                                                                       'between an '
                                                                                                       'accelerator '
                                                                                                       'and the memory '
                                                                                                       'of its worker.',
                                                                                        'examples': ['64G']},
                                                                           'utilization': {'type': ['number', 'null'],
                                                                                           'minimum': 0.01,
                                                                                           'maximum': 1,
                                                                                           'description': 'Share of '
                                                                                                          'the peak '
                                                                                                          'that is '
                                                                                                          'reached '
                                                                                                          '(MFU), if '
                                                                                                          'it is known '
                                                                                                          'from an '
                                                                                                          'earlier '
                                                                                                          'run.',
                                                                                           'examples': [0.45]},
                                                                           'price': {'type': ['number', 'null'],
                                                                                     'minimum': 0,
                                                                                     'maximum': 1000000,
                                                                                     'description': 'Price of an '
                                                                                                    'accelerator for '
                                                                                                    'an hour, in any '
                                                                                                    'currency.',
                                                                                     'examples': [2.5]}},
                                                            'additionalProperties': False},
                                            'network': {'type': ['string', 'number', 'null'],
                                                        'pattern': '^([1-9][0-9]{0,14}([.][0-9]{1,9})?|0[.][0-9]{0,8}[1-9])(M|G|T)bit(/s)?$',
                                                        'x-pattern': 'a number with its unit in bits, such as 400Gbit',
                                                        'minimum': 1000000,
                                                        'maximum': 9007199254740991,
                                                        'description': 'Bits a second of the network of a worker, in '
                                                                       'one direction; of several devices together.',
                                                        'examples': ['400Gbit']},
                                            'worker': {'type': 'object',
                                                       'description': 'The node of a worker.',
                                                       'properties': {'memory': {'type': ['string', 'number', 'null'],
                                                                                 'pattern': '^([1-9][0-9]{0,14}([.][0-9]{1,9})?|0[.][0-9]{0,8}[1-9])(M|G|T|P|Mi|Gi|Ti|Pi)$',
                                                                                 'x-pattern': 'a number with its unit, '
                                                                                              'such as 80Gi or 500G',
                                                                                 'minimum': 1048576,
                                                                                 'maximum': 9007199254740991,
                                                                                 'description': 'Main memory that a '
                                                                                                'node has for a '
                                                                                                'worker, if '
                                                                                                'workers.resources has '
                                                                                                'no limit.',
                                                                                 'examples': ['1800Gi']},
                                                                      'memoryBandwidth': {'type': ['string',
                                                                                                   'number',
                                                                                                   'null'],
                                                                                          'pattern': '^([1-9][0-9]{0,14}([.][0-9]{1,9})?|0[.][0-9]{0,8}[1-9])(M|G|T|P|Mi|Gi|Ti|Pi)$',
                                                                                          'x-pattern': 'a number with '
                                                                                                       'its unit, such '
                                                                                                       'as 80Gi or '
                                                                                                       '500G',
                                                                                          'minimum': 1048576,
                                                                                          'maximum': 9007199254740991,
                                                                                          'description': 'Bytes a '
                                                                                                         'second of '
                                                                                                         'the main '
                                                                                                         'memory of a '
                                                                                                         'worker, for '
                                                                                                         'an optimizer '
                                                                                                         'on the CPU.',
                                                                                          'examples': ['200G']},
                                                                      'nvme': {'type': ['string', 'number', 'null'],
                                                                               'pattern': '^([1-9][0-9]{0,14}([.][0-9]{1,9})?|0[.][0-9]{0,8}[1-9])(M|G|T|P|Mi|Gi|Ti|Pi)$',
                                                                               'x-pattern': 'a number with its unit, '
                                                                                            'such as 80Gi or 500G',
                                                                               'minimum': 1048576,
                                                                               'maximum': 9007199254740991,
                                                                               'description': 'Bytes a second of the '
                                                                                              'NVMe disks of a worker, '
                                                                                              'in each direction.',
                                                                               'examples': ['6G']},
                                                                      'loaderMemory': {'type': ['string',
                                                                                                'number',
                                                                                                'null'],
                                                                                       'pattern': '^([1-9][0-9]{0,14}([.][0-9]{1,9})?|0[.][0-9]{0,8}[1-9])(M|G|T|P|Mi|Gi|Ti|Pi)$',
                                                                                       'x-pattern': 'a number with its '
                                                                                                    'unit, such as '
                                                                                                    '80Gi or 500G',
                                                                                       'minimum': 1048576,
                                                                                       'maximum': 9007199254740991,
                                                                                       'description': 'Main memory of '
                                                                                                      'all data '
                                                                                                      'loaders of a '
                                                                                                      'rank.',
                                                                                       'examples': ['4Gi']}},
                                                       'additionalProperties': False},
                                            'checkpoints': {'type': 'object',
                                                            'description': 'The checkpoints of DeepSpeed.',
                                                            'properties': {'volume': {'type': 'string',
                                                                                      'default': '',
                                                                                      'pattern': '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$',
                                                                                      'x-pattern': 'lower-case '
                                                                                                   'letters, digits, '
                                                                                                   'hyphens and dots, '
                                                                                                   'beginning and '
                                                                                                   'ending with a '
                                                                                                   'letter or digit',
                                                                                      'description': 'Volume of '
                                                                                                     'storage on which '
                                                                                                     'checkpoints are '
                                                                                                     'saved. Empty '
                                                                                                     'means unknown.'},
                                                                           'keep': {'type': ['integer', 'null'],
                                                                                    'minimum': 1,
                                                                                    'maximum': 10000,
                                                                                    'description': 'Checkpoints that '
                                                                                                   'are kept.',
                                                                                    'examples': [2]},
                                                                           'bandwidth': {'type': ['string',
                                                                                                  'number',
                                                                                                  'null'],
                                                                                         'pattern': '^([1-9][0-9]{0,14}([.][0-9]{1,9})?|0[.][0-9]{0,8}[1-9])(M|G|T|P|Mi|Gi|Ti|Pi)$',
                                                                                         'x-pattern': 'a number with '
                                                                                                      'its unit, such '
                                                                                                      'as 80Gi or 500G',
                                                                                         'minimum': 1048576,
                                                                                         'maximum': 9007199254740991,
                                                                                         'description': 'Bytes a '
                                                                                                        'second of '
                                                                                                        'that volume, '
                                                                                                        'of all '
                                                                                                        'workers '
                                                                                                        'together.',
                                                                                         'examples': ['5G']}},
                                                            'additionalProperties': False},
                                            'tokens': {'type': ['integer', 'null'],
                                                       'minimum': 1,
                                                       'maximum': 9007199254740991,
                                                       'description': 'Tokens to train.',
                                                       'examples': [1000000000]},
                                            'measured': {'type': 'object',
                                                         'description': 'What a run has measured; dsgen estimate FILE '
                                                                        '--measured --save writes it, and the next '
                                                                        'estimate shows by how much it is off.',
                                                         'properties': {'run': {'type': 'string',
                                                                                'default': '',
                                                                                'pattern': '^([a-z0-9]{1,20})?$',
                                                                                'x-pattern': 'the id of a run',
                                                                                'description': 'Run that the other '
                                                                                               'numbers are of. Empty '
                                                                                               'means unknown.'},
                                                                        'secondsPerStep': {'type': ['number', 'null'],
                                                                                           'minimum': 1e-06,
                                                                                           'maximum': 1000000000,
                                                                                           'description': 'Seconds of '
                                                                                                          'a step, on '
                                                                                                          'average.'},
                                                                        'memory': {'type': ['string', 'number', 'null'],
                                                                                   'pattern': '^([1-9][0-9]{0,14}([.][0-9]{1,9})?|0[.][0-9]{0,8}[1-9])(M|G|T|P|Mi|Gi|Ti|Pi)$',
                                                                                   'x-pattern': 'a number with its '
                                                                                                'unit, such as 80Gi or '
                                                                                                '500G',
                                                                                   'minimum': 1048576,
                                                                                   'maximum': 9007199254740991,
                                                                                   'description': 'The most memory of '
                                                                                                  'an accelerator.',
                                                                                   'examples': ['61Gi']},
                                                                        'workerMemory': {'type': ['string',
                                                                                                  'number',
                                                                                                  'null'],
                                                                                         'pattern': '^([1-9][0-9]{0,14}([.][0-9]{1,9})?|0[.][0-9]{0,8}[1-9])(M|G|T|P|Mi|Gi|Ti|Pi)$',
                                                                                         'x-pattern': 'a number with '
                                                                                                      'its unit, such '
                                                                                                      'as 80Gi or 500G',
                                                                                         'minimum': 1048576,
                                                                                         'maximum': 9007199254740991,
                                                                                         'description': 'Main memory '
                                                                                                        'of the worker '
                                                                                                        'that uses '
                                                                                                        'most.',
                                                                                         'examples': ['120Gi']}},
                                                         'additionalProperties': False}},
                             'additionalProperties': False},
                'global': {'type': 'object',
                           'default': {},
                           'description': 'Values of parent charts; dsgen does not use them.'}},
 'additionalProperties': False,
 'definitions': {'count': {'type': ['string', 'integer'],
                           'pattern': '^[0-9]{1,15}$',
                           'x-pattern': 'a whole number',
                           'minimum': 0,
                           'maximum': 999999999999999},
                 'networkName': {'type': 'string',
                                 'pattern': '^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?/)?[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?(@[A-Za-z0-9_.-]{1,15})?$',
                                 'x-pattern': 'a name, optionally with a namespace and / before it, and @ and an '
                                              'interface after it'},
                 'quantity': {'type': ['string', 'number'],
                              'pattern': '^[0-9]{1,18}([.][0-9]{1,18})?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$',
                              'x-pattern': 'a number with or without a unit, such as 500m, 4, 1.5 or 16Gi',
                              'minimum': 0,
                              'description': 'A Kubernetes quantity: a number, with or without a unit, such as 500m, '
                                             '4, 1.5 or 16Gi.'},
                 'request': {'type': ['string', 'number'],
                             'pattern': '^(auto|[0-9]+([.][0-9]+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?)$',
                             'x-pattern': 'auto, or a number with or without a unit, such as 500m, 4, 1.5 or 16Gi',
                             'minimum': 0,
                             'description': 'A Kubernetes quantity, or auto.'},
                 'labelKey': {'type': 'string',
                              'pattern': '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$',
                              'x-pattern': 'letters, digits, hyphens, underscores and dots, at most 63 characters, '
                                           'optionally after a domain and /'},
                 'labelValue': {'type': 'string',
                                'pattern': '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$',
                                'x-pattern': 'letters, digits, hyphens, underscores and dots, beginning and ending '
                                             'with a letter or digit, at most 63 characters'},
                 'resourceName': {'type': 'string',
                                  'pattern': '^(cpu|memory|ephemeral-storage|hugepages-[0-9]+[KMG]i|[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)$',
                                  'x-pattern': 'cpu, memory, ephemeral-storage, hugepages-2Mi, or a domain, / and a '
                                               'name, such as nvidia.com/gpu'},
                 'withoutNull': {'type': ['string', 'number', 'boolean', 'object', 'array'],
                                 'additionalProperties': {'$ref': '#/definitions/withoutNull'},
                                 'items': {'$ref': '#/definitions/withoutNull'}},
                 'pullSecret': {'type': 'object',
                                'properties': {'name': {'type': 'string',
                                                        'pattern': '^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$',
                                                        'x-pattern': 'lower-case letters, digits, hyphens and dots, '
                                                                     'beginning and ending with a letter or digit'}},
                                'required': ['name'],
                                'additionalProperties': False},
                 'envValue': {'type': ['string', 'object'],
                              'properties': {'valueFrom': {'$ref': '#/definitions/EnvVarSource'}},
                              'required': ['valueFrom'],
                              'additionalProperties': False},
                 'persistentVolume': {'type': 'object',
                                      'properties': {'nfs': {'$ref': '#/definitions/NFSVolumeSource'},
                                                     'hostPath': {'$ref': '#/definitions/HostPathVolumeSource'},
                                                     'csi': {'$ref': '#/definitions/CSIPersistentVolumeSource'},
                                                     'local': {'$ref': '#/definitions/LocalVolumeSource'},
                                                     'nodeAffinity': {'$ref': '#/definitions/VolumeNodeAffinity'},
                                                     'mountOptions': {'type': 'array', 'items': {'type': 'string'}}},
                                      'additionalProperties': False},
                 'container': {'type': 'object',
                               'allOf': [{'$ref': '#/definitions/Container'}],
                               'required': ['name', 'image']},
                 'Affinity': {'type': 'object',
                              'properties': {'nodeAffinity': {'$ref': '#/definitions/NodeAffinity',
                                                              'description': 'Describes node affinity scheduling rules '
                                                                             'for the pod.'},
                                             'podAffinity': {'$ref': '#/definitions/PodAffinity',
                                                             'description': 'Describes pod affinity scheduling rules '
                                                                            '(e.g. co-locate this pod in the same '
                                                                            'node, zone, etc. as some other pod(s)).'},
                                             'podAntiAffinity': {'$ref': '#/definitions/PodAntiAffinity',
                                                                 'description': 'Describes pod anti-affinity '
                                                                                'scheduling rules (e.g. avoid putting '
                                                                                'this pod in the same node, zone, etc. '
                                                                                'as some other pod(s)).'}},
                              'additionalProperties': False},
                 'AppArmorProfile': {'type': 'object',
                                     'properties': {'localhostProfile': {'type': 'string',
                                                                         'description': 'localhostProfile indicates a '
                                                                                        'profile loaded on the node '
                                                                                        'that should be used.'},
                                                    'type': {'type': 'string',
                                                             'enum': ['Localhost', 'RuntimeDefault', 'Unconfined'],
                                                             'description': 'type indicates which kind of AppArmor '
                                                                            'profile will be applied.'}},
                                     'required': ['type'],
                                     'additionalProperties': False},
                 'CSIPersistentVolumeSource': {'type': 'object',
                                               'properties': {'controllerExpandSecretRef': {'$ref': '#/definitions/SecretReference',
                                                                                            'description': 'controllerExpandSecretRef '
                                                                                                           'is a '
                                                                                                           'reference '
                                                                                                           'to the '
                                                                                                           'secret '
                                                                                                           'object '
                                                                                                           'containing '
                                                                                                           'sensitive '
                                                                                                           'information '
                                                                                                           'to pass to '
                                                                                                           'the CSI '
                                                                                                           'driver to '
                                                                                                           'complete '
                                                                                                           'the CSI '
                                                                                                           'ControllerExpandVolume '
                                                                                                           'call.'},
                                                              'controllerPublishSecretRef': {'$ref': '#/definitions/SecretReference',
                                                                                             'description': 'controllerPublishSecretRef '
                                                                                                            'is a '
                                                                                                            'reference '
                                                                                                            'to the '
                                                                                                            'secret '
                                                                                                            'object '
                                                                                                            'containing '
                                                                                                            'sensitive '
                                                                                                            'information '
                                                                                                            'to pass '
                                                                                                            'to the '
                                                                                                            'CSI '
                                                                                                            'driver to '
                                                                                                            'complete '
                                                                                                            'the CSI '
                                                                                                            'ControllerPublishVolume '
                                                                                                            'and '
                                                                                                            'ControllerUnpublishVolume '
                                                                                                            'calls.'},
                                                              'driver': {'type': 'string',
                                                                         'description': 'driver is the name of the '
                                                                                        'driver to use for this '
                                                                                        'volume.'},
                                                              'fsType': {'type': 'string',
                                                                         'description': 'fsType to mount.'},
                                                              'nodeExpandSecretRef': {'$ref': '#/definitions/SecretReference',
                                                                                      'description': 'nodeExpandSecretRef '
                                                                                                     'is a reference '
                                                                                                     'to the secret '
                                                                                                     'object '
                                                                                                     'containing '
                                                                                                     'sensitive '
                                                                                                     'information to '
                                                                                                     'pass to the CSI '
                                                                                                     'driver to '
                                                                                                     'complete the CSI '
                                                                                                     'NodeExpandVolume '
                                                                                                     'call.'},
                                                              'nodePublishSecretRef': {'$ref': '#/definitions/SecretReference',
                                                                                       'description': 'nodePublishSecretRef '
                                                                                                      'is a reference '
                                                                                                      'to the secret '
                                                                                                      'object '
                                                                                                      'containing '
                                                                                                      'sensitive '
                                                                                                      'information to '
                                                                                                      'pass to the CSI '
                                                                                                      'driver to '
                                                                                                      'complete the '
                                                                                                      'CSI '
                                                                                                      'NodePublishVolume '
                                                                                                      'and '
                                                                                                      'NodeUnpublishVolume '
                                                                                                      'calls.'},
                                                              'nodeStageSecretRef': {'$ref': '#/definitions/SecretReference',
                                                                                     'description': 'nodeStageSecretRef '
                                                                                                    'is a reference to '
                                                                                                    'the secret object '
                                                                                                    'containing '
                                                                                                    'sensitive '
                                                                                                    'information to '
                                                                                                    'pass to the CSI '
                                                                                                    'driver to '
                                                                                                    'complete the CSI '
                                                                                                    'NodeStageVolume '
                                                                                                    'and '
                                                                                                    'NodeStageVolume '
                                                                                                    'and '
                                                                                                    'NodeUnstageVolume '
                                                                                                    'calls.'},
                                                              'readOnly': {'type': 'boolean',
                                                                           'description': 'readOnly value to pass to '
                                                                                          'ControllerPublishVolumeRequest.'},
                                                              'volumeAttributes': {'type': 'object',
                                                                                   'additionalProperties': {'type': 'string'},
                                                                                   'description': 'volumeAttributes of '
                                                                                                  'the volume to '
                                                                                                  'publish.'},
                                                              'volumeHandle': {'type': 'string',
                                                                               'description': 'volumeHandle is the '
                                                                                              'unique volume name '
                                                                                              'returned by the CSI '
                                                                                              'volume plugin’s '
                                                                                              'CreateVolume to refer '
                                                                                              'to the volume on all '
                                                                                              'subsequent calls.'}},
                                               'required': ['driver', 'volumeHandle'],
                                               'additionalProperties': False},
                 'CSIVolumeSource': {'type': 'object',
                                     'properties': {'driver': {'type': 'string',
                                                               'description': 'driver is the name of the CSI driver '
                                                                              'that handles this volume.'},
                                                    'fsType': {'type': 'string', 'description': 'fsType to mount.'},
                                                    'nodePublishSecretRef': {'$ref': '#/definitions/LocalObjectReference',
                                                                             'description': 'nodePublishSecretRef is a '
                                                                                            'reference to the secret '
                                                                                            'object containing '
                                                                                            'sensitive information to '
                                                                                            'pass to the CSI driver to '
                                                                                            'complete the CSI '
                                                                                            'NodePublishVolume and '
                                                                                            'NodeUnpublishVolume '
                                                                                            'calls.'},
                                                    'readOnly': {'type': 'boolean',
                                                                 'description': 'readOnly specifies a read-only '
                                                                                'configuration for the volume.'},
                                                    'volumeAttributes': {'type': 'object',
                                                                         'additionalProperties': {'type': 'string'},
                                                                         'description': 'volumeAttributes stores '
                                                                                        'driver-specific properties '
                                                                                        'that are passed to the CSI '
                                                                                        'driver.'}},
                                     'required': ['driver'],
                                     'additionalProperties': False},
                 'Capabilities': {'type': 'object',
                                  'properties': {'add': {'type': 'array',
                                                         'items': {'type': 'string'},
                                                         'description': 'Added capabilities.'},
                                                 'drop': {'type': 'array',
                                                          'items': {'type': 'string'},
                                                          'description': 'Removed capabilities.'}},
                                  'additionalProperties': False},
                 'ClusterTrustBundleProjection': {'type': 'object',
                                                  'properties': {'labelSelector': {'$ref': '#/definitions/LabelSelector',
                                                                                   'description': 'Select all '
                                                                                                  'ClusterTrustBundles '
                                                                                                  'that match this '
                                                                                                  'label selector.'},
                                                                 'name': {'type': 'string',
                                                                          'description': 'Select a single '
                                                                                         'ClusterTrustBundle by object '
                                                                                         'name.'},
                                                                 'optional': {'type': 'boolean',
                                                                              'description': "If true, don't block pod "
                                                                                             'startup if the '
                                                                                             'referenced '
                                                                                             'ClusterTrustBundle(s) '
                                                                                             "aren't available."},
                                                                 'path': {'type': 'string',
                                                                          'description': 'Relative path from the '
                                                                                         'volume root to write the '
                                                                                         'bundle.'},
                                                                 'signerName': {'type': 'string',
                                                                                'description': 'Select all '
                                                                                               'ClusterTrustBundles '
                                                                                               'that match this signer '
                                                                                               'name.'}},
                                                  'required': ['path'],
                                                  'additionalProperties': False},
                 'ConfigMapEnvSource': {'type': 'object',
                                        'properties': {'name': {'type': 'string',
                                                                'description': 'Name of the referent.'},
                                                       'optional': {'type': 'boolean',
                                                                    'description': 'Specify whether the ConfigMap must '
                                                                                   'be defined.'}},
                                        'required': ['name'],
                                        'additionalProperties': False},
                 'ConfigMapKeySelector': {'type': 'object',
                                          'properties': {'key': {'type': 'string', 'description': 'The key to select.'},
                                                         'name': {'type': 'string',
                                                                  'description': 'Name of the referent.'},
                                                         'optional': {'type': 'boolean',
                                                                      'description': 'Specify whether the ConfigMap or '
                                                                                     'its key must be defined.'}},
                                          'required': ['key', 'name'],
                                          'additionalProperties': False},
                 'ConfigMapProjection': {'type': 'object',
                                         'properties': {'items': {'type': 'array',
                                                                  'items': {'$ref': '#/definitions/KeyToPath'},
                                                                  'description': 'items if unspecified, each key-value '
                                                                                 'pair in the Data field of the '
                                                                                 'referenced ConfigMap will be '
                                                                                 'projected into the volume as a file '
                                                                                 'whose name is the key and content is '
                                                                                 'the value.'},
                                                        'name': {'type': 'string',
                                                                 'description': 'Name of the referent.'},
                                                        'optional': {'type': 'boolean',
                                                                     'description': 'optional specify whether the '
                                                                                    'ConfigMap or its keys must be '
                                                                                    'defined.'}},
                                         'additionalProperties': False},
                 'ConfigMapVolumeSource': {'type': 'object',
                                           'properties': {'defaultMode': {'type': 'integer',
                                                                          'minimum': -2147483648,
                                                                          'maximum': 2147483647,
                                                                          'description': 'defaultMode is optional: '
                                                                                         'mode bits used to set '
                                                                                         'permissions on created files '
                                                                                         'by default.'},
                                                          'items': {'type': 'array',
                                                                    'items': {'$ref': '#/definitions/KeyToPath'},
                                                                    'description': 'items if unspecified, each '
                                                                                   'key-value pair in the Data field '
                                                                                   'of the referenced ConfigMap will '
                                                                                   'be projected into the volume as a '
                                                                                   'file whose name is the key and '
                                                                                   'content is the value.'},
                                                          'name': {'type': 'string',
                                                                   'description': 'Name of the referent.'},
                                                          'optional': {'type': 'boolean',
                                                                       'description': 'optional specify whether the '
                                                                                      'ConfigMap or its keys must be '
                                                                                      'defined.'}},
                                           'additionalProperties': False},
                 'Container': {'type': 'object',
                               'properties': {'args': {'type': 'array',
                                                       'items': {'type': 'string'},
                                                       'description': 'Arguments to the entrypoint.'},
                                              'command': {'type': 'array',
                                                          'items': {'type': 'string'},
                                                          'description': 'Entrypoint array.'},
                                              'env': {'type': 'array',
                                                      'items': {'$ref': '#/definitions/EnvVar'},
                                                      'description': 'List of environment variables to set in the '
                                                                     'container.'},
                                              'envFrom': {'type': 'array',
                                                          'items': {'$ref': '#/definitions/EnvFromSource'},
                                                          'description': 'List of sources to populate environment '
                                                                         'variables in the container.'},
                                              'image': {'type': 'string', 'description': 'Container image name.'},
                                              'imagePullPolicy': {'type': 'string',
                                                                  'enum': ['', 'Always', 'IfNotPresent', 'Never'],
                                                                  'description': 'Image pull policy.'},
                                              'lifecycle': {'$ref': '#/definitions/Lifecycle',
                                                            'description': 'Actions that the management system should '
                                                                           'take in response to container lifecycle '
                                                                           'events.'},
                                              'livenessProbe': {'$ref': '#/definitions/Probe',
                                                                'description': 'Periodic probe of container liveness.'},
                                              'name': {'type': 'string',
                                                       'description': 'Name of the container specified as a '
                                                                      'DNS_LABEL.'},
                                              'ports': {'type': 'array',
                                                        'items': {'$ref': '#/definitions/ContainerPort'},
                                                        'description': 'List of ports to expose from the container.'},
                                              'readinessProbe': {'$ref': '#/definitions/Probe',
                                                                 'description': 'Periodic probe of container service '
                                                                                'readiness.'},
                                              'resizePolicy': {'type': 'array',
                                                               'items': {'$ref': '#/definitions/ContainerResizePolicy'},
                                                               'description': 'Resources resize policy for the '
                                                                              'container.'},
                                              'resources': {'$ref': '#/definitions/ResourceRequirements',
                                                            'description': 'Compute Resources required by this '
                                                                           'container.'},
                                              'restartPolicy': {'type': 'string',
                                                                'description': 'RestartPolicy defines the restart '
                                                                               'behavior of individual containers in a '
                                                                               'pod.'},
                                              'restartPolicyRules': {'type': 'array',
                                                                     'items': {'$ref': '#/definitions/ContainerRestartRule'},
                                                                     'description': 'Represents a list of rules to be '
                                                                                    'checked to determine if the '
                                                                                    'container should be restarted on '
                                                                                    'exit.'},
                                              'securityContext': {'$ref': '#/definitions/SecurityContext',
                                                                  'description': 'SecurityContext defines the security '
                                                                                 'options the container should be run '
                                                                                 'with.'},
                                              'startupProbe': {'$ref': '#/definitions/Probe',
                                                               'description': 'StartupProbe indicates that the Pod has '
                                                                              'successfully initialized.'},
                                              'stdin': {'type': 'boolean',
                                                        'description': 'Whether this container should allocate a '
                                                                       'buffer for stdin in the container runtime.'},
                                              'stdinOnce': {'type': 'boolean',
                                                            'description': 'Whether the container runtime should close '
                                                                           'the stdin channel after it has been opened '
                                                                           'by a single attach.'},
                                              'terminationMessagePath': {'type': 'string',
                                                                         'description': 'Optional: Path at which the '
                                                                                        "file to which the container's "
                                                                                        'termination message will be '
                                                                                        'written is mounted into the '
                                                                                        "container's filesystem."},
                                              'terminationMessagePolicy': {'type': 'string',
                                                                           'enum': ['',
                                                                                    'FallbackToLogsOnError',
                                                                                    'File'],
                                                                           'description': 'Indicate how the '
                                                                                          'termination message should '
                                                                                          'be populated.'},
                                              'tty': {'type': 'boolean',
                                                      'description': 'Whether this container should allocate a TTY for '
                                                                     "itself, also requires 'stdin' to be true."},
                                              'volumeDevices': {'type': 'array',
                                                                'items': {'$ref': '#/definitions/VolumeDevice'},
                                                                'description': 'volumeDevices is the list of block '
                                                                               'devices to be used by the container.'},
                                              'volumeMounts': {'type': 'array',
                                                               'items': {'$ref': '#/definitions/VolumeMount'},
                                                               'description': 'Pod volumes to mount into the '
                                                                              "container's filesystem."},
                                              'workingDir': {'type': 'string',
                                                             'description': "Container's working directory."}},
                               'additionalProperties': False},
                 'ContainerPort': {'type': 'object',
                                   'properties': {'containerPort': {'type': 'integer',
                                                                    'minimum': -2147483648,
                                                                    'maximum': 2147483647,
                                                                    'description': 'Number of port to expose on the '
                                                                                   "pod's IP address."},
                                                  'hostIP': {'type': 'string',
                                                             'description': 'What host IP to bind the external port '
                                                                            'to.'},
                                                  'hostPort': {'type': 'integer',
                                                               'minimum': -2147483648,
                                                               'maximum': 2147483647,
                                                               'description': 'Number of port to expose on the host.'},
                                                  'name': {'type': 'string',
                                                           'description': 'If specified, this must be an IANA_SVC_NAME '
                                                                          'and unique within the pod.'},
                                                  'protocol': {'type': 'string',
                                                               'enum': ['', 'SCTP', 'TCP', 'UDP'],
                                                               'description': 'Protocol for port.'}},
                                   'required': ['containerPort'],
                                   'additionalProperties': False},
                 'ContainerResizePolicy': {'type': 'object',
                                           'properties': {'resourceName': {'type': 'string',
                                                                           'description': 'Name of the resource to '
                                                                                          'which this resource resize '
                                                                                          'policy applies.'},
                                                          'restartPolicy': {'type': 'string',
                                                                            'description': 'Restart policy to apply '
                                                                                           'when specified resource is '
                                                                                           'resized.'}},
                                           'required': ['resourceName', 'restartPolicy'],
                                           'additionalProperties': False},
                 'ContainerRestartRule': {'type': 'object',
                                          'properties': {'action': {'type': 'string',
                                                                    'description': 'Specifies the action taken on a '
                                                                                   'container exit if the requirements '
                                                                                   'are satisfied.'},
                                                         'exitCodes': {'$ref': '#/definitions/ContainerRestartRuleOnExitCodes',
                                                                       'description': 'Represents the exit codes to '
                                                                                      'check on container exits.'}},
                                          'required': ['action'],
                                          'additionalProperties': False},
                 'ContainerRestartRuleOnExitCodes': {'type': 'object',
                                                     'properties': {'operator': {'type': 'string',
                                                                                 'description': 'Represents the '
                                                                                                'relationship between '
                                                                                                'the container exit '
                                                                                                'code(s) and the '
                                                                                                'specified values.'},
                                                                    'values': {'type': 'array',
                                                                               'items': {'type': 'integer',
                                                                                         'minimum': -2147483648,
                                                                                         'maximum': 2147483647},
                                                                               'description': 'Specifies the set of '
                                                                                              'values to check for '
                                                                                              'container exit codes.'}},
                                                     'required': ['operator'],
                                                     'additionalProperties': False},
                 'DownwardAPIProjection': {'type': 'object',
                                           'properties': {'items': {'type': 'array',
                                                                    'items': {'$ref': '#/definitions/DownwardAPIVolumeFile'},
                                                                    'description': 'Items is a list of '
                                                                                   'DownwardAPIVolume file.'}},
                                           'additionalProperties': False},
                 'DownwardAPIVolumeFile': {'type': 'object',
                                           'properties': {'fieldRef': {'$ref': '#/definitions/ObjectFieldSelector',
                                                                       'description': 'Required: Selects a field of '
                                                                                      'the pod: only annotations, '
                                                                                      'labels, name, namespace and uid '
                                                                                      'are supported.'},
                                                          'mode': {'type': 'integer',
                                                                   'minimum': -2147483648,
                                                                   'maximum': 2147483647,
                                                                   'description': 'Optional: mode bits used to set '
                                                                                  'permissions on this file, must be '
                                                                                  'an octal value between 0000 and '
                                                                                  '0777 or a decimal value between 0 '
                                                                                  'and 511.'},
                                                          'path': {'type': 'string',
                                                                   'description': 'Required: Path is the relative path '
                                                                                  'name of the file to be created.'},
                                                          'resourceFieldRef': {'$ref': '#/definitions/ResourceFieldSelector',
                                                                               'description': 'Selects a resource of '
                                                                                              'the container: only '
                                                                                              'resources limits and '
                                                                                              'requests (limits.cpu, '
                                                                                              'limits.memory, '
                                                                                              'requests.cpu and '
                                                                                              'requests.memory) are '
                                                                                              'currently supported.'}},
                                           'required': ['path'],
                                           'additionalProperties': False},
                 'EmptyDirVolumeSource': {'type': 'object',
                                          'properties': {'medium': {'type': 'string',
                                                                    'pattern': '^(Memory|HugePages(-[0-9]+[KMG]i)?)?$',
                                                                    'x-pattern': 'Memory, HugePages, or HugePages- and '
                                                                                 'a size such as 2Mi',
                                                                    'description': 'medium represents what type of '
                                                                                   'storage medium should back this '
                                                                                   'directory.'},
                                                         'sizeLimit': {'$ref': '#/definitions/Quantity',
                                                                       'description': 'sizeLimit is the total amount '
                                                                                      'of local storage required for '
                                                                                      'this EmptyDir volume.'}},
                                          'additionalProperties': False},
                 'EnvFromSource': {'type': 'object',
                                   'properties': {'configMapRef': {'$ref': '#/definitions/ConfigMapEnvSource',
                                                                   'description': 'The ConfigMap to select from.'},
                                                  'prefix': {'type': 'string',
                                                             'description': 'Optional text to prepend to the name of '
                                                                            'each environment variable.'},
                                                  'secretRef': {'$ref': '#/definitions/SecretEnvSource',
                                                                'description': 'The Secret to select from.'}},
                                   'additionalProperties': False,
                                   'oneOf': [{'required': ['configMapRef']}, {'required': ['secretRef']}]},
                 'EnvVar': {'type': 'object',
                            'properties': {'name': {'type': 'string',
                                                    'description': 'Name of the environment variable.'},
                                           'value': {'type': 'string',
                                                     'description': 'Variable references $(VAR_NAME) are expanded '
                                                                    'using the previously defined environment '
                                                                    'variables in the container and any service '
                                                                    'environment variables.'},
                                           'valueFrom': {'$ref': '#/definitions/EnvVarSource',
                                                         'description': "Source for the environment variable's "
                                                                        'value.'}},
                            'required': ['name'],
                            'additionalProperties': False},
                 'EnvVarSource': {'type': 'object',
                                  'properties': {'configMapKeyRef': {'$ref': '#/definitions/ConfigMapKeySelector',
                                                                     'description': 'Selects a key of a ConfigMap.'},
                                                 'fieldRef': {'$ref': '#/definitions/ObjectFieldSelector',
                                                              'description': 'Selects a field of the pod: supports '
                                                                             'metadata.name, metadata.namespace, '
                                                                             "`metadata.labels['<KEY>']`, "
                                                                             "`metadata.annotations['<KEY>']`, "
                                                                             'spec.nodeName, spec.serviceAccountName, '
                                                                             'status.hostIP, status.podIP, '
                                                                             'status.podIPs.'},
                                                 'fileKeyRef': {'$ref': '#/definitions/FileKeySelector',
                                                                'description': 'FileKeyRef selects a key of the env '
                                                                               'file.'},
                                                 'resourceFieldRef': {'$ref': '#/definitions/ResourceFieldSelector',
                                                                      'description': 'Selects a resource of the '
                                                                                     'container: only resources limits '
                                                                                     'and requests (limits.cpu, '
                                                                                     'limits.memory, '
                                                                                     'limits.ephemeral-storage, '
                                                                                     'requests.cpu, requests.memory '
                                                                                     'and requests.ephemeral-storage) '
                                                                                     'are currently supported.'},
                                                 'secretKeyRef': {'$ref': '#/definitions/SecretKeySelector',
                                                                  'description': 'Selects a key of a secret in the '
                                                                                 "pod's namespace."}},
                                  'additionalProperties': False,
                                  'minProperties': 1,
                                  'maxProperties': 1},
                 'EphemeralVolumeSource': {'type': 'object',
                                           'properties': {'volumeClaimTemplate': {'$ref': '#/definitions/PersistentVolumeClaimTemplate',
                                                                                  'description': 'Will be used to '
                                                                                                 'create a stand-alone '
                                                                                                 'PVC to provision the '
                                                                                                 'volume.'}},
                                           'additionalProperties': False},
                 'ExecAction': {'type': 'object',
                                'properties': {'command': {'type': 'array',
                                                           'items': {'type': 'string'},
                                                           'description': 'Command is the command line to execute '
                                                                          'inside the container, the working directory '
                                                                          "for the command is root ('/') in the "
                                                                          "container's filesystem."}},
                                'additionalProperties': False},
                 'FileKeySelector': {'type': 'object',
                                     'properties': {'key': {'type': 'string',
                                                            'description': 'The key within the env file.'},
                                                    'optional': {'type': 'boolean',
                                                                 'description': 'Specify whether the file or its key '
                                                                                'must be defined.'},
                                                    'path': {'type': 'string',
                                                             'description': 'The path within the volume from which to '
                                                                            'select the file.'},
                                                    'volumeName': {'type': 'string',
                                                                   'description': 'The name of the volume mount '
                                                                                  'containing the env file.'}},
                                     'required': ['key', 'path', 'volumeName'],
                                     'additionalProperties': False},
                 'GRPCAction': {'type': 'object',
                                'properties': {'port': {'type': 'integer',
                                                        'minimum': -2147483648,
                                                        'maximum': 2147483647,
                                                        'description': 'Port number of the gRPC service.'},
                                               'service': {'type': 'string',
                                                           'description': 'Service is the name of the service to place '
                                                                          'in the gRPC HealthCheckRequest (see '
                                                                          'https://github.com/grpc/grpc/blob/master/doc/health-checking.md).'}},
                                'required': ['port'],
                                'additionalProperties': False},
                 'HTTPGetAction': {'type': 'object',
                                   'properties': {'host': {'type': 'string',
                                                           'description': 'Host name to connect to, defaults to the '
                                                                          'pod IP.'},
                                                  'httpHeaders': {'type': 'array',
                                                                  'items': {'$ref': '#/definitions/HTTPHeader'},
                                                                  'description': 'Custom headers to set in the '
                                                                                 'request.'},
                                                  'path': {'type': 'string',
                                                           'description': 'Path to access on the HTTP server.'},
                                                  'port': {'$ref': '#/definitions/IntOrString',
                                                           'description': 'Name or number of the port to access on the '
                                                                          'container.'},
                                                  'scheme': {'type': 'string',
                                                             'enum': ['', 'HTTP', 'HTTPS'],
                                                             'description': 'Scheme to use for connecting to the '
                                                                            'host.'}},
                                   'required': ['port'],
                                   'additionalProperties': False},
                 'HTTPHeader': {'type': 'object',
                                'properties': {'name': {'type': 'string', 'description': 'The header field name.'},
                                               'value': {'type': 'string', 'description': 'The header field value.'}},
                                'required': ['name'],
                                'additionalProperties': False},
                 'HostAlias': {'type': 'object',
                               'properties': {'hostnames': {'type': 'array',
                                                            'items': {'type': 'string'},
                                                            'description': 'Hostnames for the above IP address.'},
                                              'ip': {'type': 'string',
                                                     'description': 'IP address of the host file entry.'}},
                               'required': ['ip'],
                               'additionalProperties': False},
                 'HostPathVolumeSource': {'type': 'object',
                                          'properties': {'path': {'type': 'string',
                                                                  'description': 'path of the directory on the host.'},
                                                         'type': {'type': 'string',
                                                                  'enum': ['',
                                                                           'BlockDevice',
                                                                           'CharDevice',
                                                                           'Directory',
                                                                           'DirectoryOrCreate',
                                                                           'File',
                                                                           'FileOrCreate',
                                                                           'Socket'],
                                                                  'description': 'type for HostPath Volume Defaults to '
                                                                                 '"" More info: '
                                                                                 'https://kubernetes.io/docs/concepts/storage/volumes#hostpath.'}},
                                          'required': ['path'],
                                          'additionalProperties': False},
                 'IntOrString': {'type': ['integer', 'string'], 'minimum': -2147483648, 'maximum': 2147483647},
                 'KeyToPath': {'type': 'object',
                               'properties': {'key': {'type': 'string', 'description': 'key is the key to project.'},
                                              'mode': {'type': 'integer',
                                                       'minimum': -2147483648,
                                                       'maximum': 2147483647,
                                                       'description': 'mode is Optional: mode bits used to set '
                                                                      'permissions on this file.'},
                                              'path': {'type': 'string',
                                                       'description': 'path is the relative path of the file to map '
                                                                      'the key to.'}},
                               'required': ['key', 'path'],
                               'additionalProperties': False},
                 'LabelSelector': {'type': 'object',
                                   'properties': {'matchExpressions': {'type': 'array',
                                                                       'items': {'$ref': '#/definitions/LabelSelectorRequirement'},
                                                                       'description': 'matchExpressions is a list of '
                                                                                      'label selector requirements.'},
                                                  'matchLabels': {'type': 'object',
                                                                  'additionalProperties': {'type': 'string'},
                                                                  'description': 'matchLabels is a map of {key,value} '
                                                                                 'pairs.'}},
                                   'additionalProperties': False},
                 'LabelSelectorRequirement': {'type': 'object',
                                              'properties': {'key': {'type': 'string',
                                                                     'description': 'key is the label key that the '
                                                                                    'selector applies to.'},
                                                             'operator': {'type': 'string',
                                                                          'description': "operator represents a key's "
                                                                                         'relationship to a set of '
                                                                                         'values.'},
                                                             'values': {'type': 'array',
                                                                        'items': {'type': 'string'},
                                                                        'description': 'values is an array of string '
                                                                                       'values.'}},
                                              'required': ['key', 'operator'],
                                              'additionalProperties': False},
                 'Lifecycle': {'type': 'object',
                               'properties': {'postStart': {'$ref': '#/definitions/LifecycleHandler',
                                                            'description': 'PostStart is called immediately after a '
                                                                           'container is created.'},
                                              'preStop': {'$ref': '#/definitions/LifecycleHandler',
                                                          'description': 'PreStop is called immediately before a '
                                                                         'container is terminated due to an API '
                                                                         'request or management event such as '
                                                                         'liveness/startup probe failure, preemption, '
                                                                         'resource contention, etc.'},
                                              'stopSignal': {'type': 'string',
                                                             'enum': ['',
                                                                      'SIGABRT',
                                                                      'SIGALRM',
                                                                      'SIGBUS',
                                                                      'SIGCHLD',
                                                                      'SIGCLD',
                                                                      'SIGCONT',
                                                                      'SIGFPE',
                                                                      'SIGHUP',
                                                                      'SIGILL',
                                                                      'SIGINT',
                                                                      'SIGIO',
                                                                      'SIGIOT',
                                                                      'SIGKILL',
                                                                      'SIGPIPE',
                                                                      'SIGPOLL',
                                                                      'SIGPROF',
                                                                      'SIGPWR',
                                                                      'SIGQUIT',
                                                                      'SIGRTMAX',
                                                                      'SIGRTMAX-1',
                                                                      'SIGRTMAX-10',
                                                                      'SIGRTMAX-11',
                                                                      'SIGRTMAX-12',
                                                                      'SIGRTMAX-13',
                                                                      'SIGRTMAX-14',
                                                                      'SIGRTMAX-2',
                                                                      'SIGRTMAX-3',
                                                                      'SIGRTMAX-4',
                                                                      'SIGRTMAX-5',
                                                                      'SIGRTMAX-6',
                                                                      'SIGRTMAX-7',
                                                                      'SIGRTMAX-8',
                                                                      'SIGRTMAX-9',
                                                                      'SIGRTMIN',
                                                                      'SIGRTMIN+1',
                                                                      'SIGRTMIN+10',
                                                                      'SIGRTMIN+11',
                                                                      'SIGRTMIN+12',
                                                                      'SIGRTMIN+13',
                                                                      'SIGRTMIN+14',
                                                                      'SIGRTMIN+15',
                                                                      'SIGRTMIN+2',
                                                                      'SIGRTMIN+3',
                                                                      'SIGRTMIN+4',
                                                                      'SIGRTMIN+5',
                                                                      'SIGRTMIN+6',
                                                                      'SIGRTMIN+7',
                                                                      'SIGRTMIN+8',
                                                                      'SIGRTMIN+9',
                                                                      'SIGSEGV',
                                                                      'SIGSTKFLT',
                                                                      'SIGSTOP',
                                                                      'SIGSYS',
                                                                      'SIGTERM',
                                                                      'SIGTRAP',
                                                                      'SIGTSTP',
                                                                      'SIGTTIN',
                                                                      'SIGTTOU',
                                                                      'SIGURG',
                                                                      'SIGUSR1',
                                                                      'SIGUSR2',
                                                                      'SIGVTALRM',
                                                                      'SIGWINCH',
                                                                      'SIGXCPU',
                                                                      'SIGXFSZ'],
                                                             'description': 'StopSignal defines which signal will be '
                                                                            'sent to a container when it is being '
                                                                            'stopped.'}},
                               'additionalProperties': False},
                 'LifecycleHandler': {'type': 'object',
                                      'properties': {'exec': {'$ref': '#/definitions/ExecAction',
                                                              'description': 'Exec specifies a command to execute in '
                                                                             'the container.'},
                                                     'httpGet': {'$ref': '#/definitions/HTTPGetAction',
                                                                 'description': 'HTTPGet specifies an HTTP GET request '
                                                                                'to perform.'},
                                                     'sleep': {'$ref': '#/definitions/SleepAction',
                                                               'description': 'Sleep represents a duration that the '
                                                                              'container should sleep.'},
                                                     'tcpSocket': {'$ref': '#/definitions/TCPSocketAction',
                                                                   'description': 'Deprecated.'}},
                                      'additionalProperties': False},
                 'LocalObjectReference': {'type': 'object',
                                          'properties': {'name': {'type': 'string',
                                                                  'description': 'Name of the referent.'}},
                                          'additionalProperties': False},
                 'LocalVolumeSource': {'type': 'object',
                                       'properties': {'fsType': {'type': 'string',
                                                                 'description': 'fsType is the filesystem type to '
                                                                                'mount.'},
                                                      'path': {'type': 'string',
                                                               'description': 'path of the full path to the volume on '
                                                                              'the node.'}},
                                       'required': ['path'],
                                       'additionalProperties': False},
                 'NFSVolumeSource': {'type': 'object',
                                     'properties': {'path': {'type': 'string',
                                                             'pattern': '^/[^\\n\\x85]*$',
                                                             'x-pattern': 'an absolute path',
                                                             'description': 'path that is exported by the NFS server.'},
                                                    'readOnly': {'type': 'boolean',
                                                                 'description': 'readOnly here will force the NFS '
                                                                                'export to be mounted with read-only '
                                                                                'permissions.'},
                                                    'server': {'type': 'string',
                                                               'description': 'server is the hostname or IP address of '
                                                                              'the NFS server.'}},
                                     'required': ['path', 'server'],
                                     'additionalProperties': False},
                 'NodeAffinity': {'type': 'object',
                                  'properties': {'preferredDuringSchedulingIgnoredDuringExecution': {'type': 'array',
                                                                                                     'items': {'$ref': '#/definitions/PreferredSchedulingTerm'},
                                                                                                     'description': 'The '
                                                                                                                    'scheduler '
                                                                                                                    'will '
                                                                                                                    'prefer '
                                                                                                                    'to '
                                                                                                                    'schedule '
                                                                                                                    'pods '
                                                                                                                    'to '
                                                                                                                    'nodes '
                                                                                                                    'that '
                                                                                                                    'satisfy '
                                                                                                                    'the '
                                                                                                                    'affinity '
                                                                                                                    'expressions '
                                                                                                                    'specified '
                                                                                                                    'by '
                                                                                                                    'this '
                                                                                                                    'field, '
                                                                                                                    'but '
                                                                                                                    'it '
                                                                                                                    'may '
                                                                                                                    'choose '
                                                                                                                    'a '
                                                                                                                    'node '
                                                                                                                    'that '
                                                                                                                    'violates '
                                                                                                                    'one '
                                                                                                                    'or '
                                                                                                                    'more '
                                                                                                                    'of '
                                                                                                                    'the '
                                                                                                                    'expressions.'},
                                                 'requiredDuringSchedulingIgnoredDuringExecution': {'$ref': '#/definitions/NodeSelector',
                                                                                                    'description': 'If '
                                                                                                                   'the '
                                                                                                                   'affinity '
                                                                                                                   'requirements '
                                                                                                                   'specified '
                                                                                                                   'by '
                                                                                                                   'this '
                                                                                                                   'field '
                                                                                                                   'are '
                                                                                                                   'not '
                                                                                                                   'met '
                                                                                                                   'at '
                                                                                                                   'scheduling '
                                                                                                                   'time, '
                                                                                                                   'the '
                                                                                                                   'pod '
                                                                                                                   'will '
                                                                                                                   'not '
                                                                                                                   'be '
                                                                                                                   'scheduled '
                                                                                                                   'onto '
                                                                                                                   'the '
                                                                                                                   'node.'}},
                                  'additionalProperties': False},
                 'NodeSelector': {'type': 'object',
                                  'properties': {'nodeSelectorTerms': {'type': 'array',
                                                                       'items': {'$ref': '#/definitions/NodeSelectorTerm'},
                                                                       'minItems': 1,
                                                                       'description': 'Required.'}},
                                  'required': ['nodeSelectorTerms'],
                                  'additionalProperties': False},
                 'NodeSelectorRequirement': {'type': 'object',
                                             'properties': {'key': {'type': 'string',
                                                                    'description': 'The label key that the selector '
                                                                                   'applies to.'},
                                                            'operator': {'type': 'string',
                                                                         'enum': ['DoesNotExist',
                                                                                  'Exists',
                                                                                  'Gt',
                                                                                  'In',
                                                                                  'Lt',
                                                                                  'NotIn'],
                                                                         'description': "Represents a key's "
                                                                                        'relationship to a set of '
                                                                                        'values.'},
                                                            'values': {'type': 'array',
                                                                       'items': {'type': 'string'},
                                                                       'description': 'An array of string values.'}},
                                             'required': ['key', 'operator'],
                                             'additionalProperties': False},
                 'NodeSelectorTerm': {'type': 'object',
                                      'properties': {'matchExpressions': {'type': 'array',
                                                                          'items': {'$ref': '#/definitions/NodeSelectorRequirement'},
                                                                          'description': 'A list of node selector '
                                                                                         "requirements by node's "
                                                                                         'labels.'},
                                                     'matchFields': {'type': 'array',
                                                                     'items': {'$ref': '#/definitions/NodeSelectorRequirement'},
                                                                     'description': 'A list of node selector '
                                                                                    "requirements by node's fields."}},
                                      'additionalProperties': False},
                 'ObjectFieldSelector': {'type': 'object',
                                         'properties': {'apiVersion': {'type': 'string',
                                                                       'description': 'Version of the schema the '
                                                                                      'FieldPath is written in terms '
                                                                                      'of, defaults to "v1".'},
                                                        'fieldPath': {'type': 'string',
                                                                      'description': 'Path of the field to select in '
                                                                                     'the specified API version.'}},
                                         'required': ['fieldPath'],
                                         'additionalProperties': False},
                 'ObjectMeta': {'type': 'object',
                                'properties': {'annotations': {'type': 'object',
                                                               'additionalProperties': {'type': 'string'},
                                                               'description': 'Annotations is an unstructured key '
                                                                              'value map stored with a resource that '
                                                                              'may be set by external tools to store '
                                                                              'and retrieve arbitrary metadata.'},
                                               'labels': {'type': 'object',
                                                          'additionalProperties': {'type': 'string'},
                                                          'description': 'Map of string keys and values that can be '
                                                                         'used to organize and categorize (scope and '
                                                                         'select) objects.'}},
                                'additionalProperties': False},
                 'PersistentVolumeClaimSpec': {'type': 'object',
                                               'properties': {'accessModes': {'type': 'array',
                                                                              'items': {'type': 'string',
                                                                                        'enum': ['ReadOnlyMany',
                                                                                                 'ReadWriteMany',
                                                                                                 'ReadWriteOnce',
                                                                                                 'ReadWriteOncePod']},
                                                                              'description': 'accessModes contains the '
                                                                                             'desired access modes the '
                                                                                             'volume should have.'},
                                                              'dataSource': {'$ref': '#/definitions/TypedLocalObjectReference',
                                                                             'description': 'dataSource field can be '
                                                                                            'used to specify either: * '
                                                                                            'An existing '
                                                                                            'VolumeSnapshot object '
                                                                                            '(snapshot.storage.k8s.io/VolumeSnapshot) '
                                                                                            '* An existing PVC '
                                                                                            '(PersistentVolumeClaim) '
                                                                                            'If the provisioner or an '
                                                                                            'external controller can '
                                                                                            'support the specified '
                                                                                            'data source, it will '
                                                                                            'create a new volume based '
                                                                                            'on the contents of the '
                                                                                            'specified data source.'},
                                                              'dataSourceRef': {'$ref': '#/definitions/TypedObjectReference',
                                                                                'description': 'dataSourceRef '
                                                                                               'specifies the object '
                                                                                               'from which to populate '
                                                                                               'the volume with data, '
                                                                                               'if a non-empty volume '
                                                                                               'is desired.'},
                                                              'resources': {'$ref': '#/definitions/VolumeResourceRequirements',
                                                                            'description': 'resources represents the '
                                                                                           'minimum resources the '
                                                                                           'volume should have.'},
                                                              'selector': {'$ref': '#/definitions/LabelSelector',
                                                                           'description': 'selector is a label query '
                                                                                          'over volumes to consider '
                                                                                          'for binding.'},
                                                              'storageClassName': {'type': 'string',
                                                                                   'description': 'storageClassName is '
                                                                                                  'the name of the '
                                                                                                  'StorageClass '
                                                                                                  'required by the '
                                                                                                  'claim.'},
                                                              'volumeAttributesClassName': {'type': 'string',
                                                                                            'description': 'volumeAttributesClassName '
                                                                                                           'may be '
                                                                                                           'used to '
                                                                                                           'set the '
                                                                                                           'VolumeAttributesClass '
                                                                                                           'used by '
                                                                                                           'this '
                                                                                                           'claim.'},
                                                              'volumeMode': {'type': 'string',
                                                                             'enum': ['Block', 'Filesystem'],
                                                                             'description': 'volumeMode defines what '
                                                                                            'type of volume is '
                                                                                            'required by the claim.'},
                                                              'volumeName': {'type': 'string',
                                                                             'description': 'volumeName is the binding '
                                                                                            'reference to the '
                                                                                            'PersistentVolume backing '
                                                                                            'this claim.'}},
                                               'additionalProperties': False},
                 'PersistentVolumeClaimTemplate': {'type': 'object',
                                                   'properties': {'metadata': {'$ref': '#/definitions/ObjectMeta',
                                                                               'description': 'May contain labels and '
                                                                                              'annotations that will '
                                                                                              'be copied into the PVC '
                                                                                              'when creating it.'},
                                                                  'spec': {'$ref': '#/definitions/PersistentVolumeClaimSpec',
                                                                           'description': 'The specification for the '
                                                                                          'PersistentVolumeClaim.'}},
                                                   'required': ['spec'],
                                                   'additionalProperties': False},
                 'PodAffinity': {'type': 'object',
                                 'properties': {'preferredDuringSchedulingIgnoredDuringExecution': {'type': 'array',
                                                                                                    'items': {'$ref': '#/definitions/WeightedPodAffinityTerm'},
                                                                                                    'description': 'The '
                                                                                                                   'scheduler '
                                                                                                                   'will '
                                                                                                                   'prefer '
                                                                                                                   'to '
                                                                                                                   'schedule '
                                                                                                                   'pods '
                                                                                                                   'to '
                                                                                                                   'nodes '
                                                                                                                   'that '
                                                                                                                   'satisfy '
                                                                                                                   'the '
                                                                                                                   'affinity '
                                                                                                                   'expressions '
                                                                                                                   'specified '
                                                                                                                   'by '
                                                                                                                   'this '
                                                                                                                   'field, '
                                                                                                                   'but '
                                                                                                                   'it '
                                                                                                                   'may '
                                                                                                                   'choose '
                                                                                                                   'a '
                                                                                                                   'node '
                                                                                                                   'that '
                                                                                                                   'violates '
                                                                                                                   'one '
                                                                                                                   'or '
                                                                                                                   'more '
                                                                                                                   'of '
                                                                                                                   'the '
                                                                                                                   'expressions.'},
                                                'requiredDuringSchedulingIgnoredDuringExecution': {'type': 'array',
                                                                                                   'items': {'$ref': '#/definitions/PodAffinityTerm'},
                                                                                                   'description': 'If '
                                                                                                                  'the '
                                                                                                                  'affinity '
                                                                                                                  'requirements '
                                                                                                                  'specified '
                                                                                                                  'by '
                                                                                                                  'this '
                                                                                                                  'field '
                                                                                                                  'are '
                                                                                                                  'not '
                                                                                                                  'met '
                                                                                                                  'at '
                                                                                                                  'scheduling '
                                                                                                                  'time, '
                                                                                                                  'the '
                                                                                                                  'pod '
                                                                                                                  'will '
                                                                                                                  'not '
                                                                                                                  'be '
                                                                                                                  'scheduled '
                                                                                                                  'onto '
                                                                                                                  'the '
                                                                                                                  'node.'}},
                                 'additionalProperties': False},
                 'PodAffinityTerm': {'type': 'object',
                                     'properties': {'labelSelector': {'$ref': '#/definitions/LabelSelector',
                                                                      'description': 'A label query over a set of '
                                                                                     'resources, in this case pods.'},
                                                    'matchLabelKeys': {'type': 'array',
                                                                       'items': {'type': 'string'},
                                                                       'description': 'MatchLabelKeys is a set of pod '
                                                                                      'label keys to select which pods '
                                                                                      'will be taken into '
                                                                                      'consideration.'},
                                                    'mismatchLabelKeys': {'type': 'array',
                                                                          'items': {'type': 'string'},
                                                                          'description': 'MismatchLabelKeys is a set '
                                                                                         'of pod label keys to select '
                                                                                         'which pods will be taken '
                                                                                         'into consideration.'},
                                                    'namespaceSelector': {'$ref': '#/definitions/LabelSelector',
                                                                          'description': 'A label query over the set '
                                                                                         'of namespaces that the term '
                                                                                         'applies to.'},
                                                    'namespaces': {'type': 'array',
                                                                   'items': {'type': 'string'},
                                                                   'description': 'namespaces specifies a static list '
                                                                                  'of namespace names that the term '
                                                                                  'applies to.'},
                                                    'topologyKey': {'type': 'string',
                                                                    'description': 'This pod should be co-located '
                                                                                   '(affinity) or not co-located '
                                                                                   '(anti-affinity) with the pods '
                                                                                   'matching the labelSelector in the '
                                                                                   'specified namespaces, where '
                                                                                   'co-located is defined as running '
                                                                                   'on a node whose value of the label '
                                                                                   'with key topologyKey matches that '
                                                                                   'of any node on which any of the '
                                                                                   'selected pods is running.'}},
                                     'required': ['topologyKey'],
                                     'additionalProperties': False},
                 'PodAntiAffinity': {'type': 'object',
                                     'properties': {'preferredDuringSchedulingIgnoredDuringExecution': {'type': 'array',
                                                                                                        'items': {'$ref': '#/definitions/WeightedPodAffinityTerm'},
                                                                                                        'description': 'The '
                                                                                                                       'scheduler '
                                                                                                                       'will '
                                                                                                                       'prefer '
                                                                                                                       'to '
                                                                                                                       'schedule '
                                                                                                                       'pods '
                                                                                                                       'to '
                                                                                                                       'nodes '
                                                                                                                       'that '
                                                                                                                       'satisfy '
                                                                                                                       'the '
                                                                                                                       'anti-affinity '
                                                                                                                       'expressions '
                                                                                                                       'specified '
                                                                                                                       'by '
                                                                                                                       'this '
                                                                                                                       'field, '
                                                                                                                       'but '
                                                                                                                       'it '
                                                                                                                       'may '
                                                                                                                       'choose '
                                                                                                                       'a '
                                                                                                                       'node '
                                                                                                                       'that '
                                                                                                                       'violates '
                                                                                                                       'one '
                                                                                                                       'or '
                                                                                                                       'more '
                                                                                                                       'of '
                                                                                                                       'the '
                                                                                                                       'expressions.'},
                                                    'requiredDuringSchedulingIgnoredDuringExecution': {'type': 'array',
                                                                                                       'items': {'$ref': '#/definitions/PodAffinityTerm'},
                                                                                                       'description': 'If '
                                                                                                                      'the '
                                                                                                                      'anti-affinity '
                                                                                                                      'requirements '
                                                                                                                      'specified '
                                                                                                                      'by '
                                                                                                                      'this '
                                                                                                                      'field '
                                                                                                                      'are '
                                                                                                                      'not '
                                                                                                                      'met '
                                                                                                                      'at '
                                                                                                                      'scheduling '
                                                                                                                      'time, '
                                                                                                                      'the '
                                                                                                                      'pod '
                                                                                                                      'will '
                                                                                                                      'not '
                                                                                                                      'be '
                                                                                                                      'scheduled '
                                                                                                                      'onto '
                                                                                                                      'the '
                                                                                                                      'node.'}},
                                     'additionalProperties': False},
                 'PodCertificateProjection': {'type': 'object',
                                              'properties': {'certificateChainPath': {'type': 'string',
                                                                                      'description': 'Write the '
                                                                                                     'certificate '
                                                                                                     'chain at this '
                                                                                                     'path in the '
                                                                                                     'projected '
                                                                                                     'volume.'},
                                                             'credentialBundlePath': {'type': 'string',
                                                                                      'description': 'Write the '
                                                                                                     'credential '
                                                                                                     'bundle at this '
                                                                                                     'path in the '
                                                                                                     'projected '
                                                                                                     'volume.'},
                                                             'keyPath': {'type': 'string',
                                                                         'description': 'Write the key at this path in '
                                                                                        'the projected volume.'},
                                                             'keyType': {'type': 'string',
                                                                         'description': 'The type of keypair Kubelet '
                                                                                        'will generate for the pod.'},
                                                             'maxExpirationSeconds': {'type': 'integer',
                                                                                      'minimum': -2147483648,
                                                                                      'maximum': 2147483647,
                                                                                      'description': 'maxExpirationSeconds '
                                                                                                     'is the maximum '
                                                                                                     'lifetime '
                                                                                                     'permitted for '
                                                                                                     'the '
                                                                                                     'certificate.'},
                                                             'signerName': {'type': 'string',
                                                                            'description': "Kubelet's generated CSRs "
                                                                                           'will be addressed to this '
                                                                                           'signer.'}},
                                              'required': ['keyType', 'signerName'],
                                              'additionalProperties': False},
                 'PodDNSConfig': {'type': 'object',
                                  'properties': {'nameservers': {'type': 'array',
                                                                 'items': {'type': 'string'},
                                                                 'description': 'A list of DNS name server IP '
                                                                                'addresses.'},
                                                 'options': {'type': 'array',
                                                             'items': {'$ref': '#/definitions/PodDNSConfigOption'},
                                                             'description': 'A list of DNS resolver options.'},
                                                 'searches': {'type': 'array',
                                                              'items': {'type': 'string'},
                                                              'description': 'A list of DNS search domains for '
                                                                             'host-name lookup.'}},
                                  'additionalProperties': False},
                 'PodDNSConfigOption': {'type': 'object',
                                        'properties': {'name': {'type': 'string',
                                                                'description': "Name is this DNS resolver option's "
                                                                               'name.'},
                                                       'value': {'type': 'string',
                                                                 'description': "Value is this DNS resolver option's "
                                                                                'value.'}},
                                        'additionalProperties': False},
                 'PodOS': {'type': 'object',
                           'properties': {'name': {'type': 'string',
                                                   'description': 'Name is the name of the operating system.'}},
                           'required': ['name'],
                           'additionalProperties': False},
                 'PodReadinessGate': {'type': 'object',
                                      'properties': {'conditionType': {'type': 'string',
                                                                       'description': 'ConditionType refers to a '
                                                                                      "condition in the pod's "
                                                                                      'condition list with matching '
                                                                                      'type.'}},
                                      'required': ['conditionType'],
                                      'additionalProperties': False},
                 'PodResourceClaim': {'type': 'object',
                                      'properties': {'name': {'type': 'string',
                                                              'description': 'Name uniquely identifies this resource '
                                                                             'claim inside the pod.'},
                                                     'resourceClaimName': {'type': 'string',
                                                                           'description': 'ResourceClaimName is the '
                                                                                          'name of a ResourceClaim '
                                                                                          'object in the same '
                                                                                          'namespace as this pod.'},
                                                     'resourceClaimTemplateName': {'type': 'string',
                                                                                   'description': 'ResourceClaimTemplateName '
                                                                                                  'is the name of a '
                                                                                                  'ResourceClaimTemplate '
                                                                                                  'object in the same '
                                                                                                  'namespace as this '
                                                                                                  'pod.'}},
                                      'required': ['name'],
                                      'additionalProperties': False},
                 'PodSchedulingGate': {'type': 'object',
                                       'properties': {'name': {'type': 'string',
                                                               'description': 'Name of the scheduling gate.'}},
                                       'required': ['name'],
                                       'additionalProperties': False},
                 'PodSecurityContext': {'type': 'object',
                                        'properties': {'appArmorProfile': {'$ref': '#/definitions/AppArmorProfile',
                                                                           'description': 'appArmorProfile is the '
                                                                                          'AppArmor options to use by '
                                                                                          'the containers in this '
                                                                                          'pod.'},
                                                       'fsGroup': {'type': 'integer',
                                                                   'description': 'A special supplemental group that '
                                                                                  'applies to all containers in a '
                                                                                  'pod.'},
                                                       'fsGroupChangePolicy': {'type': 'string',
                                                                               'enum': ['Always', 'OnRootMismatch'],
                                                                               'description': 'fsGroupChangePolicy '
                                                                                              'defines behavior of '
                                                                                              'changing ownership and '
                                                                                              'permission of the '
                                                                                              'volume before being '
                                                                                              'exposed inside Pod.'},
                                                       'runAsGroup': {'type': 'integer',
                                                                      'description': 'The GID to run the entrypoint of '
                                                                                     'the container process.'},
                                                       'runAsNonRoot': {'type': 'boolean',
                                                                        'description': 'Indicates that the container '
                                                                                       'must run as a non-root user.'},
                                                       'runAsUser': {'type': 'integer',
                                                                     'description': 'The UID to run the entrypoint of '
                                                                                    'the container process.'},
                                                       'seLinuxChangePolicy': {'type': 'string',
                                                                               'description': 'seLinuxChangePolicy '
                                                                                              'defines how the '
                                                                                              "container's SELinux "
                                                                                              'label is applied to all '
                                                                                              'volumes used by the '
                                                                                              'Pod.'},
                                                       'seLinuxOptions': {'$ref': '#/definitions/SELinuxOptions',
                                                                          'description': 'The SELinux context to be '
                                                                                         'applied to all containers.'},
                                                       'seccompProfile': {'$ref': '#/definitions/SeccompProfile',
                                                                          'description': 'The seccomp options to use '
                                                                                         'by the containers in this '
                                                                                         'pod.'},
                                                       'supplementalGroups': {'type': 'array',
                                                                              'items': {'type': 'integer'},
                                                                              'description': 'A list of groups applied '
                                                                                             'to the first process run '
                                                                                             'in each container, in '
                                                                                             'addition to the '
                                                                                             "container's primary GID "
                                                                                             'and fsGroup (if '
                                                                                             'specified).'},
                                                       'supplementalGroupsPolicy': {'type': 'string',
                                                                                    'enum': ['Merge', 'Strict'],
                                                                                    'description': 'Defines how '
                                                                                                   'supplemental '
                                                                                                   'groups of the '
                                                                                                   'first container '
                                                                                                   'processes are '
                                                                                                   'calculated.'},
                                                       'sysctls': {'type': 'array',
                                                                   'items': {'$ref': '#/definitions/Sysctl'},
                                                                   'description': 'Sysctls hold a list of namespaced '
                                                                                  'sysctls used for the pod.'},
                                                       'windowsOptions': {'$ref': '#/definitions/WindowsSecurityContextOptions',
                                                                          'description': 'The Windows specific '
                                                                                         'settings applied to all '
                                                                                         'containers.'}},
                                        'additionalProperties': False},
                 'PodSpec': {'type': 'object',
                             'properties': {'activeDeadlineSeconds': {'type': 'integer',
                                                                      'description': 'Optional duration in seconds the '
                                                                                     'pod may be active on the node '
                                                                                     'relative to StartTime before the '
                                                                                     'system will actively try to mark '
                                                                                     'it failed and kill associated '
                                                                                     'containers.'},
                                            'affinity': {'$ref': '#/definitions/Affinity',
                                                         'description': "If specified, the pod's scheduling "
                                                                        'constraints.'},
                                            'automountServiceAccountToken': {'type': 'boolean',
                                                                             'description': 'AutomountServiceAccountToken '
                                                                                            'indicates whether a '
                                                                                            'service account token '
                                                                                            'should be automatically '
                                                                                            'mounted.'},
                                            'containers': {'$ref': '#/definitions/withoutNull'},
                                            'dnsConfig': {'$ref': '#/definitions/PodDNSConfig',
                                                          'description': 'Specifies the DNS parameters of a pod.'},
                                            'dnsPolicy': {'type': 'string',
                                                          'enum': ['',
                                                                   'ClusterFirst',
                                                                   'ClusterFirstWithHostNet',
                                                                   'Default',
                                                                   'None'],
                                                          'description': 'Set DNS policy for the pod.'},
                                            'enableServiceLinks': {'type': 'boolean',
                                                                   'description': 'EnableServiceLinks indicates '
                                                                                  'whether information about services '
                                                                                  "should be injected into pod's "
                                                                                  'environment variables, matching the '
                                                                                  'syntax of Docker links.'},
                                            'ephemeralContainers': {'$ref': '#/definitions/withoutNull'},
                                            'hostAliases': {'type': 'array',
                                                            'items': {'$ref': '#/definitions/HostAlias'},
                                                            'description': 'HostAliases is an optional list of hosts '
                                                                           'and IPs that will be injected into the '
                                                                           "pod's hosts file if specified."},
                                            'hostIPC': {'type': 'boolean',
                                                        'description': "Use the host's ipc namespace."},
                                            'hostNetwork': {'type': 'boolean',
                                                            'description': 'Host networking requested for this pod.'},
                                            'hostPID': {'type': 'boolean',
                                                        'description': "Use the host's pid namespace."},
                                            'hostUsers': {'type': 'boolean',
                                                          'description': "Use the host's user namespace."},
                                            'hostname': {'type': 'string',
                                                         'description': 'Specifies the hostname of the Pod If not '
                                                                        "specified, the pod's hostname will be set to "
                                                                        'a system-defined value.'},
                                            'hostnameOverride': {'type': 'string',
                                                                 'description': 'HostnameOverride specifies an '
                                                                                "explicit override for the pod's "
                                                                                'hostname as perceived by the pod.'},
                                            'imagePullSecrets': {'type': 'array',
                                                                 'items': {'$ref': '#/definitions/LocalObjectReference'},
                                                                 'description': 'ImagePullSecrets is an optional list '
                                                                                'of references to secrets in the same '
                                                                                'namespace to use for pulling any of '
                                                                                'the images used by this PodSpec.'},
                                            'initContainers': {'$ref': '#/definitions/withoutNull'},
                                            'nodeName': {'type': 'string',
                                                         'description': 'NodeName indicates in which node this pod is '
                                                                        'scheduled.'},
                                            'nodeSelector': {'type': 'object',
                                                             'additionalProperties': {'type': 'string'},
                                                             'description': 'NodeSelector is a selector which must be '
                                                                            'true for the pod to fit on a node.'},
                                            'os': {'$ref': '#/definitions/PodOS',
                                                   'description': 'Specifies the OS of the containers in the pod.'},
                                            'overhead': {'type': 'object',
                                                         'additionalProperties': {'$ref': '#/definitions/Quantity'},
                                                         'description': 'Overhead represents the resource overhead '
                                                                        'associated with running a pod for a given '
                                                                        'RuntimeClass.'},
                                            'preemptionPolicy': {'type': 'string',
                                                                 'enum': ['Never', 'PreemptLowerPriority'],
                                                                 'description': 'PreemptionPolicy is the Policy for '
                                                                                'preempting pods with lower priority.'},
                                            'priority': {'type': 'integer',
                                                         'minimum': -2147483648,
                                                         'maximum': 2147483647,
                                                         'description': 'The priority value.'},
                                            'priorityClassName': {'type': 'string',
                                                                  'description': "If specified, indicates the pod's "
                                                                                 'priority. "system-node-critical" and '
                                                                                 '"system-cluster-critical" are two '
                                                                                 'special keywords which indicate the '
                                                                                 'highest priorities with the former '
                                                                                 'being the highest priority.'},
                                            'readinessGates': {'type': 'array',
                                                               'items': {'$ref': '#/definitions/PodReadinessGate'},
                                                               'description': 'If specified, all readiness gates will '
                                                                              'be evaluated for pod readiness.'},
                                            'resourceClaims': {'type': 'array',
                                                               'items': {'$ref': '#/definitions/PodResourceClaim'},
                                                               'description': 'ResourceClaims defines which '
                                                                              'ResourceClaims must be allocated and '
                                                                              'reserved before the Pod is allowed to '
                                                                              'start.'},
                                            'resources': {'$ref': '#/definitions/ResourceRequirements',
                                                          'description': 'Resources is the total amount of CPU and '
                                                                         'Memory resources required by all containers '
                                                                         'in the pod.'},
                                            'restartPolicy': {'type': 'string',
                                                              'enum': ['', 'Always', 'Never', 'OnFailure'],
                                                              'description': 'Restart policy for all containers within '
                                                                             'the pod.'},
                                            'runtimeClassName': {'type': 'string',
                                                                 'description': 'RuntimeClassName refers to a '
                                                                                'RuntimeClass object in the '
                                                                                'node.k8s.io group, which should be '
                                                                                'used to run this pod.'},
                                            'schedulerName': {'type': 'string',
                                                              'description': 'If specified, the pod will be dispatched '
                                                                             'by specified scheduler.'},
                                            'schedulingGates': {'type': 'array',
                                                                'items': {'$ref': '#/definitions/PodSchedulingGate'},
                                                                'description': 'SchedulingGates is an opaque list of '
                                                                               'values that if specified will block '
                                                                               'scheduling the pod.'},
                                            'securityContext': {'$ref': '#/definitions/PodSecurityContext',
                                                                'description': 'SecurityContext holds pod-level '
                                                                               'security attributes and common '
                                                                               'container settings.'},
                                            'serviceAccount': {'type': 'string',
                                                               'description': 'DeprecatedServiceAccount is a '
                                                                              'deprecated alias for '
                                                                              'ServiceAccountName.'},
                                            'serviceAccountName': {'type': 'string',
                                                                   'description': 'ServiceAccountName is the name of '
                                                                                  'the ServiceAccount to use to run '
                                                                                  'this pod.'},
                                            'setHostnameAsFQDN': {'type': 'boolean',
                                                                  'description': "If true the pod's hostname will be "
                                                                                 "configured as the pod's FQDN, rather "
                                                                                 'than the leaf name (the default).'},
                                            'shareProcessNamespace': {'type': 'boolean',
                                                                      'description': 'Share a single process namespace '
                                                                                     'between all of the containers in '
                                                                                     'a pod.'},
                                            'subdomain': {'type': 'string',
                                                          'description': 'If specified, the fully qualified Pod '
                                                                         'hostname will be '
                                                                         '"<hostname>.<subdomain>.<pod '
                                                                         'namespace>.svc.<cluster domain>".'},
                                            'terminationGracePeriodSeconds': {'type': 'integer',
                                                                              'description': 'Optional duration in '
                                                                                             'seconds the pod needs to '
                                                                                             'terminate gracefully.'},
                                            'tolerations': {'type': 'array',
                                                            'items': {'$ref': '#/definitions/Toleration'},
                                                            'description': "If specified, the pod's tolerations."},
                                            'topologySpreadConstraints': {'type': 'array',
                                                                          'items': {'$ref': '#/definitions/TopologySpreadConstraint'},
                                                                          'description': 'TopologySpreadConstraints '
                                                                                         'describes how a group of '
                                                                                         'pods ought to spread across '
                                                                                         'topology domains.'},
                                            'volumes': {'$ref': '#/definitions/withoutNull'}},
                             'additionalProperties': False},
                 'PreferredSchedulingTerm': {'type': 'object',
                                             'properties': {'preference': {'$ref': '#/definitions/NodeSelectorTerm',
                                                                           'description': 'A node selector term, '
                                                                                          'associated with the '
                                                                                          'corresponding weight.'},
                                                            'weight': {'type': 'integer',
                                                                       'minimum': -2147483648,
                                                                       'maximum': 2147483647,
                                                                       'description': 'Weight associated with matching '
                                                                                      'the corresponding '
                                                                                      'nodeSelectorTerm, in the range '
                                                                                      '1-100.'}},
                                             'required': ['weight'],
                                             'additionalProperties': False},
                 'Probe': {'type': 'object',
                           'properties': {'exec': {'$ref': '#/definitions/ExecAction',
                                                   'description': 'Exec specifies a command to execute in the '
                                                                  'container.'},
                                          'failureThreshold': {'type': 'integer',
                                                               'minimum': -2147483648,
                                                               'maximum': 2147483647,
                                                               'description': 'Minimum consecutive failures for the '
                                                                              'probe to be considered failed after '
                                                                              'having succeeded.'},
                                          'grpc': {'$ref': '#/definitions/GRPCAction',
                                                   'description': 'GRPC specifies a GRPC HealthCheckRequest.'},
                                          'httpGet': {'$ref': '#/definitions/HTTPGetAction',
                                                      'description': 'HTTPGet specifies an HTTP GET request to '
                                                                     'perform.'},
                                          'initialDelaySeconds': {'type': 'integer',
                                                                  'minimum': -2147483648,
                                                                  'maximum': 2147483647,
                                                                  'description': 'Number of seconds after the '
                                                                                 'container has started before '
                                                                                 'liveness probes are initiated.'},
                                          'periodSeconds': {'type': 'integer',
                                                            'minimum': -2147483648,
                                                            'maximum': 2147483647,
                                                            'description': 'How often (in seconds) to perform the '
                                                                           'probe.'},
                                          'successThreshold': {'type': 'integer',
                                                               'minimum': -2147483648,
                                                               'maximum': 2147483647,
                                                               'description': 'Minimum consecutive successes for the '
                                                                              'probe to be considered successful after '
                                                                              'having failed.'},
                                          'tcpSocket': {'$ref': '#/definitions/TCPSocketAction',
                                                        'description': 'TCPSocket specifies a connection to a TCP '
                                                                       'port.'},
                                          'terminationGracePeriodSeconds': {'type': 'integer',
                                                                            'description': 'Optional duration in '
                                                                                           'seconds the pod needs to '
                                                                                           'terminate gracefully upon '
                                                                                           'probe failure.'},
                                          'timeoutSeconds': {'type': 'integer',
                                                             'minimum': -2147483648,
                                                             'maximum': 2147483647,
                                                             'description': 'Number of seconds after which the probe '
                                                                            'times out.'}},
                           'additionalProperties': False},
                 'ProjectedVolumeSource': {'type': 'object',
                                           'properties': {'defaultMode': {'type': 'integer',
                                                                          'minimum': -2147483648,
                                                                          'maximum': 2147483647,
                                                                          'description': 'defaultMode are the mode '
                                                                                         'bits used to set permissions '
                                                                                         'on created files by '
                                                                                         'default.'},
                                                          'sources': {'type': 'array',
                                                                      'items': {'$ref': '#/definitions/VolumeProjection'},
                                                                      'description': 'sources is the list of volume '
                                                                                     'projections.'}},
                                           'additionalProperties': False},
                 'Quantity': {'type': ['string', 'number'],
                              'pattern': '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$',
                              'x-pattern': 'a number with or without a unit, such as 500m, 4, 1.5 or 16Gi'},
                 'ResourceClaim': {'type': 'object',
                                   'properties': {'name': {'type': 'string',
                                                           'description': 'Name must match the name of one entry in '
                                                                          'pod.spec.resourceClaims of the Pod where '
                                                                          'this field is used.'},
                                                  'request': {'type': 'string',
                                                              'description': 'Request is the name chosen for a request '
                                                                             'in the referenced claim.'}},
                                   'required': ['name'],
                                   'additionalProperties': False},
                 'ResourceFieldSelector': {'type': 'object',
                                           'properties': {'containerName': {'type': 'string',
                                                                            'description': 'Container name: required '
                                                                                           'for volumes, optional for '
                                                                                           'env vars.'},
                                                          'divisor': {'$ref': '#/definitions/Quantity',
                                                                      'description': 'Specifies the output format of '
                                                                                     'the exposed resources, defaults '
                                                                                     'to "1".'},
                                                          'resource': {'type': 'string',
                                                                       'description': 'Required: resource to select.'}},
                                           'required': ['resource'],
                                           'additionalProperties': False},
                 'ResourceRequirements': {'type': 'object',
                                          'properties': {'claims': {'type': 'array',
                                                                    'items': {'$ref': '#/definitions/ResourceClaim'},
                                                                    'description': 'Claims lists the names of '
                                                                                   'resources, defined in '
                                                                                   'spec.resourceClaims, that are used '
                                                                                   'by this container.'},
                                                         'limits': {'type': 'object',
                                                                    'additionalProperties': {'$ref': '#/definitions/Quantity'},
                                                                    'description': 'Limits describes the maximum '
                                                                                   'amount of compute resources '
                                                                                   'allowed.'},
                                                         'requests': {'type': 'object',
                                                                      'additionalProperties': {'$ref': '#/definitions/Quantity'},
                                                                      'description': 'Requests describes the minimum '
                                                                                     'amount of compute resources '
                                                                                     'required.'}},
                                          'additionalProperties': False},
                 'SELinuxOptions': {'type': 'object',
                                    'properties': {'level': {'type': 'string',
                                                             'description': 'Level is SELinux level label that applies '
                                                                            'to the container.'},
                                                   'role': {'type': 'string',
                                                            'description': 'Role is a SELinux role label that applies '
                                                                           'to the container.'},
                                                   'type': {'type': 'string',
                                                            'description': 'Type is a SELinux type label that applies '
                                                                           'to the container.'},
                                                   'user': {'type': 'string',
                                                            'description': 'User is a SELinux user label that applies '
                                                                           'to the container.'}},
                                    'additionalProperties': False},
                 'SeccompProfile': {'type': 'object',
                                    'properties': {'localhostProfile': {'type': 'string',
                                                                        'description': 'localhostProfile indicates a '
                                                                                       'profile defined in a file on '
                                                                                       'the node should be used.'},
                                                   'type': {'type': 'string',
                                                            'enum': ['Localhost', 'RuntimeDefault', 'Unconfined'],
                                                            'description': 'type indicates which kind of seccomp '
                                                                           'profile will be applied.'}},
                                    'required': ['type'],
                                    'additionalProperties': False},
                 'SecretEnvSource': {'type': 'object',
                                     'properties': {'name': {'type': 'string', 'description': 'Name of the referent.'},
                                                    'optional': {'type': 'boolean',
                                                                 'description': 'Specify whether the Secret must be '
                                                                                'defined.'}},
                                     'required': ['name'],
                                     'additionalProperties': False},
                 'SecretKeySelector': {'type': 'object',
                                       'properties': {'key': {'type': 'string',
                                                              'description': 'The key of the secret to select from.'},
                                                      'name': {'type': 'string',
                                                               'description': 'Name of the referent.'},
                                                      'optional': {'type': 'boolean',
                                                                   'description': 'Specify whether the Secret or its '
                                                                                  'key must be defined.'}},
                                       'required': ['key', 'name'],
                                       'additionalProperties': False},
                 'SecretProjection': {'type': 'object',
                                      'properties': {'items': {'type': 'array',
                                                               'items': {'$ref': '#/definitions/KeyToPath'},
                                                               'description': 'items if unspecified, each key-value '
                                                                              'pair in the Data field of the '
                                                                              'referenced Secret will be projected '
                                                                              'into the volume as a file whose name is '
                                                                              'the key and content is the value.'},
                                                     'name': {'type': 'string', 'description': 'Name of the referent.'},
                                                     'optional': {'type': 'boolean',
                                                                  'description': 'optional field specify whether the '
                                                                                 'Secret or its key must be defined.'}},
                                      'additionalProperties': False},
                 'SecretReference': {'type': 'object',
                                     'properties': {'name': {'type': 'string',
                                                             'description': 'name is unique within a namespace to '
                                                                            'reference a secret resource.'},
                                                    'namespace': {'type': 'string',
                                                                  'description': 'namespace defines the space within '
                                                                                 'which the secret name must be '
                                                                                 'unique.'}},
                                     'required': ['name'],
                                     'additionalProperties': False},
                 'SecretVolumeSource': {'type': 'object',
                                        'properties': {'defaultMode': {'type': 'integer',
                                                                       'minimum': -2147483648,
                                                                       'maximum': 2147483647,
                                                                       'description': 'defaultMode is Optional: mode '
                                                                                      'bits used to set permissions on '
                                                                                      'created files by default.'},
                                                       'items': {'type': 'array',
                                                                 'items': {'$ref': '#/definitions/KeyToPath'},
                                                                 'description': 'items If unspecified, each key-value '
                                                                                'pair in the Data field of the '
                                                                                'referenced Secret will be projected '
                                                                                'into the volume as a file whose name '
                                                                                'is the key and content is the value.'},
                                                       'optional': {'type': 'boolean',
                                                                    'description': 'optional field specify whether the '
                                                                                   'Secret or its keys must be '
                                                                                   'defined.'},
                                                       'secretName': {'type': 'string',
                                                                      'description': 'secretName is the name of the '
                                                                                     "secret in the pod's namespace to "
                                                                                     'use.'}},
                                        'additionalProperties': False},
                 'SecurityContext': {'type': 'object',
                                     'properties': {'allowPrivilegeEscalation': {'type': 'boolean',
                                                                                 'description': 'AllowPrivilegeEscalation '
                                                                                                'controls whether a '
                                                                                                'process can gain more '
                                                                                                'privileges than its '
                                                                                                'parent process.'},
                                                    'appArmorProfile': {'$ref': '#/definitions/AppArmorProfile',
                                                                        'description': 'appArmorProfile is the '
                                                                                       'AppArmor options to use by '
                                                                                       'this container.'},
                                                    'capabilities': {'$ref': '#/definitions/Capabilities',
                                                                     'description': 'The capabilities to add/drop when '
                                                                                    'running containers.'},
                                                    'privileged': {'type': 'boolean',
                                                                   'description': 'Run container in privileged mode.'},
                                                    'procMount': {'type': 'string',
                                                                  'enum': ['Default', 'Unmasked'],
                                                                  'description': 'procMount denotes the type of proc '
                                                                                 'mount to use for the containers.'},
                                                    'readOnlyRootFilesystem': {'type': 'boolean',
                                                                               'description': 'Whether this container '
                                                                                              'has a read-only root '
                                                                                              'filesystem.'},
                                                    'runAsGroup': {'type': 'integer',
                                                                   'description': 'The GID to run the entrypoint of '
                                                                                  'the container process.'},
                                                    'runAsNonRoot': {'type': 'boolean',
                                                                     'description': 'Indicates that the container must '
                                                                                    'run as a non-root user.'},
                                                    'runAsUser': {'type': 'integer',
                                                                  'description': 'The UID to run the entrypoint of the '
                                                                                 'container process.'},
                                                    'seLinuxOptions': {'$ref': '#/definitions/SELinuxOptions',
                                                                       'description': 'The SELinux context to be '
                                                                                      'applied to the container.'},
                                                    'seccompProfile': {'$ref': '#/definitions/SeccompProfile',
                                                                       'description': 'The seccomp options to use by '
                                                                                      'this container.'},
                                                    'windowsOptions': {'$ref': '#/definitions/WindowsSecurityContextOptions',
                                                                       'description': 'The Windows specific settings '
                                                                                      'applied to all containers.'}},
                                     'additionalProperties': False},
                 'ServiceAccountTokenProjection': {'type': 'object',
                                                   'properties': {'audience': {'type': 'string',
                                                                               'description': 'audience is the '
                                                                                              'intended audience of '
                                                                                              'the token.'},
                                                                  'expirationSeconds': {'type': 'integer',
                                                                                        'description': 'expirationSeconds '
                                                                                                       'is the '
                                                                                                       'requested '
                                                                                                       'duration of '
                                                                                                       'validity of '
                                                                                                       'the service '
                                                                                                       'account '
                                                                                                       'token.'},
                                                                  'path': {'type': 'string',
                                                                           'description': 'path is the path relative '
                                                                                          'to the mount point of the '
                                                                                          'file to project the token '
                                                                                          'into.'}},
                                                   'required': ['path'],
                                                   'additionalProperties': False},
                 'SleepAction': {'type': 'object',
                                 'properties': {'seconds': {'type': 'integer',
                                                            'description': 'Seconds is the number of seconds to '
                                                                           'sleep.'}},
                                 'additionalProperties': False},
                 'Sysctl': {'type': 'object',
                            'properties': {'name': {'type': 'string', 'description': 'Name of a property to set.'},
                                           'value': {'type': 'string', 'description': 'Value of a property to set.'}},
                            'required': ['name'],
                            'additionalProperties': False},
                 'TCPSocketAction': {'type': 'object',
                                     'properties': {'host': {'type': 'string',
                                                             'description': 'Optional: Host name to connect to, '
                                                                            'defaults to the pod IP.'},
                                                    'port': {'$ref': '#/definitions/IntOrString',
                                                             'description': 'Number or name of the port to access on '
                                                                            'the container.'}},
                                     'required': ['port'],
                                     'additionalProperties': False},
                 'Toleration': {'type': 'object',
                                'properties': {'effect': {'type': 'string',
                                                          'enum': ['', 'NoExecute', 'NoSchedule', 'PreferNoSchedule'],
                                                          'description': 'Effect indicates the taint effect to match.'},
                                               'key': {'type': 'string',
                                                       'description': 'Key is the taint key that the toleration '
                                                                      'applies to.'},
                                               'operator': {'type': 'string',
                                                            'enum': ['', 'Equal', 'Exists', 'Gt', 'Lt'],
                                                            'description': "Operator represents a key's relationship "
                                                                           'to the value.'},
                                               'tolerationSeconds': {'type': 'integer',
                                                                     'description': 'TolerationSeconds represents the '
                                                                                    'period of time the toleration '
                                                                                    '(which must be of effect '
                                                                                    'NoExecute, otherwise this field '
                                                                                    'is ignored) tolerates the taint.'},
                                               'value': {'type': 'string',
                                                         'description': 'Value is the taint value the toleration '
                                                                        'matches to.'}},
                                'additionalProperties': False},
                 'TopologySpreadConstraint': {'type': 'object',
                                              'properties': {'labelSelector': {'$ref': '#/definitions/LabelSelector',
                                                                               'description': 'LabelSelector is used '
                                                                                              'to find matching pods.'},
                                                             'matchLabelKeys': {'type': 'array',
                                                                                'items': {'type': 'string'},
                                                                                'description': 'MatchLabelKeys is a '
                                                                                               'set of pod label keys '
                                                                                               'to select the pods '
                                                                                               'over which spreading '
                                                                                               'will be calculated.'},
                                                             'maxSkew': {'type': 'integer',
                                                                         'minimum': -2147483648,
                                                                         'maximum': 2147483647,
                                                                         'description': 'MaxSkew describes the degree '
                                                                                        'to which pods may be unevenly '
                                                                                        'distributed.'},
                                                             'minDomains': {'type': 'integer',
                                                                            'minimum': -2147483648,
                                                                            'maximum': 2147483647,
                                                                            'description': 'MinDomains indicates a '
                                                                                           'minimum number of eligible '
                                                                                           'domains.'},
                                                             'nodeAffinityPolicy': {'type': 'string',
                                                                                    'enum': ['Honor', 'Ignore'],
                                                                                    'description': 'NodeAffinityPolicy '
                                                                                                   'indicates how we '
                                                                                                   "will treat Pod's "
                                                                                                   'nodeAffinity/nodeSelector '
                                                                                                   'when calculating '
                                                                                                   'pod topology '
                                                                                                   'spread skew.'},
                                                             'nodeTaintsPolicy': {'type': 'string',
                                                                                  'enum': ['Honor', 'Ignore'],
                                                                                  'description': 'NodeTaintsPolicy '
                                                                                                 'indicates how we '
                                                                                                 'will treat node '
                                                                                                 'taints when '
                                                                                                 'calculating pod '
                                                                                                 'topology spread '
                                                                                                 'skew.'},
                                                             'topologyKey': {'type': 'string',
                                                                             'description': 'TopologyKey is the key of '
                                                                                            'node labels.'},
                                                             'whenUnsatisfiable': {'type': 'string',
                                                                                   'enum': ['DoNotSchedule',
                                                                                            'ScheduleAnyway'],
                                                                                   'description': 'WhenUnsatisfiable '
                                                                                                  'indicates how to '
                                                                                                  'deal with a pod if '
                                                                                                  "it doesn't satisfy "
                                                                                                  'the spread '
                                                                                                  'constraint. - '
                                                                                                  'DoNotSchedule '
                                                                                                  '(default) tells the '
                                                                                                  'scheduler not to '
                                                                                                  'schedule it. - '
                                                                                                  'ScheduleAnyway '
                                                                                                  'tells the scheduler '
                                                                                                  'to schedule the pod '
                                                                                                  'in any location, '
                                                                                                  'but giving higher '
                                                                                                  'precedence to '
                                                                                                  'topologies that '
                                                                                                  'would help reduce '
                                                                                                  'the skew.'}},
                                              'required': ['maxSkew', 'topologyKey', 'whenUnsatisfiable'],
                                              'additionalProperties': False},
                 'TypedLocalObjectReference': {'type': 'object',
                                               'properties': {'apiGroup': {'type': 'string',
                                                                           'description': 'APIGroup is the group for '
                                                                                          'the resource being '
                                                                                          'referenced.'},
                                                              'kind': {'type': 'string',
                                                                       'description': 'Kind is the type of resource '
                                                                                      'being referenced.'},
                                                              'name': {'type': 'string',
                                                                       'description': 'Name is the name of resource '
                                                                                      'being referenced.'}},
                                               'required': ['kind', 'name'],
                                               'additionalProperties': False},
                 'TypedObjectReference': {'type': 'object',
                                          'properties': {'apiGroup': {'type': 'string',
                                                                      'description': 'APIGroup is the group for the '
                                                                                     'resource being referenced.'},
                                                         'kind': {'type': 'string',
                                                                  'description': 'Kind is the type of resource being '
                                                                                 'referenced.'},
                                                         'name': {'type': 'string',
                                                                  'description': 'Name is the name of resource being '
                                                                                 'referenced.'},
                                                         'namespace': {'type': 'string',
                                                                       'description': 'Namespace is the namespace of '
                                                                                      'resource being referenced Note '
                                                                                      'that when a namespace is '
                                                                                      'specified, a '
                                                                                      'gateway.networking.k8s.io/ReferenceGrant '
                                                                                      'object is required in the '
                                                                                      'referent namespace to allow '
                                                                                      "that namespace's owner to "
                                                                                      'accept the reference.'}},
                                          'required': ['kind', 'name'],
                                          'additionalProperties': False},
                 'VolumeDevice': {'type': 'object',
                                  'properties': {'devicePath': {'type': 'string',
                                                                'description': 'devicePath is the path inside of the '
                                                                               'container that the device will be '
                                                                               'mapped to.'},
                                                 'name': {'type': 'string',
                                                          'description': 'name must match the name of a '
                                                                         'persistentVolumeClaim in the pod.'}},
                                  'required': ['devicePath', 'name'],
                                  'additionalProperties': False},
                 'VolumeMount': {'type': 'object',
                                 'properties': {'mountPath': {'type': 'string',
                                                              'description': 'Path within the container at which the '
                                                                             'volume should be mounted.'},
                                                'mountPropagation': {'type': 'string',
                                                                     'enum': ['Bidirectional',
                                                                              'HostToContainer',
                                                                              'None'],
                                                                     'description': 'mountPropagation determines how '
                                                                                    'mounts are propagated from the '
                                                                                    'host to container and the other '
                                                                                    'way around.'},
                                                'name': {'type': 'string',
                                                         'description': 'This must match the Name of a Volume.'},
                                                'readOnly': {'type': 'boolean',
                                                             'description': 'Mounted read-only if true, read-write '
                                                                            'otherwise (false or unspecified).'},
                                                'recursiveReadOnly': {'type': 'string',
                                                                      'description': 'RecursiveReadOnly specifies '
                                                                                     'whether read-only mounts should '
                                                                                     'be handled recursively.'},
                                                'subPath': {'type': 'string',
                                                            'description': 'Path within the volume from which the '
                                                                           "container's volume should be mounted."},
                                                'subPathExpr': {'type': 'string',
                                                                'description': 'Expanded path within the volume from '
                                                                               "which the container's volume should be "
                                                                               'mounted.'}},
                                 'required': ['mountPath', 'name'],
                                 'additionalProperties': False},
                 'VolumeNodeAffinity': {'type': 'object',
                                        'properties': {'required': {'$ref': '#/definitions/NodeSelector',
                                                                    'description': 'required specifies hard node '
                                                                                   'constraints that must be met.'}},
                                        'required': ['required'],
                                        'additionalProperties': False},
                 'VolumeProjection': {'type': 'object',
                                      'properties': {'clusterTrustBundle': {'$ref': '#/definitions/ClusterTrustBundleProjection',
                                                                            'description': 'ClusterTrustBundle allows '
                                                                                           'a pod to access the '
                                                                                           '`.spec.trustBundle` field '
                                                                                           'of ClusterTrustBundle '
                                                                                           'objects in an '
                                                                                           'auto-updating file.'},
                                                     'configMap': {'$ref': '#/definitions/ConfigMapProjection',
                                                                   'description': 'configMap information about the '
                                                                                  'configMap data to project.'},
                                                     'downwardAPI': {'$ref': '#/definitions/DownwardAPIProjection',
                                                                     'description': 'downwardAPI information about the '
                                                                                    'downwardAPI data to project.'},
                                                     'podCertificate': {'$ref': '#/definitions/PodCertificateProjection',
                                                                        'description': 'Projects an auto-rotating '
                                                                                       'credential bundle (private key '
                                                                                       'and certificate chain) that '
                                                                                       'the pod can use either as a '
                                                                                       'TLS client or server.'},
                                                     'secret': {'$ref': '#/definitions/SecretProjection',
                                                                'description': 'secret information about the secret '
                                                                               'data to project.'},
                                                     'serviceAccountToken': {'$ref': '#/definitions/ServiceAccountTokenProjection',
                                                                             'description': 'serviceAccountToken is '
                                                                                            'information about the '
                                                                                            'serviceAccountToken data '
                                                                                            'to project.'}},
                                      'additionalProperties': False},
                 'VolumeResourceRequirements': {'type': 'object',
                                                'properties': {'limits': {'type': 'object',
                                                                          'additionalProperties': {'$ref': '#/definitions/Quantity'},
                                                                          'description': 'Limits describes the maximum '
                                                                                         'amount of compute resources '
                                                                                         'allowed.'},
                                                               'requests': {'type': 'object',
                                                                            'additionalProperties': {'$ref': '#/definitions/Quantity'},
                                                                            'description': 'Requests describes the '
                                                                                           'minimum amount of compute '
                                                                                           'resources required.'}},
                                                'additionalProperties': False},
                 'WeightedPodAffinityTerm': {'type': 'object',
                                             'properties': {'podAffinityTerm': {'$ref': '#/definitions/PodAffinityTerm',
                                                                                'description': 'Required.'},
                                                            'weight': {'type': 'integer',
                                                                       'minimum': -2147483648,
                                                                       'maximum': 2147483647,
                                                                       'description': 'weight associated with matching '
                                                                                      'the corresponding '
                                                                                      'podAffinityTerm, in the range '
                                                                                      '1-100.'}},
                                             'required': ['podAffinityTerm', 'weight'],
                                             'additionalProperties': False},
                 'WindowsSecurityContextOptions': {'type': 'object',
                                                   'properties': {'gmsaCredentialSpec': {'type': 'string',
                                                                                         'description': 'GMSACredentialSpec '
                                                                                                        'is where the '
                                                                                                        'GMSA '
                                                                                                        'admission '
                                                                                                        'webhook '
                                                                                                        '(https://github.com/kubernetes-sigs/windows-gmsa) '
                                                                                                        'inlines the '
                                                                                                        'contents of '
                                                                                                        'the GMSA '
                                                                                                        'credential '
                                                                                                        'spec named by '
                                                                                                        'the '
                                                                                                        'GMSACredentialSpecName '
                                                                                                        'field.'},
                                                                  'gmsaCredentialSpecName': {'type': 'string',
                                                                                             'description': 'GMSACredentialSpecName '
                                                                                                            'is the '
                                                                                                            'name of '
                                                                                                            'the GMSA '
                                                                                                            'credential '
                                                                                                            'spec to '
                                                                                                            'use.'},
                                                                  'hostProcess': {'type': 'boolean',
                                                                                  'description': 'HostProcess '
                                                                                                 'determines if a '
                                                                                                 'container should be '
                                                                                                 "run as a 'Host "
                                                                                                 "Process' container."},
                                                                  'runAsUserName': {'type': 'string',
                                                                                    'description': 'The UserName in '
                                                                                                   'Windows to run the '
                                                                                                   'entrypoint of the '
                                                                                                   'container '
                                                                                                   'process.'}},
                                                   'additionalProperties': False}}}
