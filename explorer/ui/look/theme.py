"""The light and the dark theme, and icons in their colours."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from string import Template

from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QApplication

from explorer import palette, paths


@dataclass(frozen=True)
class Theme:
    """The colours of a theme, as #rrggbb.

    Attributes:
        dark: Whether it is the dark one.
        window: The frame around panels.
        background: That of texts and tables.
        raised: Buttons and the query box.
        hairline: Lines between things.
        scroll: The handle of a scroll bar.
        foreground: Text; at least 7:1 on the background.
        faint: Text that matters less; at least 4.5:1.
        accent: The one colour of focus and action.
        on_accent: Text upon it.
        chosen: The background of marked rows.
        lit: The background of a matching passage.
        error: Errors, and nothing else.
        stale: What is stale or uncertain, and nothing else.
    """

    dark: bool
    window: str
    background: str
    raised: str
    hairline: str
    scroll: str
    foreground: str
    faint: str
    accent: str
    on_accent: str
    chosen: str
    lit: str
    error: str
    stale: str


LIGHT = Theme(
    dark=False, window="#f3f4f6", background="#ffffff", raised="#ffffff", hairline="#d9dce1", scroll="#b4bac3",
    foreground="#1d2127",
    faint="#5d6673", accent=palette.ACCENT[0], on_accent="#ffffff", chosen="#dce8fc", lit="#fff3c4", error="#b3261e",
    stale="#8a5a00",
)  # fmt: skip
DARK = Theme(
    dark=True, window="#17191d", background="#1e2126", raised="#272b31", hairline="#343941", scroll="#4f5661",
    foreground="#e6e8eb",
    faint="#9aa3af", accent=palette.ACCENT[1], on_accent="#0d1420", chosen="#27406b", lit="#3d3720", error="#ff8a80",
    stale="#e0a63b",
)  # fmt: skip

_shown = [LIGHT]  # the one theme of the program
_palette_name = ["clear"]  # and its one palette of clusters


def current() -> Theme:
    """Return the current theme."""
    return _shown[0]


def cluster_colour(rank: int, *, dark: bool) -> str:
    """Return the colour of a cluster by its rank, the largest first; -1 for documents without a cluster."""
    return palette.LEFTOVER[dark] if rank < 0 else colour(rank)


def colours(count: int) -> list[str]:
    """Return colours for this many groups, in the current palette and theme."""
    return palette.qualitative(count, dark=current().dark, name=_palette_name[0])


def colour(index: int) -> str:
    """Return the colour of a group by its index."""
    return _colour(index, current().dark, _palette_name[0])


@lru_cache(maxsize=4096)
def _colour(index: int, dark: bool, name: str) -> str:
    return palette.qualitative(index + 1, dark=dark, name=name)[-1]


def chosen(name: str) -> Theme:
    """Return the theme of a setting: "light", "dark", or the system's."""
    if name == "system":
        scheme = QGuiApplication.styleHints().colorScheme()
        return DARK if scheme == Qt.ColorScheme.Dark else LIGHT
    return DARK if name == "dark" else LIGHT


class _Notifier(QObject):
    """Carries the signal of this module."""

    changed = Signal()


_notifier = _Notifier()
# Another theme, palette of clusters or font size is shown. `Themed` follows it.
changed = _notifier.changed


def apply(app: QApplication, theme: Theme, text_size: int = 10, palette_name: str = "clear") -> None:
    """Apply a theme and a palette of clusters, then emit `changed`.

    Call it once before any widget is made. WORKAROUND: a widget whose own style sheet comes and goes while the
    application has none stays in Qt's cache of styled widgets when it is deleted, and the next change crashes on it.
    """
    _shown[:], _palette_name[:] = [theme], [palette_name]
    font, sheet = app.font(), _sheet(theme)
    if not app.styleSheet():
        app.setStyle("Fusion")
    if font.pointSize() != text_size:
        font.setPointSize(text_size)
        app.setFont(font)
    if app.styleSheet() != sheet:  # each of the two polishes every widget
        app.setPalette(_palette(theme))
        app.setStyleSheet(sheet)
    _notifier.changed.emit()
    for widget in app.allWidgets():  # also those that only draw with the colours of clusters
        widget.update()


def is_change(event: QEvent) -> bool:
    """Return whether an event in `changeEvent` means that the theme has changed."""
    return event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange)


def icon(name: str, colour: str = "") -> QIcon:
    """Return an icon in the colour of the theme, or in another."""
    return _icon(name, colour or current().foreground, current().faint)


@lru_cache(maxsize=256)
def _icon(name: str, colour: str, off: str) -> QIcon:
    drawing = (paths.resources() / "icons" / f"{name}.svg").read_text("utf-8")
    made = QIcon()
    for size in (16, 20, 24, 32, 48, 64):
        made.addPixmap(_drawn(drawing, colour, size))
        made.addPixmap(_drawn(drawing, off, size), QIcon.Mode.Disabled)
    return made


def _drawn(drawing: str, colour: str, size: int) -> QPixmap:
    from PySide6.QtSvg import QSvgRenderer

    renderer = QSvgRenderer(QByteArray(drawing.replace("currentColor", colour).encode()))
    pixmap = QPixmap(QSize(size, size))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter)
    painter.end()
    return pixmap


def _palette(theme: Theme) -> QPalette:
    made = QPalette()
    roles = {
        QPalette.ColorRole.Window: theme.window,
        QPalette.ColorRole.WindowText: theme.foreground,
        QPalette.ColorRole.Base: theme.background,
        QPalette.ColorRole.AlternateBase: theme.window,
        QPalette.ColorRole.Text: theme.foreground,
        QPalette.ColorRole.Button: theme.raised,
        QPalette.ColorRole.ButtonText: theme.foreground,
        QPalette.ColorRole.PlaceholderText: theme.faint,
        QPalette.ColorRole.Highlight: theme.chosen,
        QPalette.ColorRole.HighlightedText: theme.foreground,
        QPalette.ColorRole.ToolTipBase: theme.raised,
        QPalette.ColorRole.ToolTipText: theme.foreground,
        QPalette.ColorRole.Link: theme.accent,
        QPalette.ColorRole.Mid: theme.hairline,
        QPalette.ColorRole.Light: theme.raised,
        QPalette.ColorRole.Dark: theme.hairline,
        QPalette.ColorRole.BrightText: theme.error,
        QPalette.ColorRole.Accent: theme.accent,
    }
    for role, colour in roles.items():
        made.setColor(role, QColor(colour))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText, QPalette.ColorRole.WindowText):
        made.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.faint))
    return made


def _sheet(theme: Theme) -> str:
    text = (paths.resources() / "theme.qss").read_text("utf-8")
    icons, kind = (paths.resources() / "icons").as_posix(), "dark" if theme.dark else "light"
    return Template(text).substitute(asdict(theme), icons=icons, kind=kind)


class ThemeFollower(QObject):
    """Applies the theme setting, and follows the system's theme if that is the setting."""

    def __init__(self, app: QApplication, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app, self._name, self._size, self._colours = app, "system", 10, "clear"
        self._used = False
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)

    def use(self, name: str, text_size: int, palette_name: str = "clear") -> None:
        """Apply theme, font size and palette of the settings."""
        if (name, text_size, palette_name) != (self._name, self._size, self._colours) or not self._used:
            self._name, self._size, self._colours, self._used = name, text_size, palette_name, True
            apply(self._app, chosen(name), text_size, palette_name)

    def _on_scheme_changed(self) -> None:
        if self._name == "system":
            apply(self._app, chosen("system"), self._size, self._colours)
