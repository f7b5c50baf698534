"""Problems in the text of a values file."""

from __future__ import annotations

from dsgen.problems.kinds.kind import Kind, job

KINDS = (
    Kind(
        "DS001",
        title="The file is not YAML",
        when=(
            "The text is not valid YAML, so nothing after this place can be read. The parser stopped here; the mistake"
            " is often a few lines above."
        ),
        remedy=(
            "Check the indentation, and look for a quote or bracket that is not closed. Tabs cannot be used for"
            " indentation."
        ),
        example="name: cifar\nimage: {repository: registry.example.com/team/cifar, tag: v3\n",
    ),
    Kind(
        "DS002",
        title="A character that YAML does not allow, or bytes that are not UTF-8",
        when=(
            "YAML files are UTF-8 text without control characters. Programs read other bytes differently, or not at"
            " all."
        ),
        remedy='Save the file as UTF-8. Write a control character as an escape in double quotes, such as "\\x07".',
        example="name: cif\x07ar\n",
    ),
    Kind(
        "DS003",
        title="The file is not a map of keys",
        when=(
            "A values file is a map of keys, like the values.yaml of a Helm chart. This file contains a list, a string"
            " or a number."
        ),
        remedy="Write `key: value` lines. Put each job into its own file.",
        example="- name: cifar\n- name: mnist\n",
    ),
    Kind(
        "DS004",
        title="A duplicate key",
        when="A map has the same key twice. Helm silently takes the last one, so the first would be lost.",
        remedy="Remove one of them, or put the contents of both under one key.",
        example=job("workers: {replicas: 2}", "workers: {slots: 4}"),
    ),
    Kind(
        "DS005",
        title="A merge (<<) that Helm reads differently from YAML, or that refers to something other than a map",
        when=(
            "`<<` merges the keys of another map into this one. In YAML the map's own keys always win; in Helm a later"
            " `<<` overrides the keys before it. Only maps can be merged."
        ),
        remedy="Write `<<` before the map's own keys, and refer only to maps.",
        example=job("labels: &team {team: vision}", "annotations: {team: speech, <<: *team}"),
    ),
    Kind(
        "DS006",
        title="More than one document, or a directive",
        when=(
            "Helm reads one document from a values file, and no directives (`%YAML 1.2`). Everything after a second"
            " `---` would be lost."
        ),
        remedy="Put each document into its own file: dsgen takes several FILEs. Remove directives.",
        example=job("---", "name: mnist"),
    ),
    Kind(
        "DS007",
        title="A tag",
        when="Tags such as `!!int` or `!Ref` tell YAML how to read a value. Helm's versions treat them differently.",
        remedy="Remove the tag. To get a string, put the value in quotes.",
        example=job('workers: {replicas: !!int "2"}'),
    ),
    Kind(
        "DS008",
        title="A number that Helm cannot hold",
        when=(
            "Helm keeps every number as a 64-bit float: it cannot be infinite or not-a-number, and integers are exact"
            " only up to 2^53. A larger integer would become another number."
        ),
        remedy="Put it in quotes if it is a string.",
        example=job(training="training: {python: train.py, deepspeed: {config: {seed: 9007199254740993}}}"),
    ),
    Kind(
        "DS009",
        title="An alias without an anchor, or aliases that expand to too much",
        when=(
            "An alias (`*name`) repeats the value that an anchor (`&name`) marks. Here there is no such anchor before"
            " the alias, the alias is part of the value that it repeats, or the file becomes too large when all aliases"
            " are expanded."
        ),
        remedy="Mark the value with `&name` before the alias, or write it out.",
        example=job("labels: *team"),
    ),
    Kind(
        "DS010",
        title="A key that is not a string, or is too long",
        when=(
            "Keys become JSON keys, which are strings. Programs do not agree on how to write a key that is null, a"
            " fraction, a list or a map as a string. Helm refuses keys that are too long or have an anchor."
        ),
        remedy="Put the key in quotes.",
        example=job("labels: {1.5: half}"),
    ),
    Kind(
        "DS011",
        title="Nested too deeply, too long, or too many problems",
        when=(
            "Lists and maps are nested more than 100 levels deep, or the file has more than 200,000 values or 4 MiB of"
            " text in its values. Or it has more than 1,000 problems; the others are not listed."
        ),
        remedy="Check the brackets, or the program that wrote the file.",
        example=job("labels: " + "[" * 101 + "]" * 101),
    ),
    Kind(
        "DS012",
        title="The file ends inside a block scalar, without a newline",
        when=(
            "The file ends inside a block scalar (`|` or `>`), without a newline. Helm 4 adds a newline to the string,"
            " Helm 3 does not."
        ),
        remedy="End the file with a newline. For a string that does not end with one, write `|-`.",
        example=job(training="training:\n  python: train.py\n  setup: |\n    pip install .").rstrip("\n"),
    ),
    Kind(
        "DS013",
        title="An escape that Helm cannot read",
        when="Inside double quotes, `\\/` is an escape of YAML 1.2 and JSON that Helm's parser does not know.",
        remedy="Write / without the backslash.",
        example=job('annotations: {example.com/page: "https:\\/\\/example.com"}'),
    ),
    Kind(
        "DS014",
        title="A question mark without quotes inside brackets",
        when=(
            "Inside [] or {}, Helm's parser reads a question mark as the start of a key; other parsers read it as part"
            " of the string."
        ),
        remedy="Put the string in quotes.",
        example=job(training="training: {python: train.py, args: [ready?]}"),
    ),
    Kind(
        "DS015",
        title="A line that begins with --- and continues",
        when=(
            "Helm 4 splits the file into documents before it reads YAML. It fails on a line that begins with --- and"
            " continues, even inside quotes."
        ),
        remedy="Indent the line, or put the key into quotes.",
        example="---a: 1\n" + job(),
    ),
    Kind(
        "DS016",
        title="A script instead of a values file",
        when=(
            "The file is a shell script, a batch script of Slurm or a Python program, not YAML. dsgen starts such a"
            " program in the pods, and a values file describes the job."
        ),
        remedy=(
            "Start from a preset (`dsgen init --list`). The command of the script becomes training.python and"
            " training.args, or launch.command; exported variables become training.env; #SBATCH lines become"
            " workers.replicas (--nodes), workers.slots (--gpus-per-node) and lifecycle.activeDeadlineSeconds (--time)."
        ),
        example="#!/bin/bash\n#SBATCH --nodes=2\nsrun python train.py\n",
    ),
    Kind(
        "DS017",
        title="An unresolved merge",
        when="Git wrote both sides of a conflict into the file, between lines with <<<<<<<, ======= and >>>>>>>.",
        remedy="Keep one side or both, remove these lines, and commit the result of the merge.",
        example=("name: cifar\n<<<<<<< HEAD\nworkers: {replicas: 2}\n=======\nworkers: {replicas: 4}\n>>>>>>> main\n"),
    ),
    Kind(
        "DS050",
        title="A spelling that Helm reads in a surprising way",
        when=(
            "A warning: Helm reads this value differently from what most people expect. yes, no, on, off, y and n are"
            " booleans, and 010 is the number 8."
        ),
        remedy="Write true, false or the number itself. Put a string in quotes.",
        example=job("network: {policy: yes}"),
    ),
)
