"""What the tests share: tiny real models, the bundled model, the indexed sample, and the order of the rooms."""

from __future__ import annotations

import gc
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from filelock import FileLock

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # threads that spin keep a busy machine waiting
# Each worker keeps a core busy: more threads per multiplication would only wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

Indexed = Callable[[Mapping[str, str]], Path]

PROJECT = Path(__file__).resolve().parents[1]
DATA = PROJECT.parent / "shared" / "data"

# Slow rooms first: with --dist loadfile, a slow file at the end would keep one worker busy and leave the other idle.
# Seconds of a processor, measured on a busy machine: faults 231, ui 290, cli 125, workspace 121, models 105, README 84.
ROOMS = (
    "test_readme.py", "end_to_end", "faults", "security", "workspace", "cli", "services", "models", "training", "ui",
    "analysis", "rendering", "corpus",
)  # fmt: skip
ARCHITECTURES = ("bert", "roberta", "electra", "distilbert", "mpnet", "xlm-roberta")
FULL_COLLECTIONS = 15.0  # seconds between two
WORDS = (
    "the a cat dog sat ran on mat under moon bright river stone quick brown fox jumps over lazy house "
    "green tea cold hot winter summer ship sails sea king queen plays music loud soft 한국 어 문 장 입니다 고양 이"
).split()


def pytest_sessionstart() -> None:
    """Collect garbage between tests only, in the main thread.

    Python collects in whatever thread allocates. Widgets in a reference cycle were deleted by a thread of a reader pool
    tests later, or while Qt went through its widgets, and the process crashed.
    """
    gc.disable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run slow rooms first and quick ones last, so that the workers end together."""
    ranks = {room: rank for rank, room in enumerate(ROOMS)}
    items.sort(key=lambda item: ranks.get(item.path.relative_to(PROJECT / "tests").parts[0], len(ROOMS) - 2))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Fail a test on warnings that Qt gives while its fixtures close windows: pytest-qt listens to its body only."""
    from PySide6.QtCore import QtMsgType, qInstallMessageHandler

    warnings: list[str] = []

    def listen(kind: QtMsgType, _context: object, message: str) -> None:
        ignored = any(re.search(pattern, message) for pattern in item.config.getini("qt_log_ignore"))
        if kind not in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) and not ignored:
            warnings.append(message)

    previous = qInstallMessageHandler(listen)
    try:
        yield
        _release_modifier_keys()
        _collect_garbage()
    finally:
        qInstallMessageHandler(previous)
    assert not warnings, warnings


def _release_modifier_keys() -> None:
    """Let go of the Ctrl or Shift of a test's last key click: Qt holds it until the next event of a key or the mouse.

    A row that the next test selected by code was toggled by it.
    """
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QGuiApplication, QWindow
    from PySide6.QtTest import QTest

    no_modifier = Qt.KeyboardModifier.NoModifier
    if QGuiApplication.instance() and QGuiApplication.keyboardModifiers() != no_modifier:
        QTest.keyRelease(QWindow(), Qt.Key.Key_Control)
        assert QGuiApplication.keyboardModifiers() == no_modifier


def _collect_garbage(last: list[float] = [0.0]) -> None:  # noqa: B006 - remembers
    """Collect young objects, and all of them now and then: with those of torch and Qt that takes a quarter second."""
    full = time.monotonic() - last[0] > FULL_COLLECTIONS
    gc.collect(2 if full else 1)
    if full:
        last[0] = time.monotonic()


@pytest.fixture(scope="session")
def qapp(qapp: QApplication) -> QApplication:
    """The one QApplication of the run, in English, with the theme applied before any widget is made.

    A widget whose own style sheet came and went before the application had one stays in Qt's cache of styled widgets
    when it is deleted; the next change of theme crashes on it. The program applies its theme first, too.
    """
    from explorer.ui.look import language, theme

    language.use(qapp, "en")
    theme.apply(qapp, theme.LIGHT)
    return qapp


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep every test away from the user's own folders."""
    monkeypatch.setenv("DOCEXPLORER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    # What a quarter of a second's trial finds faster here today is nothing for tests to depend on.
    monkeypatch.setattr("explorer.models.runtime.precision.best_of_processor", lambda: "float32")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The data sets beside the project."""
    if not DATA.is_dir():
        pytest.skip("the data sets (../shared/data) are not on this machine")
    return DATA


@pytest.fixture(scope="session")
def bundled_folder() -> Path:
    """The real bundled model."""
    from explorer.models.files import catalog

    return catalog.bundled()


@pytest.fixture(scope="session")
def bundled(bundled_folder: Path) -> Any:
    """The real bundled bi-encoder, on the CPU."""
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.runtime.device import choose

    return BiEncoder.open(bundled_folder, choose("cpu", precision="float32"))


@pytest.fixture(scope="session")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Raw checkpoints of tiny random encoders by architecture, each made on first use."""
    return _Checkpoints(tmp_path_factory.mktemp("checkpoints"))


class _Checkpoints(dict[str, Path]):
    def __init__(self, root: Path) -> None:
        super().__init__()
        self._root = root

    def __missing__(self, name: str) -> Path:
        self[name] = make_checkpoint(self._root / name, name)
        return self[name]


@pytest.fixture
def tiny(checkpoints: dict[str, Path]) -> Path:
    """A raw checkpoint of a tiny BERT; read-only."""
    return checkpoints["bert"]


def make_checkpoint(path: Path, architecture: str, *, classes: int = 0, seed: int = 0) -> Path:
    """Write a tiny random encoder with its tokenizer; with `classes`, a sequence classifier."""
    import torch
    from transformers import AutoConfig, AutoModel, AutoModelForSequenceClassification

    tokenizer = make_tokenizer(architecture)
    sizes: dict[str, Any] = {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 64,
        "max_position_embeddings": 80,
        "vocab_size": len(tokenizer),
        "pad_token_id": tokenizer.pad_token_id,
    }
    if architecture == "distilbert":
        sizes = {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64} | {
            key: sizes[key] for key in ("max_position_embeddings", "vocab_size", "pad_token_id")
        }
    if architecture == "electra":
        sizes["embedding_size"] = 16
    if architecture in {"roberta", "xlm-roberta"}:
        sizes["type_vocab_size"] = 1
    config = AutoConfig.for_model(architecture, **sizes, **({"num_labels": classes} if classes else {}))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = (AutoModelForSequenceClassification if classes else AutoModel).from_config(config)
        with torch.no_grad():
            for value in model.parameters():  # far from zero, so that a mistake shows
                value.add_(0.05 * torch.randn_like(value))
    model.save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


def make_tokenizer(architecture: str) -> Any:
    """Train a real tokenizer of the architecture's family on a few words."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    if architecture in {"roberta", "xlm-roberta", "mpnet"}:
        special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
        names = {
            "bos_token": "<s>",
            "cls_token": "<s>",
            "sep_token": "</s>",
            "eos_token": "</s>",
            "pad_token": "<pad>",
            "unk_token": "<unk>",
            "mask_token": "<mask>",
        }
    else:
        special = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
        names = {
            "cls_token": "[CLS]",
            "sep_token": "[SEP]",
            "pad_token": "[PAD]",
            "unk_token": "[UNK]",
            "mask_token": "[MASK]",
        }
    corpus = [" ".join(WORDS)] * 20
    if architecture == "roberta":
        backend = Tokenizer(models.BPE(unk_token="<unk>"))
        backend.pre_tokenizer, backend.decoder = (
            pre_tokenizers.ByteLevel(add_prefix_space=False),
            decoders.ByteLevel(),
        )
        trainer = trainers.BpeTrainer(
            vocab_size=400,
            special_tokens=special,
            show_progress=False,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        )
    elif architecture == "xlm-roberta":
        backend = Tokenizer(models.Unigram())
        backend.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=200, special_tokens=special, unk_token="<unk>", show_progress=False
        )
    else:
        backend = Tokenizer(models.WordPiece(unk_token=names["unk_token"]))
        backend.normalizer, backend.pre_tokenizer = (normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer())
        trainer = trainers.WordPieceTrainer(vocab_size=300, special_tokens=special, show_progress=False)
    backend.train_from_iterator(corpus, trainer)
    cls, sep = names["cls_token"], names["sep_token"]
    ids = [(token, backend.token_to_id(token)) for token in (cls, sep)]
    if architecture in {"roberta", "xlm-roberta", "mpnet"}:
        template = {"single": f"{cls} $A {sep}", "pair": f"{cls} $A {sep} {sep} $B {sep}"}
    else:
        template = {"single": f"{cls} $A {sep}", "pair": f"{cls} $A {sep} $B:1 {sep}:1"}
    backend.post_processor = processors.TemplateProcessing(**template, special_tokens=ids)
    inputs = ["input_ids", "attention_mask"]
    if architecture in {"bert", "electra"}:
        inputs.insert(1, "token_type_ids")
    return PreTrainedTokenizerFast(tokenizer_object=backend, model_max_length=64, model_input_names=inputs, **names)


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], None]], Path]:
    """Makes a folder once for all workers: `once(name, make)`; the second worker waits for the first."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def once(name: str, make: Callable[[Path], None]) -> Path:
        folder = shared / name
        with FileLock(shared / f"{name}.lock"):
            if not folder.is_dir():
                unfinished = tmp_path_factory.mktemp(name) / "unfinished"
                make(unfinished)
                unfinished.rename(folder)
        return folder

    return once


@pytest.fixture(scope="session")
def demo(once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """What the command `demo` leaves in a new home, in `home`, and what it prints, in `out`."""

    def make(folder: Path) -> None:
        folder.mkdir()
        ended = subprocess.run(
            [sys.executable, "-m", "explorer", "demo", "--precision", "float32"],
            cwd=PROJECT,
            env=os.environ | {"DOCEXPLORER_HOME": str(folder / "home")},
            capture_output=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        (folder / "out").write_bytes(ended.stdout)

    return once("demo", make)


@pytest.fixture(scope="session")
def indexed_sample(once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """A workspace of the sample texts with the bundled model's vectors; read-only, use `sample_copy` to write."""

    def make(folder: Path) -> None:
        folder.mkdir()
        command = ("index", "resources/sample", "--model", "all-MiniLM-L6-v2", "--precision", "float32")
        ended = subprocess.run(
            [sys.executable, "-m", "explorer", *command],
            cwd=PROJECT,
            env=os.environ | {"DOCEXPLORER_HOME": str(folder / "home")},
            capture_output=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr

    (database,) = once("sample", make).rglob("workspace.db")
    return database.parent


@pytest.fixture
def sample_copy(indexed_sample: Path, tmp_path: Path) -> Path:
    """The indexed sample, for one test to write to."""
    return Path(shutil.copytree(indexed_sample, tmp_path / "workspace"))


@pytest.fixture
def indexed(tiny: Path, tmp_path: Path) -> Indexed:
    """Writes a folder of texts and indexes it with the tiny BERT."""

    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.runtime.device import choose
    from explorer.workspace.workspace import open_workspace

    def indexed(texts: Mapping[str, str]) -> Path:
        root = tmp_path / "texts"
        root.mkdir(exist_ok=True)
        for name, text in texts.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        with open_workspace(root) as workspace:
            workspace.update(BiEncoder.open(tiny, choose("cpu", precision="float32")))
        return root

    return indexed
