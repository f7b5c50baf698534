"""The names of the commands with the first sentences of their help, so that listing them imports no command."""

ON_FILES = {
    "init": "Write a commented values file to start from.",
    "render": "Print the manifests of jobs, or write them to a folder.",
    "chart": "Write a Helm chart, with a job's values as its defaults.",
    "gitops": "Write the objects of Argo CD or Flux that apply jobs from a Git repository.",
    "validate": "Find all problems of values files, without a cluster.",
    "values": "Print the complete values of jobs, and the origin of each.",
    "diff": "Show what a render would change, by object and field.",
    "explain": "Explain a key, the id of a problem, or a reason.",
    "schema": "Print the JSON Schema of values files.",
    "graph": "Draw the objects of a job and the traffic between them.",
    "help": "Show the help of a command, or a page of the documentation.",
    "completion": "Print the script that lets bash, zsh or fish complete dsgen.",
}
ON_CLUSTERS = {
    "apply": "Apply a job to a cluster, without Git.",
    "run": "Apply a job, follow its log, and end with its exit code.",
    "list": "List jobs with their newest runs.",
    "status": "Show the status of a run: phase, reason, attempts and pods.",
    "why": "Explain why a run waits or has failed.",
    "events": "Show what happened to a run, in chronological order.",
    "wait": "Wait until a run is admitted, runs, or has ended.",
    "logs": "Print the output of a run.",
    "top": "Show the accelerators of nodes, the queues, or what a job uses.",
    "stop": "End a run.",
    "suspend": "Pause a run: delete its pods and keep its Jobs.",
    "resume": "Resume a suspended run.",
    "delete": "Delete the objects of a run.",
}
COMMANDS = ON_FILES | ON_CLUSTERS
