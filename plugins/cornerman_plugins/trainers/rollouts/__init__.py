"""Episodes to learn from: `play` plays them by the engine, `samples` finds in them what a role did, `columns` lays that
out for the pieces that say what it was worth.
"""
