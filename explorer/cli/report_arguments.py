"""What the command `report` takes."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from explorer.cli import arguments


def report(parser: ArgumentParser) -> None:
    """Arguments of `report`."""
    arguments.folder(parser)
    parser.add_argument("documents", nargs="*", metavar="DOCUMENT", help="paths or titles of documents")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="the page to write, ending in .html"
    )
    parser.add_argument(
        "--query", metavar="WORDS", help="what to look for; the report is about what it finds"
    )
    parser.add_argument("--tag", metavar="TAG", help="the report is about all documents that have this tag")
    parser.add_argument(
        "-k",
        type=int,
        default=20,
        metavar="N",
        help="how many documents a query finds (default: %(default)s)",
    )
    parser.add_argument("--language", choices=("en", "ko"), default="en", help="of the report")
    parser.add_argument("--model", metavar="MODEL", help="whose vectors to use (default: the last ones made)")
    parser.add_argument("--device", default="auto", help="auto, cuda, mps or cpu (default: %(default)s)")
    parser.add_argument(
        "--threads", type=int, metavar="N", help="CPU cores to use (default: all physical ones)"
    )
