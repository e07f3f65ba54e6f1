"""Programs of the machine that a plug-in starts, found as their own users expect them to be."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def find_program(name: str) -> str | None:
    """Path of a program, or None: where NAME_HOME is set (`JAVA_HOME` for `java`) its bin folder, else by PATH."""
    home = os.environ.get(f"{name.upper()}_HOME")
    return shutil.which(name, path=str(Path(home) / "bin")) if home else shutil.which(name)
