"""The language of the window, which can change while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QLibraryInfo, QLocale, QTranslator
from PySide6.QtGui import QGuiApplication

from explorer import paths
from explorer.messages import UserMessage

NAMES = {"en": "English", "ko": "한국어"}  # each in its own language, so that it can be found again
SOURCE = "en"  # what the texts in the program are written in

_spoken = [SOURCE]  # the one language of the program
_installed: list[tuple[QTranslator, bytes]] = []


def current() -> str:
    """Return the current language, a key of NAMES."""
    return _spoken[0]


def chosen(setting: str) -> str:
    """Return the language of a setting; for "system" the system's if it is supported, else English."""
    if setting in NAMES:
        return setting
    spoken = (tag.replace("_", "-").partition("-")[0].lower() for tag in QLocale.system().uiLanguages())
    return next((tag for tag in spoken if tag in NAMES), SOURCE)


_NAMED = (
    QT_TRANSLATE_NOOP("language", "Arabic"),
    QT_TRANSLATE_NOOP("language", "Chinese"),
    QT_TRANSLATE_NOOP("language", "Dutch"),
    QT_TRANSLATE_NOOP("language", "English"),
    QT_TRANSLATE_NOOP("language", "French"),
    QT_TRANSLATE_NOOP("language", "German"),
    QT_TRANSLATE_NOOP("language", "Greek"),
    QT_TRANSLATE_NOOP("language", "Hebrew"),
    QT_TRANSLATE_NOOP("language", "Hindi"),
    QT_TRANSLATE_NOOP("language", "Indonesian"),
    QT_TRANSLATE_NOOP("language", "Italian"),
    QT_TRANSLATE_NOOP("language", "Japanese"),
    QT_TRANSLATE_NOOP("language", "Polish"),
    QT_TRANSLATE_NOOP("language", "Portuguese"),
    QT_TRANSLATE_NOOP("language", "Russian"),
    QT_TRANSLATE_NOOP("language", "Spanish"),
    QT_TRANSLATE_NOOP("language", "Swedish"),
    QT_TRANSLATE_NOOP("language", "Thai"),
    QT_TRANSLATE_NOOP("language", "Turkish"),
    QT_TRANSLATE_NOOP("language", "Ukrainian"),
    QT_TRANSLATE_NOOP("language", "Vietnamese"),
)  # the languages that have a name in the translations; others are called as they call themselves


def name_of(code: str) -> str:
    """Return the name of a language in English, or its own name in other interface languages; its code if unknown."""
    if code == "latin":  # in Latin letters, and too short or too mixed to tell
        return QCoreApplication.translate("language", "Not sure")
    language = QLocale.codeToLanguage(code)
    if language == QLocale.Language.AnyLanguage:
        return code
    english = QLocale.languageToString(language)
    # Qt knows what a language calls itself, such as "American English", and not what it is called in Korean.
    own = QCoreApplication.translate("language", english)
    return english if current() == SOURCE else own if own != english else QLocale(code).nativeLanguageName() or english


def names_of(codes: Sequence[str]) -> str:
    """Return the names of some languages within a sentence: all of one or two, the first two of more."""
    other = QCoreApplication.translate("language", "another language in Latin script")
    first, *second = [other if code == "latin" else name_of(code) for code in codes[:2]]
    if not second:
        return first
    if len(codes) == 2:
        return QCoreApplication.translate("language", "{first} and {second}").format(first=first, second=second[0])
    text = QCoreApplication.translate("language", "{first}, {second} and other languages")
    return text.format(first=first, second=second[0])


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
    values = {name: translated(value) if isinstance(value, str) else value for name, value in message.values.items()}
    return template.format_map(values)


def use(app: QGuiApplication, setting: str) -> None:
    """Apply the language of a setting; every widget gets a LanguageChange event."""
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
    """Install a translation file; without it the texts stay English."""
    try:
        words = (folder / file).read_bytes()  # Qt would map the file, and crash when it is replaced while we run
    except OSError:
        return
    made = QTranslator(app)
    if made.load(words):
        app.installTranslator(made)
        _installed.append((made, words))  # Qt does not copy them
