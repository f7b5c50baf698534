"""Shell scripts and command lines that start a training without a queue: run.sh, or one line."""

from __future__ import annotations

import posixpath
import re

from dsgen.importers.chosen import read_script, refuse_syntax_error
from dsgen.importers.conversion import Conversion, as_dns_name
from dsgen.importers.images import NO_IMAGE
from dsgen.importers.scripts import write_script
from dsgen.importers.texts import Text, Unknown
from dsgen.importers.world import World
from dsgen.reading.nodes import SourceText

RUNTIME = {
    **dict.fromkeys(("NNODES", "NUM_NODES", "PET_NNODES"), "NNODES"),
    **dict.fromkeys(("NODE_RANK", "PET_NODE_RANK", "MACHINE_RANK"), "NODE_RANK"),
    **dict.fromkeys(("NPROC_PER_NODE", "PET_NPROC_PER_NODE", "GPUS_PER_NODE"), "NPROC_PER_NODE"),
}
"""Variables that scripts expect from whoever starts them, which dsgen provides."""


def make_variables(conversion: Conversion) -> dict[str, Text]:
    """The variables of a script that is started by hand on each node."""
    known = {name: conversion.atlas.add_unknown(Unknown("runtime", to), ()) for name, to in RUNTIME.items()}
    return {**known, "MASTER_ADDR": conversion.atlas.add_unknown(Unknown("hosts", "MASTER_ADDR"), ())}


def convert(source: SourceText, conversion: Conversion) -> None:
    """One script. Raises ImportRefusedError if it cannot be converted."""
    refuse_syntax_error(source.name, source.text)
    text = conversion.atlas.add_file(source.name, source.text)
    conversion.note_remarks(text)
    name = posixpath.basename(source.name)
    script = read_script(conversion, text, make_variables(conversion), name)
    stem = re.sub(r"(\.(sh|bash|txt))+$", "", name)
    if found := as_dns_name(stem) if stem != "<stdin>" else "":
        conversion.draft.set("name", found)
        conversion.draft.add_comment("name", "the name of the script")
    write_script(conversion, script, World(is_batch=True), text)
    if not conversion.draft.get("image.repository"):
        conversion.draft.set_hole("image.repository", "", NO_IMAGE)
