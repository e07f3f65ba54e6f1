"""Java machines that play for us: one a running environment, kept for the next one."""
