{{/* Fails with a message and the id of its rule, if there is a message: a list of the id and the message. */}}
{{- define "<CHARTNAME>.refuse" -}}
{{- with index . 1 | trim }}
{{- fail (printf "%s [%s]" . (index $ 0)) }}
{{- end }}
{{- end }}
