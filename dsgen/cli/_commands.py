"""The names of the commands, each with the first sentence of its help: listing them imports none of them."""

ON_FILES = {
    "init": "Write a commented values file to begin with.",
    "render": "Print the manifests of jobs, or write them into a folder.",
    "chart": "Write a Helm chart, with a job's values as its defaults.",
    "gitops": "Write what Argo CD or Flux needs to apply jobs from a Git repository.",
    "validate": "Find all problems of values files, without a cluster.",
    "values": "Print the complete values of jobs and what set each.",
    "diff": "Show what a render would change, by object and field.",
    "explain": "Explain a key, the id of a problem, or a reason.",
    "schema": "Print the JSON Schema of values files.",
    "graph": "Draw a job's objects and who talks to whom.",
    "help": "Show the help of a command, or a page of the documentation.",
    "completion": "Print the script that lets bash, zsh or fish complete dsgen.",
}
ON_CLUSTERS = {
    "apply": "Apply a job to a cluster, without Git.",
    "run": "Apply a job, follow its log, and end with its exit code.",
    "list": "List jobs with their newest runs.",
    "status": "Show the status of a run: phase, reason, attempts and pods.",
    "why": "Explain why a run waits or has failed.",
    "events": "Show what happened to a run, in order of time.",
    "wait": "Wait until a run is admitted, runs, or has ended.",
    "logs": "Print the output of a run.",
    "top": "Show the accelerators of nodes, the queues, or what a job uses.",
    "stop": "End a run.",
    "suspend": "Pause a run: delete its pods and keep its Jobs.",
    "resume": "Resume a suspended run.",
    "delete": "Delete the objects of a run.",
}
COMMANDS = ON_FILES | ON_CLUSTERS
