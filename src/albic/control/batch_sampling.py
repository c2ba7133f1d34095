"""Which batches are worth reading whole.

To read where each task of a batch ran and for how long is most of what the loop costs, and a batch
that went as the ones before it tells nothing new. So the time of every batch is taken in, which
costs next to nothing, and a batch is read where something can have changed or is to be learnt. An
imbalance that matters makes a batch longer, so none is missed; what changes without that is found
by reading one batch now and then.
"""

from collections import deque
from statistics import median

#: A batch is another one if it takes so much more or less than usual. An early round is about a
#: tenth; batches of the same job differ by a few hundredths.
UNLIKE = 0.08
#: Batches that are read in a row at the start and after a change, and that say what is usual.
LEARNING = 3
#: Those after a move: it is spread over two batches, caches are cold in the next two, and the two
#: after them tell what a row costs at its new place, and so how fast nodes are.
AFTER_MOVES = 6
#: Between two batches that are read are at most so many that are not. It begins with one, and
#: doubles as long as nothing changes.
MOST_UNREAD = 16
#: Batches that tell what is usual.
RECENT = 8


class Attention:
    """Says of each batch of a query whether it should be read."""

    def __init__(self) -> None:
        self._alike_s: deque[float] = deque(maxlen=RECENT)
        self._odd = False
        self._to_read = LEARNING
        self._unread, self._most_unread = 0, 1

    def wants(self, batch_s: float | None) -> bool:
        """Take in how long a batch took; return whether to read it. What is not known is read."""
        if batch_s is None:
            return True
        odd, was_odd = self._is_odd(batch_s), self._odd
        self._odd = odd
        if odd and was_odd:
            # One may be an accident. Two are another job, and what was usual is over.
            self._alike_s.clear()
            self.rouse(LEARNING - 1)
        if not odd or was_odd:
            self._alike_s.append(batch_s)
        return self._counted(odd=odd)

    def _is_odd(self, batch_s: float) -> bool:
        return bool(self._alike_s) and not alike(batch_s, median(self._alike_s))

    def _counted(self, *, odd: bool) -> bool:
        """Return whether it is the turn of a batch to be read."""
        if self._to_read:
            self._to_read -= 1
            self._unread, self._most_unread = 0, 1
            return True
        if odd:
            self._unread = 0
            return True
        if self._unread < self._most_unread:
            self._unread += 1
            return False
        self._unread, self._most_unread = 0, min(2 * self._most_unread, MOST_UNREAD)
        return True

    def rouse(self, batches: int = AFTER_MOVES) -> None:
        """Read at least the next ``batches`` batches, as after a move."""
        self._to_read = max(self._to_read, batches)


def alike(batch_s: float, usual_s: float) -> bool:
    """Return whether a batch took about as long as usual."""
    return abs(batch_s - usual_s) <= UNLIKE * usual_s
