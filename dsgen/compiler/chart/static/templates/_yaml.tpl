{{/* Any value as YAML. Every string is quoted, so that no value is lost or misread; toYaml cannot do that. */}}
{{- define "<CHARTNAME>.yaml" -}}
{{- $lines := list }}
{{- if and . (kindIs "map" .) }}
{{- range $key, $value := . }}
{{- $text := include "<CHARTNAME>.yaml" $value }}
{{- $isBlock := and (has (kindOf $value) (list "map" "slice")) (gt (len $value) 0) }}
{{- $lines = append $lines (printf "%s:%s" (quote $key) (ternary (nindent 2 $text) (print " " $text) $isBlock)) }}
{{- end }}
{{- else if and . (kindIs "slice" .) }}
{{- range . }}
{{- $lines = append $lines (printf "- %s" (include "<CHARTNAME>.yaml" . | indent 2 | trim)) }}
{{- end }}
{{- else }}
{{- $lines = list (kindIs "string" . | ternary (quote .) (toRawJson .)) }}
{{- end }}
{{- join "\n" $lines }}
{{- end }}

{{/* JSON for a block of text, without characters that YAML refuses or changes there. */}}
{{- define "<CHARTNAME>.plainJson" -}}
{{- $text := toRawJson . }}
{{- range regexFindAll `[\x{7f}-\x{ffff}]` $text -1 | uniq }}
{{- $text = replace . (printf "%+q" . | trimAll `"` | replace `\x` `\u00`) $text }}
{{- end }}
{{- $text }}
{{- end }}

{{/* The names of environment variables, each after those of its $(NAME), in as many passes as that needs. */}}
{{- define "<CHARTNAME>.variables" -}}
{{- $waiting := . }}
{{- $names := list }}
{{- range . }}
{{- range $name, $value := $waiting }}
{{- $isReady := true }}
{{- range regexFindAll `[$]([$]|[(][^)]*[)])` (kindIs "string" $value | ternary $value "") -1 }}
{{- $isReady = and $isReady (not (hasKey $waiting (trimPrefix "$(" . | trimSuffix ")"))) }}
{{- end }}
{{- if $isReady }}
{{- $names = append $names $name }}
{{- $waiting = omit $waiting $name }}
{{- end }}
{{- end }}
{{- end }}
{{- join "\n" $names }}
{{- end }}

{{/* A quantity such as 1.5Gi as a whole number of bytes, rounded down, at most 2^53; 0 for a text without a number. */}}
{{- define "<CHARTNAME>.bytes" -}}
{{- $units := dict "n" 1e-9 "u" 1e-6 "m" 1e-3 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18
                   "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0
                   "Pi" 1125899906842624.0 "Ei" 1152921504606846976.0 }}
{{- $unit := regexFind "([KMGTPE]i|[numkMGTPE])$" . }}
{{- $factor := get $units $unit | default 1.0 }}
{{- mulf (trimSuffix $unit .) $factor | minf 9007199254740992.0 | floor | int64 }}
{{- end }}
