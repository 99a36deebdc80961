"""Sentences for the user that remember the template and the values they were made of.

The rooms below the window write English and know nothing of languages. A `UserMessage` is that English sentence, and
its template with its values lets the window say the same in another language: it looks up the template alone, so a
column called "encoding" keeps its name, whatever "encoding" is called in that language.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_STORED = '{"template": '  # how a stored message begins; a stored plain text never does


class UserMessage(str):
    """An English sentence with the template and the values behind it.

    Attributes:
        template: The sentence with named places such as "{path} is empty."; the key of its translation.
        values: What fills these places. A value may be a message of its own, which is translated too.

    Example:
        >>> UserMessage("{path} is empty.", path="a.txt")
        'a.txt is empty.'
    """

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> UserMessage:
        """Make a message; a message given without values is returned as it is."""
        if isinstance(template, UserMessage) and not values:
            return template
        values = {name: _as_value(value) for name, value in values.items()}
        # Without values nothing is filled in, so that braces of a foreign text do no harm.
        self = super().__new__(cls, template.format_map(values) if values else template)
        self.template, self.values = template, values
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.template,), dict(self.values)


def _as_value(value: Any) -> Any:
    """Reduce a value to what can be stored: a message, a number, or a text that UTF-8 can hold."""
    value = getattr(value, "message", value)  # an error gives its sentence, which has a translation of its own
    if isinstance(value, UserMessage | int | float):
        return value  # numbers stay numbers, because templates format them
    # Names of files may hold bytes that are not Unicode; Python keeps these as lone surrogates.
    return str(value).encode("utf-8", "replace").decode()


def dump(message: str) -> str:
    """Return a text from which `load` makes the message again; a plain text is returned as it is."""
    if not isinstance(message, UserMessage):
        return message
    values = {name: dump(value) if isinstance(value, str) else value for name, value in message.values.items()}
    return json.dumps({"template": message.template, "values": values}, ensure_ascii=False)


def load(text: str) -> str:
    """Return the message that `dump` stored, or the text itself if it is a plain one."""
    if not text.startswith(_STORED):
        return text
    try:
        stored = json.loads(text)
        values = {name: load(value) if isinstance(value, str) else value for name, value in stored["values"].items()}
        return UserMessage(stored["template"], **values)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return text  # a plain text that only looks like a stored message
