{{/* The job's name: from the values, else the release's. */}}
{{- define "deepspeed-job.jobName" -}}
{{ or .Values.name .Release.Name }}
{{- end }}

{{/* The namespace of every namespaced object. */}}
{{- define "deepspeed-job.namespace" -}}
{{ or .Values.namespace .Release.Namespace }}
{{- end }}

{{/* The id of the run; an integer is printed as one. */}}
{{- define "deepspeed-job.runId" -}}
{{- if kindIs "string" .Values.run.id -}}
{{ .Values.run.id }}
{{- else -}}
{{ .Values.run.id | int64 }}
{{- end -}}
{{- end }}

{{/* The run's name, the first part of the name of every object that belongs to one run. */}}
{{- define "deepspeed-job.runName" -}}
{{ include "deepspeed-job.jobName" . }}-{{ include "deepspeed-job.runId" . }}
{{- end }}

{{/*
The ConfigMap with dsgen's scripts: another one where their content
differs, so that a run keeps the scripts that it began with.
*/}}
{{- define "deepspeed-job.scriptsName" -}}
{{ include "deepspeed-job.jobName" . }}-scripts-{{ "b4edf0ea7b" }}
{{- end }}

{{/* The reference of an image; a digest wins over a tag. `image` is values.image. */}}
{{- define "deepspeed-job.imageReference" -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else if .tag -}}
{{ .repository }}:{{ .tag }}
{{- else -}}
{{ .repository }}
{{- end -}}
{{- end }}

{{/* The Secret that holds the key pair: filled in the cluster, or one of the user's. */}}
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

{{/* The claim that a volume of the storage map mounts. `name` is its key in the map, `volume` what stands there. */}}
{{- define "deepspeed-job.claimName" -}}
{{- if dig "existingClaim" "" .volume -}}
{{ dig "existingClaim" "" .volume }}
{{- else -}}
{{ include "deepspeed-job.jobName" . }}-{{ .name }}
{{- end -}}
{{- end }}

{{/* The claims that outlive the job: those that are made for it and protected. */}}
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
The PersistentVolume of a claim; `name` is its key in the storage map. It belongs to no
namespace; names of namespaces and jobs have no dots, so two of these cannot collide.
*/}}
{{- define "deepspeed-job.volumeName" -}}
{{ include "deepspeed-job.namespace" . }}.{{ include "deepspeed-job.jobName" . }}.{{ .name }}
{{- end }}

{{/* Accelerators of one worker: as many as slots, unless the user says otherwise. `workers` is values.workers. */}}
{{- define "deepspeed-job.accelerators" -}}
{{- if eq .accelerator.count nil -}}
{{ int64 .slots }}
{{- else -}}
{{ int64 .accelerator.count }}
{{- end -}}
{{- end }}

{{/* Worker pods: those that train, and those that stand in for one that is excluded before the training starts. */}}
{{- define "deepspeed-job.workerPods" -}}
{{ add .Values.workers.replicas .Values.launch.preflight.spares }}
{{- end }}

{{/* "true" where the launcher reaches the workers over ssh; empty where each worker starts its own processes. */}}
{{- define "deepspeed-job.usesSsh" -}}
{{- if has .Values.launch.method (list "pdsh" "openmpi" "launcher-command") -}}
true
{{- end -}}
{{- end }}

{{/* "true" where the key pair of the job is made in the cluster; empty where there is one already, or no ssh. */}}
{{- define "deepspeed-job.makesKey" -}}
{{- if eq .Values.ssh.secret.mode "cluster" -}}
{{ include "deepspeed-job.usesSsh" . }}
{{- end -}}
{{- end }}
