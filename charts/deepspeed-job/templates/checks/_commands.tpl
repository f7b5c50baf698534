{{/* Commands and arguments: one word for each item, no second launcher, no syntax of a shell. */}}

{{/* A message for each error, with a hint below it. */}}
{{- define "deepspeed-job.commandsProblems" -}}
{{- if and .Values.training.python
           (regexMatch (include "deepspeed-job.commandLinePattern" .) .Values.training.python) }}
training.python is a whole command line, but dsgen passes it as one name [DS363]
  set only the name, and put the arguments into training.args: python: train.py, args: [--epochs, "3"]
{{- end }}

{{- if .Values.training.module }}
  {{- if regexMatch "^.* .*$" .Values.training.module }}
training.module is a whole command line, but dsgen passes it as one name [DS363]
  set only the name, and put the arguments into training.args: module: team.train, args: [--epochs, "3"]
  {{- end }}

  {{- if and (not (include "deepspeed-job.runsCommand" .))
             (regexMatch (include "deepspeed-job.startingModulePattern" .) .Values.training.module) }}
training.module is a launcher, but launch.method {{ .Values.launch.method }} already starts a process for each slot of a
    worker [DS364]
  set training.python or module to the program that each process runs; launch.method selects the launcher
  {{- end }}
{{- end }}

{{- if eq (len .Values.training.exec) 1 }}
  {{- range $word := .Values.training.exec }}
    {{- if regexMatch (include "deepspeed-job.commandLinePattern" .) $word }}
training.exec: {{ $word | quote }} is a whole command line, but it is the name of one program [DS363]
  write each argument as an item of the list, such as [bash, run.sh, --epochs, "3"]
    {{- end }}
  {{- end }}
{{- end }}

{{- if eq (len .Values.launch.command) 1 }}
  {{- range $word := .Values.launch.command }}
    {{- if regexMatch (include "deepspeed-job.commandLinePattern" .) $word }}
launch.command: {{ $word | quote }} is a whole command line, but it is the name of one program [DS363]
  write each argument as an item of the list, such as [bash, run.sh, --epochs, "3"]
    {{- end }}
  {{- end }}
{{- end }}

{{- if .Values.training.exec }}
  {{- if and (not (include "deepspeed-job.runsCommand" .))
             (regexMatch (include "deepspeed-job.startsRanksPattern" .) (.Values.training.exec | join " ")) }}
training.exec starts a launcher, but launch.method {{ .Values.launch.method }} already starts a process for each slot of
    a worker [DS364]
  set training.python, module or exec to the program that each process runs; to run your own launcher, set
    launch.method: worker-command and launch.command
  {{- end }}

  {{- if not (regexMatch (include "deepspeed-job.shellPattern" .) (.Values.training.exec | join " ")) }}
    {{- range $word := .Values.training.exec }}
      {{- if regexMatch (include "deepspeed-job.operatorPattern" .) $word }}
training.exec: {{ $word | quote }} is an operator of a shell, but no shell reads this command [DS366]
  start a shell, for example [bash, -c, '...'], as training.exec or launch.command
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}

{{- if and .Values.launch.command
           (not (regexMatch (include "deepspeed-job.shellPattern" .) (.Values.launch.command | join " "))) }}
  {{- range $word := .Values.launch.command }}
    {{- if regexMatch (include "deepspeed-job.operatorPattern" .) $word }}
launch.command: {{ $word | quote }} is an operator of a shell, but no shell reads this command [DS366]
  start a shell, for example [bash, -c, '...'], as training.exec or launch.command
    {{- end }}
  {{- end }}
{{- end }}

{{- if and .Values.training.args (not (include "deepspeed-job.runsCommand" .)) }}
  {{- range $word := .Values.training.args }}
    {{- if regexMatch (include "deepspeed-job.operatorPattern" .) $word }}
training.args: {{ $word | quote }} is an operator of a shell, but no shell reads this command [DS366]
  start a shell, for example [bash, -c, '...'], as training.exec or launch.command
    {{- end }}
  {{- end }}
{{- end }}

{{- if and (gt (len .Values.training.exec) 1)
           (regexMatch (include "deepspeed-job.startsWithShellPattern" .) (.Values.training.exec | join " ")) }}
training.exec begins with an assignment or a word of the shell, but no shell reads this command [DS366]
  start a shell, for example [bash, -c, '...'], as training.exec or launch.command
{{- end }}

{{- if and (gt (len .Values.launch.command) 1)
           (regexMatch (include "deepspeed-job.startsWithShellPattern" .) (.Values.launch.command | join " ")) }}
launch.command begins with an assignment or a word of the shell, but no shell reads this command [DS366]
  start a shell, for example [bash, -c, '...'], as training.exec or launch.command
{{- end }}

{{- if regexMatch (include "deepspeed-job.shellPattern" .) (.Values.training.exec | join " ") }}
  {{- range $word := .Values.training.exec }}
    {{- if regexMatch (include "deepspeed-job.parenthesesPattern" .) $word }}
training.exec: a shell runs $(NAME) as a command; the value of a variable is $NAME [DS366]
  write $NAME or ${NAME}
    {{- end }}
  {{- end }}
{{- end }}

{{- if regexMatch (include "deepspeed-job.shellPattern" .) (.Values.launch.command | join " ") }}
  {{- range $word := .Values.launch.command }}
    {{- if regexMatch (include "deepspeed-job.parenthesesPattern" .) $word }}
launch.command: a shell runs $(NAME) as a command; the value of a variable is $NAME [DS366]
  write $NAME or ${NAME}
    {{- end }}
  {{- end }}
{{- end }}

{{- with .Values.training.setup }}
  {{- $word := . }}
  {{- if regexMatch (include "deepspeed-job.parenthesesPattern" .) $word }}
training.setup: a shell runs $(NAME) as a command; the value of a variable is $NAME [DS366]
  write $NAME or ${NAME}
  {{- end }}
{{- end }}
{{- end }}

{{/* A message for each warning, with a hint below it. */}}
{{- define "deepspeed-job.commandsWarnings" -}}
{{- range $argument := .Values.training.args }}
  {{- if regexMatch "^--?[A-Za-z][A-Za-z0-9_-]* +[^ ].*$" $argument }}
training.args: {{ $argument | quote }} is one argument that contains a space [DS363]
  write an option and its value as two items, or with = between them
  {{- end }}

  {{- if regexMatch (include "deepspeed-job.launcherOptionPattern" .) $argument }}
training.args: {{ $argument | quote }} is an option of a launcher, but is passed to the program [DS365]
  use workers.replicas, workers.slots and launch.masterPort; other options of DeepSpeed's launcher belong in
    training.deepspeed.args
  {{- end }}
{{- end }}

{{- if .Values.training.exec }}
  {{- if not (regexMatch (include "deepspeed-job.shellPattern" .) (.Values.training.exec | join " ")) }}
    {{- range $word := .Values.training.exec }}
      {{- if regexMatch (include "deepspeed-job.variablePattern" .) $word }}
training.exec: {{ $word | quote }} contains a variable, but no shell reads this command [DS366]
  start a shell, for example [bash, -c, '...'], as training.exec or launch.command
      {{- end }}
    {{- end }}

    {{- if regexMatch (include "deepspeed-job.joinsCommandsPattern" .) (.Values.training.exec | join " ") }}
      {{- range $word := .Values.training.exec }}
        {{- if regexMatch (include "deepspeed-job.joinsPattern" .) $word }}
training.exec: {{ $word | quote }} is an operator of a shell, but no shell reads this command [DS366]
  start a shell, for example [bash, -c, '...'], as training.exec or launch.command
        {{- end }}
      {{- end }}
    {{- end }}

    {{- if regexMatch (include "deepspeed-job.namesFilePattern" .) (.Values.training.exec | join " ") }}
      {{- range $word := .Values.training.exec }}
        {{- if regexMatch (include "deepspeed-job.redirectsPattern" .) $word }}
training.exec: {{ $word | quote }} is an operator of a shell, but no shell reads this command [DS366]
  start a shell, for example [bash, -c, '...'], as training.exec or launch.command
        {{- end }}
      {{- end }}
    {{- end }}
  {{- end }}

  {{- if not (include "deepspeed-job.runsCommand" .) }}
    {{- $words := .Values.training.exec | join " " }}
    {{- if and (regexMatch (include "deepspeed-job.shellPattern" .) $words)
               (not (regexMatch (include "deepspeed-job.passedOnPattern" .) $words))
               (or .Values.training.args
                   (and .Values.training.deepspeed.passConfig
                        (or .Values.training.deepspeed.config .Values.training.deepspeed.configFile)
                        (not (regexMatch (include "deepspeed-job.namesConfigPattern" .) $words)))) }}
training.exec: training.args and the DeepSpeed configuration follow a script that drops them [DS375]
  write "$@" after the program in the script, and a name after the script
    {{- end }}
  {{- end }}
{{- end }}

{{- if and .Values.launch.command
           (not (regexMatch (include "deepspeed-job.shellPattern" .) (.Values.launch.command | join " "))) }}
  {{- range $word := .Values.launch.command }}
    {{- if regexMatch (include "deepspeed-job.variablePattern" .) $word }}
launch.command: {{ $word | quote }} contains a variable, but no shell reads this command [DS366]
  start a shell, for example [bash, -c, '...'], as training.exec or launch.command
    {{- end }}
  {{- end }}

  {{- if regexMatch (include "deepspeed-job.joinsCommandsPattern" .) (.Values.launch.command | join " ") }}
    {{- range $word := .Values.launch.command }}
      {{- if regexMatch (include "deepspeed-job.joinsPattern" .) $word }}
launch.command: {{ $word | quote }} is an operator of a shell, but no shell reads this command [DS366]
  start a shell, for example [bash, -c, '...'], as training.exec or launch.command
      {{- end }}
    {{- end }}
  {{- end }}

  {{- if regexMatch (include "deepspeed-job.namesFilePattern" .) (.Values.launch.command | join " ") }}
    {{- range $word := .Values.launch.command }}
      {{- if regexMatch (include "deepspeed-job.redirectsPattern" .) $word }}
launch.command: {{ $word | quote }} is an operator of a shell, but no shell reads this command [DS366]
  start a shell, for example [bash, -c, '...'], as training.exec or launch.command
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}

{{- if and .Values.training.args (not (include "deepspeed-job.runsCommand" .)) }}
  {{- range $word := .Values.training.args }}
    {{- if regexMatch (include "deepspeed-job.variablePattern" .) $word }}
training.args: {{ $word | quote }} contains a variable, but no shell reads this command [DS366]
  start a shell, for example [bash, -c, '...'], as training.exec or launch.command
    {{- end }}
  {{- end }}

  {{- if regexMatch (include "deepspeed-job.joinsCommandsPattern" .) (.Values.training.args | join " ") }}
    {{- range $word := .Values.training.args }}
      {{- if regexMatch (include "deepspeed-job.joinsPattern" .) $word }}
training.args: {{ $word | quote }} is an operator of a shell, but no shell reads this command [DS366]
  start a shell, for example [bash, -c, '...'], as training.exec or launch.command
      {{- end }}
    {{- end }}
  {{- end }}

  {{- if regexMatch (include "deepspeed-job.namesFilePattern" .) (.Values.training.args | join " ") }}
    {{- range $word := .Values.training.args }}
      {{- if regexMatch (include "deepspeed-job.redirectsPattern" .) $word }}
training.args: {{ $word | quote }} is an operator of a shell, but no shell reads this command [DS366]
  start a shell, for example [bash, -c, '...'], as training.exec or launch.command
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}
