{{/* Queues, gangs and topology: what a scheduler refuses, and what makes a Job wait forever. */}}

{{/* A message for each error, with a hint below it. */}}
{{- define "deepspeed-job.schedulingProblems" -}}
{{- if .Values.scheduling.launcherQueue }}
  {{- if eq .Values.scheduling.launcherQueue .Values.scheduling.queue }}
scheduling.launcherQueue is the same queue as scheduling.queue; in it, two runs can block each other forever [DS300]
  give the launcher a queue with its own quota, or remove launcherQueue
  {{- end }}

  {{- if not (include "deepspeed-job.kueueQueue" (dict "Values" .Values "role" "worker")) }}
scheduling.launcherQueue is a queue of Kueue, but the workers have no such queue [DS301]
  also set scheduling.queue, without gang: volcano
  {{- end }}
{{- end }}

{{- if and .Values.scheduling.priorityClass
           (not .Values.scheduling.queue)
           (ne .Values.scheduling.gang "volcano") }}
scheduling.priorityClass is the priority in a queue, but scheduling.queue is not set [DS302]
  set scheduling.queue; for the priority of the pods, use workers.priorityClassName
{{- end }}

{{- if or .Values.scheduling.topology.required .Values.scheduling.topology.preferred }}
  {{- if and .Values.scheduling.topology.required .Values.scheduling.topology.preferred }}
scheduling.topology: required and preferred are mutually exclusive [DS303]
  keep one of them
  {{- end }}

  {{- if and (not (include "deepspeed-job.kueueQueue" (dict "Values" .Values "role" "worker")))
             (hasKey .Values.workers.affinity "podAffinity") }}
workers.affinity has a podAffinity, but dsgen writes one from scheduling.topology [DS304]
  keep one of them
  {{- end }}

  {{- if and (eq .Values.scheduling.topology.required "kubernetes.io/hostname")
             (eq .Values.workers.spread "required")
             (gt (int64 .Values.workers.replicas) 1) }}
workers.spread puts every worker on its own node, but scheduling.topology.required puts all on one node [DS305]
  keep one of them
  {{- end }}
{{- end }}

{{- if and .Values.workers.excludeNodes
           (hasKey .Values.workers.nodeSelector "kubernetes.io/hostname")
           (has (dig "kubernetes.io/hostname" "" .Values.workers.nodeSelector) .Values.workers.excludeNodes) }}
workers.excludeNodes has the node that workers.nodeSelector selects: the workers would wait forever [DS311]
  remove it from one of them
{{- end }}

{{- if and .Values.scheduling.queue
           (ne .Values.scheduling.gang "volcano")
           (ne .Values.lifecycle.suspend nil) }}
lifecycle.suspend: with scheduling.queue, only Kueue suspends and resumes the workers [DS309]
  remove it; to pause, set spec.active: false in the run's Workload
{{- end }}

{{- if and .Values.workers.schedulerName
           (ne .Values.scheduling.gang "none")
           (eq .Values.workers.schedulerName "default-scheduler") }}
workers.schedulerName: the default scheduler does not support scheduling.gang: {{ .Values.scheduling.gang }} [DS310]
  set it to the gang scheduler, or remove it
{{- end }}

{{- if and .Values.network.hostNetwork
           (eq .Values.scheduling.topology.required "kubernetes.io/hostname")
           (gt (include "deepspeed-job.workerPods" . | int64) 1) }}
network.hostNetwork: each worker needs the ports of its own node, but scheduling.topology.required puts all workers on
    one node [DS305]
  keep one of them
{{- end }}
{{- end }}

{{/* A message for each warning, with a hint below it. */}}
{{- define "deepspeed-job.schedulingWarnings" -}}
{{- if and .Values.scheduling.queue (ne .Values.scheduling.gang "volcano") }}
  {{- include "deepspeed-job.queueWarnings" (dict "where" "workers"
                                                "pod" .Values.workers
                                                "queue" .Values.scheduling.queue
                                                "who" "the workers wait") }}

  {{- if .Values.workers.tolerations }}
workers.tolerations: the flavor of the queue must have no tolerations, or exactly the same ones, all without
    tolerationSeconds [DS307]
  remove them if the flavor has them
  {{- end }}

  {{- range $key, $quantity := .Values.network.rdma.resources }}
    {{- if not (has $key (list "cpu" "memory")) }}
network.rdma.resources: the queue {{ $.Values.scheduling.queue | quote }} must cover {{ $key | quote }}, or the workers
    wait forever [DS306]
  check spec.resourceGroups of the ClusterQueue, and excludeResourcePrefixes in Kueue's configuration
    {{- end }}
  {{- end }}
{{- end }}

{{- if .Values.scheduling.launcherQueue }}
  {{- include "deepspeed-job.queueWarnings" (dict "where" "launcher"
                                                "pod" .Values.launcher
                                                "queue" .Values.scheduling.launcherQueue
                                                "who" "the launcher waits") }}

  {{- if .Values.launcher.tolerations }}
launcher.tolerations: the flavor of the launcher's queue must have no tolerations, or exactly the same ones, all without
    tolerationSeconds [DS307]
  remove them if the flavor has them
  {{- end }}
{{- end }}
{{- end }}

{{/*
A message for each warning in a pod that waits in a queue;
`who` says that it waits. Each begins with `where`, the place.
*/}}
{{- define "deepspeed-job.queueWarnings" -}}
{{- if .pod.nodeSelector }}
{{ .where }}.nodeSelector: Kueue considers only labels of its flavors; with other labels the pods may hold quota while
    they wait for a node [DS308]
  let the queue choose the nodes, or make sure that a ResourceFlavor has these labels
{{- end }}

{{- if .pod.affinity }}
{{ .where }}.affinity: Kueue considers only labels of its flavors; with other labels the pods may hold quota while they
    wait for a node [DS308]
  let the queue choose the nodes, or make sure that a ResourceFlavor has these labels
{{- end }}

{{- range $key, $quantity := .pod.resources.requests }}
  {{- if not (has $key (list "cpu" "memory")) }}
{{ $.where }}.resources.requests: the queue {{ $.queue | quote }} must cover {{ $key | quote }}, or {{ $.who }} forever
    [DS306]
  check spec.resourceGroups of the ClusterQueue, and excludeResourcePrefixes in Kueue's configuration
  {{- end }}
{{- end }}

{{- range $key, $quantity := .pod.resources.limits }}
  {{- if and (not (has $key (list "cpu" "memory"))) (not (hasKey $.pod.resources.requests $key)) }}
{{ $.where }}.resources.limits: the queue {{ $.queue | quote }} must cover {{ $key | quote }}, or {{ $.who }} forever
    [DS306]
  check spec.resourceGroups of the ClusterQueue, and excludeResourcePrefixes in Kueue's configuration
  {{- end }}
{{- end }}

{{- range $kind := list "initContainers" "sidecars" }}
  {{- range $container := index $.pod $kind }}
    {{- range $amounts := list "requests" "limits" }}
      {{- range $key, $quantity := dig "resources" $amounts (dict) $container }}
        {{- if and (not (has $key (list "cpu" "memory")))
                   (or (eq $amounts "requests")
                       (not (hasKey (dig "resources" "requests" (dict) $container) $key))) }}
{{ $.where }}.{{ $kind }}: the queue {{ $.queue | quote }} must cover {{ $key | quote }}, or {{ $.who }} forever [DS306]
  check spec.resourceGroups of the ClusterQueue, and excludeResourcePrefixes in Kueue's configuration
        {{- end }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}
