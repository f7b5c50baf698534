{{/* Names of objects and pods, labels and annotations, the image. */}}

{{/* A message for each error, with a hint below it. */}}
{{- define "deepspeed-job.namesProblems" -}}
{{- if not .Values.image.repository }}
image.repository is required [DS201]
  set it to the image of the training, such as registry.example.com/team/cifar
{{- end }}

{{- $run := include "deepspeed-job.runName" . }}
{{- $last := printf "-worker-%d" (sub (include "deepspeed-job.workerPods" . | int64) 1) }}
{{- if gt (add (len $run) (len $last)) 63 }}
the names of the pods are too long: {{ $run | quote }} has {{ len $run }} characters and {{ $last }} has
    {{ len $last }}, but together they can have at most 63 [DS204]
  shorten the name of the job or run.id
{{- end }}

{{- if .Values.monitoring.tensorboard.enabled }}
  {{- $job := include "deepspeed-job.jobName" . }}
  {{- if gt (len $job) 51 }}
{{ $job | quote }} has {{ len $job }} characters and -tensorboard has 12, but the name of a Service can have at most 63
    [DS340]
  shorten the name of the job
  {{- end }}

  {{- if eq (include "deepspeed-job.runId" .) "tensorboard" }}
run.id: the Service of the run tensorboard would have the same name as TensorBoard's Service [DS343]
  choose another run.id
  {{- end }}
{{- end }}

{{- $job := include "deepspeed-job.jobName" . }}
{{- if and $job (not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $job)) }}
{{ $job | quote }} is not a valid job name [DS205]
  use lower-case letters, digits and hyphens; begin with a letter, and do not end with a hyphen
{{- end }}

{{- include "deepspeed-job.keysProblems" (dict "where" "labels" "keys" .Values.labels) }}

{{- include "deepspeed-job.keysProblems" (dict "where" "annotations" "keys" .Values.annotations) }}

{{- range $role := list "workers" "launcher" }}
  {{- include "deepspeed-job.keysProblems" (dict "where" (printf "%s.podLabels" $role)
                                               "keys" (index (index $.Values $role) "podLabels")) }}

  {{- include "deepspeed-job.keysProblems" (dict "where" (printf "%s.podAnnotations" $role)
                                               "keys" (index (index $.Values $role) "podAnnotations")) }}
{{- end }}

{{- include "deepspeed-job.keysProblems" (dict "where" "serviceAccount.annotations"
                                             "keys" .Values.serviceAccount.annotations) }}

{{- range $key, $value := .Values.serviceAccount.annotations }}
  {{- if hasKey $.Values.annotations $key }}
serviceAccount.annotations: {{ $key | quote }} is also in annotations [DS231]
  keep one of them
  {{- end }}
{{- end }}
{{- end }}

{{/* A message for each error in the keys of labels or annotations, `keys`. Each begins with `where`, the place. */}}
{{- define "deepspeed-job.keysProblems" -}}
{{- range $key, $value := .keys }}
  {{- if include "deepspeed-job.reservedKey" $key }}
{{ $.where }}: {{ $key | quote }} is written by dsgen or Kubernetes [DS230]
  use a key in a domain of your own, such as example.com/team
  {{- end }}
{{- end }}
{{- end }}

{{/* A message for each warning, with a hint below it. */}}
{{- define "deepspeed-job.namesWarnings" -}}
{{- if and .Values.image.repository
           (not .Values.image.digest)
           (regexMatch (include "deepspeed-job.movingTagPattern" .) .Values.image.tag) }}
the image has no fixed version [DS250]
  use a tag that is never moved, or a digest: the same run id should always mean the same code
{{- end }}

{{- if and .Values.code.git.repository
           (or (and .Values.code.git.image
                    (not (regexMatch "^.*(@.*|:[^/]*)$" .Values.code.git.image)))
               (regexMatch "^.*:latest$" .Values.code.git.image)) }}
code.git.image: the image has no fixed version [DS250]
  use a tag that is never moved, or a digest: the same run id should always mean the same code
{{- end }}

{{- if or (and .Values.launcher.image (not (regexMatch "^.*(@.*|:[^/]*)$" .Values.launcher.image)))
          (regexMatch "^.*:latest$" .Values.launcher.image) }}
launcher.image: the image has no fixed version [DS250]
  use a tag that is never moved, or a digest: the same run id should always mean the same code
{{- end }}

{{- if or (and .Values.status.image (not (regexMatch "^.*(@.*|:[^/]*)$" .Values.status.image)))
          (regexMatch "^.*:latest$" .Values.status.image) }}
status.image: the image has no fixed version [DS250]
  use a tag that is never moved, or a digest: the same run id should always mean the same code
{{- end }}

{{- if and .Values.monitoring.tensorboard.enabled
           (or (and .Values.monitoring.tensorboard.image
                    (not (regexMatch "^.*(@.*|:[^/]*)$" .Values.monitoring.tensorboard.image)))
               (regexMatch "^.*:latest$" .Values.monitoring.tensorboard.image)) }}
monitoring.tensorboard.image: the image has no fixed version [DS250]
  use a tag that is never moved, or a digest: the same run id should always mean the same code
{{- end }}

{{- if has (include "deepspeed-job.namespace" .) (list "kube-system" "kube-public"
                                                     "kube-node-lease") }}
{{ include "deepspeed-job.namespace" . | quote }} is a namespace of Kubernetes itself [DS382]
  use a namespace of your own: many policies, quotas and log collectors leave this one out
{{- end }}
{{- end }}
