"""Static critic sets: candidates at recorded states with gold's label, and how critics judge them without an actor.

`items` is the file, `moments` finds states of a run, `corrupting` makes wrong candidates, `labelling` asks gold and
`making` writes the set; `restoring` brings a state back, `asking` asks critics there, `rates`, `ranking` and `report`
make numbers of the answers. See docs/static-sets.md for what the numbers mean.
"""
