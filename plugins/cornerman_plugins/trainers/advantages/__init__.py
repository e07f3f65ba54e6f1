"""Advantages: how much better than its like a sample or a turn was, as numpy arrays."""
