{{/* Any value as YAML. Every string is quoted, so that no value is lost or misread; toYaml cannot do that. */}}
{{- define "contract.yaml" -}}
{{- $lines := list }}
{{- if and . (kindIs "map" .) }}
{{- range $key, $value := . }}
{{- $text := include "contract.yaml" $value }}
{{- if and $value (or (kindIs "map" $value) (kindIs "slice" $value)) }}
{{- $lines = append $lines (printf "%s:%s" (quote $key) (nindent 2 $text)) }}
{{- else }}
{{- $lines = append $lines (printf "%s: %s" (quote $key) $text) }}
{{- end }}
{{- end }}
{{- else if and . (kindIs "slice" .) }}
{{- range . }}
{{- $lines = append $lines (printf "- %s" (include "contract.yaml" . | indent 2 | trim)) }}
{{- end }}
{{- else if kindIs "string" . }}
{{- $lines = append $lines (quote .) }}
{{- else }}
{{- $lines = append $lines (toRawJson .) }}
{{- end }}
{{- join "\n" $lines }}
{{- end }}

{{/* JSON for a block of text, without characters that YAML refuses or changes there. */}}
{{- define "contract.plainJson" -}}
{{- $text := toRawJson . }}
{{- range regexFindAll `[\x{7f}-\x{ffff}]` $text -1 | uniq }}
{{- $text = replace . (printf "%+q" . | trimAll `"` | replace `\x` `\u00`) $text }}
{{- end }}
{{- $text }}
{{- end }}
