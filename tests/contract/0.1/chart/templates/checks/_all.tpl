{{/* All errors in the values. */}}
{{- define "contract.allProblems" -}}
{{- include "contract.namesProblems" . }}
{{- include "contract.trainingProblems" . }}
{{- include "contract.launchProblems" . }}
{{- include "contract.codeProblems" . }}
{{- include "contract.podsProblems" . }}
{{- include "contract.storageProblems" . }}
{{- include "contract.networkProblems" . }}
{{- include "contract.schedulingProblems" . }}
{{- include "contract.contextsProblems" . }}
{{- include "contract.securityProblems" . }}
{{- end }}

{{/* All warnings about the values. */}}
{{- define "contract.allWarnings" -}}
{{- include "contract.namesWarnings" . }}
{{- include "contract.trainingWarnings" . }}
{{- include "contract.launchWarnings" . }}
{{- include "contract.codeWarnings" . }}
{{- include "contract.podsWarnings" . }}
{{- include "contract.storageWarnings" . }}
{{- include "contract.networkWarnings" . }}
{{- include "contract.schedulingWarnings" . }}
{{- include "contract.contextsWarnings" . }}
{{- end }}
