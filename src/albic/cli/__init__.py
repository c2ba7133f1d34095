"""The command line: parses, calls and prints; it decides nothing."""

from albic.cli.entry import main

__all__ = ["main"]
