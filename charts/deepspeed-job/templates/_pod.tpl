{{/* Parts of both Jobs and their pods; `pod` is values.workers or values.launcher, `role` is worker or launcher. */}}

{{/*
Fields of a Job that the API server allows to change while it runs. An environment variable repeats them: it
is part of the immutable pod template, so the API server refuses a change of them. Only `suspend` may change.
*/}}
{{- define "deepspeed-job.jobLimits" -}}
{{- if eq .role "worker" }}
{{- $pods := include "deepspeed-job.workerPods" . | int64 }}
completions: {{ $pods }}
parallelism: {{ $pods }}
backoffLimit: {{ mul .Values.lifecycle.workerReplacements $pods }}
{{- else }}
backoffLimit: 3
{{- end }}
{{- /* With the default, a lost pod and its replacement could run at the same time, under the same name. */}}
podReplacementPolicy: Failed
{{- if ne .Values.lifecycle.ttlSecondsAfterFinished nil }}
ttlSecondsAfterFinished: {{ int64 .Values.lifecycle.ttlSecondsAfterFinished }}
{{- end }}
{{- end }}

{{/*
Labels and annotations of a pod: those of dsgen, and those of the user, of
whom podLabels and podAnnotations are merged over those of all objects.
*/}}
{{- define "deepspeed-job.podMetadata" -}}
{{- range $kind := list "podLabels" "podAnnotations" }}
{{- range $key, $value := index $.pod $kind }}
{{- include "deepspeed-job.refuse" (list
    "DS230" "writtenKey" (dict "where" (printf "%s.%s" $.pods $kind) "key" $key)) }}
{{- end }}
{{- end }}
labels:
  {{- include "deepspeed-job.selector" . | nindent 2 }}
  {{- $given := mergeOverwrite (deepCopy .Values.labels) (deepCopy .pod.podLabels) }}
  {{- if $given }}
  {{- include "deepspeed-job.yaml" $given | nindent 2 }}
  {{- end }}
  {{- if and (eq .role "worker") (eq .Values.scheduling.gang "coscheduling") }}
  scheduling.x-k8s.io/pod-group: {{ include "deepspeed-job.gangName" . | quote }}
  {{- end }}
{{- $own := dict }}
{{- if and (eq .role "worker") .Values.network.rdma.networks }}
{{- $own = dict "k8s.v1.cni.cncf.io/networks" (.Values.network.rdma.networks | join ",") }}
{{- end }}
{{- if and (eq .role "worker") (eq .Values.scheduling.gang "volcano") }}
{{- $own = mergeOverwrite $own (dict
    "scheduling.k8s.io/group-name" (include "deepspeed-job.gangName" .)) }}
{{- end }}
{{- $topology := .Values.scheduling.topology }}
{{- if and (eq .role "worker") (include "deepspeed-job.kueueQueue" .) $topology.required }}
{{- $own = mergeOverwrite $own (dict
    "kueue.x-k8s.io/podset-required-topology" $topology.required) }}
{{- else if and (eq .role "worker") (include "deepspeed-job.kueueQueue" .) $topology.preferred }}
{{- $own = mergeOverwrite $own (dict
    "kueue.x-k8s.io/podset-preferred-topology" $topology.preferred) }}
{{- end }}
{{- $all := mergeOverwrite (deepCopy .Values.annotations) (deepCopy .pod.podAnnotations) (deepCopy $own) }}
{{- if $all }}
annotations:
  {{- include "deepspeed-job.yaml" $all | nindent 2 }}
{{- end }}
{{- end }}

{{/* Fields of both pods. */}}
{{- define "deepspeed-job.podFields" -}}
restartPolicy: Never
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: {{ int64 .Values.lifecycle.terminationGracePeriodSeconds }}
{{- if .Values.image.pullSecrets }}
imagePullSecrets:
  {{- include "deepspeed-job.yaml" .Values.image.pullSecrets | nindent 2 }}
{{- end }}
{{- $context := include "deepspeed-job.podSecurityContext" . | trim }}
{{- if $context }}
securityContext:
  {{- $context | nindent 2 }}
{{- end }}
{{- if and .pod.nodeSelector (not (include "deepspeed-job.kueueQueue" .)) }}
nodeSelector:
  {{- include "deepspeed-job.yaml" .pod.nodeSelector | nindent 2 }}
{{- end }}
{{- if .pod.tolerations }}
tolerations:
  {{- include "deepspeed-job.yaml" .pod.tolerations | nindent 2 }}
{{- end }}
{{- if .pod.priorityClassName }}
priorityClassName: {{ .pod.priorityClassName | quote }}
{{- end }}
{{- $affinity := include "deepspeed-job.affinityOf" . | trim }}
{{- if $affinity }}
affinity:
  {{- $affinity | nindent 2 }}
{{- end }}
{{- if .pod.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- include "deepspeed-job.yaml" .pod.topologySpreadConstraints | nindent 2 }}
{{- end }}
{{- $scheduler := include "deepspeed-job.schedulerName" . }}
{{- if $scheduler }}
schedulerName: {{ $scheduler | quote }}
{{- end }}
{{- if and (eq .role "worker") .Values.network.hostNetwork }}
hostNetwork: true
dnsPolicy: ClusterFirstWithHostNet
{{- end }}
{{- if .pod.extraPodSpec }}
{{ include "deepspeed-job.yaml" .pod.extraPodSpec }}
{{- end }}
{{- end }}

{{/*
The podFailurePolicy of a Job: disruptions do not count,
and failures that another try would repeat end the Job.
*/}}
{{- define "deepspeed-job.failurePolicy" -}}
rules:
  - action: Ignore
    onPodConditions:
      - type: DisruptionTarget
        status: "True"
  - action: FailJob
    onExitCodes:
      containerName: {{ .role }}
      {{- if and (eq .role "worker") (include "deepspeed-job.usesSsh" .) }}
      operator: In
      values: [75, 78]
      {{- else }}
      operator: NotIn
      values: [137, 143, 255]
      {{- end }}
  {{- if include "deepspeed-job.wantsPasswd" . }}
  {{- include "deepspeed-job.refusedInput" "passwd" | nindent 2 }}
  {{- end }}
  {{- if include "deepspeed-job.hasCode" . }}
  {{- include "deepspeed-job.refusedInput" "code" | nindent 2 }}
  {{- end }}
{{- end }}

{{/* The rule for a container of dsgen that exits with 78, because its input is wrong. */}}
{{- define "deepspeed-job.refusedInput" -}}
- action: FailJob
  onExitCodes:
    containerName: {{ . }}
    operator: In
    values: [78]
{{- end }}

{{/*
Volumes of both pods: those of dsgen, then those of storage. `pods` is workers or
launcher, as in storage.*.mountIn. Some scripts are executed by their names. Each volume
costs a node time, so the settings of the run are in the one that all containers mount.
*/}}
{{- define "deepspeed-job.volumes" -}}
{{- $folders := list "shared" "worker" "local" "slurm" "ssh" }}
{{- if eq .pods "launcher" }}
{{- $folders = list "shared" "launcher" "status" "local" "slurm" "ssh" }}
{{- end }}
{{- range $folder := $folders }}
{{- if include "deepspeed-job.needsScripts" (dict "Values" $.Values "folder" $folder) }}
- name: dsgen-{{ $folder }}
  projected:  # in memory; to write the files of a configMap to the disk takes a node longer
    sources:
      - configMap:
          name: {{ include "deepspeed-job.scriptsName" (dict
              "Values" $.Values
              "Release" $.Release
              "folder" $folder) }}
      {{- if eq $folder "shared" }}
      - configMap:
          name: {{ include "deepspeed-job.runName" $ }}-config
      {{- end }}
    defaultMode: 365  # 0555
{{- end }}
{{- end }}
{{ include "deepspeed-job.memoryVolume" "run" }}
{{- if include "deepspeed-job.wantsPasswd" . }}
{{ include "deepspeed-job.memoryVolume" "run-passwd" }}
{{- end }}
- name: dsgen-cache
  emptyDir:
    sizeLimit: 50Gi
{{- if include "deepspeed-job.usesSsh" . }}
{{ include "deepspeed-job.secretVolume" (dict
    "name" "keys"
    "secret" (include "deepspeed-job.secretName" .)
    "isOptional" true) }}
{{- end }}
{{- if and .Values.training.files (include "deepspeed-job.preparesTraining" .) }}
- name: dsgen-files
  configMap:
    name: {{ include "deepspeed-job.runName" . }}-files
    defaultMode: 493  # 0755
{{- end }}
{{- if include "deepspeed-job.hasCode" . }}
- name: dsgen-code
  emptyDir:
    sizeLimit: 50Gi
{{ include "deepspeed-job.memoryVolume" "run-code" }}
{{- if .Values.code.git.secretName }}
{{ include "deepspeed-job.secretVolume" (dict
    "name" "git"
    "secret" .Values.code.git.secretName
    "isOptional" false) }}
{{- end }}
{{- end }}
{{- range $name, $volume := .Values.storage }}
{{- if include "deepspeed-job.hasVolume" (dict
    "Values" $.Values
    "pod" $.pod
    "pods" $.pods
    "name" $name
    "volume" $volume) | trim }}
{{- include "deepspeed-job.refuse" (list "DS373" "ownVolume" $name) }}
- name: {{ $name | quote }}
  {{- include "deepspeed-job.volumeSource" (dict
      "Values" $.Values
      "Release" $.Release
      "name" $name
      "volume" $volume) | trim | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/* A small volume in memory. */}}
{{- define "deepspeed-job.memoryVolume" -}}
- name: dsgen-{{ . }}
  emptyDir:
    medium: Memory
    sizeLimit: 64Mi
{{- end }}

{{/* The files of a Secret, which need not exist if it is optional. */}}
{{- define "deepspeed-job.secretVolume" -}}
- name: dsgen-{{ .name }}
  secret:
    secretName: {{ .secret | quote }}
    defaultMode: 292  # 0444
    {{- if .isOptional }}
    optional: true
    {{- end }}
{{- end }}

{{/*
The source of a volume: a claim, or a source of Kubernetes as the
user wrote it. `name` is its key in storage, `volume` its value.
*/}}
{{- define "deepspeed-job.volumeSource" -}}
{{- if or (ne .volume.create nil) (dig "existingClaim" "" .volume) }}
persistentVolumeClaim:
  claimName: {{ include "deepspeed-job.claimName" . | quote }}
  {{- if dig "readOnly" false .volume }}
  readOnly: true
  {{- end }}
{{- else }}
{{- range $source := list
    "nfs" "hostPath" "emptyDir" "ephemeral" "csi" "configMap" "secret" "projected" }}
{{- if hasKey $.volume $source }}
{{ $source }}:
  {{- include "deepspeed-job.yaml" (index $.volume $source) | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
