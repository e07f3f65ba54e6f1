"""Constants of a Python source file, read without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def read_literals(path: Path, names: Iterable[str]) -> dict[str, Any]:
    """The values of these module-level names, where they are built from literals alone.

    Understood are `NAME = literal`, `NAME[key] = literal or NAME[key]` and `del NAME[key]`, in their order.

    Raises:
        ValueError: a name is missing, or a statement on it is none of these.
        OSError: the file cannot be read.
    """
    wanted = set(names)
    values: dict[str, Any] = {}
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        try:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in wanted:
                    values[name] = ast.literal_eval(value)
                case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=key)], value=value) if (
                    name in wanted
                ):
                    values[name][ast.literal_eval(key)] = _value(value, values)
                case ast.Delete(targets=[ast.Subscript(value=ast.Name(id=name), slice=key)]) if name in wanted:
                    del values[name][ast.literal_eval(key)]
        except (ValueError, KeyError) as error:
            raise ValueError(f"{path}, line {statement.lineno}: not a plain literal ({error})") from None
    if missing := wanted - set(values):
        raise ValueError(f"{path}: no {', '.join(sorted(missing))}")
    return values


def _value(node: ast.expr, values: dict[str, Any]) -> Any:
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=key) if name in values:
            return values[name][ast.literal_eval(key)]
    return ast.literal_eval(node)
