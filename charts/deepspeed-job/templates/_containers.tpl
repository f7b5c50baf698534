{{/*
Containers of both pods; `pod` is values.workers or values.launcher, `role` is
worker or launcher, `pods` is workers or launcher, as in storage.*.mountIn.
*/}}

{{/* The image of a role, see image_of. */}}
{{- define "deepspeed-job.imageFields" -}}
image: {{ include "deepspeed-job.imageOf" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{/* Fields of dsgen's own containers: no privileges; requests and limits, because a quota may require both. */}}
{{- define "deepspeed-job.ownContainerLimits" -}}
securityContext:
  {{- include "deepspeed-job.ownSecurityContext" . | nindent 2 }}
resources:
  requests:
    cpu: 20m
    memory: 64Mi
  limits:
    cpu: "1"
    memory: 128Mi
{{- end }}

{{/*
Mounts of every container. `program`: the folder of its own
scripts, or empty; `run`: its volume, which no other writes.
*/}}
{{- define "deepspeed-job.ownMounts" -}}
{{- range $folder := list .program "local" "slurm" "ssh" }}
{{- if and $.program
           (include "deepspeed-job.needsScripts" (dict "Values" $.Values "folder" $folder)) }}
{{ include "deepspeed-job.mount" (dict "volume" $folder "path" (printf "/etc/dsgen/%s" $folder)) }}
{{- end }}
{{- end }}
{{ include "deepspeed-job.mount" (dict "volume" "shared" "path" "/etc/dsgen/shared") }}
- name: {{ .run }}
  mountPath: /run/dsgen
{{- if include "deepspeed-job.wantsPasswd" . }}
{{ include "deepspeed-job.fileMount" (dict
    "volume" "run-passwd"
    "path" "/etc/passwd"
    "file" "passwd") }}
{{- end }}
{{- end }}

{{/* A read-only mount of one of dsgen's volumes. */}}
{{- define "deepspeed-job.mount" -}}
- name: dsgen-{{ .volume }}
  mountPath: {{ .path }}
  readOnly: true
{{- end }}

{{/* A read-only mount of one file of these volumes. */}}
{{- define "deepspeed-job.fileMount" -}}
- name: dsgen-{{ .volume }}
  mountPath: {{ .path }}
  subPath: {{ .file }}
  readOnly: true
{{- end }}

{{/* The mount of a volume of storage; `name` is its key, `volume` its value. */}}
{{- define "deepspeed-job.storageMount" -}}
- name: {{ .name | quote }}
  mountPath: {{ dig "mountPath" "" .volume | quote }}
  {{- if dig "subPath" "" .volume }}
  subPath: {{ dig "subPath" "" .volume | quote }}
  {{- end }}
  {{- if .isReadOnly }}
  readOnly: true
  {{- end }}
{{- end }}

{{/* Writes a passwd file with an entry for the uid of the pod; the other containers mount it. */}}
{{- define "deepspeed-job.passwdContainer" -}}
- name: passwd
  {{- include "deepspeed-job.imageFields" . | nindent 2 }}
  command: [bash, /etc/dsgen/shared/passwd.sh]
  {{- include "deepspeed-job.ownContainerLimits" . | nindent 2 }}
  volumeMounts:
    {{- include "deepspeed-job.mount" (dict
        "volume" "shared"
        "path" "/etc/dsgen/shared") | nindent 4 }}
    - name: dsgen-run-passwd
      mountPath: /run/dsgen
{{- end }}

{{/*
The container of dsgen that uses the Kubernetes API. Only this
container has the token, and it does not run the user's code.
*/}}
{{- define "deepspeed-job.statusContainer" -}}
- name: status
  {{- include "deepspeed-job.imageFields" (dict "Values" .Values "role" "status") | nindent 2 }}
  command: [sh, /etc/dsgen/status/start.sh]
  {{- include "deepspeed-job.ownContainerLimits" . | nindent 2 }}
  volumeMounts:
    {{- include "deepspeed-job.ownMounts" (dict
        "Values" .Values
        "pod" .pod
        "program" "status"
        "run" "dsgen-run-status") | trim | nindent 4 }}
    {{- include "deepspeed-job.mount" (dict
        "volume" "run"
        "path" "/run/dsgen-launcher") | nindent 4 }}
    {{- if include "deepspeed-job.hasCode" (dict "Values" .Values "pods" "launcher") }}
    {{- include "deepspeed-job.mount" (dict
        "volume" "run-code"
        "path" "/run/dsgen-code") | nindent 4 }}
    {{- end }}
    {{- include "deepspeed-job.mount" (dict
        "volume" "token"
        "path" "/var/run/secrets/dsgen") | nindent 4 }}
    {{- if .Values.status.webhook.secretName }}
    {{- include "deepspeed-job.mount" (dict
        "volume" "webhook"
        "path" "/etc/dsgen-webhook") | nindent 4 }}
    {{- end }}
  restartPolicy: Always
{{- end }}

{{/*
"true" if the pods (workers or launcher) have the code of code.git; else
empty. The launcher needs it for the program, the autotuner or training.setup.
*/}}
{{- define "deepspeed-job.hasCode" -}}
{{- if and .Values.code.git.repository
           (or (eq .pods "workers")
               (and (include "deepspeed-job.usesSsh" .)
                    (or .Values.training.setup (include "deepspeed-job.filesInLauncher" .)))) -}}
true
{{- end -}}
{{- end }}

{{/* Clones the code before any container of the user starts; git needs more memory than dsgen's other containers. */}}
{{- define "deepspeed-job.codeContainer" -}}
{{- include "deepspeed-job.refuse" (list "DS292" "missingGitKey" .) }}
- name: code
  image: {{ or .Values.code.git.image (include "deepspeed-job.imageOf" .) | quote }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  command: [bash, /etc/dsgen/shared/code.sh]
  env:
    - name: DSGEN_GIT_REPOSITORY
      value: {{ .Values.code.git.repository | replace "$" "$$" | quote }}
    - name: DSGEN_GIT_REVISION
      value: {{ .Values.code.git.revision | replace "$" "$$" | quote }}
  securityContext:
    {{- include "deepspeed-job.ownSecurityContext" . | nindent 4 }}
  resources:
    requests:
      cpu: 100m
      memory: 256Mi
    limits:
      cpu: "1"
      memory: 2Gi
  volumeMounts:
    {{- include "deepspeed-job.ownMounts" (dict
        "Values" .Values
        "pod" .pod
        "program" ""
        "run" "dsgen-run-code") | trim | nindent 4 }}
    - name: dsgen-code
      mountPath: /run/dsgen/code
    {{- if .Values.code.git.secretName }}
    {{- include "deepspeed-job.mount" (dict "volume" "git" "path" "/etc/dsgen-git") | nindent 4 }}
    {{- end }}
{{- end }}

{{/*
The init containers of both pods: those of dsgen, then those of the user. Sidecars are init
containers that keep running: in the main list they would keep the Job from completing.
*/}}
{{- define "deepspeed-job.initContainers" -}}
{{- range $kind := list "initContainers" "sidecars" }}
{{- range $container := index $.pod $kind }}
{{- include "deepspeed-job.refuse" (list
    "DS234" "ownContainer" (dict "where" (printf "%s.%s" $.pods $kind) "container" $container)) }}
{{- end }}
{{- end }}
{{- if include "deepspeed-job.wantsPasswd" . }}
{{ include "deepspeed-job.passwdContainer" . }}
{{- end }}
{{- if eq .role "launcher" }}
{{ include "deepspeed-job.statusContainer" . }}
{{- end }}
{{- if include "deepspeed-job.hasCode" . }}
{{ include "deepspeed-job.codeContainer" . | trim }}
{{- end }}
{{- if and .pod.initContainers
           (not (and .Values.lifecycle.debug.enabled .Values.lifecycle.debug.skipInitContainers)) }}
{{ include "deepspeed-job.yaml" .pod.initContainers }}
{{- end }}
{{- range $sidecar := .pod.sidecars }}
{{ include "deepspeed-job.yaml" (list (mergeOverwrite (dict
    "restartPolicy" "Always") (deepCopy $sidecar))) }}
{{- end }}
{{- end }}

{{/*
Requests and limits of a main container; the devices of a worker are in both, as the API
server requires. `pod` can also be monitoring.tensorboard, with the role tensorboard.
*/}}
{{- define "deepspeed-job.resources" -}}
{{- $devices := include "deepspeed-job.deviceResources" . | trim }}
{{- $requests := list (include "deepspeed-job.requestsOf" . | trim) $devices | compact | join "\n" }}
{{- if $requests }}
requests:
  {{- $requests | nindent 2 }}
{{- end }}
{{- $limits := list
    (and .pod.resources.limits (include "deepspeed-job.yaml" .pod.resources.limits))
    $devices | compact | join "\n" }}
{{- if $limits }}
limits:
  {{- $limits | nindent 2 }}
{{- end }}
{{- if .pod.resources.claims }}
claims:
  {{- include "deepspeed-job.yaml" .pod.resources.claims | nindent 2 }}
{{- end }}
{{- end }}

{{/* The requests of a main container. A request that is auto follows the limit, as in Kubernetes. */}}
{{- define "deepspeed-job.requestsOf" -}}
{{- range $key, $quantity := .pod.resources.requests }}
{{- $request := include "deepspeed-job.requestOf" (dict
    "pod" $.pod
    "role" $.role
    "key" $key
    "quantity" $quantity) }}
{{- if $request }}
{{ $key | quote }}: {{ $request }}
{{- end }}
{{- end }}
{{- end }}

{{/* A quantity (a text or a number) as JSON. */}}
{{- define "deepspeed-job.quantityJson" -}}
{{ . | toRawJson }}
{{- end }}

{{/* The request of a resource as JSON; empty for an automatic one without a limit and without a default. */}}
{{- define "deepspeed-job.requestOf" -}}
{{- if ne (include "deepspeed-job.quantityJson" .quantity) `"auto"` -}}
{{ include "deepspeed-job.quantityJson" .quantity }}
{{- else if hasKey .pod.resources.limits .key -}}
{{ include "deepspeed-job.quantityJson" (index .pod.resources.limits .key) }}
{{- else if eq .key "cpu" -}}
{{ dig .role "" (dict "worker" "1" "launcher" "500m" "tensorboard" "100m") | quote }}
{{- else if eq .key "memory" -}}
{{ dig .role "" (dict "worker" "2Gi" "launcher" "2Gi" "tensorboard" "512Mi") | quote }}
{{- end -}}
{{- end }}

{{/* Requests or limits of devices: the accelerators and RDMA devices of a worker. Other pods have none. */}}
{{- define "deepspeed-job.deviceResources" -}}
{{- if eq .role "worker" }}
{{- $count := include "deepspeed-job.accelerators" .Values.workers | int64 }}
{{- if $count }}
{{ .Values.workers.accelerator.resource | quote }}: {{ $count }}
{{- end }}
{{- if .Values.network.rdma.resources }}
{{ include "deepspeed-job.yaml" .Values.network.rdma.resources }}
{{- end }}
{{- end }}
{{- end }}

{{/*
dsgen's variables, then the user's, in an order in which the kubelet expands $(NAME); in a
launcher that does not run the program, without those from other objects, such as Secrets. Only
caches of compiled code are put elsewhere: a cache of models would fill the disk of the node.
*/}}
{{- define "deepspeed-job.environment" -}}
- name: DSGEN_ROLE
  value: {{ .role }}
- name: DSGEN_JOB
  value: {{ include "deepspeed-job.jobName" . | quote }}
- name: DSGEN_RUN
  value: {{ include "deepspeed-job.runId" . | quote }}
- name: DSGEN_JOB_LIMITS
  value: |-
    {{- include "deepspeed-job.jobLimits" . | trim | nindent 4 }}
{{- $own := dict
    "PYTHONUNBUFFERED" "1"
    "CUDA_CACHE_PATH" "/run/dsgen/cache/cuda"
    "NEURON_COMPILE_CACHE_URL" "/run/dsgen/cache/neuron"
    "TORCH_EXTENSIONS_DIR" "/run/dsgen/cache/torch_extensions"
    "TORCHINDUCTOR_CACHE_DIR" "/run/dsgen/cache/torchinductor"
    "TRITON_CACHE_DIR" "/run/dsgen/cache/triton" }}
{{- /* Git refuses a working tree of another user, such as that of the code container. */}}
{{- if .Values.code.git.repository }}
{{- $own = mergeOverwrite $own (dict
    "GIT_CONFIG_COUNT" "1"
    "GIT_CONFIG_KEY_0" "safe.directory"
    "GIT_CONFIG_VALUE_0" (.Values.code.mountPath | replace "$" "$$")) }}
{{- end }}
{{- if and (eq .role "worker") .Values.network.socketInterface }}
{{- $own = mergeOverwrite $own (dict "NCCL_SOCKET_IFNAME" .Values.network.socketInterface) }}
{{- /* Gloo supports neither lists of interfaces nor the prefixes ^ and =. */}}
{{- if regexMatch "^[^,=^]*$" .Values.network.socketInterface }}
{{- $own = mergeOverwrite $own (dict "GLOO_SOCKET_IFNAME" .Values.network.socketInterface) }}
{{- end }}
{{- end }}
{{- range $name, $value := .Values.training.env }}
{{- include "deepspeed-job.refuse" (list
    "DS220" "reservedVariable" (dict "Values" $.Values "where" "training.env" "key" $name)) }}
{{- end }}
{{- $all := mergeOverwrite (deepCopy $own) (deepCopy .Values.training.env) }}
{{- if eq .role "launcher" }}
{{- range $name, $value := .Values.launcher.env }}
{{- include "deepspeed-job.refuse" (list
    "DS220" "reservedVariable" (dict "Values" $.Values "where" "launcher.env" "key" $name)) }}
{{- end }}
{{- $all = mergeOverwrite $all (deepCopy .Values.launcher.env) }}
{{- end }}
{{- $names := include "deepspeed-job.variables" $all | splitList "\n" }}
{{- range $name, $value := $all }}
{{- include "deepspeed-job.refuse" (list
    "DS431" "circleOfVariables" (dict "names" $names "name" $name)) }}
{{- end }}
{{- range $name := $names }}
{{- $value := dig $name "" $all }}
{{- if or (kindIs "string" $value)
          (eq $.role "worker")
          (hasKey $.Values.launcher.env $name)
          (include "deepspeed-job.programInLauncher" $) }}
- name: {{ $name | quote }}
  {{- if kindIs "string" $value }}
  value: {{ $value | quote }}
  {{- else }}
  valueFrom:
    {{- include "deepspeed-job.yaml" $value.valueFrom | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Fields of the containers that run the user's code. */}}
{{- define "deepspeed-job.trainingContainer" -}}
{{- range $source := .Values.training.envFrom }}
{{- include "deepspeed-job.refuse" (list "DS223" "reservedPrefix" $source) }}
{{- end }}
{{ include "deepspeed-job.imageFields" . }}
{{- if include "deepspeed-job.preparesTraining" (dict "Values" .Values "pods" .role) }}
command: [bash, /etc/dsgen/shared/start.sh]
{{- else }}
command: [bash, /etc/dsgen/shared/start.sh, --without-setup]
{{- end }}
{{- $directory := or .Values.training.workingDir (and .Values.code.git.repository .Values.code.mountPath) }}
{{- if $directory }}
workingDir: {{ $directory | quote }}
{{- end }}
env:
  {{- include "deepspeed-job.environment" . | nindent 2 }}
{{- if and .Values.training.envFrom
           (or (eq .role "worker") (include "deepspeed-job.programInLauncher" .)) }}
envFrom:
  {{- include "deepspeed-job.yaml" .Values.training.envFrom | nindent 2 }}
{{- end }}
{{- if .pod.extraContainerSpec }}
{{ include "deepspeed-job.yaml" .pod.extraContainerSpec }}
{{- end }}
{{- end }}

{{/* A port of a worker. On the network of the node, two workers with the same port never share a node. */}}
{{- define "deepspeed-job.workerPort" -}}
- name: {{ .name }}
  containerPort: {{ .port }}
  {{- if .Values.network.hostNetwork }}
  hostPort: {{ .port }}
  {{- end }}
{{- end }}

{{/* Ports of a worker. */}}
{{- define "deepspeed-job.workerPorts" -}}
{{- include "deepspeed-job.refuse" (list "DS244" "portOfNode" .) }}
{{- range $one := list "monitoring.podMonitor.port" "workers.readinessPort" "launch.masterPort" }}
{{- range $other := list "workers.readinessPort" "launch.masterPort" "ssh.port" }}
{{- if ne $one $other }}
{{- include "deepspeed-job.refuse" (list
    "DS242" "samePort" (dict "Values" $.Values "one" $one "other" $other)) }}
{{- end }}
{{- end }}
{{- end }}
{{- if include "deepspeed-job.usesSsh" . }}
{{ include "deepspeed-job.workerPort" (dict
    "Values" .Values
    "name" "ssh"
    "port" (int64 .Values.ssh.port)) }}
{{- end }}
{{- if or .Values.network.hostNetwork (not (include "deepspeed-job.usesSsh" .)) }}
{{ include "deepspeed-job.workerPort" (dict
    "Values" .Values
    "name" "master"
    "port" (int64 .Values.launch.masterPort)) }}
{{- end }}
{{- if .Values.network.hostNetwork }}
{{ include "deepspeed-job.workerPort" (dict
    "Values" .Values
    "name" "readiness"
    "port" (int64 .Values.workers.readinessPort)) }}
{{- end }}
{{- if .Values.monitoring.podMonitor.enabled }}
{{ include "deepspeed-job.workerPort" (dict
    "Values" .Values
    "name" "metrics"
    "port" (int64 .Values.monitoring.podMonitor.port)) }}
{{- end }}
{{- end }}

{{/*
Mounts of the main container. A mount with subPath costs a node more than a volume, so a worker has the files of
   ssh only where a command of the user may log in from it, and a launcher that starts no program has no files for one.
*/}}
{{- define "deepspeed-job.trainingMounts" -}}
{{- include "deepspeed-job.refuse" (list "DS212" "reservedMountOfCode" .) }}
{{ include "deepspeed-job.ownMounts" (dict
    "Values" .Values
    "pod" .pod
    "program" .role
    "run" "dsgen-run") | trim }}
{{- if eq .pods "launcher" }}
{{ include "deepspeed-job.mount" (dict "volume" "run-status" "path" "/run/dsgen-status") }}
{{- end }}
- name: dsgen-cache
  mountPath: /run/dsgen/cache
{{- if include "deepspeed-job.usesSsh" . }}
{{ include "deepspeed-job.mount" (dict "volume" "keys" "path" "/run/dsgen/private/key") }}
{{- end }}
{{- if and (include "deepspeed-job.usesSsh" .)
           (or (eq .pods "launcher") (include "deepspeed-job.programInLauncher" .)) }}
{{ include "deepspeed-job.fileMount" (dict
    "volume" "shared"
    "path" "/etc/ssh/ssh_config"
    "file" "ssh_config") }}
{{ include "deepspeed-job.fileMount" (dict
    "volume" "shared"
    "path" "/etc/mpi/hostfile"
    "file" "hostfile") }}
{{- end }}
{{- if include "deepspeed-job.preparesTraining" . }}
{{ include "deepspeed-job.fileMount" (dict
    "volume" "shared"
    "path" "/job/hostfile"
    "file" "hostfile") }}
{{- if .Values.training.deepspeed.config }}
{{ include "deepspeed-job.fileMount" (dict
    "volume" "shared"
    "path" "/job/ds_config.json"
    "file" "ds_config.json") }}
{{- end }}
{{- if .Values.training.files }}
{{ include "deepspeed-job.mount" (dict "volume" "files" "path" "/job/files") }}
{{- end }}
{{- end }}
{{- if include "deepspeed-job.hasCode" . }}
- name: dsgen-code
  mountPath: {{ .Values.code.mountPath | quote }}
  subPath: tree
{{- end }}
{{- range $name, $volume := .Values.storage }}
{{- if and (dig "mountPath" "" $volume)
           (include "deepspeed-job.isMountedIn" (dict
               "Values" $.Values
               "volume" $volume
               "pods" $.pods)) }}
{{- include "deepspeed-job.refuse" (list
    "DS212" "reservedMount" (dict "name" $name "path" (dig "mountPath" "" $volume))) }}
{{- include "deepspeed-job.refuse" (list
    "DS213" "mountOfSharedMemory" (dict "name" $name "path" (dig "mountPath" "" $volume))) }}
{{ include "deepspeed-job.storageMount" (dict
    "name" $name
    "volume" $volume
    "isReadOnly" (dig "readOnly" false $volume)) }}
{{- end }}
{{- end }}
{{- end }}

{{/* The content of command.json: the program and its arguments. launch.command gets no further arguments. */}}
{{- define "deepspeed-job.command" -}}
{{- $training := .Values.training -}}
{{- $way := include "deepspeed-job.configWay" . -}}
{{- $arguments := $training.args -}}
{{- if eq $way "huggingface" -}}
{{- $arguments = concat $arguments (list "--deepspeed" (include "deepspeed-job.configPath" .)) -}}
{{- else if $way -}}
{{- $arguments = concat $arguments (list
    "--deepspeed" "--deepspeed_config" (include "deepspeed-job.configPath" .)) -}}
{{- end -}}
{{- if .Values.launch.command -}}
{{ dict "program" .Values.launch.command "arguments" (list) | toRawJson | quote }}
{{- else if $training.python -}}
{{ dict "program" (list $training.pythonCommand "-u" $training.python) "arguments" $arguments | toRawJson | quote }}
{{- else if $training.module -}}
{{ dict "program" (list $training.pythonCommand "-u" "-m" $training.module) "arguments" $arguments | toRawJson | quote }}
{{- else -}}
{{ dict "program" $training.exec "arguments" $arguments | toRawJson | quote }}
{{- end -}}
{{- end }}
