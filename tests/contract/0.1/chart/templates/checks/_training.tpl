{{/* What is trained: program, arguments, environment, files. */}}

{{/* A message for each problem, with a hint below it. */}}
{{- define "contract.trainingProblems" -}}
{{- if and (not (or .Values.training.python .Values.training.module .Values.training.exec))
           (not (include "contract.runsCommand" .)) }}
training: one of python, module and exec must be given [DS202]
  a script: python: train.py; a module: module: team.train; any other program: exec: [bash, -c, ...]
{{- end }}

{{- if and (or .Values.training.module .Values.training.exec)
           (or (and .Values.training.python (or .Values.training.module .Values.training.exec))
               (and .Values.training.module .Values.training.exec))
           (not (include "contract.runsCommand" .)) }}
training: python, module and exec exclude one another [DS203]
  keep one of them
{{- end }}

{{- if and .Values.training.deepspeed.configFile .Values.training.deepspeed.config }}
training.deepspeed: config and configFile exclude one another [DS221]
  keep one of them
{{- end }}

{{- if ne .Values.training.deepspeed.autotuning "none" }}
  {{- if or (not .Values.training.deepspeed.passConfig)
            (not (or .Values.training.deepspeed.config .Values.training.deepspeed.configFile)) }}
training.deepspeed.autotuning needs a configuration of DeepSpeed to begin with [DS225]
  give training.deepspeed.config or configFile, and leave passConfig true
  {{- end }}

  {{- if not (regexMatch "^(.*[.]json.*)?$" .Values.training.deepspeed.configFile) }}
training.deepspeed.configFile: the autotuner finds the configuration by .json in its name, not in {{ .Values.training.deepspeed.configFile | quote }} [DS225]
  rename the file
  {{- end }}
{{- end }}

{{- range $key, $value := .Values.training.env }}
  {{- if or (regexMatch "^(DSGEN_.*|RANK|LOCAL_RANK|WORLD_SIZE|MASTER_.*)$" $key)
            (and (eq $.Values.launch.method "worker-command")
                 (regexMatch "^(NNODES|NODE_RANK|NPROC_PER_NODE|PET_(NNODES|NODE_RANK|NPROC_PER_NODE|MASTER_ADDR|MASTER_PORT))$" $key)) }}
training.env: {{ $key | quote }} is set by dsgen or DeepSpeed [DS220]
  choose another name; a program reads it as it is
  {{- end }}
{{- end }}

{{- range $source := .Values.training.envFrom }}
  {{- if and (kindIs "string" $source.prefix) (regexMatch "^(DSGEN|MASTER)_.*$" $source.prefix) }}
training.envFrom: variables that begin with {{ $source.prefix | quote }} are set by dsgen or DeepSpeed [DS223]
  choose another prefix
  {{- end }}
{{- end }}
{{- end }}

{{/* What is worth a look, in the same form. */}}
{{- define "contract.trainingWarnings" -}}
{{- if and .Values.lifecycle.debug.command (include "contract.usesSsh" .) (not .Values.lifecycle.debug.enabled) }}
lifecycle.debug.command is not run: lifecycle.debug.enabled is false [DS286]
  set lifecycle.debug.enabled: true, or remove the command
{{- end }}

{{- range $key, $value := .Values.training.env }}
  {{- if and (kindIs "string" $value)
             (regexMatch "^([^$]|[$])*[$]([{(]?)(LD_LIBRARY_PATH|PATH|PYTHONPATH)([^A-Za-z0-9_]([^$]|[$])*)?$" $value) }}
training.env: {{ $key | quote }} holds a dollar sign and a name, and nothing replaces that with the path of the image [DS222]
  write it into training.setup, a shell script: export NAME=/more:$NAME
  {{- end }}
{{- end }}

{{- range $argument := .Values.training.args }}
  {{- if and $.Values.training.deepspeed.passConfig
             (or $.Values.training.deepspeed.config $.Values.training.deepspeed.configFile)
             (regexMatch "^--deepspeed(_config(=.*)?)?$" $argument) }}
training.args: {{ $argument | quote }} is passed from training.deepspeed already [DS224]
  remove it, or set training.deepspeed.passConfig: false
  {{- end }}
{{- end }}
{{- end }}
