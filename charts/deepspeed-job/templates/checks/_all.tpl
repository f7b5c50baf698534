{{/* All errors in the values. */}}
{{- define "deepspeed-job.allProblems" -}}
{{ include "deepspeed-job.writtenProblems" . | trim | replace "\n    " " " }}
{{- end }}

{{/* All errors in the values. A line that begins with four blanks continues the one above it. */}}
{{- define "deepspeed-job.writtenProblems" -}}
{{- include "deepspeed-job.namesProblems" . }}
{{- include "deepspeed-job.trainingProblems" . }}
{{- include "deepspeed-job.commandsProblems" . }}
{{- include "deepspeed-job.launchProblems" . }}
{{- include "deepspeed-job.codeProblems" . }}
{{- include "deepspeed-job.secretsProblems" . }}
{{- include "deepspeed-job.podsProblems" . }}
{{- include "deepspeed-job.containersProblems" . }}
{{- include "deepspeed-job.memoryProblems" . }}
{{- include "deepspeed-job.resizeProblems" . }}
{{- include "deepspeed-job.storageProblems" . }}
{{- include "deepspeed-job.networkProblems" . }}
{{- include "deepspeed-job.schedulingProblems" . }}
{{- include "deepspeed-job.contextsProblems" . }}
{{- include "deepspeed-job.securityProblems" . }}
{{- end }}

{{/* All warnings about the values. */}}
{{- define "deepspeed-job.allWarnings" -}}
{{ include "deepspeed-job.writtenWarnings" . | trim | replace "\n    " " " }}
{{- end }}

{{/* All warnings about the values. A line that begins with four blanks continues the one above it. */}}
{{- define "deepspeed-job.writtenWarnings" -}}
{{- include "deepspeed-job.namesWarnings" . }}
{{- include "deepspeed-job.trainingWarnings" . }}
{{- include "deepspeed-job.commandsWarnings" . }}
{{- include "deepspeed-job.launchWarnings" . }}
{{- include "deepspeed-job.codeWarnings" . }}
{{- include "deepspeed-job.secretsWarnings" . }}
{{- include "deepspeed-job.podsWarnings" . }}
{{- include "deepspeed-job.memoryWarnings" . }}
{{- include "deepspeed-job.storageWarnings" . }}
{{- include "deepspeed-job.estimateWarnings" . }}
{{- include "deepspeed-job.networkWarnings" . }}
{{- include "deepspeed-job.schedulingWarnings" . }}
{{- include "deepspeed-job.contextsWarnings" . }}
{{- end }}
