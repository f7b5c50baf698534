{{/* Queues, gangs and affinity. `role` is worker or launcher, `pod` is values.workers or values.launcher. */}}

{{/* The Kueue queue of a Job, or empty. With gang: volcano, the queue of the workers is a queue of Volcano. */}}
{{- define "deepspeed-job.kueueQueue" -}}
{{- if eq .role "launcher" -}}
{{ .Values.scheduling.launcherQueue }}
{{- else if ne .Values.scheduling.gang "volcano" -}}
{{ .Values.scheduling.queue }}
{{- end -}}
{{- end }}

{{/*
The PodGroup of the workers. Its name contains their
number: with another number, the run gets another PodGroup.
*/}}
{{- define "deepspeed-job.gangName" -}}
{{ include "deepspeed-job.runName" . }}-{{ include "deepspeed-job.workerPods" . }}
{{- end }}

{{/*
Labels of a Job, with those that put it into its queue. Pods
do not have the latter: Kueue admits the Job as a whole.
*/}}
{{- define "deepspeed-job.jobLabels" -}}
{{ include "deepspeed-job.runLabels" . }}
{{- $queue := include "deepspeed-job.kueueQueue" . }}
{{- if $queue }}
kueue.x-k8s.io/queue-name: {{ $queue | quote }}
{{- if .Values.scheduling.priorityClass }}
kueue.x-k8s.io/priority-class: {{ .Values.scheduling.priorityClass | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* The scheduler of a pod: the user's, or for workers that of the gang; empty for the cluster's default. */}}
{{- define "deepspeed-job.schedulerName" -}}
{{- if .pod.schedulerName -}}
{{ .pod.schedulerName }}
{{- else if eq .role "worker" -}}
{{ dig .Values.scheduling.gang "" (dict
    "volcano" "volcano"
    "coscheduling" "scheduler-plugins-scheduler") }}
{{- end -}}
{{- end }}

{{/*
The affinity of a pod: the user's; for workers also excludeNodes, topology (without a
queue) and spread. The checks refuse values for which a key would be written twice.
*/}}
{{- define "deepspeed-job.affinityOf" -}}
{{- $node := dig "nodeAffinity" (dict) .pod.affinity }}
{{- if or (and .pod.nodeSelector (include "deepspeed-job.kueueQueue" .))
          (and (eq .role "worker") .Values.workers.excludeNodes) }}
nodeAffinity:
  {{- include "deepspeed-job.selectingAffinity" (dict
      "Values" .Values
      "pod" .pod
      "role" .role
      "node" $node) | trim | nindent 2 }}
{{- else if $node }}
nodeAffinity:
  {{- include "deepspeed-job.yaml" $node | nindent 2 }}
{{- end }}
{{- range $kind := list "podAffinity" "podAntiAffinity" }}
{{- if dig $kind (dict) $.pod.affinity }}
{{ $kind }}:
  {{- include "deepspeed-job.yaml" (dig $kind (dict) $.pod.affinity) | nindent 2 }}
{{- end }}
{{- end }}
{{- $topology := .Values.scheduling.topology }}
{{- if and (eq .role "worker")
           (or $topology.required $topology.preferred)
           (not (include "deepspeed-job.kueueQueue" .)) }}
podAffinity:
  {{- include "deepspeed-job.workersBeside" (dict
      "Values" .Values
      "Release" .Release
      "label" (or $topology.required $topology.preferred)
      "isRequired" (ne $topology.required "")) | trim | nindent 2 }}
{{- end }}
{{- if and (eq .role "worker") (ne .Values.workers.spread "none") }}
podAntiAffinity:
  {{- include "deepspeed-job.workersBeside" (dict
      "Values" .Values
      "Release" .Release
      "label" "kubernetes.io/hostname"
      "isRequired" (eq .Values.workers.spread "required")) | trim | nindent 2 }}
{{- end }}
{{- end }}

{{/*
The user's node affinity (`node`) with the nodeSelector and the excluded nodes in each
of its terms, because a node needs to match only one term. The Job has no nodeSelector
of its own: Kueue sets it, and the API server would refuse later applies.
*/}}
{{- define "deepspeed-job.selectingAffinity" -}}
{{- $required := "requiredDuringSchedulingIgnoredDuringExecution" }}
{{- $preferred := "preferredDuringSchedulingIgnoredDuringExecution" }}
{{- $terms := dig $required "nodeSelectorTerms" (list) .node }}
{{ $required }}:
  nodeSelectorTerms:
    {{- if not $terms }}
    {{- include "deepspeed-job.selectingTerm" (dict
        "Values" .Values
        "pod" .pod
        "role" .role
        "term" (dict)) | trim | nindent 4 }}
    {{- end }}
    {{- range $term := $terms }}
    {{- if or (dig "matchExpressions" (list) $term) (dig "matchFields" (list) $term) }}
    {{- include "deepspeed-job.selectingTerm" (dict
        "Values" $.Values
        "pod" $.pod
        "role" $.role
        "term" $term) | trim | nindent 4 }}
    {{- else }}
    - {}  # an empty term matches no node, so it stays empty
    {{- end }}
    {{- end }}
{{- if hasKey .node $preferred }}
{{ $preferred }}:
  {{- include "deepspeed-job.yaml" (index .node $preferred) | nindent 2 }}
{{- end }}
{{- end }}

{{/* The user's `term` with the nodeSelector and the excluded nodes. */}}
{{- define "deepspeed-job.selectingTerm" -}}
{{- $expressions := include "deepspeed-job.termExpressions" . | trim }}
{{- $fields := include "deepspeed-job.termFields" . | trim }}
{{- if $expressions }}
- matchExpressions:
    {{- $expressions | nindent 4 }}
  {{- if $fields }}
  matchFields:
    {{- $fields | nindent 4 }}
  {{- end }}
{{- else }}
- matchFields:
    {{- $fields | nindent 4 }}
{{- end }}
{{- end }}

{{/* The nodeSelector of a Job in a queue as expressions of node affinity, before the user's. */}}
{{- define "deepspeed-job.termExpressions" -}}
{{- if include "deepspeed-job.kueueQueue" . }}
{{- range $key, $value := .pod.nodeSelector }}
- key: {{ $key | quote }}
  operator: In
  values: [{{ $value | quote }}]
{{- end }}
{{- end }}
{{- if dig "matchExpressions" (list) .term }}
{{ include "deepspeed-job.yaml" (dig "matchExpressions" (list) .term) }}
{{- end }}
{{- end }}

{{/*
The excluded nodes as expressions on metadata.name, which allow one value each, before
the user's. The label kubernetes.io/hostname can differ from the name of a node.
*/}}
{{- define "deepspeed-job.termFields" -}}
{{- if eq .role "worker" }}
{{- range $name := .Values.workers.excludeNodes }}
- key: metadata.name
  operator: NotIn
  values: [{{ $name | quote }}]
{{- end }}
{{- end }}
{{- if dig "matchFields" (list) .term }}
{{ include "deepspeed-job.yaml" (dig "matchFields" (list) .term) }}
{{- end }}
{{- end }}

{{/* Terms of podAffinity or podAntiAffinity among the workers of this run, by a label of the nodes. */}}
{{- define "deepspeed-job.workersBeside" -}}
{{- if .isRequired }}
requiredDuringSchedulingIgnoredDuringExecution:
  - topologyKey: {{ .label | quote }}
    labelSelector:
      matchLabels:
        {{- include "deepspeed-job.selector" (dict
            "Values" .Values
            "Release" .Release
            "role" "worker") | nindent 8 }}
{{- else }}
preferredDuringSchedulingIgnoredDuringExecution:
  - weight: 100
    podAffinityTerm:
      topologyKey: {{ .label | quote }}
      labelSelector:
        matchLabels:
          {{- include "deepspeed-job.selector" (dict
              "Values" .Values
              "Release" .Release
              "role" "worker") | nindent 10 }}
{{- end }}
{{- end }}
