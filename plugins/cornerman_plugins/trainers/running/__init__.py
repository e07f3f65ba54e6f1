"""A training run: `run` goes through the schedule, `checkpoint` keeps what it takes to go on exactly, `base` finds the
weights to begin with, `evaluation` plays held-out tasks, and `command` is `cornerman train`.
"""
