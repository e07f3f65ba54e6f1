"""Rewards: what an attempt, a critique or a turn was worth, as numpy arrays."""
