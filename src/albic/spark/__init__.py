"""The ports for Spark: measure a running query, move its state, know its executors."""
