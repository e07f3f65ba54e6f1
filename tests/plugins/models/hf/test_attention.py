"""Attention over segments: the plain products give what torch's kernel gives."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="needs the extra 'hf'")

import torch
from torch.nn.functional import scaled_dot_product_attention

from cornerman_plugins.models.hf import attention
from cornerman_plugins.models.hf.attention import Segment, Segments
from cornerman_plugins.models.hf.kv import KVSequence


@pytest.mark.parametrize("block", [1, 7, 512])
def test_blocks_are_the_kernel(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(attention, "_BLOCK", block)
    generator = torch.Generator().manual_seed(1)
    query, keys, values = (torch.randn(2, n, 16, generator=generator) for n in (30, 41, 41))
    mask = torch.zeros(30, 41).masked_fill_(torch.rand(30, 41, generator=generator) < 0.3, float("-inf"))
    mask[:, 0] = 0
    expected = scaled_dot_product_attention(query, keys, values, attn_mask=mask, scale=0.2)
    assert torch.allclose(attention._attend_in_blocks(query, keys, values, mask, 0.2), expected, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_pieces_of_several_sequences_attend_as_each_whole_one_does(dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(2)
    lengths, heads, kv_heads, dimension = (20, 9), 4, 2, 16
    parts = [
        [torch.randn(h, n, dimension, generator=generator).to(dtype) for h in (heads, kv_heads, kv_heads)]
        for n in lengths
    ]
    got: list[list[torch.Tensor]] = [[], []]
    sequences = [KVSequence(), KVSequence()]
    for pieces in ((slice(0, 12), slice(0, 1)), (slice(12, 13), slice(1, 9)), (slice(13, 20), None)):
        segments = [
            (i, piece, Segment(sequences[i], range(piece.start, piece.stop), piece.start, []))
            for i, piece in enumerate(pieces)
            if piece is not None
        ]
        row = [torch.cat([parts[i][k][:, piece] for i, piece, _ in segments], dim=1) for k in range(3)]
        together = Segments([s for *_, s in segments], heads // kv_heads, dtype, torch.device("cpu"))
        answer = together.attend(0, row[0], row[1], row[2], 0.25)
        for (i, *_), part in zip(segments, answer.split([len(s.ids) for *_, s in segments], dim=1), strict=True):
            got[i].append(part)
    for (query, key, value), pieces_of_one in zip(parts, got, strict=True):
        whole = scaled_dot_product_attention(
            query[None], key[None], value[None], is_causal=True, scale=0.25, enable_gqa=True
        )[0]
        tolerance = 1e-5 if dtype == torch.float32 else 0.05
        assert torch.allclose(torch.cat(pieces_of_one, dim=1).float(), whole.float(), atol=tolerance)
