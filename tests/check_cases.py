"""The cases of the checks: keys that must cause a problem, and keys that must not, set in a valid job.

A case is an id and `--set-json` flags.
"""

from __future__ import annotations

GOOD = """\
name: cifar
image: {repository: registry.example.com/team/cifar, tag: v3}
training: {python: train.py}
"""

Case = tuple[str, tuple[str, ...]]

PRIVILEGED = 'security.podSecurityLevel="privileged"'
RESTRICTED = 'security={"podSecurityLevel":"restricted","podSecurityContext":{"runAsNonRoot":true}}'
HOST = ("network.hostNetwork=true", PRIVILEGED)
QUEUE = 'scheduling.queue="team"'
SMALL = 'scheduling.launcherQueue="small"'
HOSTNAME = 'scheduling.topology.required="kubernetes.io/hostname"'
VOLCANO = 'scheduling.gang="volcano"'
COMMIT = 'code.git.revision="0123456789abcdef0123456789abcdef01234567"'
HTTPS = 'code.git.repository="https://example.com/x.git"'
SSH = 'code.git.repository="git@example.com:team/x.git"'
KEY = ('code.git.secretName="key"', 'code.git.knownHosts="example.com ssh-ed25519 AAAA"')
TORCHRUN = 'launch.method="torchrun"'
NO_SSH = 'launch.method="deepspeed-no-ssh"'
COMMAND = ('training.python=""', 'launch.command=["train"]')
SECRET_TOKEN = 'training.env.TOKEN={"valueFrom":{"secretKeyRef":{"name":"hub","key":"token"}}}'
WORKER_COMMAND = ('launch.method="worker-command"', *COMMAND)


def sidecar(fields: str, role: str = "workers", kind: str = "sidecars") -> str:
    """A container of the user's with more fields, JSON without braces."""
    more = f", {fields}" if fields else ""
    return f'{role}.{kind}=[{{"name": "mine", "image": "x:1"{more}}}]'


def volume(source: str, mount: str = "/data", name: str = "data") -> str:
    """A volume of the storage map; source: JSON without braces."""
    return f'storage.{name}={{"mountPath": "{mount}", {source}}}'


def token(of: str) -> str:
    """A projected volume with a token of the pod's ServiceAccount, after a source that is no problem."""
    return f'"projected": {{"sources": [{{"secret": {{"name": "x"}}}}, {{"serviceAccountToken": {{{of}}}}}]}}'


CLAIM = '{"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":100}}}}'
NAMES: list[Case] = [
    ("DS201", ('image.repository=""',)),
    ("DS204", (f'name="{"a" * 53}"',)),
    ("DS204", (f'name="{"a" * 52}"', "workers.replicas=11")),
    (
        "DS204",
        (f'name="{"a" * 52}"', "workers.replicas=10", "launch.preflight.spares=1", "launch.preflight.network=true"),
    ),
    ("DS250", ('image.tag=""',)),
    ("DS250", ('image.tag="latest"',)),
    ("DS250", (HTTPS, COMMIT, 'code.git.image="registry.example.com:5000/git"')),
    ("DS250", (HTTPS, COMMIT, 'code.git.image="alpine/git:latest"')),
    ("DS250", ('launcher.image="registry.example.com/launcher"',)),
    ("DS250", ('status.image="python"',)),
    ("DS231", ('annotations={"a":"x"}', 'serviceAccount.annotations={"a":"x"}')),
    (
        "DS340",
        (
            f'name="{"a" * 52}"',
            'monitoring.tensorboard={"enabled": true, "logDir": "/data/runs"}',
            volume('"create": {}'),
        ),
    ),
    (
        "DS343",
        (
            'run.id="tensorboard"',
            'monitoring.tensorboard={"enabled": true, "logDir": "/data/runs"}',
            volume('"create": {}'),
        ),
    ),
    *(
        ("DS230", (f'{where}={{"{key}":"x"}}',))
        for where in (
            *("labels", "annotations", "workers.podLabels", "launcher.podLabels", "workers.podAnnotations"),
            *("launcher.podAnnotations", "serviceAccount.annotations"),
        )
        for key in ("dsgen.dev/job", "app.kubernetes.io/name", "batch.kubernetes.io/x", "kueue.x-k8s.io/queue-name")
    ),
]

TRAINING: list[Case] = [
    ("DS202", ('training.python=""',)),
    ("DS203", ('training.module="x"',)),
    ("DS203", ('training.exec=["x"]',)),
    ("DS203", ('training={"python":"","module":"x","exec":["x"]}',)),
    *(("DS220", (f'training.env.{name}="x"',)) for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_X", "DSGEN_")),
    ("DS220", (*WORKER_COMMAND, 'training.env.NNODES="2"')),
    ("DS220", ('launcher.env.DSGEN_ROLE="x"',)),
    ("DS220", (*WORKER_COMMAND, 'training.env.PET_MASTER_PORT="2"')),
    ("DS221", ('training.deepspeed={"config":{"train_batch_size":1},"configFile":"/x"}',)),
    ("DS222", ('training.env.LD_LIBRARY_PATH="/opt/lib:$LD_LIBRARY_PATH"',)),
    ("DS222", ('launcher.env.PATH="/opt/bin:$PATH"',)),
    ("DS222", ('training.env.A="/opt/bin:${PATH}:/x"',)),
    ("DS222", ('training.env.A="a\\nb $(PYTHONPATH)\\n"',)),
    ("DS223", ('training.envFrom=[{"prefix": "MASTER_", "configMapRef": {"name": "x"}}]',)),
    (
        "DS223",
        ('training.envFrom=[{"secretRef": {"name": "y"}}, {"prefix": "DSGEN_X", "configMapRef": {"name": "x"}}]',),
    ),
    ("DS224", ('training={"python":"a","args":["--deepspeed_config=x"],"deepspeed":{"configFile":"/x"}}',)),
    ("DS224", ('training={"python":"a","args":["-v","--deepspeed"],"deepspeed":{"configFile":"/x"}}',)),
    ("DS225", ('training.deepspeed.autotuning="tune"',)),
    ("DS225", ('training.deepspeed={"autotuning":"run","configFile":"/x.json","passConfig":false}',)),
    ("DS225", ('training.deepspeed={"autotuning":"run","configFile":"/x"}',)),
    ("DS253", (f'training.files={{"x":"{"x" * 1024 * 1024}"}}',)),
    ("DS257", (f'training.setup="{"x" * 1024 * 1024}"',)),
    ("DS257", (TORCHRUN, "workers.replicas=30000")),
    ("DS258", (TORCHRUN, "workers.replicas=20000")),
    ("DS258", (TORCHRUN, "workers.replicas=8000")),
    ("DS258", (f'training.setup="{"x" * 260000}"',)),
    ("DS258", (f'training.args=["{"<" * 40000}"]', f'training.setup="{"x" * 30000}"')),
    ("DS258", (f'training.files={{"x":"{"x" * 256 * 1024}"}}',)),
    ("DS286", ('lifecycle.debug.command=["sleep","1"]',)),
    ("DS257", (f'training.args=["{"é" * 520 * 1024}"]',)),
]

LAUNCH: list[Case] = [
    ("DS270", ('launch.method="worker-command"', 'training.python=""')),
    ("DS270", ('launch.method="launcher-command"', 'training.python=""')),
    ("DS271", ('launch.command=["train"]',)),
    ("DS271", (TORCHRUN, 'launch.command=["train"]')),
    ("DS271", ('launch.mpirunArgs=["--report-bindings"]',)),
    ("DS272", ('launch={"method":"launcher-command","command":["train"]}', 'training={"rankLogs":"/logs"}')),
    *(
        ("DS371", ('launch.method="openmpi"', f"launch.mpirunArgs={words}"))
        for words in (
            *('["-np","8"]', '["--hostfile=/x"]', '["-H","a"]', '["--tag-output"]', '["--output-filename","/x"]'),
            *('["--mca","plm_rsh_agent","ssh"]', '["--mca","orte_tag_output","1"]', '["-wdir","/x"]', '["--version"]'),
            '["train.py"]',
        )
    ),
    *(
        ("DS272", ('launch.method="worker-command"', 'launch.command=["train"]', f"training={training}"))
        for training in ('{"python":"a"}', '{"module":"a"}', '{"exec":["a"]}', '{"args":["a"]}')
    ),
    *(
        ("DS273", (NO_SSH, setting))
        for setting in (
            'lifecycle.keepWorkers="failed"',
            *("launch.preflight.network=true", 'lifecycle.debug={"enabled":true,"command":["sleep","1"]}'),
            *("ssh.port=2223", 'ssh.user="trainer"', 'ssh.secret.mode="existing"'),
        )
    ),
    ("DS273", (TORCHRUN, "launch.preflight.spares=1")),
    ("DS274", (TORCHRUN, 'training.deepspeed={"autotuning":"tune","configFile":"/x.json"}')),
    ("DS274", ('launch.method="openmpi"', 'training.deepspeed={"autotuning":"tune","configFile":"/x.json"}')),
    *(
        ("DS275", (f'launch.method="{method}"', 'training.deepspeed.args=["--no_ssh_check"]'))
        for method in ("openmpi", "torchrun")
    ),
    ("DS275", (*WORKER_COMMAND, "training.deepspeed.bindCores=true")),
    ("DS276", ("workers.replicas=900", "workers.slots=64", 'launcher.resources.requests={"memory":"8Gi"}')),
    ("DS242", ("ssh.port=29500",)),
    ("DS350", ("lifecycle.ttlSecondsAfterFinished=0",)),
    ("DS351", ("lifecycle.restartExitCodes=[3]",)),
    ("DS352", ("lifecycle.progress.checkpointTimeoutSeconds=60",)),
    ("DS288", ('lifecycle.progress.pattern="(?P<step>[0-9]+"',)),
]

CODE: list[Case] = [
    *(("DS290", (f'code.git.{key}="x"',)) for key in ("revision", "secretName", "knownHosts")),
    ("DS290", ('code.git.image="alpine/git:1"',)),
    ("DS291", (HTTPS,)),
    ("DS291", (HTTPS, 'code.git.revision="main"')),
    ("DS291", (HTTPS, 'code.git.revision="0123456"')),
    ("DS248", ('code.git.repository="https://me:secret@example.com/x.git"', COMMIT)),
    ("DS248", ('code.git.repository="https://token@example.com/x.git"', COMMIT)),
    ("DS248", ('code.git.repository="ssh://git:secret@example.com/x.git"', COMMIT, *KEY)),
    ("DS248", ('code.git.repository="me:secret@example.com/x.git"', COMMIT, *KEY)),
    ("DS360", ('code.git.repository="https://example.com/x.git?private_token=secret"', COMMIT)),
    ("DS292", (SSH, COMMIT, KEY[1])),
    ("DS292", ('code.git.repository="ssh://git@example.com/x.git"', COMMIT, KEY[1])),
    ("DS293", (SSH, COMMIT, KEY[0])),
    ("DS294", ('code.git.repository="http://example.com/x.git"', COMMIT, KEY[0])),
    ("DS292", ('code.git.repository="example.com:/srv/x.git"', COMMIT, KEY[1])),
    ("DS295", ('code.git.repository="/srv/x.git"', COMMIT)),
    ("DS295", ('code.git.repository="file:///srv/x.git"', COMMIT)),
    ("DS295", ('code.git.repository="https://example.com"', COMMIT)),
    ("DS295", (HTTPS, 'code.git.revision="refs/heads/*"')),
    ("DS212", (HTTPS, COMMIT, 'code.mountPath="/job/code"')),
    ("DS212", (HTTPS, COMMIT, 'code.mountPath="/dev/shm"')),
    ("DS251", (HTTPS, COMMIT, volume('"create": {}', "/workspace/code"))),
]

PODS: list[Case] = [
    ("DS206", ("workers.slots=2", "workers.accelerator.count=1")),
    *(
        ("DS206", ("workers.slots=2", "workers.accelerator.count=1", f'workers.accelerator.resource="{resource}"'))
        for resource in ("nvidia.com/pgpu", "habana.ai/gaudi", "huawei.com/Ascend910B", "google.com/tpu")
    ),
    ("DS207", ("workers.slots=2", 'workers.accelerator.resource="nvidia.com/mig-1g.5gb"')),
    ("DS209", ("workers.slots=2", 'workers.accelerator.resource="nvidia.com/gpu.shared"')),
    ("DS208", ('workers.resources.limits={"nvidia.com/gpu":1}',)),
    ("DS208", ('workers.resources.requests={"nvidia.com/gpu":1}',)),
    *(
        ("DS279", (f'workers.resources.limits={{"memory":{limit}}}',))
        for limit in (
            '"4Gi"',
            '"8191Mi"',
            "8589934591",
            '"8G"',
        )
    ),
    ("DS287", ('workers.sharedMemory="0"',)),
    ("DS287", ('workers.sharedMemory="0.0Gi"',)),
    ("DS287", ('workers.sharedMemory="500m"',)),
    ("DS287", ('workers.sharedMemory="64"',)),
    ("DS287", ('storage.data={"mountPath":"/data","create":{"size":100}}',)),
    ("DS287", (volume('"emptyDir":{"sizeLimit":"100"}'),)),
    ("DS287", (volume('"emptyDir":{"medium":"Memory","sizeLimit":64}'),)),
    ("DS287", (volume(f'"ephemeral": {{"volumeClaimTemplate": {CLAIM}}}'),)),
    ("DS287", ('workers.resources={"requests":{"memory":64}}',)),
    (
        "DS287",
        ('workers.resources={"requests":{"memory":1},"limits":{"memory":"64m"}}'.replace('"memory":1', '"cpu":1'),),
    ),
    ("DS287", ('launcher.resources={"requests":{"memory":"1048575"}}',)),
    ("DS287", ('launcher.resources={"limits":{"ephemeral-storage":"512Ki"}}',)),
    ("DS287", ('monitoring.tensorboard.resources={"limits":{"memory":0.5}}',)),
    ("DS287", (sidecar('"resources":{"limits":{"memory":"64"}}'),)),
    ("DS287", (sidecar('"resources":{"requests":{"memory":512}}', "launcher", "initContainers"),)),
    ("DS287", ('workers.extraPodSpec={"resources":{"limits":{"memory":"512k"}}}',)),
    ("DS277", ('launcher.resources={"requests":{"memory":"1Gi"},"limits":{"memory":"1Gi"}}',)),
    ("DS277", ("workers.replicas=1000", 'launcher.resources.limits={"memory":"2Gi"}')),
    ("DS278", ("workers.replicas=1000",)),
    ("DS278", ('launcher.resources.requests={"memory":"1000M"}',)),
    ("DS237", ('workers.spread="required"', 'workers.affinity={"podAntiAffinity":{}}')),
    ("DS232", ('workers.extraPodSpec={"hostNetwork":true}',)),
    ("DS232", ('launcher.extraPodSpec={"hostname":"x"}',)),
    ("DS232", ('launcher.extraPodSpec={"ephemeralContainers":[]}',)),
    ("DS232", ('workers.extraPodSpec={"hostnameOverride":"x"}',)),
    ("DS344", ('workers.extraPodSpec={"shareProcessNamespace":true}',)),
    ("DS344", ('launcher.extraPodSpec={"shareProcessNamespace":true}',)),
    ("DS344", ('launcher.extraPodSpec={"hostPID":true}', 'security.podSecurityLevel="privileged"')),
    ("DS233", ('workers.extraContainerSpec={"env":[]}',)),
    ("DS233", ('launcher.extraContainerSpec={"args":["x"]}',)),
    ("DS233", ('workers.extraContainerSpec={"terminationMessagePath":"/x"}',)),
    ("DS233", ('workers.extraContainerSpec={"restartPolicyRules":[]}',)),
    ("DS234", ('workers.sidecars=[{"name":"worker","image":"x:1"}]',)),
    ("DS234", ('launcher.initContainers=[{"name":"keygen","image":"x:1"}]',)),
    (
        "DS235",
        ('workers.sidecars=[{"name":"a","image":"x:1"}]', 'workers.initContainers=[{"name":"a","image":"x:1"}]'),
    ),
    ("DS236", (sidecar('"volumeMounts":[{"name":"data","mountPath":"/x"}]'),)),
    ("DS236", (sidecar('"volumeMounts":[{"name":"dsgen-keys","mountPath":"/x"}]'),)),
    (
        "DS255",
        (
            'storage.data={"mountIn":"launcher","create":{}}',
            sidecar('"volumeMounts":[{"name":"data","mountPath":"/x"}]'),
        ),
    ),
    ("DS238", ('workers.resources.claims=[{"name":"gpus"}]',)),
    (
        "DS238",
        ('launcher.resources.claims=[{"name":"a"}]', 'launcher.extraPodSpec={"resourceClaims":[{"name":"b"}]}'),
    ),
    ("DS256", ('workers.resources={"requests":{"cpu":"1500m"},"limits":{"cpu":1}}',)),
    ("DS256", ('launcher.resources={"requests":{"memory":"3Gi"},"limits":{"memory":"2.5Gi"}}',)),
    ("DS256", (sidecar('"resources":{"requests":{"cpu":"2e3"},"limits":{"cpu":"1"}}'),)),
    ("DS256", ('workers.resources.requests={"ephemeral-storage":"auto"}',)),
    ("DS256", ('monitoring.tensorboard.resources={"requests":{"memory":"2Gi"},"limits":{"memory":"1Gi"}}',)),
    ("DS259", ('workers.resources.requests={"example.com/card":1}',)),
    ("DS259", ('workers.resources={"requests":{"example.com/card":1},"limits":{"example.com/card":2}}',)),
    ("DS259", ('launcher.resources.limits={"example.com/card":1.5}',)),
    ("DS259", ('launcher.resources.limits={"example.com/card":"1500m"}',)),
    ("DS259", ('workers.resources.requests={"hugepages-2Mi":"1Gi"}',)),
    ("DS259", ('workers.resources.limits={"hugepages-2Mi":"1Mi"}',)),
    ("DS259", ('workers.resources={"requests":{"cpu":null,"memory":null},"limits":{"hugepages-2Mi":"1Gi"}}',)),
    ("DS259", (sidecar('"resources":{"requests":{"nvidia.com/gpu":1}}'),)),
    ("DS338", (sidecar('"restartPolicy":"Never"'),)),
    ("DS338", (sidecar('"restartPolicy":"OnFailure"', "launcher", "initContainers"),)),
    ("DS338", (sidecar('"restartPolicy":"Sometimes"', "workers", "initContainers"),)),
    *(
        ("DS339", (f"{role}.tolerations=[{{{toleration}}}]",))
        for role in ("workers", "launcher")
        for toleration in (
            *('"key":"a","operator":"Exists","value":"b"', '"operator":"Equal","value":"b"', '"value":"b"'),
            '"key":"a","operator":"Exists","effect":"NoSchedule","tolerationSeconds":60',
        )
    ),
]

STORAGE: list[Case] = [
    ("DS210", ('storage.data={"mountPath":"/data"}',)),
    ("DS211", ('storage.data={"mountPath":"/data","create":{},"emptyDir":{}}',)),
    ("DS211", ('storage.data={"mountPath":"/data","create":{},"existingClaim":"x"}',)),
    ("DS211", ('storage.data={"mountPath":"/data","nfs":{"server":"a","path":"/"},"emptyDir":{}}',)),
    ("DS211", ('storage.data={"mountPath":"/data","configMap":{"name":"a"},"secret":{"secretName":"b"}}',)),
    *(
        ("DS212", (volume('"emptyDir": {}', path),))
        for path in (
            *("/job", "/job/x", "/etc", "/etc/dsgen", "/etc/dsgen-keys", "/etc/dsgen-status", "/run/dsgen", "/run"),
            *("/var/run/secrets/dsgen", "/etc/ssh/ssh_config", "/etc/mpi", "/etc/passwd", "/var/run/dsgen/x"),
            *("/etc/dsgen-git", "/etc/dsgen-webhook"),
        )
    ),
    ("DS213", (volume('"emptyDir": {}', "/dev/shm"),)),
    ("DS214", (volume('"emptyDir": {}, "subPath": "a/../b"'),)),
    ("DS214", (volume('"emptyDir": {}, "subPath": ".."'),)),
    ("DS215", ("workers.replicas=2", volume('"create": {"accessModes":["ReadWriteOnce"]}'))),
    ("DS216", (volume('"mountIn":"both","create": {"accessModes":["ReadWriteOncePod"]}'),)),
    (
        "DS216",
        (
            'launch={"method":"launcher-command","command":["train"]}',
            'training.python=""',
            volume('"create": {"accessModes":["ReadWriteOncePod"]}'),
        ),
    ),
    ("DS216", ("workers.replicas=2", volume('"mountIn":"workers","create": {"accessModes":["ReadWriteOncePod"]}'))),
    (
        "DS218",
        (
            'storage.data={"mountPath":"/data","mountIn":"launcher","create":{"accessModes":["ReadWriteOncePod","ReadOnlyMany"]}}',
        ),
    ),
    ("DS217", (volume('"create": {"storageClass":""}'),)),
    *(("DS219", (volume(f'"create": {{"size":{size}}}'),)) for size in ("0", '"0Gi"', '"0.0"')),
    ("DS251", ('storage={"a":{"mountPath":"/x","emptyDir":{}},"b":{"mountPath":"/x","emptyDir":{}}}',)),
    (
        "DS251",
        (
            'storage={"a":{"mountPath":"/x","mountIn":"both","emptyDir":{}},'
            '"b":{"mountPath":"/x","mountIn":"launcher","emptyDir":{}}}',
        ),
    ),
    ("DS252", ('storage.data={"mountPath":"/data","create":{"persistentVolume":{"mountOptions":["ro"]}}}',)),
    ("DS252", ('storage.data={"mountPath":"/data","create":{"persistentVolume":{"local":{"path":"/x"}}}}',)),
    ("DS254", (volume('"configMap": {"name": "x"}'), volume('"create": {}', "/data/in/it", "b"))),
    ("DS254", (volume('"readOnly": true, "create": {}'), volume('"create": {}', "/data/in/it", "b"))),
    ("DS254", (volume('"secret": {"secretName": "x"}', "/workspace"), HTTPS, COMMIT)),
]

NETWORK: list[Case] = [
    ("DS226", ('network.rdma={"resources":{"rdma/x":1},"ipcLock":"omit"}', 'workers.resources.limits={"rdma/x":1}')),
    ("DS226", ('network.rdma={"resources":{"rdma/x":1},"ipcLock":"omit"}', 'workers.resources.requests={"rdma/x":1}')),
    ("DS226", ('network.rdma={"resources":{"ephemeral-storage":1},"ipcLock":"omit"}',)),
    ("DS226", ('network.rdma={"resources":{"nvidia.com/gpu":1},"ipcLock":"omit"}',)),
    ("DS227", (*HOST, "network.policy=false", 'network.rdma.networks=["sriov"]')),
    ("DS228", ('network.rdma.networks=["sriov"]', 'workers.podAnnotations={"k8s.v1.cni.cncf.io/networks":"x"}')),
    ("DS229", ('network.rdma.resources={"rdma/x":1}',)),
    ("DS229", ('network.rdma.resources={"rdma/x":1,"vpc.amazonaws.com/efa":1}',)),
    ("DS239", (*HOST, "network.policy=false", "workers.replicas=2")),
    ("DS240", ('ssh.secret.name="x"',)),
    ("DS241", ('ssh.secret={"mode":"existing","name":"cifar-ssh"}',)),
    ("DS243", ("ssh.port=222", RESTRICTED)),
    ("DS243", ("launch.masterPort=1000", 'workers.securityContext={"runAsUser":1000}')),
    ("DS244", (*HOST, "network.policy=false", "ssh.port=22")),
    ("DS245", HOST),
    ("DS246", ('status.webhook={"url":"https://example.com","secretName":"x"}',)),
    ("DS247", ('status.webhook.url="http://example.com/x"',)),
    ("DS247", ('status.webhook.url="HTTP://example.com/x"',)),
    ("DS248", ('status.webhook.url="https://me:secret@example.com/x"',)),
    ("DS248", ('status.webhook.url="HTTPS://token@example.com/x"',)),
    ("DS360", ('status.webhook.url="https://hooks.slack.com/services/T0/B0/x"',)),
    ("DS360", ('status.webhook.url="https://example.com/x?sig=a"',)),
    ("DS360", ('status.webhook.url="https://example.com/hooks/xgk4h1mq8tbn5ye7zpr3odwcia/"',)),
    ("DS360", ('status.webhook.url="https://example.com/webhook/9e107d9d-372b-4c81-8a3e-1f0f5a5b6c7d"',)),
    ("DS360", ('status.webhook.url="https://team.webhook.office.com/webhookb2/x"',)),
    ("DS249", ('ssh.user="root"', 'security.podSecurityContext={"runAsNonRoot":true}')),
    ("DS242", ('monitoring.podMonitor={"enabled":true,"port":2222}',)),
    ("DS242", ('monitoring.podMonitor={"enabled":true,"port":29500}',)),
    ("DS341", ("monitoring.tensorboard.enabled=true",)),
    ("DS342", ('monitoring.tensorboard={"enabled":true,"logDir":"/tmp/runs"}',)),
    ("DS342", ('monitoring.tensorboard={"enabled":true,"logDir":"/data/runs"}', volume('"emptyDir": {}'))),
    ("DS342", ('monitoring.tensorboard={"enabled":true,"logDir":"/data2"}', volume('"create": {}'))),
    (
        "DS342",
        (
            'monitoring.tensorboard={"enabled":true,"logDir":"/data/runs"}',
            volume('"create": {"accessModes": ["ReadWriteOncePod"]}, "mountIn": "workers"'),
        ),
    ),
    (
        "DS342",
        (
            'monitoring.tensorboard={"enabled":true,"logDir":"/data/runs"}',
            volume('"create": {}, "mountIn": "launcher"'),
        ),
    ),
]

SCHEDULING: list[Case] = [
    ("DS300", (QUEUE, 'scheduling.launcherQueue="team"')),
    ("DS301", ('scheduling.launcherQueue="small"',)),
    ("DS301", (QUEUE, VOLCANO, 'scheduling.launcherQueue="small"')),
    ("DS302", ('scheduling.priorityClass="high"',)),
    ("DS303", ('scheduling.topology={"required":"a","preferred":"b"}',)),
    ("DS304", ('scheduling.topology.preferred="zone"', 'workers.affinity={"podAffinity":{}}')),
    (
        "DS305",
        ('scheduling.topology.required="kubernetes.io/hostname"', 'workers.spread="required"', "workers.replicas=2"),
    ),
    (
        "DS305",
        (*HOST, "network.policy=false", 'network.socketInterface="eth0"', "workers.replicas=2", HOSTNAME),
    ),
    (
        "DS305",
        (*HOST, "network.policy=false", 'network.socketInterface="eth0"', QUEUE, "workers.replicas=2", HOSTNAME),
    ),
    (
        "DS311",
        ('workers.nodeSelector={"kubernetes.io/hostname":"a"}', 'workers.excludeNodes=["b","a"]'),
    ),
    ("DS306", (QUEUE, SMALL, 'launcher.resources.requests={"ephemeral-storage":"1Gi"}')),
    ("DS306", (QUEUE, SMALL, 'launcher.resources.limits={"ephemeral-storage":"1Gi"}')),
    *(
        ("DS306", (QUEUE, SMALL, sidecar(f'"resources":{{{resources}}}', role, kind)))
        for role, kind in (("workers", "sidecars"), ("launcher", "initContainers"))
        for resources in (
            *('"requests":{"ephemeral-storage":"1Gi","cpu":1}', '"limits":{"ephemeral-storage":"1Gi"}'),
            '"requests":{"ephemeral-storage":"1Gi"},"limits":{"ephemeral-storage":"1Gi"}',
        )
    ),
    ("DS306", (QUEUE, sidecar('"resources":{"limits":{"a\\tb\\n":1}}'))),
    ("DS308", (QUEUE, SMALL, 'launcher.nodeSelector={"pool":"cpu"}')),
    ("DS308", (QUEUE, SMALL, 'launcher.affinity={"nodeAffinity":{}}')),
    ("DS306", (QUEUE, 'workers.resources.requests={"ephemeral-storage":"1Gi"}')),
    ("DS306", (QUEUE, 'workers.resources.limits={"hugepages-2Mi":"1Gi"}')),
    ("DS306", (QUEUE, 'network.rdma={"resources":{"rdma/x":1},"ipcLock":"omit"}')),
    ("DS307", (QUEUE, 'workers.tolerations=[{"operator":"Exists"}]')),
    ("DS307", (QUEUE, 'scheduling.launcherQueue="small"', 'launcher.tolerations=[{"operator":"Exists"}]')),
    ("DS308", (QUEUE, 'workers.nodeSelector={"pool":"a100"}')),
    ("DS308", (QUEUE, 'workers.affinity={"nodeAffinity":{}}')),
    ("DS309", (QUEUE, "lifecycle.suspend=true")),
    ("DS309", (QUEUE, "lifecycle.suspend=false")),
    ("DS310", (VOLCANO, 'workers.schedulerName="default-scheduler"')),
]


def _contexts(field: str) -> tuple[str, ...]:
    """A field of a container's security context, wherever one may stand; those that are not told already."""
    return (
        f"security.securityContext={{{field}}}",
        f"workers.securityContext={{{field}}}",
        f"launcher.securityContext={{{field}}}",
        sidecar(f'"securityContext":{{{field}}}'),
        sidecar(f'"securityContext":{{{field}}}', "launcher", "initContainers"),
    )


NICE = '"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}'
"""What a container needs at the level restricted."""


def _restricted(field: str) -> tuple[str, ...]:
    """The same at the level restricted, in containers that are right otherwise."""
    return (f"workers.securityContext={{{field}}}", sidecar(f'"securityContext":{{{NICE},{field}}}', "launcher"))


SECURITY: list[Case] = [
    *(("DS320", (one,)) for one in _contexts('"capabilities":{"add":["CHOWN","SYS_ADMIN"]}')),
    *(("DS321", (one,)) for one in _contexts('"privileged":true')),
    *(("DS325", (one,)) for one in _contexts('"procMount":"Unmasked"')),
    *(("DS326", (one,)) for one in _contexts('"seLinuxOptions":{"type":"spc_t"}')),
    *(("DS326", (one,)) for one in _contexts('"seLinuxOptions":{"user":"x"}')),
    *(("DS327", (one,)) for one in _contexts('"seccompProfile":{"type":"Unconfined"}')),
    *(("DS329", (one,)) for one in _contexts('"appArmorProfile":{"type":"Unconfined"}')),
    *(("DS330", (one,)) for one in _contexts('"windowsOptions":{"hostProcess":true}')),
    ("DS320", ('network.rdma.ipcLock="add"',)),
    ("DS322", ("network.hostNetwork=true", "network.policy=false")),
    ("DS322", ('workers.extraPodSpec={"hostPID":true}',)),
    ("DS322", ('launcher.extraPodSpec={"hostIPC":true}',)),
    ("DS323", (volume('"hostPath": {"path":"/data"}'),)),
    ("DS324", (sidecar('"ports":[{"containerPort":80,"hostPort":80}]'),)),
    ("DS326", ('security.podSecurityContext={"seLinuxOptions":{"role":"x"}}',)),
    ("DS327", ('security.podSecurityContext={"seccompProfile":{"type":"Unconfined"}}',)),
    ("DS328", ('security.podSecurityContext={"sysctls":[{"name":"net.core.somaxconn","value":"1024"}]}',)),
    (
        "DS337",
        (
            *HOST,
            "network.policy=false",
            'security.podSecurityContext={"sysctls":[{"name":"net.core.somaxconn","value":"1"}]}',
        ),
    ),
    ("DS329", ('security.podSecurityContext={"appArmorProfile":{"type":"Unconfined"}}',)),
    (
        "DS329",
        ('workers.podAnnotations={"container.apparmor.security.beta.kubernetes.io/worker":"unconfined"}',),
    ),
    ("DS329", ('annotations={"container.apparmor.security.beta.kubernetes.io/worker":"unconfined"}',)),
    ("DS330", ('security.podSecurityContext={"windowsOptions":{"hostProcess":true}}',)),
    ("DS331", (RESTRICTED, volume('"nfs": {"server":"a","path":"/"}'))),
    ("DS332", (RESTRICTED, 'workers.securityContext={"allowPrivilegeEscalation":true}')),
    ("DS332", (RESTRICTED, sidecar('"securityContext":{"capabilities":{"drop":["ALL"]}}'))),
    *(("DS333", (RESTRICTED, one)) for one in _restricted('"runAsNonRoot":false')),
    ("DS333", (RESTRICTED, 'security.podSecurityContext={"runAsNonRoot":false}')),
    *(("DS334", (RESTRICTED, one)) for one in _restricted('"runAsUser":0')),
    ("DS334", (RESTRICTED, 'security.podSecurityContext={"runAsUser":0}')),
    ("DS335", (RESTRICTED, 'workers.securityContext={"capabilities":{"drop":["NET_RAW"]}}')),
    ("DS335", (RESTRICTED, sidecar('"securityContext":{"allowPrivilegeEscalation":false}'))),
    ("DS320", (RESTRICTED, 'workers.securityContext={"capabilities":{"add":["CHOWN"]}}')),
    ("DS336", (sidecar('"livenessProbe":{"httpGet":{"port":80,"host":"example.com"}}'),)),
    ("DS336", (sidecar('"lifecycle":{"preStop":{"tcpSocket":{"port":80,"host":"10.0.0.1"}}}'),)),
    ("DS336", ('workers.extraContainerSpec={"livenessProbe":{"tcpSocket":{"port":80,"host":"x"}}}',)),
    ("DS336", ('launcher.extraContainerSpec={"lifecycle":{"postStart":{"httpGet":{"port":80,"host":"x"}}}}',)),
]

ARGUMENTS: list[Case] = [
    *(
        ("DS280", (f'training.deepspeed.args=["{argument}"]',))
        for argument in (
            *("--hostfile=/x", "--master_addr=a", "--master_port=1", "--launcher=slurm", "--ssh_port=1", "--no_ssh"),
            *("--no_python", "--module", "--num_nodes=1", "--num_gpus=1", "--autotuning=run", "--bind_cores_to_rank"),
            *("--save_pid", "--venv_script=/x", "--elastic_training", "--enable_each_rank_log=/x", "--node_rank=0"),
            *("--num_acc=1", "--hostf=/x", "--force_multi", "-H=/x", "--no_local_rank", "--bind_core_list=1"),
            *("--launcher_args=-w other", "--min_elastic_nodes=1"),
        )
    ),
    ("DS280", ("workers.replicas=4", 'training.deepspeed.args=["--launcher_args", "-f 2"]')),
    ("DS280", (NO_SSH, 'training.deepspeed.args=["--include=cifar-1-worker-0.cifar-1"]')),
    ("DS281", ('training.deepspeed.args=["--includ_", "x"]', 'training.deepspeed.args=["--nothing"]')),
    ("DS281", ('training.deepspeed.args=["train.py"]',)),
    ("DS281", ('training.deepspeed.args=["--no"]',)),
    ("DS281", ('training.deepspeed.args=["--include"]',)),
    ("DS282", ('training.deepspeed.args=["--include=cifar-1-worker-1.cifar-1"]',)),
    ("DS282", ('training.deepspeed.args=["-i", "cifar-1-worker-0.cifar-1:1"]',)),
    ("DS282", ("workers.slots=2", 'training.deepspeed.args=["--exclude=cifar-1-worker-0.cifar-1:0-1"]')),
    ("DS282", ('training.deepspeed.args=["--exclude=cifar-1-worker-0.cifar-1"]',)),
    (
        "DS282",
        (
            "workers.replicas=2",
            'training.deepspeed.args=["-i=cifar-1-worker-0.cifar-1", "-e=cifar-1-worker-1.cifar-1"]',
        ),
    ),
    (
        "DS282",
        (
            "workers.replicas=2",
            "launch.preflight.spares=1",
            'training.deepspeed.args=["--exclude=cifar-1-worker-0.cifar-1"]',
        ),
    ),
    ("DS283", ('training.deepspeed={"version":"0.16.9","args":["--log_level","debug"]}',)),
    ("DS284", ('training.deepspeed.args=["-q"]',)),
    ("DS281", ('training.deepspeed.args=["--no_ssh_check=1"]',)),
    ("DS281", ('training.deepspeed.args=["--log_level","verbose"]',)),
    ("DS260", ('training.deepspeed.config={"train_batch_size":1,"a":1}',)),
]

# What rows tell in plainer cases: a chart does not.
FLAT: list[Case] = [
    *(("DS279", (f'workers.resources.limits={{"memory":{limit}}}',)) for limit in ('"4.5Gi"', "5000000000.5")),
    ("DS279", ('workers.resources.limits={"memory":"4000000000000m"}',)),
    (
        "DS279",
        ('workers.sharedMemory="1.5Gi"', 'workers.resources={"requests":{"memory":"1Mi"},"limits":{"memory":"1Gi"}}'),
    ),
    ("DS277", ('launcher.resources={"requests":{"memory":"100Mi"},"limits":{"memory":"0.5Gi"}}',)),
    ("DS277", ("workers.replicas=900", 'launcher.resources={"requests":{"memory":"1Mi"},"limits":{"memory":"1.5Gi"}}')),
    ("DS278", ('launcher.resources.requests={"memory":"0.5Gi"}',)),
    (
        "DS235",
        ('launcher.sidecars=[{"name":"a","image":"x:1"},{"name":"b","image":"x:1"},{"name":"a","image":"x:2"}]',),
    ),
]

TOKEN = "hf_" + "a1" * 17
SYNTAX_OF_ARGUMENTS = (
    *('["a","&&","b"]', '["a","||"]', '["a","2>&1"]', '["a",">&2"]', '["2>/dev/null"]', '["&>","x"]', '["1>","x"]'),
    *('["a","|","tee"]', '["a",";","b"]', '["a","-v",">","log"]', '["a",">>","/x/log"]', '["a",">/x/log"]'),
    *('["a","<","/x"]', '["--n","$NNODES"]', '["--n=${NNODES}"]', '["--n","$(NNODES)"]'),
)
SYNTAX = (
    *(*SYNTAX_OF_ARGUMENTS[:-3], '["bash","run.sh","&&","x"]', '["bash","run.sh","$NNODES"]', '["a;","b"]'),
    *('["NCCL_DEBUG=INFO","train"]', '["cd","/x"]', '["source","/x"]', '["ulimit","-l","unlimited"]'),
    *('["bash","-c","train --nodes $(NNODES)"]', '["env","A=b","bash","-lc","exec train $(NNODES) x"]'),
)
"""Words that only a shell understands, each in a list that has no other problem."""
UNMEANT: list[Case] = [
    ("DS361", ("workers.accelerator.count=8",)),
    ("DS361", ("workers.slots=4", "workers.accelerator.count=8", 'workers.accelerator.resource="habana.ai/gaudi"')),
    ("DS362", ('storage.data={"create":{}}',)),
    (
        "DS362",
        (
            'storage.data={"create":{},"mountIn":"launcher"}',
            sidecar('"volumeMounts":[{"name":"other","mountPath":"/x"}]'),
            volume('"create":{}', name="other"),
        ),
    ),
    ("DS363", ('training.python="deepspeed train.py --deepspeed ds.json"',)),
    ("DS363", ('training.python="train.py --epochs 3"',)),
    ("DS363", ('training={"module":"team.train --epochs 3"}',)),
    ("DS363", ('training={"exec":["bash run.sh --epochs 3"]}',)),
    ("DS363", ('launch={"method":"worker-command","command":["accelerate launch train.py"]}', 'training.python=""')),
    ("DS363", ('training.args=["--epochs 3"]',)),
    ("DS364", ('training={"exec":["torchrun","train.py"]}',)),
    ("DS364", ('training={"exec":["/opt/bin/deepspeed","--hostfile=/x","train.py"]}',)),
    ("DS364", ('training={"exec":["bash","-c","exec accelerate launch train.py"]}',)),
    ("DS364", ('training={"exec":["python3","-m","torch.distributed.run","train.py"]}',)),
    ("DS364", ('training={"module":"torch.distributed.launch"}',)),
    *(
        ("DS365", (f'training.args=["{option}"]',))
        for option in ("--num_gpus=8", "--hostfile", "--no_ssh_check", "--nproc_per_node=8")
    ),
    ("DS366", ('launch={"method":"worker-command","command":["train","--node","$NODE_RANK"]}', 'training.python=""')),
    ("DS366", ('training={"exec":["train","--rank=${RANK}"]}',)),
    ("DS366", ('training.args=["--out","$(OUTPUT_DIR)/x"]',)),
    *(("DS366", (f'training={{"exec":{words}}}',)) for words in SYNTAX),
    *(("DS366", (*WORKER_COMMAND[:2], f"launch.command={words}")) for words in SYNTAX),
    *(("DS366", (f"training.args={words}",)) for words in SYNTAX_OF_ARGUMENTS),
    ("DS366", ('training.setup="ulimit -l\\nexport A=x$(NNODES)\\n"',)),
    ("DS375", ('training={"exec":["bash","-c","train"],"args":["--epochs"]}',)),
    ("DS375", ('training={"exec":["env","A=b","/bin/sh","-euc","cd /x; train"],"deepspeed":{"configFile":"/x"}}',)),
    ("DS367", ('security.podSecurityLevel="restricted"',)),
    ("DS367", ('security={"podSecurityLevel":"restricted","podSecurityContext":{"fsGroup":1}}',)),
    ("DS368", ("workers.accelerator.count=0",)),
    ("DS369", ('training.env={"WANDB_API_KEY":"0123456789abcdef"}',)),
    ("DS369", ('training.env={"HF_TOKEN":"x"}',)),
    ("DS369", ('launcher.env={"HF_TOKEN":"x"}',)),
    ("DS369", ('training.env={"AWS_SECRET_ACCESS_KEY":"x"}',)),
    ("DS369", (f'training.env={{"HUB":"{TOKEN}"}}',)),
    ("DS369", (f'training.args=["--token={TOKEN}"]',)),
    ("DS369", (f'training.setup="wandb login\\nexport HUB={TOKEN}"',)),
    ("DS369", ('training.setup="export WANDB_API_KEY=0123456789abcdef"',)),
    ("DS369", ('training.files={"id":"-----BEGIN OPENSSH PRIVATE KEY-----\\nAAAA"}',)),
    ("DS374", (volume('"mountIn":"both",' + token('"path":"t"')),)),
    (
        "DS374",
        (
            volume(token('"path":"t"')),
            'launcher.sidecars=[{"name":"mine","image":"x:1","volumeMounts":[{"name":"data","mountPath":"/t"}]}]',
        ),
    ),
    ("DS374", (volume(token('"path":"t","audience":""') + ',"mountIn":"launcher"'),)),
    ("DS373", ('storage={"dsgen-run":{"mountPath":"/data","emptyDir":{}}}',)),
    ("DS370", ('image.pullSecrets=[{"name":"a"},{"name":"b"},{"name":"a"}]',)),
    ("DS380", ("serviceAccount.create=false",)),
    ("DS380", ("serviceAccount.create=false", 'serviceAccount.name="default"')),
    ("DS380", ('serviceAccount.name="default"', "rbac.create=false")),
    ("DS381", ('training.setup="pip install -i https://$TOKEN@example.com a"', SECRET_TOKEN)),
    ("DS381", ('training.setup="curl ${TOKEN:?}"', SECRET_TOKEN, 'launch.method="openmpi"')),
    ("DS381", ('training.setup="source /data/a/bin/activate"', volume('"create": {}'))),
    ("DS381", ('training.setup="cp /data/a /"', volume('"mountIn": "workers", "create": {}'))),
]
"""Valid values that do not do what was meant."""
WRONG = [
    *NAMES,
    *TRAINING,
    *LAUNCH,
    *CODE,
    *PODS,
    *STORAGE,
    *NETWORK,
    *SCHEDULING,
    *SECURITY,
    *ARGUMENTS,
    *FLAT,
    *UNMEANT,
]
CPU = 'training.env={"DS_ACCELERATOR":"cpu"}'
FINE: list[tuple[str, ...]] = [
    ("serviceAccount.create=false", 'serviceAccount.name="trainer"'),
    ("serviceAccount.create=false", "rbac.create=false"),
    ('name="default"',),
    ('training.setup="echo $TOKENS /database/x /data"', SECRET_TOKEN, volume('"create": {}')),
    ('training.setup="echo $TOKEN"', SECRET_TOKEN, SECRET_TOKEN.replace("training", "launcher")),
    ('training.setup="echo $TOKEN"', SECRET_TOKEN, TORCHRUN),
    ('training.setup="echo $TOKEN"', SECRET_TOKEN, 'launch={"method":"launcher-command","command":["a"]}', COMMAND[0]),
    ('training.setup="[ $DSGEN_ROLE = launcher ] || echo $TOKEN /data/a"', SECRET_TOKEN, volume('"create": {}')),
    ('training.setup="source /data/a"', volume('"mountIn": "both", "create": {}')),
    (
        volume('"create": {}'),
        'launcher.sidecars=[{"name":"mine","image":"x:1","volumeMounts":[{"name":"data","mountPath":"/t"}]}]',
    ),
    (
        'workers.resources={"requests":{"cpu":"auto"},"limits":{"cpu":"500m","memory":"256Mi"}}',
        'workers.sharedMemory=""',
    ),
    ('storage={"a":{"mountPath":"/x","emptyDir":{}},"b":{"mountPath":"/x","mountIn":"launcher","emptyDir":{}}}',),
    (volume('"create": {"accessModes":["ReadWriteOncePod"]}'),),
    (volume(token('"path":"t"')),),
    (volume(token('"path":"t","audience":"vault"')),),
    (volume(token('"path":"t"') + ',"mountIn":"workers"'),),
    ('workers.extraPodSpec={"hostIPC":true}', 'security.podSecurityLevel="privileged"'),
    ('storage={"dsgen":{"mountPath":"/data","create":{}},"my-dsgen-run":{"mountPath":"/x","create":{}}}',),
    ('launch={"method":"openmpi","mpirunArgs":["--mca","btl_tcp_if_include","eth0","--bind-to","core","-x","A=-np"]}',),
    ('workers.nodeSelector={"kubernetes.io/hostname":"c"}', 'workers.excludeNodes=["b","a"]'),
    ("workers.accelerator.count=8", "workers.slots=8"),
    ("workers.accelerator.count=8", 'training.env={"CUDA_VISIBLE_DEVICES":"0,1,2,3,4,5,6,7"}'),
    ("workers.accelerator.count=8", *WORKER_COMMAND),
    ('storage.data={"create":{}}', sidecar('"volumeMounts":[{"name":"data","mountPath":"/x"}]')),
    (
        'storage.data={"create":{"accessModes":["ReadWriteMany"]}}',
        sidecar('"volumeDevices":[{"name":"data","devicePath":"/dev/x"}]', "launcher", "initContainers"),
    ),
    ('training.python="/my data/train.py"',),
    ('training.args=["--prompt=hello world","a text","--epochs","3"]',),
    ('training={"exec":["bash","-c","echo $RANK; train"]}',),
    ('training={"exec":["/bin/sh","-c","train --rank $RANK \\"$@\\"","train"],"args":["costs $5"]}',),
    ('training={"exec":["bash","-c","train --deepspeed /x"],"deepspeed":{"configFile":"/x"}}',),
    ('training={"exec":["bash","-c","train"],"deepspeed":{"configFile":"/x","passConfig":false}}',),
    ('training={"exec":["env","A=b","numactl","-N0","bash","-o","pipefail","-c","a $RANK | tee b && c 2>&1"]}',),
    ('training.args=["--sep","|","--end",";","--prompt",">","--token","<pad>","<s>","--x","a;","--filter=>5"]',),
    ('training.args=["{\\"a\\": \\"b && c\\"}","R&D","a|b","$5","${oc.env:x}"]',),
    ('training.setup="export A=$(nproc) B=$(dirname $(which python)) C=$NNODES"',),
    ('launch={"method":"launcher-command","command":["deepspeed","--num_gpus=1","train.py"]}', 'training.python=""'),
    ("workers.accelerator.count=0", 'workers.resources={"limits":{"example.com/card":2}}'),
    ("workers.accelerator.count=0", 'training.setup="export DS_ACCELERATOR=cpu"'),
    ('training.env={"TOKENIZERS_PARALLELISM":"true","TOKEN_FILE":"/run/token","HF_TOKEN":""}',),
    ('training.env={"HF_TOKEN":{"valueFrom":{"secretKeyRef":{"name":"x","key":"y"}}}}',),
    ('training.setup="export HF_TOKEN=$(cat /run/token) API_KEY=$OTHER_API_KEY TOKEN=/run/secrets/token"',),
    ('image.pullSecrets=[{"name":"a"},{"name":"b"}]',),
    (f'name="{"a" * 52}"', "workers.replicas=10"),
    ("workers.slots=2", "workers.accelerator.count=0", CPU),
    ("workers.slots=2", "workers.accelerator.count=2"),
    ("workers.slots=2", "workers.accelerator.count=1", 'workers.accelerator.resource="aws.amazon.com/neuron"'),
    ("workers.slots=2", "workers.accelerator.count=0", CPU, 'workers.accelerator.resource="nvidia.com/gpu.shared"'),
    ('workers.resources={"requests":{"memory":"2Gi"},"limits":{"memory":"8Gi"}}',),
    ('workers.resources={"limits":{"memory":8589934592}}',),
    ('workers.resources={"limits":{"memory":"4Gi"}}', 'workers.sharedMemory=""'),
    ('workers.resources={"limits":{"memory":"4Gi"}}', 'workers.sharedMemory="unlimited"'),
    ("workers.replicas=731",),
    ("workers.replicas=1000", TORCHRUN),
    ("workers.replicas=1000", 'launcher.resources={"requests":{"memory":"3Gi"},"limits":{"memory":"3Gi"}}'),
    (
        "workers.replicas=1000",
        TORCHRUN,
        'launcher.resources={"requests":{"memory":"0.5Gi"},"limits":{"memory":"0.5Gi"}}',
    ),
    ('workers.resources={"limits":{"memory":"8.5Gi"}}',),
    ('workers.resources={"requests":{"cpu":"64m","memory":0}}',),
    ('launcher.resources={"limits":{"ephemeral-storage":"1Mi"}}',),
    ('workers.resources={"requests":{"memory":"1048576"}}', 'workers.sharedMemory="1048576k"'),
    (
        'workers.resources={"requests":{"cpu":64,"memory":"0.5Gi","example.com/memory":1},"limits":{"example.com/memory":1}}',
    ),
    ('launcher.resources={"requests":{"memory":"1.5Gi"},"limits":{"memory":"1.5Gi"}}',),
    ('launcher.resources={"requests":{"memory":"512Mi"},"limits":{"memory":"1.5Gi"}}',),
    ('workers.resources.limits={"example.com/card":2,"hugepages-2Mi":"1Gi"}',),
    ('workers.resources={"requests":{"example.com/card":"2"},"limits":{"example.com/card":2}}',),
    ("workers.slots=16", "workers.accelerator.count=1", 'workers.accelerator.resource="aws.amazon.com/neuroncore"'),
    (sidecar('"restartPolicy":"Always"'),),
    (sidecar('"resources":{"limits":{"hugepages-x":1,"hugepages-0Mi":1,"a\\tb":1}}'),),
    (sidecar('"restartPolicy":"Always"', "launcher", "initContainers"),),
    (
        'workers.tolerations=[{"operator":"Exists"},{"key":"a"},{"key":"a","effect":"NoExecute","tolerationSeconds":60}]',
    ),
    ('lifecycle.debug={"enabled":true,"command":["sleep","1"]}',),
    (f'training.files={{"x":"{"x" * 200 * 1024}"}}',),
    (QUEUE, sidecar('"resources":{"limits":{"cpu":1}}'), 'launcher.nodeSelector={"pool":"cpu"}'),
    (volume('"create":{"size":"0.5Gi"}'),),
    ('workers.sharedMemory="0.5Gi"',),
    (*HOST, "network.policy=false", HOSTNAME),
    ('workers.extraPodSpec={"hostAliases":[]}', 'workers.extraContainerSpec={"tty":true}'),
    (sidecar('"volumeMounts":[{"name":"data","mountPath":"/x"}]'), volume('"mountIn":"workers","create":{}')),
    (volume('"emptyDir":{}', "/jobs"),),
    (volume('"nfs":{"server":"a","path":"/"}', "/etc/dsgen2"),),
    (
        'storage={"a":{"mountPath":"/x","create":{},"mountIn":"workers"},"b":{"mountPath":"/x","create":{},"mountIn":"launcher"}}',
    ),
    (volume('"create":{}'), volume('"create":{}', "/data/in/it", "b")),
    (volume('"create": {"accessModes":["ReadWriteOnce"]}'),),
    ("workers.replicas=2", volume('"mountIn":"launcher","create": {"accessModes":["ReadWriteOnce"]}')),
    (volume('"mountIn":"workers","create": {"accessModes":["ReadWriteOncePod"]}'),),
    (volume('"create": {"storageClass":"","persistentVolume":{"hostPath":{"path":"/x"}}}'),),
    (volume('"emptyDir":{}, "subPath":"a..b/c"'),),
    (volume('"hostPath":{"path":"/x"}'), PRIVILEGED),
    ('training.env={"RANKS":"x","MY_RANK":"x","NNODES":"2"}',),
    ('training.env={"A":"costs $5","B":"$PATHS","C":"$PATH_X"}',),
    ('training.envFrom=[{"prefix":"MY_","configMapRef":{"name":"x"}},{"secretRef":{"name":"y"}}]',),
    ('training={"python":"a","args":["--deepspeed_config=x"],"deepspeed":{"configFile":"/x","passConfig":false}}',),
    ('training.args=["--deepspeed_config=x"]',),
    ('training.deepspeed={"autotuning":"tune","configFile":"/x.json"}',),
    ('labels={"app.kubernetes.io/version":"x","team":"x"}',),
    ('ssh.secret={"mode":"existing","name":"mine"}',),
    ('image.tag="latest"', f'image.digest="sha256:{"0" * 64}"'),
    ('storage.data={"mountPath":"/data","create":{"persistentVolume":{"hostPath":{"path":"/x"}}}}',),
    WORKER_COMMAND,
    (TORCHRUN, "lifecycle.maxRestarts=3", "ssh.port=2222", "launch.masterPort=2222"),
    ('launch.method="openmpi"', "lifecycle.maxRestarts=3", 'lifecycle.keepWorkers="always"'),
    ("lifecycle.maxRestarts=1", "lifecycle.restartExitCodes=[3]"),
    (*WORKER_COMMAND, "lifecycle.maxRestarts=1", "lifecycle.restartExitCodes=[3]"),
    ('lifecycle.progress={"pattern":"(?P<step>[0-9]+)","checkpointPath":"/c/latest","checkpointTimeoutSeconds":60}',),
    (HTTPS, COMMIT),
    (SSH, COMMIT, *KEY),
    ('code.git.repository="ssh://git@example.com/x.git"', COMMIT, *KEY),
    ('code.git.repository="git://example.com/x.git"', COMMIT),
    (HTTPS, COMMIT, 'code.git.image="registry.example.com:5000/git:v1"'),
    (*HOST, "network.policy=false"),
    ('network.rdma={"resources":{"vpc.amazonaws.com/efa":4}}',),
    ('network.rdma.resources={"rdma/x":1}', PRIVILEGED),
    ('network.rdma.networks=["sriov"]', 'workers.podAnnotations={"a":"b"}'),
    ("ssh.port=222",),
    ('ssh.user="root"',),
    ('status.webhook.url="https://example.com/a@b"',),
    ('status.webhook.url="https://hooks.example.com:8443/training/notifications/2"',),
    ('monitoring.podMonitor={"enabled":true,"port":9000}',),
    ('monitoring.podMonitor={"port":2222}',),
    ('monitoring.tensorboard={"enabled":true,"logDir":"/data/runs"}', volume('"create":{}')),
    (QUEUE, 'scheduling.launcherQueue="small"', 'scheduling.priorityClass="high"'),
    (QUEUE, VOLCANO, 'workers.tolerations=[{"operator":"Exists"}]', "lifecycle.suspend=true"),
    (QUEUE, 'scheduling.topology.required="zone"', 'workers.resources.limits={"cpu":4,"memory":"16Gi"}'),
    ('scheduling.topology.required="kubernetes.io/hostname"', 'workers.spread="required"'),
    (VOLCANO, 'scheduling.priorityClass="high"'),
    ('workers.schedulerName="default-scheduler"',),
    (RESTRICTED, f'security.securityContext={{{NICE},"runAsUser":1000}}'),
    (RESTRICTED, sidecar(f'"securityContext":{{{NICE}}}')),
    (RESTRICTED, 'workers.securityContext={"capabilities":{"add":["NET_BIND_SERVICE"]}}'),
    *((one, PRIVILEGED) for one in _contexts('"privileged":true')),
    ('security.podSecurityContext={"sysctls":[{"name":"net.ipv4.tcp_syncookies","value":"1"}]}',),
    ('security.podSecurityContext={"seLinuxOptions":{"type":"container_t","level":"s0"}}',),
    ('security.podSecurityContext={"seccompProfile":{"type":"Localhost","localhostProfile":"x"}}',),
    ('workers.podAnnotations={"container.apparmor.security.beta.kubernetes.io/worker":"localhost/x"}',),
    ('training.deepspeed.args=["--no_ssh_check"]',),
    ("workers.replicas=2", "workers.slots=2", 'training.deepspeed.args=["-i", "cifar-1-worker-0.cifar-1:0"]'),
    ("workers.replicas=2", 'training.deepspeed.args=["--exclude=cifar-1-worker-0.cifar-1"]'),
    ("workers.replicas=4", 'training.deepspeed.args=["--launcher_args=-f 8", "--log_level", "debug"]'),
    ('training.deepspeed.version="0.18"',),
    ('training.deepspeed={"version":"0.16.9","config":{"train_batch_size":1,"sparse_gradients":true}}',),
]
