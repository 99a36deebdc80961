"""The commands `tag`, `tags` and `searches`: the user's tags and saved searches."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from explorer.cli import options
from explorer.cli.options import named
from explorer.cli.output import Answer, table
from explorer.cli.search import open_searcher
from explorer.errors import ExplorerError
from explorer.task import Task
from explorer.workspace.search.search import find_document
from explorer.workspace.storage import documents
from explorer.workspace.storage.user import lists as user_lists
from explorer.workspace.storage.user import words as user_words
from explorer.workspace.storage.user.lists import SavedSearch, hits_seen
from explorer.workspace.workspace import open_workspace

if TYPE_CHECKING:
    from explorer.workspace.search.search import Hit, Mode, Searcher


# Every document has some likeness to a question. One that comes among the first of a search is news; the list of those
# seen is longer, so that a document which moves up a little is none.
_FIRST, _REMEMBERED = 20, 1000


def tag_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `tag`."""
    options.add_folder(parser)
    parser.add_argument("documents", nargs="+", metavar="DOCUMENT", help="paths or titles of documents")
    parser.add_argument("--add", action="append", default=[], metavar="NAME", help="add a tag; may be repeated")
    parser.add_argument("--remove", action="append", default=[], metavar="NAME", help="remove a tag; may be repeated")


def tag(args: Namespace, _task: Task) -> Answer:
    """Add tags to documents, or remove them."""
    if not args.add and not args.remove:
        raise ExplorerError("Name a tag: --add NAME or --remove NAME.")
    with open_workspace(args.folder, create=False) as workspace:
        workspace.require_writable()
        entries = [find_document(workspace, name) for name in args.documents]
        ids = [entry.id for entry in entries]
        added = {name: len(user_words.add_tag(workspace, ids, name)) for name in args.add}
        removed = {name: len(user_words.remove_tag(workspace, ids, user_words.clean(name))) for name in args.remove}
        tags = user_words.tags_of(workspace)
        data = [{**named(entry), "tags": sorted(tags.get(entry.id, ()))} for entry in entries]
    lines = [f"“{name}”: {count:,} documents tagged." for name, count in added.items()]
    lines += [f"“{name}”: removed from {count:,} documents." for name, count in removed.items()]
    return Answer(data, "\n".join(lines))


tags_arguments = options.add_folder


def tags(args: Namespace, _task: Task) -> Answer:
    """List the tags with the number of their documents."""
    with open_workspace(args.folder, writable=False) as workspace:
        counts = Counter(name for names in user_words.tags_of(workspace).values() for name in names)
    data = [{"tag": name, "documents": count} for name, count in sorted(counts.items())]
    rows = [(row["tag"], row["documents"]) for row in data]
    return Answer(data, table(("tag", "documents"), rows) if rows else "No tags yet.")


def searches_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `searches`."""
    options.add_folder(parser)
    parser.add_argument("--save", nargs=2, metavar=("NAME", "QUERY"), help="save a search under a name")
    parser.add_argument("--mode", choices=("hybrid", "semantic", "keyword"), default="hybrid", help="its mode")
    parser.add_argument("--seen", metavar="NAME", help="mark the current results as seen")
    parser.add_argument("--remove", metavar="NAME", help="delete a saved search")
    options.add_folder_model(parser)
    options.add_device(parser)


def searches(args: Namespace, task: Task) -> Answer:
    """List the saved searches with the documents that are new since the user last looked."""
    args.query = args.save[1] if args.save else ""
    with open_searcher(args, writable=bool(args.save or args.seen or args.remove)) as searcher:
        workspace = searcher.workspace
        known = {saved.name: saved for saved in user_lists.saved_searches(workspace)}
        for name in filter(None, (args.seen, args.remove)):
            if name not in known:
                raise ExplorerError("There is no saved search “{name}”.", name=name)
        if args.remove:
            user_lists.remove_search(workspace, args.remove)
        looked = [SavedSearch(args.save[0], args.save[1], args.mode)] if args.save else []
        looked += [known[args.seen]] if args.seen else []
        for saved in looked:
            user_lists.save_search(workspace, seen_now(searcher, saved, task))
        data: list[dict[str, Any]] = []
        for saved in user_lists.saved_searches(workspace):
            hits = new_hits(searcher, saved, task)
            new = [{"document": hit.path, "part": hit.part, "title": hit.title} for hit in hits]
            data.append({"name": saved.name, "query": saved.query, "mode": saved.mode, "new": new})
    rows = [(row["name"], row["query"], row["mode"], len(row["new"])) for row in data]
    lines = [table(("name", "query", "mode", "new"), rows) if rows else "No saved searches yet."]
    lines += [
        f"new in “{row['name']}”: {new_hit['document']} {new_hit['part']}".rstrip()
        for row in data
        for new_hit in row["new"]
    ]
    return Answer(data, "\n".join(lines))


def new_hits(searcher: Searcher, saved: SavedSearch, task: Task | None = None) -> tuple[Hit, ...]:
    """Return the hits of a saved search that were not hits when the user last looked, best first.

    Raises:
        As `Searcher.search`.
    """
    results = searcher.search(saved.query, mode=cast("Mode", saved.mode), k=_REMEMBERED, task=task)
    ranked = bool(results.query.semantic_parts or results.query.likes)
    hits = results.hits[:_FIRST] if ranked else results.hits
    digests = documents.digests_of(searcher.workspace.connection, [hit.document for hit in hits])
    return tuple(
        hit for hit in hits if hit.document in digests and not hits_seen([digests[hit.document]]) <= saved.seen
    )


def seen_now(searcher: Searcher, saved: SavedSearch, task: Task | None = None) -> SavedSearch:
    """Return a saved search as the user has seen it now; the caller saves it.

    Raises:
        As `Searcher.search`.
    """
    results = searcher.search(saved.query, mode=cast("Mode", saved.mode), k=_REMEMBERED, task=task)
    digests = documents.digests_of(searcher.workspace.connection, [hit.document for hit in results.hits])
    return replace(saved, seen=hits_seen(digests.values()))
