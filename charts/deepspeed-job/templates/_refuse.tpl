{{/* Fails if a helper returns a message: a list of the id of the rule, the helper, and its data. */}}
{{- define "deepspeed-job.refuse" -}}
{{- with include (printf "deepspeed-job.%s" (index . 1)) (index . 2) | trim }}
{{- fail (printf "%s [%s]" . (index $ 0)) }}
{{- end }}
{{- end }}
