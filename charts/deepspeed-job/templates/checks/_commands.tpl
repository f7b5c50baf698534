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

{{- include "deepspeed-job.commandProblems" (dict "where" "training.exec"
                                                "words" .Values.training.exec) }}

{{- include "deepspeed-job.commandProblems" (dict "where" "launch.command"
                                                "words" .Values.launch.command) }}

{{- if and .Values.training.exec
           (not (include "deepspeed-job.runsCommand" .))
           (regexMatch (include "deepspeed-job.startsRanksPattern" .) (.Values.training.exec | join " ")) }}
training.exec starts a launcher, but launch.method {{ .Values.launch.method }} already starts a process for each slot of
    a worker [DS364]
  set training.python, module or exec to the program that each process runs; to run your own launcher, set
    launch.method: worker-command and launch.command
{{- end }}

{{- if and .Values.training.args (not (include "deepspeed-job.runsCommand" .)) }}
  {{- include "deepspeed-job.syntaxProblems" (dict "where" "training.args"
                                                 "words" .Values.training.args) }}
{{- end }}

{{- with .Values.training.setup }}
  {{- if regexMatch (include "deepspeed-job.parenthesesPattern" .) . }}
training.setup: a shell runs $(NAME) as a command; the value of a variable is $NAME [DS366]
  write $NAME or ${NAME}
  {{- end }}
{{- end }}
{{- end }}

{{/*
A message for each error in `words`, a command that no shell
reads unless it starts one. Each begins with `where`, the place.
*/}}
{{- define "deepspeed-job.commandProblems" -}}
{{- if eq (len .words) 1 }}
  {{- range $word := .words }}
    {{- if regexMatch (include "deepspeed-job.commandLinePattern" .) $word }}
{{ $.where }}: {{ $word | quote }} is a whole command line, but it is the name of one program [DS363]
  write each argument as an item of the list, such as [bash, run.sh, --epochs, "3"]
    {{- end }}
  {{- end }}
{{- end }}

{{- if and .words (not (regexMatch (include "deepspeed-job.shellPattern" .) (.words | join " "))) }}
  {{- include "deepspeed-job.syntaxProblems" . }}
{{- end }}

{{- if and (gt (len .words) 1)
           (regexMatch (include "deepspeed-job.startsWithShellPattern" .) (.words | join " ")) }}
{{ .where }} begins with an assignment or a word of the shell, but no shell reads this command [DS366]
  start a shell, for example [bash, -c, '...'], as training.exec or launch.command
{{- end }}

{{- if regexMatch (include "deepspeed-job.shellPattern" .) (.words | join " ") }}
  {{- range $word := .words }}
    {{- if regexMatch (include "deepspeed-job.parenthesesPattern" .) $word }}
{{ $.where }}: a shell runs $(NAME) as a command; the value of a variable is $NAME [DS366]
  write $NAME or ${NAME}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{/* A message for each error in the arguments `words`. Each begins with `where`, the place. */}}
{{- define "deepspeed-job.syntaxProblems" -}}
{{- range $word := .words }}
  {{- if regexMatch (include "deepspeed-job.operatorPattern" .) $word }}
{{ $.where }}: {{ $word | quote }} is an operator of a shell, but no shell reads this command [DS366]
  start a shell, for example [bash, -c, '...'], as training.exec or launch.command
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

{{- include "deepspeed-job.commandWarnings" (dict "where" "training.exec"
                                                "words" .Values.training.exec) }}

{{- include "deepspeed-job.commandWarnings" (dict "where" "launch.command"
                                                "words" .Values.launch.command) }}

{{- if and .Values.training.args (not (include "deepspeed-job.runsCommand" .)) }}
  {{- include "deepspeed-job.syntaxWarnings" (dict "where" "training.args"
                                                 "words" .Values.training.args) }}
{{- end }}

{{- if and .Values.training.exec (not (include "deepspeed-job.runsCommand" .)) }}
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

{{/*
A message for each warning in `words`, a command that no shell
reads unless it starts one. Each begins with `where`, the place.
*/}}
{{- define "deepspeed-job.commandWarnings" -}}
{{- if and .words (not (regexMatch (include "deepspeed-job.shellPattern" .) (.words | join " "))) }}
  {{- include "deepspeed-job.syntaxWarnings" . }}
{{- end }}
{{- end }}

{{/* A message for each warning in the arguments `words`. Each begins with `where`, the place. */}}
{{- define "deepspeed-job.syntaxWarnings" -}}
{{- range $word := .words }}
  {{- if regexMatch (include "deepspeed-job.variablePattern" .) $word }}
{{ $.where }}: {{ $word | quote }} contains a variable, but no shell reads this command [DS366]
  start a shell, for example [bash, -c, '...'], as training.exec or launch.command
  {{- end }}
{{- end }}

{{- if regexMatch (include "deepspeed-job.joinsCommandsPattern" .) (.words | join " ") }}
  {{- range $word := .words }}
    {{- if regexMatch (include "deepspeed-job.joinsPattern" .) $word }}
{{ $.where }}: {{ $word | quote }} is an operator of a shell, but no shell reads this command [DS366]
  start a shell, for example [bash, -c, '...'], as training.exec or launch.command
    {{- end }}
  {{- end }}
{{- end }}

{{- if regexMatch (include "deepspeed-job.namesFilePattern" .) (.words | join " ") }}
  {{- range $word := .words }}
    {{- if regexMatch (include "deepspeed-job.redirectsPattern" .) $word }}
{{ $.where }}: {{ $word | quote }} is an operator of a shell, but no shell reads this command [DS366]
  start a shell, for example [bash, -c, '...'], as training.exec or launch.command
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}
