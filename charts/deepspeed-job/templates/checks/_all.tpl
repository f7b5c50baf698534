{{/* All errors in the values. A line that begins with four blanks continues the one above it. */}}
{{- define "deepspeed-job.allProblems" -}}
{{ list (include "deepspeed-job.namesProblems" . | trim)
        (include "deepspeed-job.trainingProblems" . | trim)
        (include "deepspeed-job.commandsProblems" . | trim)
        (include "deepspeed-job.launchProblems" . | trim)
        (include "deepspeed-job.codeProblems" . | trim)
        (include "deepspeed-job.secretsProblems" . | trim)
        (include "deepspeed-job.podsProblems" . | trim)
        (include "deepspeed-job.containersProblems" . | trim)
        (include "deepspeed-job.memoryProblems" . | trim)
        (include "deepspeed-job.resizeProblems" . | trim)
        (include "deepspeed-job.storageProblems" . | trim)
        (include "deepspeed-job.networkProblems" . | trim)
        (include "deepspeed-job.schedulingProblems" . | trim)
        (include "deepspeed-job.contextsProblems" . | trim)
        (include "deepspeed-job.securityProblems" . | trim) | compact | join "\n" | replace "\n    " " " }}
{{- end }}

{{/* All warnings about the values. A line that begins with four blanks continues the one above it. */}}
{{- define "deepspeed-job.allWarnings" -}}
{{ list (include "deepspeed-job.namesWarnings" . | trim)
        (include "deepspeed-job.trainingWarnings" . | trim)
        (include "deepspeed-job.commandsWarnings" . | trim)
        (include "deepspeed-job.launchWarnings" . | trim)
        (include "deepspeed-job.codeWarnings" . | trim)
        (include "deepspeed-job.secretsWarnings" . | trim)
        (include "deepspeed-job.podsWarnings" . | trim)
        (include "deepspeed-job.memoryWarnings" . | trim)
        (include "deepspeed-job.storageWarnings" . | trim)
        (include "deepspeed-job.estimateWarnings" . | trim)
        (include "deepspeed-job.networkWarnings" . | trim)
        (include "deepspeed-job.schedulingWarnings" . | trim)
        (include "deepspeed-job.contextsWarnings" . | trim) | compact | join "\n" | replace "\n    " " " }}
{{- end }}
