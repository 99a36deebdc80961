"""Convert paths to the form that people see and to the form that Windows needs."""

from __future__ import annotations

import os
import re
import unicodedata

# Control characters, and those that turn the direction of writing: "gpj.exe" must not read as "exe.jpg".
_UNSHOWABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def display_path(path: str) -> str:
    """Return a path as people should see it: composed, no control characters, a mark for what cannot be decoded."""
    raw = os.fsencode(path)
    for encoding in ("utf-8", "cp949"):  # the second for names from older Korean systems
        try:
            return _UNSHOWABLE.sub("\ufffd", unicodedata.normalize("NFC", raw.decode(encoding)))
        except UnicodeDecodeError:
            continue
    return _UNSHOWABLE.sub("\ufffd", raw.decode("utf-8", "replace"))


def long_path(path: str) -> str:
    """Return an absolute path in the form in which Windows opens more than 260 characters; as it is elsewhere."""
    if os.name != "nt" or path.startswith("\\\\?\\"):
        return path
    return f"\\\\?\\UNC\\{path[2:]}" if path.startswith("\\\\") else f"\\\\?\\{path}"
