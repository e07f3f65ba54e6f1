"""Users: who speaks where an environment talks to a user."""
