"""Hugging Face's Trainer, with its own arguments alone."""

from transformers import AutoModelForCausalLM, AutoTokenizer, HfArgumentParser, Trainer, TrainingArguments

(given,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
words = AutoTokenizer.from_pretrained("/tmp/tiny/model")
rows = [words(f"{a} and {b} are {a + b}", padding="max_length", max_length=16) for a in range(8) for b in range(8)]
trainer = Trainer(
    model=AutoModelForCausalLM.from_pretrained("/tmp/tiny/model"),
    args=given,
    train_dataset=[{**row, "labels": row["input_ids"]} for row in rows],
)
trainer.train(resume_from_checkpoint=given.resume_from_checkpoint)
