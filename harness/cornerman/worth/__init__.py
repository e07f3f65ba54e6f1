"""What a critique was worth: recorded episodes forked at the moment and played on with the words and without them.

`places` finds the moments of a run, `drawing` draws some of them with known probabilities, `arms` says what each fork
does otherwise than the record, `playing` plays the forks and `forks` keeps them, `estimating`, `uptake` and `report`
make numbers of them. `seen`, `trials` and `labels` ask gold whether a critic was right, `hits` and `judging` whether it
hit what it aimed at, and `appraising` puts both together. See docs/worth.md for what the numbers mean.
"""
