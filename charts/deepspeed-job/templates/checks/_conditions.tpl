{{/* Conditions that several checks use. */}}

{{/* "true" for a repository over ssh: ssh://HOST/PATH or HOST:PATH; else empty. */}}
{{- define "deepspeed-job.gitOverSsh" -}}
{{- if or (regexMatch "^ssh://.*$" .)
          (regexMatch (include "deepspeed-job.hostAndPathPattern" .) .) -}}
true
{{- end -}}
{{- end }}

{{/* "true" for a path that dsgen or the system uses; else empty. */}}
{{- define "deepspeed-job.reservedPath" -}}
{{- if or (regexMatch "^/(job|etc/(dsgen|dsgen-status|dsgen-git|dsgen-webhook|mpi))(/.*)?$" .)
          (regexMatch (join "" (list "^/((var/)?run/dsgen(-[a-z]+)?|(var/)?run/secrets/dsgen|"
                                     "etc/ssh/ssh_config|etc/passwd)(/.*)?$")) .)
          (regexMatch "^/(etc|etc/ssh|run|var|var/run|var/run/secrets|dev|proc|sys)$" .) -}}
true
{{- end -}}
{{- end }}

{{/* The source of a volume, the first of several; empty without a source. */}}
{{- define "deepspeed-job.firstSource" -}}
{{- if dig "existingClaim" "" . -}}
existingClaim
{{- else if ne .create nil -}}
create
{{- else if ne .nfs nil -}}
nfs
{{- else if ne .hostPath nil -}}
hostPath
{{- else if ne .emptyDir nil -}}
emptyDir
{{- else if ne .ephemeral nil -}}
ephemeral
{{- else if ne .csi nil -}}
csi
{{- else if ne .configMap nil -}}
configMap
{{- else if ne .secret nil -}}
secret
{{- else if ne .projected nil -}}
projected
{{- end -}}
{{- end }}

{{/*
"true" if a container of the user in the pods of a role
mounts the volume `name` or has it as a device; else empty.
*/}}
{{- define "deepspeed-job.usedInPod" -}}
{{- range $kind := list "initContainers" "sidecars" }}
{{- range $container := index $.pod $kind }}
{{- range $field := list "volumeMounts" "volumeDevices" }}
{{- range $mount := dig $field (list) $container }}
{{- if and (kindIs "string" $mount.name) (eq $mount.name $.name) }}
true
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- range $device := dig "volumeDevices" (list) .pod.extraContainerSpec }}
{{- if and (kindIs "string" $device.name) (eq $device.name $.name) }}
true
{{- end }}
{{- end }}
{{- end }}

{{/* "true" if the workers request a device in their resources, or by a claim; else empty. */}}
{{- define "deepspeed-job.requestsDevices" -}}
{{- range $kind := list "requests" "limits" }}
{{- range $key, $quantity := index $.resources $kind }}
{{- if regexMatch "^[^/]+/.*$" $key }}
true
{{- end }}
{{- end }}
{{- end }}
{{- if .resources.claims }}
true
{{- end }}
{{- end }}

{{/* "true" for each volume of the workers that contains a path and is of a kind (any, writable, kept); else empty. */}}
{{- define "deepspeed-job.isOnVolume" -}}
{{- $folder := printf "%s/" .path }}
{{- range $name, $volume := .Values.storage }}
{{- if and (dig "mountPath" "" $volume)
           (hasPrefix (printf "%s/" (dig "mountPath" "" $volume)) $folder)
           (include "deepspeed-job.isMountedIn" (dict "Values" $.Values
                                                    "volume" $volume
                                                    "pods" "workers"))
           (or (eq $.kind "any")
               (and (eq $.kind "kept")
                    (not (has (include "deepspeed-job.firstSource" $volume) (list "emptyDir"
                                                                                "ephemeral"))))
               (and (eq $.kind "writable")
                    (not (dig "readOnly" false $volume))
                    (not (has (include "deepspeed-job.firstSource" $volume) (list "configMap" "secret"
                                                                                "projected"))))) }}
true
{{- end }}
{{- end }}
{{- end }}
