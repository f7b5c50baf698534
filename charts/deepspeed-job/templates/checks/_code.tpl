{{/* The program from a Git repository. */}}

{{/* A message for each error, with a hint below it. */}}
{{- define "deepspeed-job.codeProblems" -}}
{{- if and .Values.code.git.revision (not .Values.code.git.repository) }}
code.git.revision is set, but code.git.repository is not [DS290]
  set code.git.repository, or remove code.git.revision
{{- end }}

{{- if and .Values.code.git.secretName (not .Values.code.git.repository) }}
code.git.secretName is set, but code.git.repository is not [DS290]
  set code.git.repository, or remove code.git.secretName
{{- end }}

{{- if and .Values.code.git.knownHosts (not .Values.code.git.repository) }}
code.git.knownHosts is set, but code.git.repository is not [DS290]
  set code.git.repository, or remove code.git.knownHosts
{{- end }}

{{- if and .Values.code.git.image (not .Values.code.git.repository) }}
code.git.image is set, but code.git.repository is not [DS290]
  set code.git.repository, or remove code.git.image
{{- end }}

{{- if .Values.code.git.repository }}
  {{- if and (not (regexMatch "^(https?|ssh|git)://[^/]+/.+$" .Values.code.git.repository))
             (not (regexMatch (include "deepspeed-job.hostAndPathPattern" .) .Values.code.git.repository)) }}
code.git.repository is not an https, http, ssh or git address [DS295]
  for example https://example.com/team/cifar.git or git@example.com:team/cifar.git
  {{- end }}

  {{- if regexMatch "^.*[:*].*$" .Values.code.git.revision }}
code.git.revision: {{ .Values.code.git.revision | quote }} is not a commit, branch or tag [DS295]
  use a commit id, as git rev-parse HEAD prints it
  {{- end }}

  {{- if and (include "deepspeed-job.gitOverSsh" .Values.code.git.repository)
             (not .Values.code.git.secretName) }}
code.git.repository uses ssh, which needs a key [DS292]
  set code.git.secretName to a Secret with the key ssh-privatekey, or use an https address
  {{- end }}

  {{- if regexMatch "^https?://[^/]+/.+/(tree|blob|commit|src/(branch|tag|commit))/.+$" .Values.code.git.repository }}
code.git.repository is the address of a page, not of the repository [DS295]
  set code.git.repository to the part before it, and code.git.revision to the commit
  {{- end }}
{{- end }}
{{- end }}

{{/* A message for each warning, with a hint below it. */}}
{{- define "deepspeed-job.codeWarnings" -}}
{{- if .Values.code.git.repository }}
  {{- if not (regexMatch "^([0-9a-f]{40}|[0-9a-f]{64}|.*[:*].*)$" .Values.code.git.revision) }}
code.git.revision: a branch or tag can move, so the same run id may later mean a different program [DS291]
  use the full commit id, as git rev-parse HEAD prints it
  {{- end }}

  {{- if and (include "deepspeed-job.gitOverSsh" .Values.code.git.repository)
             (not .Values.code.git.knownHosts) }}
code.git.repository uses ssh, but code.git.knownHosts does not contain the key of the host [DS293]
  add the output of ssh-keyscan after comparing it with the keys that the host publishes, or put known_hosts into the
    Secret
  {{- end }}

  {{- if and (regexMatch "^http://.*$" .Values.code.git.repository) .Values.code.git.secretName }}
code.git.repository: the password would be sent unencrypted [DS294]
  use an https address
  {{- end }}
{{- end }}
{{- end }}
