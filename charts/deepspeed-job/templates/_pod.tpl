{{/*
Parts of the pods of workers and launcher; `pod` is values.workers or values.launcher, `mount_in` is workers
or launcher.
*/}}

{{/* What the Pod Security level needs, the user's context laid over it. */}}
{{- define "dsgen.podSecurityContext" -}}
{{- $own := dict }}
{{- if eq .Values.security.podSecurityLevel "restricted" }}
{{- $own = dict "runAsNonRoot" true "seccompProfile" (dict "type" "RuntimeDefault") }}
{{- end }}
{{- $context := mergeOverwrite (deepCopy $own) (deepCopy .Values.security.podSecurityContext) }}
{{- if $context }}
{{ include "dsgen.yaml" $context }}
{{- end }}
{{- end }}

{{/* The same for the containers that run the user's code. */}}
{{- define "dsgen.securityContext" -}}
{{- $own := dict }}
{{- if eq .Values.security.podSecurityLevel "restricted" }}
{{- $own = dict "allowPrivilegeEscalation" false "capabilities" (dict "drop" (list "ALL")) }}
{{- end }}
{{- $context := mergeOverwrite (deepCopy $own) (deepCopy .Values.security.securityContext) }}
{{- if $context }}
{{ include "dsgen.yaml" $context }}
{{- end }}
{{- end }}

{{/* "true" where the pods cannot be root, so that their uid may be unknown to the image; empty elsewhere. */}}
{{- define "dsgen.wantsPasswd" -}}
{{- if eq .Values.ssh.passwdEntry "auto" -}}
{{- if eq .Values.security.podSecurityLevel "restricted" -}}
true
{{- else if or (dig "runAsNonRoot" false .Values.security.podSecurityContext) (dig "runAsUser" 0 .Values.security.podSecurityContext) -}}
true
{{- else if or (dig "runAsNonRoot" false .Values.security.securityContext) (dig "runAsUser" 0 .Values.security.securityContext) -}}
true
{{- end -}}
{{- end -}}
{{- end }}

{{/*
Fields of both Jobs. Without the policy a lost pod and its replacement would run side by side, under one
name.
*/}}
{{- define "dsgen.jobFields" -}}
podReplacementPolicy: Failed
{{- if ne .Values.lifecycle.suspend nil }}
suspend: {{ .Values.lifecycle.suspend }}
{{- end }}
{{- if ne .Values.lifecycle.ttlSecondsAfterFinished nil }}
ttlSecondsAfterFinished: {{ int64 .Values.lifecycle.ttlSecondsAfterFinished }}
{{- end }}
{{- end }}

{{/* Labels and annotations of a pod: those that tell pods apart, and the user's. */}}
{{- define "dsgen.podMetadata" -}}
labels:
  {{- include "dsgen.selector" . | nindent 2 }}
  {{- range $key, $value := .pod.podLabels }}
  {{ $key | quote }}: {{ $value | quote }}
  {{- end }}
{{- if .pod.podAnnotations }}
annotations:
  {{- include "dsgen.yaml" .pod.podAnnotations | nindent 2 }}
{{- end }}
{{- end }}

{{/* Fields of both pods. */}}
{{- define "dsgen.podFields" -}}
restartPolicy: Never
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: {{ int64 .Values.lifecycle.terminationGracePeriodSeconds }}
{{- if .Values.image.pullSecrets }}
imagePullSecrets:
  {{- include "dsgen.yaml" .Values.image.pullSecrets | nindent 2 }}
{{- end }}
{{- $context := include "dsgen.podSecurityContext" . | trim }}
{{- if $context }}
securityContext:
  {{- $context | nindent 2 }}
{{- end }}
{{- if .pod.nodeSelector }}
nodeSelector:
  {{- include "dsgen.yaml" .pod.nodeSelector | nindent 2 }}
{{- end }}
{{- if .pod.tolerations }}
tolerations:
  {{- include "dsgen.yaml" .pod.tolerations | nindent 2 }}
{{- end }}
{{- if .pod.priorityClassName }}
priorityClassName: {{ .pod.priorityClassName | quote }}
{{- end }}
{{- end }}

{{/* Fields that every container of the image has. */}}
{{- define "dsgen.imageFields" -}}
image: {{ include "dsgen.imageReference" .Values.image | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{/* A container of dsgen's own: small, without privileges, with limits, because a quota may ask for both. */}}
{{- define "dsgen.ownContainerLimits" -}}
securityContext:
  allowPrivilegeEscalation: false
  capabilities:
    drop: [ALL]
resources:
  requests:
    cpu: 20m
    memory: 64Mi
  limits:
    cpu: 500m
    memory: 128Mi
{{- end }}

{{/* Requests and limits of a main container; accelerators are in both, as the API server demands. */}}
{{- define "dsgen.resources" -}}
{{- range $kind := list "requests" "limits" }}
{{- if or (index $.pod.resources $kind) $.count }}
{{ $kind }}:
  {{- range $key, $quantity := index $.pod.resources $kind }}
  {{ $key | quote }}: {{ $quantity | toRawJson }}
  {{- end }}
  {{- if $.count }}
  {{ $.Values.workers.accelerator.resource | quote }}: {{ $.count }}
  {{- end }}
{{- end }}
{{- end }}
{{- if .pod.resources.claims }}
claims:
  {{- include "dsgen.yaml" .pod.resources.claims | nindent 2 }}
{{- end }}
{{- end }}

{{/* Writes a passwd file with a line for the uid of the pod, which the other containers mount. */}}
{{- define "dsgen.passwdContainer" -}}
- name: passwd
  {{- include "dsgen.imageFields" . | nindent 2 }}
  command: [bash, /etc/dsgen/passwd.sh]
  {{- include "dsgen.ownContainerLimits" . | nindent 2 }}
  volumeMounts:
    {{- include "dsgen.ownMounts" "" | nindent 4 }}
{{- end }}

{{/* dsgen's variables first, then the user's; a dollar sign is doubled, or the kubelet would expand $(NAME). */}}
{{- define "dsgen.environment" -}}
- name: DSGEN_ROLE
  value: {{ .role }}
- name: DSGEN_JOB
  value: {{ include "dsgen.jobName" . | quote }}
- name: DSGEN_RUN
  value: {{ include "dsgen.runId" . | quote }}
{{- $caches := dict "TORCH_EXTENSIONS_DIR" "/run/dsgen/cache/torch_extensions" "TRITON_CACHE_DIR" "/run/dsgen/cache/triton" "XDG_CACHE_HOME" "/run/dsgen/cache" }}
{{- range $name, $value := mergeOverwrite (deepCopy $caches) (dict "PYTHONUNBUFFERED" "1") (deepCopy .Values.training.env) }}
- name: {{ $name | quote }}
  {{- if kindIs "string" $value }}
  value: {{ $value | replace "$" "$$" | quote }}
  {{- else }}
  valueFrom:
    {{- include "dsgen.yaml" $value.valueFrom | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}

{{/* What runs in the containers of the user's code. */}}
{{- define "dsgen.trainingContainer" -}}
{{ include "dsgen.imageFields" . }}
command: [bash, /etc/dsgen/start.sh]
{{- if .Values.training.workingDir }}
workingDir: {{ .Values.training.workingDir | quote }}
{{- end }}
env:
  {{- include "dsgen.environment" . | nindent 2 }}
{{- if .Values.training.envFrom }}
envFrom:
  {{- include "dsgen.yaml" .Values.training.envFrom | nindent 2 }}
{{- end }}
{{- end }}

{{/* Mounts of every container of dsgen's own. */}}
{{- define "dsgen.ownMounts" -}}
- name: dsgen-config
  mountPath: /etc/dsgen
  readOnly: true
- name: dsgen-run
  mountPath: /run/dsgen
{{- if . }}
- name: dsgen-run
  mountPath: /etc/passwd
  subPath: passwd
  readOnly: true
{{- end }}
{{- end }}

{{/*
A container of dsgen's own that talks to the API: only such ones have the token, and none of them runs the
user's code.
*/}}
{{- define "dsgen.apiContainer" -}}
{{ include "dsgen.imageFields" . }}
command: [python3, -ESs, /etc/dsgen/{{ .script }}]
{{ include "dsgen.ownContainerLimits" . }}
volumeMounts:
  {{- include "dsgen.ownMounts" (include "dsgen.wantsPasswd" .) | nindent 2 }}
  - name: dsgen-token
    mountPath: /var/run/secrets/dsgen
    readOnly: true
{{- end }}

{{/* Mounts of the containers that run the user's code. */}}
{{- define "dsgen.trainingMounts" -}}
{{ include "dsgen.ownMounts" (include "dsgen.wantsPasswd" .) }}
- name: dsgen-cache
  mountPath: /run/dsgen/cache
- name: dsgen-keys
  mountPath: /etc/dsgen-keys
  readOnly: true
- name: dsgen-config
  mountPath: /etc/ssh/ssh_config
  subPath: ssh_config
  readOnly: true
- name: dsgen-config
  mountPath: /job/hostfile
  subPath: hostfile
  readOnly: true
- name: dsgen-config
  mountPath: /etc/mpi/hostfile
  subPath: hostfile
  readOnly: true
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

{{/* Volumes of both pods: dsgen's own, then those of the storage map. */}}
{{- define "dsgen.volumes" -}}
- name: dsgen-config
  configMap:
    name: {{ include "dsgen.runName" . }}-config
    defaultMode: 365  # 0555
- name: dsgen-run
  emptyDir:
    medium: Memory
- name: dsgen-cache
  emptyDir: {}
- name: dsgen-keys
  secret:
    secretName: {{ include "dsgen.secretName" . | quote }}
    defaultMode: 292  # 0444
    optional: true
{{- if .Values.training.files }}
- name: dsgen-files
  configMap:
    name: {{ include "dsgen.runName" . }}-files
    defaultMode: 493  # 0755
{{- end }}
{{- range $name, $volume := .Values.storage }}
{{- if has (dig "mountIn" "both" $volume) (list "both" $.mountIn) }}
- name: {{ $name | quote }}
  {{- if or (ne $volume.create nil) (dig "existingClaim" "" $volume) }}
  persistentVolumeClaim:
    claimName: {{ include "dsgen.claimName" (dict "Values" $.Values "Release" $.Release "name" $name "volume" $volume) | quote }}
  {{- else }}
  {{- range $source := list "nfs" "emptyDir" }}
  {{- if hasKey $volume $source }}
  {{ $source }}:
    {{- include "dsgen.yaml" (index $volume $source) | nindent 4 }}
  {{- end }}
  {{- end }}
  {{- end }}
{{- end }}
{{- end }}
{{- end }}
