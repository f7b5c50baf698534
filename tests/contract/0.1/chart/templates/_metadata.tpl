{{/* Labels of every object; objects of a run also have its id. `component` is the purpose of the object. */}}
{{- define "contract.labels" -}}
app.kubernetes.io/name: deepspeed-job
app.kubernetes.io/instance: {{ include "contract.jobName" . | quote }}
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/managed-by: dsgen
dsgen.dev/job: {{ include "contract.jobName" . | quote }}
{{- range $key, $value := .Values.labels }}
{{ $key | quote }}: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* Labels of an object that belongs to one run. */}}
{{- define "contract.runLabels" -}}
{{ include "contract.labels" . }}
dsgen.dev/run: {{ include "contract.runId" . | quote }}
{{- end }}

{{/* Labels of all pods of a run. They are in immutable fields, so they contain no version. */}}
{{- define "contract.runSelector" -}}
dsgen.dev/job: {{ include "contract.jobName" . | quote }}
dsgen.dev/run: {{ include "contract.runId" . | quote }}
{{- end }}

{{/* Labels of the workers or of the launcher of a run. */}}
{{- define "contract.selector" -}}
{{ include "contract.runSelector" . }}
dsgen.dev/role: {{ .role }}
{{- end }}

{{/* Annotations of every object. Without the first one, Flux would substitute variables in any text of the user. */}}
{{- define "contract.annotations" -}}
kustomize.toolkit.fluxcd.io/substitute: disabled
{{- range $key, $value := .Values.annotations }}
{{ $key | quote }}: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* Keeps Helm, Argo CD and Flux from deleting protected storage. */}}
{{- define "contract.keepAnnotations" -}}
helm.sh/resource-policy: keep
argocd.argoproj.io/sync-options: Prune=false,Delete=false
kustomize.toolkit.fluxcd.io/prune: disabled
{{- end }}

{{/*
By default, Argo CD prunes objects before it applies the others. If it
then cannot apply them, pods of the run may still need the pruned objects.
*/}}
{{- define "contract.stayAnnotations" -}}
argocd.argoproj.io/compare-options: IgnoreExtraneous
argocd.argoproj.io/sync-options: Prune=false
{{- end }}

{{/*
kube-linter recommends a TTL. But if Kubernetes deleted a Job,
the next apply would create it again, and it could train again.
*/}}
{{- define "contract.noTtlAnnotation" -}}
ignore-check.kube-linter.io/job-ttl-seconds-after-finished: a deleted Job would train again when it is applied
{{- end }}

{{/* "true" for a label or annotation that dsgen, Kubernetes or a delivery tool writes; empty for others. */}}
{{- define "contract.reservedKey" -}}
{{- if regexMatch "^(dsgen[.]dev|batch[.]kubernetes[.]io|kueue[.]x-k8s[.]io|(meta[.])?helm[.]sh)/.*$" . -}}
true
{{- else if regexMatch "^app[.]kubernetes[.]io/(name|instance|component|managed-by)$" . -}}
true
{{- else if regexMatch "^kustomize[.]toolkit[.]fluxcd[.]io/(substitute|prune)$" . -}}
true
{{- else if has . (list "job-name" "controller-uid" "argocd.argoproj.io/compare-options"
                        "argocd.argoproj.io/sync-options") -}}
true
{{- else if eq . "ignore-check.kube-linter.io/job-ttl-seconds-after-finished" -}}
true
{{- else if has . (list "scheduling.k8s.io/group-name" "scheduling.x-k8s.io/pod-group") -}}
true
{{- end -}}
{{- end }}
