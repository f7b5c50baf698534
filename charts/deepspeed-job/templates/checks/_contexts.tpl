{{/* Security contexts under the Pod Security Standards. Rules have the names that the API server uses. */}}

{{/* A message for each error, with a hint below it. */}}
{{- define "deepspeed-job.contextsProblems" -}}
{{- if ne .Values.security.podSecurityLevel "privileged" }}
  {{- if .Values.security.podSecurityContext }}
    {{- $context := .Values.security.podSecurityContext }}
    {{- $where := printf "security.podSecurityContext: Pod Security %s" .Values.security.podSecurityLevel }}
    {{- include "deepspeed-job.contextProblems" (dict "Values" .Values
                                                    "where" $where
                                                    "context" $context) }}

    {{- range $sysctl := dig "sysctls" (list) $context }}
      {{- if and (kindIs "string" $sysctl.name)
                 (not (has $sysctl.name (list "kernel.shm_rmid_forced"
                                              "net.ipv4.ip_local_port_range"
                                              "net.ipv4.ip_unprivileged_port_start"
                                              "net.ipv4.tcp_syncookies" "net.ipv4.ping_group_range"
                                              "net.ipv4.ip_local_reserved_ports"
                                              "net.ipv4.tcp_keepalive_time"
                                              "net.ipv4.tcp_fin_timeout"
                                              "net.ipv4.tcp_keepalive_intvl"
                                              "net.ipv4.tcp_keepalive_probes"))) }}
{{ $where }} forbids the sysctl {{ $sysctl.name | quote }} (forbidden sysctls) [DS328]
  remove it, or set security.podSecurityLevel: privileged if the namespace allows that
      {{- end }}
    {{- end }}
  {{- end }}

  {{- range $part := list "security" "workers" "launcher" }}
    {{- $context := index (index $.Values $part) "securityContext" }}
    {{- $where := printf "%s.securityContext: Pod Security %s" $part $.Values.security.podSecurityLevel }}
    {{- include "deepspeed-job.contextProblems" (dict "Values" $.Values
                                                    "where" $where
                                                    "context" $context) }}

    {{- include "deepspeed-job.containerContextProblems" (dict "Values" $.Values
                                                             "where" $where
                                                             "context" $context) }}

    {{- if eq $.Values.security.podSecurityLevel "restricted" }}
      {{- if dig "allowPrivilegeEscalation" false $context }}
{{ $where }} forbids allowPrivilegeEscalation: true (allowPrivilegeEscalation != false) [DS332]
  set it to false
      {{- end }}

      {{- if not (has "ALL" (dig "capabilities" "drop" (list "ALL") $context)) }}
{{ $where }} forbids capabilities.drop without ALL (unrestricted capabilities) [DS335]
  set capabilities: {drop: [ALL]}
      {{- end }}
    {{- end }}
  {{- end }}

  {{- range $role := list "workers" "launcher" }}
    {{- range $kind := list "initContainers" "sidecars" }}
      {{- range $container := index (index $.Values $role) $kind }}
        {{- if kindIs "string" $container.name }}
          {{- $context := dig "securityContext" (dict) $container }}
          {{- $where := printf "%s.%s: %s: Pod Security %s" $role $kind
                               ($container.name | quote) $.Values.security.podSecurityLevel }}
          {{- include "deepspeed-job.contextProblems" (dict "Values" $.Values
                                                          "where" $where
                                                          "context" $context) }}

          {{- include "deepspeed-job.containerContextProblems" (dict "Values" $.Values
                                                                   "where" $where
                                                                   "context" $context) }}

          {{- if eq $.Values.security.podSecurityLevel "restricted" }}
            {{- if dig "allowPrivilegeEscalation" true $context }}
{{ $where }} forbids containers without allowPrivilegeEscalation: false (allowPrivilegeEscalation != false) [DS332]
  set it to false
            {{- end }}

            {{- if not (has "ALL" (dig "capabilities" "drop" (list) $context)) }}
{{ $where }} forbids capabilities.drop without ALL (unrestricted capabilities) [DS335]
  set capabilities: {drop: [ALL]}
            {{- end }}
          {{- end }}
        {{- end }}
      {{- end }}
    {{- end }}

    {{- range $key, $value := index (index $.Values $role) "podAnnotations" }}
      {{- if and (regexMatch "^container[.]apparmor[.]security[.]beta[.]kubernetes[.]io/.*$" $key)
                 (not (regexMatch "^(runtime/default|localhost/.*)?$" $value)) }}
{{ $role }}.podAnnotations: {{ $key | quote }}: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it
    (forbidden AppArmor profile) [DS329]
  use runtime/default or localhost/PROFILE
      {{- end }}
    {{- end }}
  {{- end }}

  {{- range $key, $value := .Values.annotations }}
    {{- if and (regexMatch "^container[.]apparmor[.]security[.]beta[.]kubernetes[.]io/.*$" $key)
               (not (regexMatch "^(runtime/default|localhost/.*)?$" $value)) }}
annotations: {{ $key | quote }}: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (forbidden AppArmor
    profile) [DS329]
  use runtime/default or localhost/PROFILE
    {{- end }}
  {{- end }}
{{- end }}

{{- if .Values.network.hostNetwork }}
  {{- range $sysctl := dig "sysctls" (list) .Values.security.podSecurityContext }}
    {{- if and (kindIs "string" $sysctl.name) (regexMatch "^net[.].*$" $sysctl.name) }}
security.podSecurityContext: with network.hostNetwork, the sysctl {{ $sysctl.name | quote }} belongs to the node [DS337]
  set it on the nodes instead, or remove network.hostNetwork
    {{- end }}
  {{- end }}
{{- end }}

{{- if and (ne .Values.network.rdma.ipcLock "auto")
           (eq .Values.network.rdma.ipcLock "add")
           (ne .Values.security.podSecurityLevel "privileged") }}
network.rdma.ipcLock: RDMA needs the capability IPC_LOCK, which only the Pod Security level privileged allows [DS320]
  set security.podSecurityLevel: privileged, or network.rdma.ipcLock: omit
{{- end }}
{{- end }}

{{/*
A message for each error in `context`, the security context
of a pod or container. Each begins with `where`, the place.
*/}}
{{- define "deepspeed-job.contextProblems" -}}
{{- if and (kindIs "string" (dig "seccompProfile" "type" "" .context))
           (eq (dig "seccompProfile" "type" "" .context) "Unconfined") }}
{{ .where }} forbids seccompProfile.type Unconfined (seccompProfile) [DS327]
  use RuntimeDefault or Localhost
{{- end }}

{{- if and (kindIs "string" (dig "appArmorProfile" "type" "" .context))
           (eq (dig "appArmorProfile" "type" "" .context) "Unconfined") }}
{{ .where }} forbids appArmorProfile.type Unconfined (forbidden AppArmor profile) [DS329]
  use RuntimeDefault or Localhost
{{- end }}

{{- if or (and (kindIs "string" (dig "seLinuxOptions" "type" "" .context))
               (not (regexMatch (include "deepspeed-job.selinuxTypesPattern" .) (dig "seLinuxOptions" "type" "" .context))))
          (dig "seLinuxOptions" "user" "" .context)
          (dig "seLinuxOptions" "role" "" .context) }}
{{ .where }} forbids seLinuxOptions (seLinuxOptions) [DS326]
  remove user and role; use type container_t, container_init_t, container_kvm_t or container_engine_t
{{- end }}

{{- if dig "windowsOptions" "hostProcess" false .context }}
{{ .where }} forbids windowsOptions.hostProcess (hostProcess) [DS330]
  remove it, or set security.podSecurityLevel: privileged if the namespace allows that
{{- end }}

{{- if eq .Values.security.podSecurityLevel "restricted" }}
  {{- if not (dig "runAsNonRoot" true .context) }}
{{ .where }} forbids runAsNonRoot: false (runAsNonRoot != true) [DS333]
  remove it, and set runAsUser if the user of the image is root
  {{- end }}

  {{- if not (dig "runAsUser" 1 .context) }}
{{ .where }} forbids runAsUser: 0 (runAsUser=0) [DS334]
  use another user, such as 1000
  {{- end }}
{{- end }}
{{- end }}

{{/*
A message for each error in `context`, the security context
of a container. Each begins with `where`, the place.
*/}}
{{- define "deepspeed-job.containerContextProblems" -}}
{{- if dig "privileged" false .context }}
{{ .where }} forbids privileged: true (privileged) [DS321]
  remove it, or set security.podSecurityLevel: privileged if the namespace allows that
{{- end }}

{{- if and (kindIs "string" (dig "procMount" "" .context))
           (not (has (dig "procMount" "" .context) (list "" "Default"))) }}
{{ .where }} forbids procMount (procMount) [DS325]
  remove it, or set security.podSecurityLevel: privileged if the namespace allows that
{{- end }}

{{- if eq .Values.security.podSecurityLevel "baseline" }}
  {{- range $capability := dig "capabilities" "add" (list) .context }}
    {{- if and (kindIs "string" $capability)
               (not (has $capability (list "AUDIT_WRITE" "CHOWN" "DAC_OVERRIDE" "FOWNER" "FSETID"
                                           "KILL" "MKNOD" "NET_BIND_SERVICE" "SETFCAP" "SETGID"
                                           "SETPCAP" "SETUID" "SYS_CHROOT"))) }}
{{ $.where }} forbids the capability {{ $capability | quote }} (non-default capabilities) [DS320]
  remove it, or set security.podSecurityLevel: privileged if the namespace allows that
    {{- end }}
  {{- end }}
{{- end }}

{{- if eq .Values.security.podSecurityLevel "restricted" }}
  {{- range $capability := dig "capabilities" "add" (list) .context }}
    {{- if and (kindIs "string" $capability) (ne $capability "NET_BIND_SERVICE") }}
{{ $.where }} forbids the capability {{ $capability | quote }} (unrestricted capabilities) [DS320]
  remove it, or set security.podSecurityLevel: privileged if the namespace allows that
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{/* A message for each warning, with a hint below it. */}}
{{- define "deepspeed-job.contextsWarnings" -}}
{{- if and (eq .Values.security.podSecurityLevel "restricted")
           (not (hasKey .Values.security.podSecurityContext "runAsUser"))
           (not (hasKey .Values.security.podSecurityContext "runAsNonRoot"))
           (not (hasKey .Values.security.securityContext "runAsUser"))
           (not (hasKey .Values.security.securityContext "runAsNonRoot"))
           (not (hasKey .Values.workers.securityContext "runAsUser"))
           (not (hasKey .Values.workers.securityContext "runAsNonRoot")) }}
security.podSecurityLevel: at restricted without a uid, the kubelet refuses an image that runs as root [DS367]
  set security.podSecurityContext: {runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000}; if the image has another user
    than root or the cluster assigns one, set runAsNonRoot: true instead
{{- end }}
{{- end }}
