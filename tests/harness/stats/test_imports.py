"""The command line starts without the weight of the statistics."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("cornerman", "numpy"),
        ("cornerman", "scipy"),
        ("cornerman.stats", "scipy.stats"),
        ("cornerman.stats", "statsmodels"),
    ],
)
def test_an_import_does_not_bring(module: str, absent: str) -> None:
    code = f"import sys, {module}; sys.exit({absent!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
