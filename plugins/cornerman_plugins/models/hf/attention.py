"""Attention over segments: one forward pass for pieces of many sequences, without padding.

All new tokens of a pass stand in one row. Linear layers see that row; attention treats each segment alone, against the
keys and values of its own sequence, and writes the new ones in place. So a prompt's end, a tree of candidate answers
and the single tokens of running generations share a pass, and no cache is copied or padded. (Packing as in Orca, Yu et
al., OSDI 2022, section 3.2, "selective batching"; trees as in SpecInfer, Miao et al., ASPLOS 2024, section 4.2.)

The function is entered into the attention interface of transformers, so that it serves every model that uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface

from cornerman.errors import UsageError
from cornerman_plugins.models.hf.kv import KVSequence

NAME = "cornerman_segments"
_BLOCK = 512


@dataclass
class Segment:
    """New tokens of one sequence.

    `start` tokens of the sequence stand before them and are seen by all of them. Among themselves they are causal, or
    see each other by `visible` ([n, n], boolean) as the nodes of a tree do. Logits are asked for after the places
    `wanted` of `ids`. Kept tokens become part of the sequence.
    """

    sequence: KVSequence
    ids: Sequence[int]
    start: int
    wanted: Sequence[int]
    positions: Sequence[int] | None = None
    visible: torch.Tensor | None = None
    keep: bool = True

    def mask(self, groups: int, dtype: torch.dtype, device: torch.device) -> torch.Tensor | None:
        """Additive mask [groups * n, start + n], or None where none is needed (one token, or a whole causal prompt)."""
        n = len(self.ids)
        if self.visible is None and (n == 1 or self.start == 0):
            return None
        seen = torch.ones(n, n, dtype=torch.bool).tril() if self.visible is None else self.visible
        mask = torch.zeros(n, self.start + n, dtype=dtype)
        mask[:, self.start :].masked_fill_(~seen, float("-inf"))
        return mask.repeat(groups, 1).to(device)


class Running(Protocol):
    """Loaded weights: runs segments.

    `context` is the longest sequence that fits, in tokens, `vocabulary` how many tokens there are; `digest` names the
    weights.
    """

    context: int
    vocabulary: int
    digest: str

    def run(self, segments: Sequence[Segment]) -> list[torch.Tensor]:
        """One forward pass; for each segment the logits [wanted, vocabulary] in float32."""
        ...


class Segments:
    """The segments of one pass and what all layers share: their places in the row and their masks."""

    def __init__(self, segments: Sequence[Segment], groups: int, dtype: torch.dtype, device: torch.device) -> None:
        self._masks = [segment.mask(groups, dtype, device) for segment in segments]
        self._segments = segments

    def attend(
        self, layer: int, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scale: float
    ) -> torch.Tensor:
        """Attention of all new tokens: query [heads, tokens, dimension] to the same shape."""
        out = torch.empty_like(query)
        begin = 0
        for segment, mask in zip(self._segments, self._masks, strict=True):
            piece = slice(begin, begin + len(segment.ids))
            keys, values = segment.sequence.write(layer, segment.start, key[:, piece], value[:, piece])
            out[:, piece] = _attend(query[:, piece], keys, values, mask, scale)
            begin = piece.stop
        return out


def _attend(
    query: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor | None, scale: float
) -> torch.Tensor:
    """Attention of one segment: query [heads, n, dimension], keys and values [kv heads, length, dimension].

    Query heads that share a key head are laid one after another as further queries of that head, which spares copies
    of the keys; a whole causal prompt takes the faster causal kernel instead.
    """
    heads, tokens, dimension = query.shape
    kv_heads, length = keys.shape[:2]
    if mask is None and tokens == length > 1:
        return scaled_dot_product_attention(
            query[None], keys[None], values[None], is_causal=True, scale=scale, enable_gqa=heads != kv_heads
        )[0]
    packed = query.reshape(kv_heads, heads // kv_heads * tokens, dimension)
    if mask is not None and query.device.type == "cpu" and query.dtype != torch.float32:
        out = _attend_in_blocks(packed, keys, values, mask, scale)
    else:
        out = scaled_dot_product_attention(packed[None], keys[None], values[None], attn_mask=mask, scale=scale)
    return out.reshape(heads, tokens, dimension)


def _attend_in_blocks(
    query: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor, scale: float
) -> torch.Tensor:
    """The same by plain products, some hundred queries of one head at a time.

    In half precision on a CPU it takes about half the time of torch 2.13's kernel with a mask. Scores are rounded to
    half precision before the softmax, as in the eager attention of transformers.
    """
    out = torch.empty_like(query)
    for head in range(len(query)):
        for start in range(0, query.shape[1], _BLOCK):
            block = slice(start, start + _BLOCK)
            scores = torch.addmm(mask[block], query[head, block], keys[head].T, alpha=scale)
            torch.mm(torch.softmax(scores, dim=-1), values[head], out=out[head, block])
    return out


def segment_attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    *,
    segments: Segments,
    **options: Any,
) -> tuple[torch.Tensor, None]:
    """The attention function for transformers: query [1, heads, tokens, dimension] to [1, tokens, heads, dimension]."""
    if options.get("softcap") is not None or options.get("s_aux") is not None or attention_mask is not None:
        raise UsageError("this model uses a kind of attention (soft cap, sinks or an own mask) that is not supported.")
    scale = float(query.shape[-1] ** -0.5 if scaling is None else scaling)
    out = segments.attend(int(module.layer_idx), query[0], key[0], value[0], scale)  # type: ignore[arg-type]
    return out.transpose(0, 1)[None].contiguous(), None


AttentionInterface.register(NAME, segment_attention)
