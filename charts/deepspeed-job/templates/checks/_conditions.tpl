{{/* Questions that several checks ask. */}}

{{/* "true" where launch.command is started, and nothing of training; empty elsewhere. */}}
{{- define "deepspeed-job.runsCommand" -}}
{{- if has .Values.launch.method (list "worker-command" "launcher-command") -}}
true
{{- end -}}
{{- end }}

{{/* "true" where the workers cannot be root; empty elsewhere. */}}
{{- define "deepspeed-job.workersNotRoot" -}}
{{- if eq .Values.security.podSecurityLevel "restricted" -}}
true
{{- else if or (include "deepspeed-job.isNotRoot" .Values.security.podSecurityContext)
               (include "deepspeed-job.isNotRoot" .Values.security.securityContext)
               (include "deepspeed-job.isNotRoot" .Values.workers.securityContext) -}}
true
{{- end -}}
{{- end }}

{{/* "true" for a repository that git reaches over ssh: ssh://HOST/PATH or HOST:PATH; empty for others. */}}
{{- define "deepspeed-job.gitOverSsh" -}}
{{- if or (regexMatch "^ssh://.*$" .) (regexMatch "^[^/:]+:([^/].*|/[^/].*)$" .) -}}
true
{{- end -}}
{{- end }}

{{/* "true" for a path at which dsgen or the system has files; empty for others. */}}
{{- define "deepspeed-job.reservedPath" -}}
{{- if regexMatch "^/(job|etc/(dsgen|dsgen-keys|dsgen-status|dsgen-git|dsgen-webhook|mpi))(/.*)?$" . -}}
true
{{- else if regexMatch "^/((var/)?run/dsgen(-[a-z]+)?|(var/)?run/secrets/dsgen|etc/ssh/ssh_config|etc/passwd)(/.*)?$" . -}}
true
{{- else if regexMatch "^/(etc|etc/ssh|run|var|var/run|var/run/secrets|dev|proc|sys)$" . -}}
true
{{- end -}}
{{- end }}

{{/* The source of a volume, the first of several; empty when it has none. */}}
{{- define "deepspeed-job.firstSource" -}}
{{- if dig "existingClaim" "" . -}}
existingClaim
{{- else if ne .create nil -}}
create
{{- else if ne .nfs nil -}}
nfs
{{- else if ne .hostPath nil -}}
hostPath
{{- else if ne .emptyDir nil -}}
emptyDir
{{- else if ne .ephemeral nil -}}
ephemeral
{{- else if ne .csi nil -}}
csi
{{- else if ne .configMap nil -}}
configMap
{{- else if ne .secret nil -}}
secret
{{- else if ne .projected nil -}}
projected
{{- end -}}
{{- end }}
