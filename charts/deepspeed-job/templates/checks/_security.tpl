{{/* The other rules of the Pod Security Standards: host namespaces and ports, volumes, probes, annotations. */}}

{{/* A message for each error, with a hint below it. */}}
{{- define "deepspeed-job.securityProblems" -}}
{{- if and (or .Values.rbac.create .Values.serviceAccount.create)
           (eq (include "deepspeed-job.serviceAccountName" .) "default") }}
serviceAccount: every pod of the namespace may use the ServiceAccount default, and could read the ssh key and write the
    record [DS380]
  set serviceAccount.name to one that only this job uses, or remove serviceAccount
{{- end }}

{{- if ne .Values.security.podSecurityLevel "privileged" }}
  {{- if .Values.network.hostNetwork }}
network.hostNetwork: Pod Security {{ .Values.security.podSecurityLevel }} forbids it (host namespaces) [DS322]
  remove it, or set security.podSecurityLevel: privileged if the namespace allows that
  {{- end }}

  {{- range $name, $volume := .Values.storage }}
    {{- if eq (include "deepspeed-job.firstSource" $volume) "hostPath" }}
storage.{{ $name }}.hostPath: Pod Security {{ $.Values.security.podSecurityLevel }} forbids it (hostPath volumes)
    [DS323]
  use another source, or set security.podSecurityLevel: privileged if the namespace allows that
    {{- end }}

    {{- if and (eq $.Values.security.podSecurityLevel "restricted")
               (eq (include "deepspeed-job.firstSource" $volume) "nfs") }}
storage.{{ $name }}.nfs: Pod Security restricted forbids it (restricted volume types) [DS331]
  use a claim: set create.persistentVolume.nfs, or existingClaim
    {{- end }}
  {{- end }}

  {{- range $role := list "workers" "launcher" }}
    {{- range $kind := list "initContainers" "sidecars" }}
      {{- range $container := index (index $.Values $role) $kind }}
        {{- range $port := dig "ports" (list) $container }}
          {{- if $port.hostPort }}
{{ $role }}.{{ $kind }}: Pod Security {{ $.Values.security.podSecurityLevel }} forbids a hostPort (hostPort) [DS324]
  remove it: pods can reach each other without hostPort
          {{- end }}
        {{- end }}

        {{- include "deepspeed-job.hostsProblems" (dict "Values" $.Values
                                                      "where" (printf "%s.%s" $role $kind)
                                                      "container" $container) }}
      {{- end }}
    {{- end }}

    {{- include "deepspeed-job.hostsProblems" (dict "Values" $.Values
                                                  "where" (printf "%s.extraContainerSpec" $role)
                                                  "container" (index (index $.Values $role) "extraContainerSpec")) }}

    {{- if dig "hostPID" false (index (index $.Values $role) "extraPodSpec") }}
{{ $role }}.extraPodSpec: Pod Security {{ $.Values.security.podSecurityLevel }} forbids hostPID (host namespaces)
    [DS322]
  remove it, or set security.podSecurityLevel: privileged if the namespace allows that
    {{- end }}

    {{- if dig "hostIPC" false (index (index $.Values $role) "extraPodSpec") }}
{{ $role }}.extraPodSpec: Pod Security {{ $.Values.security.podSecurityLevel }} forbids hostIPC (host namespaces)
    [DS322]
  remove it, or set security.podSecurityLevel: privileged if the namespace allows that
    {{- end }}
  {{- end }}
{{- end }}

{{- range $role := list "workers" "launcher" }}
  {{- range $field := list "hostPID" "shareProcessNamespace" }}
    {{- if and (dig $field false (index (index $.Values $role) "extraPodSpec"))
               (or (ne $field "hostPID") (eq $.Values.security.podSecurityLevel "privileged")) }}
{{ $role }}.extraPodSpec: with {{ $field }} the training code could read the token of the status sidecar and the ssh key
    through /proc [DS344]
  remove it; debuggers such as py-spy do not need it within one container
    {{- end }}
  {{- end }}
{{- end }}

{{- range $name, $volume := .Values.storage }}
  {{- if and (ne $volume.projected nil)
             (include "deepspeed-job.hasVolume" (dict "Values" $.Values
                                                    "pod" $.Values.launcher
                                                    "pods" "launcher"
                                                    "name" $name
                                                    "volume" $volume) | trim) }}
    {{- range $source := dig "sources" (list) $volume.projected }}
      {{- if and (hasKey $source "serviceAccountToken")
                 (not (dig "serviceAccountToken" "audience" "" $source)) }}
storage.{{ $name }}: with a token of the launcher's ServiceAccount, the training code could change the record and read
    the ssh key [DS374]
  set mountIn: workers and workers.serviceAccountName; for another service, set its audience
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{/* A message for each error in probes and hooks. Each begins with `where`, the place. */}}
{{- define "deepspeed-job.hostsProblems" -}}
{{- range $probe := list "livenessProbe" "readinessProbe" "startupProbe" }}
  {{- range $action := list "httpGet" "tcpSocket" }}
    {{- if dig $probe $action "host" "" $.container }}
{{ $.where }}: {{ $probe }}: Pod Security {{ $.Values.security.podSecurityLevel }} forbids the host of {{ $action }}
    (probe or lifecycle host) [DS336]
  remove host: the default is the pod itself
    {{- end }}
  {{- end }}
{{- end }}

{{- range $hook := list "postStart" "preStop" }}
  {{- range $action := list "httpGet" "tcpSocket" }}
    {{- if dig "lifecycle" $hook $action "host" "" $.container }}
{{ $.where }}: {{ $hook }}: Pod Security {{ $.Values.security.podSecurityLevel }} forbids the host of {{ $action }}
    (probe or lifecycle host) [DS336]
  remove host: the default is the pod itself
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}
