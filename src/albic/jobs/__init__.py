"""The paper's real jobs, the data they read and the stores they write to."""
