"""Training: small registered pieces, and the trainer that a recipe combines them for.

What is learned from is a `Batch` (see `batch`): columns of arrays at three levels. A **sample** is what gets one reward
(an attempt of the actor, a critique, a reflection); its **turns** are the generations in it, a critique's being one; a
turn's **tokens** are those that were sampled. A piece is a plain function, registered by name: its positional-only
parameters name the columns that it reads, its keyword-only parameters are the options that a recipe may set. See
`pieces`.

| kind | in the room | what it returns |
|---|---|---|
| reward | `rewards/` | one float a sample, or a turn: `per` in its registration says which |
| advantage | `advantages/` | the same; a list of them is a chain, each reading `advantage` as the one before left it |
| loss | `losses/` | one value a token or a pair, not yet averaged: `weighting` says how; needs torch |
| schedule | `schedules/` | an iterator of phases: who learns, for how many updates, from which stage of the recipe |

`datasets/` builds rows to imitate and pairs to prefer from recorded episodes.
"""
