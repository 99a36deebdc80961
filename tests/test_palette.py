"""The colours: told apart with every kind of eye, steady as groups are added, even in lightness."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from explorer import palette

# What is left of linear red, green and blue without green cones and without red ones (Machado and others, 2009).
WITHOUT_GREEN = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
WITHOUT_RED = [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
FULL = np.eye(3)


def linear(colour: str) -> np.ndarray:
    values = np.array(palette.channels(colour)) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def oklab(light: np.ndarray) -> np.ndarray:
    cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    axes = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    return np.array(axes) @ np.cbrt(np.array(cones) @ np.clip(light, 0, 1))


def luminance(colour: str) -> float:
    return float(linear(colour) @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("eye", [FULL, WITHOUT_GREEN, WITHOUT_RED], ids=["full", "no green", "no red"])
def test_the_first_dozen_can_be_told_apart(eye, dark):
    seen = [oklab(np.array(eye) @ linear(colour)) for colour in palette.qualitative(12, dark=dark)]
    least = min(float(np.linalg.norm(one - other)) for one, other in itertools.combinations(seen, 2))
    assert least > 0.07  # eight well-known colour-blind-safe ones have 0.076


@pytest.mark.parametrize("dark", [False, True])
def test_every_colour_stands_out_from_the_ground(dark):
    ground = luminance(palette.BACKGROUND[dark])
    for colour in [*palette.qualitative(60, dark=dark), palette.ramp(0, dark=dark), palette.ramp(0.9, dark=dark)]:
        low, high = sorted((ground, luminance(colour)))
        assert (high + 0.05) / (low + 0.05) > 1.7


def test_text_is_readable():
    for dark in (False, True):
        for colour in (palette.FOREGROUND[dark], palette.FAINT[dark], palette.ACCENT[dark]):
            low, high = sorted((luminance(palette.BACKGROUND[dark]), luminance(colour)))
            assert (high + 0.05) / (low + 0.05) >= 4.5


def test_a_group_keeps_its_colour_when_others_are_added():
    assert palette.qualitative(30)[:20] == palette.qualitative(20)
    assert palette.qualitative(20)[:5] == palette.qualitative(5)
    assert palette.qualitative(0) == []


def test_further_colours_are_different_and_of_one_lightness():
    further = palette.qualitative(80)[12:]
    assert len(set(further)) == len(further)
    lightness = [oklab(linear(colour))[0] for colour in further]
    assert max(lightness) - min(lightness) < 0.03


@pytest.mark.parametrize("dark", [False, True])
def test_the_ramp_gets_steadily_lighter(dark):
    lightness = [oklab(linear(palette.ramp(step / 50, dark=dark)))[0] for step in range(51)]
    steps = np.diff(lightness)
    assert (steps > 0).all()
    assert steps.max() < 3 * steps.mean()


def test_amounts_outside_get_the_colour_of_the_end():
    assert palette.ramp(-3) == palette.ramp(0)
    assert palette.ramp(7) == palette.ramp(1)
