{{/* The user's containers and tolerations. */}}

{{/* A message for each error, with a hint below it. */}}
{{- define "deepspeed-job.containersProblems" -}}
{{- range $role := list "workers" "launcher" }}
  {{- range $kind := list "initContainers" "sidecars" }}
    {{- range $container := index (index $.Values $role) $kind }}
      {{- if and (kindIs "string" $container.name)
                 (regexMatch (include "deepspeed-job.ownContainersPattern" .) $container.name) }}
{{ $role }}.{{ $kind }}: {{ $container.name | quote }} is the name of one of dsgen's containers [DS234]
  choose another name
      {{- end }}

      {{- range $mount := dig "volumeMounts" (list) $container }}
        {{- if and (kindIs "string" $mount.name) (not (hasKey $.Values.storage $mount.name)) }}
{{ $role }}.{{ $kind }}: {{ $mount.name | quote }} is not a volume of storage [DS236]
  add the volume to storage; the name of a mount is a key of storage
        {{- end }}
      {{- end }}
    {{- end }}
  {{- end }}

  {{- range $container := index (index $.Values $role) "sidecars" }}
    {{- range $other := index (index $.Values $role) "initContainers" }}
      {{- if and (kindIs "string" $container.name)
                 (kindIs "string" $other.name)
                 (eq $container.name $other.name) }}
{{ $role }}: two containers have the name {{ $container.name | quote }} [DS235]
  give each container of the pod its own name
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}
