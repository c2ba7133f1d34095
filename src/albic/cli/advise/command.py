"""The command ``albic advise`` and its options."""

# ruff: noqa: PLC0415

from albic.cli.shared.options import JournalFile, Json


def advise(file: JournalFile, *, as_json: Json = False) -> None:
    """Say what placement cannot fix: what it costs, what to do, and what that should win."""
    from albic.cli.advise import action

    action.run(file, as_json=as_json)
