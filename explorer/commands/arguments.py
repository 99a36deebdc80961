"""What each command takes."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path


def demo(parser: ArgumentParser) -> None:
    """Arguments of `demo`."""
    parser.add_argument("--query", help="what to look for, in words")
    _device(parser)


def folder(parser: ArgumentParser) -> None:
    """A folder of texts, or its workspace."""
    parser.add_argument(
        "folder", type=Path, metavar="FOLDER", help="a folder that was indexed, or its workspace"
    )


def index(parser: ArgumentParser) -> None:
    """Arguments of `index`."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the folder of texts")
    parser.add_argument(
        "--inside", action="store_true", help="keep the workspace inside the folder (.docexplorer)"
    )
    parser.add_argument("--retry", action="store_true", help="try the files again that could not be read")
    parser.add_argument(
        "--text-column", default="", metavar="NAME", help="the column of tables that holds the text"
    )
    parser.add_argument("--no-repair", action="store_true", help="leave doubly encoded text as it is")
    parser.add_argument(
        "--encoding", type=_encoding, action="append", default=[], metavar="PATH=NAME",
        help="the encoding of one file, such as old/letter.txt=cp949, or =auto to find it; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--preview", action="store_true", help="only tell what would be read, and what not and why"
    )
    parser.add_argument(
        "--watch", action="store_true", help="follow the folder and update on changes, until Ctrl+C"
    )
    _model(parser)
    _device(parser)


def search(parser: ArgumentParser) -> None:
    """Arguments of `search`."""
    folder(parser)
    parser.add_argument(
        "query", metavar="QUERY", help='words; "exact words", -away, +2 weighted, field:value, like:PATH'
    )
    parser.add_argument("--mode", choices=("hybrid", "semantic", "keyword"), default="hybrid")
    parser.add_argument(
        "-k", type=int, default=10, metavar="N", help="how many documents (default: %(default)s)"
    )
    parser.add_argument("--rerank", metavar="MODEL", help="cross-encoder that orders the 100 best anew")
    parser.add_argument("--seconds", type=float, metavar="S", help="time the reranking may take")
    _model(parser)
    _device(parser)


def neighbours(parser: ArgumentParser) -> None:
    """Arguments of `neighbours`."""
    folder(parser)
    parser.add_argument("like", nargs="*", metavar="DOCUMENT", help="paths or titles of documents")
    parser.add_argument(
        "--unlike", nargs="+", default=[], metavar="DOCUMENT", help="documents to stay away from"
    )
    parser.add_argument("--text", help="a pasted text to be near to")
    parser.add_argument(
        "--passage",
        type=_place,
        metavar="DOCUMENT:START",
        help="list the passages nearest to the one at this character of a document",
    )
    parser.add_argument(
        "-k", type=int, default=10, metavar="N", help="how many documents (default: %(default)s)"
    )
    parser.add_argument("--metric", choices=("cosine", "euclidean"), default="cosine")
    _model(parser)
    _device(parser)


def duplicates(parser: ArgumentParser) -> None:
    """Arguments of `duplicates`."""
    folder(parser)
    parser.add_argument(
        "--threshold", type=float, default=0.9, help="cosine from which texts count as alike (default: 0.9)"
    )
    _model(parser)
    _device(parser)


def export(parser: ArgumentParser) -> None:
    """Arguments of `export`."""
    folder(parser)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="ends with .csv, .jsonl or .parquet"
    )


def doctor(parser: ArgumentParser) -> None:
    """Arguments of `doctor`."""
    folder(parser)
    parser.add_argument(
        "--repair", action="store_true", help="mend what can be mended; without it, only tell what is wrong"
    )


def vectors(parser: ArgumentParser) -> None:
    """Arguments of `vectors`."""
    folder(parser)
    parser.add_argument(
        "--import", dest="source", type=Path, metavar="FILE",
        help="vectors of your own, one a document: .npy with --ids, or .parquet",
    )  # fmt: skip
    parser.add_argument(
        "--ids", type=Path, metavar="FILE",
        help="whose vectors these are: a path a line (and a tab and the part), or .csv, .jsonl, .parquet",
    )  # fmt: skip
    parser.add_argument("--column", default="", metavar="NAME", help="the column that names the documents")
    parser.add_argument(
        "--vector-column", default="", metavar="NAME", help="the Parquet column that holds the vectors"
    )
    parser.add_argument(
        "--name",
        default="",
        help="what to call them; those of the same name are replaced (default: the file)",
    )


def encode(parser: ArgumentParser) -> None:
    """Arguments of `encode`."""
    parser.add_argument(
        "texts", type=Path, metavar="TEXTS", help="a UTF-8 file with one text a line, or - for standard input"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.npy", help="where the vectors go")
    parser.add_argument(
        "--role", choices=("query", "document"), help="which prompt of the model to apply, if it has any"
    )
    parser.add_argument("--draft", action="store_true", help="use the instant draft of the model")
    _model(parser)
    _device(parser)


def score(parser: ArgumentParser) -> None:
    """Arguments of `score`."""
    parser.add_argument(
        "pairs", type=Path, metavar="PAIRS", help="CSV, TSV or JSONL with two columns of text"
    )
    _columns(parser, "first, second")
    _model(parser, required=True)
    _device(parser)


def evaluate(parser: ArgumentParser) -> None:
    """Arguments of `evaluate`."""
    parser.add_argument(
        "data",
        type=Path,
        metavar="DATA",
        help="a file of pairs or triplets, or a folder with corpus, queries, qrels",
    )
    _model(parser)
    parser.add_argument("--kind", choices=("bi", "cross"), help="what the model must be")
    parser.add_argument("--draft", action="store_true", help="measure the instant draft of the model")
    parser.add_argument(
        "--data-kind", choices=("scored", "labelled", "triplets", "retrieval"), help="what DATA holds"
    )
    _columns(parser, "first, second, score, label, anchor, positive, negative")
    parser.add_argument(
        "--score-range", type=float, nargs=2, metavar=("LOW", "HIGH"), help="range of the scores"
    )
    parser.add_argument(
        "--positive", metavar="LABEL", help="the label that means “these two belong together”"
    )
    parser.add_argument(
        "--retriever", metavar="MODEL", help="bi-encoder whose 100 best a cross-encoder reranks"
    )
    _device(parser)


def models(parser: ArgumentParser) -> None:
    """Arguments of `models`."""
    parser.add_argument(
        "folders", type=Path, nargs="*", metavar="FOLDER", help="further folders to look into"
    )
    parser.add_argument(
        "--download", metavar="NAME", help="fetch a model from the hub; the one thing that uses the network"
    )


def distil(parser: ArgumentParser) -> None:
    """Arguments of `distil`."""
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where the draft goes")
    _model(parser)
    _device(parser)


def _columns(parser: ArgumentParser, roles: str) -> None:
    parser.add_argument("--columns", type=_column, nargs="+", default=[], metavar="ROLE=COLUMN",
                        help=f"which column is what; roles: {roles}")  # fmt: skip


def _model(parser: ArgumentParser, *, required: bool = False) -> None:
    what = "a name that `models` lists, or a folder"
    if required:
        parser.add_argument("--model", required=True, help=what)
    else:
        parser.add_argument("--model", default="all-MiniLM-L6-v2", help=f"{what} (default: %(default)s)")


def _device(parser: ArgumentParser) -> None:
    parser.add_argument("--device", default="auto", help="auto, cuda, mps or cpu (default: %(default)s)")
    parser.add_argument(
        "--threads", type=int, metavar="N", help="CPU cores to use (default: all physical ones)"
    )


def _encoding(text: str) -> tuple[str, str]:
    path, sign, name = text.rpartition("=")
    if not sign or not path or not name:
        raise ArgumentTypeError(f"“{text}” is not of the form PATH=NAME, such as letter.txt=cp949")
    return path, name


def _column(text: str) -> tuple[str, str]:
    role, sign, column = text.partition("=")
    if not sign or not role or not column:
        raise ArgumentTypeError(f"“{text}” is not of the form ROLE=COLUMN, such as score=rating")
    return role, column


def _place(text: str) -> tuple[str, int]:
    document, sign, start = text.rpartition(":")
    if not sign or not document or not start.isdecimal():
        raise ArgumentTypeError(f"“{text}” is not of the form DOCUMENT:START, such as notes/a.txt:1200")
    return document, int(start)
