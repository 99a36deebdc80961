"""The language of the window: our words and Qt's own, changed while it runs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator
from PySide6.QtGui import QGuiApplication

from explorer import paths
from explorer.messages import UserMessage

NAMES = {"en": "English", "ko": "한국어"}  # each in its own language, so that it can be found again
SOURCE = "en"  # what the texts in the program are written in

_spoken = [SOURCE]  # the one language of the program
_installed: list[tuple[QTranslator, bytes]] = []


def current() -> str:
    """The language that is shown: a key of NAMES."""
    return _spoken[0]


def chosen(setting: str) -> str:
    """The language of a setting: itself, or for "system" the system's where we speak it, else English."""
    if setting in NAMES:
        return setting
    spoken = (one.replace("_", "-").partition("-")[0].lower() for one in QLocale.system().uiLanguages())
    return next((one for one in spoken if one in NAMES), SOURCE)


def name_of(code: str) -> str:
    """What a language is called in English, or, in another window, by those who speak it; its code if not known."""
    found = QLocale.codeToLanguage(code)
    if found == QLocale.Language.AnyLanguage:
        return code
    english = QLocale.languageToString(found)
    return english if current() == SOURCE else QLocale(code).nativeLanguageName() or english


def translated(message: str) -> str:
    """Return a message of the rooms below in the window's language; a plain text is returned as it is.

    Only templates are looked up. Values keep their own words, unless a value is itself a message.
    """
    if not isinstance(message, UserMessage):
        return message
    # The context "engine" is collected from the rooms below by tests/translations.py.
    template = QCoreApplication.translate("engine", message.template)
    if not message.values:
        return template
    values = {
        name: translated(value) if isinstance(value, str) else value for name, value in message.values.items()
    }
    return template.format_map(values)


def use(app: QGuiApplication, setting: str) -> None:
    """Show the language of a setting; every widget hears of it by a LanguageChange event."""
    name = chosen(setting)
    if name == current() and _installed:
        return
    _spoken[:] = [name]
    QLocale.setDefault(QLocale(name))
    for old, _ in _installed:
        app.removeTranslator(old)
    _installed.clear()
    if name != SOURCE:
        _install(app, Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)), f"qtbase_{name}.qm")
    _install(app, paths.resources() / "translations", f"explorer_{name}.qm")  # of English only the plurals
    app.setApplicationDisplayName(app.translate("StartPage", "Document Similarity Explorer"))


def _install(app: QGuiApplication, folder: Path, file: str) -> None:
    """Add the words of a file; without it the English ones stay."""
    try:
        words = (
            folder / file
        ).read_bytes()  # Qt would map the file, and crash when it is replaced while we run
    except OSError:
        return
    made = QTranslator(app)
    if made.load(words):
        app.installTranslator(made)
        _installed.append((made, words))  # Qt does not copy them
