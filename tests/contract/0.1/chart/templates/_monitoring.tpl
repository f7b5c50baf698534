{{/*
Labels of TensorBoard's pod. They contain no run, so that
no Service or NetworkPolicy of a run selects the pod.
*/}}
{{- define "contract.tensorboardSelector" -}}
dsgen.dev/job: {{ include "contract.jobName" . | quote }}
dsgen.dev/role: tensorboard
{{- end }}

{{/*
"true" for a volume through which another pod can read the files of the
workers. A ReadWriteOncePod claim would keep the workers from starting.
*/}}
{{- define "contract.isShared" -}}
{{- if and (dig "mountPath" "" .) (has (dig "mountIn" "both" .) (list "both" "workers")) -}}
{{- if ne .create nil -}}
{{- if not (has "ReadWriteOncePod" (dig "accessModes" (list "ReadWriteMany") .create)) -}}
true
{{- end -}}
{{- else if or (dig "existingClaim" "" .) (ne .nfs nil) (ne .hostPath nil) (ne .csi nil) -}}
true
{{- end -}}
{{- end -}}
{{- end }}

{{/* Mounts of the workers' volumes, read-only. */}}
{{- define "contract.sharedMounts" -}}
{{- range $name, $volume := .Values.storage }}
{{- if include "contract.isShared" $volume }}
- name: {{ $name | quote }}
  mountPath: {{ dig "mountPath" "" $volume | quote }}
  {{- if dig "subPath" "" $volume }}
  subPath: {{ dig "subPath" "" $volume | quote }}
  {{- end }}
  readOnly: true
{{- end }}
{{- end }}
{{- end }}

{{/* Volumes for these mounts. */}}
{{- define "contract.sharedVolumes" -}}
{{- range $name, $volume := .Values.storage }}
{{- if include "contract.isShared" $volume }}
- name: {{ $name | quote }}
  {{- include "contract.volumeSource" (dict "Values" $.Values "Release" $.Release "name" $name "volume" $volume) | trim | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}
