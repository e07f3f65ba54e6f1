"""Attention over a layout of shared beginnings, with gradients.

The sampler's attention (`cornerman_plugins.models.hf.attention`) writes keys into caches; this one takes its place in
the same models while they are trained, and recomputes nothing but what gradient checkpointing asks for.
"""

from __future__ import annotations

import torch
from torch.nn.functional import scaled_dot_product_attention

from cornerman_plugins.trainers.policy.packing import Layout


class Forest:
    """A layout as the layers of a model see it: each node attends to the nodes above it and causally to itself."""

    def __init__(self, layout: Layout, dtype: torch.dtype, device: torch.device) -> None:
        self._nodes = layout.nodes
        self._masks = [self._mask(node.end - node.begin, node.depth, dtype, device) for node in layout.nodes]

    @staticmethod
    def _mask(tokens: int, before: int, dtype: torch.dtype, device: torch.device) -> torch.Tensor | None:
        """Additive mask [tokens, before + tokens], or None for a node without others above it."""
        if not before:
            return None
        mask = torch.zeros(tokens, before + tokens, dtype=dtype, device=device)
        later = torch.ones(tokens, tokens, dtype=torch.bool, device=device).triu(1)
        mask[:, before:].masked_fill_(later, float("-inf"))
        return mask

    def attend(
        self, layer: int, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scale: float
    ) -> torch.Tensor:
        """Attention of all tokens: query [heads, tokens, dimension] to the same shape; key and value have kv heads."""
        groups = query.shape[0] // key.shape[0]
        if groups > 1:
            key, value = key.repeat_interleave(groups, 0), value.repeat_interleave(groups, 0)
        return torch.cat([self._node(i, query, key, value, scale) for i in range(len(self._nodes))], dim=1)

    def _node(
        self, index: int, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scale: float
    ) -> torch.Tensor:
        node, mask = self._nodes[index], self._masks[index]
        own = query[:, node.begin : node.end][None]
        stretches = [self._nodes[i] for i in node.above] + [node]
        keys = torch.cat([key[:, n.begin : n.end] for n in stretches], dim=1)[None]
        values = torch.cat([value[:, n.begin : n.end] for n in stretches], dim=1)[None]
        causal = mask is None
        return scaled_dot_product_attention(own, keys, values, attn_mask=mask, is_causal=causal, scale=scale)[0]
