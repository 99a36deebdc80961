"""What was opened and closed again leaves nothing behind: no widget, no model, no vectors, no open file."""

from __future__ import annotations

import contextlib
import gc
import weakref
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractAnimation, QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QAbstractButton, QApplication

from explorer.ui.look import language, theme
from tests.ui.window.test_unplugged import Seat


def objects(seat: Seat) -> Counter[str]:
    """The objects of Qt that belong to the window, by kind, when all that was given up is gone."""
    running = QAbstractAnimation.State.Running
    # Qt makes one to fade a scroll bar or to move a dock, and deletes it at its end.
    seat.wait(lambda: all(one.state() != running for one in seat.window.findChildren(QAbstractAnimation)))
    QApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    return Counter(type(one).__name__ for one in seat.window.findChildren(QObject))


def strays() -> int:
    """Buttons without a parent, each a window of its own."""
    return sum(isinstance(one, QAbstractButton) for one in QApplication.topLevelWidgets())


def running() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    return app


def themes(_: Seat) -> None:
    for look in (theme.DARK, theme.LIGHT):
        theme.apply(running(), look)
        QApplication.processEvents()


def languages(_: Seat) -> None:
    for name in ("ko", "en"):
        language.use(running(), name)
        QApplication.processEvents()


def boxes(seat: Seat) -> None:
    """Every box and menu that a key or a menu opens without asking for a file."""
    from explorer.ui.help.window import AboutDialog, ShortcutsDialog

    seat.read_first()
    seat.window.show_settings()
    for box in (ShortcutsDialog([], seat.window), AboutDialog(seat.actions, seat.window)):
        box.open()
    seat.window.show_palette()
    QApplication.processEvents()
    for top in QApplication.topLevelWidgets():
        if top is not seat.window and top.isVisible() and top.parent() is not None:
            top.close()
    seat.settle()


def notices(seat: Seat) -> None:

    for number in range(40):  # more than are kept
        seat.actions.notify(f"Something {number}.")


def queries(seat: Seat) -> None:
    for text in ("ship", "a cat", "", '"unfinished', ""):
        seat.search(text)
    seat.read_first()


def test_doing_it_again_adds_nothing(seat: Seat) -> None:
    doings: tuple[Callable[[Seat], None], ...] = (themes, languages, boxes, notices, queries)
    alone = strays()
    for doing in doings * 2:
        doing(seat)
    before = objects(seat)
    for doing in doings:
        for _ in range(2):
            doing(seat)
        after = objects(seat)
        more = {kind: count - before[kind] for kind, count in after.items() if count > before[kind]}
        assert more == {}, doing.__name__
    assert strays() <= alone


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts open files")
def test_a_folder_that_was_left_is_let_go(seat: Seat) -> None:
    def count_files() -> int:
        return sum(1 for _ in Path("/proc/self/fd").iterdir())

    def is_watched() -> bool:
        for entry in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # closed since it was listed
                if "inotify" in str(entry.readlink()):
                    return True
        return False

    def leave() -> None:
        seat.actions.close_folder()
        seat.settle()
        seat.wait(lambda: seat.session.folder is None)

    def leave_and_return() -> None:
        leave()
        seat.open(seat.folder)
        seat.search("ship")

    leave_and_return()
    workspace = seat.actions._workspace
    assert workspace is not None
    held = [weakref.ref(workspace.models.encoder()), weakref.ref(workspace.search), weakref.ref(workspace.overview)]

    seat.wait(is_watched)  # the folder's watcher begins in a thread of its own, and opens files of its own
    before = count_files()  # with the workspace in hand, as the frames of a library may have it
    for _ in range(4):
        leave_and_return()

    # The thread that watched the folder closes its files a moment after it was told to end.
    seat.wait(lambda: count_files() <= before + 2)
    leave()  # a model that is open is opened once: coming back at once finds the one before

    def is_let_go() -> bool:
        gc.collect()
        return [one() for one in held] == [None] * len(held)

    seat.wait(is_let_go)  # the last answer of a worker may still be on its way to the UI thread
    del workspace
