"""What each command takes."""

from __future__ import annotations

from argparse import Action, ArgumentParser, ArgumentTypeError, Namespace
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
        "--lines", action="append", default=[], metavar="PATH",
        help="read each line of this text file as a document, now and later; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--no-lines", action="append", default=[], metavar="PATH", help="read it as one document again"
    )
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
    _rerank(parser, "let a cross-encoder order the 100 best anew: the one that ships, or MODEL")
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
    _model(parser, or_else=", or your own vectors: own, or their name")
    _device(parser)


def duplicates(parser: ArgumentParser) -> None:
    """Arguments of `duplicates`."""
    folder(parser)
    parser.add_argument(
        "--threshold", type=float, default=0.9, help="cosine from which texts count as alike (default: 0.9)"
    )
    _model(parser)
    _device(parser)


def compare(parser: ArgumentParser) -> None:
    """Arguments of `compare`."""
    folder(parser)
    parser.add_argument("first", metavar="A", help="path or title of a document")
    parser.add_argument("second", metavar="B", help="path or title of another")
    _rerank(parser, "let a cross-encoder score the aligned passages too: the one that ships, or MODEL")
    parser.add_argument(
        "--explain", type=int, default=3, metavar="N",
        help="how many pairs of passages are explained by their words (default: %(default)s)",
    )  # fmt: skip
    _model(parser)
    _device(parser)


def clusters(parser: ArgumentParser) -> None:
    """Arguments of `clusters`."""
    folder(parser)
    parser.add_argument(
        "--granularity",
        type=float,
        metavar="G",
        help="from 0, a handful of clusters, to 1, hundreds (default: 0.5)",
    )
    parser.add_argument("--method", choices=("leiden", "kmeans", "hdbscan", "agglomerative"))
    parser.add_argument(
        "--count", type=int, metavar="N", help="the number of clusters, instead of a granularity"
    )
    parser.add_argument(
        "--members", action="store_true", help="list the documents of each cluster (with --json)"
    )
    parser.add_argument("--stability", action="store_true", help="tell how surely each would be found again")
    parser.add_argument("--tree", action="store_true", help="show clusters within clusters")
    parser.add_argument(
        "--rename", nargs=2, action=_Numbered, default=[], metavar=("ID", "NAME"), help="name a cluster"
    )
    parser.add_argument("--merge", type=int, nargs="+", metavar="ID", help="make one cluster of several")
    parser.add_argument("--split", type=int, metavar="ID", help="divide a cluster")
    parser.add_argument("--parts", type=int, default=2, metavar="N", help="into how many parts (default: 2)")
    parser.add_argument(
        "--move", nargs=2, action=_Numbered, default=[], metavar=("ID", "DOCUMENT"),
        help="put a document into a cluster; -1 takes it out of all",
    )  # fmt: skip
    parser.add_argument(
        "--assign-leftovers", action="store_true", help="give what belongs nowhere to the nearest cluster"
    )
    parser.add_argument("--undo", action="store_true", help="take the last change back")
    _stored_model(parser)


def trends(parser: ArgumentParser) -> None:
    """Arguments of `trends`."""
    folder(parser)
    parser.add_argument(
        "--field", default="date", metavar="NAME", help="the field with the date (default: date)"
    )
    parser.add_argument("--unit", choices=("day", "week", "month", "quarter", "year"))
    _stored_model(parser)


def draw(parser: ArgumentParser) -> None:
    """Arguments of `map`."""
    folder(parser)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="ends with .png, .svg, .csv or .html"
    )
    parser.add_argument("--method", choices=("tsne", "pca", "spectral", "isomap", "mds"))
    parser.add_argument(
        "--anew", action="store_true", help="draw all of it again, starting from the stored map"
    )
    parser.add_argument(
        "--colour", default="cluster", metavar="WHAT", help="cluster, trust or a field (default: cluster)"
    )
    parser.add_argument("--language", choices=("en", "ko"), default="en", help="of the words on the picture")
    _stored_model(parser)


def projector(parser: ArgumentParser) -> None:
    """Arguments of `projector`."""
    folder(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where the files go")
    _stored_model(parser)


def keywords(parser: ArgumentParser) -> None:
    """Arguments of `keywords`."""
    folder(parser)
    parser.add_argument("documents", nargs="+", metavar="DOCUMENT", help="paths or titles")
    parser.add_argument("--count", type=int, default=10, metavar="N", help="how many (default: %(default)s)")
    _stored_model(parser)
    _device(parser)


def classify(parser: ArgumentParser) -> None:
    """Arguments of `classify`."""
    folder(parser)
    parser.add_argument(
        "--category", type=_described, action="append", default=[], metavar="NAME[=DESCRIPTION]",
        help="a category by its name, perhaps described; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--example", type=_example, action="append", default=[], metavar="NAME=DOCUMENT",
        help="a document that belongs to a category; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--threshold", type=float, default=0.5, metavar="T",
        help="below this a document belongs to none; 0 gives each one a category (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--show", type=int, default=20, metavar="N", help="documents printed (default: 20)")
    _stored_model(parser)
    _device(parser)


def outliers(parser: ArgumentParser) -> None:
    """Arguments of `outliers`."""
    folder(parser)
    parser.add_argument(
        "-k", type=int, default=20, metavar="N", help="how many at most (default: %(default)s)"
    )
    _stored_model(parser)


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


def _model(parser: ArgumentParser, *, required: bool = False, or_else: str = "") -> None:
    what = f"a name that `models` lists, or a folder{or_else}"
    if required:
        parser.add_argument("--model", required=True, help=what)
    else:
        parser.add_argument("--model", default="all-MiniLM-L6-v2", help=f"{what} (default: %(default)s)")


def _rerank(parser: ArgumentParser, what: str) -> None:
    parser.add_argument("--rerank", nargs="?", const="explorer-cross-encoder-en", metavar="MODEL", help=what)


def _stored_model(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--model", help="whose vectors: a model that the folder was indexed with (default: the fullest)"
    )


def _device(parser: ArgumentParser) -> None:
    parser.add_argument("--device", default="auto", help="auto, cuda, mps or cpu (default: %(default)s)")
    parser.add_argument(
        "--threads", type=int, metavar="N", help="CPU cores to use (default: all physical ones)"
    )


class _Numbered(Action):
    """Collects pairs of a number and a text."""

    def __call__(
        self, parser: ArgumentParser, namespace: Namespace, values: object, option_string: str | None = None
    ) -> None:
        number, text = values if isinstance(values, list) else (values, "")
        try:
            pair = int(str(number)), str(text)
        except ValueError:
            parser.error(f"{option_string} {number}: the number of a cluster was expected")
        setattr(namespace, self.dest, [*getattr(namespace, self.dest), pair])


def _described(text: str) -> tuple[str, str]:
    name, _, description = text.partition("=")
    if not name.strip():
        raise ArgumentTypeError(f"“{text}” names no category: NAME or NAME=DESCRIPTION was expected")
    return name.strip(), description.strip()


def _example(text: str) -> tuple[str, str]:
    name, sign, document = text.partition("=")
    if not sign or not name.strip() or not document:
        raise ArgumentTypeError(f"“{text}”: NAME=DOCUMENT was expected")
    return name.strip(), document


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
