{{/* What the invariants ask about values. */}}

{{/* "true" for a repository over ssh: ssh://HOST/PATH or HOST:PATH; else empty. */}}
{{- define "deepspeed-job.gitOverSsh" -}}
{{- if or (regexMatch "^ssh://.*$" .) (regexMatch "^[^/:]+:([^/].*|/[^/].*)$" .) -}}
true
{{- end -}}
{{- end }}

{{/* "true" for a path that dsgen or the system uses; else empty. */}}
{{- define "deepspeed-job.reservedPath" -}}
{{- if or (regexMatch "^/(job|etc/(dsgen|dsgen-status|dsgen-git|dsgen-webhook|mpi))(/.*)?$" .)
          (regexMatch (join "" (list
              "^/((var/)?run/dsgen(-[a-z]+)?|(var/)?run/secrets/dsgen|"
              "etc/ssh/ssh_config|etc/passwd)(/.*)?$")) .)
          (regexMatch "^/(etc|etc/ssh|run|var|var/run|var/run/secrets|dev|proc|sys)$" .) -}}
true
{{- end -}}
{{- end }}

{{/* What the messages call the devices of a resource of which each process needs its own; empty for others. */}}
{{- define "deepspeed-job.kindOfDevice" -}}
{{- if regexMatch "^((nvidia|amd)[.]com/gpu|nvidia[.]com/(pgpu|mig-.*)|gpu[.]intel[.]com/.*)$" . -}}
GPUs
{{- else if regexMatch "^(habana[.]ai/gaudi|huawei[.]com/Ascend.*)$" . -}}
of {{ . | quote }}
{{- end -}}
{{- end }}

{{/* "true" if a worker has more processes than devices, and has devices; else empty. `workers` is values.workers. */}}
{{- define "deepspeed-job.hasFewerDevices" -}}
{{- if and (gt (int64 .slots) 1)
           (ne .accelerator.count nil)
           (gt (int64 .accelerator.count) 0)
           (gt (int64 .slots) (int64 .accelerator.count)) -}}
true
{{- end -}}
{{- end }}

{{/* The kind of an argument of mpirun that dsgen sets or that breaks a run; empty for others. */}}
{{- define "deepspeed-job.kindOfMpirun" -}}
{{- if regexMatch (join "" (list
    "^--?(n|np|c|N|pernode|npernode|npersocket|H|host|hostfile|machinefile|"
    "default-hostfile|rankfile|rf|app)(=.*)?$")) . -}}
processes
{{- else if regexMatch (join "" (list
    "^(--?(tag-output|timestamp-output|merge-stderr-to-stdout|output|"
    "output-filename|stdin|xml|xml-file)(=.*)?|(orte|prte)_(tag|timestamp|" "xml)_output)$")) . -}}
output
{{- else if regexMatch "^(plm|plm_rsh_.*|(orte|prte)_(leave_session_attached|keep_fqdn_hostnames))$" . -}}
transport
{{- else if regexMatch (join "" (list
    "^--?(h|help|V|version|do-not-launch|daemonize|report-uri|launch-agent|"
    "tune|am|(wd|wdir)|path)(=.*)?$")) . -}}
start
{{- end -}}
{{- end }}

{{/*
"true" for the audience of a service whose tokens no API server accepts; else empty. By
default, one accepts the audience that is its issuer, which is another text in each cluster.
*/}}
{{- define "deepspeed-job.isOtherService" -}}
{{- if or (regexMatch "^(sts[.]amazonaws[.]com([.]cn)?|api://AzureADTokenExchange([A-Za-z]*)|vault|sigstore)$" .)
          (regexMatch "^((https:)?//iam[.]googleapis[.]com/projects/.+|[a-z0-9-]+[.]svc[.]id[.]goog)$" .) -}}
true
{{- end -}}
{{- end }}

{{/* The port of a worker with this key; empty if nothing listens on it. */}}
{{- define "deepspeed-job.portOf" -}}
{{- if eq .key "workers.readinessPort" -}}
{{ int64 .Values.workers.readinessPort }}
{{- else if eq .key "launch.masterPort" -}}
{{ int64 .Values.launch.masterPort }}
{{- else if and (eq .key "ssh.port") (include "deepspeed-job.usesSsh" .) -}}
{{ int64 .Values.ssh.port }}
{{- else if and (eq .key "monitoring.podMonitor.port") .Values.monitoring.podMonitor.enabled -}}
{{ int64 .Values.monitoring.podMonitor.port }}
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

{{/* The path of DeepSpeed's configuration in a pod; empty without one. */}}
{{- define "deepspeed-job.configPath" -}}
{{- if or .Values.training.deepspeed.configFile .Values.training.deepspeed.config -}}
{{ or .Values.training.deepspeed.configFile "/job/ds_config.json" }}
{{- end -}}
{{- end }}

{{/* "true" if one of the words of a command is the path of the configuration. */}}
{{- define "deepspeed-job.hasConfig" -}}
{{- if or (has .path .words)
          (has (printf "--deepspeed=%s" .path) .words)
          (has (printf "--deepspeed_config=%s" .path) .words) -}}
true
{{- end -}}
{{- end }}

{{/* "true" if a YAML file of the job, such as LLaMA-Factory's, names a configuration. */}}
{{- define "deepspeed-job.configuredInFile" -}}
{{- range $name, $text := .files }}
{{- if and (regexMatch "^.*[.]ya?ml$" $name)
           (regexMatch "^(([^$]|[$])*[^ -~])? *deepspeed(_config_file)?: +[!-~]([^$]|[$])*$" $text) }}
true
{{- end }}
{{- end }}
{{- end }}

{{/*
"true" if a batch size is `auto`, which programs of the
Hugging Face Trainer fill in, and DeepSpeed alone refuses.
*/}}
{{- define "deepspeed-job.hasAutoBatch" -}}
{{- range $key := list
    "train_batch_size" "train_micro_batch_size_per_gpu" "gradient_accumulation_steps" }}
{{- $size := dig $key "" $ }}
{{- if and (kindIs "string" $size) (eq $size "auto") }}
true
{{- end }}
{{- end }}
{{- end }}

{{/*
How the program gets DeepSpeed's configuration: "deepspeed" is --deepspeed --deepspeed_config FILE,
"huggingface" is --deepspeed FILE; empty if dsgen does not pass it. The autotuner fills `auto` itself.
*/}}
{{- define "deepspeed-job.configWay" -}}
{{- $deepspeed := .Values.training.deepspeed -}}
{{- $path := include "deepspeed-job.configPath" . -}}
{{- $words := concat .Values.training.exec .Values.training.args | default list -}}
{{- if or (not $path) (not $deepspeed.passConfig) -}}
{{- else if kindIs "string" $deepspeed.passConfig -}}
{{ $deepspeed.passConfig }}
{{- else if or (include "deepspeed-job.hasConfig" (dict "words" $words "path" $path))
               (include "deepspeed-job.configuredInFile" .Values.training | trim) -}}
{{- else if and (eq $deepspeed.autotuning "none")
                (include "deepspeed-job.hasAutoBatch" $deepspeed.config | trim) -}}
huggingface
{{- else -}}
deepspeed
{{- end -}}
{{- end }}
