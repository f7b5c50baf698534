"""The modules of a model: what each layer consists of, from the numbers of config.json."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from dsgen.estimate.families import OPTIONAL, Config, ConfigError, Family, Number, Switch, read_number


@dataclass(frozen=True)
class Module:
    """Equal parts of a model: parameters of one, how many there are, and how many of them a token passes.

    stacked: together with the others of the same layer it is one tensor in newer versions of transformers.
    """

    name: str
    size: int
    count: int = 1
    active: int | None = None
    stacked: int = 1

    @property
    def total(self) -> int:
        return self.size * self.count

    @property
    def used(self) -> int:
        """The parameters that a token passes."""
        return self.size * (self.count if self.active is None else self.active)


# -- numbers of config.json -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sizes:
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    vocabulary: int
    positions: int | None


def read_sizes(family: Family, config: Config) -> Sizes:
    given: dict[str, int | None] = {}
    for symbol, key in family.names.items():
        is_absent = symbol in OPTIONAL and config.get(key) is None
        given[symbol] = None if is_absent else read_number(config, key, least=1)
    hidden, heads = given["hidden"] or 0, given["heads"] or 1
    kv_heads = given["kvHeads"] if family.kv_heads is None else resolve_number(family.kv_heads, config)
    intermediate = given["intermediate"]
    if intermediate is None:
        if family.intermediate is None:
            raise ConfigError(f"{family.names['intermediate']} is missing in config.json")
        intermediate = resolve_number(family.intermediate, config)
    return Sizes(
        hidden=hidden,
        layers=given["layers"] or 0,
        heads=heads,
        kv_heads=kv_heads or heads,
        head_dim=given["headDim"] or family.head_dim or hidden // heads,
        intermediate=intermediate,
        vocabulary=given["vocabulary"] or 0,
        positions=given["positions"],
    )


def resolve_number(number: Number, config: Config) -> int:
    return number(config) if callable(number) else number


def _is_on(switch: Switch, config: Config) -> bool:
    if isinstance(switch, bool):
        return switch
    key, default = switch
    given = config.get(key)
    return default if given is None else bool(given)


def is_tied(family: Family, config: Config) -> bool:
    return _is_on(("tie_word_embeddings", family.tied), config)


def is_gated(family: Family, config: Config) -> bool:
    return str(config.get("feed_forward_proj", "relu")).startswith("gated") if family.kind == "t5" else family.gated


def count_experts(family: Family, config: Config) -> tuple[int, int]:
    """The experts of a layer, and those of a token; of a dense model 0 and 0."""
    if not family.experts:
        return 0, 0
    names = dict.fromkeys((family.experts.count, "num_experts", "num_local_experts"))  # newer versions use one for all
    key = next((name for name in names if config.get(name)), None)
    if key is None:
        raise ConfigError(f"{' or '.join(names)} is missing in config.json")
    count, chosen = read_number(config, key), read_number(config, family.experts.chosen)
    if chosen > count:
        raise ConfigError(f"{family.experts.chosen} is {chosen}, more than the {count} experts of a layer")
    return count, chosen


# -- modules ----------------------------------------------------------------------------------------------------------

LOOKED_UP = ("embedding", "positions", "token types")


def _count_linear(inputs: int, outputs: int, bias: bool = False) -> int:
    return inputs * outputs + (outputs if bias else 0)


def _list_decoder(family: Family, config: Config, sizes: Sizes) -> list[Module]:
    h = sizes.hidden
    modules = [*_list_embedding(family, config, sizes), *_list_positions(family, sizes)]
    if family.embedding_norm:
        modules.append(Module("norm of the embedding", family.norm * h))
    modules += _list_attention(family, config, sizes)
    norms = resolve_number(family.norms, config) * sizes.layers + family.first_norms
    modules.append(Module("norms", family.norm * h, norms))
    modules += _list_mlp_or_experts(family, config, sizes)
    if _is_on(family.final_norm, config) and not config.get("_remove_final_layer_norm"):
        modules.append(Module("last norm", family.norm * h))
    return modules + _list_output(family, config, sizes)


def _list_embedding(family: Family, config: Config, sizes: Sizes) -> list[Module]:
    width = _read_embedding_width(family, config, sizes)
    modules = [Module("embedding", sizes.vocabulary * width)]
    if width != sizes.hidden:
        modules.append(Module("projections of the embedding", width * sizes.hidden, 2))
    return modules


def _read_embedding_width(family: Family, config: Config, sizes: Sizes) -> int:
    return (read_number(config, family.embedding, 0) or sizes.hidden) if family.embedding else sizes.hidden


def _list_output(family: Family, config: Config, sizes: Sizes) -> list[Module]:
    modules = []
    if not is_tied(family, config):
        modules.append(Module("output layer", sizes.vocabulary * _read_embedding_width(family, config, sizes)))
    if _is_on(family.head_bias, config):
        modules.append(Module("bias of the output layer", sizes.vocabulary))
    if family.further:
        modules.append(Module("further", resolve_number(family.further, config)))
    return modules


def _list_positions(family: Family, sizes: Sizes) -> list[Module]:
    if family.positions is None:
        return []
    if sizes.positions is None:
        raise ConfigError(f"{family.names['positions']} is missing in config.json")
    return [Module("positions", (sizes.positions + family.positions) * sizes.hidden)]


def _list_attention(family: Family, config: Config, sizes: Sizes) -> list[Module]:
    of_layer = (
        _count_latent_attention(config, sizes)
        if family.attention == "latent"
        else _count_head_attention(family, config, sizes)
    )
    if family.extra:
        of_layer["attention, other"] = resolve_number(family.extra, config)
    return [Module(name, size, sizes.layers) for name, size in of_layer.items()]


def _count_head_attention(family: Family, config: Config, sizes: Sizes) -> dict[str, int]:
    h, queries, keys = sizes.hidden, sizes.heads * sizes.head_dim, sizes.kv_heads * sizes.head_dim
    bias = _is_on(family.qkv_bias, config)
    of_output = bias if family.output_bias is None else _is_on(family.output_bias, config)
    of_layer = {
        "queries": _count_linear(h, queries, bias),
        "keys": _count_linear(h, keys, bias),
        "values": _count_linear(h, keys, bias),
        "output of attention": _count_linear(queries, h, of_output),
    }
    if _is_on(family.qk_norm, config):
        vectors = queries + keys if family.qk_norm_of == "heads" else 2 * sizes.head_dim
        of_layer["norms of queries and keys"] = family.norm * vectors
    return of_layer


def _count_latent_attention(config: Config, sizes: Sizes) -> dict[str, int]:
    """Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1)."""
    latent, rotary, plain, values = (
        read_number(config, key) for key in ("kv_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim")
    )
    h, heads, bias = sizes.hidden, sizes.heads, bool(config.get("attention_bias"))
    queries, rank = heads * (plain + rotary), read_number(config, "q_lora_rank", 0)
    of_layer = {"queries": _count_linear(h, queries)}
    if rank:
        of_layer = {
            "latent queries": _count_linear(h, rank, bias),
            "norm": rank,
            "queries": _count_linear(rank, queries),
        }
    return of_layer | {
        "latent keys and values": _count_linear(h, latent + rotary, bias),
        "norm of latent keys and values": latent,
        "keys and values": _count_linear(latent, heads * (plain + values)),
        "output of attention": _count_linear(heads * values, h, bias),
    }


def _list_mlp(matrices: int, hidden: int, width: int, bias: bool, count: int) -> list[Module]:
    ins = [Module("MLP, in", _count_linear(hidden, width, bias), (matrices - 1) * count)]
    return [*ins, Module("MLP, out", _count_linear(width, hidden, bias), count)]


def _list_mlp_or_experts(family: Family, config: Config, sizes: Sizes) -> list[Module]:
    h, matrices, bias = sizes.hidden, 3 if family.gated else 2, _is_on(family.mlp_bias, config)
    experts = family.experts
    if experts is None:
        return _list_mlp(matrices, h, sizes.intermediate, bias, sizes.layers)
    count, chosen = count_experts(family, config)
    width, dense = read_number(config, experts.width), resolve_number(experts.dense, config)
    sparse = sizes.layers - dense
    if sparse < 0:
        raise ConfigError(f"{dense} layers have no experts, of {sizes.layers}")
    modules = [Module("router", _count_linear(h, count, experts.router_bias), sparse)]
    for part in _list_mlp(matrices, h, width, experts.bias, sparse):
        modules.append(replace(part, count=part.count * count, active=part.count * chosen, stacked=count))
    shared = resolve_number(experts.shared, config)
    modules += _list_mlp(matrices, h, shared, bias, sparse if shared else 0)
    if experts.shared_gate:
        modules.append(Module("gate of the shared expert", h, sparse))
    dense_width = read_number(config, experts.dense_width, 0) or sizes.intermediate
    return modules + _list_mlp(matrices, h, dense_width, bias, dense)


def _list_encoder(family: Family, config: Config, sizes: Sizes) -> list[Module]:
    """An encoder without the layers of a task, which config.json does not name."""
    modules = _list_decoder(replace(family, tied=True), {**config, "tie_word_embeddings": True}, sizes)
    if family.pooler:
        modules.append(Module("token types", read_number(config, "type_vocab_size", 2) * sizes.hidden))
        modules.append(Module("pooler", _count_linear(sizes.hidden, sizes.hidden, True)))
    return modules


def count_decoder_layers(family: Family, config: Config, sizes: Sizes) -> int:
    key = "num_decoder_layers" if family.kind == "t5" else "decoder_layers"
    return read_number(config, key, 0) or sizes.layers


def _list_t5(family: Family, config: Config, sizes: Sizes) -> list[Module]:
    h, inner, matrices = sizes.hidden, sizes.heads * sizes.head_dim, 3 if is_gated(family, config) else 2
    encoder, decoder = sizes.layers, count_decoder_layers(family, config, sizes)
    return [
        Module("embedding", sizes.vocabulary * h),
        Module("attention", h * inner, 4 * (encoder + 2 * decoder)),
        *_list_mlp(matrices, h, sizes.intermediate, False, encoder + decoder),
        Module("norms", h, 2 * encoder + 3 * decoder + 2),
        *_list_output(family, config, sizes),
    ]


def _list_bart(family: Family, config: Config, sizes: Sizes) -> list[Module]:
    h, encoder, decoder = sizes.hidden, sizes.layers, count_decoder_layers(family, config, sizes)
    width = read_number(config, "decoder_ffn_dim", 0) or sizes.intermediate
    copies = 1 if is_tied(family, config) else 3
    around = int(family.embedding_norm) + int(_is_on(family.final_norm, config))
    return [
        Module("embedding", sizes.vocabulary * h, copies),
        *(replace(position, count=2) for position in _list_positions(family, sizes)),
        Module("attention", _count_linear(h, h, True), 4 * (encoder + 2 * decoder)),
        *_list_mlp(2, h, sizes.intermediate, True, encoder),
        *_list_mlp(2, h, width, True, decoder),
        Module("norms", family.norm * h, 2 * encoder + 3 * decoder + 2 * around),
        *_list_output(family, config, sizes),
    ]


KINDS: dict[str, Callable[[Family, Config, Sizes], list[Module]]] = {
    "decoder": _list_decoder,
    "encoder": _list_encoder,
    "t5": _list_t5,
    "bart": _list_bart,
}
"""Kind of a family -> its modules."""
