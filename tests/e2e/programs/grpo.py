"""TRL's GRPOTrainer, with a reward of its own. The ranks generate with transformers."""

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer, TrlParser


def prefer_short(completions: list[str], **_: object) -> list[float]:
    return [-float(len(text)) for text in completions]


(given,) = TrlParser(GRPOConfig).parse_args_and_config()
rows = load_dataset("json", data_files="/tmp/tiny/data/prompts.jsonl", split="train").remove_columns("completion")
trainer = GRPOTrainer("/tmp/tiny/model", reward_funcs=prefer_short, args=given, train_dataset=rows)
trainer.train(resume_from_checkpoint=given.resume_from_checkpoint)
