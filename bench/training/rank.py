"""One rank of a measured training: prints what it held and sent, as JSON. `bench.training` starts it.

Memory is what Linux counts as resident, less what it was before the model existed. glibc returns freed tensors at once
(MALLOC_MMAP_THRESHOLD_), so that resident memory follows the tensors.
"""

import gc
import json
import os
import sys
from pathlib import Path
from typing import Any

import deepspeed
import torch
from transformers import AutoConfig, AutoModelForCausalLM

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
DEVICES = Path("/proc/self/net/dev")
STEPS = 3
SMALLEST = {"hidden_size": 64, "num_hidden_layers": 1, "intermediate_size": 64, "vocab_size": 64}
SMALLEST |= {"num_attention_heads": 1, "num_key_value_heads": 1}
TINY = {"gpt2": {"n_embd": 64, "n_layer": 1, "n_head": 1, "vocab_size": 64}}
"""A model that is trained first, so that what libraries load and keep is there before anything is measured."""


def resident(what: str) -> int:
    """Bytes that are resident now (VmRSS), or were at most since `forget` (VmHWM)."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(f"{what}:"))
    return int(line.split()[1]) * 1024


def forget() -> None:
    """Starts a new maximum."""
    CLEAR.write_text("5")


def sent() -> int:
    """Bytes that all processes of this network namespace have sent through the loopback interface."""
    line = next(line for line in DEVICES.read_text().splitlines() if line.strip().startswith("lo:"))
    return int(line.split()[9])


def created(case: dict[str, Any]) -> torch.nn.Module:
    """The model of a case, in the precision of its configuration."""
    config = AutoConfig.for_model(**case["model"], attn_implementation=case["attention"], use_cache=False)
    dtype = torch.bfloat16 if case["config"].get("bf16", {}).get("enabled") else torch.float32
    torch.manual_seed(0)
    if case.get("zero_init"):
        with deepspeed.zero.Init(config_dict_or_path=case["config"]):
            model = AutoModelForCausalLM.from_config(config, dtype=dtype)
    else:
        model = AutoModelForCausalLM.from_config(config, dtype=dtype)
    if case.get("recompute"):
        model.gradient_checkpointing_enable({"use_reentrant": False})
    if case.get("frozen"):
        for name, one in model.named_parameters():
            one.requires_grad = f".{case['frozen']}." not in name and not name.startswith("model.embed")
    return model.train()


def started(case: dict[str, Any], model: torch.nn.Module | None = None) -> Any:
    """The engine of DeepSpeed for a case."""
    model = model or created(case)
    parameters = [one for one in model.parameters() if one.requires_grad]
    return deepspeed.initialize(model=model, model_parameters=parameters, config=case["config"])[0]


def trained(engine: Any, case: dict[str, Any], shape: tuple[int, int]) -> None:
    """One step."""
    for _ in range(case["config"].get("gradient_accumulation_steps", 1)):
        tokens = torch.randint(0, case["model"]["vocab_size"], shape)
        loss = engine(input_ids=tokens, labels=tokens).loss
        engine.backward(loss)
        engine.step()
        del loss


def sizes(model: torch.nn.Module) -> dict[str, int]:
    """The parameters, also where ZeRO has partitioned them."""
    counts = [(getattr(one, "ds_numel", one.numel()), one.requires_grad) for one in model.parameters()]
    return {"parameters": sum(n for n, _ in counts), "trainable": sum(n for n, trained in counts if trained)}


def main() -> None:
    """Runs the case that the first argument has; the second is the folder of the checkpoint."""
    case = json.loads(sys.argv[1])
    torch.set_num_threads(1)
    deepspeed.init_distributed()
    tiny = {**case, "model": case["model"] | TINY.get(case["model"]["model_type"], SMALLEST), "zero_init": False}
    warm = started(tiny)
    trained(warm, tiny, (1, 8))
    warm.destroy()
    del warm
    gc.collect()
    torch.distributed.barrier()
    before = resident("VmRSS")
    forget()
    model = created(case)
    found: dict[str, Any] = {**sizes(model), "created": resident("VmHWM") - before}
    engine = started(case, model)
    shape = (case["micro"], case["sequence"])
    trained(engine, case, shape)
    torch.distributed.barrier()
    found["idle"] = resident("VmRSS") - before
    sums = []
    forget()
    for _ in range(STEPS):
        torch.distributed.barrier()
        start = sent()
        trained(engine, case, shape)
        torch.distributed.barrier()
        sums.append(sent() - start)
    found["peak"] = resident("VmHWM") - before
    found["sent"] = sorted(sums)[len(sums) // 2]
    engine.save_checkpoint(sys.argv[2])
    torch.distributed.barrier()
    print("MEASURED " + json.dumps(found), flush=True)
    os._exit(0)  # without the shutdown of the group, which may print


if __name__ == "__main__":
    main()
