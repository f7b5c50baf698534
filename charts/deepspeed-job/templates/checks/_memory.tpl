{{/* Sizes of memory and volumes: below 1Mi, because a unit is missing, or less than what the pod needs. */}}

{{/* A message for each error, with a hint below it. */}}
{{- define "deepspeed-job.memoryProblems" -}}
{{- if include "deepspeed-job.below1mi" (include "deepspeed-job.plainJson" .Values.workers.sharedMemory) }}
workers.sharedMemory: {{ include "deepspeed-job.plainJson" .Values.workers.sharedMemory }} is less than 1Mi, too little to
    be meant [DS287]
  write the size with its unit, such as 64Gi
{{- end }}

{{- range $role := list "workers" "launcher" }}
  {{- range $kind := list "requests" "limits" }}
    {{- range $key, $quantity := index (index (index $.Values $role) "resources") $kind }}
      {{- if and (has $key (list "memory" "ephemeral-storage"))
                 (include "deepspeed-job.below1mi" (include "deepspeed-job.plainJson" $quantity)) }}
{{ $role }}.resources.{{ $kind }}.{{ $key }}: {{ include "deepspeed-job.plainJson" $quantity }} is less than 1Mi, too
    little to be meant [DS287]
  write the size with its unit, such as 64Gi
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}

{{- range $kind := list "requests" "limits" }}
  {{- range $key, $quantity := index $.Values.monitoring.tensorboard.resources $kind }}
    {{- if and (has $key (list "memory" "ephemeral-storage"))
               (include "deepspeed-job.below1mi" (include "deepspeed-job.plainJson" $quantity)) }}
monitoring.tensorboard.resources.{{ $kind }}.{{ $key }}: {{ include "deepspeed-job.plainJson" $quantity }} is less than
    1Mi, too little to be meant [DS287]
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
{{ $role }}.initContainers[container].resources.{{ $kind }}.{{ $key }}: {{ include "deepspeed-job.plainJson" $quantity }}
    is less than 1Mi, too little to be meant [DS287]
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
{{ $role }}.sidecars[container].resources.{{ $kind }}.{{ $key }}: {{ include "deepspeed-job.plainJson" $quantity }} is
    less than 1Mi, too little to be meant [DS287]
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
{{ $role }}.extraPodSpec.resources.{{ $kind }}.{{ $key }}: {{ include "deepspeed-job.plainJson" $quantity }} is less than
    1Mi, too little to be meant [DS287]
  write the size with its unit, such as 64Gi
        {{- end }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}

{{- range $name, $volume := .Values.storage }}
  {{- if and (ne $volume.create nil)
             (include "deepspeed-job.below1mi" (include "deepspeed-job.plainJson" (dig "size" "100Gi" $volume.create))) }}
storage.{{ $name }}.create.size: {{ include "deepspeed-job.plainJson" (dig "size" "100Gi" $volume.create) }} is less than
    1Mi, too little to be meant [DS287]
  write the size with its unit, such as 64Gi
  {{- end }}

  {{- if ne $volume.emptyDir nil }}
    {{- $size := dig "sizeLimit" "" $volume.emptyDir }}
    {{- if include "deepspeed-job.below1mi" (include "deepspeed-job.plainJson" $size) }}
storage.{{ $name }}.emptyDir.sizeLimit: {{ include "deepspeed-job.plainJson" $size }} is less than 1Mi, too little to be
    meant [DS287]
  write the size with its unit, such as 64Gi
    {{- end }}
  {{- end }}

  {{- if ne $volume.ephemeral nil }}
    {{- $size := dig "volumeClaimTemplate" "spec" "resources" "requests" "storage" "" $volume.ephemeral }}
    {{- if include "deepspeed-job.below1mi" (include "deepspeed-job.plainJson" $size) }}
storage.{{ $name }}.ephemeral.volumeClaimTemplate.spec.resources.requests.storage:
    {{ include "deepspeed-job.plainJson" $size }} is less than 1Mi, too little to be meant [DS287]
  write the size with its unit, such as 64Gi
    {{- end }}
  {{- end }}
{{- end }}

{{- if regexMatch "^0+([.]0+)?[A-Za-z]*$" .Values.workers.sharedMemory }}
workers.sharedMemory: {{ .Values.workers.sharedMemory | quote }} means no limit to Kubernetes [DS287]
  use "" for the small /dev/shm of the container runtime, or unlimited
{{- end }}

{{- if .Values.launcher.resources.limits }}
  {{- $limit := include "deepspeed-job.memoryBytes" .Values.launcher.resources.limits | int64 }}
  {{- if and (include "deepspeed-job.usesSsh" .)
             (ge $limit 1048576)
             (lt $limit (include "deepspeed-job.launcherBytes" . | int64)) }}
launcher.resources.limits: the launcher needs 1 GiB, and 1.4 MiB for each of
    {{ include "deepspeed-job.workerPods" . | int64 }} workers;
    {{ add 1024 (mul 2 (include "deepspeed-job.workerPods" . | int64)) }}Mi is enough [DS277]
  raise the limit, or use launch.method: torchrun, which needs no ssh
  {{- end }}
{{- end }}
{{- end }}

{{/* A message for each warning, with a hint below it. */}}
{{- define "deepspeed-job.memoryWarnings" -}}
{{- if .Values.workers.resources.limits }}
  {{- $limit := include "deepspeed-job.memoryBytes" .Values.workers.resources.limits | int64 }}
  {{- if and (ge $limit 1048576)
             (gt (include "deepspeed-job.bytes" .Values.workers.sharedMemory | int64) $limit) }}
workers.sharedMemory: {{ .Values.workers.sharedMemory | quote }} is more than the memory limit of the workers, which
    includes shared memory [DS279]
  raise workers.resources.limits.memory, or lower sharedMemory
  {{- end }}
{{- end }}

{{- if .Values.launcher.resources.requests }}
  {{- $request := include "deepspeed-job.requested" (dict "pod" .Values.launcher
                                                        "role" "launcher"
                                                        "key" "memory") | int64 }}
  {{- if and (include "deepspeed-job.usesSsh" .)
             (ge $request 1048576)
             (lt $request (include "deepspeed-job.launcherBytes" . | int64))
             (not (hasKey .Values.launcher.resources.limits "memory")) }}
launcher.resources.requests: the launcher needs 1 GiB, and 1.4 MiB for each of
    {{ include "deepspeed-job.workerPods" . | int64 }} workers;
    {{ add 1024 (mul 2 (include "deepspeed-job.workerPods" . | int64)) }}Mi is enough [DS278]
  raise the request, or use launch.method: torchrun, which needs no ssh
  {{- end }}
{{- end }}

{{- if or (eq .Values.estimate.model.parameters nil) (not .Values.training.deepspeed.config) }}
  {{- $memory := include "deepspeed-job.requested" (dict "pod" .Values.workers
                                                       "role" "worker"
                                                       "key" "memory") | int64 }}
  {{- $needed := include "deepspeed-job.workerBytes" . | int64 }}
  {{- if and (ge $memory 1048576) (lt $memory $needed) }}
workers.resources.requests.memory: a worker requests {{ div $memory 1048576 }}Mi, but its processes (workers.slots:
    {{ int64 .Values.workers.slots }}), workers.sharedMemory and what DeepSpeed offloads need
    {{ div (add $needed 1073741823) 1073741824 }}Gi or more [DS383]
  set workers.resources.requests.memory to that, and add what the program itself holds
  {{- end }}
{{- end }}

{{- if gt (int64 .Values.workers.slots) 1 }}
  {{- $shared := include "deepspeed-job.bytes" .Values.workers.sharedMemory | int64 }}
  {{- if and (not .Values.workers.sharedMemory)
             (not (dig "hostIPC" false .Values.workers.extraPodSpec)) }}
workers.sharedMemory: the {{ int64 .Values.workers.slots }} processes of a worker share 64Mi, the default of most
    container runtimes, too little for NCCL and data loaders [DS384]
  set it to 1Gi or more; the default is 8Gi
  {{- end }}

  {{- if and (ge $shared 1048576)
             (lt $shared 1073741824)
             (not (dig "hostIPC" false .Values.workers.extraPodSpec)) }}
workers.sharedMemory: the {{ int64 .Values.workers.slots }} processes of a worker share
    {{ .Values.workers.sharedMemory }}, too little for NCCL and data loaders [DS384]
  set it to 1Gi or more; the default is 8Gi
  {{- end }}
{{- end }}
{{- end }}
