{{/* Checkpoints that are continued with another number of ranks. */}}

{{/* A message for each error, with a hint below it. */}}
{{- define "deepspeed-job.resizeProblems" -}}
{{- if .Values.training.deepspeed.resize.checkpoint }}
  {{- if include "deepspeed-job.runsCommand" . }}
training.deepspeed.resize cannot be used with launch.command: only the command could give its program another
    configuration [DS376]
  use another launch.method, or convert checkpoints yourself
  {{- end }}

  {{- if ne .Values.training.deepspeed.autotuning "none" }}
training.deepspeed.resize cannot be used with autotuning, which starts trainings with other configurations [DS376]
  remove one of them
  {{- end }}

  {{- if and (not .Values.training.deepspeed.config) (not .Values.training.deepspeed.configFile) }}
training.deepspeed.resize needs a DeepSpeed configuration, to which it adds checkpoint.load_universal [DS376]
  set training.deepspeed.config or configFile
  {{- end }}

  {{- if and .Values.training.deepspeed.configFile
             (not (hasPrefix "/" .Values.training.deepspeed.configFile)) }}
training.deepspeed.resize cannot be used with a configFile that is not an absolute path [DS376]
  write the whole path of the file in the image
  {{- end }}

  {{- if and (not .Values.training.deepspeed.passConfig)
             (or .Values.training.deepspeed.config .Values.training.deepspeed.configFile) }}
    {{- $path := or .Values.training.deepspeed.configFile "/job/ds_config.json" }}
    {{- if and (not (has $path .Values.training.args))
               (not (include "deepspeed-job.runsCommand" .)) }}
training.deepspeed.resize cannot be used without passConfig, unless training.args has the path {{ $path }} [DS376]
  remove passConfig; for the Hugging Face Trainer, set training.args: [--deepspeed, /job/ds_config.json]
    {{- end }}
  {{- end }}

  {{- if regexMatch "^0[.](1[0-7]|[0-9])([.].*)?$" .Values.training.deepspeed.version }}
training.deepspeed.resize cannot be used with DeepSpeed {{ .Values.training.deepspeed.version }}; it needs 0.18 or later
    [DS376]
  use an image with a later version
  {{- end }}

  {{- $folder := .Values.training.deepspeed.resize.checkpoint }}
  {{- range $name, $volume := .Values.storage }}
    {{- if and (dig "mountPath" "" $volume)
               (has (include "deepspeed-job.firstSource" $volume) (list "emptyDir" "ephemeral"))
               (or (eq $folder (dig "mountPath" "" $volume))
                   (hasPrefix (printf "%s/" (dig "mountPath" "" $volume)) $folder)) }}
training.deepspeed.resize.checkpoint is on storage.{{ $name }}, of which each worker has its own [DS377]
  put checkpoints on a volume that all workers share, such as a claim
    {{- end }}
  {{- end }}
{{- end }}

{{- if int64 .Values.workers.min }}
  {{- if gt (int64 .Values.workers.min) (int64 .Values.workers.replicas) }}
workers.min ({{ int64 .Values.workers.min }}) is more than workers.replicas ({{ int64 .Values.workers.replicas }})
    [DS358]
  set it to less than workers.replicas
  {{- end }}

  {{- if not .Values.training.deepspeed.resize.checkpoint }}
workers.min needs training.deepspeed.resize.checkpoint: without it, fewer workers cannot continue [DS358]
  set it to the folder of the checkpoints
  {{- end }}

  {{- if not (has .Values.launch.method (list "pdsh" "openmpi")) }}
workers.min cannot be used with launch.method {{ .Values.launch.method }}: its number of workers is fixed for the whole
    run [DS358]
  use launch.method: pdsh or openmpi
  {{- end }}

  {{- if ge (int64 .Values.lifecycle.resizeAfterSeconds) (int64 .Values.lifecycle.startTimeoutSeconds) }}
lifecycle.resizeAfterSeconds ({{ int64 .Values.lifecycle.resizeAfterSeconds }}) must be less than
    lifecycle.startTimeoutSeconds ({{ int64 .Values.lifecycle.startTimeoutSeconds }}), after which the run fails [DS358]
  use a longer startTimeoutSeconds
  {{- end }}
{{- end }}
{{- end }}
