{{/* The job's name: from the values, else the release's. */}}
{{- define "contract.jobName" -}}
{{ or .Values.name .Release.Name }}
{{- end }}

{{/* The namespace of every namespaced object. */}}
{{- define "contract.namespace" -}}
{{ or .Values.namespace .Release.Namespace }}
{{- end }}

{{/* The id of the run; an integer is printed as one. */}}
{{- define "contract.runId" -}}
{{- if kindIs "string" .Values.run.id -}}
{{ .Values.run.id }}
{{- else -}}
{{ .Values.run.id | int64 }}
{{- end -}}
{{- end }}

{{/* The run's name, the first part of the name of every object that belongs to one run. */}}
{{- define "contract.runName" -}}
{{ include "contract.jobName" . }}-{{ include "contract.runId" . }}
{{- end }}

{{/*
The ConfigMap with dsgen's scripts: another one where their content
differs, so that a run keeps the scripts that it began with.
*/}}
{{- define "contract.scriptsName" -}}
{{ include "contract.jobName" . }}-scripts-{{ "9acb63db73" }}
{{- end }}

{{/* The reference of an image; a digest wins over a tag. `image` is values.image. */}}
{{- define "contract.imageReference" -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else if .tag -}}
{{ .repository }}:{{ .tag }}
{{- else -}}
{{ .repository }}
{{- end -}}
{{- end }}

{{/* The Secret that holds the key pair: filled in the cluster, or one of the user's. */}}
{{- define "contract.secretName" -}}
{{- if eq .Values.ssh.secret.mode "cluster" -}}
{{ include "contract.jobName" . }}-ssh
{{- else if .Values.ssh.secret.name -}}
{{ .Values.ssh.secret.name }}
{{- else -}}
{{ include "contract.jobName" . }}-ssh-key
{{- end -}}
{{- end }}

{{/* The service account of the launcher pod. */}}
{{- define "contract.serviceAccountName" -}}
{{- if .Values.serviceAccount.name -}}
{{ .Values.serviceAccount.name }}
{{- else if .Values.serviceAccount.create -}}
{{ include "contract.jobName" . }}
{{- else -}}
default
{{- end -}}
{{- end }}

{{/* The claim that a volume of the storage map mounts. `name` is its key in the map, `volume` what stands there. */}}
{{- define "contract.claimName" -}}
{{- if dig "existingClaim" "" .volume -}}
{{ dig "existingClaim" "" .volume }}
{{- else -}}
{{ include "contract.jobName" . }}-{{ .name }}
{{- end -}}
{{- end }}

{{/* The claims that outlive the job: those that are made for it and protected. */}}
{{- define "contract.keptClaims" -}}
{{- range $name, $volume := .Values.storage }}
{{- if ne $volume.create nil }}
{{- $create := $volume.create }}
{{- if dig "protect" true $create }}
- {{ include "contract.claimName" (dict "Values" $.Values "Release" $.Release "name" $name "volume" $volume) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/*
The PersistentVolume of a claim; `name` is its key in the storage map. It belongs to no
namespace; names of namespaces and jobs have no dots, so two of these cannot collide.
*/}}
{{- define "contract.volumeName" -}}
{{ include "contract.namespace" . }}.{{ include "contract.jobName" . }}.{{ .name }}
{{- end }}

{{/* Accelerators of one worker: as many as slots, unless the user says otherwise. `workers` is values.workers. */}}
{{- define "contract.accelerators" -}}
{{- if eq .accelerator.count nil -}}
{{ int64 .slots }}
{{- else -}}
{{ int64 .accelerator.count }}
{{- end -}}
{{- end }}

{{/* Worker pods: those that train, and those that stand in for one that is excluded before the training starts. */}}
{{- define "contract.workerPods" -}}
{{ add .Values.workers.replicas .Values.launch.preflight.spares }}
{{- end }}

{{/* "true" where the launcher reaches the workers over ssh; empty where each worker starts its own processes. */}}
{{- define "contract.usesSsh" -}}
{{- if has .Values.launch.method (list "pdsh" "openmpi" "launcher-command") -}}
true
{{- end -}}
{{- end }}

{{/* "true" where the key pair of the job is made in the cluster; empty where there is one already, or no ssh. */}}
{{- define "contract.makesKey" -}}
{{- if eq .Values.ssh.secret.mode "cluster" -}}
{{ include "contract.usesSsh" . }}
{{- end -}}
{{- end }}
