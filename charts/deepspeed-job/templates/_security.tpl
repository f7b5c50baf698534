{{/* What the Pod Security level needs, the user's context laid over it. */}}
{{- define "deepspeed-job.podSecurityContext" -}}
{{- $own := dict }}
{{- if eq .Values.security.podSecurityLevel "restricted" }}
{{- $own = dict "runAsNonRoot" true "seccompProfile" (dict "type" "RuntimeDefault") }}
{{- end }}
{{- $context := mergeOverwrite (deepCopy $own) (deepCopy .Values.security.podSecurityContext) }}
{{- if $context }}
{{ include "deepspeed-job.yaml" $context }}
{{- end }}
{{- end }}

{{/* The same for a container that runs the user's code. */}}
{{- define "deepspeed-job.securityContext" -}}
{{- $own := dict }}
{{- if eq .Values.security.podSecurityLevel "restricted" }}
{{- $own = dict "allowPrivilegeEscalation" false "capabilities" (dict "drop" (list "ALL")) }}
{{- end }}
{{- $context := mergeOverwrite (deepCopy $own) (deepCopy .Values.security.securityContext) (deepCopy .pod.securityContext) }}
{{- $added := dig "capabilities" "add" (list) $context }}
{{- if and (eq .role "worker") (include "deepspeed-job.locksMemory" .) (not (has "IPC_LOCK" $added)) }}
{{- $context = mergeOverwrite (deepCopy $context) (dict "capabilities" (dict "add" (concat $added (list "IPC_LOCK")))) }}
{{- end }}
{{- if $context }}
{{ include "deepspeed-job.yaml" $context }}
{{- end }}
{{- end }}

{{/*
"true" where workers need IPC_LOCK, to register memory
for RDMA, and may have it; EFA does without. Else empty.
*/}}
{{- define "deepspeed-job.locksMemory" -}}
{{- $rdma := .Values.network.rdma -}}
{{- if eq $rdma.ipcLock "add" -}}
true
{{- else if and (eq $rdma.ipcLock "auto") $rdma.resources (eq .Values.security.podSecurityLevel "privileged") -}}
{{- if or (not (hasKey $rdma.resources "vpc.amazonaws.com/efa")) (gt (len $rdma.resources) 1) -}}
true
{{- end -}}
{{- end -}}
{{- end }}

{{/* The context of a container of dsgen's own: the main container's user, whose files it reads, and no privileges. */}}
{{- define "deepspeed-job.ownSecurityContext" -}}
allowPrivilegeEscalation: false
capabilities:
  drop: [ALL]
readOnlyRootFilesystem: true
seccompProfile:
  type: RuntimeDefault
{{- $user := mergeOverwrite (deepCopy .Values.security.securityContext) (deepCopy .pod.securityContext) }}
{{- range $field := list "runAsGroup" "runAsNonRoot" "runAsUser" }}
{{- if hasKey $user $field }}
{{ $field }}:
  {{- include "deepspeed-job.yaml" (index $user $field) | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/*
"true" where the pod, values.workers or values.launcher, cannot be
root, so that the image may not know its user id; empty elsewhere.
*/}}
{{- define "deepspeed-job.wantsPasswd" -}}
{{- if eq .Values.ssh.passwdEntry "auto" -}}
{{- if eq .Values.security.podSecurityLevel "restricted" -}}
true
{{- else if or (include "deepspeed-job.isNotRoot" .Values.security.podSecurityContext)
               (include "deepspeed-job.isNotRoot" .Values.security.securityContext)
               (include "deepspeed-job.isNotRoot" .pod.securityContext) -}}
true
{{- end -}}
{{- end -}}
{{- end }}

{{/* "true" for the security context of a pod or container in which nobody is root; empty elsewhere. */}}
{{- define "deepspeed-job.isNotRoot" -}}
{{- if or (dig "runAsNonRoot" false .) (dig "runAsUser" 0 .) -}}
true
{{- end -}}
{{- end }}
