"""map and projector as people and programs call them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from explorer import paths
from tests.cli.conftest import Run
from tests.cli.test_clusters import FEW
from tests.conftest import WORDS, Indexed

KEYS = {"out", "documents", "method", "finished", "placed", "trust", "remarks"}


@pytest.fixture
def texts(indexed: Indexed) -> Path:
    """Thirty documents with metadata, one of them with a name that no page may run."""
    rows = "".join(
        f"{title},{'cats' if number % 2 else 'seas'},the cat sat on the {WORDS[number]}\n"
        for number, title in enumerate(["<script>alert(1)</script>", *(f"t{n}" for n in range(1, 30))])
    )
    return indexed({"rows.csv": "title,kind,text\n" + rows})


def places(file: Path) -> dict[str, tuple[float, float]]:
    with file.open(encoding="utf-8-sig", newline="") as lines:
        return {row["path"] + row["part"]: (float(row["x"]), float(row["y"])) for row in csv.DictReader(lines)}


class TestMap:
    @pytest.mark.bundled
    def test_the_json_says_all(self, run: Run, sample_copy: Path, tmp_path: Path) -> None:
        out = tmp_path / "map.csv"
        code, data, err = run("map", sample_copy, "--out", out)
        assert (code, err) == (0, "")
        assert set(data) == KEYS
        assert data | {"trust": 0} == {
            "out": str(out),
            "documents": 183,
            "method": "tsne",
            "finished": True,
            "placed": 0,
            "trust": 0,
            "remarks": [],
        }
        assert 0.4 < data["trust"] < 1
        with out.open(encoding="utf-8-sig", newline="") as lines:
            rows = list(csv.DictReader(lines))
        assert len(rows) == 183
        assert data["trust"] == pytest.approx(np.mean([float(row["trust"]) for row in rows]), abs=1e-3)
        _, clusters, _ = run("clusters", sample_copy)
        names = {one["name"]: one["size"] for one in clusters["clusters"]}
        found = [row["cluster_name"] for row in rows if int(row["cluster"]) >= 0]
        assert {name: found.count(name) for name in found} == names
        near = np.array([[float(row["x"]), float(row["y"])] for row in rows])
        korean = np.array([row["path"].startswith("시장-사람들") for row in rows])
        spread = np.linalg.norm(near[korean] - near[korean].mean(axis=0), axis=1).mean()
        assert spread < np.linalg.norm(near[~korean] - near[korean].mean(axis=0), axis=1).mean()

    @pytest.mark.parametrize("colour", ["cluster", "trust", "kind"])
    def test_every_format(self, run: Run, texts: Path, tmp_path: Path, colour: str) -> None:
        for suffix in ("png", "svg", "html", "csv", "PNG"):
            out = tmp_path / f"map.{suffix}"
            code, data, err = run("map", texts, "--out", out, "--colour", colour)
            assert (code, err, data["documents"]) == (0, "", 30)
        with Image.open(tmp_path / "map.png") as image:
            assert image.size[0] > 500
        drawn = ElementTree.parse(tmp_path / "map.svg").getroot()
        assert sum(one.tag.endswith("circle") for one in drawn.iter()) >= 30
        page = (tmp_path / "map.html").read_text(encoding="utf-8")
        assert "alert(1)" in page
        assert "<script>alert" not in page
        assert sorted(path.name for path in tmp_path.glob("map.*")) == [
            "map.PNG",
            "map.csv",
            "map.html",
            "map.png",
            "map.svg",
        ]

    def test_words_on_the_picture_are_in_the_language_asked_for(self, run: Run, texts: Path, tmp_path: Path) -> None:
        found = {}
        for language in ("en", "ko"):
            out = tmp_path / f"{language}.svg"
            assert run("map", texts, "--out", out, "--colour", "trust", "--language", language)[0] == 0
            found[language] = out.read_text(encoding="utf-8")
        assert found["en"] != found["ko"]

    def test_the_map_stays_until_it_is_asked_for_anew(
        self, run: Run, indexed: Indexed, texts: Path, tmp_path: Path
    ) -> None:
        out = tmp_path / "map.csv"
        run("map", texts, "--out", out)
        before = places(out)
        indexed({"new.txt": "the cat sat on the green mat"})
        _, data, _ = run("map", texts, "--out", out)
        after = places(out)
        assert (data["placed"], len(after)) == (1, 31)
        assert {name: place for name, place in after.items() if name != "new.txt"} == before
        _, data, _ = run("map", texts, "--out", out, "--redraw")
        assert data["placed"] == 0
        assert places(out) != after

    def test_the_method_stays_until_another_is_asked_for(self, run: Run, texts: Path, tmp_path: Path) -> None:
        for method in ("pca", "spectral", "isomap", "mds", "tsne"):
            code, data, err = run("map", texts, "--out", tmp_path / "map.csv", "--method", method)
            assert (code, err) == (0, "")
            _, again, _ = run("map", texts, "--out", tmp_path / "map.csv")
            assert data["method"] == again["method"] == method

    def test_people_read_one_line(self, run: Run, texts: Path, tmp_path: Path) -> None:
        code, out, _ = run("map", texts, "--out", tmp_path / "map.svg", plain=True)
        assert code == 0
        assert out.startswith(f"{tmp_path / 'map.svg'}: 30 documents; ")
        assert out.endswith(" of true neighbours are close on the map\n")


def test_an_unknown_suffix_is_a_sentence_before_anything_is_drawn(run: Run, texts: Path, tmp_path: Path) -> None:
    for name in ("map.pdf", "map"):
        code, _, err = run("map", texts, "--out", tmp_path / name)
        assert code == 1
        assert ".png, .svg, .csv or .html" in err
    assert not list(paths.data().rglob("map.arrays"))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--out", "nowhere/deep/map.png"], "cannot be written"),
        (["--out", "map.png", "--colour", "nothing"], "nothing"),
        (["--out", "map.png", "--model", "nosuch"], "no model and no folder has this name"),
    ],
)
def test_what_cannot_be_drawn_is_a_sentence(
    run: Run, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = run("map", texts, *arguments)
    assert code == 1
    assert sentence in err
    assert "unexpected" not in err
    assert not list(tmp_path.glob("map.*"))


@pytest.mark.parametrize(
    "arguments", [[], ["--out", "x.png", "--method", "umap"], ["--out", "x.png", "--language", "fr"]]
)
def test_bad_usage(run: Run, tmp_path: Path, arguments: list[str]) -> None:
    assert run("map", tmp_path, *arguments)[0] == 2


@pytest.mark.parametrize("command", ["map", "projector"])
def test_a_folder_that_is_not_indexed_stays_without_a_workspace(run: Run, tmp_path: Path, command: str) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    code, _, err = run(command, texts, "--out", tmp_path / "out.html")
    assert code == 1
    assert "not indexed yet" in err
    assert [path.name for path in paths.data().iterdir()] == ["logs"]
    assert not (tmp_path / "out.html").exists()


@pytest.mark.parametrize("texts", FEW.values(), ids=FEW)
def test_odd_folders(run: Run, indexed: Indexed, tmp_path: Path, texts: dict[str, str]) -> None:
    root = indexed(texts)
    for suffix in ("png", "svg", "html", "csv"):
        code, data, err = run("map", root, "--out", tmp_path / f"map.{suffix}", "--anew")
        assert (code, err) == (0, "")
        assert (tmp_path / f"map.{suffix}").is_file()
    for method in ("pca", "spectral", "isomap", "mds"):
        code, _, err = run("map", root, "--out", tmp_path / "map.csv", "--method", method)
        assert (code, err) == (0, "")
    code, told, err = run("projector", root, "--out", tmp_path / "projector")
    assert (code, told["documents"], err) == (0, data["documents"], "")


class TestProjector:
    def test_the_files_belong_together(self, run: Run, texts: Path, tmp_path: Path) -> None:
        out = tmp_path / "projector"
        code, data, err = run("projector", texts, "--out", out)
        assert (code, err) == (0, "")
        assert data == {"out": str(out), "documents": 30, "dimension": 32}
        tensors = [line.split("\t") for line in (out / "tensors.tsv").read_text().splitlines()]
        lines = (out / "metadata.tsv").read_text(encoding="utf-8").splitlines()
        assert [len(row) for row in tensors] == [32] * 30
        assert lines[0].split("\t") == ["title", "path", "part", "language", "characters"]
        assert len(lines) == 31
        assert np.linalg.norm(np.array(tensors, float), axis=1) == pytest.approx(1, abs=1e-3)
        config = json.loads((out / "projector_config.json").read_text(encoding="utf-8"))
        assert config["embeddings"][0]["tensorShape"] == [30, 32]

    def test_people_are_told_how_to_open_it(self, run: Run, texts: Path, tmp_path: Path) -> None:
        code, out, _ = run("projector", texts, "--out", tmp_path / "p", plain=True)
        assert code == 0
        assert out == f"{tmp_path / 'p'}: 30 vectors. Open it with: tensorboard --logdir {tmp_path / 'p'}\n"

    def test_a_file_in_the_way_is_a_sentence(self, run: Run, texts: Path, tmp_path: Path) -> None:
        (tmp_path / "p").write_text("a file")
        code, _, err = run("projector", texts, "--out", tmp_path / "p")
        assert code == 1
        assert "cannot be written" in err
