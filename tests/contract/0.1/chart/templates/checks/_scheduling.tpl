{{/* Queues, gangs and topology: what a scheduler refuses, or waits for without a word. */}}

{{/* A message for each problem, with a hint below it. */}}
{{- define "contract.schedulingProblems" -}}
{{- if .Values.scheduling.launcherQueue }}
  {{- if eq .Values.scheduling.launcherQueue .Values.scheduling.queue }}
scheduling.launcherQueue is the workers' queue, in which two runs can block each other for ever [DS300]
  give the launcher a queue with a quota of its own, or leave launcherQueue out
  {{- end }}

  {{- if not (include "contract.kueueQueue" (dict "Values" .Values "role" "worker")) }}
scheduling.launcherQueue is a queue of Kueue's, and the workers have none [DS301]
  set scheduling.queue too, without gang: volcano
  {{- end }}
{{- end }}

{{- if and .Values.scheduling.priorityClass (not .Values.scheduling.queue) (ne .Values.scheduling.gang "volcano") }}
scheduling.priorityClass is for a queue, and there is none [DS302]
  set scheduling.queue; the priority of the pods is workers.priorityClassName
{{- end }}

{{- if or .Values.scheduling.topology.required .Values.scheduling.topology.preferred }}
  {{- if and .Values.scheduling.topology.required .Values.scheduling.topology.preferred }}
scheduling.topology: required and preferred exclude one another [DS303]
  keep one of them
  {{- end }}

  {{- if and (not (include "contract.kueueQueue" (dict "Values" .Values "role" "worker")))
             (hasKey .Values.workers.affinity "podAffinity") }}
workers.affinity has a podAffinity, which scheduling.topology writes [DS304]
  keep one of them
  {{- end }}

  {{- if and (eq .Values.scheduling.topology.required "kubernetes.io/hostname")
             (eq .Values.workers.spread "required")
             (gt (int64 .Values.workers.replicas) 1) }}
workers.spread wants every worker on a node of its own, scheduling.topology.required all on one [DS305]
  keep one of them
  {{- end }}
{{- end }}

{{- if and .Values.scheduling.queue (ne .Values.scheduling.gang "volcano") (ne .Values.lifecycle.suspend nil) }}
lifecycle.suspend: with scheduling.queue, Kueue alone suspends the workers and resumes them [DS309]
  remove it; to pause, set spec.active: false in the run's Workload
{{- end }}

{{- if and .Values.workers.schedulerName
           (ne .Values.scheduling.gang "none")
           (eq .Values.workers.schedulerName "default-scheduler") }}
workers.schedulerName: the default scheduler does not know scheduling.gang {{ .Values.scheduling.gang }} [DS310]
  name the scheduler that does, or leave it out
{{- end }}
{{- end }}

{{/* What is worth a look, in the same form. */}}
{{- define "contract.schedulingWarnings" -}}
{{- if and .Values.scheduling.queue (ne .Values.scheduling.gang "volcano") }}
  {{- if .Values.workers.nodeSelector }}
workers.nodeSelector: Kueue looks only at labels that its flavors have; by any other the pods may wait while they hold the quota [DS308]
  let the queue choose the nodes, or make sure that a ResourceFlavor has these labels
  {{- end }}

  {{- if .Values.workers.affinity }}
workers.affinity: Kueue looks only at labels that its flavors have; by any other the pods may wait while they hold the quota [DS308]
  let the queue choose the nodes, or make sure that a ResourceFlavor has these labels
  {{- end }}

  {{- if .Values.workers.tolerations }}
workers.tolerations: the flavor of the queue must have no tolerations of its own, or exactly these and none with tolerationSeconds [DS307]
  leave them out where the flavor has them
  {{- end }}

  {{- range $key, $quantity := .Values.workers.resources.requests }}
    {{- if not (has $key (list "cpu" "memory")) }}
workers.resources.requests: the queue {{ $.Values.scheduling.queue | quote }} must cover {{ $key | quote }}, or the workers wait for ever [DS306]
  look at spec.resourceGroups of the ClusterQueue, or at excludeResourcePrefixes of Kueue's configuration
    {{- end }}
  {{- end }}

  {{- range $key, $quantity := .Values.network.rdma.resources }}
    {{- if not (has $key (list "cpu" "memory")) }}
network.rdma.resources: the queue {{ $.Values.scheduling.queue | quote }} must cover {{ $key | quote }}, or the workers wait for ever [DS306]
  look at spec.resourceGroups of the ClusterQueue, or at excludeResourcePrefixes of Kueue's configuration
    {{- end }}
  {{- end }}

  {{- range $key, $quantity := .Values.workers.resources.limits }}
    {{- if and (not (has $key (list "cpu" "memory"))) (not (hasKey $.Values.workers.resources.requests $key)) }}
workers.resources.limits: the queue {{ $.Values.scheduling.queue | quote }} must cover {{ $key | quote }}, or the workers wait for ever [DS306]
  look at spec.resourceGroups of the ClusterQueue, or at excludeResourcePrefixes of Kueue's configuration
    {{- end }}
  {{- end }}

  {{- range $kind := list "initContainers" "sidecars" }}
    {{- range $container := index $.Values.workers $kind }}
      {{- range $amounts := list "requests" "limits" }}
        {{- range $key, $quantity := dig "resources" $amounts (dict) $container }}
          {{- if and (not (has $key (list "cpu" "memory")))
                     (or (eq $amounts "requests") (not (hasKey (dig "resources" "requests" (dict) $container) $key))) }}
workers.{{ $kind }}: the queue {{ $.Values.scheduling.queue | quote }} must cover {{ $key | quote }}, or the workers wait for ever [DS306]
  look at spec.resourceGroups of the ClusterQueue, or at excludeResourcePrefixes of Kueue's configuration
          {{- end }}
        {{- end }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}

{{- if .Values.scheduling.launcherQueue }}
  {{- if .Values.launcher.nodeSelector }}
launcher.nodeSelector: Kueue looks only at labels that its flavors have; by any other the pods may wait while they hold the quota [DS308]
  let the queue choose the nodes, or make sure that a ResourceFlavor has these labels
  {{- end }}

  {{- if .Values.launcher.affinity }}
launcher.affinity: Kueue looks only at labels that its flavors have; by any other the pods may wait while they hold the quota [DS308]
  let the queue choose the nodes, or make sure that a ResourceFlavor has these labels
  {{- end }}

  {{- if .Values.launcher.tolerations }}
launcher.tolerations: the flavor of the launcher's queue must have no tolerations of its own, or exactly these and none with tolerationSeconds [DS307]
  leave them out where the flavor has them
  {{- end }}

  {{- range $key, $quantity := .Values.launcher.resources.requests }}
    {{- if not (has $key (list "cpu" "memory")) }}
launcher.resources.requests: the queue {{ $.Values.scheduling.launcherQueue | quote }} must cover {{ $key | quote }}, or the launcher waits for ever [DS306]
  look at spec.resourceGroups of the ClusterQueue, or at excludeResourcePrefixes of Kueue's configuration
    {{- end }}
  {{- end }}

  {{- range $key, $quantity := .Values.launcher.resources.limits }}
    {{- if and (not (has $key (list "cpu" "memory"))) (not (hasKey $.Values.launcher.resources.requests $key)) }}
launcher.resources.limits: the queue {{ $.Values.scheduling.launcherQueue | quote }} must cover {{ $key | quote }}, or the launcher waits for ever [DS306]
  look at spec.resourceGroups of the ClusterQueue, or at excludeResourcePrefixes of Kueue's configuration
    {{- end }}
  {{- end }}

  {{- range $kind := list "initContainers" "sidecars" }}
    {{- range $container := index $.Values.launcher $kind }}
      {{- range $amounts := list "requests" "limits" }}
        {{- range $key, $quantity := dig "resources" $amounts (dict) $container }}
          {{- if and (not (has $key (list "cpu" "memory")))
                     (or (eq $amounts "requests") (not (hasKey (dig "resources" "requests" (dict) $container) $key))) }}
launcher.{{ $kind }}: the queue {{ $.Values.scheduling.launcherQueue | quote }} must cover {{ $key | quote }}, or the launcher waits for ever [DS306]
  look at spec.resourceGroups of the ClusterQueue, or at excludeResourcePrefixes of Kueue's configuration
          {{- end }}
        {{- end }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}
