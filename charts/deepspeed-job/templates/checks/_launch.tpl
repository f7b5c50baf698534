{{/* Launch methods: which settings each one supports, and its limits. */}}

{{/* A message for each error, with a hint below it. */}}
{{- define "deepspeed-job.launchProblems" -}}
{{- if ne .Values.launch.method "pdsh" }}
  {{- if include "deepspeed-job.runsCommand" . }}
    {{- if not .Values.launch.command }}
launch.command is required with launch.method {{ .Values.launch.method }} [DS270]
  set it to a list that begins with the program, such as [accelerate, launch, train.py]
    {{- end }}

    {{- if .Values.training.python }}
training.python has no effect: launch.method {{ .Values.launch.method }} runs only launch.command [DS272]
  move it to launch.command
    {{- end }}

    {{- if .Values.training.module }}
training.module has no effect: launch.method {{ .Values.launch.method }} runs only launch.command [DS272]
  move it to launch.command
    {{- end }}

    {{- if .Values.training.exec }}
training.exec has no effect: launch.method {{ .Values.launch.method }} runs only launch.command [DS272]
  move it to launch.command
    {{- end }}

    {{- if .Values.training.args }}
training.args has no effect: launch.method {{ .Values.launch.method }} runs only launch.command [DS272]
  move it to launch.command
    {{- end }}

    {{- if .Values.training.deepspeed.bindCores }}
training.deepspeed.bindCores: with launch.method {{ .Values.launch.method }}, dsgen does not start the processes [DS275]
  bind them in launch.command, with numactl
    {{- end }}
  {{- end }}

  {{- if not (include "deepspeed-job.usesSsh" .) }}
    {{- if ne .Values.lifecycle.keepWorkers "none" }}
lifecycle.keepWorkers: with launch.method {{ .Values.launch.method }}, a worker always ends when its program ends
    [DS273]
  use launch.method: pdsh or openmpi, or remove it
    {{- end }}

    {{- if .Values.lifecycle.debug.command }}
lifecycle.debug.command: with launch.method {{ .Values.launch.method }}, it has no effect [DS273]
  use launch.method: pdsh or openmpi, or remove it
    {{- end }}

    {{- if ne (int64 .Values.ssh.port) 2222 }}
ssh.port: with launch.method {{ .Values.launch.method }}, there is no sshd [DS273]
  remove it
    {{- end }}

    {{- if .Values.ssh.user }}
ssh.user: with launch.method {{ .Values.launch.method }}, there is no sshd [DS273]
  remove it
    {{- end }}

    {{- if ne .Values.ssh.secret.mode "cluster" }}
ssh.secret.mode: with launch.method {{ .Values.launch.method }}, no ssh key is used [DS273]
  remove it
    {{- end }}
  {{- end }}

  {{- if ne .Values.training.deepspeed.autotuning "none" }}
training.deepspeed.autotuning: with launch.method {{ .Values.launch.method }}, autotuning does not work [DS274]
  use launch.method: pdsh
  {{- end }}

  {{- if and (ne .Values.launch.method "deepspeed-no-ssh") .Values.training.deepspeed.args }}
training.deepspeed.args: with launch.method {{ .Values.launch.method }}, DeepSpeed's launcher is not used [DS275]
  remove them; only the methods pdsh and deepspeed-no-ssh use them
  {{- end }}
{{- end }}

{{- if and .Values.launch.command (not (include "deepspeed-job.runsCommand" .)) }}
launch.command is used only by the methods worker-command and launcher-command, not by launch.method
    {{ .Values.launch.method }} [DS271]
  set launch.method: worker-command, or describe the program in training
{{- end }}

{{- if and .Values.training.rankLogs (eq .Values.launch.method "launcher-command") }}
training.rankLogs has no effect: launch.method {{ .Values.launch.method }} runs only launch.command [DS272]
  let launch.command write the files
{{- end }}

{{- if .Values.launch.mpirunArgs }}
  {{- if ne .Values.launch.method "openmpi" }}
launch.mpirunArgs is used only by the method openmpi, not by launch.method {{ .Values.launch.method }} [DS271]
  set launch.method: openmpi, or remove the arguments
  {{- end }}

  {{- if not (regexMatch "^-([^$]|[$])*$" (.Values.launch.mpirunArgs | join " ")) }}
launch.mpirunArgs: mpirun would take {{ .Values.launch.mpirunArgs | join " " | quote }} as the program [DS371]
  begin with an option; the program of the ranks is set in training
  {{- end }}
{{- end }}

{{- range $word := .Values.launch.mpirunArgs }}
  {{- if regexMatch (include "deepspeed-job.mpirunProcessesPattern" .) $word }}
launch.mpirunArgs: {{ $word | quote }}: dsgen sets the number of processes and their workers [DS371]
  remove it and its value; workers.replicas and workers.slots set them
  {{- end }}

  {{- if regexMatch (include "deepspeed-job.mpirunOutputPattern" .) $word }}
launch.mpirunArgs: {{ $word | quote }}: the launcher reads the output of the ranks [DS371]
  remove it; training.rankLogs writes the output of each rank into a file
  {{- end }}

  {{- if regexMatch (include "deepspeed-job.mpirunTransportPattern" .) $word }}
launch.mpirunArgs: {{ $word | quote }}: dsgen sets how mpirun reaches the workers [DS371]
  remove it and its value
  {{- end }}

  {{- if regexMatch (include "deepspeed-job.mpirunStartPattern" .) $word }}
launch.mpirunArgs: {{ $word | quote }}: the ranks would not start, or would start differently [DS371]
  remove it; training.workingDir and training.env describe where and how the ranks run
  {{- end }}
{{- end }}

{{- if and (or (gt (int64 .Values.workers.replicas) 100)
               (gt (int64 .Values.launch.preflight.spares) 100))
           (eq .Values.launch.method "pdsh")
           (gt (mul 4 (include "deepspeed-job.worldBytes" . | int64)) (mul 3 (sub 131072 2048))) }}
workers.replicas: {{ include "deepspeed-job.workerPods" . | int64 }} workers are too many for pdsh: their names and slots
    ({{ include "deepspeed-job.worldBytes" . | int64 }} bytes, in base64 a third more) and 2048 other bytes do not fit
    into one argument of 131072 bytes [DS276]
  use launch.method: torchrun, which has no such limit; a shorter job name makes room for more workers
{{- end }}
{{- end }}

{{/* A message for each warning, with a hint below it. */}}
{{- define "deepspeed-job.launchWarnings" -}}
{{- if and .Values.lifecycle.restartExitCodes (eq (int64 .Values.lifecycle.maxRestarts) 0) }}
lifecycle.restartExitCodes has no effect while lifecycle.maxRestarts is 0 [DS351]
  set lifecycle.maxRestarts, or remove restartExitCodes
{{- end }}

{{- if and (gt (int64 .Values.lifecycle.progress.checkpointTimeoutSeconds) 0)
           (not .Values.lifecycle.progress.checkpointPath) }}
lifecycle.progress.checkpointTimeoutSeconds has no effect without lifecycle.progress.checkpointPath [DS352]
  set checkpointPath to a file or folder that changes with each checkpoint
{{- end }}

{{- if and (eq .Values.launch.method "worker-command")
           (gt (include "deepspeed-job.workerPods" . | int64) 1) }}
  {{- $words := .Values.launch.command | join " " }}
  {{- if regexMatch "^([^$]|[$])* --standalone( |$)([^$]|[$])*$" $words }}
launch.command: {{ include "deepspeed-job.workerPods" . | int64 }} workers run it, and with --standalone each of them
    trains alone [DS393]
  remove the option for torchrun, which reads the variables that dsgen sets; for other programs, use $NNODES,
    $NODE_RANK, $MASTER_ADDR and $MASTER_PORT in [bash, -c, ...]
  {{- end }}

  {{- if regexMatch "^([^$]|[$])* --(machine|node)[_-]rank[= ][^$A-Za-z0-9]?[0-9]([^$]|[$])*$" $words }}
launch.command: {{ include "deepspeed-job.workerPods" . | int64 }} workers run it, and all of them would have the same
    rank [DS393]
  remove the option for torchrun, which reads the variables that dsgen sets; for other programs, use $NNODES,
    $NODE_RANK, $MASTER_ADDR and $MASTER_PORT in [bash, -c, ...]
  {{- end }}

  {{- if regexMatch (join "" (list "^([^$]|[$])* --(main[_-]process[_-]ip|master[_-]addr|"
                                   "rdzv[_-]endpoint)[= ][^$A-Za-z0-9]?[A-Za-z0-9]([^$]|[$])*$")) $words }}
launch.command: {{ include "deepspeed-job.workerPods" . | int64 }} workers run it, but its address of the first worker is
    fixed [DS393]
  remove the option for torchrun, which reads the variables that dsgen sets; for other programs, use $NNODES,
    $NODE_RANK, $MASTER_ADDR and $MASTER_PORT in [bash, -c, ...]
  {{- end }}
{{- end }}

{{- if and (gt (int64 .Values.lifecycle.hangTimeoutSeconds) 0)
           (lt (int64 .Values.lifecycle.hangTimeoutSeconds) 60) }}
lifecycle.hangTimeoutSeconds: a training that prints nothing for {{ int64 .Values.lifecycle.hangTimeoutSeconds }}
    seconds, as while it loads the model, would count as hung [DS398]
  use more than the longest pause, such as 1800; 0 means never
{{- end }}

{{- if and (ne .Values.lifecycle.keepWorkers "none")
           (eq .Values.lifecycle.keepWorkers "always")
           (include "deepspeed-job.usesSsh" .) }}
lifecycle.keepWorkers: always keeps the workers and their devices also after a success, until somebody deletes the run
    [DS399]
  use failed, which keeps them only after a failure
{{- end }}
{{- end }}
