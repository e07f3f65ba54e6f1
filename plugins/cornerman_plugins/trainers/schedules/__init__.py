"""Schedules: who learns when, as iterators of phases."""
