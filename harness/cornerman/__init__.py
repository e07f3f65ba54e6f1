"""Cornerman: the benchmark harness for critics of LLM agents.

The names a plug-in author needs are here; importing this package is cheap and pulls in no engine.
"""

from cornerman.hookspecs import hookimpl
from cornerman.records import AttemptSpec, Candidate, ContextItem, Critique, MemoryOp, Request, Start, Verdict

__version__ = "0.1.0"
__all__ = [
    "AttemptSpec",
    "Candidate",
    "ContextItem",
    "Critique",
    "MemoryOp",
    "Request",
    "Start",
    "Verdict",
    "__version__",
    "hookimpl",
]
