"""The map as its user meets it: mouse, wheel, keys, and what is seen."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFocusEvent, QImage, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from explorer.rendering.camera import Camera
from explorer.rendering.colours import Categories, amounts, style
from explorer.rendering.labels import Label
from explorer.ui.map.hover_card import CardText, HoverCard
from explorer.ui.map.view import MapView
from explorer.ui.map.view_box import DURATION, StepAnimation

PLACES = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, -1]], np.float32)
NONE, LEFT = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
SHIFT, CTRL, ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)


@pytest.fixture
def view(qapp: object) -> Iterator[MapView]:
    found = MapView()
    found.resize(600, 400)
    found.view_box.motion = False
    found.set_positions(PLACES)
    found.set_colouring(Categories(np.arange(len(PLACES))))
    found.show()
    found.view_box.fit()
    yield found
    found.close()
    found.deleteLater()


def spot(view: MapView, row: int) -> QPoint:
    x, y = view.view_box.camera.on_screen(*PLACES[row].tolist())
    return QPoint(round(x), round(y))


def send(view: MapView, kind: QEvent.Type, at: QPoint, keys: Qt.KeyboardModifier = NONE) -> None:
    """A mouse event with the left button down; QTest keeps no keys while it moves."""
    down = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else LEFT
    button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else LEFT
    where = QPointF(at)
    QApplication.sendEvent(view.viewport(), QMouseEvent(kind, where, view.mapToGlobal(where), button, down, keys))


def drag(view: MapView, way: list[QPoint], keys: Qt.KeyboardModifier = NONE) -> None:
    send(view, QEvent.Type.MouseButtonPress, way[0], keys)
    for start, stop in pairwise(way):
        for share in (0.25, 0.5, 0.75, 1.0):
            send(view, QEvent.Type.MouseMove, start + (stop - start) * share, keys)
    send(view, QEvent.Type.MouseButtonRelease, way[-1], keys)


def around(view: MapView, row: int, side: int = 25) -> list[QPoint]:
    at = spot(view, row)
    corners = [(-side, -side), (side, -side), (side, side), (-side, side), (-side, -side)]
    return [at + QPoint(x, y) for x, y in corners]


def wheel(view: MapView, at: QPoint, turn: int) -> None:
    where = QPointF(at)
    event = QWheelEvent(
        where,
        view.mapToGlobal(where),
        QPoint(),
        QPoint(0, turn),
        Qt.MouseButton.NoButton,
        NONE,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), event)


def colours(image: QImage) -> set[str]:
    values = {image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}
    return {QColor(value).name() for value in values}


def colour_at(view: MapView, row: int) -> QColor:
    return view.image(1.0).pixelColor(spot(view, row))


def saturation(colour: QColor) -> int:
    return max(colour.red(), colour.green(), colour.blue()) - min(colour.red(), colour.green(), colour.blue())


def test_all_points_are_seen_after_fitting(view: MapView):
    for row in range(len(PLACES)):
        assert view.rect().contains(spot(view, row))
        assert colour_at(view, row).name() != "#ffffff"


def test_a_click_says_which_row_and_which_keys(view: MapView):
    heard: list[tuple[int, Qt.KeyboardModifier]] = []
    view.clicked.connect(lambda row, keys: heard.append((row, keys)))
    QTest.mouseClick(view.viewport(), LEFT, NONE, spot(view, 3))
    QTest.mouseClick(view.viewport(), LEFT, CTRL, spot(view, 5))
    QTest.mouseClick(view.viewport(), LEFT, NONE, QPoint(3, 3))
    assert heard == [(3, NONE), (5, CTRL), (-1, NONE)]


def test_hovering_says_so_once_and_shows_the_card(view: MapView, wait: Callable[..., None]):
    heard: list[int] = []
    view.hovered.connect(heard.append)
    view.set_describe(lambda row: CardText(f"title {row}", "", "text"))
    card = view.findChild(HoverCard)
    for move in (QPoint(0, 0), QPoint(1, 0), QPoint(2, 1)):
        QTest.mouseMove(view.viewport(), spot(view, 2) + move)
    wait(card.isVisible)
    assert card.lines() == ["title 2", "text"]
    QTest.mouseMove(view.viewport(), QPoint(3, 3))
    assert heard == [2, -1]
    assert not card.isVisible()


def test_leaving_the_map_ends_hovering(view: MapView):
    heard: list[int] = []
    view.hovered.connect(heard.append)
    QTest.mouseMove(view.viewport(), spot(view, 2))
    QApplication.sendEvent(view.viewport(), QEvent(QEvent.Type.Leave))
    assert heard == [2, -1]


def test_dragging_moves_the_map_and_is_no_click(view: MapView):
    clicks: list[int] = []
    view.clicked.connect(lambda row, _: clicks.append(row))
    before = spot(view, 0)
    drag(view, [before, before + QPoint(60, -30)])
    assert spot(view, 0) == before + QPoint(60, -30)
    assert clicks == []


def test_the_wheel_zooms_around_the_cursor(view: MapView):
    at, scale = spot(view, 5), view.view_box.camera.scale
    wheel(view, at, 120)
    assert view.view_box.camera.scale == pytest.approx(scale * math.exp(0.24))
    assert spot(view, 5) == at
    wheel(view, at, -240)
    assert view.view_box.camera.scale < scale


def test_keys_zoom_and_fit(view: MapView):
    whole = view.view_box.camera
    QTest.keyClick(view, Qt.Key.Key_Plus)
    assert view.view_box.camera.scale == pytest.approx(1.5 * whole.scale)
    QTest.keyClick(view, Qt.Key.Key_Minus)
    QTest.keyClick(view, Qt.Key.Key_Minus)
    assert view.view_box.camera.scale < whole.scale
    QTest.keyClick(view, Qt.Key.Key_0)
    assert view.view_box.camera == whole


def test_a_double_click_zooms_in_and_with_shift_out(view: MapView):
    scale = view.view_box.camera.scale
    QTest.mouseDClick(view.viewport(), LEFT, NONE, spot(view, 1))
    assert view.view_box.camera.scale == pytest.approx(2 * scale)
    QTest.mouseDClick(view.viewport(), LEFT, SHIFT, spot(view, 1))
    assert view.view_box.camera.scale == pytest.approx(scale)


@pytest.mark.parametrize(
    ("keys", "how"),
    [(NONE, "replace"), (SHIFT, "add"), (CTRL, "subtract"), (ALT, "subtract"), (SHIFT | ALT, "intersect")],
)
@pytest.mark.parametrize("tool", ["lasso", "rectangle"])
def test_lasso_and_rectangle(view: MapView, tool: str, keys: Qt.KeyboardModifier, how: str):
    heard: list[tuple[list[int], str]] = []
    view.selected.connect(lambda rows, how: heard.append((rows.tolist(), how)))
    view.set_tool(tool)  # type: ignore[arg-type]
    if tool == "lasso":
        drag(view, around(view, 4), keys)
    else:
        drag(view, [spot(view, 4) - QPoint(25, 25), spot(view, 4) + QPoint(25, 25)], keys)
    assert heard == [([4], how)]


def test_the_mode_says_how_when_no_key_does(view: MapView):
    heard: list[str] = []
    view.selected.connect(lambda _, how: heard.append(how))
    view.set_tool("lasso", "intersect")
    drag(view, around(view, 4))
    assert heard == ["intersect"]


def test_with_the_hand_shift_draws_a_lasso(view: MapView):
    heard: list[tuple[list[int], str]] = []
    view.selected.connect(lambda rows, how: heard.append((rows.tolist(), how)))
    camera = view.view_box.camera
    drag(view, around(view, 0), SHIFT)
    assert heard == [([0], "replace")]
    assert view.view_box.camera == camera


def test_a_lasso_takes_only_what_matches_the_filter(view: MapView):
    heard: list[list[int]] = []
    view.selected.connect(lambda rows, _: heard.append(rows.tolist()))
    view.set_filter(np.arange(len(PLACES)) % 2 == 0)
    view.set_tool("rectangle")
    drag(view, [QPoint(2, 2), QPoint(598, 398)])
    assert heard == [[0, 2, 4, 6]]


def test_escape_lets_go_of_a_lasso_and_otherwise_belongs_to_the_window(qapp: object):
    class Window(QWidget):
        heard = 0

        def keyPressEvent(self, _event: object) -> None:
            self.heard += 1

    window = Window()
    view = MapView(window)
    view.resize(600, 400)
    view.set_positions(PLACES)
    view.set_tool("lasso")
    window.show()
    selected: list[object] = []
    view.selected.connect(lambda *what: selected.append(what))
    send(view, QEvent.Type.MouseButtonPress, QPoint(100, 100))
    for at in (QPoint(300, 100), QPoint(300, 300)):
        send(view, QEvent.Type.MouseMove, at)
    override = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    override.ignore()
    QApplication.sendEvent(view, override)
    assert override.isAccepted()  # or Esc of the window would take the marks off
    QTest.keyClick(view, Qt.Key.Key_Escape)
    send(view, QEvent.Type.MouseButtonRelease, QPoint(100, 300))
    assert selected == []
    assert window.heard == 0
    QTest.keyClick(view, Qt.Key.Key_Escape)
    QTest.keyClick(view, Qt.Key.Key_J)
    assert window.heard == 2
    window.close()
    window.deleteLater()


def test_arrows_walk_to_true_neighbours(view: MapView):
    heard: list[int] = []
    view.clicked.connect(lambda row, _: heard.append(row))
    view.clicked.connect(lambda row, _: view.set_focused(row))
    view.set_neighbours(lambda row: {0: [5, 4, 3], 5: [0, 1]}.get(row, []))
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Down):
        QTest.keyClick(view, key)
    # The first key focuses what is in the middle; 5 has no neighbour above; 1 lies straight below it.
    assert heard == [0, 5, 1]


def test_shift_and_arrows_move_the_view(view: MapView):
    before = view.view_box.camera
    QTest.keyClick(view, Qt.Key.Key_Right, SHIFT)
    assert view.view_box.camera.x > before.x
    assert view.view_box.camera.y == before.y


def test_enter_opens_what_is_focused(view: MapView):
    heard: list[int] = []
    view.activated.connect(heard.append)
    QTest.keyClick(view, Qt.Key.Key_Return)
    view.set_focused(3)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert heard == [3]


@pytest.mark.parametrize("dark", [False, True])
def test_the_rest_is_grey_while_something_is_meant(view: MapView, dark: bool):
    view.set_style(style(dark=dark))
    vivid = [saturation(colour_at(view, row)) for row in range(len(PLACES))]
    assert min(vivid) > 60
    view.set_filter(np.arange(len(PLACES)) < 3)
    assert all(saturation(colour_at(view, row)) > 60 for row in range(3))
    assert all(saturation(colour_at(view, row)) < 30 for row in range(3, 7))
    view.set_filter(None)
    view.set_marks([6])
    assert saturation(colour_at(view, 6)) > 60
    assert saturation(colour_at(view, 0)) < 30
    view.set_marks([])
    assert [saturation(colour_at(view, row)) for row in range(len(PLACES))] == vivid


def test_context_can_still_be_pointed_at_but_what_is_meant_comes_first(view: MapView):
    view.set_positions(np.array([[0, 0], [0.001, 0], [1, 1], [-1, -1], [1, 0], [0, 1], [-1, 1]], np.float32))
    view.set_filter(np.arange(7) == 1)
    assert view.row_at(*view.view_box.camera.on_screen(0, 0)) == 1
    assert view.row_at(*view.view_box.camera.on_screen(1, 1)) == 2


def test_focus_hits_and_query_are_seen(view: MapView):
    accent = QColor(style().accent).name()
    assert accent not in colours(view.image(1.0))
    view.set_focused(3)
    ring = colours(view.image(1.0))
    assert accent in ring
    view.set_focused(-1)
    view.set_query((0.5, -0.5))
    x, y = view.view_box.camera.on_screen(0.5, -0.5)
    assert view.image(1.0).pixelColor(round(x) + 8, round(y)).name() == accent
    view.set_query(None)
    plain = view.image(1.0)
    view.set_hits([5, 6], [0.9, 0.2])
    glowing = view.image(1.0)
    strong, weak = spot(view, 5) + QPoint(13, 0), spot(view, 6) + QPoint(13, 0)
    assert glowing.pixelColor(strong).red() < glowing.pixelColor(weak).red() < plain.pixelColor(weak).red()


def test_new_places_keep_the_view(view: MapView):
    view.view_box.look_at(view.view_box.camera.closer(3, 300, 200))
    camera = view.view_box.camera
    view.set_positions(PLACES * 1.1)
    assert view.view_box.camera == camera


def test_a_view_that_nobody_moved_goes_on_showing_all(view: MapView):
    view.set_positions(PLACES * 5)
    seen = view.view_box.camera.seen()
    assert seen.left < -5
    assert seen.high > 5


def test_points_travel_and_arrive(view: MapView, wait: Callable[..., None]):
    view.view_box.motion = True
    view.view_box.look_at(view.view_box.camera.closer(1.2, 300, 200))
    rows: set[int] = set()
    goal = PLACES[::-1].copy()
    view.set_positions(goal, animate=True)
    wait(lambda: not any(motion.running for motion in view.findChildren(StepAnimation)))
    rows = {view.row_at(*view.view_box.camera.on_screen(*place)) for place in goal.tolist()}
    assert view.row_at(*view.view_box.camera.on_screen(*goal[0].tolist())) == 0
    assert rows == set(range(len(PLACES)))


def test_motion_is_short_and_ends_at_its_goal(view: MapView, wait: Callable[..., None]):
    assert DURATION < 250
    whole = view.view_box.camera
    view.view_box.motion = True
    view.view_box.zoom(2.0)
    assert view.view_box.camera.scale < 1.5 * whole.scale
    wait(lambda: view.view_box.camera.scale == pytest.approx(2 * whole.scale))


def test_many_updates_a_second_never_show_a_blank_map(view: MapView, wait: Callable[..., None]):
    def drawn() -> bool:
        return len(colours(view.grab(view.rect().adjusted(150, 100, -150, -100)).toImage())) > 3

    view.view_box.motion = True
    wait(drawn)
    for turn in range(30):
        view.set_positions((PLACES * (1 + 0.01 * turn)).astype(np.float32), animate=True)
        QApplication.processEvents()
        assert drawn()


def test_other_points_forget_focus_marks_and_filter(view: MapView):
    view.set_focused(6)
    view.set_marks([6])
    view.set_filter(np.ones(7, bool))
    view.set_hits([6], [1.0])
    view.set_positions(PLACES[:3])
    view.set_colouring(Categories(np.arange(3)))
    assert saturation(colour_at(view, 0)) > 60
    assert not view.grab().isNull()


@pytest.mark.parametrize("count", [0, 1, 2, 300])
def test_hardly_any_points_and_all_in_one_place(view: MapView, count: int):
    view.set_positions(np.full((count, 2), 3.0, np.float32))
    view.set_colouring(Categories(np.zeros(count, np.int64)))
    view.set_terrain(density=True, contours=True)
    view.set_levels([[Label("here", 3, 3, count)]])
    view.view_box.fit()
    view.view_box.zoom(3.0)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Plus, Qt.Key.Key_0):
        QTest.keyClick(view, key)
    assert not view.grab().isNull()
    assert (view.row_at(300, 200) >= 0) == (count > 0)


def test_what_does_not_fit_is_refused_and_nothing_changes(view: MapView):
    before = view.image(1.0)
    bad = PLACES.copy()
    bad[3, 0] = np.nan
    for motion in (False, True):
        view.view_box.motion = motion
        with pytest.raises(ValueError, match="not a number"):
            view.set_positions(bad)
    refused = (
        lambda: view.set_colouring(Categories(np.zeros(3, np.int64))),
        lambda: view.set_filter(np.ones(3, bool)),
        lambda: view.set_marks([7]),
        lambda: view.set_hits([0, -1], [1.0, 1.0]),
        lambda: view.set_hits([0], []),
        lambda: view.view_box.zoom_to([9]),
    )
    for attempt in refused:
        with pytest.raises(ValueError, match=r"\d"):
            attempt()
    assert view.image(1.0) == before


def test_zooming_to_rows_shows_them(view: MapView):
    view.view_box.zoom_to([1, 5])
    seen = view.view_box.camera.seen()
    assert seen.left < 1 < seen.right
    assert seen.low < 0
    assert seen.high > 1
    assert seen.left > -1
    view.view_box.zoom_to([])


def test_a_row_outside_is_brought_in_and_one_inside_is_left_alone(view: MapView):
    view.view_box.look_at(view.view_box.camera.closer(4, *view.view_box.camera.on_screen(1, 1)))
    view.set_focused(6, show=True)
    assert view.rect().contains(spot(view, 6))
    camera = view.view_box.camera
    view.set_focused(6, show=True)
    assert view.view_box.camera == camera


def test_screen_readers_hear_what_is_focused(view: MapView):
    assert view.accessibleName()
    nothing = view.accessibleDescription()
    view.set_describe(lambda row: CardText(f"Title {row}", "folder", "words"))
    view.set_focused(2)
    assert view.accessibleDescription() == "Title 2. folder. words"
    view.set_focused(-1)
    assert view.accessibleDescription() == nothing


def test_the_keyboard_focus_is_seen_where_it_came_by_key(view: MapView, wait: Callable[..., None]):
    accent = QColor(style().accent).name()

    def framed() -> bool:
        return view.grab().toImage().pixelColor(1, 200).name() == accent

    view.activateWindow()
    wait(view.isActiveWindow)
    view.clearFocus()
    view.setFocus(Qt.FocusReason.MouseFocusReason)
    assert not framed()
    view.clearFocus()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    assert framed()
    QApplication.sendEvent(view, QFocusEvent(QEvent.Type.FocusIn, Qt.FocusReason.ActiveWindowFocusReason))
    assert framed()
    view.clearFocus()
    assert not framed()


def test_resizing_keeps_the_whole_or_the_middle(view: MapView):
    view.resize(400, 300)
    QApplication.processEvents()
    assert all(view.rect().contains(spot(view, row)) for row in range(len(PLACES)))
    view.view_box.look_at(Camera(1, 1, 400, 400, 300))
    view.resize(700, 500)
    QApplication.processEvents()
    assert (view.view_box.camera.x, view.view_box.camera.y) == pytest.approx((1, 1), abs=0.01)


def test_amounts_colour_too(view: MapView):
    view.set_colouring(amounts(np.arange(7.0)))
    assert colour_at(view, 0).name() != colour_at(view, 6).name()


def test_terrain_lies_behind_the_points(view: MapView):
    chance = np.random.default_rng(0)
    places = chance.normal(size=(3000, 2)).astype(np.float32)
    view.set_positions(places)
    plain = view.image(1.0)
    view.set_terrain(density=True, contours=False)
    tinted = view.image(1.0)
    assert tinted != plain
    view.set_terrain(density=False, contours=True)
    assert view.image(1.0) not in (plain, tinted)
    view.set_terrain(density=False, contours=False)
    assert view.image(1.0) == plain


def test_pinching_zooms(view: MapView):
    from PySide6.QtGui import QNativeGestureEvent, QPointingDevice

    scale, at = view.view_box.camera.scale, QPointF(300, 200)
    event = QNativeGestureEvent(
        Qt.NativeGestureType.ZoomNativeGesture,
        QPointingDevice.primaryPointingDevice(),
        2,
        at,
        at,
        view.mapToGlobal(at),
        0.5,
        QPointF(),
    )
    QApplication.sendEvent(view.viewport(), event)
    assert view.view_box.camera.scale == pytest.approx(1.5 * scale)


def test_a_hundred_thousand_points_with_everything_on(view: MapView):
    chance = np.random.default_rng(0)
    count = 100_000
    view.set_positions(chance.normal(size=(count, 2)).astype(np.float32))
    view.set_colouring(Categories(chance.integers(-1, 20, count)))
    view.set_filter(chance.random(count) < 0.3)
    view.set_marks(np.arange(0, count, 7))
    view.set_terrain(density=True, contours=True)
    for closer in (1, 3, 10, 100):
        view.view_box.look_at(view.view_box.camera.closer(closer, 320, 210))
        assert not view.grab().isNull()


def test_labels_go_beside_the_points_once_the_map_rests(view: MapView, wait: Callable[..., None]) -> None:
    view.set_levels([[Label("a name", 0, 0, 7)]])
    view.view_box.move(30, 0)
    QApplication.processEvents()
    wait(lambda: not view._rest.isActive())
    wait(lambda: view._painter.sharp(view.devicePixelRatioF()))
    (placed,) = view._painter._placed(view.view_box.camera, view._overlays, moving=True)  # what is on the screen
    x, y = view.view_box.camera.on_screen(0, 0)
    assert abs(placed.x - x) > placed.half_width - 5 or abs(placed.y - y) > placed.half_height


def test_a_name_is_over_no_disc_whatever_moves_last(view: MapView, wait: Callable[..., None]) -> None:
    view.set_levels([[Label("a name", *PLACES[0].tolist(), 7)]])
    for factor in (1.3, 0.7, 1.1):
        view.view_box.zoom(factor, animate=False)
        wait(lambda: view._painter.sharp(view.devicePixelRatioF()))
        radius = view.view_box.points.radius(view.view_box.camera)
        for placed in view._painter._placed(view.view_box.camera, view._overlays, moving=True):
            for row in range(len(PLACES)):
                x, y = view.view_box.points.at(row, view.view_box.camera)
                beyond = max(abs(x - placed.x) - placed.half_width + 5, abs(y - placed.y) - placed.half_height)
                assert beyond >= radius - 1
