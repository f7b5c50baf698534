{{/* Passwords, tokens and keys in values, which are kept in Git. */}}

{{/* A message for each error, with a hint below it. */}}
{{- define "deepspeed-job.secretsProblems" -}}
{{- if and .Values.code.git.repository
           (or (regexMatch "^([A-Za-z+.-]+://)?[^/@]*:[^/@]*@.*$" .Values.code.git.repository)
               (regexMatch "^[Hh][Tt][Tt][Pp][Ss]?://[^/]*@.*$" .Values.code.git.repository)) }}
code.git.repository contains a user name or password, and values files are kept in Git [DS248]
  put username and password into a Secret and set code.git.secretName to its name
{{- end }}

{{- if and .Values.status.webhook.url
           (regexMatch "^[A-Za-z]+://[^/]*@.*$" .Values.status.webhook.url) }}
status.webhook.url contains a user name or password, and values files are kept in Git [DS248]
  put the address into a Secret, under the key url, and set status.webhook.secretName to its name
{{- end }}
{{- end }}

{{/* A message for each warning, with a hint below it. */}}
{{- define "deepspeed-job.secretsWarnings" -}}
{{- if and .Values.code.git.repository (regexMatch "^[^?]*[?].+$" .Values.code.git.repository) }}
code.git.repository seems to contain a key after the ?, and values files are kept in Git [DS360]
  put username and password into a Secret and set code.git.secretName to its name
{{- end }}

{{- if and .Values.status.webhook.url
           (or (regexMatch "^[^?]*[?].+$" .Values.status.webhook.url)
               (regexMatch (include "deepspeed-job.slackWebhookPattern" .) .Values.status.webhook.url)
               (regexMatch (include "deepspeed-job.chatWebhookPattern" .) .Values.status.webhook.url)
               (regexMatch (include "deepspeed-job.officeWebhookPattern" .) .Values.status.webhook.url)
               (regexMatch (include "deepspeed-job.uuidInPathPattern" .) .Values.status.webhook.url)
               (and (regexMatch (include "deepspeed-job.runInPathPattern" .) .Values.status.webhook.url)
                    (regexMatch (include "deepspeed-job.digitInPathPattern" .) .Values.status.webhook.url))) }}
status.webhook.url seems to contain a key, and anyone who can read the values could use it [DS360]
  put the address into a Secret, under the key url, and set status.webhook.secretName to its name
{{- end }}

{{- range $key, $value := .Values.training.env }}
  {{- if and (kindIs "string" $value)
             (or (and (regexMatch (include "deepspeed-job.secretNamePattern" .) $key)
                      (regexMatch "^([^$]|[$])*[^ ]([^$]|[$])*$" $value))
                 (regexMatch (include "deepspeed-job.hasTokenPattern" .) $value)) }}
training.env: the value of {{ $key | quote }} seems to be a secret, and values files are kept in Git [DS369]
  put it into a Secret, and set training.env.NAME: {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}
  {{- end }}
{{- end }}

{{- range $key, $value := .Values.launcher.env }}
  {{- if and (kindIs "string" $value)
             (or (and (regexMatch (include "deepspeed-job.secretNamePattern" .) $key)
                      (regexMatch "^([^$]|[$])*[^ ]([^$]|[$])*$" $value))
                 (regexMatch (include "deepspeed-job.hasTokenPattern" .) $value)) }}
launcher.env: the value of {{ $key | quote }} seems to be a secret, and values files are kept in Git [DS369]
  put it into a Secret, and set launcher.env.NAME: {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}
  {{- end }}
{{- end }}

{{- range $word := .Values.training.args }}
  {{- if regexMatch (include "deepspeed-job.hasTokenPattern" .) $word }}
training.args: an item seems to contain a secret, and values files are kept in Git [DS369]
  put it into a Secret, and set training.env.NAME: {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}
  {{- end }}
{{- end }}

{{- range $word := .Values.training.exec }}
  {{- if regexMatch (include "deepspeed-job.hasTokenPattern" .) $word }}
training.exec: an item seems to contain a secret, and values files are kept in Git [DS369]
  put it into a Secret, and set training.env.NAME: {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}
  {{- end }}
{{- end }}

{{- range $word := .Values.launch.command }}
  {{- if regexMatch (include "deepspeed-job.hasTokenPattern" .) $word }}
launch.command: an item seems to contain a secret, and values files are kept in Git [DS369]
  put it into a Secret, and set training.env.NAME: {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}
  {{- end }}
{{- end }}

{{- range $name, $word := .Values.training.files }}
  {{- if regexMatch (include "deepspeed-job.hasTokenPattern" .) $word }}
training.files: {{ $name | quote }} seems to contain a secret, and values files are kept in Git [DS369]
  put it into a Secret, and mount the Secret as a volume of storage
  {{- end }}
{{- end }}

{{- $word := .Values.training.setup }}
{{- if or (regexMatch (include "deepspeed-job.hasTokenPattern" .) $word)
          (regexMatch (include "deepspeed-job.assignsSecretPattern" .) $word) }}
training.setup seems to contain a secret, and values files are kept in Git [DS369]
  put it into a Secret, and set training.env.NAME: {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}
{{- end }}
{{- end }}
