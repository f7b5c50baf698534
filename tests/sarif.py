"""Validates a log against the schema of SARIF 2.1.0, from the package of its authors."""

import functools
import json
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from jsonschema import Draft4Validator

from tests import helm

PACKAGE = "@microsoft/jest-sarif@1.0.0-beta.0"
SCHEMA = "sarif-2.1.0-rtm.5.json"


@functools.cache
def validator() -> Draft4Validator:
    """Fetched with npm once per cache."""
    wanted = helm.cache_folder() / SCHEMA
    if not wanted.exists():
        _fetch(wanted)
    return Draft4Validator(json.loads(wanted.read_bytes()))


def _fetch(wanted: Path) -> None:
    wanted.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=wanted.parent) as folder:
        subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(next(Path(folder).glob("*.tgz"))) as package:
            schema = package.extractfile(f"package/lib/schemas/{SCHEMA}")
            assert schema is not None, f"no {SCHEMA} in {PACKAGE}"
            unpacked = Path(folder, SCHEMA)
            unpacked.write_bytes(schema.read())
        unpacked.replace(wanted)  # at once, for test processes beside this one


def problems(log: Any) -> list[str]:
    """What is wrong with a SARIF log, beyond its form also results whose rule is another one."""
    invalid = [f"{error.json_path}: {error.message}" for error in validator().iter_errors(log)]
    for run in log["runs"]:
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        invalid += [str(result) for result in run["results"] if rules[result["ruleIndex"]] != result["ruleId"]]
    return invalid
