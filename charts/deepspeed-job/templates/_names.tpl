{{/* The name of the job: from the values, otherwise that of the release. */}}
{{- define "deepspeed-job.jobName" -}}
{{ or .Values.name .Release.Name }}
{{- end }}

{{/* The namespace of every namespaced object. */}}
{{- define "deepspeed-job.namespace" -}}
{{ or .Values.namespace .Release.Namespace }}
{{- end }}

{{/* The id of the run; an integer is printed without an exponent. */}}
{{- define "deepspeed-job.runId" -}}
{{- if kindIs "string" .Values.run.id -}}
{{ .Values.run.id }}
{{- else -}}
{{ .Values.run.id | int64 }}
{{- end -}}
{{- end }}

{{/* The name of the run, with which the names of its objects begin. */}}
{{- define "deepspeed-job.runName" -}}
{{ include "deepspeed-job.jobName" . }}-{{ include "deepspeed-job.runId" . }}
{{- end }}

{{/*
The ConfigMap with dsgen's scripts. Its name changes with their
content, so a run keeps the scripts with which it started.
*/}}
{{- define "deepspeed-job.scriptsName" -}}
{{ include "deepspeed-job.jobName" . }}-scripts-{{ "871513003a" }}
{{- end }}

{{/* The reference of an image; a digest takes precedence over a tag. `image` is values.image. */}}
{{- define "deepspeed-job.imageReference" -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else if .tag -}}
{{ .repository }}:{{ .tag }}
{{- else -}}
{{ .repository }}
{{- end -}}
{{- end }}

{{/* The Secret with the key pair: filled in the cluster, or created by the user. */}}
{{- define "deepspeed-job.secretName" -}}
{{- if eq .Values.ssh.secret.mode "cluster" -}}
{{ include "deepspeed-job.jobName" . }}-ssh
{{- else if .Values.ssh.secret.name -}}
{{ .Values.ssh.secret.name }}
{{- else -}}
{{ include "deepspeed-job.jobName" . }}-ssh-key
{{- end -}}
{{- end }}

{{/* The service account of the launcher pod. */}}
{{- define "deepspeed-job.serviceAccountName" -}}
{{- if .Values.serviceAccount.name -}}
{{ .Values.serviceAccount.name }}
{{- else if .Values.serviceAccount.create -}}
{{ include "deepspeed-job.jobName" . }}
{{- else -}}
default
{{- end -}}
{{- end }}

{{/*
The claim of a volume. `name` is its key in storage, `volume` its value. Names of jobs have
no dots, so the volume a-b of job x does not share a claim with the volume b of job x-a.
*/}}
{{- define "deepspeed-job.claimName" -}}
{{- if dig "existingClaim" "" .volume -}}
{{ dig "existingClaim" "" .volume }}
{{- else -}}
{{ include "deepspeed-job.jobName" . }}-{{ .name | replace "-" "." }}
{{- end -}}
{{- end }}

{{/* The claims that are kept when the job is deleted: those that dsgen creates and protects. */}}
{{- define "deepspeed-job.keptClaims" -}}
{{- range $name, $volume := .Values.storage }}
{{- if ne $volume.create nil }}
{{- $create := $volume.create }}
{{- if dig "protect" true $create }}
- {{ include "deepspeed-job.claimName" (dict "Values" $.Values "Release" $.Release "name" $name "volume" $volume) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/*
The PersistentVolume of a claim; `name` is its key in storage. It has no namespace; names
of namespaces and jobs have no dots, so the names of two PersistentVolumes cannot collide.
*/}}
{{- define "deepspeed-job.volumeName" -}}
{{ include "deepspeed-job.namespace" . }}.{{ include "deepspeed-job.jobName" . }}.{{ .name }}
{{- end }}

{{/* Accelerators of one worker: by default as many as slots. `workers` is values.workers. */}}
{{- define "deepspeed-job.accelerators" -}}
{{- if eq .accelerator.count nil -}}
{{ int64 .slots }}
{{- else -}}
{{ int64 .accelerator.count }}
{{- end -}}
{{- end }}

{{/* The number of worker pods, spares included. */}}
{{- define "deepspeed-job.workerPods" -}}
{{ add .Values.workers.replicas .Values.launch.preflight.spares }}
{{- end }}

{{/* "true" if the launcher starts the training over ssh; empty if each worker starts its own processes. */}}
{{- define "deepspeed-job.usesSsh" -}}
{{- if has .Values.launch.method (list "pdsh" "openmpi" "launcher-command") -}}
true
{{- end -}}
{{- end }}

{{/* "true" if the key pair is generated in the cluster; empty for an existing one and without ssh. */}}
{{- define "deepspeed-job.makesKey" -}}
{{- if eq .Values.ssh.secret.mode "cluster" -}}
{{ include "deepspeed-job.usesSsh" . }}
{{- end -}}
{{- end }}
