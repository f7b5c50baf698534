{{/*
What would make an object wrong. Each helper returns a message, or nothing; the templates of the objects
refuse values for which there is one, and a rule in dsgen/checks gives each message its place and hint.
*/}}

{{/* DS201: the pods would have no image. */}}
{{- define "deepspeed-job.noImage" -}}
{{- if not .Values.image.repository }}
image.repository is required
{{- end }}
{{- end }}

{{/* DS202: the ranks would run nothing. */}}
{{- define "deepspeed-job.noProgram" -}}
{{- if not (or .Values.training.python .Values.training.module .Values.training.exec (include "deepspeed-job.runsCommand" .)) }}
training: one of python, module and exec is required
{{- end }}
{{- end }}

{{/* DS204: the names of pods with their number would be longer than a label may be. */}}
{{- define "deepspeed-job.longPodNames" -}}
{{- $run := include "deepspeed-job.runName" . }}
{{- $last := printf "-worker-%d" (sub (include "deepspeed-job.workerPods" . | int64) 1) }}
{{- if gt (add (len $run) (len $last)) 63 }}
the names of the pods are too long: {{ $run | quote }} has {{ len $run }} characters and {{ $last }} has {{ len $last }}, but together they can have at most 63
{{- end }}
{{- end }}

{{/* DS205: names of Services and hosts would be invalid, or, with a dot, those of another job. */}}
{{- define "deepspeed-job.invalidJobName" -}}
{{- if and . (not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" .)) }}
{{ . | quote }} is not a valid job name
{{- end }}
{{- end }}

{{/* DS340: the Service of TensorBoard would have a name that is too long. */}}
{{- define "deepspeed-job.longTensorboardName" -}}
{{- if and .Values.monitoring.tensorboard.enabled (gt (len .job) 51) }}
{{ .job | quote }} has {{ len .job }} characters and -tensorboard has 12, but the name of a Service can have at most 63
{{- end }}
{{- end }}

{{/* DS343: the Service of a run would replace that of TensorBoard. */}}
{{- define "deepspeed-job.runNamedTensorboard" -}}
{{- if and .Values.monitoring.tensorboard.enabled
           (eq (include "deepspeed-job.runId" .) "tensorboard") }}
run.id: the Service of the run tensorboard would have the same name as TensorBoard's Service
{{- end }}
{{- end }}

{{/* DS230: a label or annotation would be written twice. */}}
{{- define "deepspeed-job.writtenKey" -}}
{{- if include "deepspeed-job.reservedKey" .key }}
{{ .where }}: {{ .key | quote }} is written by dsgen or Kubernetes
{{- end }}
{{- end }}

{{/* DS220: a variable that the ranks need would have another value. */}}
{{- define "deepspeed-job.reservedVariable" -}}
{{- if or (regexMatch "^(DSGEN_.*|RANK|LOCAL_RANK|WORLD_SIZE|MASTER_.*)$" .key)
          (and (eq .Values.launch.method "worker-command")
               (regexMatch (join "" (list
                   "^(NNODES|NODE_RANK|NPROC_PER_NODE|PET_(NNODES|NODE_RANK|"
                   "NPROC_PER_NODE|MASTER_ADDR|MASTER_PORT))$")) .key)) }}
{{ .where }}: {{ .key | quote }} is set by dsgen or DeepSpeed
{{- end }}
{{- end }}

{{/* DS431: the kubelet would keep $(NAME) as it stands. `names`: those of which the values can be found. */}}
{{- define "deepspeed-job.circleOfVariables" -}}
{{- if not (has .name .names) }}
$(NAME) in the value of {{ .name | quote }} leads back to itself
{{- end }}
{{- end }}

{{/* DS223: the same, by the variables of a ConfigMap or Secret. */}}
{{- define "deepspeed-job.reservedPrefix" -}}
{{- if and (kindIs "string" .prefix) (regexMatch "^(DSGEN|MASTER)_.*$" .prefix) }}
training.envFrom: variables that begin with {{ .prefix | quote }} are set by dsgen or DeepSpeed
{{- end }}
{{- end }}

{{/* That the processes of a worker would share its devices, which are `what`. */}}
{{- define "deepspeed-job.sharing" -}}
{{- if ne .workers.accelerator.count nil }}
workers.slots: {{ int64 .workers.slots }} processes would share {{ int64 .workers.accelerator.count }} {{ .what }}
{{- end }}
{{- end }}

{{/* DS206: the ranks would train on the device of another one, and run out of memory or wait for each other. */}}
{{- define "deepspeed-job.sharedDevices" -}}
{{- if and (include "deepspeed-job.kindOfDevice" .accelerator.resource)
           (include "deepspeed-job.hasFewerDevices" .) }}
{{- include "deepspeed-job.sharing" (dict
    "workers" .
    "what" (include "deepspeed-job.kindOfDevice" .accelerator.resource)) }}
{{- end }}
{{- end }}

{{/* DS207: the same with slices of a GPU. */}}
{{- define "deepspeed-job.sharedSlice" -}}
{{- if and (gt (int64 .slots) 1)
           (regexMatch "^nvidia[.]com/mig-.*$" .accelerator.resource)
           (or (eq .accelerator.count nil) (gt (int64 .accelerator.count) 0)) }}
workers.slots: a process can use only one MIG slice of its pod, so {{ int64 .slots }} processes would share it
{{- end }}
{{- end }}

{{/* DS208: a container would request the same resource twice. */}}
{{- define "deepspeed-job.ownResource" -}}
{{- if hasKey .amounts .resource }}
workers.resources.{{ .kind }}: {{ .resource | quote }} is written by dsgen from workers.accelerator
{{- end }}
{{- end }}

{{/* DS212: a volume would hide the files of the run. */}}
{{- define "deepspeed-job.reservedMount" -}}
{{- if include "deepspeed-job.reservedPath" .path }}
storage.{{ .name }}.mountPath: {{ .path | quote }} is reserved for files of dsgen or the system
{{- end }}
{{- end }}

{{/* DS212: the same for the code, which could also hide the shared memory. */}}
{{- define "deepspeed-job.reservedMountOfCode" -}}
{{- if and .Values.code.git.repository
           (or (include "deepspeed-job.reservedPath" .Values.code.mountPath)
               (regexMatch "^/dev/shm(/.*)?$" .Values.code.mountPath)) }}
code.mountPath: {{ .Values.code.mountPath | quote }} is reserved for files of dsgen or the system
{{- end }}
{{- end }}

{{/* DS213: a volume would replace the shared memory of the pod. */}}
{{- define "deepspeed-job.mountOfSharedMemory" -}}
{{- if regexMatch "^/dev/shm(/.*)?$" .path }}
storage.{{ .name }}.mountPath: /dev/shm is the shared memory of the pod
{{- end }}
{{- end }}

{{/* DS216: all pods but one would wait for ever. */}}
{{- define "deepspeed-job.claimOfOnePod" -}}
{{- if and (ne .volume.create nil)
           (has "ReadWriteOncePod" (dig "accessModes" (list "ReadWriteMany") .volume.create))
           (or (and (include "deepspeed-job.isMountedIn" (dict
               "Values" .Values
               "volume" .volume
               "pods" "workers"))
                    (include "deepspeed-job.isMountedIn" (dict
                        "Values" .Values
                        "volume" .volume
                        "pods" "launcher")))
               (and (ne (dig "mountIn" "auto" .volume) "launcher")
                    (gt (include "deepspeed-job.workerPods" . | int64) 1))) }}
storage.{{ .name }}: a ReadWriteOncePod volume can be used by one pod only, but several pods mount it
{{- end }}
{{- end }}

{{/* DS234: two containers of a pod would have one name, or the status would be read from the user's container. */}}
{{- define "deepspeed-job.ownContainer" -}}
{{- if and (kindIs "string" .container.name)
           (regexMatch "^(worker|launcher|status|passwd|code|dsgen-.*)$" .container.name) }}
{{ .where }}: {{ .container.name | quote }} is the name of one of dsgen's containers
{{- end }}
{{- end }}

{{/* DS241: the user's key would be the one that dsgen removes or replaces with another ssh.secret.mode. */}}
{{- define "deepspeed-job.secretOfJob" -}}
{{- if and (eq .Values.ssh.secret.mode "existing")
           (eq .Values.ssh.secret.name (printf "%s-ssh" (include "deepspeed-job.jobName" .))) }}
ssh.secret.name: {{ .Values.ssh.secret.name | quote }} is the name that dsgen gives to the Secret of the job
{{- end }}
{{- end }}

{{/* DS242: two programs of a worker would listen on one port. */}}
{{- define "deepspeed-job.samePort" -}}
{{- $port := include "deepspeed-job.portOf" (dict "Values" .Values "key" .one) }}
{{- if and $port (eq $port (include "deepspeed-job.portOf" (dict "Values" .Values "key" .other))) }}
{{ .one }} and {{ .other }} are both {{ $port }}
{{- end }}
{{- end }}

{{/* DS244: sshd of the worker would find the port of the node in use. */}}
{{- define "deepspeed-job.portOfNode" -}}
{{- if and .Values.network.hostNetwork
           (include "deepspeed-job.usesSsh" .)
           (eq (int64 .Values.ssh.port) 22) }}
ssh.port: with network.hostNetwork, port 22 belongs to the node's own sshd
{{- end }}
{{- end }}

{{/*
DS276: the launcher could not start pdsh. 131072 is the longest argument that Linux accepts, and
2048 bytes of it are exported variables, the path of the interpreter and the launcher's options.
*/}}
{{- define "deepspeed-job.tooManyForPdsh" -}}
{{- if and (gt (add .Values.workers.replicas .Values.launch.preflight.spares) 100)
           (eq .Values.launch.method "pdsh")
           (gt (mul 4 (include "deepspeed-job.worldBytes" . | int64)) (mul 3 (sub 131072 2048))) }}
workers.replicas: {{ include "deepspeed-job.workerPods" . | int64 }} workers are too many for pdsh: their names and slots ({{ include "deepspeed-job.worldBytes" . | int64 }} bytes, in base64 a third more) and 2048 other bytes do not fit into one argument of 131072 bytes
{{- end }}
{{- end }}

{{/* DS292: git would have no key for the repository. */}}
{{- define "deepspeed-job.missingGitKey" -}}
{{- if and (include "deepspeed-job.gitOverSsh" .Values.code.git.repository)
           (not .Values.code.git.secretName) }}
code.git.repository uses ssh, which needs a key
{{- end }}
{{- end }}

{{/* DS301: the launcher would be admitted before its workers exist. */}}
{{- define "deepspeed-job.queueOfLauncherAlone" -}}
{{- if and .Values.scheduling.launcherQueue
           (not (include "deepspeed-job.kueueQueue" (dict "Values" .Values "role" "worker"))) }}
scheduling.launcherQueue is a queue of Kueue, but the workers have no such queue
{{- end }}
{{- end }}

{{/* DS309: each apply would suspend or start what Kueue has started or suspended. */}}
{{- define "deepspeed-job.suspendedInQueue" -}}
{{- if and (ne .Values.lifecycle.suspend nil)
           (include "deepspeed-job.kueueQueue" (dict "Values" .Values "role" "worker")) }}
lifecycle.suspend: with scheduling.queue, only Kueue suspends and resumes the workers
{{- end }}
{{- end }}

{{/* DS310: the default scheduler would start some workers of a gang without the others. */}}
{{- define "deepspeed-job.schedulerWithoutGangs" -}}
{{- if and (ne .Values.scheduling.gang "none")
           (eq .Values.workers.schedulerName "default-scheduler") }}
workers.schedulerName: the default scheduler does not support scheduling.gang: {{ .Values.scheduling.gang }}
{{- end }}
{{- end }}

{{/*
DS344: the training code could read the token and the key of other
containers. Below privileged, the API server forbids hostPID.
*/}}
{{- define "deepspeed-job.sharedProcesses" -}}
{{- if and (dig .field false .pod.extraPodSpec)
           (or (ne .field "hostPID") (eq .Values.security.podSecurityLevel "privileged")) }}
{{ .role }}.extraPodSpec: with {{ .field }} the training code could read the token of the status sidecar and the ssh key through /proc
{{- end }}
{{- end }}

{{/*
DS374: the training code could change the record and read the key. With `kind`, a source of a
projected volume, a pod proves to the API server who it is, unless a token is for another service.
*/}}
{{- define "deepspeed-job.apiIdentity" -}}
{{- $word := dig .kind "" (dict "serviceAccountToken" "token" "podCertificate" "certificate") }}
{{- $audience := dig "serviceAccountToken" "audience" "" .source }}
{{- $signer := dig "podCertificate" "signerName" "" .source }}
{{- if and (hasKey .source .kind)
           (include "deepspeed-job.hasVolume" (dict
               "Values" .Values
               "pod" .Values.launcher
               "pods" "launcher"
               "name" .name
               "volume" .volume) | trim)
           (or (and (eq .kind "serviceAccountToken")
                    (not (and (kindIs "string" $audience) (include "deepspeed-job.isOtherService" $audience))))
               (and (eq .kind "podCertificate")
                    (kindIs "string" $signer)
                    (regexMatch "^kubernetes[.]io/.*$" $signer))) }}
storage.{{ .name }}: with a {{ $word }} of the launcher's ServiceAccount, the training code could change the record and read the ssh key
{{- end }}
{{- end }}

{{/* DS380: every pod of the namespace would have the permissions of the launcher. */}}
{{- define "deepspeed-job.defaultAccount" -}}
{{- if and (or .Values.rbac.create .Values.serviceAccount.create)
           (eq (include "deepspeed-job.serviceAccountName" .) "default") }}
serviceAccount: every pod of the namespace may use the ServiceAccount default, and could read the ssh key and write the record
{{- end }}
{{- end }}

{{/* DS380: the training code could have these permissions. */}}
{{- define "deepspeed-job.accountOfLauncher" -}}
{{- if or (eq .Values.workers.serviceAccountName (include "deepspeed-job.serviceAccountName" .))
          (regexMatch "^.*[.]launcher$" .Values.workers.serviceAccountName) }}
workers.serviceAccountName: {{ .Values.workers.serviceAccountName }} is the ServiceAccount of a launcher pod, which may read the ssh key and write the record
{{- end }}
{{- end }}

{{/* DS358: fewer workers could not continue. `limit`: the key that contradicts workers.min. */}}
{{- define "deepspeed-job.refusedFewerWorkers" -}}
{{- $least := int64 .Values.workers.min }}
{{- $lifecycle := .Values.lifecycle }}
{{- if not $least }}
{{- else if and (eq .limit "workers.replicas") (gt $least (int64 .Values.workers.replicas)) }}
workers.min ({{ $least }}) is more than workers.replicas ({{ int64 .Values.workers.replicas }})
{{- else if and (eq .limit "training.deepspeed.resize.checkpoint")
                (not .Values.training.deepspeed.resize.checkpoint) }}
workers.min needs training.deepspeed.resize.checkpoint: without it, fewer workers cannot continue
{{- else if and (eq .limit "launch.method")
                (not (has .Values.launch.method (list "pdsh" "openmpi"))) }}
workers.min cannot be used with launch.method {{ .Values.launch.method }}: its number of workers is fixed for the whole run
{{- else if and (eq .limit "lifecycle.startTimeoutSeconds")
                (ge (int64 $lifecycle.resizeAfterSeconds) (int64 $lifecycle.startTimeoutSeconds)) }}
lifecycle.resizeAfterSeconds ({{ int64 $lifecycle.resizeAfterSeconds }}) must be less than lifecycle.startTimeoutSeconds ({{ int64 $lifecycle.startTimeoutSeconds }}), after which the run fails
{{- end }}
{{- end }}

{{/* DS371: mpirun would start other ranks than the launcher waits for, or none. */}}
{{- define "deepspeed-job.argumentOfMpirun" -}}
{{- $why := dig (include "deepspeed-job.kindOfMpirun" .) "" (dict
    "processes" "dsgen sets the number of processes and their workers"
    "output" "the launcher reads the output of the ranks"
    "transport" "dsgen sets how mpirun reaches the workers"
    "start" "the ranks would not start, or would start differently") }}
{{- if $why }}
launch.mpirunArgs: {{ . | quote }}: {{ $why }}
{{- end }}
{{- end }}

{{/* DS371: the same for a first argument that is no option. */}}
{{- define "deepspeed-job.programOfMpirun" -}}
{{- if and . (not (regexMatch "^-([^$]|[$])*$" .)) }}
launch.mpirunArgs: mpirun would take {{ . | quote }} as the program
{{- end }}
{{- end }}

{{/* DS373: two volumes of a pod would have one name. */}}
{{- define "deepspeed-job.ownVolume" -}}
{{- if regexMatch "^dsgen-([^$]|[$])*$" . }}
storage: {{ . | quote }}: names that begin with dsgen- are reserved for dsgen's own volumes
{{- end }}
{{- end }}

{{/* DS376: a checkpoint could not be converted. `key`: the key that keeps it from being converted. */}}
{{- define "deepspeed-job.refusedResize" -}}
{{- $deepspeed := .Values.training.deepspeed }}
{{- $path := include "deepspeed-job.configPath" . }}
{{- if not $deepspeed.resize.checkpoint }}
{{- else if and (eq .key "launch.command") (include "deepspeed-job.runsCommand" .) }}
training.deepspeed.resize cannot be used with launch.command: only the command could give its program another configuration
{{- else if and (eq .key "training.deepspeed.autotuning") (ne $deepspeed.autotuning "none") }}
training.deepspeed.resize cannot be used with autotuning, which starts trainings with other configurations
{{- else if and (eq .key "training.deepspeed.resize.checkpoint") (not $path) }}
training.deepspeed.resize needs a DeepSpeed configuration, to which it adds checkpoint.load_universal
{{- else if and (eq .key "training.deepspeed.configFile")
                $deepspeed.configFile
                (not (hasPrefix "/" $deepspeed.configFile)) }}
training.deepspeed.resize cannot be used with a configFile that is not an absolute path
{{- else if and (eq .key "training.deepspeed.passConfig")
                $path
                (not (include "deepspeed-job.configWay" .))
                (not (include "deepspeed-job.hasConfig" (dict
                    "words" .Values.training.args
                    "path" $path)))
                (not (include "deepspeed-job.runsCommand" .)) }}
training.deepspeed.resize cannot be used without passConfig, unless training.args has the path {{ $path }}
{{- else if and (eq .key "training.deepspeed.version")
                (regexMatch "^0[.](1[0-7]|[0-9])([.].*)?$" $deepspeed.version) }}
training.deepspeed.resize cannot be used with DeepSpeed {{ $deepspeed.version }}; it needs 0.18 or later
{{- end }}
{{- end }}

{{/* DS377: each worker would read and write its own checkpoint. */}}
{{- define "deepspeed-job.checkpointOfOneWorker" -}}
{{- $checkpoint := .Values.training.deepspeed.resize.checkpoint }}
{{- if and $checkpoint
           (dig "mountPath" "" .volume)
           (not (dig "existingClaim" "" .volume))
           (or (ne .volume.emptyDir nil) (ne .volume.ephemeral nil))
           (eq .volume.create nil)
           (eq .volume.nfs nil)
           (eq .volume.hostPath nil)
           (hasPrefix (printf "%s/" (dig "mountPath" "" .volume)) (printf "%s/" $checkpoint)) }}
training.deepspeed.resize.checkpoint is on storage.{{ .name }}, of which each worker has its own
{{- end }}
{{- end }}
