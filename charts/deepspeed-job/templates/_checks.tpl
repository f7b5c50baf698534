{{/* What values may not say: a message for each problem, with a hint below it. */}}
{{- define "dsgen.allProblems" -}}
{{- if not .Values.image.repository }}
image.repository must be given [DS201]
  the image in which the training runs, such as registry.example.com/team/cifar
{{- end }}
{{- if not (or .Values.training.python .Values.training.module .Values.training.exec) }}
training: one of python, module and exec must be given [DS202]
  a script: python: train.py; a module: module: team.train; any other program: exec: [bash, -c, ...]
{{- end }}
{{- if or (and .Values.training.python (or .Values.training.module .Values.training.exec)) (and .Values.training.module .Values.training.exec) }}
training: python, module and exec exclude one another [DS203]
  keep one of them
{{- end }}
{{- if gt (add (len (include "dsgen.runName" .)) (len (toString (sub .Values.workers.replicas 1))) 8) 63 }}
the names of the pods are too long: {{ include "dsgen.runName" . | quote }} has {{ len (include "dsgen.runName" .) }} characters and -worker-{{ sub .Values.workers.replicas 1 }} has {{ add (len (toString (sub .Values.workers.replicas 1))) 8 }}, together they may have 63 [DS204]
  shorten the name of the job or run.id
{{- end }}
{{- if and (include "dsgen.jobName" .) (not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" (include "dsgen.jobName" .))) }}
the job cannot be named {{ include "dsgen.jobName" . | quote }} [DS205]
  lower-case letters, digits and -, a letter first, no - at the end
{{- end }}
{{- if and (ne .Values.workers.accelerator.count nil) (gt (int64 .Values.workers.accelerator.count) 0) (gt (int64 .Values.workers.slots) (int64 .Values.workers.accelerator.count)) (regexMatch "^((nvidia|amd)[.]com/gpu|nvidia[.]com/mig-.*|gpu[.]intel[.]com/.*)$" .Values.workers.accelerator.resource) }}
workers.slots: {{ int64 .Values.workers.slots }} processes would share {{ int64 .Values.workers.accelerator.count }} GPUs [DS206]
  each process needs a GPU of its own; count: 0 trains on CPUs
{{- end }}
{{- if and (gt (int64 .Values.workers.slots) 1) (regexMatch "^nvidia[.]com/mig-.*$" .Values.workers.accelerator.resource) (or (eq .Values.workers.accelerator.count nil) (gt (int64 .Values.workers.accelerator.count) 0)) }}
workers.slots: a process sees one MIG slice of its pod, so {{ int64 .Values.workers.slots }} cannot each have one [DS207]
  use slots: 1 and more replicas
{{- end }}
{{- if hasKey .Values.workers.resources.requests .Values.workers.accelerator.resource }}
workers.resources.requests: {{ .Values.workers.accelerator.resource | quote }} is written from workers.accelerator [DS208]
  set workers.accelerator.count instead
{{- end }}
{{- if hasKey .Values.workers.resources.limits .Values.workers.accelerator.resource }}
workers.resources.limits: {{ .Values.workers.accelerator.resource | quote }} is written from workers.accelerator [DS208]
  set workers.accelerator.count instead
{{- end }}
{{- range $name, $volume := .Values.storage }}
{{- if and (eq $volume.create nil) (not (dig "existingClaim" "" $volume)) (eq $volume.nfs nil) (eq $volume.emptyDir nil) }}
storage.{{ $name }}: the volume has no source [DS210]
  give it one of create, existingClaim, nfs and emptyDir, such as create: {}
{{- end }}
{{- if or (and (ne $volume.create nil) (or (dig "existingClaim" "" $volume) (ne $volume.nfs nil) (ne $volume.emptyDir nil))) (and (dig "existingClaim" "" $volume) (or (ne $volume.nfs nil) (ne $volume.emptyDir nil))) (and (ne $volume.nfs nil) (ne $volume.emptyDir nil)) }}
storage.{{ $name }}: create, existingClaim, nfs and emptyDir exclude one another [DS211]
  keep one of them
{{- end }}
{{- if regexMatch "^(/(job|etc/(dsgen|dsgen-keys|dsgen-status|mpi)|(var/)?run/dsgen|var/run/secrets/dsgen|run/secrets/dsgen)(/.*)?|/(etc/ssh/ssh_config|etc/passwd)(/.*)?|/(etc|etc/ssh|run|var|var/run|var/run/secrets|dev|proc|sys))$" (dig "mountPath" "" $volume) }}
storage.{{ $name }}.mountPath: {{ dig "mountPath" "" $volume | quote }} is reserved, dsgen or the system has files there [DS212]
  mount it elsewhere, such as /data
{{- end }}
{{- if regexMatch "^/dev/shm(/.*)?$" (dig "mountPath" "" $volume) }}
storage.{{ $name }}.mountPath: /dev/shm is the shared memory of the pod [DS213]
  set its size with workers.sharedMemory
{{- end }}
{{- end }}
{{- range $key, $value := .Values.training.env }}
{{- if regexMatch "^(DSGEN_.*|RANK|LOCAL_RANK|WORLD_SIZE|MASTER_.*)$" $key }}
training.env: {{ $key | quote }} is set by dsgen or DeepSpeed [DS220]
  choose another name; a program reads it as it is
{{- end }}
{{- end }}
{{- if and .Values.training.deepspeed.config .Values.training.deepspeed.configFile }}
training.deepspeed: config and configFile exclude one another [DS221]
  keep one of them
{{- end }}
{{- range $key, $value := .Values.labels }}
{{- if include "dsgen.reservedKey" $key }}
labels: {{ $key | quote }} is written by dsgen or Kubernetes [DS230]
  choose a key of a domain of your own
{{- end }}
{{- end }}
{{- range $key, $value := .Values.annotations }}
{{- if include "dsgen.reservedKey" $key }}
annotations: {{ $key | quote }} is written by dsgen or Kubernetes [DS230]
  choose a key of a domain of your own
{{- end }}
{{- end }}
{{- range $key, $value := .Values.workers.podLabels }}
{{- if include "dsgen.reservedKey" $key }}
workers.podLabels: {{ $key | quote }} is written by dsgen or Kubernetes [DS230]
  choose a key of a domain of your own
{{- end }}
{{- end }}
{{- range $key, $value := .Values.workers.podAnnotations }}
{{- if include "dsgen.reservedKey" $key }}
workers.podAnnotations: {{ $key | quote }} is written by dsgen or Kubernetes [DS230]
  choose a key of a domain of your own
{{- end }}
{{- end }}
{{- range $key, $value := .Values.launcher.podLabels }}
{{- if include "dsgen.reservedKey" $key }}
launcher.podLabels: {{ $key | quote }} is written by dsgen or Kubernetes [DS230]
  choose a key of a domain of your own
{{- end }}
{{- end }}
{{- range $key, $value := .Values.launcher.podAnnotations }}
{{- if include "dsgen.reservedKey" $key }}
launcher.podAnnotations: {{ $key | quote }} is written by dsgen or Kubernetes [DS230]
  choose a key of a domain of your own
{{- end }}
{{- end }}
{{- range $key, $value := .Values.serviceAccount.annotations }}
{{- if include "dsgen.reservedKey" $key }}
serviceAccount.annotations: {{ $key | quote }} is written by dsgen or Kubernetes [DS230]
  choose a key of a domain of your own
{{- end }}
{{- if hasKey $.Values.annotations $key }}
serviceAccount.annotations: {{ $key | quote }} is among annotations already [DS231]
  keep one of them
{{- end }}
{{- end }}
{{- if and .Values.ssh.secret.name (ne .Values.ssh.secret.mode "existing") }}
ssh.secret.name names a Secret of yours, which only the mode existing uses [DS240]
  set ssh.secret.mode: existing, or remove the name
{{- end }}
{{- if and (eq .Values.ssh.secret.mode "existing") (eq .Values.ssh.secret.name (printf "%s-ssh" (include "dsgen.jobName" .))) }}
ssh.secret.name: {{ .Values.ssh.secret.name | quote }} is the name of the Secret that is filled in the cluster [DS241]
  give your Secret another name
{{- end }}
{{- if eq (int64 .Values.launch.masterPort) (int64 .Values.ssh.port) }}
launch.masterPort and ssh.port are both {{ int64 .Values.ssh.port }} [DS242]
  give one of them another port
{{- end }}
{{- end }}
