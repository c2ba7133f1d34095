"""albic makes stateful Spark streaming jobs balance themselves."""

__version__ = "0.1.0"
