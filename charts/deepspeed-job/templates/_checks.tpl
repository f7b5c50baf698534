{{/* What values may not say: a message for each problem, with a hint below it. */}}
{{- define "deepspeed-job.allProblems" -}}
{{- if not .Values.image.repository }}
image.repository must be given [DS201]
  the image in which the training runs, such as registry.example.com/team/cifar
{{- end }}

{{- if gt (add (len (include "deepspeed-job.runName" .)) (len (toString (sub (include "deepspeed-job.workerPods" . | int64) 1))) 8) 63 }}
the names of the pods are too long: {{ include "deepspeed-job.runName" . | quote }} has {{ len (include "deepspeed-job.runName" .) }} characters and -worker-{{ sub (include "deepspeed-job.workerPods" . | int64) 1 }} has {{ add (len (toString (sub (include "deepspeed-job.workerPods" . | int64) 1))) 8 }}, together they may have 63 [DS204]
  shorten the name of the job or run.id
{{- end }}

{{- if and (include "deepspeed-job.jobName" .)
           (not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" (include "deepspeed-job.jobName" .))) }}
the job cannot be named {{ include "deepspeed-job.jobName" . | quote }} [DS205]
  lower-case letters, digits and -, a letter first, no - at the end
{{- end }}

{{- if and (not (or .Values.training.python .Values.training.module .Values.training.exec))
           (not (has .Values.launch.method (list "worker-command" "launcher-command"))) }}
training: one of python, module and exec must be given [DS202]
  a script: python: train.py; a module: module: team.train; any other program: exec: [bash, -c, ...]
{{- end }}

{{- if regexMatch "^0+([.]0+)?[A-Za-z]*$" .Values.workers.sharedMemory }}
workers.sharedMemory: {{ .Values.workers.sharedMemory | quote }} is no limit at all for Kubernetes [DS287]
  write "" to have no /dev/shm of its own, or unlimited
{{- end }}

{{- if regexMatch "^[0-9.]*[1-9][0-9.]*m$" .Values.workers.sharedMemory }}
workers.sharedMemory: {{ .Values.workers.sharedMemory | quote }} counts thousandths of a byte [DS287]
  M is a million bytes, Mi 1024 x 1024
{{- end }}

{{- if .Values.monitoring.tensorboard.enabled }}
{{- if gt (len (include "deepspeed-job.jobName" .)) 51 }}
{{ include "deepspeed-job.jobName" . | quote }} has {{ len (include "deepspeed-job.jobName" .) }} characters and -tensorboard has 12, the name of a Service may have 63 together [DS340]
  shorten the name of the job
{{- end }}

{{- if eq (include "deepspeed-job.runId" .) "tensorboard" }}
run.id: the Service of run tensorboard would have the name of TensorBoard's [DS343]
  choose another id
{{- end }}

{{- if not .Values.monitoring.tensorboard.logDir }}
monitoring.tensorboard.logDir must be given [DS341]
  the folder to which the training writes its events, on a volume of storage
{{- end }}
{{- end }}

{{- range $key, $value := .Values.labels }}
{{- if include "deepspeed-job.reservedKey" $key }}
labels: {{ $key | quote }} is written by dsgen or Kubernetes [DS230]
  choose a key of a domain of your own
{{- end }}
{{- end }}

{{- range $key, $value := .Values.annotations }}
{{- if include "deepspeed-job.reservedKey" $key }}
annotations: {{ $key | quote }} is written by dsgen or Kubernetes [DS230]
  choose a key of a domain of your own
{{- end }}
{{- end }}

{{- if or .Values.workers.podLabels .Values.launcher.podLabels }}
{{- range $role := list "workers" "launcher" }}
{{- range $key, $value := index (index $.Values $role) "podLabels" }}
{{- if include "deepspeed-job.reservedKey" $key }}
{{ $role }}.podLabels: {{ $key | quote }} is written by dsgen or Kubernetes [DS230]
  choose a key of a domain of your own
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- range $role := list "workers" "launcher" }}
{{- range $key, $value := index (index $.Values $role) "podAnnotations" }}
{{- if include "deepspeed-job.reservedKey" $key }}
{{ $role }}.podAnnotations: {{ $key | quote }} is written by dsgen or Kubernetes [DS230]
  choose a key of a domain of your own
{{- end }}

{{- if and (ne $.Values.security.podSecurityLevel "privileged")
           (regexMatch "^container[.]apparmor[.]security[.]beta[.]kubernetes[.]io/.*$" $key)
           (not (regexMatch "^(runtime/default|localhost/.*)?$" $value)) }}
{{ $role }}.podAnnotations: {{ $key | quote }}: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (forbidden AppArmor profile) [DS329]
  use runtime/default or localhost/PROFILE
{{- end }}
{{- end }}
{{- end }}

{{- range $key, $value := .Values.serviceAccount.annotations }}
{{- if include "deepspeed-job.reservedKey" $key }}
serviceAccount.annotations: {{ $key | quote }} is written by dsgen or Kubernetes [DS230]
  choose a key of a domain of your own
{{- end }}

{{- if hasKey $.Values.annotations $key }}
serviceAccount.annotations: {{ $key | quote }} is among annotations already [DS231]
  keep one of them
{{- end }}
{{- end }}

{{- if or .Values.training.module .Values.training.exec }}
{{- if and (or (and .Values.training.python (or .Values.training.module .Values.training.exec))
               (and .Values.training.module .Values.training.exec))
           (not (has .Values.launch.method (list "worker-command" "launcher-command"))) }}
training: python, module and exec exclude one another [DS203]
  keep one of them
{{- end }}
{{- end }}

{{- if .Values.training.deepspeed.configFile }}
{{- if .Values.training.deepspeed.config }}
training.deepspeed: config and configFile exclude one another [DS221]
  keep one of them
{{- end }}
{{- end }}

{{- if ne .Values.training.deepspeed.autotuning "none" }}
{{- if or (not .Values.training.deepspeed.passConfig)
          (not (or .Values.training.deepspeed.config .Values.training.deepspeed.configFile)) }}
training.deepspeed.autotuning needs a configuration of DeepSpeed to begin with [DS225]
  give training.deepspeed.config or configFile, and leave passConfig true
{{- end }}

{{- if not (regexMatch "^(.*[.]json.*)?$" .Values.training.deepspeed.configFile) }}
training.deepspeed.configFile: the autotuner finds the configuration by .json in its name, not in {{ .Values.training.deepspeed.configFile | quote }} [DS225]
  rename the file
{{- end }}
{{- end }}

{{- range $key, $value := .Values.training.env }}
{{- if or (regexMatch "^(DSGEN_.*|RANK|LOCAL_RANK|WORLD_SIZE|MASTER_.*)$" $key)
          (and (eq $.Values.launch.method "worker-command")
               (regexMatch "^(NNODES|NODE_RANK|NPROC_PER_NODE|PET_(NNODES|NODE_RANK|NPROC_PER_NODE|MASTER_ADDR|MASTER_PORT))$" $key)) }}
training.env: {{ $key | quote }} is set by dsgen or DeepSpeed [DS220]
  choose another name; a program reads it as it is
{{- end }}
{{- end }}

{{- range $source := .Values.training.envFrom }}
{{- if and (kindIs "string" $source.prefix) (regexMatch "^(DSGEN|MASTER)_.*$" $source.prefix) }}
training.envFrom: variables that begin with {{ $source.prefix | quote }} are set by dsgen or DeepSpeed [DS223]
  choose another prefix
{{- end }}
{{- end }}

{{- if ne .Values.launch.method "pdsh" }}
{{- if and (has .Values.launch.method (list "worker-command" "launcher-command")) (not .Values.launch.command) }}
launch.command must be given with launch.method {{ .Values.launch.method }} [DS270]
  a list, the program first, such as [accelerate, launch, train.py]
{{- end }}

{{- if and (has .Values.launch.method (list "worker-command" "launcher-command")) .Values.training.python }}
training.python: launch.method {{ .Values.launch.method }} starts launch.command and nothing else [DS272]
  write it into launch.command
{{- end }}

{{- if and (has .Values.launch.method (list "worker-command" "launcher-command")) .Values.training.module }}
training.module: launch.method {{ .Values.launch.method }} starts launch.command and nothing else [DS272]
  write it into launch.command
{{- end }}

{{- if and (has .Values.launch.method (list "worker-command" "launcher-command")) .Values.training.exec }}
training.exec: launch.method {{ .Values.launch.method }} starts launch.command and nothing else [DS272]
  write it into launch.command
{{- end }}

{{- if and (has .Values.launch.method (list "worker-command" "launcher-command")) .Values.training.args }}
training.args: launch.method {{ .Values.launch.method }} starts launch.command and nothing else [DS272]
  write it into launch.command
{{- end }}

{{- if and (not (include "deepspeed-job.usesSsh" .))
           (gt (int64 .Values.lifecycle.maxRestarts) 0)
           (ne .Values.launch.method "torchrun") }}
lifecycle.maxRestarts: the training is not restarted with launch.method {{ .Values.launch.method }} [DS273]
  use launch.method: pdsh, openmpi or torchrun, or start another run
{{- end }}

{{- if and (not (include "deepspeed-job.usesSsh" .)) .Values.lifecycle.restartExitCodes }}
lifecycle.restartExitCodes: has no effect with launch.method {{ .Values.launch.method }} [DS273]
  use launch.method: pdsh or openmpi, or remove it
{{- end }}

{{- if and (not (include "deepspeed-job.usesSsh" .)) (ne .Values.lifecycle.keepWorkers "none") }}
lifecycle.keepWorkers: workers end with their program with launch.method {{ .Values.launch.method }} [DS273]
  use launch.method: pdsh or openmpi, or remove it
{{- end }}

{{- if and (not (include "deepspeed-job.usesSsh" .)) .Values.launch.preflight.network }}
launch.preflight.network: there is no test of the network with launch.method {{ .Values.launch.method }} [DS273]
  use launch.method: pdsh or openmpi, or remove it
{{- end }}

{{- if and (not (include "deepspeed-job.usesSsh" .)) (gt (int64 .Values.launch.preflight.spares) 0) }}
launch.preflight.spares: a spare worker cannot stand in for another with launch.method {{ .Values.launch.method }} [DS273]
  use launch.method: pdsh or openmpi, or remove it
{{- end }}

{{- if and (not (include "deepspeed-job.usesSsh" .)) .Values.lifecycle.debug.command }}
lifecycle.debug.command: has no effect with launch.method {{ .Values.launch.method }} [DS273]
  use launch.method: pdsh or openmpi, or remove it
{{- end }}

{{- if and (not (include "deepspeed-job.usesSsh" .)) (ne (int64 .Values.ssh.port) 2222) }}
ssh.port: there is no sshd with launch.method {{ .Values.launch.method }} [DS273]
  remove it
{{- end }}

{{- if and (not (include "deepspeed-job.usesSsh" .)) .Values.ssh.user }}
ssh.user: there is no sshd with launch.method {{ .Values.launch.method }} [DS273]
  remove it
{{- end }}

{{- if and (not (include "deepspeed-job.usesSsh" .)) (ne .Values.ssh.secret.mode "cluster") }}
ssh.secret.mode: there are no keys with launch.method {{ .Values.launch.method }} [DS273]
  remove it
{{- end }}

{{- if and (ne .Values.launch.method "pdsh") (ne .Values.training.deepspeed.autotuning "none") }}
training.deepspeed.autotuning: autotuning does not work with launch.method {{ .Values.launch.method }} [DS274]
  use launch.method: pdsh
{{- end }}

{{- if and (not (has .Values.launch.method (list "pdsh" "deepspeed-no-ssh"))) .Values.training.deepspeed.args }}
training.deepspeed.args: no launcher of DeepSpeed runs with launch.method {{ .Values.launch.method }} [DS275]
  they are for the methods pdsh and deepspeed-no-ssh; remove them
{{- end }}

{{- if and (has .Values.launch.method (list "worker-command" "launcher-command"))
           .Values.training.deepspeed.bindCores }}
training.deepspeed.bindCores: dsgen does not start the processes with launch.method {{ .Values.launch.method }} [DS275]
  bind them in launch.command, with numactl
{{- end }}
{{- end }}

{{- if .Values.launch.command }}
{{- if not (has .Values.launch.method (list "worker-command" "launcher-command")) }}
launch.command is for the methods worker-command and launcher-command, not for launch.method {{ .Values.launch.method }} [DS271]
  set launch.method: worker-command, or describe the program in training
{{- end }}
{{- end }}

{{- if or (gt (int64 .Values.workers.replicas) 100) (gt (int64 .Values.launch.preflight.spares) 100) }}
{{- if and (eq .Values.launch.method "pdsh")
           (gt (mul 4 (add (mul (include "deepspeed-job.workerPods" . | int64) (add (mul 2 (len (include "deepspeed-job.runName" .))) 15 (include "deepspeed-job.digitsBelow" (int64 .Values.workers.slots) | int64) (mul 2 .Values.workers.slots))) (include "deepspeed-job.digitsBelow" (include "deepspeed-job.workerPods" . | int64) | int64))) 387072) }}
workers.replicas: {{ include "deepspeed-job.workerPods" . | int64 }} workers are too many for pdsh, which gets them as one argument: {{ add (mul (include "deepspeed-job.workerPods" . | int64) (add (mul 2 (len (include "deepspeed-job.runName" .))) 15 (include "deepspeed-job.digitsBelow" (int64 .Values.workers.slots) | int64) (mul 2 .Values.workers.slots))) (include "deepspeed-job.digitsBelow" (include "deepspeed-job.workerPods" . | int64) | int64) }} bytes in base64, 4 for 3, with 2048 for the rest, are more than 131072 [DS276]
  use launch.method: torchrun, which has no such limit; a shorter name of the job leaves room for more workers
{{- end }}
{{- end }}

{{- if or (ne (int64 .Values.ssh.port) 2222) (ne (int64 .Values.launch.masterPort) 29500) }}
{{- if and (include "deepspeed-job.usesSsh" .) (eq (int64 .Values.launch.masterPort) (int64 .Values.ssh.port)) }}
launch.masterPort and ssh.port are both {{ int64 .Values.ssh.port }} [DS242]
  give one of them another port
{{- end }}
{{- end }}

{{- if .Values.code.git.revision }}
{{- if not .Values.code.git.repository }}
code.git.revision is given, and code.git.repository is not [DS290]
  name the repository, or remove it
{{- end }}
{{- end }}

{{- if .Values.code.git.secretName }}
{{- if not .Values.code.git.repository }}
code.git.secretName is given, and code.git.repository is not [DS290]
  name the repository, or remove it
{{- end }}
{{- end }}

{{- if .Values.code.git.knownHosts }}
{{- if not .Values.code.git.repository }}
code.git.knownHosts is given, and code.git.repository is not [DS290]
  name the repository, or remove it
{{- end }}
{{- end }}

{{- if .Values.code.git.image }}
{{- if not .Values.code.git.repository }}
code.git.image is given, and code.git.repository is not [DS290]
  name the repository, or remove it
{{- end }}
{{- end }}

{{- if .Values.code.git.repository }}
{{- if and (not (regexMatch "^(https?|ssh|git)://[^/]+/.+$" .Values.code.git.repository))
           (not (regexMatch "^[^/:]+:([^/].*|/[^/].*)$" .Values.code.git.repository)) }}
code.git.repository: {{ .Values.code.git.repository | quote }} is no address of https, http, ssh or git [DS295]
  such as https://example.com/team/cifar.git or git@example.com:team/cifar.git
{{- end }}

{{- if regexMatch "^.*[:*].*$" .Values.code.git.revision }}
code.git.revision: {{ .Values.code.git.revision | quote }} is no commit, branch or tag [DS295]
  the id of a commit, as git rev-parse HEAD prints it
{{- end }}

{{- if or (regexMatch "^[a-z+]+://[^/@]*:[^/@]*@.*$" .Values.code.git.repository)
          (regexMatch "^https?://[^/]*@.*$" .Values.code.git.repository) }}
code.git.repository holds a user name or a password, and the values are kept in Git [DS248]
  put username and password into a Secret and name it in code.git.secretName
{{- end }}

{{- if and (or (regexMatch "^ssh://.*$" .Values.code.git.repository)
               (regexMatch "^[^/:]+:([^/].*|/[^/].*)$" .Values.code.git.repository))
           (not .Values.code.git.secretName) }}
code.git.repository is reached over ssh, which needs a key [DS292]
  name a Secret with the key ssh-privatekey in code.git.secretName, or use an https address
{{- end }}

{{- if or (regexMatch "^(/(job|etc/(dsgen|dsgen-keys|dsgen-status|dsgen-git|dsgen-webhook|mpi)|(var/)?run/dsgen|var/run/secrets/dsgen|run/secrets/dsgen)(/.*)?|/(etc/ssh/ssh_config|etc/passwd)(/.*)?|/(etc|etc/ssh|run|var|var/run|var/run/secrets|dev|proc|sys))$" .Values.code.mountPath)
          (regexMatch "^/dev/shm(/.*)?$" .Values.code.mountPath) }}
code.mountPath: {{ .Values.code.mountPath | quote }} is reserved, dsgen or the system has files there [DS212]
  choose another folder, such as /workspace/code
{{- end }}
{{- end }}

{{- if gt (int64 .Values.workers.slots) 1 }}
{{- if and (ne .Values.workers.accelerator.count nil)
           (gt (int64 .Values.workers.accelerator.count) 0)
           (gt (int64 .Values.workers.slots) (int64 .Values.workers.accelerator.count))
           (regexMatch "^((nvidia|amd)[.]com/gpu|nvidia[.]com/(pgpu|mig-.*)|gpu[.]intel[.]com/.*)$" .Values.workers.accelerator.resource) }}
workers.slots: {{ int64 .Values.workers.slots }} processes would share {{ int64 .Values.workers.accelerator.count }} GPUs [DS206]
  each process needs a GPU of its own; count: 0 trains on CPUs
{{- end }}

{{- if and (ne .Values.workers.accelerator.count nil)
           (gt (int64 .Values.workers.accelerator.count) 0)
           (gt (int64 .Values.workers.slots) (int64 .Values.workers.accelerator.count))
           (regexMatch "^(habana[.]ai/gaudi|huawei[.]com/Ascend.*)$" .Values.workers.accelerator.resource) }}
workers.slots: {{ int64 .Values.workers.slots }} processes would share {{ int64 .Values.workers.accelerator.count }} of {{ .Values.workers.accelerator.resource | quote }} [DS206]
  each process needs one of its own; count: 0 trains on CPUs
{{- end }}

{{- if and (regexMatch "^nvidia[.]com/mig-.*$" .Values.workers.accelerator.resource)
           (or (eq .Values.workers.accelerator.count nil) (gt (int64 .Values.workers.accelerator.count) 0)) }}
workers.slots: a process sees one MIG slice of its pod, so {{ int64 .Values.workers.slots }} cannot each have one [DS207]
  use slots: 1 and more replicas
{{- end }}
{{- end }}

{{- if .Values.workers.resources.requests }}
{{- if hasKey .Values.workers.resources.requests .Values.workers.accelerator.resource }}
workers.resources.requests: {{ .Values.workers.accelerator.resource | quote }} is written from workers.accelerator [DS208]
  set workers.accelerator.count instead
{{- end }}
{{- end }}

{{- if .Values.workers.resources.limits }}
{{- if hasKey .Values.workers.resources.limits .Values.workers.accelerator.resource }}
workers.resources.limits: {{ .Values.workers.accelerator.resource | quote }} is written from workers.accelerator [DS208]
  set workers.accelerator.count instead
{{- end }}
{{- end }}

{{- if .Values.launcher.resources.limits }}
{{- if and (include "deepspeed-job.usesSsh" .)
           (gt (include "deepspeed-job.memoryBytes" .Values.launcher.resources.limits | int64) 0)
           (lt (include "deepspeed-job.memoryBytes" .Values.launcher.resources.limits | int64) (add 1073741824 (mul 1468006 (include "deepspeed-job.workerPods" . | int64)))) }}
launcher.resources.limits: the launcher needs 1 GiB and 1.4 MiB for each of {{ include "deepspeed-job.workerPods" . | int64 }} workers, {{ add 1024 (mul 2 (include "deepspeed-job.workerPods" . | int64)) }}Mi with some room [DS277]
  raise the limit, or use launch.method: torchrun, which needs no ssh
{{- end }}
{{- end }}

{{- if ne .Values.workers.spread "none" }}
{{- if hasKey .Values.workers.affinity "podAntiAffinity" }}
workers.spread writes a podAntiAffinity, and workers.affinity has one too [DS237]
  keep one of them
{{- end }}
{{- end }}

{{- if or .Values.workers.extraPodSpec .Values.launcher.extraPodSpec }}
{{- range $role := list "workers" "launcher" }}
{{- range $field, $value := index (index $.Values $role) "extraPodSpec" }}
{{- if regexMatch "^(activeDeadlineSeconds|affinity|automountServiceAccountToken|containers|dnsPolicy|enableServiceLinks|ephemeralContainers|hostNetwork|hostname|imagePullSecrets|initContainers|nodeSelector|priorityClassName|restartPolicy|runtimeClassName|schedulerName|securityContext|serviceAccount|serviceAccountName|subdomain|terminationGracePeriodSeconds|tolerations|topologySpreadConstraints|volumes)$" $field }}
{{ $role }}.extraPodSpec: {{ $field | quote }} is a field of the pod that dsgen writes [DS232]
  use the key of the values for it, where there is one
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- if or .Values.workers.extraContainerSpec .Values.launcher.extraContainerSpec }}
{{- range $role := list "workers" "launcher" }}
{{- range $field, $value := index (index $.Values $role) "extraContainerSpec" }}
{{- if regexMatch "^(args|command|env|envFrom|image|imagePullPolicy|name|ports|readinessProbe|resources|restartPolicy|securityContext|volumeMounts|workingDir)$" $field }}
{{ $role }}.extraContainerSpec: {{ $field | quote }} is a field of the container that dsgen writes [DS233]
  use the key of the values for it, where there is one
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- if or .Values.workers.initContainers
          .Values.workers.sidecars
          .Values.launcher.initContainers
          .Values.launcher.sidecars }}
{{- range $role := list "workers" "launcher" }}
{{- range $kind := list "initContainers" "sidecars" }}
{{- range $container := index (index $.Values $role) $kind }}
{{- if and (kindIs "string" $container.name)
           (regexMatch "^(worker|launcher|status|keygen|passwd|code|dsgen-.*)$" $container.name) }}
{{ $role }}.{{ $kind }}: {{ $container.name | quote }} is the name of a container of dsgen's [DS234]
  choose another name
{{- end }}

{{- if and (kindIs "string" $container.name)
           (ne $.Values.security.podSecurityLevel "privileged")
           (kindIs "string" (dig "securityContext" "seccompProfile" "type" "" $container))
           (regexMatch "^Unconfined$" (dig "securityContext" "seccompProfile" "type" "" $container)) }}
{{ $role }}.{{ $kind }}: {{ $container.name | quote }} has seccompProfile.type Unconfined: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (seccompProfile) [DS327]
  use RuntimeDefault or Localhost
{{- end }}

{{- if and (kindIs "string" $container.name)
           (ne $.Values.security.podSecurityLevel "privileged")
           (kindIs "string" (dig "securityContext" "appArmorProfile" "type" "" $container))
           (regexMatch "^Unconfined$" (dig "securityContext" "appArmorProfile" "type" "" $container)) }}
{{ $role }}.{{ $kind }}: {{ $container.name | quote }} has appArmorProfile.type Unconfined: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (forbidden AppArmor profile) [DS329]
  use RuntimeDefault or Localhost
{{- end }}

{{- if and (kindIs "string" $container.name)
           (ne $.Values.security.podSecurityLevel "privileged")
           (or (and (kindIs "string" (dig "securityContext" "seLinuxOptions" "type" "" $container))
                    (not (regexMatch "^(container_(t|init_t|kvm_t|engine_t))?$" (dig "securityContext" "seLinuxOptions" "type" "" $container))))
               (dig "securityContext" "seLinuxOptions" "user" "" $container)
               (dig "securityContext" "seLinuxOptions" "role" "" $container)) }}
{{ $role }}.{{ $kind }}: {{ $container.name | quote }} has such seLinuxOptions: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (seLinuxOptions) [DS326]
  no user and no role; type container_t, container_init_t, container_kvm_t or container_engine_t
{{- end }}

{{- if and (kindIs "string" $container.name)
           (ne $.Values.security.podSecurityLevel "privileged")
           (dig "securityContext" "windowsOptions" "hostProcess" false $container) }}
{{ $role }}.{{ $kind }}: {{ $container.name | quote }} has windowsOptions.hostProcess: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (hostProcess) [DS330]
  remove it, or set security.podSecurityLevel: privileged where the namespace allows that
{{- end }}

{{- if and (kindIs "string" $container.name)
           (eq $.Values.security.podSecurityLevel "restricted")
           (not (dig "securityContext" "runAsNonRoot" true $container)) }}
{{ $role }}.{{ $kind }}: {{ $container.name | quote }} has runAsNonRoot: false: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (runAsNonRoot != true) [DS333]
  remove it, and give runAsUser where the image has root as its user
{{- end }}

{{- if and (kindIs "string" $container.name)
           (eq $.Values.security.podSecurityLevel "restricted")
           (not (dig "securityContext" "runAsUser" 1 $container)) }}
{{ $role }}.{{ $kind }}: {{ $container.name | quote }} has runAsUser: 0: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (runAsUser=0) [DS334]
  another user, such as 1000
{{- end }}

{{- if and (kindIs "string" $container.name)
           (ne $.Values.security.podSecurityLevel "privileged")
           (dig "securityContext" "privileged" false $container) }}
{{ $role }}.{{ $kind }}: {{ $container.name | quote }} has privileged: true: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (privileged) [DS321]
  remove it, or set security.podSecurityLevel: privileged where the namespace allows that
{{- end }}

{{- if and (kindIs "string" $container.name)
           (ne $.Values.security.podSecurityLevel "privileged")
           (kindIs "string" (dig "securityContext" "procMount" "" $container))
           (not (regexMatch "^(Default)?$" (dig "securityContext" "procMount" "" $container))) }}
{{ $role }}.{{ $kind }}: {{ $container.name | quote }} has such a procMount: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (procMount) [DS325]
  remove it, or set security.podSecurityLevel: privileged where the namespace allows that
{{- end }}

{{- if and (kindIs "string" $container.name)
           (eq $.Values.security.podSecurityLevel "restricted")
           (dig "securityContext" "allowPrivilegeEscalation" true $container) }}
{{ $role }}.{{ $kind }}: {{ $container.name | quote }} has no allowPrivilegeEscalation: false: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (allowPrivilegeEscalation != false) [DS332]
  set it to false
{{- end }}

{{- if and (kindIs "string" $container.name)
           (eq $.Values.security.podSecurityLevel "restricted")
           (not (has "ALL" (dig "securityContext" "capabilities" "drop" (list) $container))) }}
{{ $role }}.{{ $kind }}: {{ $container.name | quote }} has capabilities.drop without ALL: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (unrestricted capabilities) [DS335]
  capabilities: {drop: [ALL]}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- if or .Values.workers.sidecars .Values.launcher.sidecars }}
{{- range $role := list "workers" "launcher" }}
{{- range $container := index (index $.Values $role) "sidecars" }}
{{- range $other := index (index $.Values $role) "initContainers" }}
{{- if and (kindIs "string" $container.name) (kindIs "string" $other.name) (eq $container.name $other.name) }}
{{ $role }}: two containers have the name {{ $container.name | quote }} [DS235]
  names in a pod are unique
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- if or .Values.workers.initContainers
          .Values.workers.sidecars
          .Values.launcher.initContainers
          .Values.launcher.sidecars }}
{{- range $role := list "workers" "launcher" }}
{{- range $kind := list "initContainers" "sidecars" }}
{{- range $container := index (index $.Values $role) $kind }}
{{- range $mount := dig "volumeMounts" (list) $container }}
{{- if and (kindIs "string" $mount.name) (not (hasKey $.Values.storage $mount.name)) }}
{{ $role }}.{{ $kind }}: {{ $mount.name | quote }} is no volume of storage [DS236]
  containers mount the volumes of storage, by their keys there
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- range $name, $volume := .Values.storage }}
{{- if not (include "deepspeed-job.firstSource" $volume) }}
storage.{{ $name }}: the volume has no source [DS210]
  give it one of existingClaim, create, nfs, hostPath, emptyDir, ephemeral, csi, configMap, secret and projected, such as create: {}
{{- end }}

{{- if regexMatch "^(/(job|etc/(dsgen|dsgen-keys|dsgen-status|dsgen-git|dsgen-webhook|mpi)|(var/)?run/dsgen|var/run/secrets/dsgen|run/secrets/dsgen)(/.*)?|/(etc/ssh/ssh_config|etc/passwd)(/.*)?|/(etc|etc/ssh|run|var|var/run|var/run/secrets|dev|proc|sys))$" (dig "mountPath" "" $volume) }}
storage.{{ $name }}.mountPath: {{ dig "mountPath" "" $volume | quote }} is reserved, dsgen or the system has files there [DS212]
  mount it elsewhere, such as /data
{{- end }}

{{- if regexMatch "^/dev/shm(/.*)?$" (dig "mountPath" "" $volume) }}
storage.{{ $name }}.mountPath: /dev/shm is the shared memory of the pod [DS213]
  set its size with workers.sharedMemory
{{- end }}

{{- if regexMatch "^(.*/)?[.][.](/.*)?$" (dig "subPath" "" $volume) }}
storage.{{ $name }}.subPath: {{ dig "subPath" "" $volume | quote }} leads out of the volume, which Kubernetes refuses [DS214]
  a path inside the volume, without ..
{{- end }}

{{- if and (ne $volume.create nil)
           (has "ReadWriteOncePod" (dig "accessModes" (list "ReadWriteMany") $volume.create))
           (or (eq (dig "mountIn" "both" $volume) "both")
               (and (ne (dig "mountIn" "both" $volume) "launcher") (gt (include "deepspeed-job.workerPods" $ | int64) 1))) }}
storage.{{ $name }}: a ReadWriteOncePod volume is for one pod, and several mount it [DS216]
  use ReadWriteMany, or leave out accessModes
{{- end }}

{{- if and (ne $volume.create nil)
           (has "ReadWriteOncePod" (dig "accessModes" (list "ReadWriteMany") $volume.create))
           (gt (len (dig "accessModes" (list "ReadWriteMany") $volume.create)) 1) }}
storage.{{ $name }}: ReadWriteOncePod stands beside other access modes [DS218]
  it stands alone; keep one of them
{{- end }}

{{- if and (ne $volume.create nil)
           (regexMatch "^.?0+([.]0+)?[A-Za-z]*.?$" (include "deepspeed-job.quantityJson" (dig "size" "100Gi" $volume.create))) }}
storage.{{ $name }}.create.size: Kubernetes refuses a claim of nothing [DS219]
  give a size such as 100Gi
{{- end }}

{{- if and (ne $.Values.security.podSecurityLevel "privileged")
           (eq (include "deepspeed-job.firstSource" $volume) "hostPath") }}
storage.{{ $name }}.hostPath: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (hostPath volumes) [DS323]
  use another source, or security.podSecurityLevel: privileged where the namespace allows that
{{- end }}

{{- if and (eq $.Values.security.podSecurityLevel "restricted")
           (eq (include "deepspeed-job.firstSource" $volume) "nfs") }}
storage.{{ $name }}.nfs: Pod Security restricted forbids it (restricted volume types) [DS331]
  use a claim: create with persistentVolume.nfs, or existingClaim
{{- end }}
{{- end }}

{{- range $name, $volume := .Values.storage }}
{{- range $other, $another := $.Values.storage }}
{{- if and (lt $other $name)
           (dig "mountPath" "" $volume)
           (eq (dig "mountPath" "" $volume) (dig "mountPath" "" $another))
           (or (eq (dig "mountIn" "both" $volume) (dig "mountIn" "both" $another))
               (eq (dig "mountIn" "both" $volume) "both")
               (eq (dig "mountIn" "both" $another) "both")) }}
storage.{{ $name }}: storage.{{ $other }} is mounted at {{ dig "mountPath" "" $volume | quote }} too [DS251]
  mount one of them elsewhere
{{- end }}
{{- end }}
{{- end }}

{{- if .Values.code.git.repository }}
{{- range $name, $volume := .Values.storage }}
{{- if eq (dig "mountPath" "" $volume) $.Values.code.mountPath }}
storage.{{ $name }}: code is mounted at {{ dig "mountPath" "" $volume | quote }} too [DS251]
  mount one of them elsewhere
{{- end }}
{{- end }}
{{- end }}

{{- range $name, $volume := .Values.storage }}
{{- range $source := list "create" "nfs" "hostPath" "emptyDir" "ephemeral" "csi" "configMap" "secret" "projected" }}
{{- if and (hasKey $volume $source) (ne $source (include "deepspeed-job.firstSource" $volume)) }}
storage.{{ $name }}: {{ include "deepspeed-job.firstSource" $volume }} and {{ $source }} exclude one another [DS211]
  keep one of them
{{- end }}
{{- end }}
{{- end }}

{{- if .Values.ssh.secret.name }}
{{- if ne .Values.ssh.secret.mode "existing" }}
ssh.secret.name names a Secret of yours, which only the mode existing uses [DS240]
  set ssh.secret.mode: existing, or remove the name
{{- end }}

{{- if and (eq .Values.ssh.secret.mode "existing")
           (eq .Values.ssh.secret.name (printf "%s-ssh" (include "deepspeed-job.jobName" .))) }}
ssh.secret.name: {{ .Values.ssh.secret.name | quote }} is the name of the Secret that is filled in the cluster [DS241]
  give your Secret another name
{{- end }}
{{- end }}

{{- if .Values.network.hostNetwork }}
{{- if and (include "deepspeed-job.usesSsh" .) (eq (int64 .Values.ssh.port) 22) }}
ssh.port: with network.hostNetwork the node's own sshd has port 22 [DS244]
  use another port, such as 2222
{{- end }}

{{- if .Values.network.rdma.networks }}
network.rdma.networks: pods with hostNetwork get no networks of their own [DS227]
  keep one of networks and hostNetwork
{{- end }}

{{- if and (eq .Values.scheduling.topology.required "kubernetes.io/hostname")
           (gt (include "deepspeed-job.workerPods" . | int64) 1) }}
network.hostNetwork: each worker takes ports of its node, and scheduling.topology.required wants all on one [DS305]
  keep one of them
{{- end }}

{{- if ne .Values.security.podSecurityLevel "privileged" }}
network.hostNetwork: Pod Security {{ .Values.security.podSecurityLevel }} forbids it (host namespaces) [DS322]
  set security.podSecurityLevel: privileged, and the namespace's label too
{{- end }}
{{- end }}

{{- if .Values.network.rdma.networks }}
{{- if hasKey .Values.workers.podAnnotations "k8s.v1.cni.cncf.io/networks" }}
workers.podAnnotations: "k8s.v1.cni.cncf.io/networks" is written from network.rdma.networks [DS228]
  keep one of them
{{- end }}
{{- end }}

{{- range $key, $count := .Values.network.rdma.resources }}
{{- if has $key (list "cpu" "memory" "ephemeral-storage" "pods") }}
network.rdma.resources: {{ $key | quote }} is no device [DS226]
  name what a device plugin offers, such as rdma/hca_shared_devices_a; the rest is in workers.resources
{{- end }}

{{- if and (hasKey $.Values.workers.resources.requests $key)
           (not (has $key (list "cpu" "memory" "ephemeral-storage" "pods"))) }}
network.rdma.resources: {{ $key | quote }} is in workers.resources.requests too [DS226]
  keep one of them
{{- end }}

{{- if and (hasKey $.Values.workers.resources.limits $key)
           (not (has $key (list "cpu" "memory" "ephemeral-storage" "pods"))) }}
network.rdma.resources: {{ $key | quote }} is in workers.resources.limits too [DS226]
  keep one of them
{{- end }}

{{- if eq $key $.Values.workers.accelerator.resource }}
network.rdma.resources: {{ $key | quote }} is written from workers.accelerator [DS226]
  keep one of them
{{- end }}
{{- end }}

{{- if ne .Values.network.rdma.ipcLock "auto" }}
{{- if and (eq .Values.network.rdma.ipcLock "add") (ne .Values.security.podSecurityLevel "privileged") }}
network.rdma.ipcLock: IPC_LOCK, which memory for RDMA needs, is allowed by the level privileged only [DS320]
  set security.podSecurityLevel: privileged, or ipcLock: omit
{{- end }}
{{- end }}

{{- if .Values.status.webhook.url }}
{{- if .Values.status.webhook.secretName }}
status.webhook: url and secretName exclude one another [DS246]
  keep secretName where the address itself is a secret
{{- end }}

{{- if regexMatch "^https?://[^/]*@.*$" .Values.status.webhook.url }}
status.webhook.url holds a user name or a password, and the values are kept in Git [DS248]
  put the address into a Secret, under the key url, and name it in status.webhook.secretName
{{- end }}
{{- end }}

{{- if .Values.ssh.user }}
{{- if and (eq .Values.ssh.user "root")
           (or (eq .Values.security.podSecurityLevel "restricted")
               (dig "runAsNonRoot" false .Values.security.podSecurityContext)
               (dig "runAsUser" 0 .Values.security.podSecurityContext)
               (dig "runAsNonRoot" false .Values.security.securityContext)
               (dig "runAsUser" 0 .Values.security.securityContext)
               (dig "runAsNonRoot" false .Values.workers.securityContext)
               (dig "runAsUser" 0 .Values.workers.securityContext)) }}
ssh.user: the workers are not root, so nobody can log in as root [DS249]
  leave it out: the user of the container is used
{{- end }}
{{- end }}

{{- if .Values.monitoring.podMonitor.enabled }}
{{- if and (include "deepspeed-job.usesSsh" .) (eq (int64 .Values.monitoring.podMonitor.port) (int64 .Values.ssh.port)) }}
monitoring.podMonitor.port and ssh.port are both {{ int64 .Values.monitoring.podMonitor.port }} [DS242]
  give one of them another port
{{- end }}

{{- if eq (int64 .Values.monitoring.podMonitor.port) (int64 .Values.launch.masterPort) }}
monitoring.podMonitor.port and launch.masterPort are both {{ int64 .Values.monitoring.podMonitor.port }} [DS242]
  give one of them another port
{{- end }}
{{- end }}

{{- if .Values.scheduling.launcherQueue }}
{{- if eq .Values.scheduling.launcherQueue .Values.scheduling.queue }}
scheduling.launcherQueue is the workers' queue, in which two runs can block each other for ever [DS300]
  give the launcher a queue with a quota of its own, or leave launcherQueue out
{{- end }}

{{- if not (and .Values.scheduling.queue (ne .Values.scheduling.gang "volcano")) }}
scheduling.launcherQueue is a queue of Kueue's, and the workers have none [DS301]
  set scheduling.queue too, without gang: volcano
{{- end }}
{{- end }}

{{- if .Values.scheduling.priorityClass }}
{{- if and (not .Values.scheduling.queue) (ne .Values.scheduling.gang "volcano") }}
scheduling.priorityClass is for a queue, and there is none [DS302]
  set scheduling.queue; the priority of the pods is workers.priorityClassName
{{- end }}
{{- end }}

{{- if or .Values.scheduling.topology.required .Values.scheduling.topology.preferred }}
{{- if and .Values.scheduling.topology.required .Values.scheduling.topology.preferred }}
scheduling.topology: required and preferred exclude one another [DS303]
  keep one of them
{{- end }}

{{- if and (not (and .Values.scheduling.queue (ne .Values.scheduling.gang "volcano")))
           (hasKey .Values.workers.affinity "podAffinity") }}
workers.affinity has a podAffinity, which scheduling.topology writes [DS304]
  keep one of them
{{- end }}

{{- if and (eq .Values.scheduling.topology.required "kubernetes.io/hostname")
           (eq .Values.workers.spread "required")
           (gt (int64 .Values.workers.replicas) 1) }}
workers.spread wants every worker on a node of its own, scheduling.topology.required all on one [DS305]
  keep one of them
{{- end }}
{{- end }}

{{- if .Values.scheduling.queue }}
{{- if and .Values.scheduling.queue (ne .Values.scheduling.gang "volcano") (ne .Values.lifecycle.suspend nil) }}
lifecycle.suspend: with scheduling.queue, Kueue alone suspends the workers and resumes them [DS309]
  remove it; to pause, set spec.active: false in the run's Workload
{{- end }}
{{- end }}

{{- if .Values.workers.schedulerName }}
{{- if and (ne .Values.scheduling.gang "none") (eq .Values.workers.schedulerName "default-scheduler") }}
workers.schedulerName: the default scheduler does not know scheduling.gang {{ .Values.scheduling.gang }} [DS310]
  name the scheduler that does, or leave it out
{{- end }}
{{- end }}

{{- if .Values.security.podSecurityContext }}
{{- if and (ne .Values.security.podSecurityLevel "privileged")
           (kindIs "string" (dig "seccompProfile" "type" "" .Values.security.podSecurityContext))
           (regexMatch "^Unconfined$" (dig "seccompProfile" "type" "" .Values.security.podSecurityContext)) }}
security.podSecurityContext: seccompProfile.type Unconfined: Pod Security {{ .Values.security.podSecurityLevel }} forbids it (seccompProfile) [DS327]
  use RuntimeDefault or Localhost
{{- end }}

{{- if and (ne .Values.security.podSecurityLevel "privileged")
           (kindIs "string" (dig "appArmorProfile" "type" "" .Values.security.podSecurityContext))
           (regexMatch "^Unconfined$" (dig "appArmorProfile" "type" "" .Values.security.podSecurityContext)) }}
security.podSecurityContext: appArmorProfile.type Unconfined: Pod Security {{ .Values.security.podSecurityLevel }} forbids it (forbidden AppArmor profile) [DS329]
  use RuntimeDefault or Localhost
{{- end }}

{{- if and (ne .Values.security.podSecurityLevel "privileged")
           (or (and (kindIs "string" (dig "seLinuxOptions" "type" "" .Values.security.podSecurityContext))
                    (not (regexMatch "^(container_(t|init_t|kvm_t|engine_t))?$" (dig "seLinuxOptions" "type" "" .Values.security.podSecurityContext))))
               (dig "seLinuxOptions" "user" "" .Values.security.podSecurityContext)
               (dig "seLinuxOptions" "role" "" .Values.security.podSecurityContext)) }}
security.podSecurityContext: such seLinuxOptions: Pod Security {{ .Values.security.podSecurityLevel }} forbids it (seLinuxOptions) [DS326]
  no user and no role; type container_t, container_init_t, container_kvm_t or container_engine_t
{{- end }}

{{- if and (ne .Values.security.podSecurityLevel "privileged")
           (dig "windowsOptions" "hostProcess" false .Values.security.podSecurityContext) }}
security.podSecurityContext: windowsOptions.hostProcess: Pod Security {{ .Values.security.podSecurityLevel }} forbids it (hostProcess) [DS330]
  remove it, or set security.podSecurityLevel: privileged where the namespace allows that
{{- end }}

{{- if and (eq .Values.security.podSecurityLevel "restricted")
           (not (dig "runAsNonRoot" true .Values.security.podSecurityContext)) }}
security.podSecurityContext: runAsNonRoot: false: Pod Security {{ .Values.security.podSecurityLevel }} forbids it (runAsNonRoot != true) [DS333]
  remove it, and give runAsUser where the image has root as its user
{{- end }}

{{- if and (eq .Values.security.podSecurityLevel "restricted")
           (not (dig "runAsUser" 1 .Values.security.podSecurityContext)) }}
security.podSecurityContext: runAsUser: 0: Pod Security {{ .Values.security.podSecurityLevel }} forbids it (runAsUser=0) [DS334]
  another user, such as 1000
{{- end }}
{{- end }}

{{- if .Values.security.podSecurityContext }}
{{- range $sysctl := dig "sysctls" (list) .Values.security.podSecurityContext }}
{{- if and (ne $.Values.security.podSecurityLevel "privileged")
           (kindIs "string" $sysctl.name)
           (not (regexMatch "^(kernel[.]shm_rmid_forced|net[.]ipv4[.](ip_local_port_range|ip_unprivileged_port_start|tcp_syncookies|ping_group_range|ip_local_reserved_ports|tcp_keepalive_time|tcp_fin_timeout|tcp_keepalive_intvl|tcp_keepalive_probes))$" $sysctl.name))
           (kindIs "string" $sysctl.name) }}
security.podSecurityContext: the sysctl {{ $sysctl.name | quote }}: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (forbidden sysctls) [DS328]
  remove it, or set security.podSecurityLevel: privileged where the namespace allows that
{{- end }}
{{- end }}
{{- end }}

{{- if .Values.network.hostNetwork }}
{{- range $sysctl := dig "sysctls" (list) .Values.security.podSecurityContext }}
{{- if and (kindIs "string" $sysctl.name) (regexMatch "^net[.].*$" $sysctl.name) }}
security.podSecurityContext: the sysctl {{ $sysctl.name | quote }} belongs to the node where workers use its network [DS337]
  remove it and set it on the nodes, or leave out network.hostNetwork
{{- end }}
{{- end }}
{{- end }}

{{- if or .Values.security.securityContext .Values.workers.securityContext .Values.launcher.securityContext }}
{{- range $part := list "security" "workers" "launcher" }}
{{- if and (ne $.Values.security.podSecurityLevel "privileged")
           (kindIs "string" (dig "seccompProfile" "type" "" (index (index $.Values $part) "securityContext")))
           (regexMatch "^Unconfined$" (dig "seccompProfile" "type" "" (index (index $.Values $part) "securityContext"))) }}
{{ $part }}.securityContext: seccompProfile.type Unconfined: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (seccompProfile) [DS327]
  use RuntimeDefault or Localhost
{{- end }}

{{- if and (ne $.Values.security.podSecurityLevel "privileged")
           (kindIs "string" (dig "appArmorProfile" "type" "" (index (index $.Values $part) "securityContext")))
           (regexMatch "^Unconfined$" (dig "appArmorProfile" "type" "" (index (index $.Values $part) "securityContext"))) }}
{{ $part }}.securityContext: appArmorProfile.type Unconfined: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (forbidden AppArmor profile) [DS329]
  use RuntimeDefault or Localhost
{{- end }}

{{- if and (ne $.Values.security.podSecurityLevel "privileged")
           (or (and (kindIs "string" (dig "seLinuxOptions" "type" "" (index (index $.Values $part) "securityContext")))
                    (not (regexMatch "^(container_(t|init_t|kvm_t|engine_t))?$" (dig "seLinuxOptions" "type" "" (index (index $.Values $part) "securityContext")))))
               (dig "seLinuxOptions" "user" "" (index (index $.Values $part) "securityContext"))
               (dig "seLinuxOptions" "role" "" (index (index $.Values $part) "securityContext"))) }}
{{ $part }}.securityContext: such seLinuxOptions: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (seLinuxOptions) [DS326]
  no user and no role; type container_t, container_init_t, container_kvm_t or container_engine_t
{{- end }}

{{- if and (ne $.Values.security.podSecurityLevel "privileged")
           (dig "windowsOptions" "hostProcess" false (index (index $.Values $part) "securityContext")) }}
{{ $part }}.securityContext: windowsOptions.hostProcess: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (hostProcess) [DS330]
  remove it, or set security.podSecurityLevel: privileged where the namespace allows that
{{- end }}

{{- if and (eq $.Values.security.podSecurityLevel "restricted")
           (not (dig "runAsNonRoot" true (index (index $.Values $part) "securityContext"))) }}
{{ $part }}.securityContext: runAsNonRoot: false: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (runAsNonRoot != true) [DS333]
  remove it, and give runAsUser where the image has root as its user
{{- end }}

{{- if and (eq $.Values.security.podSecurityLevel "restricted")
           (not (dig "runAsUser" 1 (index (index $.Values $part) "securityContext"))) }}
{{ $part }}.securityContext: runAsUser: 0: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (runAsUser=0) [DS334]
  another user, such as 1000
{{- end }}

{{- if and (ne $.Values.security.podSecurityLevel "privileged")
           (dig "privileged" false (index (index $.Values $part) "securityContext")) }}
{{ $part }}.securityContext: privileged: true: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (privileged) [DS321]
  remove it, or set security.podSecurityLevel: privileged where the namespace allows that
{{- end }}

{{- if and (ne $.Values.security.podSecurityLevel "privileged")
           (kindIs "string" (dig "procMount" "" (index (index $.Values $part) "securityContext")))
           (not (regexMatch "^(Default)?$" (dig "procMount" "" (index (index $.Values $part) "securityContext")))) }}
{{ $part }}.securityContext: such a procMount: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (procMount) [DS325]
  remove it, or set security.podSecurityLevel: privileged where the namespace allows that
{{- end }}

{{- if and (eq $.Values.security.podSecurityLevel "restricted")
           (dig "allowPrivilegeEscalation" false (index (index $.Values $part) "securityContext")) }}
{{ $part }}.securityContext: allowPrivilegeEscalation: true: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (allowPrivilegeEscalation != false) [DS332]
  set it to false
{{- end }}

{{- if and (eq $.Values.security.podSecurityLevel "restricted")
           (not (has "ALL" (dig "capabilities" "drop" (list "ALL") (index (index $.Values $part) "securityContext")))) }}
{{ $part }}.securityContext: capabilities.drop without ALL: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (unrestricted capabilities) [DS335]
  capabilities: {drop: [ALL]}
{{- end }}
{{- end }}
{{- end }}

{{- if or .Values.security.securityContext .Values.workers.securityContext .Values.launcher.securityContext }}
{{- range $part := list "security" "workers" "launcher" }}
{{- range $capability := dig "capabilities" "add" (list) (index (index $.Values $part) "securityContext") }}
{{- if and (eq $.Values.security.podSecurityLevel "baseline")
           (kindIs "string" $capability)
           (not (regexMatch "^(AUDIT_WRITE|CHOWN|DAC_OVERRIDE|FOWNER|FSETID|KILL|MKNOD|NET_BIND_SERVICE|SETFCAP|SETGID|SETPCAP|SETUID|SYS_CHROOT)$" $capability)) }}
{{ $part }}.securityContext: the capability {{ $capability | quote }}: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (non-default capabilities) [DS320]
  remove it, or set security.podSecurityLevel: privileged where the namespace allows that
{{- end }}

{{- if and (eq $.Values.security.podSecurityLevel "restricted")
           (kindIs "string" $capability)
           (not (regexMatch "^NET_BIND_SERVICE$" $capability)) }}
{{ $part }}.securityContext: the capability {{ $capability | quote }}: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (unrestricted capabilities) [DS320]
  remove it, or set security.podSecurityLevel: privileged where the namespace allows that
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- if or .Values.workers.initContainers
          .Values.workers.sidecars
          .Values.launcher.initContainers
          .Values.launcher.sidecars }}
{{- range $role := list "workers" "launcher" }}
{{- range $kind := list "initContainers" "sidecars" }}
{{- range $container := index (index $.Values $role) $kind }}
{{- range $capability := dig "securityContext" "capabilities" "add" (list) $container }}
{{- if and (kindIs "string" $container.name)
           (eq $.Values.security.podSecurityLevel "baseline")
           (kindIs "string" $capability)
           (not (regexMatch "^(AUDIT_WRITE|CHOWN|DAC_OVERRIDE|FOWNER|FSETID|KILL|MKNOD|NET_BIND_SERVICE|SETFCAP|SETGID|SETPCAP|SETUID|SYS_CHROOT)$" $capability)) }}
{{ $role }}.{{ $kind }}: {{ $container.name | quote }} has the capability {{ $capability | quote }}: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (non-default capabilities) [DS320]
  remove it, or set security.podSecurityLevel: privileged where the namespace allows that
{{- end }}

{{- if and (kindIs "string" $container.name)
           (eq $.Values.security.podSecurityLevel "restricted")
           (kindIs "string" $capability)
           (not (regexMatch "^NET_BIND_SERVICE$" $capability)) }}
{{ $role }}.{{ $kind }}: {{ $container.name | quote }} has the capability {{ $capability | quote }}: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (unrestricted capabilities) [DS320]
  remove it, or set security.podSecurityLevel: privileged where the namespace allows that
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- if or .Values.workers.initContainers
          .Values.workers.sidecars
          .Values.launcher.initContainers
          .Values.launcher.sidecars }}
{{- range $role := list "workers" "launcher" }}
{{- range $kind := list "initContainers" "sidecars" }}
{{- range $container := index (index $.Values $role) $kind }}
{{- range $port := dig "ports" (list) $container }}
{{- if and (ne $.Values.security.podSecurityLevel "privileged") $port.hostPort }}
{{ $role }}.{{ $kind }}: Pod Security {{ $.Values.security.podSecurityLevel }} forbids a hostPort (hostPort) [DS324]
  leave it out: pods reach one another without
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- if or .Values.workers.initContainers
          .Values.workers.sidecars
          .Values.launcher.initContainers
          .Values.launcher.sidecars }}
{{- range $role := list "workers" "launcher" }}
{{- range $kind := list "initContainers" "sidecars" }}
{{- range $container := index (index $.Values $role) $kind }}
{{- range $probe := list "livenessProbe" "readinessProbe" "startupProbe" }}
{{- range $action := list "httpGet" "tcpSocket" }}
{{- if and (ne $.Values.security.podSecurityLevel "privileged") (dig $probe $action "host" "" $container) }}
{{ $role }}.{{ $kind }}: {{ $probe }}: Pod Security {{ $.Values.security.podSecurityLevel }} forbids the host of {{ $action }} (probe or lifecycle host) [DS336]
  leave host out: the pod itself is asked
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- if or .Values.workers.initContainers
          .Values.workers.sidecars
          .Values.launcher.initContainers
          .Values.launcher.sidecars }}
{{- range $role := list "workers" "launcher" }}
{{- range $kind := list "initContainers" "sidecars" }}
{{- range $container := index (index $.Values $role) $kind }}
{{- range $hook := list "postStart" "preStop" }}
{{- range $action := list "httpGet" "tcpSocket" }}
{{- if and (ne $.Values.security.podSecurityLevel "privileged") (dig "lifecycle" $hook $action "host" "" $container) }}
{{ $role }}.{{ $kind }}: {{ $hook }}: Pod Security {{ $.Values.security.podSecurityLevel }} forbids the host of {{ $action }} (probe or lifecycle host) [DS336]
  leave host out: the pod itself is asked
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- if or .Values.workers.extraContainerSpec .Values.launcher.extraContainerSpec }}
{{- range $role := list "workers" "launcher" }}
{{- range $probe := list "livenessProbe" "readinessProbe" "startupProbe" }}
{{- range $action := list "httpGet" "tcpSocket" }}
{{- if and (ne $.Values.security.podSecurityLevel "privileged")
           (dig $probe $action "host" "" (index (index $.Values $role) "extraContainerSpec")) }}
{{ $role }}.extraContainerSpec: {{ $probe }}: Pod Security {{ $.Values.security.podSecurityLevel }} forbids the host of {{ $action }} (probe or lifecycle host) [DS336]
  leave host out: the pod itself is asked
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- if or .Values.workers.extraContainerSpec .Values.launcher.extraContainerSpec }}
{{- range $role := list "workers" "launcher" }}
{{- range $hook := list "postStart" "preStop" }}
{{- range $action := list "httpGet" "tcpSocket" }}
{{- if and (ne $.Values.security.podSecurityLevel "privileged")
           (dig "lifecycle" $hook $action "host" "" (index (index $.Values $role) "extraContainerSpec")) }}
{{ $role }}.extraContainerSpec: {{ $hook }}: Pod Security {{ $.Values.security.podSecurityLevel }} forbids the host of {{ $action }} (probe or lifecycle host) [DS336]
  leave host out: the pod itself is asked
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- if or .Values.workers.extraPodSpec .Values.launcher.extraPodSpec }}
{{- range $role := list "workers" "launcher" }}
{{- if and (ne $.Values.security.podSecurityLevel "privileged")
           (dig "hostPID" false (index (index $.Values $role) "extraPodSpec")) }}
{{ $role }}.extraPodSpec: hostPID: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (host namespaces) [DS322]
  remove it, or set security.podSecurityLevel: privileged where the namespace allows that
{{- end }}

{{- if and (ne $.Values.security.podSecurityLevel "privileged")
           (dig "hostIPC" false (index (index $.Values $role) "extraPodSpec")) }}
{{ $role }}.extraPodSpec: hostIPC: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (host namespaces) [DS322]
  remove it, or set security.podSecurityLevel: privileged where the namespace allows that
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* What is worth a look, in the same form. */}}
{{- define "deepspeed-job.allWarnings" -}}
{{- if and .Values.image.repository (not .Values.image.digest) (has .Values.image.tag (list "" "latest")) }}
the image has no fixed version [DS250]
  give a tag that is never moved, or a digest: the same run id should always mean the same code
{{- end }}

{{- if and (include "deepspeed-job.usesSsh" .)
           (gt (include "deepspeed-job.memoryBytes" .Values.launcher.resources.requests | int64) 0)
           (lt (include "deepspeed-job.memoryBytes" .Values.launcher.resources.requests | int64) (add 1073741824 (mul 1468006 (include "deepspeed-job.workerPods" . | int64))))
           (not (hasKey .Values.launcher.resources.limits "memory")) }}
launcher.resources.requests: the launcher needs 1 GiB and 1.4 MiB for each of {{ include "deepspeed-job.workerPods" . | int64 }} workers, {{ add 1024 (mul 2 (include "deepspeed-job.workerPods" . | int64)) }}Mi with some room [DS278]
  raise the request, or use launch.method: torchrun, which needs no ssh
{{- end }}

{{- if .Values.code.git.repository }}
{{- if or (and .Values.code.git.image (not (regexMatch "^.*(@.*|:[^/]*)$" .Values.code.git.image)))
          (regexMatch "^.*:latest$" .Values.code.git.image) }}
code.git.image: the image has no fixed version [DS250]
  give a tag that is never moved, or a digest: the same run id should always mean the same code
{{- end }}

{{- if not (regexMatch "^([0-9a-f]{40}|[0-9a-f]{64}|.*[:*].*)$" .Values.code.git.revision) }}
code.git.revision: a branch or a tag may move, so the same run id may mean another program [DS291]
  give the whole id of a commit, as git rev-parse HEAD prints it
{{- end }}

{{- if and (or (regexMatch "^ssh://.*$" .Values.code.git.repository)
               (regexMatch "^[^/:]+:([^/].*|/[^/].*)$" .Values.code.git.repository))
           (not .Values.code.git.knownHosts) }}
code.git.repository is reached over ssh, and code.git.knownHosts does not say which key the host has [DS293]
  give the lines that ssh-keyscan prints, compared with what the host publishes, or known_hosts in the Secret
{{- end }}

{{- if and (regexMatch "^http://.*$" .Values.code.git.repository) .Values.code.git.secretName }}
code.git.repository: the password goes over the network as plain text [DS294]
  use https
{{- end }}
{{- end }}

{{- if .Values.monitoring.tensorboard.enabled }}
{{- if or (and .Values.monitoring.tensorboard.image
               (not (regexMatch "^.*(@.*|:[^/]*)$" .Values.monitoring.tensorboard.image)))
          (regexMatch "^.*:latest$" .Values.monitoring.tensorboard.image) }}
monitoring.tensorboard.image: the image has no fixed version [DS250]
  give a tag that is never moved, or a digest: the same run id should always mean the same code
{{- end }}
{{- end }}

{{- if .Values.lifecycle.debug.command }}
{{- if and (include "deepspeed-job.usesSsh" .) (not .Values.lifecycle.debug.enabled) }}
lifecycle.debug.command is not run: lifecycle.debug.enabled is false [DS286]
  set lifecycle.debug.enabled: true, or remove the command
{{- end }}
{{- end }}

{{- range $key, $value := .Values.training.env }}
{{- if and (kindIs "string" $value)
           (regexMatch "^([^$]|[$])*[$]([{(]?)(LD_LIBRARY_PATH|PATH|PYTHONPATH)([^A-Za-z0-9_]([^$]|[$])*)?$" $value) }}
training.env: {{ $key | quote }} holds a dollar sign and a name, and nothing replaces that with the path of the image [DS222]
  write it into training.setup, a shell script: export NAME=/more:$NAME
{{- end }}
{{- end }}

{{- range $argument := .Values.training.args }}
{{- if and $.Values.training.deepspeed.passConfig
           (or $.Values.training.deepspeed.config $.Values.training.deepspeed.configFile)
           (regexMatch "^--deepspeed(_config(=.*)?)?$" $argument) }}
training.args: {{ $argument | quote }} is passed from training.deepspeed already [DS224]
  remove it, or set training.deepspeed.passConfig: false
{{- end }}
{{- end }}

{{- if .Values.lifecycle.restartExitCodes }}
{{- if and (eq (int64 .Values.lifecycle.maxRestarts) 0) (include "deepspeed-job.usesSsh" .) }}
lifecycle.restartExitCodes: nothing is restarted while maxRestarts is 0 [DS351]
  set lifecycle.maxRestarts
{{- end }}
{{- end }}

{{- if gt (int64 .Values.workers.slots) 1 }}
{{- if and (ne .Values.workers.accelerator.count nil)
           (gt (int64 .Values.workers.accelerator.count) 0)
           (gt (int64 .Values.workers.slots) (int64 .Values.workers.accelerator.count))
           (not (or (regexMatch "^((nvidia|amd)[.]com/gpu|nvidia[.]com/(pgpu|mig-.*)|gpu[.]intel[.]com/.*)$" .Values.workers.accelerator.resource) (regexMatch "^(habana[.]ai/gaudi|huawei[.]com/Ascend.*)$" .Values.workers.accelerator.resource) (regexMatch "^([a-z.]*/neuron.*|.*[.]shared)$" .Values.workers.accelerator.resource))) }}
workers.slots: {{ int64 .Values.workers.slots }} processes would share {{ int64 .Values.workers.accelerator.count }} of {{ .Values.workers.accelerator.resource | quote }} [DS206]
  each process needs one of its own; count: 0 trains on CPUs
{{- end }}

{{- if and (regexMatch "^.*[.]shared$" .Values.workers.accelerator.resource)
           (or (eq .Values.workers.accelerator.count nil) (gt (int64 .Values.workers.accelerator.count) 0)) }}
workers.slots: shares of {{ .Values.workers.accelerator.resource | quote }} may be of one GPU, which {{ int64 .Values.workers.slots }} processes would then use together [DS209]
  use slots: 1, or GPUs that are not shared
{{- end }}
{{- end }}

{{- if .Values.workers.resources.limits }}
{{- if and (gt (include "deepspeed-job.memoryBytes" .Values.workers.resources.limits | int64) 0)
           (gt (include "deepspeed-job.wholeBytes" .Values.workers.sharedMemory | int64) (include "deepspeed-job.memoryBytes" .Values.workers.resources.limits | int64)) }}
workers.sharedMemory: {{ .Values.workers.sharedMemory | quote }} is more than the memory limit of the workers, which counts it [DS279]
  raise workers.resources.limits.memory, or lower sharedMemory
{{- end }}
{{- end }}

{{- range $name, $volume := .Values.storage }}
{{- if and (ne $volume.create nil)
           (has "ReadWriteOnce" (dig "accessModes" (list "ReadWriteMany") $volume.create))
           (not (has "ReadWriteMany" (dig "accessModes" (list "ReadWriteMany") $volume.create)))
           (not (has "ReadOnlyMany" (dig "accessModes" (list "ReadWriteMany") $volume.create)))
           (ne (dig "mountIn" "both" $volume) "launcher")
           (gt (include "deepspeed-job.workerPods" $ | int64) 1) }}
storage.{{ $name }}: a ReadWriteOnce volume is on one node at a time, and {{ include "deepspeed-job.workerPods" $ | int64 }} workers mount it [DS215]
  use ReadWriteMany, or leave out accessModes
{{- end }}

{{- if and (ne $volume.create nil)
           (not (dig "persistentVolume" (dict) $volume.create))
           (ne $volume.create.storageClass nil)
           (eq $volume.create.storageClass "") }}
storage.{{ $name }}.create: with storageClass: "" nothing is provisioned, the claim waits for a PersistentVolume that fits [DS217]
  describe it in persistentVolume, or remove storageClass to have the default one
{{- end }}
{{- end }}

{{- if or (ne (int64 .Values.ssh.port) 2222) (ne (int64 .Values.launch.masterPort) 29500) }}
{{- if and (include "deepspeed-job.usesSsh" .)
           (lt (int64 .Values.ssh.port) 1024)
           (or (eq .Values.security.podSecurityLevel "restricted")
               (dig "runAsNonRoot" false .Values.security.podSecurityContext)
               (dig "runAsUser" 0 .Values.security.podSecurityContext)
               (dig "runAsNonRoot" false .Values.security.securityContext)
               (dig "runAsUser" 0 .Values.security.securityContext)
               (dig "runAsNonRoot" false .Values.workers.securityContext)
               (dig "runAsUser" 0 .Values.workers.securityContext)) }}
ssh.port: in many clusters only root can listen on {{ int64 .Values.ssh.port }}, and the workers are not root [DS243]
  use a port from 1024 on
{{- end }}

{{- if and (lt (int64 .Values.launch.masterPort) 1024)
           (or (eq .Values.security.podSecurityLevel "restricted")
               (dig "runAsNonRoot" false .Values.security.podSecurityContext)
               (dig "runAsUser" 0 .Values.security.podSecurityContext)
               (dig "runAsNonRoot" false .Values.security.securityContext)
               (dig "runAsUser" 0 .Values.security.securityContext)
               (dig "runAsNonRoot" false .Values.workers.securityContext)
               (dig "runAsUser" 0 .Values.workers.securityContext)) }}
launch.masterPort: in many clusters only root can listen on {{ int64 .Values.launch.masterPort }}, and the workers are not root [DS243]
  use a port from 1024 on
{{- end }}
{{- end }}

{{- if .Values.network.hostNetwork }}
{{- if .Values.network.policy }}
network.policy: a NetworkPolicy does not bind pods with hostNetwork, so all that reaches the nodes reaches the workers [DS245]
  set network.policy: false to say that you know it
{{- end }}

{{- if and (gt (include "deepspeed-job.workerPods" . | int64) 1)
           (not .Values.network.socketInterface)
           (not .Values.training.setup)
           (not (hasKey .Values.training.env "GLOO_SOCKET_IFNAME")) }}
network.socketInterface: with network.hostNetwork Gloo takes the interface that the node's own name leads to, which on many nodes is the loopback [DS239]
  name the interface that all nodes have, or export GLOO_SOCKET_IFNAME in training.setup
{{- end }}
{{- end }}

{{- if .Values.network.rdma.resources }}
{{- if and (eq .Values.network.rdma.ipcLock "auto")
           (ne .Values.security.podSecurityLevel "privileged")
           (or (not (hasKey .Values.network.rdma.resources "vpc.amazonaws.com/efa"))
               (gt (len .Values.network.rdma.resources) 1)) }}
network.rdma.ipcLock: IPC_LOCK, which memory for RDMA needs, is allowed by the level privileged only, so it is left out [DS229]
  set security.podSecurityLevel: privileged, or ipcLock: omit where the nodes allow it without
{{- end }}
{{- end }}

{{- if .Values.status.webhook.url }}
{{- if regexMatch "^http:.*$" .Values.status.webhook.url }}
status.webhook.url: the record goes over the network as plain text [DS247]
  use https
{{- end }}
{{- end }}

{{- if .Values.scheduling.queue }}
{{- if and .Values.scheduling.queue (ne .Values.scheduling.gang "volcano") .Values.workers.nodeSelector }}
workers.nodeSelector: Kueue looks only at labels that its flavors have; by any other the pods may wait while they hold the quota [DS308]
  let the queue choose the nodes, or make sure that a ResourceFlavor has these labels
{{- end }}

{{- if and .Values.scheduling.queue (ne .Values.scheduling.gang "volcano") .Values.workers.affinity }}
workers.affinity: Kueue looks only at labels that its flavors have; by any other the pods may wait while they hold the quota [DS308]
  let the queue choose the nodes, or make sure that a ResourceFlavor has these labels
{{- end }}

{{- if and .Values.scheduling.queue (ne .Values.scheduling.gang "volcano") .Values.workers.tolerations }}
workers.tolerations: the flavor of the queue must have no tolerations of its own, or exactly these and none with tolerationSeconds [DS307]
  leave them out where the flavor has them
{{- end }}
{{- end }}

{{- if .Values.scheduling.launcherQueue }}
{{- if and .Values.scheduling.launcherQueue .Values.launcher.nodeSelector }}
launcher.nodeSelector: Kueue looks only at labels that its flavors have; by any other the pods may wait while they hold the quota [DS308]
  let the queue choose the nodes, or make sure that a ResourceFlavor has these labels
{{- end }}

{{- if and .Values.scheduling.launcherQueue .Values.launcher.affinity }}
launcher.affinity: Kueue looks only at labels that its flavors have; by any other the pods may wait while they hold the quota [DS308]
  let the queue choose the nodes, or make sure that a ResourceFlavor has these labels
{{- end }}

{{- if .Values.launcher.tolerations }}
launcher.tolerations: the flavor of the launcher's queue must have no tolerations of its own, or exactly these and none with tolerationSeconds [DS307]
  leave them out where the flavor has them
{{- end }}
{{- end }}

{{- if .Values.scheduling.queue }}
{{- range $key, $quantity := .Values.workers.resources.requests }}
{{- if and $.Values.scheduling.queue (ne $.Values.scheduling.gang "volcano") (not (has $key (list "cpu" "memory"))) }}
workers.resources.requests: the queue {{ $.Values.scheduling.queue | quote }} must cover {{ $key | quote }}, or the workers wait for ever [DS306]
  look at spec.resourceGroups of the ClusterQueue, or at excludeResourcePrefixes of Kueue's configuration
{{- end }}
{{- end }}
{{- end }}

{{- if .Values.scheduling.queue }}
{{- range $key, $quantity := .Values.network.rdma.resources }}
{{- if and $.Values.scheduling.queue (ne $.Values.scheduling.gang "volcano") (not (has $key (list "cpu" "memory"))) }}
network.rdma.resources: the queue {{ $.Values.scheduling.queue | quote }} must cover {{ $key | quote }}, or the workers wait for ever [DS306]
  look at spec.resourceGroups of the ClusterQueue, or at excludeResourcePrefixes of Kueue's configuration
{{- end }}
{{- end }}
{{- end }}

{{- if .Values.scheduling.queue }}
{{- range $key, $quantity := .Values.workers.resources.limits }}
{{- if and $.Values.scheduling.queue
           (ne $.Values.scheduling.gang "volcano")
           (not (has $key (list "cpu" "memory")))
           (not (hasKey $.Values.workers.resources.requests $key)) }}
workers.resources.limits: the queue {{ $.Values.scheduling.queue | quote }} must cover {{ $key | quote }}, or the workers wait for ever [DS306]
  look at spec.resourceGroups of the ClusterQueue, or at excludeResourcePrefixes of Kueue's configuration
{{- end }}
{{- end }}
{{- end }}

{{- if .Values.scheduling.launcherQueue }}
{{- range $key, $quantity := .Values.launcher.resources.requests }}
{{- if and $.Values.scheduling.launcherQueue (not (has $key (list "cpu" "memory"))) }}
launcher.resources.requests: the queue {{ $.Values.scheduling.launcherQueue | quote }} must cover {{ $key | quote }}, or the launcher waits for ever [DS306]
  look at spec.resourceGroups of the ClusterQueue, or at excludeResourcePrefixes of Kueue's configuration
{{- end }}
{{- end }}
{{- end }}

{{- if .Values.scheduling.launcherQueue }}
{{- range $key, $quantity := .Values.launcher.resources.limits }}
{{- if and $.Values.scheduling.launcherQueue
           (not (has $key (list "cpu" "memory")))
           (not (hasKey $.Values.launcher.resources.requests $key)) }}
launcher.resources.limits: the queue {{ $.Values.scheduling.launcherQueue | quote }} must cover {{ $key | quote }}, or the launcher waits for ever [DS306]
  look at spec.resourceGroups of the ClusterQueue, or at excludeResourcePrefixes of Kueue's configuration
{{- end }}
{{- end }}
{{- end }}

{{- if .Values.scheduling.queue }}
{{- range $kind := list "initContainers" "sidecars" }}
{{- range $container := index $.Values.workers $kind }}
{{- range $amounts := list "requests" "limits" }}
{{- range $key, $quantity := dig "resources" $amounts (dict) $container }}
{{- if and $.Values.scheduling.queue
           (ne $.Values.scheduling.gang "volcano")
           (not (has $key (list "cpu" "memory")))
           (or (eq $amounts "requests") (not (hasKey (dig "resources" "requests" (dict) $container) $key))) }}
workers.{{ $kind }}: the queue {{ $.Values.scheduling.queue | quote }} must cover {{ $key | quote }}, or the workers wait for ever [DS306]
  look at spec.resourceGroups of the ClusterQueue, or at excludeResourcePrefixes of Kueue's configuration
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- if .Values.scheduling.launcherQueue }}
{{- range $kind := list "initContainers" "sidecars" }}
{{- range $container := index $.Values.launcher $kind }}
{{- range $amounts := list "requests" "limits" }}
{{- range $key, $quantity := dig "resources" $amounts (dict) $container }}
{{- if and $.Values.scheduling.launcherQueue
           (not (has $key (list "cpu" "memory")))
           (or (eq $amounts "requests") (not (hasKey (dig "resources" "requests" (dict) $container) $key))) }}
launcher.{{ $kind }}: the queue {{ $.Values.scheduling.launcherQueue | quote }} must cover {{ $key | quote }}, or the launcher waits for ever [DS306]
  look at spec.resourceGroups of the ClusterQueue, or at excludeResourcePrefixes of Kueue's configuration
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
