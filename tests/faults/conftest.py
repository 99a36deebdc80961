"""What the tests of faults take from the tests of the window."""

from tests.ui.conftest import no_windows_left, wait
from tests.ui.window.test_unplugged import seat

__all__ = ["no_windows_left", "seat", "wait"]
