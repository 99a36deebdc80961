"""English and Korean: nothing is untranslated, and the window changes from one to the other while it is open."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from explorer.errors import DataError, WorkspaceError
from explorer.messages import UserMessage
from explorer.task import Progress, Task
from explorer.ui.controllers.workspace import Controllers
from tests import translations

Wait = Callable[..., None]

# What is written so in Korean too: names of formats, programs, measures, keys and devices.
NAMES = set(
    """
    BM25 CPU CSV Ctrl CUDA DRM Enter Esc F1 F2 F5 HTML JSON JSONL LaTeX LoRA Markdown MPS OCR p Parquet PDF PNG
    reStructuredText RTF EPUB Shift SimCSE Space SVG TSV Alt Del Return Home End nDCG MRR AUC CoSENT softmax English
    author Kim like txt MB GB KB kB huggingface co Document Similarity Explorer
    explorer gte minilm cross encoder float32 bfloat16 float16
    all MiniLM L6 L12 v2 v3 mpnet base paraphrase multilingual use e5 small ms marco apache mit en ko zh ja de fr es
    C J K R X T G M Z S E A O L W N Q B D F H I U V
""".split()
)
WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
KOREAN = re.compile("[가-힣]")


@pytest.fixture
def speak(qapp: object) -> Iterator[Callable[[str], None]]:
    """Changes the language; English again at the end."""
    from PySide6.QtWidgets import QApplication

    from explorer.ui.look import language

    running = QApplication.instance()
    assert isinstance(running, QApplication)

    def use(name: str) -> None:
        language.use(running, name)
        QApplication.processEvents()

    yield use
    use("en")


def test_every_text_of_the_window_is_translated(tmp_path: Path) -> None:
    fresh = tmp_path / translations.KOREAN.name
    fresh.write_bytes(translations.KOREAN.read_bytes())
    translations.look(fresh)
    missing = [f"{one.context}: {one.source}" for one in translations.entries(fresh) if not one.translation]
    assert not missing, "run `python tests/translations.py` and translate what it prints"
    assert all(one.context for one in translations.entries(fresh)), "a text outside a class has no context"


def test_a_translation_has_the_places_of_its_text() -> None:
    for one in translations.entries(translations.KOREAN):
        # A sentence may name its file once more or once less often in another language; the names must be the same.
        assert set(translations.holes(one.translation)) == set(translations.holes(one.source)), one
        assert one.translation.count("&") == one.source.count("&"), one
        assert one.source.endswith("…") == one.translation.endswith("…"), one
        assert KOREAN.search(one.translation) or not _foreign(one.translation), one


@pytest.mark.parametrize("source", [translations.KOREAN, translations.PLURALS], ids=["ko", "en"])
def test_what_the_window_loads_is_what_was_translated(qapp: object, source: Path) -> None:
    from PySide6.QtCore import QTranslator

    loaded = QTranslator()
    assert loaded.load(str(source.with_suffix(".qm")))
    for one in translations.entries(source):
        found = loaded.translate(one.context, one.source, None, 1)
        assert found == one.translation.split("\n")[0], "run `python tests/translations.py`"


def test_every_visible_word_is_korean(actions: Controllers, speak: Callable[[str], None], wait: Wait) -> None:
    from explorer.ui.settings.dialog import SettingsDialog
    from explorer.ui.window.main_window import MainWindow

    speak("ko")
    window = MainWindow(actions.session, actions)
    dialog = SettingsDialog(actions.session, actions, window)
    window.show()
    wait(lambda: not actions.runner.jobs())

    seen = _texts(window)

    assert len([text for text in seen if KOREAN.search(text)]) > 300
    assert not {text for text in seen if _foreign(text)}
    dialog.close()
    window.close()


def test_an_open_window_changes_its_language_and_back(
    actions: Controllers, speak: Callable[[str], None], wait: Wait
) -> None:
    from explorer.ui.settings.dialog import SettingsDialog
    from explorer.ui.window.main_window import MainWindow

    speak("en")
    window = MainWindow(actions.session, actions)
    dialog = SettingsDialog(actions.session, actions, window)
    window.show()
    wait(lambda: not actions.runner.jobs())
    before = _texts(window)

    speak("ko")
    korean = _texts(window)
    speak("en")

    assert not {text for text in korean if _foreign(text)}
    assert _texts(window) == before
    dialog.close()
    window.close()


@pytest.mark.bundled
def test_panels_full_of_documents_change_their_language(
    actions: Controllers, speak: Callable[[str], None], wait: Wait, sample_copy: Path
) -> None:
    from explorer.ui.window.main_window import MainWindow

    session = actions.session
    speak("en")
    window = MainWindow(session, actions)
    window.show()
    actions.open_folder(sample_copy)
    wait(lambda: session.listing is not None)
    actions.search.ask("rocket launch")
    wait(lambda: session.search is not None and session.search.results is not None)
    assert session.search is not None
    assert session.search.results is not None
    session.focus(session.search.results.hits[0].document)
    wait(lambda: bool(window.docks.reader.page))
    english = _patterns()
    assert session.listing is not None
    titles = set(session.listing.titles)  # these stay as they are, and "{number} of {count}" fits some of them
    assert len([text for text in _texts(window, seen=True) if english.fullmatch(text)]) > 50

    speak("ko")

    assert not [text for text in _texts(window, seen=True) if english.fullmatch(text) and text not in titles]
    window.close()


def test_messages_of_other_rooms_are_translated(speak: Callable[[str], None]) -> None:
    from explorer.analysis.search.query import QueryError, parse
    from explorer.corpus.readers.files import damaged
    from explorer.ui.jobs.messages import describe_error
    from explorer.ui.look.language import translated

    error = WorkspaceError("{target}: there is no such folder. Check its name.", target="/a/b")
    assert describe_error(error).sentence == str(error)
    speak("ko")
    assert describe_error(error).sentence == "/a/b: 그런 폴더가 없습니다. 이름을 확인하세요."
    with pytest.raises(QueryError) as refused:
        parse("a date:")
    assert translated(refused.value.message).startswith("검색어의 3번째 글자: date 항목에")
    broken = damaged(Path("x.pdf"), UserMessage("it cannot be opened as a PDF"))
    assert translated(broken.message) == (
        "x.pdf: 손상되었습니다(PDF로 열 수 없음). 온전한 사본을 구하거나 다시 저장하세요."
    )
    assert translated("encoding") == "encoding", "a plain text may be a name"


def test_values_of_a_message_keep_their_own_words(speak: Callable[[str], None]) -> None:
    from explorer.ui.look.language import translated

    speak("ko")
    progress: list[Progress] = []
    Task(progress.append).report(0, 1, "encoding")
    assert translated(progress[0].note) == "의미 분석 중"
    # A column called like a progress note was once shown as that note's translation.
    error = DataError(
        "The documents have no “{by}” to colour by. Choose one of: {known}.", by="encoding", known="reading"
    )
    assert "encoding" in translated(error.message)
    assert KOREAN.search(translated(error.message))


def test_the_language_of_the_system_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    from PySide6.QtCore import QLocale

    from explorer.ui.look import language

    for spoken, shown in (("ko-KR", "ko"), ("en-US", "en"), ("de-DE", "en")):
        monkeypatch.setattr(QLocale, "system", lambda spoken=spoken: QLocale(spoken))
        assert language.chosen("system") == shown
    assert language.chosen("ko") == "ko"


def test_the_buttons_of_qt_are_korean(speak: Callable[[str], None]) -> None:
    from PySide6.QtWidgets import QDialogButtonBox

    speak("ko")
    box = QDialogButtonBox(
        QDialogButtonBox.StandardButton.Ok
        | QDialogButtonBox.StandardButton.Cancel
        | QDialogButtonBox.StandardButton.Yes
    )
    assert all(KOREAN.search(button.text()) for button in box.buttons()), [one.text() for one in box.buttons()]


def _foreign(text: str) -> bool:
    """Whether a text has a word that is no name and no Korean one beside it."""
    words = set(WORD.findall(re.sub(r"<[^>]+>|\{[^}]*\}|&\w+;|\*?\.\w+|/\S+|%n|\w+\.\w+", " ", text)))
    return bool(words - NAMES) if not KOREAN.search(text) else False


def _patterns() -> re.Pattern[str]:
    """What fits any text of the program in English, with its values."""
    texts = {one.source for one in translations.entries(translations.KOREAN) if one.source != one.translation}
    made = [".*".join(re.escape(part) for part in translations.HOLE.split(text)) for text in texts if len(text) > 12]
    return re.compile("(?:<p>)?(?:" + "|".join(made) + ")(?:</p>)?", re.DOTALL)


def _texts(window: object, *, seen: bool = False) -> list[str]:
    """All that a window says, to eyes and to screen readers, in the order of its widgets; or what is seen of it."""
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QAbstractItemView, QComboBox, QTabBar, QWidget

    assert isinstance(window, QWidget)
    found: list[str] = []
    for widget in (window, *window.findChildren(QWidget)):
        if widget.objectName().startswith("qt_") or isinstance(widget.parent(), QTabBar):  # Qt's own
            continue
        if seen and not widget.isVisibleTo(window):
            continue
        for name in ("text", "title", "windowTitle", "placeholderText", "toolTip", "accessibleName", "suffix"):
            value = getattr(widget, name, None)
            found.append(str(value()) if callable(value) else "")
        if isinstance(widget, QComboBox):
            found += [widget.itemText(place) for place in range(widget.count())]
        if isinstance(widget, QTabBar):
            found += [widget.tabText(place) for place in range(widget.count())]
        if isinstance(widget, QAbstractItemView) and widget.model() is not None:
            found += _cells(widget)
    found += [text for action in window.findChildren(QAction) for text in (action.text(), action.toolTip())]
    return [text for text in found if text]


def _cells(view: object) -> list[str]:
    from PySide6.QtCore import QAbstractListModel, Qt
    from PySide6.QtWidgets import QAbstractItemView

    assert isinstance(view, QAbstractItemView)
    model = view.model()
    told = [
        model.headerData(section, Qt.Orientation.Horizontal, role)
        for section in range(0 if isinstance(model, QAbstractListModel) else model.columnCount())
        for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
    ]
    rows = [model.index(row, 0).data() for row in range(min(50, model.rowCount()))]
    return [str(text) for text in (*told, *rows) if isinstance(text, str)]
