{{/* Labels of every object; objects of one run add its id. `component` is what the object is for. */}}
{{- define "deepspeed-job.labels" -}}
app.kubernetes.io/name: deepspeed-job
app.kubernetes.io/instance: {{ include "deepspeed-job.jobName" . | quote }}
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/managed-by: dsgen
dsgen.dev/job: {{ include "deepspeed-job.jobName" . | quote }}
{{- range $key, $value := .Values.labels }}
{{ $key | quote }}: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* Labels of an object that belongs to one run. */}}
{{- define "deepspeed-job.runLabels" -}}
{{ include "deepspeed-job.labels" . }}
dsgen.dev/run: {{ include "deepspeed-job.runId" . | quote }}
{{- end }}

{{/* Labels of all pods of a run. They land in immutable fields, so no chart or app version is among them. */}}
{{- define "deepspeed-job.runSelector" -}}
dsgen.dev/job: {{ include "deepspeed-job.jobName" . | quote }}
dsgen.dev/run: {{ include "deepspeed-job.runId" . | quote }}
{{- end }}

{{/* Labels of the workers or of the launcher of a run. */}}
{{- define "deepspeed-job.selector" -}}
{{ include "deepspeed-job.runSelector" . }}
dsgen.dev/role: {{ .role }}
{{- end }}

{{/* Annotations of every object. Flux would replace a dollar sign with braces in any text of the user. */}}
{{- define "deepspeed-job.annotations" -}}
kustomize.toolkit.fluxcd.io/substitute: disabled
{{- range $key, $value := .Values.annotations }}
{{ $key | quote }}: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* Neither Helm nor Argo CD nor Flux may delete storage that is protected. */}}
{{- define "deepspeed-job.keepAnnotations" -}}
helm.sh/resource-policy: keep
argocd.argoproj.io/sync-options: Prune=false,Delete=false
kustomize.toolkit.fluxcd.io/prune: disabled
{{- end }}

{{/*
Argo CD removes what has left the source before it applies the rest.
Where that is refused, pods of the run may still need what was removed.
*/}}
{{- define "deepspeed-job.stayAnnotations" -}}
argocd.argoproj.io/compare-options: IgnoreExtraneous
argocd.argoproj.io/sync-options: Prune=false
{{- end }}

{{/*
"true" for a key of labels or annotations that dsgen,
Kubernetes or a delivery tool writes; empty for the user's own.
*/}}
{{- define "deepspeed-job.reservedKey" -}}
{{- if regexMatch "^(dsgen[.]dev|batch[.]kubernetes[.]io|kueue[.]x-k8s[.]io|(meta[.])?helm[.]sh)/.*$" . -}}
true
{{- else if regexMatch "^app[.]kubernetes[.]io/(name|instance|component|managed-by)$" . -}}
true
{{- else if regexMatch "^kustomize[.]toolkit[.]fluxcd[.]io/(substitute|prune)$" . -}}
true
{{- else if has . (list "job-name" "controller-uid" "argocd.argoproj.io/compare-options"
                        "argocd.argoproj.io/sync-options") -}}
true
{{- else if has . (list "scheduling.k8s.io/group-name" "scheduling.x-k8s.io/pod-group") -}}
true
{{- end -}}
{{- end }}
