{{/* Ports, interfaces, RDMA, ssh, the webhook and what is watched. */}}

{{/* A message for each problem, with a hint below it. */}}
{{- define "contract.networkProblems" -}}
{{- if .Values.ssh.secret.name }}
  {{- if ne .Values.ssh.secret.mode "existing" }}
ssh.secret.name is used only with ssh.secret.mode: existing [DS240]
  set ssh.secret.mode: existing, or remove the name
  {{- end }}

  {{- if and (eq .Values.ssh.secret.mode "existing")
             (eq .Values.ssh.secret.name (printf "%s-ssh" (include "contract.jobName" .))) }}
ssh.secret.name: {{ .Values.ssh.secret.name | quote }} is the name of the Secret that is filled in the cluster [DS241]
  give your Secret another name
  {{- end }}
{{- end }}

{{- if .Values.network.hostNetwork }}
  {{- if and (include "contract.usesSsh" .) (eq (int64 .Values.ssh.port) 22) }}
ssh.port: with network.hostNetwork the node's own sshd has port 22 [DS244]
  use another port, such as 2222
  {{- end }}

  {{- if .Values.network.rdma.networks }}
network.rdma.networks: pods with hostNetwork get no networks of their own [DS227]
  keep one of networks and hostNetwork
  {{- end }}

  {{- if and (eq .Values.scheduling.topology.required "kubernetes.io/hostname")
             (gt (include "contract.workerPods" . | int64) 1) }}
network.hostNetwork: each worker takes ports of its node, and scheduling.topology.required wants all on one [DS305]
  keep one of them
  {{- end }}
{{- end }}

{{- if and .Values.network.rdma.networks (hasKey .Values.workers.podAnnotations "k8s.v1.cni.cncf.io/networks") }}
workers.podAnnotations: "k8s.v1.cni.cncf.io/networks" is written from network.rdma.networks [DS228]
  keep one of them
{{- end }}

{{- range $key, $count := .Values.network.rdma.resources }}
  {{- if has $key (list "cpu" "memory" "ephemeral-storage" "pods") }}
network.rdma.resources: {{ $key | quote }} is no device [DS226]
  name what a device plugin offers, such as rdma/hca_shared_devices_a; the rest is in workers.resources
  {{- end }}

  {{- if and (hasKey $.Values.workers.resources.requests $key)
             (not (has $key (list "cpu" "memory" "ephemeral-storage" "pods"))) }}
network.rdma.resources: {{ $key | quote }} is in workers.resources.requests too [DS226]
  keep one of them
  {{- end }}

  {{- if and (hasKey $.Values.workers.resources.limits $key)
             (not (has $key (list "cpu" "memory" "ephemeral-storage" "pods"))) }}
network.rdma.resources: {{ $key | quote }} is in workers.resources.limits too [DS226]
  keep one of them
  {{- end }}

  {{- if eq $key $.Values.workers.accelerator.resource }}
network.rdma.resources: {{ $key | quote }} is written from workers.accelerator [DS226]
  keep one of them
  {{- end }}
{{- end }}

{{- if and (ne .Values.network.rdma.ipcLock "auto")
           (eq .Values.network.rdma.ipcLock "add")
           (ne .Values.security.podSecurityLevel "privileged") }}
network.rdma.ipcLock: IPC_LOCK, which memory for RDMA needs, is allowed by the level privileged only [DS320]
  set security.podSecurityLevel: privileged, or ipcLock: omit
{{- end }}

{{- if .Values.status.webhook.url }}
  {{- if .Values.status.webhook.secretName }}
status.webhook: url and secretName exclude one another [DS246]
  keep secretName where the address itself is a secret
  {{- end }}

  {{- if regexMatch "^[A-Za-z]+://[^/]*@.*$" .Values.status.webhook.url }}
status.webhook.url holds a user name or a password, and the values are kept in Git [DS248]
  put the address into a Secret, under the key url, and name it in status.webhook.secretName
  {{- end }}
{{- end }}

{{- if and .Values.ssh.user (eq .Values.ssh.user "root") (include "contract.workersNotRoot" .) }}
ssh.user: the workers are not root, so nobody can log in as root [DS249]
  leave it out: the user of the container is used
{{- end }}

{{- if .Values.monitoring.podMonitor.enabled }}
  {{- if and (include "contract.usesSsh" .)
             (eq (int64 .Values.monitoring.podMonitor.port) (int64 .Values.ssh.port)) }}
monitoring.podMonitor.port and ssh.port are both {{ int64 .Values.monitoring.podMonitor.port }} [DS242]
  give one of them another port
  {{- end }}

  {{- if eq (int64 .Values.monitoring.podMonitor.port) (int64 .Values.launch.masterPort) }}
monitoring.podMonitor.port and launch.masterPort are both {{ int64 .Values.monitoring.podMonitor.port }} [DS242]
  give one of them another port
  {{- end }}
{{- end }}

{{- if and .Values.monitoring.tensorboard.enabled (not .Values.monitoring.tensorboard.logDir) }}
monitoring.tensorboard.logDir must be given [DS341]
  the folder to which the training writes its events, on a volume of storage
{{- end }}
{{- end }}

{{/* What is worth a look, in the same form. */}}
{{- define "contract.networkWarnings" -}}
{{- if or (ne (int64 .Values.ssh.port) 2222) (ne (int64 .Values.launch.masterPort) 29500) }}
  {{- if and (include "contract.usesSsh" .)
             (lt (int64 .Values.ssh.port) 1024)
             (include "contract.workersNotRoot" .) }}
ssh.port: in many clusters only root can listen on {{ int64 .Values.ssh.port }}, and the workers are not root [DS243]
  use a port from 1024 on
  {{- end }}

  {{- if and (lt (int64 .Values.launch.masterPort) 1024) (include "contract.workersNotRoot" .) }}
launch.masterPort: in many clusters only root can listen on {{ int64 .Values.launch.masterPort }}, and the workers are not root [DS243]
  use a port from 1024 on
  {{- end }}
{{- end }}

{{- if .Values.network.hostNetwork }}
  {{- if .Values.network.policy }}
network.policy: a NetworkPolicy does not bind pods with hostNetwork, so all that reaches the nodes reaches the workers [DS245]
  set network.policy: false to say that you know it
  {{- end }}

  {{- if and (gt (include "contract.workerPods" . | int64) 1)
             (not .Values.network.socketInterface)
             (not .Values.training.setup)
             (not (hasKey .Values.training.env "GLOO_SOCKET_IFNAME")) }}
network.socketInterface: with network.hostNetwork Gloo takes the interface that the node's own name leads to, which on many nodes is the loopback [DS239]
  name the interface that all nodes have, or export GLOO_SOCKET_IFNAME in training.setup
  {{- end }}
{{- end }}

{{- if and .Values.network.rdma.resources
           (eq .Values.network.rdma.ipcLock "auto")
           (ne .Values.security.podSecurityLevel "privileged")
           (or (not (hasKey .Values.network.rdma.resources "vpc.amazonaws.com/efa"))
               (gt (len .Values.network.rdma.resources) 1)) }}
network.rdma.ipcLock: IPC_LOCK, which memory for RDMA needs, is allowed by the level privileged only, so it is left out [DS229]
  set security.podSecurityLevel: privileged, or ipcLock: omit where the nodes allow it without
{{- end }}

{{- if .Values.status.webhook.url }}
  {{- if regexMatch "^[Hh][Tt][Tt][Pp]:.*$" .Values.status.webhook.url }}
status.webhook.url: the record goes over the network as plain text [DS247]
  use https
  {{- end }}

  {{- if or (regexMatch "^[^?]*[?].+$" .Values.status.webhook.url)
            (regexMatch "^(?i:https?://([^/]*[.])?(hooks[.]slack[.]com|discord(app)?[.]com/api/webhooks|webhook[.]office[.]com|outlook[.]office(365)?[.]com/webhook|hooks[.]zapier[.]com|maker[.]ifttt[.]com/trigger|api[.]telegram[.]org|chat[.]googleapis[.]com)/.+)$" .Values.status.webhook.url)
            (regexMatch "^[A-Za-z]+://[^/]+/.*[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}.*$" .Values.status.webhook.url)
            (and (regexMatch "^[A-Za-z]+://[^/]+/.*[A-Za-z0-9]{16}.*$" .Values.status.webhook.url)
                 (regexMatch "^[A-Za-z]+://[^/]+/.*[0-9].*$" .Values.status.webhook.url)) }}
status.webhook.url seems to hold a key, and anyone who reads the values can post with it [DS360]
  put the address into a Secret, under the key url, and name it in status.webhook.secretName
  {{- end }}
{{- end }}
{{- end }}
