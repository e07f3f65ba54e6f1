"""Log-probabilities of sampled tokens, with gradients: of the whole vocabulary, or renormalised over what was allowed.

A constrained policy chooses each token among those that lead to an allowed answer, so its probabilities are the softmax
over just these, in sampling and here alike: no probability leaks to answers that can not be given, and long answers
lose nothing by their length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch.utils.checkpoint import checkpoint

from cornerman_plugins.trainers.policy.attention import Forest
from cornerman_plugins.trainers.policy.packing import Layout, Sampled, layout

CHUNK = 256
"""Places whose logits over a whole vocabulary are held at once."""


@dataclass(frozen=True)
class TokenValues:
    """Values of the decisions of some sequences, one after another: log-probability and entropy, in nats, both [n].

    `counts` says how many belong to each sequence. Tokens that could not have been others are left out.
    """

    logprobs: torch.Tensor
    entropies: torch.Tensor
    counts: tuple[int, ...]


def token_values(model: torch.nn.Module, sequences: Sequence[Sampled], share: bool = True) -> TokenValues:
    """One pass over sorted sequences (see `packing`); every one of them has a decision.

    `model` is a causal model of transformers whose attention is `cornerman_plugins.models.hf.attention`'s.
    """
    head = model.get_output_embeddings().weight  # type: ignore[operator]
    place = layout([s.run for s in sequences], share)
    hidden = _hidden(model, place, head.device)
    decisions = [(i, d) for i, s in enumerate(sequences) for d in s.decisions]
    rows = [place.place(i, sequences[i].start + d - 1) for i, d in decisions]
    taken = [sequences[i].ids[sequences[i].start + d] for i, d in decisions]
    allowed = [sequences[i].allowed[d] for i, d in decisions]
    out = [torch.zeros(len(decisions), dtype=torch.float32, device=head.device) for _ in range(2)]
    free = [k for k, a in enumerate(allowed) if a is None]
    bound = [k for k, a in enumerate(allowed) if a is not None]
    if free:
        values = _free(hidden[[rows[k] for k in free]], head, [taken[k] for k in free])
        out = [o.index_put((torch.tensor(free, device=head.device),), v) for o, v in zip(out, values, strict=True)]
    if bound:
        sets = [allowed[k] or () for k in bound]
        values = _bound(hidden, head, [rows[k] for k in bound], sets, [taken[k] for k in bound])
        out = [o.index_put((torch.tensor(bound, device=head.device),), v) for o, v in zip(out, values, strict=True)]
    return TokenValues(out[0], out[1], tuple(len(s.decisions) for s in sequences))


def _hidden(model: torch.nn.Module, place: Layout, device: torch.device) -> torch.Tensor:
    """The last hidden states of a row, [tokens, width]."""
    states = model.get_decoder()(  # type: ignore[operator]
        input_ids=torch.tensor([place.ids], device=device),
        position_ids=torch.tensor([place.positions], device=device),
        use_cache=False,
        segments=Forest(place, next(model.parameters()).dtype, device),
    )
    hidden: torch.Tensor = states.last_hidden_state[0]
    return hidden


def _free(hidden: torch.Tensor, head: torch.Tensor, taken: Sequence[int]) -> list[torch.Tensor]:
    """Log-probabilities and entropies over the whole vocabulary; logits are computed again in the backward pass."""

    def part(states: torch.Tensor, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        logprobs = torch.log_softmax((states @ head.T).float(), dim=-1)
        return logprobs.gather(1, ids[:, None])[:, 0], -(logprobs.exp() * logprobs).sum(-1)

    ids = torch.tensor(taken, device=hidden.device)
    parts = [
        checkpoint(part, hidden[i : i + CHUNK], ids[i : i + CHUNK], use_reentrant=False)
        for i in range(0, len(taken), CHUNK)
    ]
    return [torch.cat([p[k] for p in parts]) for k in range(2)]


def _bound(
    hidden: torch.Tensor, head: torch.Tensor, rows: Sequence[int], sets: Sequence[Sequence[int]], taken: Sequence[int]
) -> list[torch.Tensor]:
    """The same over the allowed tokens only; no other logit is computed."""
    device, n = hidden.device, len(rows)
    sizes = torch.tensor([len(s) for s in sets], device=device)
    owner = torch.repeat_interleave(torch.arange(n, device=device), sizes)
    places = torch.repeat_interleave(torch.tensor(rows, device=device), sizes)
    tokens = torch.tensor([t for s in sets for t in s], device=device)
    first = torch.cumsum(sizes, 0) - sizes
    chosen = first + torch.tensor([list(s).index(t) for s, t in zip(sets, taken, strict=True)], device=device)
    logits = (hidden[places] * head[tokens]).sum(-1).float()
    top = torch.full((n,), -torch.inf, device=device).scatter_reduce(0, owner, logits.detach(), "amax")
    total = torch.zeros(n, device=device).index_add(0, owner, (logits - top[owner]).exp())
    logprobs = logits - (top + total.log())[owner]
    entropies = torch.zeros(n, device=device).index_add(0, owner, -logprobs.exp() * logprobs)
    return [logprobs[chosen], entropies]
