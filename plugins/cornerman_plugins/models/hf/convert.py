"""A GGUF file as a transformers folder (safetensors and tokenizer), converted once into the user's cache.

The folder is named by the digest of the GGUF file. It appears whole or not at all, several processes may ask for it at
once, and its files are checked against their recorded digests whenever it is used; a damaged one is converted again.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import msgspec
import torch
from safetensors.torch import save_file
from transformers import GenerationConfig, LlamaForCausalLM

from cornerman.assets.wheel import sha256_of
from cornerman.errors import UsageError
from cornerman.locks import file_lock
from cornerman.paths import cache_root
from cornerman_plugins.models.hf.gguf_tokenizer import gguf_tokenizer
from cornerman_plugins.models.hf.gguf_weights import GGUF, llama_config, llama_state

VERSION = 1
"""Version of the conversion; a change of what it writes takes a new one."""
RECORD = "conversion.json"


class Conversion(msgspec.Struct, frozen=True):
    """What a converted folder says about itself; digests are SHA-256 in hexadecimal."""

    source: str
    version: int
    files: dict[str, str]


def converted(gguf: Path) -> Path:
    """The transformers folder of a GGUF file, from the cache or converted now (about ten CPU seconds for 135M).

    Weights are kept as bfloat16. Raises UsageError when the file cannot be read or holds another architecture.
    """
    try:
        source = sha256_of(gguf)
    except OSError as error:
        raise UsageError(f"cannot read the GGUF file {gguf}: {error}") from error
    models = cache_root() / "models"
    final = models / f"{gguf.stem}-{source[:12]}-v{VERSION}"
    if intact(final, source):
        return final
    try:
        models.mkdir(parents=True, exist_ok=True)
        with file_lock(models / f".{final.name}.lock"):
            if not intact(final, source):  # another process may have made it while we waited
                _replace(final, gguf, source)
    except OSError as error:
        raise UsageError(
            f"cannot keep the converted model in {models}: {error}; make room there, "
            "or let CORNERMAN_CACHE name another folder."
        ) from error
    return final


def intact(folder: Path, source: str) -> bool:
    """Whether the folder was converted from the source of that digest and holds exactly the bytes that were written."""
    try:
        record = msgspec.json.decode((folder / RECORD).read_bytes(), type=Conversion)
        return (record.source, record.version) == (source, VERSION) and all(
            sha256_of(folder / name) == digest for name, digest in record.files.items()
        )
    except (OSError, msgspec.DecodeError):
        return False


def _replace(final: Path, gguf: Path, source: str) -> None:
    prefix = f".{final.name}.part-"
    for leftover in final.parent.glob(f"{prefix}*"):  # of a process that was killed: the lock is ours
        shutil.rmtree(leftover, ignore_errors=True)
    if final.exists():
        print(f"The converted model in {final} is damaged; converting it again.", file=sys.stderr)
        shutil.rmtree(final)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=final.parent) as name:
        staging = Path(name) / "model"
        write_folder(gguf, staging)
        files = {path.name: sha256_of(path) for path in sorted(staging.iterdir())}
        (staging / RECORD).write_bytes(msgspec.json.encode(Conversion(source, VERSION, files)))
        staging.rename(final)


def write_folder(path: Path, folder: Path, dtype: torch.dtype = torch.bfloat16) -> None:
    """Convert a GGUF file of the Llama architecture into a new transformers folder."""
    gguf = GGUF(path)
    config = llama_config(gguf)
    config.dtype = dtype
    tokenizer = gguf_tokenizer(gguf)
    state = llama_state(gguf, config, dtype)
    with torch.device("meta"):
        expected = set(LlamaForCausalLM(config).state_dict())
    if config.tie_word_embeddings:
        expected.discard("lm_head.weight")
    if expected != set(state):
        missing, extra = sorted(expected - set(state)), sorted(set(state) - expected)
        raise UsageError(f"{path} is no whole Llama model: missing {missing[:3]}, unexpected {extra[:3]}.")
    folder.mkdir(parents=True)
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    config.save_pretrained(folder)
    ends = {"bos_token_id": config.bos_token_id, "eos_token_id": config.eos_token_id}
    generation = GenerationConfig(**ends, pad_token_id=config.pad_token_id)  # type: ignore[no-untyped-call]
    generation.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
