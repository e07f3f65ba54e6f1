"""Losses, in torch. Each returns one value a token [N] (or a pair [P]); `weighting.token_weights` says how they add up.

What they read, all of one shape, usually flat [N] over the tokens of a packed micro-batch (whole sequences only):

    logprobs            log-probabilities (nats) of the sampled tokens under the policy that learns; carries gradient
    old, reference      the same under the policy that sampled them, and under the reference policy; no gradient
    advantage           the advantages of their turns, or their own
    sequence            int64, the index of each token's sequence, 0 … S−1 within the micro-batch
    guided, unguided    log-probabilities of the tokens when they were sampled: with the critique, and without it
    logits, teacher     [N, V], the student's and a teacher's scores of every token of the vocabulary
    chosen, rejected, reference_chosen, reference_rejected    [P], summed log-probabilities of pairs of answers
"""
