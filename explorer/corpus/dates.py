"""Convert dates as people and programs write them to ISO 8601, and timestamps to local time."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

_DATE = re.compile(
    r"""(?P<year>[12]\d{3})
        (?: (?P<sign>[-/.]) [ ]? (?P<month>\d{1,2}) (?: (?P=sign) [ ]? (?P<day>\d{1,2}) \.? )?
          | 년 \s* (?P<month_ko>\d{1,2}) 월 (?: \s* (?P<day_ko>\d{1,2}) 일 )? )
        (?: \s* [T ,] \s* (?P<half>오전|오후|AM|PM)? \s*
            (?P<hour>\d{1,2}) : (?P<minute>\d{2}) (?: : (?P<second>\d{2}) (?: [.,]\d+ )? )?
            \s* (?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})? )?""",
    re.VERBOSE,
)
_LONGEST = 60  # characters; longer is not a date
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def local_time(seconds: float) -> datetime | None:
    """Convert a Unix timestamp to local time; None if it is out of range."""
    try:
        # Not `fromtimestamp`: Windows refuses times before 1970, which unpacked archives do have.
        return (_EPOCH + timedelta(seconds=seconds)).astimezone()
    except (OverflowError, ValueError, OSError):
        return None


def iso_date(text: str) -> str:
    """Return the date in ISO 8601; empty where `text` is not a whole date with the year in front.

    "03/04/2020" is left alone: it is in March for some and in April for others.

    Example:
        >>> iso_date("2024. 3. 5.")
        '2024-03-05'
        >>> iso_date("2024년 3월 5일 오후 2:07")
        '2024-03-05T14:07:00'
    """
    text = text.strip()
    match = _DATE.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        return ""
    parts = match.groupdict()
    month, day = parts["month"] or parts["month_ko"], parts["day"] or parts["day_ko"]
    try:
        moment = datetime(int(parts["year"]), int(month), int(day or 1), tzinfo=_zone(parts["zone"]))
        return _written(moment, parts, has_day=day is not None)
    except ValueError:
        return ""


def _written(moment: datetime, parts: dict[str, str | None], *, has_day: bool) -> str:
    """Return the date to the precision it was given with."""
    if not has_day:
        # "2024.5" is a number; only "2024-05" and "2024년 5월" are months.
        return "" if parts["hour"] or parts["sign"] in (".", "/") else f"{moment:%Y-%m}"
    if parts["hour"] is None:
        return f"{moment:%Y-%m-%d}"
    hour, half = int(parts["hour"]), parts["half"]
    if half in ("오후", "PM") and hour < 12:
        hour += 12
    elif half in ("오전", "AM") and hour == 12:
        hour = 0
    return moment.replace(hour=hour, minute=int(parts["minute"] or 0), second=int(parts["second"] or 0)).isoformat()


def _zone(text: str | None) -> timezone | None:
    if text is None:
        return None
    if text[0] not in "+-":
        return UTC
    digits = text[1:].replace(":", "")
    shift = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-shift if text[0] == "-" else shift)
