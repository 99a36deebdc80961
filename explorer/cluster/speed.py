"""How fast a cluster works, for the progress."""

from __future__ import annotations

import time
from collections import deque

from explorer.messages import UserMessage

_OF_LATE = 30.0  # seconds


class Speed:
    """Texts a second of late: a mean since the start would be wrong whenever machines come or go."""

    def __init__(self) -> None:
        self._finished: deque[tuple[float, int]] = deque([(time.monotonic(), 0)])  # time, texts until then

    def add(self, texts: int) -> None:
        """Count texts that are finished."""
        now = time.monotonic()
        self._finished.append((now, self._finished[-1][1] + texts))
        while len(self._finished) > 2 and now - self._finished[1][0] > _OF_LATE:
            self._finished.popleft()

    @property
    def rate(self) -> float:
        """Texts a second."""
        (first, before), (last, after) = self._finished[0], self._finished[-1]
        return (after - before) / (last - first) if last > first else 0.0

    def told(self, workers: int) -> UserMessage:
        """Return what the progress says of it."""
        return UserMessage("{workers:,} workers, {rate:,.0f} texts a second", workers=workers, rate=self.rate)
