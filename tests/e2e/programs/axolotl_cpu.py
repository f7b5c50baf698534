"""axolotl on CPUs: axolotl_cpu.py FILE. Its command refuses them: with several ranks it gives the model a GPU, and it
does not tell accelerate, which makes no process group on CPUs by itself.
"""

import sys

import accelerate
import axolotl.cli.config

whole = axolotl.cli.config.normalize_config


def normalize(given: dict[str, object]) -> None:
    whole(given)
    given["device_map"] = None


if __name__ == "__main__":  # it starts processes that import this file
    accelerate.PartialState(cpu=True)
    axolotl.cli.config.normalize_config = normalize
    from axolotl.cli.train import do_cli

    do_cli(sys.argv[1])
