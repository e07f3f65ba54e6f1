"""Watching a training run: `curves` writes what happens to a file, `limits` stops a run that has collapsed and says
why, `screen` shows how it goes.
"""
