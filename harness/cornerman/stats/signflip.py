"""Paired sign-flip (Fisher randomisation) test on one difference per task."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cornerman.stats.outcomes import FloatArray

ENUMERATED = 16
"""Up to this many non-zero differences all sign patterns are visited (2^16), so the p-value is exact."""

TIE = 1e-9
"""Relative distance below which two sums of differences count as equal; task means are not exact in binary."""

GROUPED = 256
"""Above this many non-zero differences those of one size are flipped together, where sizes are much fewer."""

SET_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1).astype(np.uint8)
"""How many bits of a byte are set."""

_BATCH_CELLS = 1 << 20


def sign_patterns(n: int, flips: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Batches of rows of n signs, ±1: all 2^n of them when n ≤ ENUMERATED, else ``flips`` random ones."""
    total = 2**n if n <= ENUMERATED else flips
    rows = max(1, _BATCH_CELLS // max(1, n))
    for start in range(0, total, rows):
        stop = min(total, start + rows)
        if n <= ENUMERATED:
            bits = (np.arange(start, stop)[:, None] >> np.arange(n)) & 1
        else:
            bits = rng.integers(0, 2, size=(stop - start, n))
        yield np.asarray(1 - 2 * bits, dtype=np.float64)


def heads(counts: NDArray[np.intp], flips: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """How many of some numbers of fair coins fall on heads, shape (flips, numbers): a coin is a random bit."""
    words = -(-counts // 64)
    first = np.cumsum(words) - words
    masks = np.full(int(words.sum()), np.iinfo(np.uint64).max)
    masks[first + words - 1] >>= (64 * words - counts).astype(np.uint64)
    drawn = rng.integers(0, masks.max(), size=(flips, masks.size), dtype=np.uint64, endpoint=True) & masks
    ones = SET_BITS[drawn.view(np.uint8)].reshape(flips, masks.size, 8).sum(axis=2, dtype=np.uint8)
    return np.asarray(np.add.reduceat(ones, first, axis=1, dtype=np.intp))


def tail_probability(at_least: FloatArray, n: int, flips: int) -> FloatArray:
    """P-values from the number of sign patterns whose statistic reached the observed one, shape as given.

    Exact where all were visited; otherwise (count + 1) / (flips + 1), which keeps the test valid and never 0: Phipson
    and Smyth 2010, "Permutation P-values should never be zero", Stat. Appl. Genet. Mol. Biol. 9:39.
    """
    return at_least / 2**n if n <= ENUMERATED else (at_least + 1) / (flips + 1)


def sign_flip_test(differences: ArrayLike, *, seed: int | np.random.Generator = 0, flips: int = 10_000) -> float:
    """Two-sided p-value that the differences, shape (tasks,), have mean 0.

    Under the null that method and baseline are exchangeable on each task, every difference is as likely with the
    opposite sign; the statistic is |Σ d|. Dividing it by √Σd², which no flip changes, gives a function of Student's t,
    so the test also holds its level in large samples when effects differ between tasks and only average to 0
    (Romano 1990, "On the behavior of randomization tests without a group invariance assumption", JASA 85:686-692).

    Source: Fisher 1935, The Design of Experiments, section 21. Zero differences carry no information and drop out; with
    none left the p-value is 1. On differences of −1, 0 and 1 it is the exact McNemar test. ``seed`` and ``flips``
    matter only above ENUMERATED non-zero differences. Raises ValueError for an empty or non-finite array.
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise ValueError(f"need a flat array of finite differences, one per task; got shape {values.shape}")
    values = values[values != 0]
    observed = abs(values.sum()) - TIE * np.abs(values).sum()
    rng = np.random.default_rng(seed)
    sizes, counts = np.unique(np.abs(values), return_counts=True)
    if values.size > GROUPED and 16 * sizes.size < values.size:
        # The sum of the signs of equal differences is binomial: the same test at a cost without the tasks.
        signs = 2.0 * heads(counts, flips, rng) - counts
        reached = int(np.sum(np.abs(signs @ sizes) >= observed))
    else:
        patterns = sign_patterns(values.size, flips, rng)
        reached = sum(int(np.sum(np.abs(signs @ values) >= observed)) for signs in patterns)
    return float(tail_probability(np.array(reached, dtype=np.float64), values.size, flips))
