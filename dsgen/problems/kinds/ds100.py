"""Problems that the schema finds: keys and values that a values file cannot have."""

from __future__ import annotations

from dsgen.problems.kinds.kind import Kind, job

KINDS = (
    Kind(
        "DS101",
        title="An unknown key",
        when="There is no such key here. If dsgen accepted it, a misspelt key would be ignored and its default used.",
        remedy=(
            "Correct the spelling, or move the key to where it belongs. `dsgen explain KEY` lists the keys below KEY."
        ),
        example=job("workers: {replica: 2}"),
    ),
    Kind(
        "DS102",
        title="A value of the wrong type",
        when=(
            "The value does not have the type that the key takes: a string instead of a number, a number instead of a"
            " string, or one value instead of a list."
        ),
        remedy=(
            "Put strings in quotes; write numbers and booleans without quotes. `dsgen explain KEY` shows the type of a"
            " key."
        ),
        example=job("workers: {replicas: two}"),
    ),
    Kind(
        "DS103",
        title="A value that is not allowed",
        when="The key takes one of a few words, and this is not one of them. Words are case-sensitive.",
        remedy="Choose one of the words in the hint.",
        example=job("lifecycle: {keepWorkers: sometimes}"),
    ),
    Kind(
        "DS104",
        title="A string of the wrong form",
        when="The string does not have the form that is required by Kubernetes or by the program that reads it.",
        remedy="Use the form that the hint describes.",
        example=job("storage: {data: {mountPath: data, create: {}}}"),
    ),
    Kind(
        "DS105",
        title="A number out of range",
        when="The number is smaller or larger than the key allows.",
        remedy="Choose a number within the limits; `dsgen explain KEY` shows them.",
        example=job("workers: {replicas: 0}"),
    ),
    Kind(
        "DS106",
        title="A key without a value",
        when=(
            "The key has no value, or null. As in Helm, null removes a map, or an entry of a map, that an earlier file,"
            " dsgen.yaml or a default gives; this is a warning if there is nothing to remove. All other keys need a"
            " value."
        ),
        remedy="Give it a value, or remove the line to get the default.",
        example=job("workers: {slots: }"),
    ),
    Kind(
        "DS107",
        title="A required key is missing",
        when="An object of the Kubernetes API lacks a required key, so the API server would refuse it.",
        remedy="Add the key that the message names.",
        example=job("storage: {data: {mountPath: /data, nfs: {server: nfs.example.com}}}"),
    ),
    Kind(
        "DS108",
        title="Too few, too many or conflicting entries",
        when=(
            "A list or string is empty where a value is required, or several keys are set of which only one is allowed."
        ),
        remedy="Keep as many entries as the message says.",
        example=job(training="training: {python: train.py, envFrom: [{prefix: TEAM_}]}"),
    ),
    Kind(
        "DS109",
        title="A name of the wrong form",
        when=(
            "A name that you choose (of a volume, label, variable or file) becomes part of a Kubernetes object, which"
            " does not allow this form."
        ),
        remedy="Use the form that the hint describes.",
        example=job("storage: {my_data: {mountPath: /data, create: {}}}"),
    ),
    Kind(
        "DS110",
        title="A run id that is read differently",
        when=(
            "run.id may be a number, but YAML reads this one differently from how it is written: 010 is 8, and 1e3 is"
            " 1000. The run would get a name that appears nowhere in the file."
        ),
        remedy="Put it in quotes.",
        example=job("run: {id: 1e3}"),
    ),
    Kind(
        "DS111",
        title="A character or a key that Helm cannot read",
        when=(
            "YAML allows this character or key, but Helm 3 fails on it with an error that names no key. Helm accepts"
            " U+0000, but no program can be started with an argument or a variable that contains it."
        ),
        remedy="Leave the character out, or choose another key.",
        example=job('annotations: {example.com/note: "\\x7f"}'),
    ),
    Kind(
        "DS112",
        title="A file of another program",
        when=(
            "The file is a Kubernetes object with apiVersion and kind, such as an MPIJob, a PyTorchJob or a Deployment,"
            " a file of Docker Compose, the values of another Helm chart, or a configuration of DeepSpeed or"
            " Accelerate. Its keys have nothing to do with those of a values file, so they are not reported one by one."
        ),
        remedy=(
            "Start from a preset (`dsgen init --list`) and move image, command, resources and volumes to the keys of"
            " the values file."
        ),
        example="apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: cifar}\n",
    ),
    Kind(
        "DS113",
        title="An empty values file",
        when="The file has no values, at most comments. It may be a new file that is not saved yet.",
        remedy="Write the values of the job into it, or let `dsgen init` write a new file to start from.",
        example="# name: cifar\n",
    ),
)
