"""Faults under running jobs, as plain Spark and with albic: what is lost, fails and stalls.

``make faults`` runs it. Each fault strikes one run of a job with state, in the middle of a batch.
In the end the rows are held against a computation over all input at once.
"""
