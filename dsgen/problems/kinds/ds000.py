"""Reading: the text of a values file."""

from __future__ import annotations

from dsgen.problems.kinds.kind import Kind, job

KINDS = (
    Kind(
        "DS001",
        title="The file is not YAML",
        when=(
            "The text does not follow YAML's rules, so it cannot be read from this place on. The place is where YAML"
            " gave up; the mistake is often a few lines above it."
        ),
        remedy="Look at the indentation, and for a quote or a bracket that is not closed. A tab does not indent.",
        example="name: cifar\nimage: {repository: registry.example.com/team/cifar, tag: v3\n",
    ),
    Kind(
        "DS002",
        title="A character that YAML does not allow, or bytes that are not UTF-8",
        when=(
            "YAML files are UTF-8 text without control characters. Other bytes are read differently by different"
            " programs, or not at all."
        ),
        remedy='Save the file as UTF-8. Write a control character as an escape in double quotes, such as "\\x07".',
        example="name: cif\x07ar\n",
    ),
    Kind(
        "DS003",
        title="The file is not a map of keys",
        when=(
            "A values file is a map of keys, like the values.yaml of a Helm chart. This one is a list, a text or a"
            " number."
        ),
        remedy="Write `key: value` lines. Several jobs are several files.",
        example="- name: cifar\n- name: mnist\n",
    ),
    Kind(
        "DS004",
        title="A key is there twice",
        when="One map has a key twice. Helm would take the last one and say nothing, so the first would be lost.",
        remedy="Remove one of them, or put what stands below both under one key.",
        example=job("workers: {replicas: 2}", "workers: {slots: 4}"),
    ),
    Kind(
        "DS005",
        title="A merge (<<) that Helm reads differently from YAML, or of something that is no map",
        when=(
            "`<<` merges the keys of another map into this one. YAML lets the map's own keys win wherever they stand;"
            " Helm lets a later `<<` override keys before it. Only maps can be merged."
        ),
        remedy="Write `<<` before the keys of the map itself, and name only maps behind it.",
        example=job("labels: &team {team: vision}", "annotations: {team: speech, <<: *team}"),
    ),
    Kind(
        "DS006",
        title="More than one document, or a directive",
        when=(
            "Helm reads one document of a values file, without directives (`%YAML 1.2`). Anything behind a second `---`"
            " would be lost."
        ),
        remedy="Put each document into a file of its own: dsgen takes several FILEs. Remove directives.",
        example=job("---", "name: mnist"),
    ),
    Kind(
        "DS007",
        title="A tag",
        when="Tags such as `!!int` or `!Ref` say how YAML is to read a value. Helm's versions treat them differently.",
        remedy="Remove the tag. A text is written in quotes.",
        example=job('workers: {replicas: !!int "2"}'),
    ),
    Kind(
        "DS008",
        title="A number that Helm cannot hold",
        when=(
            "Helm keeps every number as a 64-bit float: no infinity, no not-a-number, and integers are exact up to"
            " 2^53. A larger one would arrive as another number."
        ),
        remedy="Put it in quotes if it is meant as a text.",
        example=job(training="training: {python: train.py, deepspeed: {config: {seed: 9007199254740993}}}"),
    ),
    Kind(
        "DS009",
        title="An alias that names nothing, or aliases that expand to too much",
        when=(
            "An alias (`*name`) repeats what an anchor (`&name`) before it marks. This one names no anchor, stands"
            " inside what it repeats, or all aliases written out make the file too large."
        ),
        remedy="Mark what is to be repeated with `&name`, before the alias; or write it out.",
        example=job("labels: *team"),
    ),
    Kind(
        "DS010",
        title="A key that is no text, or too long",
        when=(
            "Keys become JSON keys, which are texts. A key that is null, a fraction, a list or a map has no text that"
            " all programs agree on; a key that is too long, or has an anchor, is refused by Helm."
        ),
        remedy="Put the key in quotes.",
        example=job("labels: {1.5: half}"),
    ),
    Kind(
        "DS011",
        title="Nested too deep",
        when="Lists and maps lie in one another more than 100 levels deep. No key of dsgen needs that.",
        remedy="Check the brackets, or the file that made this one.",
        example=job("labels: " + "[" * 101 + "]" * 101),
    ),
    Kind(
        "DS012",
        title="The file ends inside a text block, without a newline",
        when=(
            "The file ends inside a `|` or `>` text, without a newline. Helm 4 gives the text a newline at its end,"
            " Helm 3 does not."
        ),
        remedy="End the file with a newline. For a text without one, write `|-`.",
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
            "Inside [] or {}, Helm's parser takes a question mark for the beginning of a key, other parsers for a part"
            " of the text."
        ),
        remedy="Put the text in quotes.",
        example=job(training="training: {python: train.py, args: [ready?]}"),
    ),
    Kind(
        "DS015",
        title="A line that begins with --- and goes on",
        when=(
            "Helm 4 looks at the lines before it reads YAML: one that begins with --- and goes on is an error, even"
            " inside quotes."
        ),
        remedy="Indent the line, or put the key into quotes.",
        example="---a: 1\n" + job(),
    ),
    Kind(
        "DS050",
        title="A spelling that Helm reads in a surprising way",
        when=(
            "A warning: Helm reads this spelling as something that most people do not expect. yes, no, on, off, y and n"
            " are booleans, and 010 is the number 8."
        ),
        remedy="Write true or false, or the number as it is meant; put a text in quotes.",
        example=job("network: {policy: yes}"),
    ),
)
