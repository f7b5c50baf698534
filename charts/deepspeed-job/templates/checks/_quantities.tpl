{{/* Quantities of Kubernetes, and other sizes for checks. */}}

{{/* The bytes of memory in requests or limits; 0 if it is not set. */}}
{{- define "deepspeed-job.memoryBytes" -}}
{{- if hasKey . "memory" -}}
{{ include "deepspeed-job.bytes" (include "deepspeed-job.quantityJson" (index . "memory") | replace `"` "") }}
{{- else -}}
0
{{- end -}}
{{- end }}

{{/*
What the main container of a role requests of a resource,
also by default, in bytes or CPUs; 0 if it is not set.
*/}}
{{- define "deepspeed-job.requested" -}}
{{- if hasKey .pod.resources.requests .key -}}
{{- $request := include "deepspeed-job.requestOf" (dict "pod" .pod
                                                      "role" .role
                                                      "key" .key
                                                      "quantity" (index .pod.resources.requests .key)) -}}
{{ include "deepspeed-job.bytes" ($request | replace `"` "") }}
{{- else -}}
0
{{- end -}}
{{- end }}

{{/* A quantity (a text or a number) as JSON. */}}
{{- define "deepspeed-job.quantityJson" -}}
{{ . | toRawJson }}
{{- end }}

{{/*
"true" for a size as JSON that is below 1Mi and not 0; else
empty. Other units with many zeros are not recognized.
*/}}
{{- define "deepspeed-job.below1mi" -}}
{{- if and (not (regexMatch (include "deepspeed-job.nothingPattern" .) .))
           (or (regexMatch "^[0-9]{1,6}([.][0-9]+)?$" .)
               (regexMatch "^[^0-9][0-9]{1,6}([.][0-9]+)?[^0-9A-Za-z.]$" .)
               (regexMatch (join "" (list "^[^0-9]?10([0-3][0-9]{4}|4[0-7][0-9]{3}|48[0-4][0-9]{2}|485[0-6][0-9]|"
                                          "4857[0-5])([.][0-9]+)?[^0-9A-Za-z.]?$")) .)
               (regexMatch (join "" (list "^[^0-9]([0-9]{1,9}([.][0-9]+)?m|0*([0-9]{1,3}|10[0-3][0-9]|"
                                          "104[0-7])([.][0-9]+)?k|0*([0-9]{1,3}|10[01][0-9]|"
                                          "102[0-3])([.][0-9]+)?Ki|0*1M|0+[.][0-9]+Mi?)[^0-9A-Za-z.]$")) .)) -}}
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

{{/*
The memory in bytes that a worker needs at least: for its processes (with CUDA 2 GiB or more, without
it 256 MiB), for all of sharedMemory, unless it is the default, which few jobs fill, and for its part
of the states that DeepSpeed offloads: 18 bytes a parameter, for a model of a billion parameters.
*/}}
{{- define "deepspeed-job.workerBytes" -}}
{{- $process := ternary 2147483648
                        268435456
                        (gt (include "deepspeed-job.accelerators" .Values.workers | int64) 0) -}}
{{- $shared := ternary (mul (div (include "deepspeed-job.bytes" .Values.workers.sharedMemory | int64) 1048576) 1048576)
                       0
                       (ne .Values.workers.sharedMemory "8Gi") -}}
{{- $offloaded := 0 -}}
{{- if include "deepspeed-job.offloads" . | trim -}}
{{- $offloaded = div 18000000000 (include "deepspeed-job.workerPods" . | int64) -}}
{{- end -}}
{{ add (mul $process .Values.workers.slots) $shared $offloaded }}
{{- end }}

{{/* "true" if DeepSpeed's configuration keeps the optimizer or weights in the memory of the worker; else empty. */}}
{{- define "deepspeed-job.offloads" -}}
{{- $zero := dig "zero_optimization" (dict) .Values.training.deepspeed.config }}
{{- if kindIs "map" $zero }}
{{- range $part := list "offload_optimizer" "offload_param" }}
{{- $offload := dig $part (dict) $zero }}
{{- if kindIs "map" $offload }}
{{- $device := dig "device" "" $offload }}
{{- if and (kindIs "string" $device) (eq $device "cpu") }}
true
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
