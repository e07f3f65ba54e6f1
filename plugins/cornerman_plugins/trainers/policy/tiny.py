"""A model small enough to learn on a CPU in minutes: a random Llama with a vocabulary of its own.

The vocabulary is the cost of a small model: 49,152 tokens of 96 numbers each are ten times the rest of it. So it gets a
byte-level tokenizer of a few hundred tokens, trained on what will be said in the task; any other text can still be
written byte by byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from cornerman.records import Record
from cornerman.seeds import derive
from cornerman_plugins.models.hf.runner import without_bars

END, PAD = "<|end|>", "<|pad|>"
CONTROLS = [END, PAD, "<|system|>", "<|user|>", "<|assistant|>"]
TEMPLATE = (
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
Count = Annotated[int, msgspec.Meta(ge=1)]


class TinySettings(Record, frozen=True, kw_only=True):
    """Its size: tokens in the vocabulary (at least 300), layers, width (a multiple of heads), and attention heads."""

    vocabulary: Annotated[int, msgspec.Meta(ge=300)] = 512
    layers: Count = 3
    width: Count = 96
    heads: Count = 4
    context: Count = 2048


def tiny_model(folder: Path, texts: Sequence[str], settings: TinySettings, seed: int) -> Path:
    """Make the model's folder: equal texts, settings and seed make equal files."""
    tokenizer = trained_tokenizer(texts, settings.vocabulary)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=settings.width,
        intermediate_size=settings.width * 8 // 3,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        num_key_value_heads=settings.heads,
        max_position_embeddings=settings.context,
        tie_word_embeddings=True,
        initializer_range=0.05,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derive(seed, "tiny"))
        model: Any = LlamaForCausalLM(config)
    with without_bars():
        model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def trained_tokenizer(texts: Sequence[str], size: int) -> Any:
    """A byte-level BPE tokenizer for the texts, with a chat template."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=CONTROLS, initial_alphabet=sorted(alphabet), show_progress=False
    )
    tokenizer.train_from_iterator(sorted(set(texts)), trainer)
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        eos_token=END,
        pad_token=PAD,
        additional_special_tokens=CONTROLS[2:],
        chat_template=TEMPLATE,
        clean_up_tokenization_spaces=False,
    )
