{{/* Volumes: their sources, where they are mounted, and mounts that conflict. */}}

{{/* A message for each error, with a hint below it. */}}
{{- define "deepspeed-job.storageProblems" -}}
{{- range $name, $volume := .Values.storage }}
  {{- if and (not (dig "mountPath" "" $volume))
             (not (include "deepspeed-job.usedInPod" (dict "pod" $.Values.workers
                                                         "name" $name) | trim))
             (not (include "deepspeed-job.usedInPod" (dict "pod" $.Values.launcher
                                                         "name" $name) | trim)) }}
storage.{{ $name }} has no mountPath, and no init container or sidecar mounts it [DS362]
  set storage.NAME.mountPath to the folder that the training uses, such as /data
  {{- end }}

  {{- if regexMatch "^dsgen-([^$]|[$])*$" $name }}
storage: {{ $name | quote }}: names that begin with dsgen- are reserved for dsgen's own volumes [DS373]
  choose another name
  {{- end }}

  {{- if not (include "deepspeed-job.firstSource" $volume) }}
storage.{{ $name }}: the volume has no source [DS210]
  set one of existingClaim, create, nfs, hostPath, emptyDir, ephemeral, csi, configMap, secret and projected, such as
    create: {}
  {{- end }}

  {{- if include "deepspeed-job.reservedPath" (dig "mountPath" "" $volume) }}
storage.{{ $name }}.mountPath: {{ dig "mountPath" "" $volume | quote }} is reserved for files of dsgen or the system
    [DS212]
  mount it elsewhere, such as /data
  {{- end }}

  {{- range $other, $another := $.Values.storage }}
    {{- if and (lt $other $name)
               (dig "mountPath" "" $volume)
               (eq (dig "mountPath" "" $volume) (dig "mountPath" "" $another))
               (or (and (include "deepspeed-job.isMountedIn" (dict "Values" $.Values
                                                                 "volume" $volume
                                                                 "pods" "workers"))
                        (include "deepspeed-job.isMountedIn" (dict "Values" $.Values
                                                                 "volume" $another
                                                                 "pods" "workers")))
                   (and (include "deepspeed-job.isMountedIn" (dict "Values" $.Values
                                                                 "volume" $volume
                                                                 "pods" "launcher"))
                        (include "deepspeed-job.isMountedIn" (dict "Values" $.Values
                                                                 "volume" $another
                                                                 "pods" "launcher")))) }}
storage.{{ $name }}: storage.{{ $other }} is also mounted at {{ dig "mountPath" "" $volume | quote }} [DS251]
  change one of the paths
    {{- end }}
  {{- end }}

  {{- if regexMatch (include "deepspeed-job.sharedMemoryPattern" .) (dig "mountPath" "" $volume) }}
storage.{{ $name }}.mountPath: /dev/shm is the shared memory of the pod [DS213]
  set its size with workers.sharedMemory
  {{- end }}

  {{- if regexMatch "^(.*/)?[.][.](/.*)?$" (dig "subPath" "" $volume) }}
storage.{{ $name }}.subPath: {{ dig "subPath" "" $volume | quote }} leaves the volume, which Kubernetes refuses [DS214]
  use a path inside the volume, without ..
  {{- end }}

  {{- if and (ne $volume.create nil)
             (has "ReadWriteOncePod" (dig "accessModes" (list "ReadWriteMany") $volume.create))
             (or (and (include "deepspeed-job.isMountedIn" (dict "Values" $.Values
                                                               "volume" $volume
                                                               "pods" "workers"))
                      (include "deepspeed-job.isMountedIn" (dict "Values" $.Values
                                                               "volume" $volume
                                                               "pods" "launcher")))
                 (and (ne (dig "mountIn" "auto" $volume) "launcher")
                      (gt (include "deepspeed-job.workerPods" $ | int64) 1))) }}
storage.{{ $name }}: a ReadWriteOncePod volume can be used by one pod only, but several pods mount it [DS216]
  use ReadWriteMany, which is the default of accessModes
  {{- end }}

  {{- if and (ne $volume.create nil)
             (has "ReadWriteOncePod" (dig "accessModes" (list "ReadWriteMany") $volume.create))
             (gt (len (dig "accessModes" (list "ReadWriteMany") $volume.create)) 1) }}
storage.{{ $name }}: ReadWriteOncePod cannot be combined with other access modes [DS218]
  keep one of them
  {{- end }}

  {{- if and (ne $volume.create nil)
             (regexMatch (include "deepspeed-job.nothingPattern" .)
                         (include "deepspeed-job.quantityJson" (dig "size" "100Gi" $volume.create))) }}
storage.{{ $name }}.create.size: Kubernetes refuses a claim of size 0 [DS219]
  set a size such as 100Gi
  {{- end }}

  {{- range $source := list "create" "nfs" "hostPath" "emptyDir" "ephemeral" "csi" "configMap"
                            "secret" "projected" }}
    {{- if and (hasKey $volume $source) (ne $source (include "deepspeed-job.firstSource" $volume)) }}
storage.{{ $name }}: {{ include "deepspeed-job.firstSource" $volume }} and {{ $source }} are mutually exclusive [DS211]
  keep one of them
    {{- end }}
  {{- end }}
{{- end }}

{{- if .Values.code.git.repository }}
  {{- range $name, $volume := .Values.storage }}
    {{- if eq (dig "mountPath" "" $volume) $.Values.code.mountPath }}
storage.{{ $name }}: code is also mounted at {{ dig "mountPath" "" $volume | quote }} [DS251]
  change one of the paths
    {{- end }}
  {{- end }}

  {{- if or (include "deepspeed-job.reservedPath" .Values.code.mountPath)
            (regexMatch (include "deepspeed-job.sharedMemoryPattern" .) .Values.code.mountPath) }}
code.mountPath: {{ .Values.code.mountPath | quote }} is reserved for files of dsgen or the system [DS212]
  choose another folder, such as /workspace/code
  {{- end }}
{{- end }}

{{- include "deepspeed-job.folderProblems" (dict "Values" .Values
                                               "where" "training.rankLogs"
                                               "path" .Values.training.rankLogs) }}

{{- include "deepspeed-job.folderProblems" (dict "Values" .Values
                                               "where" "lifecycle.progress.checkpointPath"
                                               "path" .Values.lifecycle.progress.checkpointPath) }}

{{- include "deepspeed-job.folderProblems" (dict "Values" .Values
                                               "where" "training.deepspeed.resize.checkpoint"
                                               "path" .Values.training.deepspeed.resize.checkpoint) }}

{{- $zero := dig "zero_optimization" (dict) .Values.training.deepspeed.config }}
{{- if kindIs "map" $zero }}
  {{- range $part := list "offload_optimizer" "offload_param" }}
    {{- $offload := dig $part (dict) $zero }}
    {{- if kindIs "map" $offload }}
      {{- $device := dig "device" "" $offload }}
      {{- if and (kindIs "string" $device) (eq $device "nvme") }}
        {{- $path := dig "nvme_path" "" $offload }}
        {{- if kindIs "string" $path }}
          {{- include "deepspeed-job.folderProblems" (dict
              "Values" $.Values
              "where" (printf "training.deepspeed.config.zero_optimization.%s.nvme_path" $part)
              "path" $path) }}
        {{- end }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{/* A message for each error in the folder `path`. Each begins with `where`, the place. */}}
{{- define "deepspeed-job.folderProblems" -}}
{{- if and (regexMatch (include "deepspeed-job.absolutePattern" .) .path)
           (include "deepspeed-job.isOnVolume" (dict "Values" .Values
                                                   "path" .path
                                                   "kind" "any") | trim)
           (not (include "deepspeed-job.isOnVolume" (dict "Values" .Values
                                                        "path" .path
                                                        "kind" "writable") | trim)) }}
{{ .where }}: {{ .path | quote }} is on a volume that is mounted read-only [DS388]
  choose a folder on a volume without readOnly
{{- end }}
{{- end }}

{{/* A message for each warning, with a hint below it. */}}
{{- define "deepspeed-job.storageWarnings" -}}
{{- range $name, $volume := .Values.storage }}
  {{- if and (ne $volume.create nil)
             (has "ReadWriteOnce" (dig "accessModes" (list "ReadWriteMany") $volume.create))
             (not (has "ReadWriteMany" (dig "accessModes" (list "ReadWriteMany") $volume.create)))
             (not (has "ReadOnlyMany" (dig "accessModes" (list "ReadWriteMany") $volume.create)))
             (ne (dig "mountIn" "auto" $volume) "launcher")
             (gt (include "deepspeed-job.workerPods" $ | int64) 1) }}
storage.{{ $name }}: a ReadWriteOnce volume can be attached to one node only, but
    {{ include "deepspeed-job.workerPods" $ | int64 }} workers mount it [DS215]
  use ReadWriteMany, which is the default of accessModes
  {{- end }}

  {{- if and (ne $volume.create nil)
             (not (dig "persistentVolume" (dict) $volume.create))
             (ne $volume.create.storageClass nil)
             (eq $volume.create.storageClass "") }}
storage.{{ $name }}.create: with storageClass: "" nothing provisions the volume; the claim waits for a matching
    PersistentVolume [DS217]
  describe the volume in create.persistentVolume, or remove storageClass to use the cluster's default
  {{- end }}
{{- end }}

{{- include "deepspeed-job.folderWarnings" (dict "Values" .Values
                                               "where" "training.rankLogs"
                                               "path" .Values.training.rankLogs) }}

{{- include "deepspeed-job.folderWarnings" (dict "Values" .Values
                                               "where" "lifecycle.progress.checkpointPath"
                                               "path" .Values.lifecycle.progress.checkpointPath) }}

{{- include "deepspeed-job.folderWarnings" (dict "Values" .Values
                                               "where" "training.deepspeed.resize.checkpoint"
                                               "path" .Values.training.deepspeed.resize.checkpoint) }}

{{- $zero := dig "zero_optimization" (dict) .Values.training.deepspeed.config }}
{{- if kindIs "map" $zero }}
  {{- range $part := list "offload_optimizer" "offload_param" }}
    {{- $offload := dig $part (dict) $zero }}
    {{- if kindIs "map" $offload }}
      {{- $device := dig "device" "" $offload }}
      {{- if and (kindIs "string" $device) (eq $device "nvme") }}
        {{- $path := dig "nvme_path" "" $offload }}
        {{- if kindIs "string" $path }}
          {{- include "deepspeed-job.folderWarnings" (dict
              "Values" $.Values
              "where" (printf "training.deepspeed.config.zero_optimization.%s.nvme_path" $part)
              "path" $path) }}
        {{- end }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}

{{- if and (regexMatch (include "deepspeed-job.absolutePattern" .) .Values.lifecycle.progress.checkpointPath)
           (gt (include "deepspeed-job.workerPods" . | int64) 1)
           (include "deepspeed-job.isOnVolume" (dict "Values" .Values
                                                   "path" .Values.lifecycle.progress.checkpointPath
                                                   "kind" "any") | trim)
           (not (include "deepspeed-job.isOnVolume" (dict "Values" .Values
                                                        "path" .Values.lifecycle.progress.checkpointPath
                                                        "kind" "kept") | trim)) }}
lifecycle.progress.checkpointPath: {{ .Values.lifecycle.progress.checkpointPath | quote }} is on a volume that each
    worker has for itself and loses with its pod [DS389]
  write checkpoints to a volume that all workers share and keep, such as create: {}
{{- end }}

{{- if .Values.training.deepspeed.config }}
  {{- $checkpoint := dig "checkpoint" (dict) .Values.training.deepspeed.config }}
  {{- if and (gt (include "deepspeed-job.workerPods" . | int64) 1)
             (kindIs "map" $checkpoint)
             $checkpoint.use_node_local_storage }}
training.deepspeed.config: with use_node_local_storage, each worker needs its own part of a checkpoint, and may start on
    another node next time [DS389]
  remove it, and write checkpoints to a volume that all workers share
  {{- end }}
{{- end }}
{{- end }}

{{/* A message for each warning in the folder `path`. Each begins with `where`, the place. */}}
{{- define "deepspeed-job.folderWarnings" -}}
{{- if and (regexMatch (include "deepspeed-job.absolutePattern" .) .path)
           (not (include "deepspeed-job.isOnVolume" (dict "Values" .Values
                                                        "path" .path
                                                        "kind" "any") | trim)) }}
{{ .where }}: {{ .path | quote }} is on no volume of storage, so its files fill the disk of the node and are lost with
    the pod [DS387]
  mount a volume there, or choose a folder on one
{{- end }}
{{- end }}
