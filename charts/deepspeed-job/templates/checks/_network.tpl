{{/* Ports, interfaces, RDMA, ssh, the webhook, and monitoring. */}}

{{/* A message for each error, with a hint below it. */}}
{{- define "deepspeed-job.networkProblems" -}}
{{- if .Values.ssh.secret.name }}
  {{- if ne .Values.ssh.secret.mode "existing" }}
ssh.secret.name is used only with ssh.secret.mode: existing [DS240]
  set ssh.secret.mode: existing, or remove the name
  {{- end }}

  {{- if and (eq .Values.ssh.secret.mode "existing")
             (eq .Values.ssh.secret.name (printf "%s-ssh" (include "deepspeed-job.jobName" .))) }}
ssh.secret.name: {{ .Values.ssh.secret.name | quote }} is the name that dsgen gives to the Secret of the job [DS241]
  give your Secret another name
  {{- end }}
{{- end }}

{{- if .Values.network.hostNetwork }}
  {{- if and (include "deepspeed-job.usesSsh" .) (eq (int64 .Values.ssh.port) 22) }}
ssh.port: with network.hostNetwork, port 22 belongs to the node's own sshd [DS244]
  use another port, such as 2222
  {{- end }}

  {{- if .Values.network.rdma.networks }}
network.rdma.networks: Multus adds no networks to pods with hostNetwork [DS227]
  remove network.rdma.networks or network.hostNetwork
  {{- end }}
{{- end }}

{{- if and .Values.network.rdma.networks
           (hasKey .Values.workers.podAnnotations "k8s.v1.cni.cncf.io/networks") }}
workers.podAnnotations: "k8s.v1.cni.cncf.io/networks" is written by dsgen from network.rdma.networks [DS228]
  remove the annotation, or network.rdma.networks
{{- end }}

{{- range $key, $count := .Values.network.rdma.resources }}
  {{- if has $key (list "cpu" "memory" "ephemeral-storage" "pods") }}
network.rdma.resources: {{ $key | quote }} is not a device [DS226]
  use a resource of a device plugin, such as rdma/hca_shared_devices_a; set others in workers.resources
  {{- end }}

  {{- if and (hasKey $.Values.workers.resources.requests $key)
             (not (has $key (list "cpu" "memory" "ephemeral-storage" "pods"))) }}
network.rdma.resources: {{ $key | quote }} is also in workers.resources.requests [DS226]
  keep one of them
  {{- end }}

  {{- if and (hasKey $.Values.workers.resources.limits $key)
             (not (has $key (list "cpu" "memory" "ephemeral-storage" "pods"))) }}
network.rdma.resources: {{ $key | quote }} is also in workers.resources.limits [DS226]
  keep one of them
  {{- end }}

  {{- if eq $key $.Values.workers.accelerator.resource }}
network.rdma.resources: {{ $key | quote }} is written by dsgen from workers.accelerator [DS226]
  remove it here; workers.accelerator.count is the number of these devices
  {{- end }}
{{- end }}

{{- if and .Values.status.webhook.url .Values.status.webhook.secretName }}
status.webhook: url and secretName are mutually exclusive [DS246]
  keep secretName if the address itself is secret
{{- end }}

{{- if and .Values.ssh.user
           (eq .Values.ssh.user "root")
           (include "deepspeed-job.isNeverRoot" (dict "Values" .Values "pod" .Values.workers)) }}
ssh.user: the workers do not run as root, so nobody can log in as root [DS249]
  remove it: the default is the user of the container
{{- end }}

{{- if .Values.monitoring.podMonitor.enabled }}
  {{- if and (include "deepspeed-job.usesSsh" .)
             (eq (int64 .Values.monitoring.podMonitor.port) (int64 .Values.ssh.port)) }}
monitoring.podMonitor.port and ssh.port are both {{ int64 .Values.monitoring.podMonitor.port }} [DS242]
  change one of them
  {{- end }}

  {{- if eq (int64 .Values.monitoring.podMonitor.port) (int64 .Values.launch.masterPort) }}
monitoring.podMonitor.port and launch.masterPort are both {{ int64 .Values.monitoring.podMonitor.port }} [DS242]
  change one of them
  {{- end }}

  {{- if eq (int64 .Values.monitoring.podMonitor.port) (int64 .Values.workers.readinessPort) }}
monitoring.podMonitor.port and workers.readinessPort are both {{ int64 .Values.monitoring.podMonitor.port }} [DS242]
  change one of them
  {{- end }}
{{- end }}

{{- if and (include "deepspeed-job.usesSsh" .)
           (eq (int64 .Values.workers.readinessPort) (int64 .Values.ssh.port)) }}
workers.readinessPort and ssh.port are both {{ int64 .Values.workers.readinessPort }} [DS242]
  change one of them
{{- end }}

{{- if eq (int64 .Values.workers.readinessPort) (int64 .Values.launch.masterPort) }}
workers.readinessPort and launch.masterPort are both {{ int64 .Values.workers.readinessPort }} [DS242]
  change one of them
{{- end }}

{{- if and .Values.monitoring.tensorboard.enabled (not .Values.monitoring.tensorboard.logDir) }}
monitoring.tensorboard.logDir is required [DS341]
  set it to the folder to which the training writes its events, on a volume of storage
{{- end }}

{{- if and (or (ne (int64 .Values.ssh.port) 2222) (ne (int64 .Values.launch.masterPort) 29500))
           (include "deepspeed-job.usesSsh" .)
           (eq (int64 .Values.launch.masterPort) (int64 .Values.ssh.port)) }}
launch.masterPort and ssh.port are both {{ int64 .Values.ssh.port }} [DS242]
  change one of them
{{- end }}
{{- end }}

{{/* A message for each warning, with a hint below it. */}}
{{- define "deepspeed-job.networkWarnings" -}}
{{- if or (ne (int64 .Values.ssh.port) 2222) (ne (int64 .Values.launch.masterPort) 29500) }}
  {{- if and (include "deepspeed-job.usesSsh" .)
             (lt (int64 .Values.ssh.port) 1024)
             (include "deepspeed-job.isNeverRoot" (dict "Values" .Values "pod" .Values.workers)) }}
ssh.port: the workers do not run as root, and in many clusters only root can listen on port {{ int64 .Values.ssh.port }}
    [DS243]
  use port 1024 or higher
  {{- end }}

  {{- if and (lt (int64 .Values.launch.masterPort) 1024)
             (include "deepspeed-job.isNeverRoot" (dict "Values" .Values "pod" .Values.workers)) }}
launch.masterPort: the workers do not run as root, and in many clusters only root can listen on port
    {{ int64 .Values.launch.masterPort }} [DS243]
  use port 1024 or higher
  {{- end }}
{{- end }}

{{- if .Values.network.hostNetwork }}
  {{- if .Values.network.policy }}
network.policy: a NetworkPolicy does not apply to pods with hostNetwork, so everything that can reach the nodes can
    reach the workers [DS245]
  set network.policy: false, and protect the nodes by other means
  {{- end }}

  {{- if and (gt (include "deepspeed-job.workerPods" . | int64) 1)
             (not .Values.network.socketInterface)
             (not .Values.training.setup)
             (not (hasKey .Values.training.env "GLOO_SOCKET_IFNAME")) }}
network.socketInterface: with network.hostNetwork, Gloo uses the interface to which the name of the node resolves, which
    is the loopback interface on many nodes [DS239]
  set it to an interface that all nodes have, or export GLOO_SOCKET_IFNAME in training.setup
  {{- end }}
{{- end }}

{{- if and .Values.network.rdma.resources
           (eq .Values.network.rdma.ipcLock "auto")
           (ne .Values.security.podSecurityLevel "privileged")
           (or (not (hasKey .Values.network.rdma.resources "vpc.amazonaws.com/efa"))
               (gt (len .Values.network.rdma.resources) 1)) }}
network.rdma.ipcLock: RDMA needs the capability IPC_LOCK, which only the Pod Security level privileged allows, so dsgen
    does not add it [DS229]
  set security.podSecurityLevel: privileged, or network.rdma.ipcLock: omit if the limits of the nodes are high enough
{{- end }}

{{- if and .Values.status.webhook.url
           (regexMatch "^[Hh][Tt][Tt][Pp]:.*$" .Values.status.webhook.url) }}
status.webhook.url: the record would be sent unencrypted [DS247]
  use an https address
{{- end }}

{{- range $key, $quantity := .Values.workers.resources.limits }}
  {{- if and (regexMatch (include "deepspeed-job.rdmaDevicePattern" .) $key)
             (not (hasKey $.Values.network.rdma.resources $key))
             (not (has "IPC_LOCK" (dig "capabilities" "add" (list) $.Values.workers.securityContext))) }}
workers.resources.limits: {{ $key | quote }} is an RDMA device, but without network.rdma the workers may not lock the
    memory that RDMA needs [DS390]
  move it to network.rdma.resources, which also adds the capability IPC_LOCK
  {{- end }}
{{- end }}

{{- if and .Values.network.rdma.networks
           (not .Values.network.socketInterface)
           (not .Values.network.hostNetwork)
           (not .Values.network.rdma.resources) }}
network.rdma.networks: the workers get networks, but no RDMA device [DS391]
  set network.rdma.resources to the resource of the network attachment, unless an injector of the cluster adds it
{{- end }}

{{- if and .Values.network.socketInterface (hasKey .Values.training.env "NCCL_SOCKET_IFNAME") }}
  {{- $value := index .Values.training.env "NCCL_SOCKET_IFNAME" }}
  {{- if and (kindIs "string" $value) (ne $value .Values.network.socketInterface) }}
training.env.NCCL_SOCKET_IFNAME is {{ $value | quote }} and replaces network.socketInterface
    {{ .Values.network.socketInterface | quote }}, which only Gloo uses then [DS392]
  keep one of them; for Gloo alone, set training.env.GLOO_SOCKET_IFNAME
  {{- end }}
{{- end }}
{{- end }}
