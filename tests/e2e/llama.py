"""A real training of a model of the family llama: its config.json, DeepSpeed, random tokens.

Each rank prints one line after each step, with the most memory that it has used.
"""

import argparse
import json
import resource
import time
from pathlib import Path

import deepspeed
import torch
from torch.nn import Embedding, Linear, Module, ModuleList, RMSNorm
from torch.nn.functional import cross_entropy, scaled_dot_product_attention, silu

SIZES = json.loads(Path(__file__).with_name("config.json").read_text())
HIDDEN, HEADS, GROUPS = SIZES["hidden_size"], SIZES["num_attention_heads"], SIZES["num_key_value_heads"]
WIDTH, VOCABULARY = SIZES["intermediate_size"], SIZES["vocab_size"]
HEAD = HIDDEN // HEADS


class Layer(Module):
    """Attention with groups of heads, and a gated MLP."""

    def __init__(self) -> None:
        super().__init__()
        self.before, self.between = RMSNorm(HIDDEN), RMSNorm(HIDDEN)
        self.queries, self.output = Linear(HIDDEN, HIDDEN, bias=False), Linear(HIDDEN, HIDDEN, bias=False)
        self.keys, self.values = (Linear(HIDDEN, GROUPS * HEAD, bias=False) for _ in range(2))
        self.gate, self.up = (Linear(HIDDEN, WIDTH, bias=False) for _ in range(2))
        self.down = Linear(WIDTH, HIDDEN, bias=False)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        samples, tokens, _ = hidden.shape
        states = self.before(hidden)
        query, key, value = (
            project(states).view(samples, tokens, -1, HEAD).transpose(1, 2)
            for project in (self.queries, self.keys, self.values)
        )
        attended = scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
        hidden = hidden + self.output(attended.transpose(1, 2).reshape(samples, tokens, HIDDEN))
        states = self.between(hidden)
        return hidden + self.down(silu(self.gate(states)) * self.up(states))


class Llama(Module):
    """The loss of predicting each next token."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = Embedding(VOCABULARY, HIDDEN)
        self.layers = ModuleList(Layer() for _ in range(SIZES["num_hidden_layers"]))
        self.last, self.logits = RMSNorm(HIDDEN), Linear(HIDDEN, VOCABULARY, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        hidden = self.embedding(tokens)
        for layer in self.layers:
            hidden = layer(hidden)
        logits = self.logits(self.last(hidden)).float()
        return cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int)
    parser.add_argument("--seconds", type=float, default=90, help="how long to train")
    parser.add_argument("--sequence", type=int, default=128)
    given = deepspeed.add_config_arguments(parser).parse_args()
    torch.set_num_threads(1)
    model = Llama()
    engine, *_ = deepspeed.initialize(args=given, model=model, model_parameters=model.parameters())
    torch.manual_seed(engine.global_rank)
    step, end, is_over = 0, time.monotonic() + given.seconds, torch.zeros(1)
    while not is_over:
        step += 1
        loss = engine(torch.randint(VOCABULARY, (engine.train_micro_batch_size_per_gpu(), given.sequence)))
        engine.backward(loss)
        engine.step()
        memory = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(f"step {step} loss {loss.item():.4f} memory {memory}", flush=True)
        is_over.fill_(time.monotonic() > end)
        torch.distributed.broadcast(is_over, 0)  # all ranks end with the same step


main()
