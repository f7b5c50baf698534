{{/* Resources of workers and launcher, and what users add to their pods. */}}

{{/* A message for each error, with a hint below it. */}}
{{- define "deepspeed-job.podsProblems" -}}
{{- if gt (int64 .Values.workers.slots) 1 }}
  {{- if and (ne .Values.workers.accelerator.count nil)
             (gt (int64 .Values.workers.accelerator.count) 0)
             (gt (int64 .Values.workers.slots) (int64 .Values.workers.accelerator.count))
             (regexMatch (include "deepspeed-job.gpusPattern" .) .Values.workers.accelerator.resource) }}
workers.slots: {{ int64 .Values.workers.slots }} processes would share {{ int64 .Values.workers.accelerator.count }}
    GPUs [DS206]
  each process needs its own GPU: set workers.accelerator.count to the same number; count: 0 trains on CPUs
  {{- end }}

  {{- if and (ne .Values.workers.accelerator.count nil)
             (gt (int64 .Values.workers.accelerator.count) 0)
             (gt (int64 .Values.workers.slots) (int64 .Values.workers.accelerator.count))
             (regexMatch (include "deepspeed-job.devicesPattern" .) .Values.workers.accelerator.resource) }}
workers.slots: {{ int64 .Values.workers.slots }} processes would share {{ int64 .Values.workers.accelerator.count }} of
    {{ .Values.workers.accelerator.resource | quote }} [DS206]
  set workers.accelerator.count to the same number; count: 0 trains on CPUs
  {{- end }}

  {{- if and (regexMatch "^nvidia[.]com/mig-.*$" .Values.workers.accelerator.resource)
             (or (eq .Values.workers.accelerator.count nil)
                 (gt (int64 .Values.workers.accelerator.count) 0)) }}
workers.slots: a process can use only one MIG slice of its pod, so {{ int64 .Values.workers.slots }} processes would
    share it [DS207]
  use workers.slots: 1 and more workers.replicas
  {{- end }}
{{- end }}

{{- if and .Values.workers.resources.requests
           (hasKey .Values.workers.resources.requests .Values.workers.accelerator.resource) }}
workers.resources.requests: {{ .Values.workers.accelerator.resource | quote }} is written by dsgen from
    workers.accelerator [DS208]
  use workers.slots, one for each device, or workers.accelerator.count if that is not the number of slots
{{- end }}

{{- if and .Values.workers.resources.limits
           (hasKey .Values.workers.resources.limits .Values.workers.accelerator.resource) }}
workers.resources.limits: {{ .Values.workers.accelerator.resource | quote }} is written by dsgen from
    workers.accelerator [DS208]
  use workers.slots, one for each device, or workers.accelerator.count if that is not the number of slots
{{- end }}

{{- if and (ne .Values.workers.spread "none") (hasKey .Values.workers.affinity "podAntiAffinity") }}
workers.spread becomes a podAntiAffinity, but workers.affinity already has one [DS237]
  keep one of them
{{- end }}

{{- range $role := list "workers" "launcher" }}
  {{- range $field, $value := index (index $.Values $role) "extraPodSpec" }}
    {{- if has $field (list "activeDeadlineSeconds" "affinity" "automountServiceAccountToken"
                            "containers" "dnsPolicy" "enableServiceLinks" "ephemeralContainers"
                            "hostNetwork" "hostname" "hostnameOverride" "imagePullSecrets"
                            "initContainers" "nodeSelector" "priorityClassName" "restartPolicy"
                            "runtimeClassName" "schedulerName" "securityContext" "serviceAccount"
                            "serviceAccountName" "subdomain" "terminationGracePeriodSeconds"
                            "tolerations" "topologySpreadConstraints" "volumes") }}
{{ $role }}.extraPodSpec: {{ $field | quote }} is a field of the pod that dsgen writes [DS232]
  use the key that dsgen has for it, if there is one; `dsgen explain KEY` lists the keys
    {{- end }}
  {{- end }}

  {{- range $field, $value := index (index $.Values $role) "extraContainerSpec" }}
    {{- if has $field (list "args" "command" "env" "envFrom" "image" "imagePullPolicy" "name"
                            "ports" "readinessProbe" "resources" "restartPolicy"
                            "restartPolicyRules" "securityContext" "terminationMessagePath"
                            "volumeMounts" "workingDir") }}
{{ $role }}.extraContainerSpec: {{ $field | quote }} is a field of the container that dsgen writes [DS233]
  use the key that dsgen has for it, if there is one; `dsgen explain KEY` lists the keys
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{/* A message for each warning, with a hint below it. */}}
{{- define "deepspeed-job.podsWarnings" -}}
{{- if not (include "deepspeed-job.runsCommand" .) }}
  {{- if and (not (hasKey .Values.training.env "CUDA_VISIBLE_DEVICES"))
             (ne .Values.workers.accelerator.count nil)
             (gt (int64 .Values.workers.accelerator.count) (int64 .Values.workers.slots))
             (or (regexMatch (include "deepspeed-job.gpusPattern" .) .Values.workers.accelerator.resource)
                 (regexMatch (include "deepspeed-job.devicesPattern" .) .Values.workers.accelerator.resource)) }}
workers.accelerator.count: {{ int64 .Values.workers.slots }} of {{ int64 .Values.workers.accelerator.count }} devices
    would be used, one for each process [DS361]
  set workers.slots to the number of devices; if each process uses several, set training.env.CUDA_VISIBLE_DEVICES
  {{- end }}

  {{- if and (ne .Values.workers.accelerator.count nil)
             (eq (int64 .Values.workers.accelerator.count) 0)
             (not (hasKey .Values.training.env "DS_ACCELERATOR"))
             (not (include "deepspeed-job.requestsDevices" .Values.workers | trim))
             (not (regexMatch "^([^$]|[$])*DS_ACCELERATOR([^$]|[$])*$" .Values.training.setup)) }}
workers.accelerator.count is 0, but DeepSpeed may choose GPUs that the image or the node exposes [DS368]
  set training.env.DS_ACCELERATOR: cpu to train on CPUs
  {{- end }}
{{- end }}

{{- if gt (int64 .Values.workers.slots) 1 }}
  {{- if and (ne .Values.workers.accelerator.count nil)
             (gt (int64 .Values.workers.accelerator.count) 0)
             (gt (int64 .Values.workers.slots) (int64 .Values.workers.accelerator.count))
             (not (regexMatch (include "deepspeed-job.gpusPattern" .) .Values.workers.accelerator.resource))
             (not (regexMatch (include "deepspeed-job.devicesPattern" .) .Values.workers.accelerator.resource))
             (not (regexMatch (include "deepspeed-job.severalEachPattern" .) .Values.workers.accelerator.resource)) }}
workers.slots: {{ int64 .Values.workers.slots }} processes would share {{ int64 .Values.workers.accelerator.count }} of
    {{ .Values.workers.accelerator.resource | quote }} [DS206]
  set workers.accelerator.count to the same number; count: 0 trains on CPUs
  {{- end }}

  {{- if and (regexMatch "^.*[.]shared$" .Values.workers.accelerator.resource)
             (or (eq .Values.workers.accelerator.count nil)
                 (gt (int64 .Values.workers.accelerator.count) 0)) }}
workers.slots: several shares of {{ .Values.workers.accelerator.resource | quote }} may belong to one GPU, which
    {{ int64 .Values.workers.slots }} processes would then share [DS209]
  use workers.slots: 1, or GPUs that are not shared
  {{- end }}

  {{- if hasKey .Values.workers.resources.requests "cpu" }}
    {{- $cpus := include "deepspeed-job.requested" (dict "pod" .Values.workers
                                                       "role" "worker"
                                                       "key" "cpu") | int64 }}
    {{- if lt $cpus (int64 .Values.workers.slots) }}
workers.resources.requests.cpu: a worker has {{ int64 .Values.workers.slots }} processes and requests fewer CPUs [DS385]
  request at least one CPU for each process, and one for each of its data loaders
    {{- end }}
  {{- end }}

  {{- if hasKey .Values.training.env "CUDA_VISIBLE_DEVICES" }}
    {{- $value := index .Values.training.env "CUDA_VISIBLE_DEVICES" }}
    {{- if and (kindIs "string" $value)
               (or (and (gt (int64 .Values.workers.slots) 1)
                        (regexMatch "^[^,]*(,[^,]*){0,0}$" $value))
                   (and (gt (int64 .Values.workers.slots) 2)
                        (regexMatch "^[^,]*(,[^,]*){0,1}$" $value))
                   (and (gt (int64 .Values.workers.slots) 3)
                        (regexMatch "^[^,]*(,[^,]*){0,2}$" $value))
                   (and (gt (int64 .Values.workers.slots) 4)
                        (regexMatch "^[^,]*(,[^,]*){0,3}$" $value))
                   (and (gt (int64 .Values.workers.slots) 6)
                        (regexMatch "^[^,]*(,[^,]*){0,5}$" $value))
                   (and (gt (int64 .Values.workers.slots) 7)
                        (regexMatch "^[^,]*(,[^,]*){0,6}$" $value))) }}
training.env.CUDA_VISIBLE_DEVICES: {{ $value | quote }} names fewer devices than the {{ int64 .Values.workers.slots }}
    processes of a worker need [DS386]
  remove it: each process uses the device of its own number
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}
