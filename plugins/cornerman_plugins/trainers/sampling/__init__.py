"""Sampling from the weights that are trained, in the process that trains them.

`worker` runs passes on the event loop, so that a seeded run repeats exactly; `backend` is the model that plug-ins of a
role ask; `journal` remembers what each sample was restricted to; `scribe` answers for demonstrations, without a model.
"""
