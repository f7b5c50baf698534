{{/* The security context that the Pod Security level requires, with the user's merged over it. */}}
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

{{/*
The security context of containers that run the user's code: what the Pod Security
level requires, otherwise without the privileges that hardly any image needs.
Kubernetes refuses allowPrivilegeEscalation: false beside privileged and CAP_SYS_ADMIN.
*/}}
{{- define "deepspeed-job.securityContext" -}}
{{- $user := mergeOverwrite (deepCopy .Values.security.securityContext) (deepCopy .pod.securityContext) }}
{{- $added := dig "capabilities" "add" (list) $user }}
{{- $own := dict }}
{{- if eq .Values.security.podSecurityLevel "restricted" }}
{{- $own = dict "allowPrivilegeEscalation" false "capabilities" (dict "drop" (list "ALL")) }}
{{- else if not (dig "privileged" false $user) }}
{{- if not (has "CAP_SYS_ADMIN" $added) }}
{{- $own = dict "allowPrivilegeEscalation" false }}
{{- end }}
{{- if and (not (has "NET_RAW" $added)) (not (has "ALL" $added)) }}
{{- $own = mergeOverwrite (deepCopy $own) (dict "capabilities" (dict "drop" (list "NET_RAW"))) }}
{{- end }}
{{- end }}
{{- $context := mergeOverwrite (deepCopy $own) (deepCopy $user) }}
{{- if and (eq .role "worker")
           (include "deepspeed-job.locksMemory" .)
           (not (has "IPC_LOCK" $added)) }}
{{- $context = mergeOverwrite $context (dict
    "capabilities" (dict "add" (concat $added (list "IPC_LOCK")))) }}
{{- end }}
{{ include "deepspeed-job.yaml" $context }}
{{- end }}

{{/*
"true" if workers need IPC_LOCK to register memory for
RDMA, and may have it; EFA does not need it. Else empty.
*/}}
{{- define "deepspeed-job.locksMemory" -}}
{{- $rdma := .Values.network.rdma -}}
{{- if or (eq $rdma.ipcLock "add")
          (and (eq $rdma.ipcLock "auto")
               $rdma.resources
               (eq .Values.security.podSecurityLevel "privileged")
               (or (not (hasKey $rdma.resources "vpc.amazonaws.com/efa"))
                   (gt (len $rdma.resources) 1))) -}}
true
{{- end -}}
{{- end }}

{{/*
The context of dsgen's own containers: no privileges, and
the user of the main container, whose files they read.
*/}}
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

{{/* "true" if the pod gets a passwd file, because its image may not know its user id; else empty. */}}
{{- define "deepspeed-job.wantsPasswd" -}}
{{- if and (eq .Values.ssh.passwdEntry "auto") (include "deepspeed-job.isNeverRoot" .) -}}
true
{{- end -}}
{{- end }}

{{/* "true" if the pod (values.workers or values.launcher) cannot be root; else empty. */}}
{{- define "deepspeed-job.isNeverRoot" -}}
{{- if or (eq .Values.security.podSecurityLevel "restricted")
          (include "deepspeed-job.isNotRoot" .Values.security.podSecurityContext)
          (include "deepspeed-job.isNotRoot" .Values.security.securityContext)
          (include "deepspeed-job.isNotRoot" .pod.securityContext) -}}
true
{{- end -}}
{{- end }}

{{/* "true" for a security context that does not allow root; else empty. */}}
{{- define "deepspeed-job.isNotRoot" -}}
{{- if or (dig "runAsNonRoot" false .) (dig "runAsUser" 0 .) -}}
true
{{- end -}}
{{- end }}
