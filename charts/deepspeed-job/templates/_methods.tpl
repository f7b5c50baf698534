{{/*
What depends on launch.method: dsgen/scripts/shared/methods.json,
whose rows have the fields that launch_methods reads.
*/}}

{{/* "true" if the launcher starts the training over ssh; empty if each worker starts its own processes. */}}
{{- define "deepspeed-job.usesSsh" -}}
{{- if has .Values.launch.method (list "pdsh" "openmpi" "launcher-command") -}}
true
{{- end -}}
{{- end }}

{{/* "true" if the launch method needs the scripts in this folder; else empty. */}}
{{- define "deepspeed-job.needsScripts" -}}
{{- if or (has .folder (list "launcher" "shared" "status" "worker"))
          (and (eq .folder "local") (not (include "deepspeed-job.usesSsh" .)))
          (and (eq .folder "ssh") (include "deepspeed-job.usesSsh" .))
          (and (eq .folder "slurm") (eq .Values.launch.method "slurm-script")) -}}
true
{{- end -}}
{{- end }}

{{/* "true" if launch.command is run instead of the program in training; else empty. */}}
{{- define "deepspeed-job.runsCommand" -}}
{{- if has .Values.launch.method (list "worker-command" "slurm-script" "launcher-command") -}}
true
{{- end -}}
{{- end }}

{{/*
"true" for pods (workers or launcher) that source training.setup and have
the files of the training: a launcher only if it starts the ranks over ssh.
*/}}
{{- define "deepspeed-job.preparesTraining" -}}
{{- if or (ne .pods "launcher") (include "deepspeed-job.usesSsh" .) -}}
true
{{- end -}}
{{- end }}

{{/* "true" if the key pair is generated in the cluster; empty for an existing one and without ssh. */}}
{{- define "deepspeed-job.makesKey" -}}
{{- if eq .Values.ssh.secret.mode "cluster" -}}
{{ include "deepspeed-job.usesSsh" . }}
{{- end -}}
{{- end }}

{{/* "true" if the user's program runs in the launcher; empty if it runs in the workers only. */}}
{{- define "deepspeed-job.programInLauncher" -}}
{{- if and (include "deepspeed-job.runsCommand" .) (include "deepspeed-job.usesSsh" .) -}}
true
{{- end -}}
{{- end }}

{{/*
"true" if the launcher needs the user's volumes: for the
program, or for the configurations and results of the autotuner.
*/}}
{{- define "deepspeed-job.filesInLauncher" -}}
{{- if or (include "deepspeed-job.programInLauncher" .)
          (ne .Values.training.deepspeed.autotuning "none") -}}
true
{{- end -}}
{{- end }}
