"""The schema: keys and values that a values file cannot have."""

from __future__ import annotations

from dsgen.problems.kinds.kind import Kind, job

KINDS = (
    Kind(
        "DS101",
        title="An unknown key",
        when=(
            "This key is not known here. If it were let through, a misspelt key would be ignored and the default used."
        ),
        remedy=(
            "Correct the spelling, or move the key to where it belongs; `dsgen explain KEY` lists the keys below"
            " another."
        ),
        example=job("workers: {replica: 2}"),
    ),
    Kind(
        "DS102",
        title="A value of the wrong type",
        when=(
            "The value is not of the type that the key takes: a text in place of a number, a number in place of a text,"
            " one value in place of a list."
        ),
        remedy=(
            "Quotes make a text of anything; a number or a boolean has none. `dsgen explain KEY` says what the key"
            " takes."
        ),
        example=job("workers: {replicas: two}"),
    ),
    Kind(
        "DS103",
        title="A value that is not one of those possible",
        when="The key takes one of a few words, and this is none of them. Capital letters count.",
        remedy="Choose one of the words in the hint.",
        example=job("lifecycle: {keepWorkers: sometimes}"),
    ),
    Kind(
        "DS104",
        title="A text of the wrong form",
        when="The text does not have the form that Kubernetes, or the place where it is used, asks for.",
        remedy="The hint has the form in words.",
        example=job("storage: {data: {mountPath: data, create: {}}}"),
    ),
    Kind(
        "DS105",
        title="A number out of range",
        when="The number is smaller or larger than the key allows.",
        remedy="Choose one within the limits; `dsgen explain KEY` has both.",
        example=job("workers: {replicas: 0}"),
    ),
    Kind(
        "DS106",
        title="A key without a value",
        when="The key has no value, or null. In Helm null takes a default away, and most keys cannot do without one.",
        remedy="Give it a value, or remove the line to have the default.",
        example=job("workers: {slots: }"),
    ),
    Kind(
        "DS107",
        title="A key that is needed is missing",
        when="A part in Kubernetes' shape lacks a key without which the API server refuses it.",
        remedy="Add the key that the message names.",
        example=job("storage: {data: {mountPath: /data, nfs: {server: nfs.example.com}}}"),
    ),
    Kind(
        "DS108",
        title="Too few, too many or excluding entries",
        when=(
            "A list or a text is empty where something must be given, or keys are there together of which only one may"
            " be."
        ),
        remedy="Keep as many entries as the message says.",
        example=job(training="training: {python: train.py, envFrom: [{prefix: TEAM_}]}"),
    ),
    Kind(
        "DS109",
        title="A name of the wrong form",
        when=(
            "A name that you choose yourself (of a volume, a label, a variable, a file) cannot have this form: it"
            " becomes part of an object in Kubernetes."
        ),
        remedy="The hint has the form in words.",
        example=job("storage: {my-data: {mountPath: /data, create: {}}}"),
    ),
    Kind(
        "DS110",
        title="A run id that would be read as another one",
        when=(
            "run.id may be written as a number, but this spelling is read as another one: 010 is 8, and 1e3 is 1000."
            " The run would have a name that stands nowhere in the file."
        ),
        remedy="Put it in quotes.",
        example=job("run: {id: 1e3}"),
    ),
    Kind(
        "DS111",
        title="A character or a key that Helm cannot read",
        when=(
            "YAML can write this character or key, but Helm 3 stops at it with an error that names no key. U+0000"
            " reaches the cluster, where no program can be started with it."
        ),
        remedy="Leave the character out, or choose another key.",
        example=job('annotations: {example.com/note: "\\x7f"}'),
    ),
)
