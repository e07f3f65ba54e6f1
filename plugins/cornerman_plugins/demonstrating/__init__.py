"""Plug-ins that play roles as a model might, knowing better, for a model to imitate before it learns by playing.

They see gold, and slip on purpose: what is learned from them has to leave room. A demonstration asks the model for an
answer among choices of which the wanted one is the first; a trainer's scribe writes down just that.
"""
