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
The ConfigMap with a folder of dsgen's scripts, of the job or shared. The names
change with the content of all scripts, so a run keeps those with which it started.
*/}}
{{- define "deepspeed-job.scriptsName" -}}
{{- if .Values.runtime.create -}}
{{ include "deepspeed-job.jobName" . }}-scripts-{{ .folder }}-18f8b3a8f4
{{- else -}}
{{ .Values.runtime.name }}-{{ .folder }}-18f8b3a8f4
{{- end -}}
{{- end }}

{{/* The image of a role: worker, launcher, status (the containers with the API token) or tensorboard. */}}
{{- define "deepspeed-job.imageOf" -}}
{{- $images := dict
    "launcher" .Values.launcher.image
    "status" (or .Values.status.image .Values.launcher.image)
    "tensorboard" .Values.monitoring.tensorboard.image -}}
{{ or (index $images .role) (include "deepspeed-job.jobImage" .) }}
{{- end }}

{{/* The image of the job; a digest takes precedence over a tag. */}}
{{- define "deepspeed-job.jobImage" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else if $image.tag -}}
{{ $image.repository }}:{{ $image.tag }}
{{- else -}}
{{ $image.repository }}
{{- end -}}
{{- end }}

{{/* The Secret with the key pair: filled in the cluster, or created by the user. */}}
{{- define "deepspeed-job.secretName" -}}
{{- if eq .Values.ssh.secret.mode "cluster" -}}
{{ include "deepspeed-job.jobName" . }}-ssh
{{- else -}}
{{ or .Values.ssh.secret.name (printf "%s-ssh-key" (include "deepspeed-job.jobName" .)) }}
{{- end -}}
{{- end }}

{{/*
The name of the objects that give the launcher pod its permissions. With a dot, it is never the name of a
ServiceAccount that Kubernetes or an operator creates, such as default, or cifar-launcher of an MPIJob.
*/}}
{{- define "deepspeed-job.identityName" -}}
{{ include "deepspeed-job.jobName" . }}.launcher
{{- end }}

{{/* The service account of the launcher pod. */}}
{{- define "deepspeed-job.serviceAccountName" -}}
{{- if or .Values.serviceAccount.name .Values.serviceAccount.create -}}
{{ or .Values.serviceAccount.name (include "deepspeed-job.identityName" .) }}
{{- else -}}
default
{{- end -}}
{{- end }}

{{/*
The claim of a volume. `name` is its key in storage, `volume` its value. Names of jobs have
no dots, so the volume a-b of job x does not share a claim with the volume b of job x-a.
*/}}
{{- define "deepspeed-job.claimName" -}}
{{ or (dig "existingClaim" "" .volume) (printf "%s-%s" (include "deepspeed-job.jobName" .) (.name | replace "-" ".")) }}
{{- end }}

{{/* The claims that are kept when the job is deleted: those that dsgen creates and protects. */}}
{{- define "deepspeed-job.keptClaims" -}}
{{- range $name, $volume := .Values.storage }}
{{- if and (ne $volume.create nil) (dig "protect" true $volume.create) }}
- {{ include "deepspeed-job.claimName" (dict
    "Values" $.Values
    "Release" $.Release
    "name" $name
    "volume" $volume) }}
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

{{/*
The seconds between two readiness probes of a worker. A small job waits for the next
probe. With many workers, the API server has to store an event for each probe that fails.
*/}}
{{- define "deepspeed-job.probeSeconds" -}}
{{- if gt (include "deepspeed-job.workerPods" . | int64) 16 -}}
2
{{- else -}}
1
{{- end -}}
{{- end }}

{{/*
"true" if the main containers of a pod mount the volume of storage;
else empty. `pods` is workers or launcher, as in storage.*.mountIn.
*/}}
{{- define "deepspeed-job.isMountedIn" -}}
{{- if or (has (dig "mountIn" "auto" .volume) (list "both" .pods))
          (and (eq (dig "mountIn" "auto" .volume) "auto")
               (or (eq .pods "workers") (include "deepspeed-job.filesInLauncher" .))) -}}
true
{{- end -}}
{{- end }}

{{/*
"true" if a pod has the volume `name` of storage: for its main
container, or for another one of the user that mounts it; else empty.
*/}}
{{- define "deepspeed-job.hasVolume" -}}
{{- if include "deepspeed-job.isMountedIn" . }}
true
{{- else if eq (dig "mountIn" "auto" .volume) "auto" }}
{{ include "deepspeed-job.usedInPod" . | trim }}
{{- end }}
{{- end }}

{{/*
"true" if a container of the user in the pods of a role
mounts the volume `name` or has it as a device; else empty.
*/}}
{{- define "deepspeed-job.usedInPod" -}}
{{- range $kind := list "initContainers" "sidecars" }}
{{- range $container := index $.pod $kind }}
{{- range $field := list "volumeMounts" "volumeDevices" }}
{{- range $used := dig $field (list) $container }}
{{- if and (kindIs "string" $used.name) (eq $used.name $.name) }}
true
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- range $device := dig "volumeDevices" (list) .pod.extraContainerSpec }}
{{- if and (kindIs "string" $device.name) (eq $device.name $.name) }}
true
{{- end }}
{{- end }}
{{- end }}
