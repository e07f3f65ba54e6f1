"""The weights that are trained: `weights` holds them by role, `packing` lays token sequences out for a pass,
`attention` runs such a layout with gradients, and `logprobs` asks for the log-probabilities of what was sampled.
"""
