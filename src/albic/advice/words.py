"""Numbers as sentences have them."""

from albic.advice.finding import BYTES_PER_S, SECONDS


def amount(value: float, unit: str) -> str:
    """Return an amount for the middle of a sentence; a batch is named by the sentence itself."""
    if unit == SECONDS:
        return f"{value:.2f} s" if value >= 1 else f"{1e3 * value:.0f} ms"
    if unit == BYTES_PER_S:
        return f"{value / 1e6:.3g} MB/s"
    return f"{value:.0f} %"
