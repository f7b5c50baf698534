{{/* Sizes of memory and volumes that are below 1Mi. */}}

{{/* A message for each error, with a hint below it. */}}
{{- define "deepspeed-job.memoryProblems" -}}
{{- if include "deepspeed-job.below1mi" (include "deepspeed-job.plainJson" .Values.workers.sharedMemory) }}
workers.sharedMemory: {{ include "deepspeed-job.plainJson" .Values.workers.sharedMemory }} is less than 1Mi, too little to be meant [DS287]
  write the size with its unit, such as 64Gi
{{- end }}

{{- range $role := list "workers" "launcher" }}
  {{- range $kind := list "requests" "limits" }}
    {{- range $key, $quantity := index (index (index $.Values $role) "resources") $kind }}
      {{- if and (has $key (list "memory" "ephemeral-storage"))
                 (include "deepspeed-job.below1mi" (include "deepspeed-job.plainJson" $quantity)) }}
{{ $role }}.resources.{{ $kind }}.{{ $key }}: {{ include "deepspeed-job.plainJson" $quantity }} is less than 1Mi, too little to be meant [DS287]
  write the size with its unit, such as 64Gi
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}

{{- range $kind := list "requests" "limits" }}
  {{- range $key, $quantity := index $.Values.monitoring.tensorboard.resources $kind }}
    {{- if and (has $key (list "memory" "ephemeral-storage"))
               (include "deepspeed-job.below1mi" (include "deepspeed-job.plainJson" $quantity)) }}
monitoring.tensorboard.resources.{{ $kind }}.{{ $key }}: {{ include "deepspeed-job.plainJson" $quantity }} is less than 1Mi, too little to be meant [DS287]
  write the size with its unit, such as 64Gi
    {{- end }}
  {{- end }}
{{- end }}

{{- if or .Values.workers.initContainers .Values.launcher.initContainers }}
  {{- range $role := list "workers" "launcher" }}
    {{- range $container := index (index $.Values $role) "initContainers" }}
      {{- range $kind := list "requests" "limits" }}
        {{- range $key, $quantity := dig "resources" $kind (dict) $container }}
          {{- if and (has $key (list "memory" "ephemeral-storage"))
                     (include "deepspeed-job.below1mi" (include "deepspeed-job.plainJson" $quantity)) }}
{{ $role }}.initContainers[container].resources.{{ $kind }}.{{ $key }}: {{ include "deepspeed-job.plainJson" $quantity }} is less than 1Mi, too little to be meant [DS287]
  write the size with its unit, such as 64Gi
          {{- end }}
        {{- end }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}

{{- if or .Values.workers.sidecars .Values.launcher.sidecars }}
  {{- range $role := list "workers" "launcher" }}
    {{- range $container := index (index $.Values $role) "sidecars" }}
      {{- range $kind := list "requests" "limits" }}
        {{- range $key, $quantity := dig "resources" $kind (dict) $container }}
          {{- if and (has $key (list "memory" "ephemeral-storage"))
                     (include "deepspeed-job.below1mi" (include "deepspeed-job.plainJson" $quantity)) }}
{{ $role }}.sidecars[container].resources.{{ $kind }}.{{ $key }}: {{ include "deepspeed-job.plainJson" $quantity }} is less than 1Mi, too little to be meant [DS287]
  write the size with its unit, such as 64Gi
          {{- end }}
        {{- end }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}

{{- if or .Values.workers.extraPodSpec .Values.launcher.extraPodSpec }}
  {{- range $role := list "workers" "launcher" }}
    {{- range $kind := list "requests" "limits" }}
      {{- range $key, $quantity := dig "resources" $kind (dict) (index (index $.Values $role) "extraPodSpec") }}
        {{- if and (has $key (list "memory" "ephemeral-storage"))
                   (include "deepspeed-job.below1mi" (include "deepspeed-job.plainJson" $quantity)) }}
{{ $role }}.extraPodSpec.resources.{{ $kind }}.{{ $key }}: {{ include "deepspeed-job.plainJson" $quantity }} is less than 1Mi, too little to be meant [DS287]
  write the size with its unit, such as 64Gi
        {{- end }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}

{{- range $name, $volume := .Values.storage }}
  {{- if and (ne $volume.create nil)
             (include "deepspeed-job.below1mi" (include "deepspeed-job.plainJson" (dig "size" "100Gi" $volume.create))) }}
storage.{{ $name }}.create.size: {{ include "deepspeed-job.plainJson" (dig "size" "100Gi" $volume.create) }} is less than 1Mi, too little to be meant [DS287]
  write the size with its unit, such as 64Gi
  {{- end }}

  {{- if ne $volume.emptyDir nil }}
    {{- $size := dig "sizeLimit" "" $volume.emptyDir }}
    {{- if include "deepspeed-job.below1mi" (include "deepspeed-job.plainJson" $size) }}
storage.{{ $name }}.emptyDir.sizeLimit: {{ include "deepspeed-job.plainJson" $size }} is less than 1Mi, too little to be meant [DS287]
  write the size with its unit, such as 64Gi
    {{- end }}
  {{- end }}

  {{- if ne $volume.ephemeral nil }}
    {{- $size := dig "volumeClaimTemplate" "spec" "resources" "requests" "storage" "" $volume.ephemeral }}
    {{- if include "deepspeed-job.below1mi" (include "deepspeed-job.plainJson" $size) }}
storage.{{ $name }}.ephemeral.volumeClaimTemplate.spec.resources.requests.storage: {{ include "deepspeed-job.plainJson" $size }} is less than 1Mi, too little to be meant [DS287]
  write the size with its unit, such as 64Gi
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}
