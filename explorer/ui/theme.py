"""How the window looks: two themes drawn, not inverted, and icons tinted by them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QApplication

from explorer import palette, paths


@dataclass(frozen=True)
class Theme:
    """The colours of a theme, as #rrggbb.

    Attributes:
        dark: Whether it is the dark one.
        window: The frame around panels.
        ground: What texts and tables stand on.
        raised: Buttons and the query box.
        hairline: Lines between things.
        ink: Text; at least 7:1 on the ground.
        faint: Text that matters less; at least 4.5:1.
        accent: The one colour of focus and action.
        on_accent: Text upon it.
        chosen: The ground of marked rows.
        lit: The ground of a matching passage.
        error: Errors, and nothing else.
        stale: What is stale or uncertain, and nothing else.
    """

    dark: bool
    window: str
    ground: str
    raised: str
    hairline: str
    ink: str
    faint: str
    accent: str
    on_accent: str
    chosen: str
    lit: str
    error: str
    stale: str


LIGHT = Theme(
    dark=False, window="#f3f4f6", ground="#ffffff", raised="#ffffff", hairline="#d9dce1", ink="#1d2127",
    faint="#5d6673", accent=palette.ACCENT[0], on_accent="#ffffff", chosen="#dce8fc", lit="#fff3c4", error="#b3261e",
    stale="#8a5a00",
)  # fmt: skip
DARK = Theme(
    dark=True, window="#17191d", ground="#1e2126", raised="#272b31", hairline="#343941", ink="#e6e8eb",
    faint="#9aa3af", accent=palette.ACCENT[1], on_accent="#0d1420", chosen="#27406b", lit="#4d431c", error="#ff8a80",
    stale="#e0a63b",
)  # fmt: skip

_shown = [LIGHT]  # the one theme of the program


def current() -> Theme:
    """The theme that is shown."""
    return _shown[0]


def chosen(name: str) -> Theme:
    """The theme of a setting: "light", "dark", or what the system has."""
    if name == "system":
        scheme = QGuiApplication.styleHints().colorScheme()
        return DARK if scheme == Qt.ColorScheme.Dark else LIGHT
    return DARK if name == "dark" else LIGHT


def apply(app: QApplication, theme: Theme, text_size: int = 10) -> None:
    """Show a theme; every widget hears of it by a PaletteChange event."""
    _shown[:] = [theme]
    app.setStyle("Fusion")
    font = app.font()
    font.setPointSize(text_size)
    app.setFont(font)
    app.setPalette(_palette(theme))
    app.setStyleSheet(_sheet(theme))


def is_change(event: QEvent) -> bool:
    """Whether an event in `changeEvent` says that the theme is another one."""
    return event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange)


def icon(name: str, colour: str = "") -> QIcon:
    """A line drawing of ours in the colour of the theme, or in another."""
    return _icon(name, colour or current().ink, current().faint)


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
        QPalette.ColorRole.Window: theme.window, QPalette.ColorRole.WindowText: theme.ink,
        QPalette.ColorRole.Base: theme.ground, QPalette.ColorRole.AlternateBase: theme.window,
        QPalette.ColorRole.Text: theme.ink, QPalette.ColorRole.Button: theme.raised,
        QPalette.ColorRole.ButtonText: theme.ink, QPalette.ColorRole.PlaceholderText: theme.faint,
        QPalette.ColorRole.Highlight: theme.chosen, QPalette.ColorRole.HighlightedText: theme.ink,
        QPalette.ColorRole.ToolTipBase: theme.raised, QPalette.ColorRole.ToolTipText: theme.ink,
        QPalette.ColorRole.Link: theme.accent, QPalette.ColorRole.Mid: theme.hairline,
        QPalette.ColorRole.Light: theme.raised, QPalette.ColorRole.Dark: theme.hairline,
        QPalette.ColorRole.BrightText: theme.error, QPalette.ColorRole.Accent: theme.accent,
    }  # fmt: skip
    for role, colour in roles.items():
        made.setColor(role, QColor(colour))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText, QPalette.ColorRole.WindowText):
        made.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.faint))
    return made


def _sheet(theme: Theme) -> str:
    """Hairlines instead of boxes, a 4 px grid."""
    return f"""
    QMainWindow::separator {{ background: {theme.hairline}; width: 1px; height: 1px; }}
    QDockWidget {{ titlebar-close-icon: none; }}
    QDockWidget::title {{ padding: 6px 8px; background: {theme.window}; }}
    QTabBar::tab {{ padding: 5px 10px; border: 0; color: {theme.faint}; background: transparent; }}
    QTabBar::tab:selected {{ color: {theme.ink}; border-bottom: 2px solid {theme.accent}; }}
    QTabWidget::pane {{ border: 0; }}
    QAbstractItemView {{ border: 0; background: {theme.ground}; selection-background-color: {theme.chosen};
        selection-color: {theme.ink}; outline: 0; }}
    QHeaderView::section {{ background: {theme.ground}; color: {theme.faint}; border: 0; padding: 4px 8px;
        border-bottom: 1px solid {theme.hairline}; }}
    QLineEdit, QComboBox, QSpinBox, QDoubleSpinBox {{ background: {theme.raised}; border: 1px solid {theme.hairline};
        border-radius: 4px; padding: 4px 8px; color: {theme.ink}; }}
    QLineEdit:focus, QComboBox:focus, QSpinBox:focus {{ border: 1px solid {theme.accent}; }}
    QPushButton {{ background: {theme.raised}; border: 1px solid {theme.hairline}; border-radius: 4px;
        padding: 5px 12px; }}
    QPushButton:hover, QToolButton:hover {{ border-color: {theme.accent}; }}
    QPushButton:disabled {{ color: {theme.faint}; }}
    QPushButton[kind="main"] {{ background: {theme.accent}; color: {theme.on_accent}; border-color: {theme.accent}; }}
    QToolButton {{ border: 1px solid transparent; border-radius: 4px; padding: 3px; }}
    QToolButton:checked {{ background: {theme.chosen}; }}
    QTextEdit, QTextBrowser, QPlainTextEdit {{ border: 0; background: {theme.ground}; }}
    QScrollArea {{ border: 0; }}
    QToolTip {{ border: 1px solid {theme.hairline}; padding: 4px 6px; background: {theme.raised}; color: {theme.ink}; }}
    QStatusBar {{ background: {theme.window}; color: {theme.faint}; }}
    QStatusBar::item {{ border: 0; }}
    QLabel[kind="faint"] {{ color: {theme.faint}; }}
    QLabel[kind="error"] {{ color: {theme.error}; }}
    QLabel[kind="stale"] {{ color: {theme.stale}; }}
    QLabel[kind="title"] {{ font-size: 16pt; font-weight: 600; }}
    QProgressBar {{ border: 0; background: {theme.hairline}; max-height: 3px; min-height: 3px; }}
    QProgressBar::chunk {{ background: {theme.accent}; }}
    """


class Follower(QObject):
    """Shows the system's theme as it changes, while that is what the user wants."""

    def __init__(self, app: QApplication, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app, self._name, self._size = app, "system", 10
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)

    def use(self, name: str, text_size: int) -> None:
        """Show the theme of a setting from now on."""
        self._name, self._size = name, text_size
        apply(self._app, chosen(name), text_size)

    def _on_scheme_changed(self) -> None:
        if self._name == "system":
            apply(self._app, chosen("system"), self._size)
