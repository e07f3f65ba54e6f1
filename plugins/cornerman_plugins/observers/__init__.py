"""Observers: they watch a run and may change nothing in it."""
