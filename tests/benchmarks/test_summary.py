"""Time and memory of the summary of a million episodes, in a process of its own.

`python -m pytest tests/benchmarks -k summary` makes them first (about a minute). The aims are 3 s and 1 GB. Wall time
says little on a machine that others use too: CPU time stands beside it, of which DuckDB spends its part on all cores.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

EPISODES = 1_000_000


def test_a_million_episodes(report: Callable[[str], None], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.benchmarks.million", str(tmp_path / "run")]
    subprocess.run([*command, str(EPISODES)], check=True)
    for _ in range(3):
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found = json.loads(done.stdout)
        report(
            f"{found['episodes']:,} episodes: {found['wall']:.2f} s by the clock, {found['cpu']:.2f} s of CPU, "
            f"at most {found['peak_mb']:.0f} MB"
        )
        assert found["episodes"] == EPISODES
        assert found["peak_mb"] < 1000
