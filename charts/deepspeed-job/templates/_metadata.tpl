{{/* Labels of every object; objects of a run also have its id. `component` is the purpose of the object. */}}
{{- define "deepspeed-job.labels" -}}
app.kubernetes.io/name: deepspeed-job
app.kubernetes.io/instance: {{ include "deepspeed-job.jobName" . | quote }}
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/managed-by: dsgen
dsgen.dev/job: {{ include "deepspeed-job.jobName" . | quote }}
{{- range $key, $value := .Values.labels }}
{{- include "deepspeed-job.refuse" (list "DS230" "writtenKey" (dict "where" "labels" "key" $key)) }}
{{- end }}
{{- if .Values.labels }}
{{ include "deepspeed-job.yaml" .Values.labels }}
{{- end }}
{{- end }}

{{/* Labels of an object that belongs to one run. */}}
{{- define "deepspeed-job.runLabels" -}}
{{ include "deepspeed-job.labels" . }}
dsgen.dev/run: {{ include "deepspeed-job.runId" . | quote }}
{{- end }}

{{/* Namespace, labels and annotations of an object that belongs to the job. */}}
{{- define "deepspeed-job.metadata" -}}
namespace: {{ include "deepspeed-job.namespace" . | quote }}
labels:
  {{- include "deepspeed-job.labels" . | nindent 2 }}
annotations:
  {{- include "deepspeed-job.annotations" . | nindent 2 }}
{{- end }}

{{/* The same of an object that belongs to one run. */}}
{{- define "deepspeed-job.runMetadata" -}}
namespace: {{ include "deepspeed-job.namespace" . | quote }}
labels:
  {{- include "deepspeed-job.runLabels" . | nindent 2 }}
annotations:
  {{- include "deepspeed-job.annotations" . | nindent 2 }}
{{- end }}

{{/* Labels of all pods of a run. They are in immutable fields, so they contain no version. */}}
{{- define "deepspeed-job.runSelector" -}}
dsgen.dev/job: {{ include "deepspeed-job.jobName" . | quote }}
dsgen.dev/run: {{ include "deepspeed-job.runId" . | quote }}
{{- end }}

{{/* Labels of the workers or of the launcher of a run. */}}
{{- define "deepspeed-job.selector" -}}
{{ include "deepspeed-job.runSelector" . }}
dsgen.dev/role: {{ .role }}
{{- end }}

{{/* Annotations of every object. Without the first one, Flux would substitute variables in any text of the user. */}}
{{- define "deepspeed-job.annotations" -}}
kustomize.toolkit.fluxcd.io/substitute: disabled
{{- range $key, $value := .Values.annotations }}
{{- include "deepspeed-job.refuse" (list
    "DS230" "writtenKey" (dict "where" "annotations" "key" $key)) }}
{{- end }}
{{- if .Values.annotations }}
{{ include "deepspeed-job.yaml" .Values.annotations }}
{{- end }}
{{- end }}

{{/* Annotations of claims and PersistentVolumes; some keep Helm, Argo CD and Flux from deleting protected storage. */}}
{{- define "deepspeed-job.storageAnnotations" -}}
{{ include "deepspeed-job.annotations" . }}
{{- if dig "protect" true .create }}
helm.sh/resource-policy: keep
argocd.argoproj.io/sync-options: Prune=false,Delete=false
kustomize.toolkit.fluxcd.io/prune: disabled
{{- end }}
{{- end }}

{{/*
The ConfigMap with a folder of scripts, without them. Runs with the same scripts share it,
since its name depends on the content. By default, Argo CD prunes objects before it applies
the others. If it then cannot apply them, pods of the run may still need the pruned scripts.
No tool removes those that all jobs of a namespace share, since none knows all runs.
*/}}
{{- define "deepspeed-job.scriptsObject" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include "deepspeed-job.scriptsName" . }}
  {{- if .Values.runtime.create }}
  {{- include "deepspeed-job.metadata" (dict
      "Values" .Values
      "Release" .Release
      "component" "scripts") | nindent 2 }}
    argocd.argoproj.io/compare-options: IgnoreExtraneous
    argocd.argoproj.io/sync-options: Prune=false
  {{- else }}
  namespace: {{ include "deepspeed-job.namespace" . | quote }}
  labels:
    app.kubernetes.io/name: deepspeed-job
    app.kubernetes.io/component: runtime
    app.kubernetes.io/managed-by: dsgen
  annotations:
    argocd.argoproj.io/compare-options: IgnoreExtraneous
    argocd.argoproj.io/sync-options: Prune=false,Delete=false
    helm.sh/resource-policy: keep
    kustomize.toolkit.fluxcd.io/prune: disabled
    kustomize.toolkit.fluxcd.io/ssa: IfNotPresent
    kustomize.toolkit.fluxcd.io/substitute: disabled
  {{- end }}
immutable: true
{{- end }}

{{/*
Annotations of a Job. kube-linter recommends a TTL. But if Kubernetes deleted
a Job, the next apply would create it again, and it could train again.
*/}}
{{- define "deepspeed-job.jobAnnotations" -}}
{{ include "deepspeed-job.annotations" . }}
{{- if eq .Values.lifecycle.ttlSecondsAfterFinished nil }}
ignore-check.kube-linter.io/job-ttl-seconds-after-finished: a deleted Job would train again when it is applied
{{- end }}
{{- end }}

{{/* "true" for a label or annotation that dsgen, Kubernetes or a delivery tool writes; empty for others. */}}
{{- define "deepspeed-job.reservedKey" -}}
{{- if or (regexMatch "^(dsgen[.]dev|batch[.]kubernetes[.]io|kueue[.]x-k8s[.]io|(meta[.])?helm[.]sh)/.*$" .)
          (regexMatch "^app[.]kubernetes[.]io/(name|instance|component|managed-by)$" .)
          (regexMatch "^kustomize[.]toolkit[.]fluxcd[.]io/(substitute|prune)$" .)
          (regexMatch "^argocd[.]argoproj[.]io/(compare|sync)-options$" .)
          (has . (list
              "job-name" "controller-uid" "scheduling.k8s.io/group-name"
              "scheduling.x-k8s.io/pod-group"
              "ignore-check.kube-linter.io/job-ttl-seconds-after-finished")) -}}
true
{{- end -}}
{{- end }}
