{{/* The job's name: from the values, else the release's. */}}
{{- define "dsgen.jobName" -}}
{{ or .Values.name .Release.Name }}
{{- end }}

{{/* The namespace of every namespaced object. */}}
{{- define "dsgen.namespace" -}}
{{ or .Values.namespace .Release.Namespace }}
{{- end }}

{{/* The id of the run; an integer is printed as one. */}}
{{- define "dsgen.runId" -}}
{{- if kindIs "string" .Values.run.id -}}
{{ .Values.run.id }}
{{- else -}}
{{ .Values.run.id | int64 }}
{{- end -}}
{{- end }}

{{/* The run's name, the first part of the name of every object that belongs to one run. */}}
{{- define "dsgen.runName" -}}
{{ include "dsgen.jobName" . }}-{{ include "dsgen.runId" . }}
{{- end }}

{{/* The image reference; a digest wins over a tag. */}}
{{- define "dsgen.imageReference" -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else if .tag -}}
{{ .repository }}:{{ .tag }}
{{- else -}}
{{ .repository }}
{{- end -}}
{{- end }}

{{/* The Secret that holds the key pair: filled in the cluster, or one of the user's. */}}
{{- define "dsgen.secretName" -}}
{{- if eq .Values.ssh.secret.mode "cluster" -}}
{{ include "dsgen.jobName" . }}-ssh
{{- else if .Values.ssh.secret.name -}}
{{ .Values.ssh.secret.name }}
{{- else -}}
{{ include "dsgen.jobName" . }}-ssh-key
{{- end -}}
{{- end }}

{{/* The service account of the launcher pod. */}}
{{- define "dsgen.serviceAccountName" -}}
{{- if .Values.serviceAccount.name -}}
{{ .Values.serviceAccount.name }}
{{- else if .Values.serviceAccount.create -}}
{{ include "dsgen.jobName" . }}
{{- else -}}
default
{{- end -}}
{{- end }}

{{/* The claim that a volume of the storage map mounts. */}}
{{- define "dsgen.claimName" -}}
{{- if dig "existingClaim" "" .volume -}}
{{ dig "existingClaim" "" .volume }}
{{- else -}}
{{ include "dsgen.jobName" . }}-{{ .name }}
{{- end -}}
{{- end }}

{{/* PersistentVolumes are cluster-wide; names of namespaces and jobs have no dots, so two of these cannot collide. */}}
{{- define "dsgen.volumeName" -}}
{{ include "dsgen.namespace" . }}.{{ include "dsgen.jobName" . }}.{{ .name }}
{{- end }}

{{/* Accelerators of one worker: as many as slots, unless the user says otherwise. */}}
{{- define "dsgen.accelerators" -}}
{{- if eq .accelerator.count nil -}}
{{ int64 .slots }}
{{- else -}}
{{ int64 .accelerator.count }}
{{- end -}}
{{- end }}

{{/* Worker pods: those that train, and those that stand in for one that is excluded before the training starts. */}}
{{- define "dsgen.workerPods" -}}
{{ add .Values.workers.replicas .Values.launch.preflight.spares }}
{{- end }}

{{/* "true" where the launcher reaches the workers over ssh; empty where each worker starts its own processes. */}}
{{- define "dsgen.usesSsh" -}}
{{- if has .Values.launch.method (list "pdsh" "openmpi" "launcher-command") -}}
true
{{- end -}}
{{- end }}

{{/* "true" where the key pair of the job is made in the cluster; empty where there is one already, or no ssh. */}}
{{- define "dsgen.makesKey" -}}
{{- if eq .Values.ssh.secret.mode "cluster" -}}
{{ include "dsgen.usesSsh" . }}
{{- end -}}
{{- end }}
