{{/* Parts of both Jobs and their pods; `pod` is values.workers or values.launcher, `role` is worker or launcher. */}}

{{/*
Fields of a Job that the API server allows to change while it runs. An environment variable repeats them: it
is part of the immutable pod template, so the API server refuses a change of them. Only `suspend` may change.
*/}}
{{- define "contract.jobLimits" -}}
{{- if eq .role "worker" }}
{{- $pods := include "contract.workerPods" . | int64 }}
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
A rule that ends the Job depending on the exit code of a container.
`operator` is In or NotIn; `codes` is a text such as 75, 78.
*/}}
{{- define "contract.failJob" -}}
- action: FailJob
  onExitCodes:
    containerName: {{ .container }}
    operator: {{ .operator }}
    values: [{{ .codes }}]
{{- end }}

{{/* Labels and annotations of a pod: those of dsgen and those of the user. */}}
{{- define "contract.podMetadata" -}}
labels:
  {{- include "contract.selector" . | nindent 2 }}
  {{- range $key, $value := .pod.podLabels }}
  {{ $key | quote }}: {{ $value | quote }}
  {{- end }}
  {{- if and (eq .role "worker") (eq .Values.scheduling.gang "coscheduling") }}
  scheduling.x-k8s.io/pod-group: {{ include "contract.gangName" . | quote }}
  {{- end }}
{{- $own := dict }}
{{- if and (eq .role "worker") .Values.network.rdma.networks }}
{{- $own = dict "k8s.v1.cni.cncf.io/networks" (.Values.network.rdma.networks | join ",") }}
{{- end }}
{{- if and (eq .role "worker") (eq .Values.scheduling.gang "volcano") }}
{{- $own = mergeOverwrite (deepCopy $own) (dict "scheduling.k8s.io/group-name" (include "contract.gangName" .)) }}
{{- end }}
{{- $topology := .Values.scheduling.topology }}
{{- if and (eq .role "worker") (include "contract.kueueQueue" .) $topology.required }}
{{- $own = mergeOverwrite (deepCopy $own) (dict "kueue.x-k8s.io/podset-required-topology" $topology.required) }}
{{- else if and (eq .role "worker") (include "contract.kueueQueue" .) $topology.preferred }}
{{- $own = mergeOverwrite (deepCopy $own) (dict "kueue.x-k8s.io/podset-preferred-topology" $topology.preferred) }}
{{- end }}
{{- $all := mergeOverwrite (deepCopy .pod.podAnnotations) (deepCopy $own) }}
{{- if $all }}
annotations:
  {{- include "contract.yaml" $all | nindent 2 }}
{{- end }}
{{- end }}

{{/* Fields of both pods. */}}
{{- define "contract.podFields" -}}
restartPolicy: Never
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: {{ int64 .Values.lifecycle.terminationGracePeriodSeconds }}
{{- if .Values.image.pullSecrets }}
imagePullSecrets:
  {{- include "contract.yaml" .Values.image.pullSecrets | nindent 2 }}
{{- end }}
{{- $context := include "contract.podSecurityContext" . | trim }}
{{- if $context }}
securityContext:
  {{- $context | nindent 2 }}
{{- end }}
{{- if and .pod.nodeSelector (not (include "contract.kueueQueue" .)) }}
nodeSelector:
  {{- include "contract.yaml" .pod.nodeSelector | nindent 2 }}
{{- end }}
{{- if .pod.tolerations }}
tolerations:
  {{- include "contract.yaml" .pod.tolerations | nindent 2 }}
{{- end }}
{{- if .pod.priorityClassName }}
priorityClassName: {{ .pod.priorityClassName | quote }}
{{- end }}
{{- $affinity := include "contract.affinityOf" . | trim }}
{{- if $affinity }}
affinity:
  {{- $affinity | nindent 2 }}
{{- end }}
{{- if .pod.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- include "contract.yaml" .pod.topologySpreadConstraints | nindent 2 }}
{{- end }}
{{- $scheduler := include "contract.schedulerName" . }}
{{- if $scheduler }}
schedulerName: {{ $scheduler | quote }}
{{- end }}
{{- if .pod.runtimeClassName }}
runtimeClassName: {{ .pod.runtimeClassName | quote }}
{{- end }}
{{- if and (eq .role "worker") .Values.network.hostNetwork }}
hostNetwork: true
dnsPolicy: ClusterFirstWithHostNet
{{- end }}
{{- if .pod.extraPodSpec }}
{{ include "contract.yaml" .pod.extraPodSpec }}
{{- end }}
{{- end }}

{{/*
Volumes of both pods: those of dsgen, then those of storage.
`mount_in` is workers or launcher, as in storage.*.mountIn.
*/}}
{{- define "contract.volumes" -}}
- name: dsgen-config
  projected:
    defaultMode: 365  # 0555
    sources:
      - configMap:
          name: {{ include "contract.runName" . }}-config
      - configMap:
          name: {{ include "contract.scriptsName" . }}
- name: dsgen-run
  emptyDir:
    medium: Memory
{{- if include "contract.wantsPasswd" . }}
- name: dsgen-run-passwd
  emptyDir:
    medium: Memory
{{- end }}
- name: dsgen-cache
  emptyDir: {}
{{- if include "contract.usesSsh" . }}
- name: dsgen-keys
  secret:
    secretName: {{ include "contract.secretName" . | quote }}
    defaultMode: 292  # 0444
    optional: true
{{- end }}
{{- if .Values.training.files }}
- name: dsgen-files
  configMap:
    name: {{ include "contract.runName" . }}-files
    defaultMode: 493  # 0755
{{- end }}
{{- if .Values.code.git.repository }}
- name: dsgen-code
  emptyDir: {}
- name: dsgen-run-code
  emptyDir:
    medium: Memory
{{- if .Values.code.git.secretName }}
- name: dsgen-git
  secret:
    secretName: {{ .Values.code.git.secretName | quote }}
    defaultMode: 292  # 0444
{{- end }}
{{- end }}
{{- range $name, $volume := .Values.storage }}
{{- if has (dig "mountIn" "both" $volume) (list "both" $.mountIn) }}
- name: {{ $name | quote }}
  {{- include "contract.volumeSource" (dict "Values" $.Values "Release" $.Release "name" $name "volume" $volume) | trim | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/*
The source of a volume: a claim, or a source of Kubernetes as the
user wrote it. `name` is its key in storage, `volume` its value.
*/}}
{{- define "contract.volumeSource" -}}
{{- if or (ne .volume.create nil) (dig "existingClaim" "" .volume) }}
persistentVolumeClaim:
  claimName: {{ include "contract.claimName" . | quote }}
  {{- if dig "readOnly" false .volume }}
  readOnly: true
  {{- end }}
{{- else }}
{{- range $source := list "nfs" "hostPath" "emptyDir" "ephemeral" "csi" "configMap" "secret" "projected" }}
{{- if hasKey $.volume $source }}
{{ $source }}:
  {{- include "contract.yaml" (index $.volume $source) | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
