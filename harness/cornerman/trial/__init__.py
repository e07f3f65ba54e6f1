"""A trial: a pilot run, what it says of the power and cost of the full run, and the full run registered in a file."""
