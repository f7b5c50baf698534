{{/* Everything that values may not say. */}}
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

{{/* Everything that is worth a look. */}}
{{- define "contract.allWarnings" -}}
{{- include "contract.namesWarnings" . }}
{{- include "contract.trainingWarnings" . }}
{{- include "contract.launchWarnings" . }}
{{- include "contract.codeWarnings" . }}
{{- include "contract.podsWarnings" . }}
{{- include "contract.storageWarnings" . }}
{{- include "contract.networkWarnings" . }}
{{- include "contract.schedulingWarnings" . }}
{{- end }}
