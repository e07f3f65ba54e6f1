"""`python -m cornerman` is the command line too."""

from cornerman.cli import main

main()
