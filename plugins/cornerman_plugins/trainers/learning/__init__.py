"""One update: `lesson` weighs what a role did, `learner` changes a set of weights by it."""
