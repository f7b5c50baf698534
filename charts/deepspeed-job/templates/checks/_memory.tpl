{{/* Sizes of memory and volumes: below 1Mi, because a unit is missing, or less than what the pod needs. */}}

{{/* A message for each error, with a hint below it. */}}
{{- define "deepspeed-job.memoryProblems" -}}
{{- include "deepspeed-job.sizeProblems" (dict "where" "workers.sharedMemory"
                                             "quantity" .Values.workers.sharedMemory) }}

{{- range $role := list "workers" "launcher" }}
  {{- range $kind := list "requests" "limits" }}
    {{- include "deepspeed-job.amountsProblems" (dict "where" (printf "%s.resources.%s" $role $kind)
                                                    "amounts" (index (index (index $.Values $role) "resources") $kind)) }}

    {{- include "deepspeed-job.amountsProblems" (dict
        "where" (printf "%s.extraPodSpec.resources.%s" $role $kind)
        "amounts" (dig "resources" $kind (dict) (index (index $.Values $role) "extraPodSpec"))) }}
  {{- end }}

  {{- range $containers := list "initContainers" "sidecars" }}
    {{- range $container := index (index $.Values $role) $containers }}
      {{- range $kind := list "requests" "limits" }}
        {{- include "deepspeed-job.amountsProblems" (dict "where" (printf "%s.%s[container].resources.%s" $role $containers $kind)
                                                        "amounts" (dig "resources" $kind (dict) $container)) }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}

{{- range $kind := list "requests" "limits" }}
  {{- include "deepspeed-job.amountsProblems" (dict "where" (printf "monitoring.tensorboard.resources.%s" $kind)
                                                  "amounts" (index $.Values.monitoring.tensorboard.resources $kind)) }}
{{- end }}

{{- range $name, $volume := .Values.storage }}
  {{- if ne $volume.create nil }}
    {{- include "deepspeed-job.sizeProblems" (dict "where" (printf "storage.%s.create.size" $name)
                                                 "quantity" (dig "size" "100Gi" $volume.create)) }}
  {{- end }}

  {{- if ne $volume.emptyDir nil }}
    {{- include "deepspeed-job.sizeProblems" (dict "where" (printf "storage.%s.emptyDir.sizeLimit" $name)
                                                 "quantity" (dig "sizeLimit" "" $volume.emptyDir)) }}
  {{- end }}

  {{- if ne $volume.ephemeral nil }}
    {{- include "deepspeed-job.sizeProblems" (dict
        "where" (printf "storage.%s.ephemeral.volumeClaimTemplate.spec.resources.requests.storage" $name)
        "quantity" (dig "volumeClaimTemplate" "spec" "resources" "requests" "storage" "" $volume.ephemeral)) }}
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

{{/* A message for each error in a size, `quantity`. Each begins with `where`, the place. */}}
{{- define "deepspeed-job.sizeProblems" -}}
{{- if include "deepspeed-job.below1mi" (include "deepspeed-job.plainJson" .quantity) }}
{{ .where }}: {{ include "deepspeed-job.plainJson" .quantity }} is less than 1Mi, too little to be meant [DS287]
  write the size with its unit, such as 64Gi
{{- end }}
{{- end }}

{{/* A message for each error in the sizes of requests or limits, `amounts`. Each begins with `where`, the place. */}}
{{- define "deepspeed-job.amountsProblems" -}}
{{- range $key, $quantity := .amounts }}
  {{- if has $key (list "memory" "ephemeral-storage") }}
    {{- include "deepspeed-job.sizeProblems" (dict "where" (printf "%s.%s" $.where $key)
                                                 "quantity" $quantity) }}
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
