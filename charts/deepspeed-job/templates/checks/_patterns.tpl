{{/* Regular expressions of the checks. */}}

{{- define "deepspeed-job.absolutePattern" -}}
^/[^/].*$
{{- end }}

{{- define "deepspeed-job.assignsSecretPattern" -}}
{{- join "" (list "^([^$]|[$])*[A-Z]_?(API_KEY|ACCESS_KEY|SECRET|TOKEN|"
                  "PASSWORD)=[^A-Za-z0-9$/({~.<]?[A-Za-z0-9+_-]{8,}([^$]|[$])*$") }}
{{- end }}

{{- define "deepspeed-job.chatWebhookPattern" -}}
{{- join "" (list "^(?i:https?://([^/]*[.])?(discord(app)?[.]com/api/webhooks|"
                  "api[.]telegram[.]org|chat[.]googleapis[.]com)/.+)$") }}
{{- end }}

{{- define "deepspeed-job.checksFailurePattern" -}}
^([^$]|[$])*(set -[a-z]*e|set -o errexit|[|][|])([^$]|[$])*$
{{- end }}

{{- define "deepspeed-job.commandEnvPattern" -}}
{{- join "" (list "^(NNODES|NODE_RANK|NPROC_PER_NODE|PET_(NNODES|NODE_RANK|"
                  "NPROC_PER_NODE|MASTER_ADDR|MASTER_PORT))$") }}
{{- end }}

{{- define "deepspeed-job.commandLinePattern" -}}
{{- join "" (list "^(([^ ]*/)?(python3?|ba?sh|deepspeed|torchrun|accelerate|mpirun|"
                  "mpiexec) .*|.*[.]py +.*|.* --?[A-Za-z].*|.* (&&|[|][|]?|>>?|2>&1) .*|"
                  "[A-Z_][A-Z0-9_]*=[^ ]* .*)$") }}
{{- end }}

{{- define "deepspeed-job.devicesPattern" -}}
^(habana[.]ai/gaudi|huawei[.]com/Ascend.*)$
{{- end }}

{{- define "deepspeed-job.digitInPathPattern" -}}
^[A-Za-z]+://[^/]+/.*[0-9].*$
{{- end }}

{{- define "deepspeed-job.gpusPattern" -}}
^((nvidia|amd)[.]com/gpu|nvidia[.]com/(pgpu|mig-.*)|gpu[.]intel[.]com/.*)$
{{- end }}

{{- define "deepspeed-job.hasTokenPattern" -}}
{{- join "" (list "^([^$]|[$])*(hf_[A-Za-z0-9]{20,}|gh[opsur]_[A-Za-z0-9]{30,}|"
                  "github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|"
                  "sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}|"
                  "-----BEGIN [A-Z ]*PRIVATE KEY-----)([^$]|[$])*$") }}
{{- end }}

{{- define "deepspeed-job.hostAndPathPattern" -}}
^[^/:]+:([^/].*|/[^/].*)$
{{- end }}

{{- define "deepspeed-job.installsPattern" -}}
{{- join "" (list "^(([^$]|[$])*[^!-~])?(((python3? -m )?pip3?|uv pip|conda|mamba|"
                  "(sudo )?(apt|apt-get|yum|dnf)) ([^ ]* )*install|git (clone|pull|"
                  "checkout|fetch)|wget|curl|python3? setup[.]py|make) ([^$]|[$])*$") }}
{{- end }}

{{- define "deepspeed-job.joinsCommandsPattern" -}}
^((([^$]|[$])* )?([^- ][^ ]* [|;]|[^ ]+;)|[|;]) [A-Za-z./~]([^$]|[$])*$
{{- end }}

{{- define "deepspeed-job.joinsPattern" -}}
^([|]|[^ ]*;)$
{{- end }}

{{- define "deepspeed-job.launcherOptionPattern" -}}
{{- join "" (list "^--(num_gpus|num_nodes|hostfile|no_ssh(_check)?|launcher_args|"
                  "force_multi|enable_each_rank_log|bind_cores_to_rank|master[-_](addr|"
                  "port)|nproc[-_]per[-_]node|nnodes|node[-_]rank|rdzv[-_](backend|"
                  "endpoint|id|conf))(=.*)?$") }}
{{- end }}

{{- define "deepspeed-job.literalPathPattern" -}}
^([^$]|[$])*[$]([{(]?)(LD_LIBRARY_PATH|PATH|PYTHONPATH)([^A-Za-z0-9_]([^$]|[$])*)?$
{{- end }}

{{- define "deepspeed-job.movingTagPattern" -}}
^((.*-)?(latest|nightly)|main|master|develop|dev|devel|edge|head|stable)?$
{{- end }}

{{- define "deepspeed-job.mpirunOutputPattern" -}}
{{- join "" (list "^(--?(tag-output|timestamp-output|merge-stderr-to-stdout|output|"
                  "output-filename|stdin|xml|xml-file)(=.*)?|(orte|prte)_(tag|timestamp|"
                  "xml)_output)$") }}
{{- end }}

{{- define "deepspeed-job.mpirunProcessesPattern" -}}
{{- join "" (list "^--?(n|np|c|N|pernode|npernode|npersocket|H|host|hostfile|machinefile|"
                  "default-hostfile|rankfile|rf|app)(=.*)?$") }}
{{- end }}

{{- define "deepspeed-job.mpirunStartPattern" -}}
{{- join "" (list "^--?(h|help|V|version|do-not-launch|daemonize|report-uri|launch-agent|"
                  "tune|am|(wd|wdir)|path)(=.*)?$") }}
{{- end }}

{{- define "deepspeed-job.mpirunTransportPattern" -}}
^(plm|plm_rsh_.*|(orte|prte)_(leave_session_attached|keep_fqdn_hostnames))$
{{- end }}

{{- define "deepspeed-job.namesConfigPattern" -}}
^([^$]|[$])*(--deepspeed|ds_config)([^$]|[$])*$
{{- end }}

{{- define "deepspeed-job.namesFilePattern" -}}
^(([^$]|[$])* )?((<|>>?) [A-Za-z0-9./~]|>>?[A-Za-z./~])([^$]|[$])*$
{{- end }}

{{- define "deepspeed-job.nothingPattern" -}}
^[^0-9]?0+([.]0+)?[A-Za-z]*[^0-9A-Za-z.]?$
{{- end }}

{{- define "deepspeed-job.officeWebhookPattern" -}}
{{- join "" (list "^(?i:https?://([^/]*[.])?(webhook[.]office[.]com|"
                  "outlook[.]office(365)?[.]com/webhook)/.+)$") }}
{{- end }}

{{- define "deepspeed-job.operatorPattern" -}}
^(&&|[|][|]|[|]&|&>.*|[0-9]?>&[0-9-]|[12]>.*)$
{{- end }}

{{- define "deepspeed-job.ownContainersPattern" -}}
^(worker|launcher|status|passwd|code|dsgen-.*)$
{{- end }}

{{- define "deepspeed-job.parenthesesPattern" -}}
^([^$]|[$])*[$][(][A-Z][A-Z0-9_]+[)]([^$]|[$])*$
{{- end }}

{{- define "deepspeed-job.passedOnPattern" -}}
^([^$]|[$])*[$][{]?[@*1-9]([^$]|[$])*$
{{- end }}

{{- define "deepspeed-job.rdmaDevicePattern" -}}
{{- join "" (list "^(rdma/.*|mellanox[.]com/.*|nvidia[.]com/(hostdev|mlnx|res|rdma|ib|"
                  "sriov|roce).*|openshift[.]io/(mlnx|mellanox|sriov|rdma|ib).*)$") }}
{{- end }}

{{- define "deepspeed-job.redirectsPattern" -}}
^(<|>>?|>>?[A-Za-z./~].*)$
{{- end }}

{{- define "deepspeed-job.reservedEnvPattern" -}}
^(DSGEN_.*|RANK|LOCAL_RANK|WORLD_SIZE|MASTER_.*)$
{{- end }}

{{- define "deepspeed-job.runInPathPattern" -}}
^[A-Za-z]+://[^/]+/.*[A-Za-z0-9]{16}.*$
{{- end }}

{{- define "deepspeed-job.secretNamePattern" -}}
{{- join "" (list "^(.*_)?(API_?KEY|ACCESS_KEY|SECRET(_ACCESS)?_KEY|SECRET|TOKEN|"
                  "PASSWORD|PASSWD|PRIVATE_KEY|AUTH_TOKEN)$") }}
{{- end }}

{{- define "deepspeed-job.selinuxTypesPattern" -}}
^(container_(t|init_t|kvm_t|engine_t))?$
{{- end }}

{{- define "deepspeed-job.severalEachPattern" -}}
^([a-z.]*/neuron.*|.*[.]shared)$
{{- end }}

{{- define "deepspeed-job.sharedMemoryPattern" -}}
^/dev/shm(/.*)?$
{{- end }}

{{- define "deepspeed-job.shellPattern" -}}
^(([^$]|[$])* )?([^ ]*/)?(ba|da|z|k)?sh ([-+][^ ]* |pipefail )*-[a-z]*c ([^$]|[$])*$
{{- end }}

{{- define "deepspeed-job.slackWebhookPattern" -}}
{{- join "" (list "^(?i:https?://([^/]*[.])?(hooks[.]slack[.]com|hooks[.]zapier[.]com|"
                  "maker[.]ifttt[.]com/trigger)/.+)$") }}
{{- end }}

{{- define "deepspeed-job.startingModulePattern" -}}
{{- join "" (list "^(torch[.]distributed[.](run|launch)|deepspeed[.]launcher[.].*|"
                  "accelerate[.]commands[.].*)$") }}
{{- end }}

{{- define "deepspeed-job.startsRanksPattern" -}}
{{- join "" (list "^([^ ]*/)?((deepspeed|torchrun|accelerate|mpirun|mpiexec|orterun|"
                  "horovodrun|srun|msrun|composer|colossalai)( ([^$]|[$])*)?|(ba|"
                  "da)?sh -[a-z]*c +(exec +)?(deepspeed|torchrun|accelerate|mpirun|"
                  "mpiexec|orterun|horovodrun|srun|msrun|composer|colossalai)( ([^$]|"
                  "[$])*)?|python3? (-u )?-m (torch[.]distributed[.](run|launch)|"
                  "deepspeed[.]launcher[.]|accelerate[.]commands[.])([^$]|[$])*)$") }}
{{- end }}

{{- define "deepspeed-job.startsWithShellPattern" -}}
{{- join "" (list "^([A-Za-z_][A-Za-z0-9_]*=[^ ]*|cd|source|export|ulimit|eval|exec|set|"
                  "module|[.]) ([^$]|[$])*$") }}
{{- end }}

{{- define "deepspeed-job.uuidInPathPattern" -}}
^[A-Za-z]+://[^/]+/.*[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}.*$
{{- end }}

{{- define "deepspeed-job.variablePattern" -}}
^([^$]|[$])*[$][({]?[A-Z][A-Z0-9_]+([^$]|[$])*$
{{- end }}
