"""Style, types and the direction of imports are part of the test suite."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXTRAS = ("torch", "transformers", "textworld", "alfworld")

CHECKS = {
    "ruff": [sys.executable, "-m", "ruff", "check", "--no-cache", "."],
    "format": [sys.executable, "-m", "ruff", "format", "--no-cache", "--check", "."],
    "mypy": [sys.executable, "-m", "mypy"],
    "import-linter": [sys.executable, "-c", "from importlinter import cli; cli.lint_imports_command()"],
}
MODULES = {"ruff": "ruff", "format": "ruff", "mypy": "mypy", "import-linter": "importlinter"}


@pytest.mark.parametrize("name", CHECKS)
def test_check_passes(name: str) -> None:
    """A failed check shows the tool's own words."""
    if importlib.util.find_spec(MODULES[name]) is None:
        pytest.skip(f"{MODULES[name]} is not installed (extra 'dev')")
    missing = [m for m in EXTRAS if importlib.util.find_spec(m) is None]
    if name == "mypy" and missing:
        pytest.skip(f"types are checked with every extra installed; missing: {', '.join(missing)}")
    done = subprocess.run(CHECKS[name], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
