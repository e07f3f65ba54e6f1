"""What a language model is shown of a trajectory, and how its answers are read; pure functions of a view.

`chat` renders an actor's conversation, `transcript` the same trajectory as a critic reads it, `items` the words of
critics, memories and protocols within both, `scoring` chooses among given texts.
"""
