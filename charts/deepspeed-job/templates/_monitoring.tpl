{{/*
Labels of TensorBoard's pod. They contain no run, so that
no Service or NetworkPolicy of a run selects the pod.
*/}}
{{- define "deepspeed-job.tensorboardSelector" -}}
dsgen.dev/job: {{ include "deepspeed-job.jobName" . | quote }}
dsgen.dev/role: tensorboard
{{- end }}

{{/*
"true" for a volume through which another pod can read the files of the
workers. A ReadWriteOncePod claim would keep the workers from starting.
*/}}
{{- define "deepspeed-job.isShared" -}}
{{- if and (dig "mountPath" "" .)
           (ne (dig "mountIn" "auto" .) "launcher")
           (or (and (ne .create nil)
                    (not (has "ReadWriteOncePod" (dig "accessModes" (list
                        "ReadWriteMany") .create))))
               (and (eq .create nil)
                    (or (dig "existingClaim" "" .) (ne .nfs nil) (ne .hostPath nil) (ne .csi nil)))) -}}
true
{{- end -}}
{{- end }}

{{/* Mounts of the workers' volumes, read-only. */}}
{{- define "deepspeed-job.sharedMounts" -}}
{{- range $name, $volume := .Values.storage }}
{{- if include "deepspeed-job.isShared" $volume }}
{{ include "deepspeed-job.storageMount" (dict "name" $name "volume" $volume "isReadOnly" true) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Volumes for these mounts. */}}
{{- define "deepspeed-job.sharedVolumes" -}}
{{- range $name, $volume := .Values.storage }}
{{- if include "deepspeed-job.isShared" $volume }}
- name: {{ $name | quote }}
  {{- include "deepspeed-job.volumeSource" (dict
      "Values" $.Values
      "Release" $.Release
      "name" $name
      "volume" $volume) | trim | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}
