"""Traces of other harnesses as runs, on which critics can be asked."""
