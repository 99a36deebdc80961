"""What tests of training share."""

from __future__ import annotations

import pytest

from explorer.models.runtime import precision


@pytest.fixture(autouse=True)
def _same_arithmetic_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Train in float32 unless a test asks for another precision: exact figures must not depend on the processor."""
    monkeypatch.setattr(precision, "best_of_processor", lambda: "float32")
