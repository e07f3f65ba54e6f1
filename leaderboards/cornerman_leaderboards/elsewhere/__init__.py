"""Results that others published: read from their files, shown beside boards, and kept out of every test."""
