"""How fast this machine is: learnt from an update, used for the next guess."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer import paths
from explorer.services import encoding_speed, folder_preview
from explorer.settings import Settings
from explorer.task import Cancelled, Task

WORK = float(encoding_speed.BUNDLED_WORK)


def test_the_guess_follows_what_was_learnt() -> None:
    chosen = Settings()
    before = folder_preview.seconds(10e6, WORK, chosen)
    encoding_speed.note(1e6, 1000.0, WORK, chosen)
    assert encoding_speed.known(chosen) == pytest.approx(1000.0)
    low, high = folder_preview.seconds(10e6, WORK, chosen)
    assert low < 10_000 + 60 < high
    assert (low, high) != before
    assert folder_preview.seconds(10e6, 8 * WORK, chosen)[0] > 5 * low


def test_a_larger_model_teaches_the_same_as_the_bundled_one() -> None:
    encoding_speed.note(1e6, 800.0, 8 * WORK, Settings())
    assert encoding_speed.known(Settings()) == pytest.approx(1e6 / 100)


def test_small_updates_and_other_devices_teach_nothing() -> None:
    encoding_speed.note(10.0, 100.0, WORK, Settings())
    encoding_speed.note(1e6, 0.1, WORK, Settings())
    assert encoding_speed.known(Settings()) is None
    encoding_speed.note(1e6, 10.0, WORK, Settings())
    assert encoding_speed.known(Settings(device="cuda")) is None


@pytest.mark.parametrize("spoilt", ["{", "[]", '{"auto 0": "x"}', '{"auto 0": -3}', '{"auto 0": NaN}'])
def test_a_spoilt_file_is_as_none(spoilt: str) -> None:
    file = paths.cache() / "pace.json"
    file.parent.mkdir(parents=True)
    file.write_text(spoilt, encoding="utf-8")
    assert encoding_speed.known(Settings()) is None
    encoding_speed.note(1e6, 10.0, WORK, Settings())
    assert encoding_speed.known(Settings()) == pytest.approx(1e5)


def test_the_cost_of_a_model_is_read_from_its_configuration(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"num_hidden_layers": 12, "hidden_size": 768}', encoding="utf-8")
    assert encoding_speed.work_of(tmp_path) == 12 * 768**2
    assert encoding_speed.work_of(tmp_path / "missing") == encoding_speed.work_of(None) == WORK


def test_a_network_of_windows_costs_what_its_products_do(tmp_path: Path) -> None:
    sizes = '"hidden_size": 512, "width": 256, "windows": [[2, 0], [3, 1], [5, 2]]'
    (tmp_path / "config.json").write_text(f'{{"model_type": "explorer-ngram", {sizes}}}', "utf-8")
    assert encoding_speed.work_of(tmp_path) == pytest.approx(WORK / 4.5)  # measured: 3.2 to 4.8


def test_a_measurement_covers_each_precision_and_is_remembered(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(encoding_speed, "_TRIAL_SECONDS", 0.05)
    monkeypatch.setattr(encoding_speed, "LEAST", (1, 0.0))
    chosen = Settings(model=str(tiny), device="cpu", precision="float32")
    found = encoding_speed.measure(chosen, Task())
    assert [(speed.device, speed.precision, speed.used) for speed in found if speed.device == "cpu"] == [
        ("cpu", "float32", True),
        ("cpu", "bfloat16", False),
    ]
    assert all(speed.size == pytest.approx(speed.texts * speed.length) and speed.size > 0 for speed in found)
    assert encoding_speed.known(chosen) is not None
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("x" * 1000)
    assert folder_preview.text_of(tmp_path / "texts", Task()) == (1, 1000.0)


def test_a_measurement_can_be_stopped(tiny: Path) -> None:
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        encoding_speed.measure(Settings(model=str(tiny), device="cpu"), task)
