{{/* How the training is started: what each method can do, and how far it reaches. */}}

{{/* A message for each problem, with a hint below it. */}}
{{- define "contract.launchProblems" -}}
{{- if ne .Values.launch.method "pdsh" }}
  {{- if include "contract.runsCommand" . }}
    {{- if not .Values.launch.command }}
launch.command must be given with launch.method {{ .Values.launch.method }} [DS270]
  a list, the program first, such as [accelerate, launch, train.py]
    {{- end }}

    {{- if .Values.training.python }}
training.python: launch.method {{ .Values.launch.method }} starts launch.command and nothing else [DS272]
  write it into launch.command
    {{- end }}

    {{- if .Values.training.module }}
training.module: launch.method {{ .Values.launch.method }} starts launch.command and nothing else [DS272]
  write it into launch.command
    {{- end }}

    {{- if .Values.training.exec }}
training.exec: launch.method {{ .Values.launch.method }} starts launch.command and nothing else [DS272]
  write it into launch.command
    {{- end }}

    {{- if .Values.training.args }}
training.args: launch.method {{ .Values.launch.method }} starts launch.command and nothing else [DS272]
  write it into launch.command
    {{- end }}

    {{- if .Values.training.deepspeed.bindCores }}
training.deepspeed.bindCores: dsgen does not start the processes with launch.method {{ .Values.launch.method }} [DS275]
  bind them in launch.command, with numactl
    {{- end }}
  {{- end }}

  {{- if not (include "contract.usesSsh" .) }}
    {{- if and (gt (int64 .Values.lifecycle.maxRestarts) 0) (ne .Values.launch.method "torchrun") }}
lifecycle.maxRestarts: the training is not restarted with launch.method {{ .Values.launch.method }} [DS273]
  use launch.method: pdsh, openmpi or torchrun, or start another run
    {{- end }}

    {{- if .Values.lifecycle.restartExitCodes }}
lifecycle.restartExitCodes: has no effect with launch.method {{ .Values.launch.method }} [DS273]
  use launch.method: pdsh or openmpi, or remove it
    {{- end }}

    {{- if ne .Values.lifecycle.keepWorkers "none" }}
lifecycle.keepWorkers: workers end with their program with launch.method {{ .Values.launch.method }} [DS273]
  use launch.method: pdsh or openmpi, or remove it
    {{- end }}

    {{- if .Values.launch.preflight.network }}
launch.preflight.network: there is no test of the network with launch.method {{ .Values.launch.method }} [DS273]
  use launch.method: pdsh or openmpi, or remove it
    {{- end }}

    {{- if gt (int64 .Values.launch.preflight.spares) 0 }}
launch.preflight.spares: a spare worker cannot stand in for another with launch.method {{ .Values.launch.method }} [DS273]
  use launch.method: pdsh or openmpi, or remove it
    {{- end }}

    {{- if .Values.lifecycle.debug.command }}
lifecycle.debug.command: has no effect with launch.method {{ .Values.launch.method }} [DS273]
  use launch.method: pdsh or openmpi, or remove it
    {{- end }}

    {{- if ne (int64 .Values.ssh.port) 2222 }}
ssh.port: there is no sshd with launch.method {{ .Values.launch.method }} [DS273]
  remove it
    {{- end }}

    {{- if .Values.ssh.user }}
ssh.user: there is no sshd with launch.method {{ .Values.launch.method }} [DS273]
  remove it
    {{- end }}

    {{- if ne .Values.ssh.secret.mode "cluster" }}
ssh.secret.mode: there are no keys with launch.method {{ .Values.launch.method }} [DS273]
  remove it
    {{- end }}
  {{- end }}

  {{- if ne .Values.training.deepspeed.autotuning "none" }}
training.deepspeed.autotuning: autotuning does not work with launch.method {{ .Values.launch.method }} [DS274]
  use launch.method: pdsh
  {{- end }}

  {{- if and (ne .Values.launch.method "deepspeed-no-ssh") .Values.training.deepspeed.args }}
training.deepspeed.args: no launcher of DeepSpeed runs with launch.method {{ .Values.launch.method }} [DS275]
  they are for the methods pdsh and deepspeed-no-ssh; remove them
  {{- end }}
{{- end }}

{{- if and .Values.launch.command (not (include "contract.runsCommand" .)) }}
launch.command is for the methods worker-command and launcher-command, not for launch.method {{ .Values.launch.method }} [DS271]
  set launch.method: worker-command, or describe the program in training
{{- end }}

{{- if and (or (gt (int64 .Values.workers.replicas) 100) (gt (int64 .Values.launch.preflight.spares) 100))
           (eq .Values.launch.method "pdsh")
           (gt (mul 4 (include "contract.worldBytes" . | int64)) (mul 3 (sub 131072 2048))) }}
workers.replicas: {{ include "contract.workerPods" . | int64 }} workers are too many for pdsh, which gets them as one argument: {{ include "contract.worldBytes" . | int64 }} bytes in base64, 4 for 3, with 2048 for the rest, are more than 131072 [DS276]
  use launch.method: torchrun, which has no such limit; a shorter name of the job leaves room for more workers
{{- end }}

{{- if and (or (ne (int64 .Values.ssh.port) 2222) (ne (int64 .Values.launch.masterPort) 29500))
           (include "contract.usesSsh" .)
           (eq (int64 .Values.launch.masterPort) (int64 .Values.ssh.port)) }}
launch.masterPort and ssh.port are both {{ int64 .Values.ssh.port }} [DS242]
  give one of them another port
{{- end }}
{{- end }}

{{/* What is worth a look, in the same form. */}}
{{- define "contract.launchWarnings" -}}
{{- if and .Values.lifecycle.restartExitCodes
           (eq (int64 .Values.lifecycle.maxRestarts) 0)
           (include "contract.usesSsh" .) }}
lifecycle.restartExitCodes: nothing is restarted while maxRestarts is 0 [DS351]
  set lifecycle.maxRestarts
{{- end }}
{{- end }}
