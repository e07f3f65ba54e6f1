"""Weights and configuration of a Llama model out of a GGUF file.

Names and meaning of the keys: the GGUF specification, https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf import GGUFReader, dequantize
from transformers import LlamaConfig

from cornerman.errors import UsageError

_TOP = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}
_LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


class GGUF:
    """One GGUF file, read lazily: its metadata by key, and its tensors."""

    def __init__(self, path: Path) -> None:
        try:
            self._reader = GGUFReader(str(path))
        except (OSError, ValueError) as error:
            raise UsageError(f"cannot read {path} as a GGUF file: {error}") from error
        self.path = path
        self.tensors = {tensor.name: tensor for tensor in self._reader.tensors}

    def __getitem__(self, key: str) -> Any:
        try:
            return self._reader.fields[key].contents()
        except KeyError:
            raise UsageError(f"{self.path} lacks the key '{key}', which a Llama model in GGUF needs.") from None

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key that may be missing."""
        field = self._reader.fields.get(key)
        return default if field is None else field.contents()


def llama_config(gguf: GGUF) -> LlamaConfig:
    """The transformers configuration; other architectures and scaled positions raise UsageError."""
    architecture = gguf["general.architecture"]
    if architecture != "llama":
        raise UsageError(f"{gguf.path} holds a model of the architecture '{architecture}'; only 'llama' is converted.")
    if "rope_freqs.weight" in gguf.tensors or gguf.get("llama.rope.scaling.type", "none") != "none":
        raise UsageError(f"{gguf.path} scales its rotary positions, which the conversion does not know.")
    heads = gguf["llama.attention.head_count"]
    hidden = gguf["llama.embedding_length"]
    return LlamaConfig(
        architectures=["LlamaForCausalLM"],
        vocab_size=len(gguf["tokenizer.ggml.tokens"]),
        hidden_size=hidden,
        intermediate_size=gguf["llama.feed_forward_length"],
        num_hidden_layers=gguf["llama.block_count"],
        num_attention_heads=heads,
        num_key_value_heads=gguf.get("llama.attention.head_count_kv", heads),
        head_dim=gguf.get("llama.rope.dimension_count", hidden // heads),
        max_position_embeddings=gguf["llama.context_length"],
        rms_norm_eps=gguf["llama.attention.layer_norm_rms_epsilon"],
        rope_parameters={"rope_type": "default", "rope_theta": gguf.get("llama.rope.freq_base", 10_000.0)},
        tie_word_embeddings="output.weight" not in gguf.tensors,
        bos_token_id=gguf["tokenizer.ggml.bos_token_id"],
        eos_token_id=gguf["tokenizer.ggml.eos_token_id"],
        pad_token_id=gguf.get("tokenizer.ggml.padding_token_id", gguf["tokenizer.ggml.eos_token_id"]),
    )


def llama_state(gguf: GGUF, config: LlamaConfig, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    """All tensors, dequantized, under their transformers names. A tensor without a known place raises UsageError."""
    state = {}
    for name, tensor in gguf.tensors.items():
        key = _key(name)
        if key is None:
            raise UsageError(f"{gguf.path} holds the tensor '{name}', for which a Llama model has no place.")
        weight = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        if key.endswith("q_proj.weight"):
            weight = _unpermute(weight, config.num_attention_heads)
        elif key.endswith("k_proj.weight"):
            weight = _unpermute(weight, config.num_key_value_heads or config.num_attention_heads)
        state[key] = torch.from_numpy(weight).to(dtype).contiguous()
    return state


def _key(name: str) -> str | None:
    if name in _TOP:
        return _TOP[name]
    match name.split("."):
        case ["blk", layer, part, "weight"] if part in _LAYER:
            return f"model.layers.{layer}.{_LAYER[part]}.weight"
    return None


def _unpermute(weight: np.ndarray[Any, Any], heads: int) -> np.ndarray[Any, Any]:
    """Undo llama.cpp's order of query and key rows.

    llama.cpp rotates neighbouring pairs of a head's dimensions, transformers rotates dimension i with i + half; its
    converter therefore interleaves the two halves of each head (`LlamaModel.permute` in convert_hf_to_gguf.py).
    """
    rows, columns = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)
