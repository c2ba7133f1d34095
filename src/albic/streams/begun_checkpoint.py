"""What a checkpoint that has begun says about how its network was laid out."""

from pathlib import Path
from urllib.parse import urlsplit

from albic.model import InvalidInput


def expect_stages(checkpoint: str, stages: int, other: tuple[str, int]) -> None:
    """Refuse a checkpoint whose state lies in another number of stages.

    Spark would find that out too, in the first batch, but not say what to do. Only folders of this
    machine are looked at. ``other`` is the other way of chaining, and how many stages it makes.
    """
    parts = urlsplit(checkpoint)
    if parts.scheme not in ("", "file"):
        return
    state = Path(parts.path) / "state"
    found = sum(each.name.isdigit() for each in state.iterdir()) if state.is_dir() else 0
    if found in (0, stages):
        return
    way, its = other
    remedy = f'start with chain="{way}", or' if found == its else "start"
    raise InvalidInput(
        f"the checkpoint {checkpoint!r} has the state of {found} stages, and the network makes "
        f"{stages}: it was chained or made otherwise when it began; {remedy} with a new "
        f"checkpoint, and carry_over from this one"
    )
