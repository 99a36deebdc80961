"""When a file was changed, as people write it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_FIRST = datetime(1970, 1, 1, tzinfo=UTC)


def moment(seconds: float) -> datetime | None:
    """The local time so many seconds after the beginning of 1970; None where no calendar has that day."""
    try:
        return (_FIRST + timedelta(seconds=seconds)).astimezone()
    except (OverflowError, ValueError, OSError):
        return None
