"""The commands that this folder brings to the command line."""
