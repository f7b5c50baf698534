{{/* What a model needs, by the section estimate; most of it needs more than templates can do. */}}

{{/* A message for each warning, with a hint below it. */}}
{{- define "deepspeed-job.estimateWarnings" -}}
{{- if and .Values.estimate.checkpoints.volume
           (not (hasKey .Values.storage .Values.estimate.checkpoints.volume)) }}
estimate.checkpoints.volume: storage has no volume {{ .Values.estimate.checkpoints.volume | quote }} [DS409]
  name the volume of storage on which the training saves its checkpoints
{{- end }}
{{- end }}
