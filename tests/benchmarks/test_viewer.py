"""How long the viewer takes to open a run of 100,000 episodes, and what it holds in memory.

`python -m pytest tests/benchmarks -k viewer`; the aim is a first page within 1 s. The run repeats the episodes of a
published board under other task ids until there are so many: 1.6 GB in the temporary folder.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from cornerman.store import EPISODES, encode_episode, iterate
from cornerman_leaderboards.rows.boards import PUBLISHED

NUMBER = 100_000
MEASURE = """
import json, resource, sys, time
from pathlib import Path
from cornerman_leaderboards.viewer.routes import Routes
from cornerman_leaderboards.viewer.runs import Runs

def seconds(target):
    started = time.perf_counter()
    answer = routes.answer("GET", target, b"")
    assert answer.status == 200, answer.body
    return round(time.perf_counter() - started, 3)

routes = Routes(Runs({"run": Path(sys.argv[1])}))
started = time.perf_counter()
out = {"first page": seconds("/runs/run")}
while routes.runs.index("run").progress < 1:
    time.sleep(0.01)
out["all read after"] = round(time.perf_counter() - started, 3)
out["first page again"] = seconds("/runs/run")
out["last page"] = seconds("/runs/run?page=1000")
out["filtered page"] = seconds("/runs/run?task=Pillow&method=rules&outcome=solved")
out["an episode"] = seconds("/runs/run/99000")
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
out["peak memory, MB"] = round(peak / (1e6 if sys.platform == "darwin" else 1e3))
print(json.dumps(out))
"""


def write(folder: Path) -> Path:
    """The run."""
    lines = [encode_episode(episode) for episode in iterate(PUBLISHED / "alfworldgen-dev" / "sweep")]
    folder.mkdir()
    with (folder / EPISODES).open("wb") as file:
        for number in range(NUMBER):
            copy, at = divmod(number, len(lines))
            file.write(lines[at].replace(b'"id":"', b'"id":"%d-' % copy, 1))
    return folder


def test_opening_a_hundred_thousand_episodes(tmp_path: Path, report: Callable[[str], None]) -> None:
    run = write(tmp_path / "run")
    done = subprocess.run([sys.executable, "-c", MEASURE, str(run)], capture_output=True, text=True, check=True)
    (run / EPISODES).unlink()
    figures = json.loads(done.stdout)
    for what, figure in figures.items():
        report(f"viewer, {NUMBER:,} episodes: {what} {figure}")
    assert figures["first page"] > 0
