"""The parameters of a model, to the last one, from Hugging Face's config.json.

`make_model` reads the file's content. A model_type that is not in `families.FAMILIES`, a model with a part that is not
counted (a vision tower, an adapter) and quantized weights raise `ConfigError`, whose text says what to write instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dsgen.estimate.families import FAMILIES, Config, ConfigError, Family, read_number
from dsgen.estimate.modules import (
    KINDS,
    LOOKED_UP,
    Module,
    count_decoder_layers,
    count_experts,
    is_gated,
    read_sizes,
    resolve_number,
)

__all__ = ["ConfigError", "Model", "Module", "make_model"]

INSTEAD = "write estimate.model.parameters, and layers and hidden for the activations, instead"

MOST_PARAMETERS = 10**15
"""The maximum of estimate.model.parameters."""


@dataclass(frozen=True)
class Model:
    """What an estimate needs to know of a model; all counts are of parameters or of elements.

    active: the parameters that one token passes, without those of other experts. embedding: the parameters that are
    looked up rather than multiplied, which cost no FLOPs (a tied output layer is multiplied: then 0, or the learned
    positions). expert_parameters: those of all routed experts. largest_layer: DeepSpeed's `largest_layer_params`, the
    most parameters of a single module; with each expert a module of its own. intermediate: the width of the MLP that
    one token passes, over all its experts. matrices: of an MLP, 3 if it is gated, otherwise 2. layers counts those of
    encoder and decoder.
    """

    parameters: int
    active: int
    embedding: int
    expert_parameters: int
    largest_layer: int
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    vocabulary: int
    matrices: int
    experts: int
    experts_per_token: int
    positions: int | None
    modules: tuple[Module, ...]


def make_model(config: Mapping[str, Any]) -> Model:
    """The model of a config.json. Raises ConfigError if its parameters cannot be counted."""
    family = _find_family(config)
    try:
        return _build_model(family, config)
    except ConfigError:
        raise
    except (TypeError, ValueError, ZeroDivisionError):
        raise ConfigError(f"a number of config.json is not one that {config['model_type']} can have") from None


def _build_model(family: Family, config: Config) -> Model:
    sizes = read_sizes(family, config)
    modules = tuple(one for one in KINDS[family.kind](family, config, sizes) if one.size and one.count)
    routed = [module for module in modules if module.stacked > 1]
    experts, chosen = count_experts(family, config)
    width = sizes.intermediate
    if family.experts and experts:
        shared = resolve_number(family.experts.shared, config)
        width = read_number(config, family.experts.width) * chosen + shared
    parameters = sum(one.total for one in modules)
    if parameters > MOST_PARAMETERS:
        raise ConfigError(f"these are {parameters:.3g} parameters, more than any model has")
    is_tied = not any(one.name == "output layer" for one in modules) and family.kind != "encoder"
    looked_up = [name for name in LOOKED_UP if name != "embedding" or not is_tied]
    return Model(
        parameters=parameters,
        active=sum(one.used for one in modules),
        embedding=sum(one.total for one in modules if one.name in looked_up),
        expert_parameters=sum(one.total for one in routed),
        largest_layer=max(one.size for one in modules),
        layers=sizes.layers + (count_decoder_layers(family, config, sizes) if family.kind in ("t5", "bart") else 0),
        hidden=sizes.hidden,
        heads=sizes.heads,
        kv_heads=sizes.kv_heads,
        head_dim=sizes.head_dim,
        intermediate=width,
        vocabulary=sizes.vocabulary,
        matrices=3 if is_gated(family, config) else 2,
        experts=experts,
        experts_per_token=chosen,
        positions=sizes.positions,
        modules=modules,
    )


# -- what is refused --------------------------------------------------------------------------------------------------

PARTS = ("vision_config", "audio_config", "text_config", "thinker_config", "speech_config", "vision_tower")


def _find_family(config: Mapping[str, Any]) -> Family:
    if "peft_type" in config:
        raise ConfigError(
            "this is the configuration of an adapter: give the config.json of the model under it, and write"
            " estimate.model.trainable"
        )
    if quantized := config.get("quantization_config"):
        method = quantized.get("quant_method", "quantized") if isinstance(quantized, Mapping) else "quantized"
        raise ConfigError(f"the weights are quantized ({method}), which is not estimated: {INSTEAD}")
    name = config.get("model_type")
    if not isinstance(name, str) or not name:
        raise ConfigError(f"model_type is missing, so this is no config.json of a model: {INSTEAD}")
    if name in FAMILIES:
        return FAMILIES[name]
    if parts := [part for part in PARTS if part in config]:
        raise ConfigError(f"a model with {' and '.join(parts)} has parts that are not counted: {INSTEAD}")
    raise ConfigError(f"the parameters of model_type {name} are not known: {INSTEAD}")
