"""The episode engine: one task, one method, one `Episode`.

Read `episode.py` first, then `attempt.py` and `decision.py`: together they are the loop that the hooks page describes.
"""
