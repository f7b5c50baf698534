{{/* Quantities of Kubernetes, and other sizes for checks. */}}

{{/* The bytes of memory in requests or limits; 0 if it is not set, or has a form such as 1.5Gi. */}}
{{- define "deepspeed-job.memoryBytes" -}}
{{- if hasKey . "memory" -}}
{{ include "deepspeed-job.wholeBytes" (include "deepspeed-job.quantityJson" (index . "memory") | replace `"` "") }}
{{- else -}}
0
{{- end -}}
{{- end }}

{{/* The bytes of memory that the main container of a role requests, also by default; 0 as for memory_bytes. */}}
{{- define "deepspeed-job.requestedMemory" -}}
{{- if hasKey .pod.resources.requests "memory" -}}
{{ include "deepspeed-job.wholeBytes" (include "deepspeed-job.requestOf" (dict "pod" .pod "role" .role "key" "memory"
                                                                           "quantity" (index .pod.resources.requests
                                                                           "memory")) | replace `"` "") }}
{{- else -}}
0
{{- end -}}
{{- end }}

{{/* A quantity (a text or a number) as JSON. */}}
{{- define "deepspeed-job.quantityJson" -}}
{{ . | toRawJson }}
{{- end }}

{{/* The bytes of a whole quantity such as 8Gi; 0 for any other form, such as 1.5Gi. */}}
{{- define "deepspeed-job.wholeBytes" -}}
{{- if regexMatch "^[0-9]{1,18}$" . -}}
{{ . | int64 }}
{{- else if regexMatch "^[0-9]{1,9}Ki$" . -}}
{{ mul (. | replace "Ki" "" | int64) 1024 }}
{{- else if regexMatch "^[0-9]{1,9}Mi$" . -}}
{{ mul (. | replace "Mi" "" | int64) 1048576 }}
{{- else if regexMatch "^[0-9]{1,9}Gi$" . -}}
{{ mul (. | replace "Gi" "" | int64) 1073741824 }}
{{- else if regexMatch "^[0-9]{1,6}Ti$" . -}}
{{ mul (. | replace "Ti" "" | int64) 1099511627776 }}
{{- else if regexMatch "^[0-9]{1,9}k$" . -}}
{{ mul (. | replace "k" "" | int64) 1000 }}
{{- else if regexMatch "^[0-9]{1,9}M$" . -}}
{{ mul (. | replace "M" "" | int64) 1000000 }}
{{- else if regexMatch "^[0-9]{1,9}G$" . -}}
{{ mul (. | replace "G" "" | int64) 1000000000 }}
{{- else if regexMatch "^[0-9]{1,6}T$" . -}}
{{ mul (. | replace "T" "" | int64) 1000000000000 }}
{{- else -}}
0
{{- end -}}
{{- end }}

{{/*
"true" for a size as JSON that is below 1Mi and not 0; else
empty. Other units with many zeros are not recognized.
*/}}
{{- define "deepspeed-job.below1mi" -}}
{{- if regexMatch "^[^0-9]?0+([.]0+)?[A-Za-z]*[^0-9A-Za-z.]?$" . -}}
{{- else if or (regexMatch "^[0-9]{1,6}([.][0-9]+)?$" .)
               (regexMatch "^[^0-9][0-9]{1,6}([.][0-9]+)?[^0-9A-Za-z.]$" .) -}}
true
{{- else if regexMatch "^[^0-9]?10([0-3][0-9]{4}|4[0-7][0-9]{3}|48[0-4][0-9]{2}|485[0-6][0-9]|4857[0-5])([.][0-9]+)?[^0-9A-Za-z.]?$" . -}}
true
{{- else if regexMatch "^[^0-9]([0-9]{1,9}([.][0-9]+)?m|0*([0-9]{1,3}|10[0-3][0-9]|104[0-7])([.][0-9]+)?k|0*([0-9]{1,3}|10[01][0-9]|102[0-3])([.][0-9]+)?Ki|0*1M|0+[.][0-9]+Mi?)[^0-9A-Za-z.]$" . -}}
true
{{- end -}}
{{- end }}

{{/* The number of digits of all numbers from 0 to `count` - 1. */}}
{{- define "deepspeed-job.digitsBelow" -}}
{{- if le . 10 -}}
{{ . }}
{{- else if le . 100 -}}
{{ sub (mul . 2) 10 }}
{{- else if le . 1000 -}}
{{ sub (mul . 3) 110 }}
{{- else if le . 10000 -}}
{{ sub (mul . 4) 1110 }}
{{- else -}}
{{ sub (mul . 5) 11110 }}
{{- end -}}
{{- end }}

{{/*
The size of DeepSpeed's JSON of the workers, such as {"RUN-worker-0.RUN": [0, 1]}: for each worker both
names, 15 other characters and its slots with two characters between them; and the digits of the workers.
*/}}
{{- define "deepspeed-job.worldBytes" -}}
{{- $run := include "deepspeed-job.runName" . -}}
{{- $slots := add (include "deepspeed-job.digitsBelow" (int64 .Values.workers.slots) | int64) (mul 2 .Values.workers.slots) -}}
{{- $pods := include "deepspeed-job.workerPods" . | int64 -}}
{{ add (mul $pods (add (mul 2 (len $run)) 15 $slots)) (include "deepspeed-job.digitsBelow" $pods | int64) }}
{{- end }}

{{/*
The memory in bytes that the launcher needs with ssh: 1
GiB, and 1.4 MiB (measured) for the session of each worker.
*/}}
{{- define "deepspeed-job.launcherBytes" -}}
{{ add 1073741824 (mul 1468006 (include "deepspeed-job.workerPods" . | int64)) }}
{{- end }}
