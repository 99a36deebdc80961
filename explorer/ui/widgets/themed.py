"""Base of the widgets that have texts or colours of their own: they follow the language and the theme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent

from explorer.ui.look import theme

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget as _Base
else:
    _Base = object  # a mixin: `class Dialog(Themed, QDialog)`


class Themed(_Base):
    """Mixin for a widget class, named before it; calls `retranslate` and `restyle` once per change.

    Neither is called during construction: a widget that needs them calls them at the end of its `__init__`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # A signal, not StyleChange and PaletteChange: one switch of the theme sends each widget four of those events,
        # and the first ones while it is still being built.
        theme.changed.connect(self.restyle)

    def retranslate(self) -> None:
        """Set all texts in the current language."""

    def restyle(self) -> None:
        """Apply the current theme and font size to everything that the style sheet does not reach."""
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
