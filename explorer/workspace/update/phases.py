"""The parts of an update, for those who show how far it is."""

from __future__ import annotations

from enum import Enum, auto


class UpdatePhase(Enum):
    """What an update is doing, in this order."""

    READ = auto()
    SPLIT = auto()
    DRAFT = auto()
    ENCODE = auto()
    LINK = auto()
