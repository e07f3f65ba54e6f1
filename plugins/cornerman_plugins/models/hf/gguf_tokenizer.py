"""The tokenizer out of a GGUF file's metadata, as a fast tokenizer of transformers."""

from __future__ import annotations

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from cornerman.errors import UsageError
from cornerman_plugins.models.hf.gguf_weights import GGUF

_CONTROL = 3  # `LLAMA_TOKEN_TYPE_CONTROL` in llama.h


def gguf_tokenizer(gguf: GGUF) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer with the file's control tokens and chat template.

    Only the pre-tokenizer `smollm` is known: digits one by one, then the words of GPT-2. Another one raises UsageError,
    since a wrong split of words changes the ids without any other sign.
    """
    model, split = gguf["tokenizer.ggml.model"], gguf.get("tokenizer.ggml.pre", "none")
    if (model, split) != ("gpt2", "smollm"):
        raise UsageError(
            f"{gguf.path} has a tokenizer of the kind '{model}' with the pre-tokenizer '{split}'; only 'gpt2' with "
            "'smollm' is converted. Use the model's transformers folder instead: hf:FOLDER"
        )
    tokens = gguf["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in gguf["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    kinds = gguf["tokenizer.ggml.token_type"]
    tokenizer.add_special_tokens(
        [
            AddedToken(token, special=True, normalized=False)
            for token, kind in zip(tokens, kinds, strict=True)
            if kind == _CONTROL
        ]
    )
    eos = gguf["tokenizer.ggml.eos_token_id"]
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        bos_token=tokens[gguf["tokenizer.ggml.bos_token_id"]],
        eos_token=tokens[eos],
        pad_token=tokens[gguf.get("tokenizer.ggml.padding_token_id", eos)],
        model_max_length=gguf["llama.context_length"],
        chat_template=gguf["tokenizer.chat_template"],
        clean_up_tokenization_spaces=False,
    )
