{{/* Containers of both pods; `pod` is values.workers or values.launcher, `role` is worker or launcher. */}}

{{/* Fields that every container of the image has. */}}
{{- define "contract.imageFields" -}}
image: {{ include "contract.imageReference" .Values.image | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{/* Fields of dsgen's own containers: no privileges; requests and limits, because a quota may require both. */}}
{{- define "contract.ownContainerLimits" -}}
securityContext:
  {{- include "contract.ownSecurityContext" . | nindent 2 }}
resources:
  requests:
    cpu: 20m
    memory: 64Mi
  limits:
    cpu: 500m
    memory: 128Mi
{{- end }}

{{/*
Mounts of every container. `run` is its volume at /run/dsgen, to which no other
container can write; `passwd` is "true" if the pod has its own passwd file, else empty.
*/}}
{{- define "contract.ownMounts" -}}
- name: dsgen-config
  mountPath: /etc/dsgen
  readOnly: true
- name: {{ .run }}
  mountPath: /run/dsgen
{{- if .passwd }}
- name: dsgen-run-passwd
  mountPath: /etc/passwd
  subPath: passwd
  readOnly: true
{{- end }}
{{- end }}

{{/* Mounts the volume of another container of the pod read-only. */}}
{{- define "contract.exchangeMount" -}}
- name: {{ .volume }}
  mountPath: /run/dsgen-{{ .writer }}
  readOnly: true
{{- end }}

{{/* Writes a passwd file with an entry for the uid of the pod; the other containers mount it. */}}
{{- define "contract.passwdContainer" -}}
- name: passwd
  {{- include "contract.imageFields" . | nindent 2 }}
  command: [bash, /etc/dsgen/passwd.sh]
  {{- include "contract.ownContainerLimits" . | nindent 2 }}
  volumeMounts:
    {{- include "contract.ownMounts" (dict "run" "dsgen-run-passwd" "passwd" "") | nindent 4 }}
{{- end }}

{{/*
A container of dsgen that uses the Kubernetes API. Only these containers have the token, and they
do not run the user's code. `script` is the file that it runs, `run` its volume at /run/dsgen.
*/}}
{{- define "contract.apiContainer" -}}
{{ include "contract.imageFields" . }}
command: [python3, -ESs, /etc/dsgen/{{ .script }}]
{{ include "contract.ownContainerLimits" . }}
volumeMounts:
  {{- include "contract.ownMounts" (dict "run" .run "passwd" (include "contract.wantsPasswd" .)) | nindent 2 }}
  {{- if eq .script "status.py" }}
  {{- include "contract.exchangeMount" (dict "volume" "dsgen-run" "writer" "launcher") | nindent 2 }}
  {{- if include "contract.makesKey" . }}
  {{- include "contract.exchangeMount" (dict "volume" "dsgen-run-keygen" "writer" "keygen") | nindent 2 }}
  {{- end }}
  {{- if .Values.code.git.repository }}
  {{- include "contract.exchangeMount" (dict "volume" "dsgen-run-code" "writer" "code") | nindent 2 }}
  {{- end }}
  {{- end }}
  - name: dsgen-token
    mountPath: /var/run/secrets/dsgen
    readOnly: true
  {{- if and (eq .script "status.py") .Values.status.webhook.secretName }}
  - name: dsgen-webhook
    mountPath: /etc/dsgen-webhook
    readOnly: true
  {{- end }}
{{- end }}

{{/* Clones the code before any container of the user starts; git needs more memory than dsgen's other containers. */}}
{{- define "contract.codeContainer" -}}
- name: code
  {{- if .Values.code.git.image }}
  image: {{ .Values.code.git.image | quote }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  {{- else }}
  {{- include "contract.imageFields" . | nindent 2 }}
  {{- end }}
  command: [bash, /etc/dsgen/code.sh]
  env:
    - name: DSGEN_GIT_REPOSITORY
      value: {{ .Values.code.git.repository | replace "$" "$$" | quote }}
    - name: DSGEN_GIT_REVISION
      value: {{ .Values.code.git.revision | replace "$" "$$" | quote }}
  securityContext:
    {{- include "contract.ownSecurityContext" . | nindent 4 }}
  resources:
    requests:
      cpu: 100m
      memory: 256Mi
    limits:
      cpu: "1"
      memory: 2Gi
  volumeMounts:
    {{- include "contract.ownMounts" (dict "run" "dsgen-run-code" "passwd" (include "contract.wantsPasswd" .)) | nindent 4 }}
    - name: dsgen-code
      mountPath: /run/dsgen/code
    {{- if .Values.code.git.secretName }}
    - name: dsgen-git
      mountPath: /etc/dsgen-git
      readOnly: true
    {{- end }}
{{- end }}

{{/*
The last init containers of both pods: the code, then those of the user. Sidecars are init
containers that keep running: in the main list they would keep the Job from completing.
*/}}
{{- define "contract.initContainers" -}}
{{- if .Values.code.git.repository }}
{{ include "contract.codeContainer" . }}
{{- end }}
{{- if and .pod.initContainers (not (and .Values.lifecycle.debug.enabled .Values.lifecycle.debug.skipInitContainers)) }}
{{ include "contract.yaml" .pod.initContainers }}
{{- end }}
{{- range $sidecar := .pod.sidecars }}
{{ include "contract.yaml" (list (mergeOverwrite (dict "restartPolicy" "Always") (deepCopy $sidecar))) }}
{{- end }}
{{- end }}

{{/*
Requests and limits of a main container; the devices of a worker are in both, as the API
server requires. `pod` can also be monitoring.tensorboard, with the role tensorboard.
*/}}
{{- define "contract.resources" -}}
{{- $devices := include "contract.deviceResources" . | trim }}
{{- range $kind := list "requests" "limits" }}
{{- if or (index $.pod.resources $kind) $devices }}
{{ $kind }}:
  {{- range $key, $quantity := index $.pod.resources $kind }}
  {{ $key | quote }}: {{ $quantity | toRawJson }}
  {{- end }}
  {{- if $devices }}
  {{- $devices | nindent 2 }}
  {{- end }}
{{- end }}
{{- end }}
{{- if .pod.resources.claims }}
claims:
  {{- include "contract.yaml" .pod.resources.claims | nindent 2 }}
{{- end }}
{{- end }}

{{/* Requests or limits of devices: the accelerators and RDMA devices of a worker. Other pods have none. */}}
{{- define "contract.deviceResources" -}}
{{- if eq .role "worker" }}
{{- $count := include "contract.accelerators" .Values.workers | int64 }}
{{- if $count }}
{{ .Values.workers.accelerator.resource | quote }}: {{ $count }}
{{- end }}
{{- range $name, $number := .Values.network.rdma.resources }}
{{ $name | quote }}: {{ $number | toRawJson }}
{{- end }}
{{- end }}
{{- end }}

{{/* dsgen's variables, then the user's. Dollar signs are doubled, so that the kubelet does not expand $(NAME). */}}
{{- define "contract.environment" -}}
- name: DSGEN_ROLE
  value: {{ .role }}
- name: DSGEN_JOB
  value: {{ include "contract.jobName" . | quote }}
- name: DSGEN_RUN
  value: {{ include "contract.runId" . | quote }}
- name: DSGEN_JOB_LIMITS
  value: |-
    {{- include "contract.jobLimits" . | trim | nindent 4 }}
{{- $own := dict "PYTHONUNBUFFERED" "1" "TRITON_CACHE_DIR" "/run/dsgen/cache/triton" "XDG_CACHE_HOME" "/run/dsgen/cache" }}
{{- $own = mergeOverwrite (deepCopy $own) (dict "TORCH_EXTENSIONS_DIR" "/run/dsgen/cache/torch_extensions") }}
{{- /* Git refuses a working tree of another user, such as that of the code container. */}}
{{- if .Values.code.git.repository }}
{{- $own = mergeOverwrite (deepCopy $own) (dict "GIT_CONFIG_COUNT" "1" "GIT_CONFIG_KEY_0" "safe.directory"
                                                "GIT_CONFIG_VALUE_0" .Values.code.mountPath) }}
{{- end }}
{{- if and (eq .role "worker") .Values.network.socketInterface }}
{{- $own = mergeOverwrite (deepCopy $own) (dict "NCCL_SOCKET_IFNAME" .Values.network.socketInterface) }}
{{- /* Gloo supports neither lists of interfaces nor the prefixes ^ and =. */}}
{{- if regexMatch "^[^,=^]*$" .Values.network.socketInterface }}
{{- $own = mergeOverwrite (deepCopy $own) (dict "GLOO_SOCKET_IFNAME" .Values.network.socketInterface) }}
{{- end }}
{{- end }}
{{- range $name, $value := mergeOverwrite (deepCopy $own) (deepCopy .Values.training.env) }}
- name: {{ $name | quote }}
  {{- if kindIs "string" $value }}
  value: {{ $value | replace "$" "$$" | quote }}
  {{- else }}
  valueFrom:
    {{- include "contract.yaml" $value.valueFrom | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Fields of the containers that run the user's code. */}}
{{- define "contract.trainingContainer" -}}
{{ include "contract.imageFields" . }}
command: [bash, /etc/dsgen/shared_start.sh]
{{- if .Values.training.workingDir }}
workingDir: {{ .Values.training.workingDir | quote }}
{{- else if .Values.code.git.repository }}
workingDir: {{ .Values.code.mountPath | quote }}
{{- end }}
env:
  {{- include "contract.environment" . | nindent 2 }}
{{- if .Values.training.envFrom }}
envFrom:
  {{- include "contract.yaml" .Values.training.envFrom | nindent 2 }}
{{- end }}
{{- if .pod.extraContainerSpec }}
{{ include "contract.yaml" .pod.extraContainerSpec }}
{{- end }}
{{- end }}

{{/*
Ports of a worker. On the network of the node they are host
ports, so two workers with the same port never share a node.
*/}}
{{- define "contract.workerPorts" -}}
{{- if include "contract.usesSsh" . }}
- name: ssh
  containerPort: {{ int64 .Values.ssh.port }}
  {{- if .Values.network.hostNetwork }}
  hostPort: {{ int64 .Values.ssh.port }}
  {{- end }}
{{- end }}
{{- if or .Values.network.hostNetwork (not (include "contract.usesSsh" .)) }}
- name: master
  containerPort: {{ int64 .Values.launch.masterPort }}
  {{- if .Values.network.hostNetwork }}
  hostPort: {{ int64 .Values.launch.masterPort }}
  {{- end }}
{{- end }}
{{- if .Values.monitoring.podMonitor.enabled }}
- name: metrics
  containerPort: {{ int64 .Values.monitoring.podMonitor.port }}
  {{- if .Values.network.hostNetwork }}
  hostPort: {{ int64 .Values.monitoring.podMonitor.port }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Mounts of the containers that run the user's code. `mount_in` is workers or launcher, as in storage.*.mountIn. */}}
{{- define "contract.trainingMounts" -}}
{{ include "contract.ownMounts" (dict "run" "dsgen-run" "passwd" (include "contract.wantsPasswd" .)) }}
{{- if eq .mountIn "launcher" }}
{{ include "contract.exchangeMount" (dict "volume" "dsgen-run-status" "writer" "status") }}
{{- if include "contract.makesKey" . }}
{{ include "contract.exchangeMount" (dict "volume" "dsgen-run-keygen" "writer" "keygen") }}
{{- end }}
{{- end }}
- name: dsgen-cache
  mountPath: /run/dsgen/cache
{{- if include "contract.usesSsh" . }}
- name: dsgen-keys
  mountPath: /etc/dsgen-keys
  readOnly: true
- name: dsgen-config
  mountPath: /etc/ssh/ssh_config
  subPath: ssh_config
  readOnly: true
{{- end }}
- name: dsgen-config
  mountPath: /job/hostfile
  subPath: hostfile
  readOnly: true
{{- if include "contract.usesSsh" . }}
- name: dsgen-config
  mountPath: /etc/mpi/hostfile
  subPath: hostfile
  readOnly: true
{{- end }}
{{- if .Values.training.deepspeed.config }}
- name: dsgen-config
  mountPath: /job/ds_config.json
  subPath: ds_config.json
  readOnly: true
{{- end }}
{{- if .Values.training.files }}
- name: dsgen-files
  mountPath: /job/files
  readOnly: true
{{- end }}
{{- if .Values.code.git.repository }}
- name: dsgen-code
  mountPath: {{ .Values.code.mountPath | quote }}
  subPath: tree
{{- end }}
{{- range $name, $volume := .Values.storage }}
{{- if and (dig "mountPath" "" $volume) (has (dig "mountIn" "both" $volume) (list "both" $.mountIn)) }}
- name: {{ $name | quote }}
  mountPath: {{ dig "mountPath" "" $volume | quote }}
  {{- if dig "subPath" "" $volume }}
  subPath: {{ dig "subPath" "" $volume | quote }}
  {{- end }}
  {{- if dig "readOnly" false $volume }}
  readOnly: true
  {{- end }}
{{- end }}
{{- end }}
{{- end }}
