"""The map of the window as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np
import pytest

from explorer.rendering import picture
from explorer.rendering.colours import Categories, style
from explorer.rendering.labels import Label
from explorer.ui.map.view import MapView

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def view(qapp: object) -> Iterator[MapView]:
    chance = np.random.default_rng(0)
    found = MapView()
    found.resize(500, 400)
    found.set_positions(chance.normal(size=(200, 2)).astype(np.float32))
    found.set_colouring(Categories(chance.integers(0, 3, 200)))
    found.set_levels([[Label("배 & <buts>\x07", 0, 0, 9)]])
    found.view_box.fit(animate=False)
    yield found
    found.deleteLater()


def drawing(view: MapView) -> ElementTree.Element:
    return ElementTree.fromstring(picture.svg(view.snapshot()))


def test_an_image_is_what_is_seen_twice_as_fine(view: MapView):
    image = view.image()
    assert (image.width(), image.height()) == (1000, 800)
    assert image.pixelColor(2, 2).name() == style().background


def test_an_svg_has_each_point_and_text_as_text(view: MapView):
    view.set_focused(3)
    view.set_query((0.5, 0.5))
    view.set_hits([1, 2], [1.0, 0.5])
    view.set_terrain(density=False, contours=True)
    root = drawing(view)
    assert root.get("viewBox") == "0 0 500 400"
    plain = [circle for circle in root.iter(f"{SVG}circle") if set(circle.keys()) == {"cx", "cy", "r"}]
    assert len(plain) == 200
    assert [text.text for text in root.iter(f"{SVG}text")] == ["배 & <buts>"]
    assert len([circle for circle in root.iter(f"{SVG}circle") if circle.get("fill") == "url(#glow)"]) == 2
    assert [circle.get("stroke") for circle in root.iter(f"{SVG}circle") if circle.get("fill") == "none"] == [
        style().background,
        style().accent,
    ]
    assert len(list(root.iter(f"{SVG}path"))) >= 5


def test_only_what_is_seen_is_written(view: MapView):
    view.view_box.look_at(view.view_box.camera.closer(6, 250, 200))
    circles = list(drawing(view).iter(f"{SVG}circle"))
    assert 0 < len(circles) < 100
    assert all(-20 < float(circle.get("cx", "nan")) < 520 for circle in circles)


def test_very_many_points_are_one_picture(view: MapView, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(picture, "CIRCLES", 100)
    root = drawing(view)
    assert not list(root.iter(f"{SVG}circle"))
    (image,) = root.iter(f"{SVG}image")
    assert str(image.get("href")).startswith("data:image/png;base64,iVBOR")
