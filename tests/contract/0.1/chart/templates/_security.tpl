{{/* The security context that the Pod Security level requires, with the user's merged over it. */}}
{{- define "contract.podSecurityContext" -}}
{{- $own := dict }}
{{- if eq .Values.security.podSecurityLevel "restricted" }}
{{- $own = dict "runAsNonRoot" true "seccompProfile" (dict "type" "RuntimeDefault") }}
{{- end }}
{{- $context := mergeOverwrite (deepCopy $own) (deepCopy .Values.security.podSecurityContext) }}
{{- if $context }}
{{ include "contract.yaml" $context }}
{{- end }}
{{- end }}

{{/* The same for containers that run the user's code. */}}
{{- define "contract.securityContext" -}}
{{- $own := dict }}
{{- if eq .Values.security.podSecurityLevel "restricted" }}
{{- $own = dict "allowPrivilegeEscalation" false "capabilities" (dict "drop" (list "ALL")) }}
{{- end }}
{{- $context := mergeOverwrite (deepCopy $own) (deepCopy .Values.security.securityContext) (deepCopy .pod.securityContext) }}
{{- $added := dig "capabilities" "add" (list) $context }}
{{- if and (eq .role "worker") (include "contract.locksMemory" .) (not (has "IPC_LOCK" $added)) }}
{{- $context = mergeOverwrite (deepCopy $context) (dict "capabilities" (dict "add" (concat $added (list "IPC_LOCK")))) }}
{{- end }}
{{- if $context }}
{{ include "contract.yaml" $context }}
{{- end }}
{{- end }}

{{/*
"true" if workers need IPC_LOCK to register memory for
RDMA, and may have it; EFA does not need it. Else empty.
*/}}
{{- define "contract.locksMemory" -}}
{{- $rdma := .Values.network.rdma -}}
{{- if eq $rdma.ipcLock "add" -}}
true
{{- else if and (eq $rdma.ipcLock "auto") $rdma.resources (eq .Values.security.podSecurityLevel "privileged") -}}
{{- if or (not (hasKey $rdma.resources "vpc.amazonaws.com/efa")) (gt (len $rdma.resources) 1) -}}
true
{{- end -}}
{{- end -}}
{{- end }}

{{/*
The context of dsgen's own containers: no privileges, and
the user of the main container, whose files they read.
*/}}
{{- define "contract.ownSecurityContext" -}}
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
  {{- include "contract.yaml" (index $user $field) | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/*
"true" if the pod (values.workers or values.launcher) cannot be
root, so that its image may not know its user id; else empty.
*/}}
{{- define "contract.wantsPasswd" -}}
{{- if eq .Values.ssh.passwdEntry "auto" -}}
{{- if eq .Values.security.podSecurityLevel "restricted" -}}
true
{{- else if or (include "contract.isNotRoot" .Values.security.podSecurityContext)
               (include "contract.isNotRoot" .Values.security.securityContext)
               (include "contract.isNotRoot" .pod.securityContext) -}}
true
{{- end -}}
{{- end -}}
{{- end }}

{{/* "true" for a security context that does not allow root; else empty. */}}
{{- define "contract.isNotRoot" -}}
{{- if or (dig "runAsNonRoot" false .) (dig "runAsUser" 0 .) -}}
true
{{- end -}}
{{- end }}
