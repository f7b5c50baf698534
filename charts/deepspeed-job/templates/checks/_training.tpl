{{/* The program to train: environment, files, DeepSpeed configuration. */}}

{{/* A message for each error, with a hint below it. */}}
{{- define "deepspeed-job.trainingProblems" -}}
{{- if and (not (or .Values.training.python .Values.training.module .Values.training.exec))
           (not (include "deepspeed-job.runsCommand" .)) }}
training: one of python, module and exec is required [DS202]
  set python: train.py (a script), module: team.train (a module) or exec: [bash, -c, ...] (any program)
{{- end }}

{{- if and (or .Values.training.module .Values.training.exec)
           (or (and .Values.training.python (or .Values.training.module .Values.training.exec))
               (and .Values.training.module .Values.training.exec))
           (not (include "deepspeed-job.runsCommand" .)) }}
training: python, module and exec are mutually exclusive [DS203]
  keep one of them
{{- end }}

{{- if and .Values.training.deepspeed.configFile .Values.training.deepspeed.config }}
training.deepspeed: config and configFile are mutually exclusive [DS221]
  keep one of them
{{- end }}

{{- if ne .Values.training.deepspeed.autotuning "none" }}
  {{- if or (not .Values.training.deepspeed.passConfig)
            (not (or .Values.training.deepspeed.config .Values.training.deepspeed.configFile)) }}
training.deepspeed.autotuning needs a DeepSpeed configuration to start from [DS225]
  set training.deepspeed.config or configFile, and leave passConfig true
  {{- end }}

  {{- if not (regexMatch "^(.*[.]json.*)?$" .Values.training.deepspeed.configFile) }}
training.deepspeed.configFile: the autotuner needs .json in the name of the file, which
    {{ .Values.training.deepspeed.configFile | quote }} does not have [DS225]
  rename the file, for example to ds_config.json
  {{- end }}
{{- end }}

{{- range $key, $value := .Values.training.env }}
  {{- if or (regexMatch (include "deepspeed-job.reservedEnvPattern" .) $key)
            (and (eq $.Values.launch.method "worker-command")
                 (regexMatch (include "deepspeed-job.commandEnvPattern" .) $key)) }}
training.env: {{ $key | quote }} is set by dsgen or DeepSpeed [DS220]
  remove it; your program can read the value that is set
  {{- end }}
{{- end }}

{{- range $key, $value := .Values.launcher.env }}
  {{- if or (regexMatch (include "deepspeed-job.reservedEnvPattern" .) $key)
            (and (eq $.Values.launch.method "worker-command")
                 (regexMatch (include "deepspeed-job.commandEnvPattern" .) $key)) }}
launcher.env: {{ $key | quote }} is set by dsgen or DeepSpeed [DS220]
  remove it; your program can read the value that is set
  {{- end }}
{{- end }}

{{- range $source := .Values.training.envFrom }}
  {{- if and (kindIs "string" $source.prefix) (regexMatch "^(DSGEN|MASTER)_.*$" $source.prefix) }}
training.envFrom: variables that begin with {{ $source.prefix | quote }} are set by dsgen or DeepSpeed [DS223]
  choose another prefix
  {{- end }}
{{- end }}
{{- end }}

{{/* A message for each warning, with a hint below it. */}}
{{- define "deepspeed-job.trainingWarnings" -}}
{{- if and .Values.lifecycle.debug.command
           (include "deepspeed-job.usesSsh" .)
           (not .Values.lifecycle.debug.enabled) }}
lifecycle.debug.command is not run, because lifecycle.debug.enabled is false [DS286]
  set lifecycle.debug.enabled: true, or remove the command
{{- end }}

{{- range $key, $value := .Values.training.env }}
  {{- if and (kindIs "string" $value)
             (regexMatch (include "deepspeed-job.literalPathPattern" .) $value) }}
training.env: {{ $key | quote }} contains the name of a variable after $, which is not expanded [DS222]
  set it in training.setup, which is a shell script: export NAME=/more:$NAME
  {{- end }}
{{- end }}

{{- range $key, $value := .Values.launcher.env }}
  {{- if and (kindIs "string" $value)
             (regexMatch (include "deepspeed-job.literalPathPattern" .) $value) }}
launcher.env: {{ $key | quote }} contains the name of a variable after $, which is not expanded [DS222]
  set it in training.setup, which is a shell script: export NAME=/more:$NAME
  {{- end }}
{{- end }}

{{- range $argument := .Values.training.args }}
  {{- if and $.Values.training.deepspeed.passConfig
             (or $.Values.training.deepspeed.config $.Values.training.deepspeed.configFile)
             (regexMatch "^--deepspeed(_config(=.*)?)?$" $argument) }}
training.args: dsgen already passes {{ $argument | quote }}, from training.deepspeed [DS224]
  remove it, or set training.deepspeed.passConfig: false
  {{- end }}
{{- end }}

{{- with .Values.training.setup }}
  {{- $setup := . }}
  {{- if and (regexMatch (include "deepspeed-job.installsPattern" .) $setup)
             (not (regexMatch (include "deepspeed-job.checksFailurePattern" .) $setup)) }}
training.setup: if a command fails, the next one and the training run nevertheless [DS395]
  write set -e as the first line, or || exit after the command
  {{- end }}
{{- end }}
{{- end }}
