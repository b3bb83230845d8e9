"""Figures of answers: how they look, what is wrong with them, and what can be put right."""
