"""The language of the window: our words and Qt's own, changed while it runs."""

from __future__ import annotations

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtGui import QGuiApplication

from explorer import paths

NAMES = {"en": "English", "ko": "한국어"}  # each in its own language, so that it can be found again
SOURCE = "en"  # what the texts in the program are written in

_spoken = [SOURCE]  # the one language of the program
_installed: list[QTranslator] = []


def current() -> str:
    """The language that is shown: a key of NAMES."""
    return _spoken[0]


def chosen(setting: str) -> str:
    """The language of a setting: itself, or for "system" the system's where we speak it, else English."""
    if setting in NAMES:
        return setting
    spoken = (one.replace("_", "-").partition("-")[0].lower() for one in QLocale.system().uiLanguages())
    return next((one for one in spoken if one in NAMES), SOURCE)


def use(app: QGuiApplication, setting: str) -> None:
    """Show the language of a setting; every widget hears of it by a LanguageChange event."""
    name = chosen(setting)
    if name == current() and _installed:
        return
    _spoken[:] = [name]
    QLocale.setDefault(QLocale(name))
    for old in _installed:
        app.removeTranslator(old)
    _installed.clear()
    if name != SOURCE:
        _install(app, QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath), f"qtbase_{name}")
    _install(app, str(paths.resources() / "translations"), f"explorer_{name}")  # of English only the plurals
    app.setApplicationDisplayName(app.translate("StartPage", "Document Similarity Explorer"))


def _install(app: QGuiApplication, folder: str, file: str) -> None:
    """Add the words of a file; without it the English ones stay."""
    made = QTranslator(app)
    if made.load(file, folder):
        app.installTranslator(made)
        _installed.append(made)
