"""The rows of boards: runs found and joined, submitted, verified."""
