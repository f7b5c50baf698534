{{/* The program from a Git repository. */}}

{{/* A message for each problem, with a hint below it. */}}
{{- define "contract.codeProblems" -}}
{{- if and .Values.code.git.revision (not .Values.code.git.repository) }}
code.git.revision is given, and code.git.repository is not [DS290]
  name the repository, or remove it
{{- end }}

{{- if and .Values.code.git.secretName (not .Values.code.git.repository) }}
code.git.secretName is given, and code.git.repository is not [DS290]
  name the repository, or remove it
{{- end }}

{{- if and .Values.code.git.knownHosts (not .Values.code.git.repository) }}
code.git.knownHosts is given, and code.git.repository is not [DS290]
  name the repository, or remove it
{{- end }}

{{- if and .Values.code.git.image (not .Values.code.git.repository) }}
code.git.image is given, and code.git.repository is not [DS290]
  name the repository, or remove it
{{- end }}

{{- if .Values.code.git.repository }}
  {{- if and (not (regexMatch "^(https?|ssh|git)://[^/]+/.+$" .Values.code.git.repository))
             (not (regexMatch "^[^/:]+:([^/].*|/[^/].*)$" .Values.code.git.repository)) }}
code.git.repository is no address of https, http, ssh or git [DS295]
  such as https://example.com/team/cifar.git or git@example.com:team/cifar.git
  {{- end }}

  {{- if regexMatch "^.*[:*].*$" .Values.code.git.revision }}
code.git.revision: {{ .Values.code.git.revision | quote }} is no commit, branch or tag [DS295]
  the id of a commit, as git rev-parse HEAD prints it
  {{- end }}

  {{- if or (regexMatch "^([A-Za-z+.-]+://)?[^/@]*:[^/@]*@.*$" .Values.code.git.repository)
            (regexMatch "^[Hh][Tt][Tt][Pp][Ss]?://[^/]*@.*$" .Values.code.git.repository) }}
code.git.repository holds a user name or a password, and the values are kept in Git [DS248]
  put username and password into a Secret and name it in code.git.secretName
  {{- end }}

  {{- if and (include "contract.gitOverSsh" .Values.code.git.repository) (not .Values.code.git.secretName) }}
code.git.repository is reached over ssh, which needs a key [DS292]
  name a Secret with the key ssh-privatekey in code.git.secretName, or use an https address
  {{- end }}
{{- end }}
{{- end }}

{{/* What is worth a look, in the same form. */}}
{{- define "contract.codeWarnings" -}}
{{- if .Values.code.git.repository }}
  {{- if not (regexMatch "^([0-9a-f]{40}|[0-9a-f]{64}|.*[:*].*)$" .Values.code.git.revision) }}
code.git.revision: a branch or a tag may move, so the same run id may mean another program [DS291]
  give the whole id of a commit, as git rev-parse HEAD prints it
  {{- end }}

  {{- if regexMatch "^[^?]*[?].+$" .Values.code.git.repository }}
code.git.repository seems to hold a key behind the ?, and the values are kept in Git [DS360]
  put username and password into a Secret and name it in code.git.secretName
  {{- end }}

  {{- if and (include "contract.gitOverSsh" .Values.code.git.repository) (not .Values.code.git.knownHosts) }}
code.git.repository is reached over ssh, and code.git.knownHosts does not say which key the host has [DS293]
  give the lines that ssh-keyscan prints, compared with what the host publishes, or known_hosts in the Secret
  {{- end }}

  {{- if and (regexMatch "^http://.*$" .Values.code.git.repository) .Values.code.git.secretName }}
code.git.repository: the password goes over the network as plain text [DS294]
  use https
  {{- end }}
{{- end }}
{{- end }}
