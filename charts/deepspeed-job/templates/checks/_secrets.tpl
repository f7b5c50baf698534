{{/* Passwords, tokens and keys in values, which are kept in Git. */}}

{{/* A message for each error, with a hint below it. */}}
{{- define "deepspeed-job.secretsProblems" -}}
{{- if and .Values.code.git.repository
           (or (regexMatch "^([A-Za-z+.-]+://)?[^/@]*:[^/@]*@.*$" .Values.code.git.repository)
               (regexMatch "^[Hh][Tt][Tt][Pp][Ss]?://[^/]*@.*$" .Values.code.git.repository)) }}
code.git.repository contains a user name or password, and values files are kept in Git [DS248]
  put username and password into a Secret and set code.git.secretName to its name
{{- end }}

{{- if and .Values.status.webhook.url (regexMatch "^[A-Za-z]+://[^/]*@.*$" .Values.status.webhook.url) }}
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
               (regexMatch "^(?i:https?://([^/]*[.])?(hooks[.]slack[.]com|hooks[.]zapier[.]com|maker[.]ifttt[.]com/trigger)/.+)$" .Values.status.webhook.url)
               (regexMatch "^(?i:https?://([^/]*[.])?(discord(app)?[.]com/api/webhooks|api[.]telegram[.]org|chat[.]googleapis[.]com)/.+)$" .Values.status.webhook.url)
               (regexMatch "^(?i:https?://([^/]*[.])?(webhook[.]office[.]com|outlook[.]office(365)?[.]com/webhook)/.+)$" .Values.status.webhook.url)
               (regexMatch "^[A-Za-z]+://[^/]+/.*[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}.*$" .Values.status.webhook.url)
               (and (regexMatch "^[A-Za-z]+://[^/]+/.*[A-Za-z0-9]{16}.*$" .Values.status.webhook.url)
                    (regexMatch "^[A-Za-z]+://[^/]+/.*[0-9].*$" .Values.status.webhook.url))) }}
status.webhook.url seems to contain a key, and anyone who can read the values could use it [DS360]
  put the address into a Secret, under the key url, and set status.webhook.secretName to its name
{{- end }}

{{- range $key, $value := .Values.training.env }}
  {{- if and (kindIs "string" $value)
             (or (and (regexMatch "^(.*_)?(API_?KEY|ACCESS_KEY|SECRET(_ACCESS)?_KEY|SECRET|TOKEN|PASSWORD|PASSWD|PRIVATE_KEY|AUTH_TOKEN)$" $key)
                      (regexMatch "^([^$]|[$])*[^ ]([^$]|[$])*$" $value))
                 (regexMatch "^([^$]|[$])*(hf_[A-Za-z0-9]{20,}|gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----)([^$]|[$])*$" $value)) }}
training.env: the value of {{ $key | quote }} seems to be a secret, and values files are kept in Git [DS369]
  put it into a Secret, and set training.env.NAME: {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}
  {{- end }}
{{- end }}

{{- range $key, $value := .Values.launcher.env }}
  {{- if and (kindIs "string" $value)
             (or (and (regexMatch "^(.*_)?(API_?KEY|ACCESS_KEY|SECRET(_ACCESS)?_KEY|SECRET|TOKEN|PASSWORD|PASSWD|PRIVATE_KEY|AUTH_TOKEN)$" $key)
                      (regexMatch "^([^$]|[$])*[^ ]([^$]|[$])*$" $value))
                 (regexMatch "^([^$]|[$])*(hf_[A-Za-z0-9]{20,}|gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----)([^$]|[$])*$" $value)) }}
launcher.env: the value of {{ $key | quote }} seems to be a secret, and values files are kept in Git [DS369]
  put it into a Secret, and set launcher.env.NAME: {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}
  {{- end }}
{{- end }}

{{- range $word := .Values.training.args }}
  {{- if regexMatch "^([^$]|[$])*(hf_[A-Za-z0-9]{20,}|gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----)([^$]|[$])*$" $word }}
training.args: an item seems to contain a secret, and values files are kept in Git [DS369]
  put it into a Secret, and set training.env.NAME: {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}
  {{- end }}
{{- end }}

{{- range $word := .Values.training.exec }}
  {{- if regexMatch "^([^$]|[$])*(hf_[A-Za-z0-9]{20,}|gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----)([^$]|[$])*$" $word }}
training.exec: an item seems to contain a secret, and values files are kept in Git [DS369]
  put it into a Secret, and set training.env.NAME: {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}
  {{- end }}
{{- end }}

{{- range $word := .Values.launch.command }}
  {{- if regexMatch "^([^$]|[$])*(hf_[A-Za-z0-9]{20,}|gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----)([^$]|[$])*$" $word }}
launch.command: an item seems to contain a secret, and values files are kept in Git [DS369]
  put it into a Secret, and set training.env.NAME: {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}
  {{- end }}
{{- end }}

{{- range $name, $word := .Values.training.files }}
  {{- if regexMatch "^([^$]|[$])*(hf_[A-Za-z0-9]{20,}|gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----)([^$]|[$])*$" $word }}
training.files: {{ $name | quote }} seems to contain a secret, and values files are kept in Git [DS369]
  put it into a Secret, and mount the Secret as a volume of storage
  {{- end }}
{{- end }}

{{- $word := .Values.training.setup }}
{{- if or (regexMatch "^([^$]|[$])*(hf_[A-Za-z0-9]{20,}|gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----)([^$]|[$])*$" $word)
          (regexMatch "^([^$]|[$])*[A-Z]_?(API_KEY|ACCESS_KEY|SECRET|TOKEN|PASSWORD)=[^A-Za-z0-9$/({~.<]?[A-Za-z0-9+_-]{8,}([^$]|[$])*$" $word) }}
training.setup seems to contain a secret, and values files are kept in Git [DS369]
  put it into a Secret, and set training.env.NAME: {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}
{{- end }}
{{- end }}
