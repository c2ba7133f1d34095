"""The paper's evaluation: one entry a figure, with claims that can fail."""
